package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// searchOf is a search as a list.
type searchOf[T any] func(affiliate.Page) (affiliate.List[T], error)

// finds fails the test unless a search answers the items with these names, whole
// and in pages of one.
func finds[T any](t *testing.T, what string, search searchOf[T], name func(T) string, want ...string) {
	t.Helper()
	var whole, paged []string
	for _, item := range scene.Must(search(affiliate.Page{})).Items {
		whole = append(whole, name(item))
	}
	for _, item := range scene.All(affiliate.Each(1, search)) {
		paged = append(paged, name(item))
	}
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	if diff := cmp.Diff(want, paged); diff != "" {
		t.Errorf("%s in pages of one (-want +got):\n%s", what, diff)
	}
}

// A searchProgram is a program with affiliates, customers and codes.
type searchProgram struct {
	*scene.World
	ada, bob, cy affiliate.Affiliate
	plan         affiliate.Plan
	tier         affiliate.Tier
}

func newSearchable(t *testing.T) searchProgram {
	ctx, w := t.Context(), scene.NewOn(t, conformance.Rerun(memstore.New()))
	s := searchProgram{World: w, ada: w.Ada().Person}
	person := func(first, last, status string) affiliate.Affiliate {
		return scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: first, LastName: last, Email: strings.ToLower(first) + "@example.com", AffiliateLink: strings.ToLower(first), AffiliateStatus: status}))
	}
	s.bob, s.cy = person("Bob", "Adams", "inactive"), person("Cy", "Young", "")
	s.plan = scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	s.tier = scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "Silver"}))
	scene.Must(w.SetAffiliatePlan(ctx, s.plan.ID, s.bob.ID, s.cy.ID))
	scene.Must(w.SetAffiliateTier(ctx, s.tier.ID, s.cy.ID))
	return s
}

// Filters are combined; a search text is exact or a part.
func TestSearchAffiliates(t *testing.T) {
	s := newSearchable(t)
	type q = affiliate.AffiliateQuery
	text := affiliate.Set[string]
	for name, tt := range map[string]struct {
		q    q
		want []string
	}{
		"all":                    {q{}, []string{"Cy", "Bob", "Ada"}},
		"pending":                {q{Status: affiliate.AffiliateInactive}, []string{"Bob"}},
		"on a plan":              {q{PlanID: affiliate.Set(s.plan.ID)}, []string{"Cy", "Bob"}},
		"in a tier":              {q{TierID: affiliate.Set(s.tier.ID)}, []string{"Cy"}},
		"pending in a tier":      {q{TierID: affiliate.Set(s.tier.ID), Status: affiliate.AffiliateInactive}, nil},
		"on no plan":             {q{PlanID: affiliate.Null[uuid.UUID]()}, nil},
		"an id":                  {q{Search: text(s.bob.ID.String())}, []string{"Bob"}},
		"an email":               {q{Search: text("ADA@Example.com")}, []string{"Ada"}},
		"a slug":                 {q{Search: text("BOB")}, []string{"Bob"}},
		"a slug, not a part":     {q{Search: text("ada")}, []string{"Ada"}},
		"a part of a name":       {q{Search: text("ADAM")}, []string{"Bob"}},
		"a part of two":          {q{Search: text("a")}, []string{"Cy", "Bob", "Ada"}}, // of example.com
		"over both names":        {q{Search: text("b ad")}, []string{"Bob"}},
		"a part of an email":     {q{Search: text("cy@ex")}, []string{"Cy"}},
		"an id of another state": {q{Search: text(s.bob.ID.String()), Status: affiliate.AffiliateActive}, nil},
		"a part of another plan": {q{Search: text("example"), PlanID: affiliate.Set(s.plan.ID)}, []string{"Cy", "Bob"}},
		"nobody":                 {q{Search: text("zz")}, nil},
		"a text of nothing":      {q{Search: text("")}, nil},
	} {
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
			return s.Affiliates(t.Context(), tt.q, pg)
		},
			func(a affiliate.Affiliate) string { return a.FirstName }, tt.want...)
	}
	bad := scene.FieldError(affiliate.InvalidQuery, "search", "search is too long")
	s.Refused(bad, func() error {
		return scene.ErrOf(s.Affiliates(t.Context(), q{Search: text(strings.Repeat("x", 101))}, affiliate.Page{}))
	})
	bad.Message = "search must not be empty"
	s.Refused(bad, func() error {
		return scene.ErrOf(s.Affiliates(t.Context(), q{Search: text(" ")}, affiliate.Page{}))
	})
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "status", "status must be one of ACTIVE, INACTIVE, INVITED, DECLINED, DEACTIVATED, BANNED"),
		func() error { return scene.ErrOf(s.Affiliates(t.Context(), q{Status: "x"}, affiliate.Page{})) })
	first := scene.Must(s.Affiliates(t.Context(), q{}, affiliate.Page{Limit: 1})).Next
	if _, err := s.Affiliates(t.Context(), q{Status: affiliate.AffiliateActive}, affiliate.Page{Cursor: first}); !errors.Is(err, affiliate.InvalidQuery) {
		t.Errorf("a cursor of another search: %v", err)
	}
}

