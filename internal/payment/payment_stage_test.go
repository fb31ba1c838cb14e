package payment_test

import (
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// staged is the fact at another stage.
func staged(f affiliate.PaymentFact, to affiliate.Stage) affiliate.PaymentFact {
	return scene.Altered(f, func(p *affiliate.Paid) { p.Stage = to })
}

// What was agreed and what was paid of it are one sale in either order: credited as was
// agreed, with as much as was paid. Neither alone is a sale.
func TestAgreed(t *testing.T) {
	for _, paidFirst := range []bool{false, true} {
		s := scene.NewPayShop(t)
		facts := []affiliate.PaymentFact{
			staged(s.Paid("pi_1 cs_1", "120", "20", "code:MARA20"), affiliate.PaidLater),
			staged(s.Paid("pi_1 ch_1", "90", "0", "ben"), affiliate.PaidOfAgreed),
		}
		if paidFirst {
			facts[0], facts[1] = facts[1], facts[0]
		}
		s.Outcome(s.Reports(facts[0]), affiliate.SaleParked)
		if sales(s) != 0 {
			t.Error("a half of it is a sale")
		}
		_ = s.Payments().ReportPayer(t.Context(), "stripe", scene.Tomas) // does not book what is not paid
		if sales(s) != 0 {
			t.Error("a payer made it a sale")
		}
		s.Outcome(s.Reports(facts[1]), affiliate.SaleRecorded)
		sale := s.Gives("pi_1", "15") // 90 with tax 15
		credited(s, sale, s.Mara)
		if sale.TaxAmount != scene.Sum("15") {
			t.Errorf("tax %v", sale.TaxAmount)
		}
		s.Reports(facts...)
		s.Reports(s.Refund("re_1", "45", affiliate.RefundSucceeded))
		s.Gives("pi_1", "7.5")
	}
}

// A trial refers its customer, redeems its code once, and is no sale, also before the email is there. What comes after
// it is the customer's first payment.
func TestTrialFact(t *testing.T) {
	s := scene.NewPayShop(t)
	trial := s.Fact("txn_t")
	trial.Payer = affiliate.PayerFact{ID: "cus_T"}
	trial.Sale = affiliate.Set(affiliate.Paid{Stage: affiliate.PaidNothing, Tries: scene.Credits([]string{"code:MARA20"})})
	s.Outcome(s.Reports(trial), affiliate.SaleReferred)
	renewed := scene.Renewal(s.Paid("pi_2", "100", "0"))
	renewed.Payer = affiliate.PayerFact{ID: "cus_T"}
	s.Outcome(s.Reports(renewed), affiliate.SaleRecorded)
	scene.Must(0, s.Payments().ReportPayer(t.Context(), "stripe", scene.Tomas))
	credited(s, s.Gives("pi_2", "20"), s.Mara)
	if told := scene.Must(s.ExplainSale(t.Context(), s.SaleOf("pi_2").ID)); told.Terms.Payment != affiliate.Set(int64(1)) {
		t.Errorf("it is payment %v", told.Terms.Payment)
	}
	s.Outcome(s.Reports(trial), affiliate.SaleReferred)
	if sales(s) != 1 {
		t.Errorf("%d sales", sales(s))
	}
	if code := scene.Must(s.Code(t.Context(), affiliate.CodeRef{Code: "MARA20"})).TimesRedeemed; code != 1 {
		t.Errorf("the code was redeemed %d times, want 1", code)
	}
	s.Verifies()
}

// A payment whose number is known counts as that in the limits of the terms.
func TestPaymentNumber(t *testing.T) {
	s := scene.NewPayShop(t, func(c *tributary.Config) { c.Terms.MaxPayments = 3 })
	for i, tt := range []struct {
		number, want int64
		earned       string
	}{{0, 1, "20"}, {3, 3, "20"}, {4, 4, "0"}, {0, 4, "0"}} {
		key := "pi_" + string(rune('a'+i))
		s.Reports(scene.Altered(s.Paid(key, "100", "0", "mara"), func(p *affiliate.Paid) { p.Payment = tt.number }))
		sale := s.Gives(key, tt.earned)
		if told := scene.Must(s.ExplainSale(t.Context(), sale.ID)); told.Terms.Payment != affiliate.Set(tt.want) {
			t.Errorf("%s is payment %v, want %d", key, told.Terms.Payment, tt.want)
		}
	}
	_, err := s.Payments().ReportPayment(t.Context(), scene.Altered(s.Paid("pi_z", "100", "0", "mara"), func(p *affiliate.Paid) { p.Payment = -1 }))
	scene.WantReason(t, "a negative number", affiliate.InvalidField, err)
}

// A payment that is counted in another currency takes refunds in that alone, as parts.
func TestCounted(t *testing.T) {
	s := scene.NewPayShop(t)
	euros := func(f affiliate.PaymentFact) affiliate.PaymentFact { f.Currency = "EUR"; return f }
	s.Reports(euros(s.Refund("re_1", "54", affiliate.RefundSucceeded))) // it may come before the payment
	s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "mara"), func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = scene.Sum("108"), "EUR" }))
	s.Reports(euros(s.Refund("re_1", "54", affiliate.RefundSucceeded)))
	s.Gives("pi_1", "10")
	_, err := s.Payments().ReportPayment(t.Context(), s.Refund("re_2", "1", affiliate.RefundSucceeded))
	scene.WantReason(t, "in the program's currency", affiliate.InvalidField, err)
	s.Reports(euros(s.Dispute("dp_1", "54", affiliate.DisputeLost, 0)))
	s.Gives("pi_1", "0")
	if p := scene.Must(s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1")); p.Currency != "EUR" || p.Lost != scene.Sum("108") {
		t.Errorf("%+v", p)
	}
}

// A warning counts until the dispute that it announces is there, in any order.
func TestWarningFact(t *testing.T) {
	for _, warningFirst := range []bool{false, true} {
		s := scene.NewPayShop(t)
		warned := s.Dispute("w", "60", affiliate.DisputeWithdrawn, 0)
		warned.Disputes[0].Warning = true
		facts := []affiliate.PaymentFact{s.Paid("pi_1", "120", "20", "mara"), warned, s.Dispute("d", "60", affiliate.DisputeWithdrawn, 1)}
		if !warningFirst {
			facts[1], facts[2] = facts[2], facts[1]
		}
		s.Reports(facts...)
		s.Gives("pi_1", "10")
		s.Reports(s.Dispute("d", "60", affiliate.DisputeWon, 2))
		s.Gives("pi_1", "20")
	}
}
