package partner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestPartner (console check 29): what an affiliate among 200 sees is about
// them alone, its customers are masked, and each object has exactly its fields.
func TestPartner(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Secret name", PercentOff: affiliate.Set(affiliate.MustPercent("10")), RedeemBy: affiliate.Set(affiliate.Day(2027, 1, 31)), MaxRedemptions: affiliate.Set[int64](8675309)}))
	var all []affiliate.Affiliate
	for i := range 200 {
		slug := "p" + strings.Repeat("x", i%3) + uuid.NewString()[:8]
		a := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "First" + slug, LastName: "Last" + slug, Email: slug + "@partner.example", AffiliateLink: slug}))
		all = append(all, a)
		scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "C" + slug, AffiliateID: a.ID, ExpiresAt: affiliate.Set(affiliate.Day(2026, 12, 31))}))
		scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: a.ID.String(), Email: "cust" + slug + "@buyer.example", Name: "Name" + slug, ReferredUserExternalID: "ext" + slug, Plan: "plan" + slug}))
		scene.Must(w.RecordSale(ctx, affiliate.SaleParams{
			PromoCode: "C" + slug, Email: "other" + slug + "@buyer.example", Name: "Buyer" + slug, TotalEarned: affiliate.MustAmount("50"), ExternalID: "order" + slug, ExternalInvoiceID: "inv" + slug,
			Product: affiliate.Set(affiliate.Product{ProductID: "product" + slug}),
		}))
	}
	me := all[57]
	slug := strings.TrimSuffix(me.Email, "@partner.example")
	partner := w.Partner(me.ID)
	profile := scene.Must(partner.Profile(ctx))
	links := scene.Must(partner.Links(ctx, affiliate.Page{}))
	codes := scene.Must(partner.Codes(ctx, affiliate.Page{}))
	referrals := scene.Must(partner.Referrals(ctx, affiliate.Page{}))
	sales := scene.Must(partner.Sales(ctx, affiliate.Page{}))
	balance := scene.Must(partner.Balance(ctx))
	from := w.Now.Truncate(24 * time.Hour)
	statement := scene.Must(partner.Statement(ctx, from, from.AddDate(0, 0, 2)))
	report := scene.Must(partner.Report(ctx, from, from.AddDate(0, 0, 2), affiliate.IntervalDay))
	rows := scene.Must(partner.Breakdown(ctx, from, from.AddDate(0, 0, 2), affiliate.DimensionCode, affiliate.Page{}))
	if len(rows.Items) != 1 || rows.Items[0].Name.Or("") != "C"+slug || rows.Items[0].Revenue != report[0].Revenue {
		t.Errorf("the breakdown: %+v", rows)
	}
	for _, of := range []affiliate.Dimension{affiliate.DimensionAffiliate, affiliate.DimensionCoupon, affiliate.DimensionProduct, affiliate.DimensionPlan} {
		if _, err := partner.Breakdown(ctx, from, from.AddDate(0, 0, 2), of, affiliate.Page{}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("by %s: %v", of, err)
		}
	}
	if len(links.Items) != 1 || len(codes.Items) != 1 || len(referrals.Items) != 2 || len(sales.Items) != 1 || balance.AffiliateID != me.ID || statement.AffiliateID != me.ID || report[0].Sales != 1 {
		t.Fatalf("%d links, %d codes, %d customers, %d sales, the balance of %s, a report of %d", len(links.Items), len(codes.Items), len(referrals.Items), len(sales.Items), balance.AffiliateID, report[0].Sales)
	}
	shown := scene.JSON([]any{profile, links, codes, referrals, sales, balance, statement, report, rows})
	for _, a := range all {
		other := strings.TrimSuffix(a.Email, "@partner.example")
		if a.ID != me.ID && (strings.Contains(shown, other) || strings.Contains(shown, a.ID.String())) {
			t.Errorf("it shows something of %s", other)
		}
	}
	for _, secret := range []string{"cust" + slug, "other" + slug, "Name" + slug, "Buyer" + slug, "ext" + slug, "plan" + slug, "order" + slug, "inv" + slug, "product" + slug, "Secret name", "8675309", "buyer.example"} {
		if strings.Contains(shown, secret) {
			t.Errorf("it shows %s: %s", secret, shown)
		}
	}
	if s := sales.Items[0]; s.Customer != "o***@b***.example" || s.PromoCode.Or("") != "C"+slug || s.ApprovalStatus.Or("") != affiliate.ApprovalAccepted || s.PayoutCreated {
		t.Errorf("got %+v", s)
	}
	if c := codes.Items[0]; !c.Usable || c.ExpiresAt.Or(affiliate.Time{}).Time().Year() != 2026 || c.TimesRedeemed != 1 || !c.MaxRedemptions.IsNull() {
		t.Errorf("got %+v", c)
	}
	for name, object := range map[string]any{
		"id name email status commissionRate payoutEmail paymentMethod detailsComplete numberOfClicks numberOfReferredUsers totalRevenue totalCommissionEarned createdAt program": profile,
		"name currency": profile.Program,
		"id link fullURLs clicks referrals sales totalRevenue createdAt":                                                                                            links.Items[0],
		"id code usable reasons expiresAt couponType percentOff amountOff currency minimumAmount minimumAmountCurrency firstTimeOrder timesRedeemed maxRedemptions": codes.Items[0],
		"id customer subscriptionStatus totalRevenue totalCommission createdAt":                                                                                     referrals.Items[0],
		"id customer totalEarned refundedAmount commissionEarned approvalStatus holdReason payoutCreated status promoCode link createdAt":                           sales.Items[0],
	} {
		var fields map[string]json.RawMessage
		scene.Must(0, json.Unmarshal([]byte(scene.JSON(object)), &fields))
		scene.Equal(t, slices.Sorted(slices.Values(strings.Fields(name))), slices.Sorted(maps.Keys(fields)))
	}
	if err := scene.ErrOf(w.Partner(uuid.New()).Profile(ctx)); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}

