package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestHostID: the host's id names the customer of a sale, a preview, a hold and a conversion, before the email, and
// after the email has changed. Rule 4.8.
func TestHostID(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Once", PercentOff: affiliate.Set(affiliate.MustPercent("10")), MaxRedemptionsPerCustomer: affiliate.Set[int64](1)}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ONCE", AffiliateID: s.Bob.ID}))
	scene.Must(s.UpdateReferral(ctx, s.Tomas.ID.String(), affiliate.ReferralUpdate{Email: affiliate.Set("tomas@new.example")}))
	of := func(name string, r affiliate.SaleResult) {
		t.Helper()
		sale, ok := r.Sale.Get()
		if !ok || sale.ReferralID.Or(s.Bea.ID) != s.Tomas.ID {
			t.Errorf("%s: %s of %v, want of Tomas", name, r.Outcome, sale.ReferralID)
		}
	}
	sell := func(in affiliate.SaleParams) affiliate.SaleResult {
		in.TotalEarned, in.ReferredUserExternalID = affiliate.MustAmount("100"), "cust-tomas"
		return scene.Must(s.RecordSale(ctx, in))
	}
	of("Alone", sell(affiliate.SaleParams{}))
	of("WithAnUnknownEmail", sell(affiliate.SaleParams{Email: "tomas@work.example"}))
	of("WithTheEmailOfAnother", sell(affiliate.SaleParams{Email: s.Bea.Email}))
	of("WithAClickOfAnother", sell(affiliate.SaleParams{ReferralID: "bob"}))
	of("WithACode", sell(affiliate.SaleParams{PromoCode: "ONCE", ExternalID: "order-1"}))
	of("Conversion", scene.Must(s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", ReferredUserExternalID: "cust-tomas"})))

	order := affiliate.Order{PromoCode: "ONCE", ReferredUserExternalID: "cust-tomas", Subtotal: scene.Amount("10")}
	if got := scene.Must(s.Evaluate(ctx, order)); got.Valid || got.Reasons[0].Reason != affiliate.CustomerLimit {
		t.Errorf("the preview of a second use: %+v", got.Reasons)
	}
	if _, err := s.HoldRedemption(ctx, affiliate.HoldParams{ID: "h", Order: order, Until: s.Now.Add(1e9)}); !errors.Is(err, affiliate.CustomerLimit) {
		t.Errorf("the hold of a second use: %v", err)
	}
	if got := scene.Must(s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", ReferredUserExternalID: "cust-tomas", Email: "t@work.example"})); got.Outcome != affiliate.SaleDuplicate {
		t.Errorf("a second conversion: %s", got.Outcome)
	}
	again := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ONCE", ExternalID: "order-1", TotalEarned: affiliate.MustAmount("100"), ReferredUserExternalID: "cust-bea"}))
	scene.Equal(t, []string{"referredUserExternalId"}, again.Differs)
	scene.Equal(t, affiliate.CreditReferral, scene.Must(s.ExplainSale(ctx, 1)).Credit.By)
	s.Verifies()
}

// TestHostIDIsOpaque: it is compared exactly, one of blanks is none, and one that looks like an email, a slug, an id of
// ours or a number names nobody else.
func TestHostIDIsOpaque(t *testing.T) {
	s := scene.NewShop(t)
	for _, id := range []string{"CUST-TOMAS", " cust-tomas", "cust-tomas\u200b", s.Bea.Email, "bob", s.Bea.ID.String(), "1", "ext:cust-tomas"} {
		got := scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferredUserExternalID: id, TotalEarned: affiliate.MustAmount("1")}))
		scene.Equal(t, affiliate.SaleUnattributed, got.Outcome, id)
	}
	for _, blank := range []string{"", " ", "\u200b"} {
		none := affiliate.SaleParams{ReferredUserExternalID: blank, Email: s.Tomas.Email, TotalEarned: affiliate.MustAmount("1")}
		scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.RecordSale(t.Context(), none)).Outcome)
	}
	long := affiliate.SaleParams{ReferredUserExternalID: strings.Repeat("x", 256), Email: s.Tomas.Email, TotalEarned: affiliate.MustAmount("1")}
	s.Refused(scene.FieldError(affiliate.InvalidField, "referredUserExternalId", "referredUserExternalId is too long"), func() error { return scene.ErrOf(s.RecordSale(t.Context(), long)) })
}

