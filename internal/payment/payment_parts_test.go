package payment_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// The tax and shipping of refunds: of the facts, and of the host's own. Each sale is of 120
// with 20 tax, and earns 20 per cent of 100.

// named is a refund of pi_1 of which the provider says how much is tax.
func named(s *scene.PayShop, id, amount, tax string, state affiliate.RefundState) affiliate.PaymentFact {
	f := s.Refund(id, amount, state)
	f.Refunds[0].Tax, f.Refunds[0].Shipping = affiliate.Set(scene.Sum(tax)), affiliate.Set(affiliate.Amount{})
	return f
}

// refunds is a refund of the sale of pi_1 by the host, of which it says how much is tax.
func refunds(s *scene.PayShop, id, amount, tax string) {
	s.T.Helper()
	scene.Must(s.RefundSale(s.T.Context(), affiliate.Refund{
		SaleID: s.SaleOf("pi_1").ID, RefundID: id, Amount: affiliate.Set(scene.Sum(amount)), Tax: affiliate.Set(scene.Sum(tax)),
	}))
}

func TestPaymentParts(t *testing.T) {
	for name, c := range map[string]struct {
		story func(s *scene.PayShop)
		want  string
	}{
		// The tax takes nothing off the base; the 30 take their share of the remaining 100.
		"the host's tax, then the provider's refund": {func(s *scene.PayShop) {
			refunds(s, "host", "20", "20")
			s.Play("R:re_1:30")
		}, "14"},
		// 30 with 10 tax leave 80 of 100; the 30 of which nothing is known take a third of it.
		"the host's refund, and the provider's of the same amount": {func(s *scene.PayShop) {
			refunds(s, "host", "30", "10")
			s.Play("R:re_1:30")
		}, "10.67"},
		// The host knows what is in the provider's refund.
		"the host's refund of the same id": {func(s *scene.PayShop) {
			refunds(s, "re_1", "30", "10")
			s.Play("R:re_1:30")
		}, "16"},
		// It knows nothing of a refund of 30 when it says 40.
		"the host's refund of the same id and another amount": {func(s *scene.PayShop) {
			refunds(s, "re_1", "40", "10")
			s.Play("R:re_1:30")
		}, "15"},
		"a pending refund takes nothing": {func(s *scene.PayShop) {
			s.Reports(named(s, "re_1", "30", "0", affiliate.RefundPending))
		}, "20"},
		"a failed refund takes nothing": {func(s *scene.PayShop) {
			s.Reports(named(s, "re_1", "30", "0", affiliate.RefundSucceeded), named(s, "re_1", "30", "0", affiliate.RefundFailed))
		}, "20"},
		"a late refund takes nothing": {func(s *scene.PayShop) {
			s.Pass(25 * time.Hour)
			s.Reports(named(s, "re_1", "30", "0", affiliate.RefundSucceeded))
		}, "20"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t, func(c *tributary.Config) { c.RefundWindow = 24 * time.Hour })
			s.Play("S")
			c.story(s)
			s.Gives("pi_1", c.want)
		})
	}
}

// The tax of a refund counts as much as the payment is worth: 40 of 240 euros, all of it
// tax, are 20 of the sale's 120 dollars, and leave the base as it is.
func TestPaymentPartsCounted(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "1"), func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = scene.Sum("240"), "EUR" }))
	f := named(s, "re_1", "40", "40", affiliate.RefundSucceeded)
	f.Currency = "EUR"
	s.Reports(f)
	if sale := s.Gives("pi_1", "20"); sale.RefundedAmount != scene.Sum("20") {
		t.Errorf("refunded %v, want 20", sale.RefundedAmount)
	}
}

// A refund of the facts moves money as a refund, and what brings it back, or says later
// what of it was tax, as a change of the sale.
func TestPaymentCauses(t *testing.T) {
	causes := func(s *scene.PayShop) (all []affiliate.Cause) {
		for m, err := range affiliate.All(t.Context(), s.Movements, affiliate.MovementQuery{AffiliateID: affiliate.Set(s.Mara.ID)}) {
			scene.Must(0, err)
			all = append(all, m.Cause)
		}
		slices.Reverse(all)
		return slices.Compact(all)
	}
	s := scene.NewPayShop(t)
	s.Play("S", "R:re_1:30")
	scene.Equal(t, []affiliate.Cause{affiliate.CauseSale, affiliate.CauseRefund}, causes(s))
	s.Play("R:re_1:30:failed")
	scene.Equal(t, []affiliate.Cause{affiliate.CauseSale, affiliate.CauseRefund, affiliate.CauseUpdate}, causes(s))
	s = scene.NewPayShop(t)
	s.Play("S", "R:re_1:20")
	s.Gives("pi_1", "16.67")
	s.Reports(named(s, "re_1", "20", "20", affiliate.RefundSucceeded))
	s.Gives("pi_1", "20")
	scene.Equal(t, []affiliate.Cause{affiliate.CauseSale, affiliate.CauseRefund, affiliate.CauseUpdate}, causes(s))
}

// What adjustments of earlier versions made up for is taken back once.
func TestPaymentAdjustedOnce(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Play("S")
	s.Raw(func(tx *record.Tx) error {
		return scene.Edit(tx.Payments, nil, func(r *record.Payment) {
			r.Peak, r.Adjusted, r.Adjustments = scene.Sum("120"), scene.Sum("5"), []uuid.UUID{{1}}
		})
	})
	s.Play("R:re_1:30", "R:re_2:30")
	var sums []affiliate.Amount
	for _, a := range s.AdjustmentsOf(s.SaleOf("pi_1").ID) {
		sums = append(sums, a.Amount)
	}
	scene.Equal(t, []affiliate.Amount{scene.Sum("-5")}, sums)
}