// The partner says how to be paid while active; the refusal of any other changes
// nothing.
func TestPartnerPayoutDetails(t *testing.T) {
	w := scene.New(t)
	a := w.Join("ada")
	events := w.FiredTypes(func() {
		for range 2 {
			got := scene.Must(w.Partner(a.ID).SetPayoutDetails(t.Context(), affiliate.PayoutDetails{Email: "Me@Pay.example", Method: "PAYPAL"}))
			if got.PayoutEmail.Or("") != "me@pay.example" || !got.DetailsComplete {
				t.Errorf("got %+v", got)
			}
		}
	})
	scene.Equal(t, []string{"affiliate.updated " + a.ID.String()}, events)
	for _, status := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"} {
		b := scene.AffiliateIn(w, strings.ToLower(string(status)), status)
		w.Refused(scene.StateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
			return scene.ErrOf(w.Partner(b.ID).SetPayoutDetails(t.Context(), affiliate.PayoutDetails{Method: "PAYPAL"}))
		})
	}
}

func TestMaskEmail(t *testing.T) {
	id := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9f31")
	for email, want := range map[string]string{
		"tomas@example.net": "t***@e***.net", "ab@x.io": "***@***.io", "": "customer-9f31", "no-email": "customer-9f31", "a@b": "customer-9f31",
		"élise@mail.example.co.uk": "é***@m***.uk", "abc@de.fr": "a***@***.fr",
	} {
		if got := affiliate.MaskEmail(email, id); got != want {
			t.Errorf("%q: got %q, want %q", email, got, want)
		}
	}
}

