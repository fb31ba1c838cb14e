package engine_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
)

// spellings are addresses of one mailbox.
var spellings = []string{"cara.b@gmail.com", "carab@gmail.com", "CaraB+lead@gmail.com", "c.a.r.a.b@googlemail.com", "carab+2@GOOGLEMAIL.com", " cara.b+x+y@gmail.com\u200b"}

// TestMailbox: all addresses of a mailbox are one customer: for a conversion once per customer, the first order, the
// number of a payment, a limit per customer, a code for one customer, and whatever finds a customer. Rule 1.7.
func TestMailbox(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) {
		c.Terms.Rules = []affiliate.Rule{
			{Name: "lead", When: affiliate.RuleWhen{Conversions: []string{"lead"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")}},
			{Name: "new", When: affiliate.RuleWhen{Customer: affiliate.CustomerNew}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("50")}},
		}
	})
	ctx := t.Context()
	scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
	var leads, firsts, fifty int
	for _, email := range spellings {
		lead := scene.Must(s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "lead", ReferralID: "ada", Email: email, Name: "Cara"}))
		if lead.Outcome == affiliate.SaleRecorded {
			leads++
		}
		if scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20", Email: email})).Valid {
			firsts++
		}
		if sale := s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: email, Name: "Cara"}); sale.CommissionEarned == affiliate.MustAmount("50") {
			fifty++
		}
	}
	scene.Equal(t, [3]int{1, 1, 1}, [3]int{leads, firsts, fifty})
	who := scene.Must(s.Referral(ctx, spellings[0]))
	for _, email := range spellings {
		if got, err := s.Referral(ctx, email); err != nil || got.ID != who.ID {
			t.Errorf("%q finds %v, %v", email, got.ID, err)
		}
		got := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "bob", Name: "C", Email: email, ReferredUserExternalID: "cara"}))
		scene.Equal(t, who.ID, got.ID)
	}
	scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(false), LimitToCustomers: affiliate.Set(true), CustomerID: affiliate.Set("carab@gmail.com")}))
	if got := scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20", Email: spellings[3]})); !got.Valid {
		t.Errorf("a code for this customer: %v", got.Reasons)
	}
	found := scene.Must(s.Sales(ctx, affiliate.SaleQuery{Search: affiliate.Set("carab@gmail.com")}, affiliate.Page{}))
	scene.Equal(t, len(spellings)+1, len(found.Items))
	again := affiliate.SaleParams{ReferralID: "ada", Email: spellings[0], Name: "Cara", ExternalID: "o", TotalEarned: affiliate.MustAmount("1")}
	scene.Must(s.RecordSale(ctx, again))
	again.Email = spellings[2]
	scene.Equal(t, 0, len(scene.Must(s.RecordSale(ctx, again)).Differs))
	s.Verifies()
}

// TestMailboxUpdate: a customer may go by another address of their mailbox, and not by one of somebody else's.
func TestMailboxUpdate(t *testing.T) {
	s := scene.NewShop(t)
	for _, email := range []string{"tomas+shop@example.net", "TOMAS@example.net"} {
		scene.Must(s.UpdateReferral(t.Context(), s.Tomas.ID.String(), affiliate.ReferralUpdate{Email: affiliate.Set(email)}))
	}
	taken := scene.StateError(affiliate.ReferralEmailTaken, "email", "A referral with this email already exists")
	s.Refused(taken, func() error {
		return scene.ErrOf(s.UpdateReferral(t.Context(), s.Tomas.ID.String(), affiliate.ReferralUpdate{Email: affiliate.Set("bea+x@example.net")}))
	})
	for a, b := range map[string]string{"+tag@example.net": "tag@example.net", "a.b@example.net": "ab@example.net", "a@gmail.com": "a@gmail.co"} {
		x := s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: a, Name: "A"})
		if y := s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: b, Name: "B"}); x.ReferralID == y.ReferralID {
			t.Errorf("%q and %q are one", a, b)
		}
	}
}

