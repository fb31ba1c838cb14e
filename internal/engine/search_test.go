package engine_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
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
	scene.Equal(t, want, whole, what)
	scene.Equal(t, want, paged, what)
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

// Check 22: both ends of a search are inclusive, to the millisecond; a plain day
// is that of the program's zone; all filters together give the intersection.
func TestSearchSalesByTime(t *testing.T) {
	ctx := t.Context()
	berlin := scene.Must(time.LoadLocation("Europe/Berlin"))
	s := scene.NewShop(t, func(cfg *tributary.Config) { cfg.Location = berlin })
	at := func(moment time.Time, name string) affiliate.Sale {
		s.Now = moment
		return s.Sell(affiliate.SaleParams{PromoCode: s.ADA20.Code, Email: s.Tomas.Email, ExternalID: name})
	}
	day := time.Date(2026, 3, 12, 0, 0, 0, 0, berlin)
	at(day.Add(-time.Millisecond), "before")
	at(day, "first")
	at(day.Add(12*time.Hour), "noon")
	last := at(day.Add(24*time.Hour-time.Microsecond), "last")
	at(day.Add(24*time.Hour), "after")
	noon, plain := day.Add(12*time.Hour), affiliate.Set(affiliate.Day(2026, 3, 12))
	exactly := func(d time.Duration) affiliate.Opt[affiliate.Date] { return affiliate.Set(affiliate.At(noon.Add(d))) }
	type q = affiliate.SaleQuery
	for name, tt := range map[string]struct {
		q    q
		want []string
	}{
		"since the instant":    {q{Since: exactly(0)}, []string{"after", "last", "noon"}},
		"since a moment later": {q{Since: exactly(time.Millisecond)}, []string{"after", "last"}},
		"until the instant":    {q{Until: exactly(0)}, []string{"noon", "first", "before"}},
		"until a moment ago":   {q{Until: exactly(-time.Millisecond)}, []string{"first", "before"}},
		"since the day":        {q{Since: plain}, []string{"after", "last", "noon", "first"}},
		"until the day":        {q{Until: plain}, []string{"last", "noon", "first", "before"}},
		"on the day":           {q{Since: plain, Until: plain}, []string{"last", "noon", "first"}},
		"all filters": {q{
			AffiliateID: affiliate.Set(s.Ada.Person.ID), ReferralID: scene.TextOf(s.Tomas.Email), CodeID: affiliate.Set(s.ADA20.ID), Status: affiliate.SaleActive,
			ApprovalStatus: affiliate.ApprovalOnHold, Since: plain, Until: plain,
		}, []string{"last"}},
		"all filters but another affiliate": {q{
			AffiliateID: affiliate.Set(s.Bob.ID), ReferralID: scene.TextOf(s.Tomas.Email), CodeID: affiliate.Set(s.ADA20.ID), ApprovalStatus: affiliate.ApprovalOnHold, Since: plain, Until: plain,
		}, nil},
	} {
		if tt.q.ApprovalStatus != "" {
			scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, last.ID))
		}
		number := func(sale affiliate.Sale) string { return sale.ExternalID.Or("") }
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, tt.q, pg) }, number, tt.want...)
		tt.q.OldestFirst = true
		slices.Reverse(tt.want)
		finds(t, name+", oldest first", func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, tt.q, pg) }, number, tt.want...)
	}
}

