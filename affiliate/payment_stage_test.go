package affiliate_test

import (
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// staged is the fact at another stage.
func staged(f affiliate.PaymentFact, to affiliate.Stage) affiliate.PaymentFact {
	return altered(f, func(p *affiliate.Paid) { p.Stage = to })
}

// What was agreed and what was paid of it are one sale in either order: credited as was
// agreed, with as much as was paid. Neither alone is a sale.
func TestAgreed(t *testing.T) {
	for _, paidFirst := range []bool{false, true} {
		s := newPayShop(t)
		facts := []affiliate.PaymentFact{
			staged(s.paid("pi_1 cs_1", "120", "20", "code:MARA20"), affiliate.PaidLater),
			staged(s.paid("pi_1 ch_1", "90", "0", "ben"), affiliate.PaidOfAgreed),
		}
		if paidFirst {
			facts[0], facts[1] = facts[1], facts[0]
		}
		s.outcome(s.report(facts[0]), affiliate.SaleParked)
		if s.sales() != 0 {
			t.Error("a half of it is a sale")
		}
		_ = s.ReportPayer(t.Context(), "stripe", tomas) // does not book what is not paid
		if s.sales() != 0 {
			t.Error("a payer made it a sale")
		}
		s.outcome(s.report(facts[1]), affiliate.SaleRecorded)
		sale := s.gives("pi_1", "15") // 90 with tax 15
		s.credited(sale, s.mara)
		if sale.TaxAmount != money("15") {
			t.Errorf("tax %v", sale.TaxAmount)
		}
		s.report(facts...)
		s.report(s.refund("re_1", "45", affiliate.RefundSucceeded))
		s.gives("pi_1", "7.5")
	}
}

// A trial refers its customer when the email is there, and is no sale. What comes after
// it is the customer's first payment.
func TestTrialFact(t *testing.T) {
	s := newPayShop(t)
	trial := s.fact("txn_t")
	trial.Payer = affiliate.PayerFact{ID: "cus_T"}
	trial.Sale = affiliate.Set(affiliate.Paid{Stage: affiliate.PaidNothing, Tries: credits([]string{"code:MARA20"})})
	s.outcome(s.report(trial), affiliate.SaleParked)
	renewed := renewal(s.paid("pi_2", "100", "0"))
	renewed.Payer = affiliate.PayerFact{ID: "cus_T"}
	s.outcome(s.report(renewed), affiliate.SaleUnattributed)
	if err := s.ReportPayer(t.Context(), "stripe", tomas); err != nil {
		t.Fatal(err)
	}
	s.credited(s.gives("pi_2", "20"), s.mara)
	if told := must(s.ExplainSale(t.Context(), s.saleOf("pi_2").ID)); told.Terms.Payment != affiliate.Set(int64(1)) {
		t.Errorf("it is payment %v", told.Terms.Payment)
	}
	s.outcome(s.report(trial), affiliate.SaleReferred)
	if s.sales() != 1 {
		t.Errorf("%d sales", s.sales())
	}
	s.verify()
}

// A payment whose number is known counts as that in the limits of the terms.
func TestPaymentNumber(t *testing.T) {
	s := newPayShop(t, func(c *tributary.Config) { c.Terms.MaxPayments = 3 })
	for i, tt := range []struct {
		number, want int64
		earned       string
	}{{0, 1, "20"}, {3, 3, "20"}, {4, 4, "0"}, {0, 4, "0"}} {
		key := "pi_" + string(rune('a'+i))
		s.report(altered(s.paid(key, "100", "0", "mara"), func(p *affiliate.Paid) { p.Payment = tt.number }))
		sale := s.gives(key, tt.earned)
		if told := must(s.ExplainSale(t.Context(), sale.ID)); told.Terms.Payment != affiliate.Set(tt.want) {
			t.Errorf("%s is payment %v, want %d", key, told.Terms.Payment, tt.want)
		}
	}
	_, err := s.ReportPayment(t.Context(), altered(s.paid("pi_z", "100", "0", "mara"), func(p *affiliate.Paid) { p.Payment = -1 }))
	wantReason(t, "a negative number", affiliate.InvalidField, err)
}

// A payment that is counted in another currency takes refunds in that alone, as parts.
func TestCounted(t *testing.T) {
	s := newPayShop(t)
	euros := func(f affiliate.PaymentFact) affiliate.PaymentFact { f.Currency = "EUR"; return f }
	if _, err := s.ReportPayment(t.Context(), euros(s.refund("re_1", "54", affiliate.RefundSucceeded))); err == nil {
		t.Error("a refund in euros of a payment that nobody knows is taken")
	}
	s.report(altered(s.paid("pi_1", "120", "20", "mara"), func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = money("108"), "EUR" }))
	s.report(euros(s.refund("re_1", "54", affiliate.RefundSucceeded)))
	s.gives("pi_1", "10")
	_, err := s.ReportPayment(t.Context(), s.refund("re_2", "1", affiliate.RefundSucceeded))
	wantReason(t, "in the program's currency", affiliate.InvalidField, err)
	s.report(euros(s.dispute("dp_1", "54", affiliate.DisputeLost, 0)))
	s.gives("pi_1", "0")
	if p := must(s.ProviderPayment(t.Context(), "stripe", "pi_1")); p.Currency != "EUR" || p.Lost != money("108") {
		t.Errorf("%+v", p)
	}
}

// A warning counts until the dispute that it announces is there, in any order.
func TestWarningFact(t *testing.T) {
	for _, warningFirst := range []bool{false, true} {
		s := newPayShop(t)
		warned := s.dispute("w", "60", affiliate.DisputeWithdrawn, 0)
		warned.Disputes[0].Warning = true
		facts := []affiliate.PaymentFact{s.paid("pi_1", "120", "20", "mara"), warned, s.dispute("d", "60", affiliate.DisputeWithdrawn, 1)}
		if !warningFirst {
			facts[1], facts[2] = facts[2], facts[1]
		}
		s.report(facts...)
		s.gives("pi_1", "10")
		s.report(s.dispute("d", "60", affiliate.DisputeWon, 2))
		s.gives("pi_1", "20")
	}
}