// A text that becomes somebody's slug between two pages changes no list that has
// begun.
func TestSearchKeepsToItsList(t *testing.T) {
	s := newSearchable(t)
	part := affiliate.AffiliateQuery{Search: affiliate.Set("example")}
	first := scene.Must(s.Affiliates(t.Context(), part, affiliate.Page{Limit: 1}))
	s.AddLink(s.cy.ID, "example")
	second := scene.Must(s.Affiliates(t.Context(), part, affiliate.Page{Limit: 1, Cursor: first.Next}))
	if len(second.Items) != 1 || second.Items[0].ID != s.bob.ID {
		t.Errorf("the second page: %v", second.Items)
	}
	finds(t, "anew", func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
		return s.Affiliates(t.Context(), part, pg)
	},
		func(a affiliate.Affiliate) string { return a.FirstName }, "Cy")
}

func TestSearchReferrals(t *testing.T) {
	ctx, s := t.Context(), newSearchable(t)
	customer := func(of, name, external string) affiliate.Referral {
		return scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: of, Name: name, Email: strings.ToLower(name) + "@example.net", ReferredUserExternalID: external}))
	}
	kim := customer("ada", "Kim", "cust-1")
	scene.Must(s.PushReferralStatus(ctx, kim.ID.String(), affiliate.SubscriptionPastDue))
	s.Pass(24 * time.Hour)
	customer("cy", "Lou", "twice")
	share(s.World, "twice", customer("ada", "Max", "max").ID)
	type q = affiliate.ReferralQuery
	text, day := affiliate.Set[string], affiliate.Set(affiliate.Day(2026, 3, 12))
	for name, tt := range map[string]struct {
		q    q
		want []string
	}{
		"all":                        {q{}, []string{"Max", "Lou", "Kim"}},
		"of Ada":                     {q{AffiliateID: affiliate.Set(s.ada.ID)}, []string{"Max", "Kim"}},
		"past due":                   {q{Status: affiliate.SubscriptionPastDue}, []string{"Kim"}},
		"since a day":                {q{Since: day}, []string{"Max", "Lou"}},
		"until the day before":       {q{Until: affiliate.Set(affiliate.Day(2026, 3, 11))}, []string{"Kim"}},
		"since and until":            {q{Since: day, Until: affiliate.Set(affiliate.At(s.Now.Add(-time.Second)))}, nil},
		"an id":                      {q{Search: text(kim.ID.String())}, []string{"Kim"}},
		"an email":                   {q{Search: text("lou@EXAMPLE.net")}, []string{"Lou"}},
		"an external id":             {q{Search: text("cust-1")}, []string{"Kim"}},
		"an external id of two":      {q{Search: text("twice")}, []string{"Max", "Lou"}},
		"one of the two":             {q{Search: text("twice"), AffiliateID: affiliate.Set(s.cy.ID)}, []string{"Lou"}},
		"an id, but then":            {q{Search: text(kim.ID.String()), Since: day}, nil},
		"a part":                     {q{Search: text("EXAMPLE")}, []string{"Max", "Lou", "Kim"}},
		"a part, combined":           {q{Search: text("m"), Since: day}, []string{"Max", "Lou"}},
		"part of an external id":     {q{Search: text("cust")}, nil},
		"of an affiliate with no id": {q{AffiliateID: affiliate.Null[uuid.UUID]()}, nil},
	} {
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return s.Referrals(ctx, tt.q, pg)
		},
			func(r affiliate.Referral) string { return r.Name.Or("") }, tt.want...)
	}
	for _, bad := range []q{{Status: "x"}, {Since: affiliate.Set(affiliate.Day(10_000, 1, 1))}, {Until: affiliate.Set(affiliate.Day(10_000, 1, 1))}, {Search: text("\n")}} {
		if _, err := s.Referrals(ctx, bad, affiliate.Page{}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestSearchCodes(t *testing.T) {
	ctx, s := t.Context(), newSearchable(t)
	percent := affiliate.Set(affiliate.MustPercent("10"))
	coupon := func(in affiliate.CouponParams) uuid.UUID {
		in.Name, in.PercentOff = "c", percent
		return scene.Must(s.CreateCoupon(ctx, in)).ID
	}
	plain, over := coupon(affiliate.CouponParams{}), coupon(affiliate.CouponParams{RedeemBy: affiliate.Set(affiliate.At(scene.Start.Add(-time.Hour)))})
	once := coupon(affiliate.CouponParams{MaxRedemptions: affiliate.Set[int64](1)})
	code := func(coupon uuid.UUID, text string, change ...func(*affiliate.CodeParams)) {
		in := affiliate.CodeParams{CouponID: coupon, Code: text, AffiliateID: s.cy.ID}
		for _, c := range change {
			c(&in)
		}
		scene.Must(s.CreateCode(ctx, in))
	}
	code(plain, "OFF", func(in *affiliate.CodeParams) { in.Active = affiliate.Set(false) })
	code(over, "LATE")
	code(once, "USED1")
	code(once, "USED2")
	code(plain, "FREE", func(in *affiliate.CodeParams) { in.AffiliateID = uuid.Nil })
	code(plain, "OLD", func(in *affiliate.CodeParams) {
		in.ExpiresAt = affiliate.Set(affiliate.At(scene.Start.Add(-time.Hour)))
	})
	scene.Must(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "USED2", Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum("10")}))
	type q = affiliate.CodeQuery
	text := affiliate.Set[string]
	for name, tt := range map[string]struct {
		q    q
		want []string
	}{
		"all":             {q{}, []string{"OLD", "FREE", "USED2", "USED1", "LATE", "OFF", "ADA20"}},
		"of a coupon":     {q{CouponID: affiliate.Set(once)}, []string{"USED2", "USED1"}},
		"of Ada":          {q{AffiliateID: affiliate.Set(s.ada.ID)}, []string{"ADA20"}},
		"not active":      {q{Active: affiliate.Set(false)}, []string{"OFF"}},
		"active of plain": {q{Active: affiliate.Set(true), CouponID: affiliate.Set(plain)}, []string{"OLD", "FREE"}},
		"active null":     {q{Active: affiliate.Null[bool]()}, nil},
		"usable":          {q{State: affiliate.CodeUsable}, []string{"ADA20"}},
		"exhausted":       {q{State: affiliate.CodeUsedUp}, []string{"USED2", "USED1"}},
		"expired":         {q{State: affiliate.CodeOver}, []string{"OLD", "LATE"}},
		"a code":          {q{Search: text("used1")}, []string{"USED1"}},
		"a part":          {q{Search: text("used")}, []string{"USED2", "USED1"}},
		"a part, usable":  {q{Search: text("a"), State: affiliate.CodeUsable}, []string{"ADA20"}},
		"a code, expired": {q{Search: text("USED1"), State: affiliate.CodeOver}, nil},
	} {
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Code], error) { return s.Codes(ctx, tt.q, pg) },
			func(k affiliate.Code) string { return k.Code }, tt.want...)
	}
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "state", "state must be one of usable, exhausted, expired, upcoming"),
		func() error { return scene.ErrOf(s.Codes(ctx, q{State: "x"}, affiliate.Page{})) })
	if got := scene.Must(s.Codes(ctx, q{Search: text("ADA20")}, affiliate.Page{})).Items[0]; got.Usability.IsZero() {
		t.Errorf("a code is shown without its usability: %+v", got)
	} else if got.Usability = (affiliate.Opt[affiliate.Usability]{}); cmp.Diff(scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "ADA20"})), got) != "" {
		t.Errorf("a code is shown as %+v", got)
	}
}