// TestOldestFirst: each search that can be read from its other end has the same records
// there, the other way round, and a cursor of one way is none of the other.
func TestOldestFirst(t *testing.T) {
	ctx, s := t.Context(), newSearchable(t)
	sells := scene.NewShop(t)
	for range 3 {
		sells.ToTomas("10")
	}
	check := func(what string, ids func(oldest bool, pg affiliate.Page) ([]string, string, error)) {
		all := func(oldest bool, limit int) (all []string) {
			for pg := (affiliate.Page{Limit: limit}); ; {
				page, next, err := ids(oldest, pg)
				if err != nil {
					t.Fatal(err)
				}
				if all = append(all, page...); next == "" {
					return all
				}
				pg.Cursor = next
			}
		}
		want := all(false, 1000)
		slices.Reverse(want)
		if len(want) < 2 {
			t.Fatalf("%s: only %v", what, want)
		}
		for _, limit := range []int{1, 2, 1000} {
			scene.Equal(t, want, all(true, limit), what, limit)
		}
		_, next, _ := ids(false, affiliate.Page{Limit: 1})
		if _, _, err := ids(true, affiliate.Page{Limit: 1, Cursor: next}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%s: a cursor of the other way: %v", what, err)
		}
	}
	scene.Must(sells.CreateCode(ctx, affiliate.CodeParams{CouponID: sells.ADA20.CouponID, Code: "SECOND", AffiliateID: sells.Ada.Person.ID}))
	check("affiliates", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(a affiliate.Affiliate) string { return a.Email })(s.Affiliates(ctx, affiliate.AffiliateQuery{OldestFirst: oldest}, pg))
	})
	check("customers", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(r affiliate.Referral) string { return r.Email })(sells.Referrals(ctx, affiliate.ReferralQuery{OldestFirst: oldest}, pg))
	})
	check("codes", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(c affiliate.Code) string { return c.Code })(sells.Codes(ctx, affiliate.CodeQuery{OldestFirst: oldest}, pg))
	})
	check("sales", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(s affiliate.Sale) string { return fmt.Sprint(s.ID) })(sells.Sales(ctx, affiliate.SaleQuery{OldestFirst: oldest}, pg))
	})
}

// TestSalesByCurrency: a search finds the sales that were charged in a currency, the
// program's own too.
func TestSalesByCurrency(t *testing.T) {
	s := scene.NewShop(t, scene.Worth("EUR", "1.0842"))
	own := s.ToTomas("10")
	euros := scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), Currency: "EUR"})).Sale.Or(affiliate.Sale{})
	for currency, want := range map[affiliate.Currency][]affiliate.SaleID{"": {euros.ID, own.ID}, "USD": {own.ID}, "EUR": {euros.ID}, "eur": {euros.ID}, "GBP": nil} {
		var got []affiliate.SaleID
		for _, sale := range scene.Must(s.Sales(t.Context(), affiliate.SaleQuery{Currency: currency}, affiliate.Page{})).Items {
			got = append(got, sale.ID)
		}
		scene.Equal(t, want, got, currency)
	}
}

// named returns what each item of a page is called, and its cursor.
func named[T any](name func(T) string) func(affiliate.List[T], error) ([]string, string, error) {
	return func(l affiliate.List[T], err error) (names []string, next string, _ error) {
		for _, item := range l.Items {
			names = append(names, name(item))
		}
		return names, l.Next, err
	}
}

// TestSearchOfPeriodBeginsThere: a search does not read what is outside of its period, from
// whichever end it begins; where ids of the host carry no time, its pages lead there.
func TestSearchOfPeriodBeginsThere(t *testing.T) {
	for name, change := range map[string]func(*tributary.Config){
		"ids with a time": func(*tributary.Config) {},
		"ids of the host": func(cfg *tributary.Config) {
			n := uint64(0)
			cfg.NewID = func() (id uuid.UUID) {
				n++
				binary.BigEndian.PutUint64(id[:], n)
				return id
			}
		},
	} {
		ctx, s := t.Context(), scene.NewShop(t, change)
		first := s.ToTomas("10")
		s.Pass(40 * 24 * time.Hour)
		for range 5_100 {
			s.ToTomas("10")
		}
		s.Pass(40 * 24 * time.Hour)
		last := s.ToTomas("10")
		for want, q := range map[affiliate.SaleID]affiliate.SaleQuery{
			first.ID: {Until: affiliate.Set(affiliate.At(first.CreatedAt.Time().Add(time.Hour)))},
			last.ID:  {Since: affiliate.Set(affiliate.At(last.CreatedAt.Time().Add(-time.Hour))), OldestFirst: true},
		} {
			search := func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, q, pg) }
			if got := scene.All(affiliate.Each(10, search)); len(got) != 1 || got[0].ID != want {
				t.Errorf("%s: %d sales", name, len(got))
			}
			if page := scene.Must(search(affiliate.Page{Limit: 1})); name == "ids with a time" && len(page.Items) != 1 {
				t.Errorf("%s: the first page has nothing", name)
			}
		}
	}
}