// TestMailboxErased: an erasure by one address removes the others of the mailbox, and they stay erased.
func TestMailboxErased(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: "cara+1@example.net", Name: "Cara"})
	sale := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: "cara+2@example.net"})
	scene.Must(0, s.EraseReferral(ctx, "cara@example.net"))
	for _, sold := range []affiliate.Sale{scene.Must(s.Sale(ctx, sale.ID)), s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: "cara+3@example.net", Name: "C"})} {
		if !sold.Email.IsNull() || sold.ReferralID != sale.ReferralID {
			t.Errorf("a sale of the erased: %v %v", sold.Email, sold.ReferralID)
		}
	}
	s.Verifies()
}

// TestFirstIsOneThing: an order that was refunded in full counts no more, neither for a code for first orders nor for
// the number of a payment; one refunded in part, and a free order, count as orders. A customer who is older than the
// program has had their first order.
func TestFirstIsOneThing(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) {
		c.FreeOrders = true
		c.Terms.Rules = []affiliate.Rule{{Name: "new", When: affiliate.RuleWhen{Customer: affiliate.CustomerNew}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("50")}}}
	})
	ctx := t.Context()
	scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
	first := func(name string, want bool) {
		t.Helper()
		for _, o := range []affiliate.Order{{Email: s.Tomas.Email}, {ReferralID: s.Tomas.ID.String()}, {ReferredUserExternalID: "cust-tomas"}} {
			o.PromoCode, o.TotalEarned, o.Commission = "ADA20", scene.Amount("10"), true
			got := scene.Must(s.Evaluate(ctx, o))
			if got.Valid != want || !want && got.Reasons[0].Reason != affiliate.NotFirstOrder {
				t.Errorf("%s: valid is %t: %v", name, got.Valid, got.Reasons)
			}
			if earned, ok := got.Commission.Get(); ok != want || ok && earned != affiliate.MustAmount("5") {
				t.Errorf("%s: it would earn %v", name, got.Commission)
			}
		}
		_, err := s.CreateReferral(ctx, affiliate.ReferralParams{PromoCode: "ADA20", Name: "T", Email: "new+" + s.Tomas.Email, ReferredUserExternalID: "x"})
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("%s: a new customer by the code: %v", name, err)
		}
	}
	first("at the beginning", true)
	sale := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email})
	first("after an order", false)
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("99")}))
	first("after a refund in part", false)
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	first("after a refund in full", true)

	scene.Must(s.Imports().Referrals(ctx, []imported.Referral{{Ref: "old", Unreferred: true, ReferralParams: affiliate.ReferralParams{Email: "olga@example.net", ReferredUserExternalID: "cust-olga"}}}))
	for _, o := range []affiliate.Order{{Email: "Olga+shop@example.net"}, {ReferredUserExternalID: "cust-olga"}} {
		o.PromoCode, o.TotalEarned = "ADA20", scene.Amount("10")
		if got := scene.Must(s.Evaluate(ctx, o)); got.Valid || got.Reasons[0].Reason != affiliate.NotFirstOrder {
			t.Errorf("who is older than the program: valid is %t: %v", got.Valid, got.Reasons)
		}
	}
	scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(false)}))
	in := affiliate.SaleParams{PromoCode: "ADA20", Email: "olga@example.net", TotalEarned: affiliate.MustAmount("10"), ExternalID: "olga-1"}
	for range 2 { // her first order with the program, and, refunded in full, the one after it
		sale, _ := scene.Must(s.RecordSale(ctx, in)).Sale.Get()
		if sale.ID == 0 || sale.CommissionEarned != affiliate.MustAmount("2") {
			t.Errorf("who is older than the program: earned %s", sale.CommissionEarned)
		}
		scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
		in.ExternalID = "olga-2"
	}
	s.Verifies()
}