// TestHostIDOfTwo: an id is one customer's. What would give it to a second one is refused, and an id that two have
// nevertheless names neither.
func TestHostIDOfTwo(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	taken := scene.StateError(affiliate.ReferralExternalIDTaken, "referredUserExternalId", "A referral with this external ID already exists")
	in := affiliate.ReferralParams{AffiliateID: "bob", Name: "N", Email: "n@example.net", ReferredUserExternalID: "cust-tomas"}
	s.Refused(taken, func() error { return scene.ErrOf(s.CreateReferral(ctx, in)) })
	in.Email = s.Bea.Email
	s.Refused(taken, func() error { return scene.ErrOf(s.CreateReferral(ctx, in)) })
	s.Refused(taken, func() error {
		return scene.ErrOf(s.UpdateReferral(ctx, s.Bea.Email, affiliate.ReferralUpdate{ReferredUserExternalID: affiliate.Set("cust-tomas")}))
	})
	scene.Must(s.UpdateReferral(ctx, s.Bea.Email, affiliate.ReferralUpdate{ReferredUserExternalID: affiliate.Set("cust-bea")}))
	in.Email = "imported@example.net"
	rep := scene.Must(s.Imports().Referrals(ctx, []imported.Referral{{ReferralParams: in, Ref: "r1", CreatedAt: s.Now}}))
	if len(rep.Failed) != 1 || !errors.Is(rep.Failed[0].Err, affiliate.ReferralExternalIDTaken) {
		t.Errorf("an imported row: %+v", rep)
	}
	share(s.World, "cust-tomas", s.Bea.ID)
	sale := affiliate.SaleParams{ReferredUserExternalID: "cust-tomas", TotalEarned: affiliate.MustAmount("10")}
	scene.Equal(t, affiliate.SaleUnattributed, scene.Must(s.RecordSale(ctx, sale)).Outcome)
	sale.Email = s.Bea.Email
	scene.Equal(t, s.Bea.ID, s.Sell(sale).ReferralID.Or(s.Tomas.ID))
	sale.Email, sale.Name, sale.ReferralID = "third@example.net", "Third", "ada"
	s.Sell(sale)
	if got := scene.Must(s.Referral(ctx, "third@example.net")); !got.ReferredUserExternalID.IsNull() {
		t.Errorf("a third customer has the id: %v", got.ReferredUserExternalID)
	}
}

// TestHostIDMakesTheCustomer: an id that nobody has is the customer's whom the report makes, also without an email,
// which joins when it is told. A customer without an id gets it.
func TestHostIDMakesTheCustomer(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
	first := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", ReferredUserExternalID: "u-1"})
	who := scene.Must(s.Referral(ctx, first.ReferralID.Or(s.Tomas.ID).String()))
	scene.Equal(t, "u-1", who.ReferredUserExternalID.Or(""))
	if _, err := s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", ReferredUserExternalID: "u-1", TotalEarned: affiliate.MustAmount("1")}); !errors.Is(err, affiliate.NotFirstOrder) {
		t.Errorf("a second first order: %v", err)
	}
	s.Sell(affiliate.SaleParams{ReferredUserExternalID: "u-1", Email: "u1@example.net", Name: "Una"})
	scene.Equal(t, who.ID, scene.Must(s.Referral(ctx, "u1@example.net")).ID)
	s.Sell(affiliate.SaleParams{ReferredUserExternalID: "u-1", Email: s.Bea.Email})
	scene.Equal(t, s.Bea.ID, scene.Must(s.Referral(ctx, s.Bea.Email)).ID)

	s.Sell(affiliate.SaleParams{ReferralID: "ada", ReferredUserExternalID: "u-2"}) // no email is needed with it
	s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: "late@example.net", Name: "L"})
	s.Sell(affiliate.SaleParams{ReferredUserExternalID: "u-3", Email: "late@example.net"})
	s.Sell(affiliate.SaleParams{ReferredUserExternalID: "u-3", Email: "later@example.net"})
	s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: "signs@example.net", Name: "S"})
	in := affiliate.ReferralParams{AffiliateID: "ada", Name: "S", Email: "signs@example.net", ReferredUserExternalID: "u-4"}
	scene.Equal(t, "u-4", scene.Must(s.CreateReferral(ctx, in)).ReferredUserExternalID.Or(""))
	in.ReferredUserExternalID = "u-5"
	scene.Equal(t, "u-4", scene.Must(s.CreateReferral(ctx, in)).ReferredUserExternalID.Or(""))
	s.Verifies()
}