// TestSearchAfterWrongClock: a clock that was ahead once, by however much, hides nothing from
// a search of a period afterwards: from neither end, with ids of the program and of the host.
func TestSearchAfterWrongClock(t *testing.T) {
	for name, change := range map[string]func(*tributary.Config){
		"ids with a time": func(*tributary.Config) {},
		"ids of the host": func(cfg *tributary.Config) {
			n := uint64(0)
			cfg.NewID = func() (id uuid.UUID) {
				n++
				binary.BigEndian.PutUint64(id[:], n)
				return id
			}
		},
	} {
		for _, ahead := range []time.Duration{time.Hour, 30 * time.Hour, 400 * 24 * time.Hour} {
			ctx, s := t.Context(), scene.NewShop(t, change)
			s.Hook(affiliate.SaleCreated)
			start := s.Now
			sell := func(at time.Duration, name string) {
				s.Now = start.Add(at)
				s.Sell(affiliate.SaleParams{ReferralID: "ada", Name: name, Email: name + "@b.co", TotalEarned: scene.Sum("10"), ExternalID: name})
			}
			day := 24 * time.Hour
			sell(day, "before")
			sell(2*day+ahead, "ahead")
			sell(2*day, "after")
			sell(5*day, "later")
			s.Now = start.Add(6 * day)
			at := func(d time.Duration) affiliate.Opt[affiliate.Date] { return affiliate.Set(affiliate.At(start.Add(d))) }
			for what, tt := range map[string]struct {
				since, until affiliate.Opt[affiliate.Date]
				want         []string
			}{
				"until": {until: at(2 * day), want: []string{"after", "before"}},
				"since": {since: at(2 * day), want: []string{"after", "ahead", "later"}},
				"day":   {since: at(2 * day), until: at(2 * day), want: []string{"after"}},
			} {
				slices.Sort(tt.want)
				for _, oldest := range []bool{false, true} {
					sales := scene.All(affiliate.Each(10, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
						return s.Sales(ctx, affiliate.SaleQuery{Since: tt.since, Until: tt.until, OldestFirst: oldest}, pg)
					}))
					people := scene.All(affiliate.Each(10, func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
						return s.Referrals(ctx, affiliate.ReferralQuery{Since: tt.since, Until: tt.until, OldestFirst: oldest, Search: affiliate.Set("@b.co")}, pg)
					}))
					sold, came := []string{}, []string{}
					for _, sale := range sales {
						sold = append(sold, sale.ExternalID.Or(""))
					}
					for _, ref := range people {
						came = append(came, ref.Name.Or(""))
					}
					slices.Sort(sold)
					slices.Sort(came)
					if !slices.Equal(sold, tt.want) || !slices.Equal(came, tt.want) {
						t.Errorf("%s, %v ahead, %s, oldest first %v: sales %v, customers %v, want %v", name, ahead, what, oldest, sold, came, tt.want)
					}
				}
				sent := scene.Must(s.Webhooks().Deliveries(ctx, affiliate.DeliveryQuery{Since: tt.since, Until: tt.until}, affiliate.Page{})).Items
				scene.Equal(t, len(tt.want), len(sent), name, ahead, what)
			}
		}
	}
}

// Check 20, the second half: a coupon of 100,000 codes is one record among the
// summaries.
func TestCouponSummaries(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	coupon := func(name string, valid bool) affiliate.Coupon {
		return scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: name, PercentOff: affiliate.Set(affiliate.MustPercent("10")), Valid: affiliate.Set(valid)}))
	}
	large := coupon("Large", true)
	coupon("Off", false)
	w.Raw(func(tx *record.Tx) error {
		for i := range 100_000 {
			if err := tx.Codes.Insert(record.Code{ID: scene.ScaleID(2, i), CouponID: large.ID, Code: fmt.Sprint("K", i), Active: true}); err != nil {
				return err
			}
		}
		return nil
	})
	for name, tt := range map[string]struct {
		q    affiliate.CouponQuery
		want []string
	}{
		"all":        {affiliate.CouponQuery{}, []string{"Off", "Large"}},
		"valid":      {affiliate.CouponQuery{Valid: affiliate.Set(true)}, []string{"Large"}},
		"not valid":  {affiliate.CouponQuery{Valid: affiliate.Set(false)}, []string{"Off"}},
		"by id":      {affiliate.CouponQuery{ID: affiliate.Set(large.ID)}, []string{"Large"}},
		"by id, not": {affiliate.CouponQuery{ID: affiliate.Set(large.ID), Valid: affiliate.Set(false)}, nil},
		"no id":      {affiliate.CouponQuery{ID: affiliate.Set(uuid.Nil)}, nil},
		"null":       {affiliate.CouponQuery{Valid: affiliate.Null[bool]()}, nil},
	} {
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
			return w.Coupons(ctx, tt.q, pg)
		},
			func(c affiliate.Coupon) string { return c.Name }, tt.want...)
	}
	for i := range 98 {
		coupon(fmt.Sprint("c", i), true)
	}
	var page affiliate.List[affiliate.Coupon]
	looked, _ := look(w.Probe, func() { page = scene.Must(w.Coupons(ctx, affiliate.CouponQuery{}, affiliate.Page{})) })
	if raw := scene.JSON(page.Items); looked != 100 || len(page.Items) != 100 || len(raw) > 64<<10 {
		t.Errorf("%d coupons in %d bytes look at %d records", len(page.Items), len(raw), looked)
	}
	if last := page.Items[99]; last.ID != large.ID || last.PromotionalCodes != nil {
		t.Errorf("the large coupon is %v", last)
	}
}

