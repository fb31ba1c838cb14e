package partner_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/internal/scene"
)

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