// Check 21: 50,000 affiliates, and a name that only the oldest has. It is found by
// following the pages, once, and each page looks at no more than 5,000 records,
// 512 in a View.
func TestSearchIsBounded(t *testing.T) {
	const affiliates = 50_000
	w := scene.New(t)
	w.Raw(func(tx *record.Tx) error {
		for i := range affiliates {
			a := record.Affiliate{ID: scene.ScaleID(1, i), FirstName: "Mara", LastName: "Lindqvist", Email: fmt.Sprintf("m%d@example.org", i), Status: affiliate.AffiliateActive, CreatedAt: affiliate.InstantOf(scene.Start)}
			if i == 0 {
				a.LastName = "Oldest"
			}
			if err := tx.Affiliates.Insert(a); err != nil {
				return err
			}
		}
		return nil
	})
	var found []string
	pg, pages := affiliate.Page{Limit: affiliate.PageSize}, 0
	for {
		var l affiliate.List[affiliate.Affiliate]
		looked, most := look(w.Probe, func() {
			l = scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{Search: affiliate.Set("OLDEST")}, pg))
		})
		if most > 512+11 || looked > 5000+50 { // and the settings and the look-ups of the whole text in each View, and what is shown of the one that was found
			t.Fatalf("page %d looks at %d records, %d in one View", pages, looked, most)
		}
		for _, a := range l.Items {
			found = append(found, a.LastName)
		}
		if pages++; l.Next == "" {
			break
		}
		pg.Cursor = l.Next
	}
	_, most := look(w.Probe, func() {
		all := scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{Search: affiliate.Set("OLDEST")}, affiliate.Page{}))
		found = append(found, all.Items[0].LastName)
	})
	if len(found) != 2 || pages != affiliates/5000+1 || most > 512+11 {
		t.Errorf("found %v in %d pages", found, pages)
	}
}