// TestPartnerDue: what matures is told by the day of the program's zone, and its sum is what
// the balance says.
func TestPartnerDue(t *testing.T) {
	ctx := t.Context()
	w := scene.New(t, scene.Zoned("Europe/Berlin"), func(c *tributary.Config) { c.Terms.HoldDays = 30 })
	ada := w.Join("ada")
	for i, total := range []string{"100", "50", "30", "70"} {
		sale := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "c@x.example", Name: "C", TotalEarned: scene.Sum(total)})).Sale.Or(affiliate.Sale{})
		if total == "70" {
			scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sale.ID))
		}
		w.Pass(time.Duration(1+i) * 7 * time.Hour)
	}
	due := scene.Must(w.Partner(ada.ID).Due(ctx))
	scene.Equal(t, scene.Must(w.Partner(ada.ID).Balance(ctx)), due.Balance)
	sum, before := affiliate.Amount{}, time.Time{}
	for _, d := range due.Days {
		at := d.Day.Time().In(w.Config().Location)
		if at.Hour() != 0 || !at.After(before) {
			t.Errorf("the day %v", at)
		}
		before, sum = at, scene.Must(sum.Add(d.Amount))
	}
	if sum != due.Balance.Maturing || sum != scene.Sum("36") || len(due.Days) != 2 || due.Balance.Held != scene.Sum("14") {
		t.Errorf("got %+v", due)
	}
	w.Pass(660 * time.Hour)
	if due = scene.Must(w.Partner(ada.ID).Due(ctx)); len(due.Days) != 1 || due.Days[0].Amount != due.Balance.Maturing || due.Balance.Payable != scene.Sum("30") {
		t.Errorf("later: %+v", due)
	}
	w.Pass(9 * 24 * time.Hour)
	if due = scene.Must(w.Partner(ada.ID).Due(ctx)); len(due.Days) != 0 || due.Days == nil {
		t.Errorf("at the end: %+v", due)
	}
	if _, err := w.Partner(uuid.Max).Due(ctx); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}

// TestPartnerExplainSale: an affiliate learns why a sale earned what it did, from the
// explanation that the program has, without names, ids and what happened before it was theirs.
func TestPartnerExplainSale(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	ada, bob := w.Join("ada"), w.Join("bob")
	scene.Must(w.SetTerms(ctx, affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{{Name: "secret rule", When: affiliate.RuleWhen{Products: []string{"secret product"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("7")}}})}))
	sale := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "bob", Email: "secret@buyer.example", Name: "Secret", ExternalID: "secret order", Tax: scene.Sum("10"), TotalEarned: scene.Sum("110"), Lines: []affiliate.Line{
		{ID: "secret line", ProductID: "secret product", Amount: scene.Sum("60")}, {ProductID: "secret other", Amount: scene.Sum("40")},
	}})).Sale.Or(affiliate.Sale{})
	if _, err := w.Partner(ada.ID).ExplainSale(ctx, sale.ID); err != affiliate.ErrNotFound {
		t.Errorf("of somebody else: %v", err)
	}
	w.Pass(time.Hour)
	scene.Must(w.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(ada.ID)}))
	w.Pass(time.Hour)
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("11"))}))
	whole := scene.Must(w.ExplainSale(ctx, sale.ID))
	got := scene.Must(w.Partner(ada.ID).ExplainSale(ctx, sale.ID))
	if got.Base != whole.Base || got.Arithmetic != whole.Arithmetic || got.By != whole.Credit.By || got.Sale.CommissionEarned != whole.Arithmetic.Rounded || len(got.Lines) != 2 || got.Lines[0].Exact != whole.Lines[0].Exact || len(got.Entries) != len(whole.Commissions) {
		t.Errorf("got %+v, the program has %+v", got, whole)
	}
	shown := scene.JSON(got)
	for _, secret := range []string{"ecret", "buyer", bob.ID.String(), ada.ID.String()} {
		if strings.Contains(shown, secret) {
			t.Errorf("it shows %s: %s", secret, shown)
		}
	}
	earned := affiliate.Amount{}
	for _, c := range got.Changes {
		if c.From == affiliate.AccountAccrual {
			earned = scene.Must(earned.Add(c.Amount))
		}
		if c.To == affiliate.AccountAccrual {
			earned = scene.Must(earned.Sub(c.Amount))
		}
	}
	if len(got.Changes) != 2 || len(whole.Movements) <= 2 || earned != got.Sale.CommissionEarned || got.Changes[0].At.Time().After(got.Changes[1].At.Time()) {
		t.Errorf("changes %+v of %+v", got.Changes, whole.Movements)
	}
	for _, id := range []affiliate.SaleID{0, -1, sale.ID + 1} {
		if _, err := w.Partner(ada.ID).ExplainSale(ctx, id); err != affiliate.ErrNotFound {
			t.Errorf("%d: %v", id, err)
		}
	}
}