// Filters of a search are combined, and its pages join to the whole.
func TestSearchSales(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	byCode := s.Sell(affiliate.SaleParams{PromoCode: s.ADA20.Code, Email: s.Tomas.Email, TotalEarned: scene.Sum("100")})
	s.Pass(24 * time.Hour)
	held, refunded := s.ToTomas("50"), s.ToTomas("20")
	bobs := s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID, bobs.ID))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID}))
	type q = affiliate.SaleQuery
	type list = []affiliate.SaleID
	ada, day := affiliate.Set(s.Ada.Person.ID), affiliate.Set(affiliate.At(s.Now))
	for name, tt := range map[string]struct {
		q    q
		want list
	}{
		"all":              {q{}, list{bobs.ID, refunded.ID, held.ID, byCode.ID}},
		"of Ada":           {q{AffiliateID: ada}, list{refunded.ID, held.ID, byCode.ID}},
		"held":             {q{ApprovalStatus: affiliate.ApprovalOnHold}, list{bobs.ID, held.ID}},
		"Ada's held":       {q{AffiliateID: ada, ApprovalStatus: affiliate.ApprovalOnHold}, list{held.ID}},
		"declined":         {q{ApprovalStatus: affiliate.ApprovalDeclined}, nil},
		"refunded":         {q{Status: affiliate.SaleRefunded}, list{refunded.ID}},
		"of a customer":    {q{ReferralID: scene.TextOf(s.Bea.Email)}, list{bobs.ID}},
		"of two":           {q{ReferralID: scene.TextOf(s.Bea.Email), AffiliateID: ada}, nil},
		"of nobody":        {q{ReferralID: scene.TextOf("nobody@example.com")}, nil},
		"of an empty name": {q{ReferralID: scene.TextOf("")}, nil},
		"by code":          {q{CodeID: affiliate.Set(s.ADA20.ID)}, list{byCode.ID}},
		"by link":          {q{LinkID: s.Tomas.AffiliateLinkID}, list{refunded.ID, held.ID}},
		"Bob's by link":    {q{LinkID: s.Tomas.AffiliateLinkID, AffiliateID: affiliate.Set(s.Bob.ID)}, nil},
		"Tomas's by link":  {q{LinkID: s.Tomas.AffiliateLinkID, ReferralID: scene.TextOf(s.Tomas.Email)}, list{refunded.ID, held.ID}},
		"Bea's by link":    {q{LinkID: s.Tomas.AffiliateLinkID, ReferralID: scene.TextOf(s.Bea.Email)}, nil},
		"by no link":       {q{LinkID: affiliate.Null[uuid.UUID]()}, nil},
		"since":            {q{Since: day}, list{bobs.ID, refunded.ID, held.ID}},
		"until":            {q{Until: affiliate.Set(affiliate.At(s.Now.Add(-time.Hour)))}, list{byCode.ID}},
		"never":            {q{Since: day, Until: affiliate.Set(affiliate.At(s.Now.Add(-time.Hour)))}, nil},
	} {
		ids := func(sales []affiliate.Sale) (ids list) {
			for _, sale := range sales {
				ids = append(ids, sale.ID)
			}
			return ids
		}
		scene.Equal(t, tt.want, ids(scene.Must(s.Sales(ctx, tt.q, affiliate.Page{})).Items), name)
		var paged list
		for sale, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, tt.q, pg) }) {
			if err != nil {
				t.Fatal(err)
			}
			paged = append(paged, sale.ID)
		}
		scene.Equal(t, tt.want, paged, name)
	}
	for _, bad := range []q{{Status: "x"}, {ApprovalStatus: "x"}, {Currency: "EU"}, {Since: affiliate.Set(affiliate.Day(10_000, 1, 1))}} {
		if _, err := s.Sales(ctx, bad, affiliate.Page{}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	first := scene.Must(s.Sales(ctx, q{}, affiliate.Page{Limit: 1})).Next
	for _, pg := range []affiliate.Page{{Limit: 1001}, {Limit: -1}, {Cursor: "x"}, {Cursor: first + "A"}} {
		if _, err := s.Sales(ctx, q{}, pg); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", pg, err)
		}
	}
	scene.WantReason(t, "refused", affiliate.InvalidQuery, scene.ErrOf(s.Sales(ctx, q{AffiliateID: ada}, affiliate.Page{Cursor: first})))
}