// A search by state reads a coupon for a code, and counts it.
func TestSearchCodesIsBounded(t *testing.T) {
	const codes = 6000
	w := scene.New(t)
	w.Raw(func(tx *record.Tx) error {
		for i := range codes {
			if err := tx.Coupons.Insert(record.Coupon{ID: scene.ScaleID(1, i), Name: "c", Valid: true}); err != nil {
				return err
			}
			if err := tx.Codes.Insert(record.Code{ID: scene.ScaleID(2, i), CouponID: scene.ScaleID(1, i), Code: fmt.Sprint("K", i), Active: true}); err != nil {
				return err
			}
		}
		return nil
	})
	pages := 0
	for pg := (affiliate.Page{Bounded: true}); pages == 0 || pg.Cursor != ""; pages++ {
		looked, most := look(w.Probe, func() {
			pg.Cursor = scene.Must(w.Codes(t.Context(), affiliate.CodeQuery{State: affiliate.CodeUsedUp}, pg)).Next
		})
		if most > 512+1 || looked > 5000+10 { // and the settings
			t.Fatalf("page %d looks at %d records, %d in one View", pages, looked, most)
		}
	}
	if want := 3; pages != want {
		t.Errorf("%d pages, want %d", pages, want)
	}
}

// What the store cannot read is no answer.
func TestSearchFails(t *testing.T) {
	s := scene.NewShop(t)
	for _, call := range []func() error{
		func() error {
			return scene.ErrOf(s.Affiliates(t.Context(), affiliate.AffiliateQuery{Search: affiliate.Set("b")}, affiliate.Page{}))
		},
		func() error {
			return scene.ErrOf(s.Referrals(t.Context(), affiliate.ReferralQuery{Search: affiliate.Set("cust-bea")}, affiliate.Page{}))
		},
		func() error {
			return scene.ErrOf(s.Codes(t.Context(), affiliate.CodeQuery{Search: affiliate.Set("a"), State: affiliate.CodeUsable}, affiliate.Page{}))
		},
	} {
		everyFailure(s.World, call)
	}
}