// TestPartnerLinks: an affiliate makes and renames own links as the API would, up to a
// number, while active, and none of anybody else.
func TestPartnerLinks(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	ada, bob := w.Join("ada"), w.Join("bob")
	mine := w.Partner(ada.ID)
	updated := []string{"affiliate.updated " + ada.ID.String()}
	one := scene.Must(mine.Links(ctx, affiliate.Page{})).Items[0]
	var made uuid.UUID
	scene.Equal(t, updated, w.FiredTypes(func() {
		link := scene.Must(mine.AddLink(ctx, "ada-blog", 3))
		if made = link.ID; link.Link != "ada-blog" || link.Clicks != 0 {
			t.Errorf("got %+v", link)
		}
	}))
	scene.Equal(t, scene.Must(mine.Link(ctx, made)), scene.Must(mine.Links(ctx, affiliate.Page{})).Items[0])
	scene.Equal(t, updated, w.FiredTypes(func() {
		if link := scene.Must(mine.AddLink(ctx, "", 3)); !strings.HasPrefix(link.Link, "ada") || link.Link == "ada-blog" || link.Link == one.Link {
			t.Errorf("got %+v", link)
		}
	}))
	full := scene.StateError(affiliate.LinkLimitReached, "", "Affiliate has as many links as the program allows")
	for _, most := range []int{3, 2, 0, -1} {
		w.Refused(full, func() error { return scene.ErrOf(mine.AddLink(ctx, "ada-more", most)) })
	}
	w.Refused(full, func() error { return scene.ErrOf(w.Partner(bob.ID).AddLink(ctx, "bob-more", 0)) })
	scene.Equal(t, updated, w.FiredTypes(func() {
		for range 2 {
			if link := scene.Must(mine.RenameLink(ctx, made, "ada-video")); link.ID != made || link.Link != "ada-video" {
				t.Errorf("got %+v", link)
			}
		}
	}))
	if e := scene.Must(w.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]; e.Actor != "affiliate:"+ada.ID.String() {
		t.Errorf("the event is by %q", e.Actor)
	}
	taken := func(field string) affiliate.Error {
		return scene.StateError(affiliate.SlugTaken, field, "This link already exists for this affiliate program")
	}
	bad := func(field string) affiliate.Error {
		return scene.FieldError(affiliate.SlugSyntax, field, "Link can only contain letters, numbers, and hyphens")
	}
	w.Refused(taken("link"), func() error { return scene.ErrOf(mine.AddLink(ctx, "BOB", 9)) })
	w.Refused(taken("newLink"), func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "bob")) })
	w.Refused(bad("link"), func() error { return scene.ErrOf(mine.AddLink(ctx, "a b", 9)) })
	w.Refused(bad("newLink"), func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "a/b")) })
	w.Refused(scene.FieldError(affiliate.MissingField, "newLink", "New link is required"), func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "")) })
	theirs := scene.Must(w.Partner(bob.ID).Links(ctx, affiliate.Page{})).Items[0].ID
	if _, err := mine.Link(ctx, theirs); err != affiliate.ErrNotFound {
		t.Errorf("a link of somebody else: %v", err)
	}
	for _, id := range []uuid.UUID{theirs, uuid.Max, uuid.Nil} {
		w.Refused(scene.MissingError(affiliate.LinkNotFound, "Affiliate link not found"), func() error { return scene.ErrOf(mine.RenameLink(ctx, id, "other")) })
	}
	scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, ada.ID))
	for _, call := range []func() error{
		func() error { return scene.ErrOf(mine.AddLink(ctx, "ada-more", 9)) },
		func() error { return scene.ErrOf(mine.RenameLink(ctx, made, "other")) },
	} {
		w.Refused(scene.StateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), call)
	}
	if _, err := w.Partner(uuid.Max).AddLink(ctx, "nobody", 9); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}