// TestHostIDOfTheErased: the id of an erased customer finds what is left of them, and nothing is stored of them again
// until the host makes a customer with it. That of a deleted one is free.
func TestHostIDOfTheErased(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email})
	scene.Must(0, s.EraseReferral(ctx, s.Tomas.Email))
	sale := s.Sell(affiliate.SaleParams{ReferredUserExternalID: "cust-tomas", Email: "other@example.net", Name: "T"})
	if sale.ReferralID.Or(s.Bea.ID) != s.Tomas.ID || !sale.Email.IsNull() {
		t.Errorf("a sale to an erased customer: %+v", sale)
	}
	for _, dump := range s.Dump() {
		if text := strings.Join(dump, "\n"); strings.Contains(text, "cust-tomas") || strings.Contains(text, "other@example.net") {
			t.Errorf("it is stored again: %s", text)
		}
	}
	back := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "bob", Name: "T", Email: "back@example.net", ReferredUserExternalID: "cust-tomas"}))
	scene.Equal(t, back.ID, s.Sell(affiliate.SaleParams{ReferredUserExternalID: "cust-tomas"}).ReferralID.Or(s.Tomas.ID))

	scene.Must(0, s.DeleteReferral(ctx, s.Bea.Email))
	scene.Equal(t, affiliate.SaleUnattributed, scene.Must(s.RecordSale(ctx, affiliate.SaleParams{ReferredUserExternalID: "cust-bea", TotalEarned: affiliate.MustAmount("1")})).Outcome)
	s.Verifies()
}

// TestHostIDAtOnce: first sales of one id at once, with different emails, make one customer; and so do an import and a sale of two
// addresses of one mailbox.
func TestHostIDAtOnce(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			in := affiliate.SaleParams{ReferralID: "ada", ReferredUserExternalID: "u-1", Email: fmt.Sprintf("u%d@example.net", i), Name: "U", TotalEarned: affiliate.MustAmount("1")}
			if got, err := s.RecordSale(ctx, in); err != nil || got.Outcome != affiliate.SaleRecorded {
				t.Errorf("%s, %v", got.Outcome, err)
			}
		})
	}
	wg.Wait()
	one := scene.Must(s.Referrals(ctx, affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set("u-1")}, affiliate.Page{})).Items
	if len(one) != 1 || one[0].TotalRevenue != affiliate.MustAmount("8") {
		t.Errorf("customers with one id: %+v", one)
	}
	in := affiliate.ReferralParams{AffiliateID: "bob", Name: "I", Email: "i.m@gmail.com", ReferredUserExternalID: "u-2"}
	rep := scene.Must(s.Imports().Referrals(ctx, []imported.Referral{
		{ReferralParams: in, Ref: "r1", CreatedAt: s.Now},
		{ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Name: "I", Email: "im+x@googlemail.com", ReferredUserExternalID: "u-3"}, Ref: "r2", CreatedAt: s.Now},
	}))
	scene.Equal(t, [2]int{1, 1}, [2]int{rep.Created, rep.Existing})
	sale := s.Sell(affiliate.SaleParams{Email: "I.M+sale@gmail.com"})
	scene.Equal(t, s.Bob.ID, sale.AffiliateID)
	disagrees := s.Sell(affiliate.SaleParams{ReferredUserExternalID: "u-4", Email: "im@gmail.com"}) // an id that nobody has: the email says who
	scene.Equal(t, sale.ReferralID, disagrees.ReferralID)
	scene.Equal(t, "u-2", scene.Must(s.Referral(ctx, "im@gmail.com")).ReferredUserExternalID.Or(""))
	s.Verifies()
}

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