// A page of a search reads no more than 5,000 sales, however rare what it looks
// for is.
func TestSearchSalesIsBounded(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	wanted := s.ToTomas("1")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: wanted.ID}))
	for i := range 5_100 {
		scene.Must(s.RecordSale(ctx, affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum("1"), ExternalID: fmt.Sprint("n", i)}))
	}
	refunded := affiliate.SaleQuery{Status: affiliate.SaleRefunded}
	page := scene.Must(s.Sales(ctx, refunded, affiliate.Page{Limit: 10}))
	if len(page.Items) != 0 || page.Next == "" {
		t.Fatalf("%d sales, next %q", len(page.Items), page.Next)
	}
	page = scene.Must(s.Sales(ctx, refunded, affiliate.Page{Limit: 10, Cursor: page.Next}))
	if len(page.Items) != 1 || page.Items[0].ID != wanted.ID || page.Next != "" {
		t.Errorf("%d sales, next %q", len(page.Items), page.Next)
	}
}

// TestSearchSalesText: a text finds a sale by its number, and by order ids, invoices,
// emails and names in any letter case, whole or in part; the filters hold too.
func TestSearchSalesText(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	sell := func(order, invoice, email, name string) affiliate.SaleID {
		result := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", TotalEarned: scene.Sum("50"), ExternalID: order, ExternalInvoiceID: invoice, Email: email, Name: name}))
		return result.Sale.Or(affiliate.Sale{}).ID
	}
	one := sell("order-1042", "INV-7", "kim@example.com", "Kim Reed")
	two := sell("Order-1043", "", "kim@example.com", "Kim Reed")
	three := sell("x-9", "inv-70", "lee@bücher.example", "Lee O'Brien Ödegård")
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: three}))
	find := func(q affiliate.SaleQuery, pg affiliate.Page) (ids []affiliate.SaleID) {
		t.Helper()
		for _, s := range scene.Must(w.Sales(ctx, q, pg)).Items {
			ids = append(ids, s.ID)
		}
		return ids
	}
	for text, want := range map[string][]affiliate.SaleID{
		fmt.Sprint(one): {one}, "order-1042": {one}, "ORDER-1042": {one}, "Order-1042": {one}, "oRDER-1043": {two}, "RDER-10": {two, one}, "inv-7": {one}, "INV-70": {three},
		"kim@example.com": {two, one}, "KIM@example.COM": {two, one}, "example.c": {two, one}, "reed": {two, one}, "o'b": {three}, "KIM R": {two, one}, "nobody": nil, "100": nil,
		"lee@bücher.example": {three}, " Lee@BÜCHER.example\u200b": {three}, "lee@xn--bcher-kva.example": {three}, "ödeg": {three}, "ÖDEGÅRD": {three},
	} {
		scene.Equal(t, want, find(affiliate.SaleQuery{Search: affiliate.Set(text)}, affiliate.Page{}))
	}
	scene.Equal(t, []affiliate.SaleID(nil), find(affiliate.SaleQuery{Search: affiliate.Set("x-9"), Status: affiliate.SaleActive}, affiliate.Page{}))
	scene.Equal(t, []affiliate.SaleID(nil), find(affiliate.SaleQuery{Search: affiliate.Set("")}, affiliate.Page{}))
	for _, text := range []string{"order", "kim@example.com"} {
		q := affiliate.SaleQuery{Search: affiliate.Set(text)}
		first := scene.Must(w.Sales(ctx, q, affiliate.Page{Limit: 1}))
		scene.Equal(t, []affiliate.SaleID{one}, find(q, affiliate.Page{Limit: 1, Cursor: first.Next}))
	}
	w.Verifies()
}