// TestPartnerTerms: an affiliate sees the terms that hold for them and those to come, of their
// plan or of the program, with the rate that reaches them and the rules that do.
func TestPartnerTerms(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	flat := func(name string, when affiliate.RuleWhen, firm bool) affiliate.Rule {
		return affiliate.Rule{Name: name, When: when, Firm: firm, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")}}
	}
	rules := []affiliate.Rule{
		flat("secret a", affiliate.RuleWhen{Products: []string{"A"}}, false), flat("secret b", affiliate.RuleWhen{Products: []string{"B"}}, true),
		flat("secret c", affiliate.RuleWhen{Conversions: []string{"C"}}, false), {Name: "secret d", When: affiliate.RuleWhen{Products: []string{"D"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
	}
	plan := scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Secret plan", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30"), Rules: rules}}))
	for day, rate := range map[int]string{1: "31", 2: "32", 3: "33"} {
		scene.Must(w.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent(rate)), From: affiliate.Set(affiliate.Day(2030, 1, day))}}))
	}
	scene.Must(w.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("10"))}))
	tier := scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "T", Rate: affiliate.Set(affiliate.MustPercent("40"))}))
	plain, planned, own, ranked := w.Join("plain"), w.Join("planned"), w.Join("own"), w.Join("ranked")
	scene.Must(w.SetAffiliatePlan(ctx, plan.ID, planned.ID, own.ID, ranked.ID))
	scene.Must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: own.ID}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("50"))}))
	scene.Must(w.SetAffiliateTier(ctx, tier.ID, ranked.ID))
	seen := func(id uuid.UUID) (all []string) {
		for _, v := range scene.Must(w.Partner(id).Terms(ctx)) {
			says := fmt.Sprint(v.From.Or(affiliate.Time{}).Time().Format("2006-01-02"), " ", v.InForce, " ", v.CommissionRate)
			for _, r := range v.Rules {
				says += fmt.Sprint(" ", r.Name, r.When.Products, r.When.Conversions)
			}
			all = append(all, says)
		}
		return all
	}
	since := "0001-01-01 true "
	scene.Equal(t, []string{since + "10"}, seen(plain.ID))
	all := " [A] [] [B] [] [] [C] [D] []"
	scene.Equal(t, []string{since + "30" + all, "2030-01-01 false 31" + all, "2030-01-02 false 32" + all, "2030-01-03 false 33" + all}, seen(planned.ID))
	above := " [B] [] [] [C] [D] []"
	scene.Equal(t, []string{since + "50" + above, "2030-01-01 false 50" + above, "2030-01-02 false 50" + above, "2030-01-03 false 50" + above}, seen(own.ID))
	w.Now = scene.Must(affiliate.ParseDate("2030-01-02T00:00:00Z")).Instant(nil)
	scene.Equal(t, []string{"2030-01-02 true 32" + all, "2030-01-03 false 33" + all}, seen(planned.ID))
	scene.Equal(t, []string{"2030-01-02 true 40" + above, "2030-01-03 false 40" + above}, seen(ranked.ID))
	if _, err := w.Partner(uuid.Max).Terms(ctx); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}

// TestPartnerPages: pages go on where the one before has ended, and a cursor of
// one partner is refused by another.
func TestPartnerPages(t *testing.T) {
	w, ctx := scene.New(t), t.Context()
	a := w.Ada()
	other := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "B", Email: "b@example.com", AffiliateLink: "bbb"}))
	scene.Must(w.CreateLink(ctx, affiliate.LinkParams{Link: "ada-two", AffiliateID: a.Person.ID}))
	scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: a.Autumn.ID, Code: "ADA21", AffiliateID: a.Person.ID}))
	for i := range 2 {
		scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", Email: fmt.Sprintf("c%d@example.com", i), Name: "C", TotalEarned: affiliate.MustAmount("10")}))
	}
	first := affiliate.Page{Limit: 1}
	for name, list := range map[string]func(tributary.Partner, affiliate.Page) (int, string, error){
		"Links":     func(v tributary.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Links(ctx, pg)) },
		"Codes":     func(v tributary.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Codes(ctx, pg)) },
		"Referrals": func(v tributary.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Referrals(ctx, pg)) },
		"Sales":     func(v tributary.Partner, pg affiliate.Page) (int, string, error) { return pieces(v.Sales(ctx, pg)) },
	} {
		n, next, err := list(w.Partner(a.Person.ID), first)
		if n != 1 || next == "" || err != nil {
			t.Fatalf("%s: %d, %q, %v", name, n, next, err)
		}
		if n, end, err := list(w.Partner(a.Person.ID), affiliate.Page{Limit: 1, Cursor: next}); n != 1 || end != "" || err != nil {
			t.Errorf("%s: then %d, %q, %v", name, n, end, err)
		}
		if _, _, err := list(w.Partner(other.ID), affiliate.Page{Limit: 1, Cursor: next}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%s: the cursor of another partner: %v", name, err)
		}
		if n, _, err := list(w.Partner(uuid.Nil), affiliate.Page{}); n != 0 || err != nil {
			t.Errorf("%s of nobody: %d, %v", name, n, err)
		}
	}
}

// TestPartnerSales (console check 29): a code that was given away is not named, an erased customer
// is the end of their id, and a state is that of the sale.
func TestPartnerSales(t *testing.T) {
	w, ctx := scene.New(t), t.Context()
	a := w.Ada()
	other := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "B", Email: "b@example.com", AffiliateLink: "bbb"}))
	me := w.Partner(a.Person.ID)
	sale := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", Email: "tomas@example.net", Name: "T", TotalEarned: affiliate.MustAmount("100")})).Sale.Or(affiliate.Sale{})
	want := partner.Sale{
		ID: sale.ID, Customer: "t***@e***.net", TotalEarned: affiliate.MustAmount("100"), CommissionEarned: affiliate.MustAmount("20"),
		ApprovalStatus: affiliate.Set(affiliate.ApprovalAccepted), HoldReason: affiliate.Null[affiliate.HoldReason](), Status: affiliate.SaleActive, PromoCode: affiliate.Set("ADA20"),
		Link: affiliate.Null[string](), CreatedAt: sale.CreatedAt,
	}
	same := func(step string) {
		t.Helper()
		if diff := cmp.Diff([]partner.Sale{want}, scene.Must(me.Sales(ctx, affiliate.Page{})).Items, cmp.Comparer(func(x, y affiliate.Amount) bool { return x == y })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	same("recorded")
	scene.Must(w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Set(other.ID), Code: affiliate.Set("BEATRIX")}))
	want.PromoCode = affiliate.Null[string]()
	same("the code was given away")
	scene.Must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.Person.ID}))
	want.PayoutCreated = true
	same("in a payout")
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("50")), ClawBack: true}))
	want.RefundedAmount, want.CommissionEarned = affiliate.MustAmount("50"), affiliate.MustAmount("10")
	same("refunded")
	id := sale.ReferralID.Or(uuid.Nil)
	scene.Must(0, w.EraseReferral(ctx, id.String()))
	want.Customer = "customer-" + id.String()[32:]
	same("erased")
	scene.Must(w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Set(a.Person.ID)}))
	want.PromoCode = affiliate.Set("BEATRIX")
	same("the code is theirs again")
	scene.Must(w.DeleteCode(ctx, a.ADA20.ID))
	want.PromoCode = affiliate.Null[string]()
	same("the code is deleted")
	if got := scene.Must(me.Referrals(ctx, affiliate.Page{})).Items[0].Customer; got != want.Customer {
		t.Errorf("the referral is %s", got)
	}
}

// TestPartnerCodes: a code ends when it or its coupon does, and is usable until
// then.
func TestPartnerCodes(t *testing.T) {
	w, ctx := scene.New(t), t.Context()
	a := w.Ada()
	day := func(s string) affiliate.Opt[affiliate.Date] { return affiliate.Set(scene.Must(affiliate.ParseDate(s))) }
	code := func(expires, redeemBy affiliate.Opt[affiliate.Date]) (ends string, usable bool) {
		t.Helper()
		scene.Must(w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{ExpiresAt: expires}))
		scene.Must(w.UpdateCoupon(ctx, a.Autumn.ID, affiliate.CouponUpdate{RedeemBy: redeemBy}))
		got := scene.Must(w.Partner(a.Person.ID).Codes(ctx, affiliate.Page{})).Items[0]
		if at, set := got.ExpiresAt.Get(); set {
			ends = at.Time().Format(time.DateOnly)
		}
		return ends, got.Usable
	}
	none := affiliate.Null[affiliate.Date]()
	for name, c := range map[string]struct {
		code, coupon affiliate.Opt[affiliate.Date]
		ends         string
		usable       bool
	}{
		"none": {none, none, "", true}, "code": {day("2026-04-01"), none, "2026-04-01", true}, "coupon": {none, day("2026-04-02"), "2026-04-02", true},
		"code first": {day("2026-04-01"), day("2026-04-02"), "2026-04-01", true}, "coupon first": {day("2026-04-03"), day("2026-04-02"), "2026-04-02", true},
		"coupon over": {day("2026-04-03"), day("2026-03-01"), "2026-03-01", false}, "code over": {day("2026-03-01"), none, "2026-03-01", false},
	} {
		if ends, usable := code(c.code, c.coupon); ends != c.ends || usable != c.usable {
			t.Errorf("%s: %q, usable %v", name, ends, usable)
		}
	}
}

func pieces[T any](l affiliate.List[T], err error) (int, string, error) {
	return len(l.Items), l.Next, err
}

// TestPartnerSaleOfNobody: a sale by a code alone has no customer to show.
func TestPartnerSaleOfNobody(t *testing.T) {
	w := scene.New(t)
	a := w.Ada()
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("10")}))
	if got := scene.Must(w.Partner(a.Person.ID).Sales(t.Context(), affiliate.Page{})).Items[0].Customer; got != "" {
		t.Errorf("the customer is %q", got)
	}
}

// TestPartnerCodeTerms: an affiliate sees from when a code works, its cap, and what is left of its redemptions and of
// the budget, less what holds keep, as the summary of the coupon says it; of a code without any of it there is nothing new.
func TestPartnerCodeTerms(t *testing.T) {
	w, ctx := scene.New(t), t.Context()
	a := w.Ada()
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "c", PercentOff: scene.Percent("10"), MaxDiscount: scene.Amount("8"), MaxDiscountTotal: scene.Amount("100"), MaxRedemptionsPerCustomer: affiliate.Set[int64](3),
	}))
	day := affiliate.Set(affiliate.At(w.Now))
	code := scene.Must(w.CreateCode(ctx, affiliate.CodeParams{
		CouponID: coupon.ID, Code: "NEW", AffiliateID: a.Person.ID, MaxRedemptions: affiliate.Set[int64](5), StartsAt: day, MaxRedemptionsPerCustomer: affiliate.Set[int64](7),
	}))
	scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "NEW", Email: "k@b.co", Name: "K", Subtotal: scene.Amount("50"), TotalEarned: affiliate.MustAmount("45")}))
	for id, until := range map[string]time.Duration{"open": 2 * time.Hour, "lapses": time.Minute} {
		scene.Must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Order: affiliate.Order{PromoCode: "NEW", Subtotal: scene.Amount("100"), Email: id + "@b.co"}, Until: w.Now.Add(until)}))
	}
	sees := func(held, left int64, budget string) {
		t.Helper()
		codes := scene.Must(w.Partner(a.Person.ID).Codes(ctx, affiliate.Page{})).Items
		got, old := codes[0], codes[1]
		if got.Code != "NEW" || got.StartsAt != code.StartsAt || got.MaxDiscount != scene.Amount("8") || got.MaxRedemptionsPerCustomer != affiliate.Set[int64](3) ||
			got.Held != held || got.Left() != affiliate.Set(left) || got.BudgetLeft != scene.Amount(budget) {
			t.Errorf("%+v, left %v", got, got.Left())
		}
		for _, c := range scene.Must(w.Coupons(ctx, affiliate.CouponQuery{}, affiliate.Page{})).Items {
			if want := map[bool]affiliate.Opt[affiliate.Amount]{true: scene.Amount(budget)}[c.ID == coupon.ID]; c.BudgetLeft != want {
				t.Errorf("the summary of %s says %v, want %v", c.Name, c.BudgetLeft, want)
			}
		}
		if !old.StartsAt.IsZero() || !old.MaxDiscount.IsZero() || !old.MaxRedemptionsPerCustomer.IsZero() || old.Held != 0 || !old.BudgetLeft.IsZero() {
			t.Errorf("%+v", old)
		}
	}
	sees(2, 2, "79")
	w.Pass(time.Hour)
	sees(1, 3, "87")
	scene.Must(w.ReleaseHold(ctx, "open"))
	sees(0, 4, "95")
}

// TestSpend: a name is spent once, by whichever process on the store, and meets
// neither an idempotency key nor a name of another affiliate or program.
func TestSpend(t *testing.T) {
	ctx, store, now := t.Context(), memstore.New(), time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	at := func(program, of uuid.UUID) tributary.Partner {
		return scene.Must(tributary.New(store, tributary.Config{ID: program, Now: func() time.Time { return now }})).Partner(of)
	}
	p := scene.Must(tributary.New(store, tributary.Config{ID: uuid.UUID{1}, Now: func() time.Time { return now }}))
	scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Once: affiliate.Once{Key: "a"}, Name: "c", PercentOff: scene.Percent("10")}))
	one, two, other := at(uuid.UUID{1}, uuid.UUID{7}), at(uuid.UUID{1}, uuid.UUID{7}), at(uuid.UUID{2}, uuid.UUID{7})
	scene.Equal(t, []bool{true, true}, []bool{scene.Must(at(uuid.UUID{1}, uuid.UUID{8}).Spend(ctx, "a")), scene.Must(at(uuid.UUID{1}, uuid.UUID{8}).Spent(ctx, "a"))})
	scene.Equal(t, false, scene.Must(one.Spent(ctx, "a")))
	var firsts atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if scene.Must([]tributary.Partner{one, two}[i%2].Spend(ctx, "a")) {
				firsts.Add(1)
			}
		})
	}
	all.Wait()
	scene.Equal(t, int64(1), firsts.Load())
	scene.Equal(t, []bool{true, true, false, true}, []bool{scene.Must(two.Spent(ctx, "a")), scene.Must(one.Spent(ctx, "a")), scene.Must(other.Spent(ctx, "a")), scene.Must(other.Spend(ctx, "a"))})
	now = now.Add(24 * time.Hour)
	scene.Equal(t, true, scene.Must(one.Spent(ctx, "a")))
	scene.Must(p.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{Receipts: 24 * time.Hour}}))
	scene.Equal(t, true, scene.Must(one.Spent(ctx, "a")))
	for _, bad := range []string{"", "a b", "ü"} {
		if first, err := one.Spend(ctx, bad); first || !errors.Is(err, affiliate.IdempotencyKeyInvalid) {
			t.Errorf("%q: %v, %v", bad, first, err)
		}
	}
}

// A store that fails spends nothing, or is not believed.
func TestSpendFails(t *testing.T) {
	ctx, store := t.Context(), memstore.New()
	p := scene.Must(tributary.New(store, tributary.Config{}))
	for n := 1; ; n++ {
		name := fmt.Sprint("a", n)
		first, err := p.With(conformance.FailAt(store, n)).Partner(uuid.Nil).Spend(ctx, name)
		if err == nil {
			scene.Equal(t, []bool{true, true}, []bool{first, n > 2})
			break
		}
		scene.Equal(t, []bool{false, true}, []bool{first, scene.Must(p.Partner(uuid.Nil).Spend(ctx, name))})
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if spent, err := p.Partner(uuid.Nil).Spent(gone, "a"); spent || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", spent, err)
	}
}
