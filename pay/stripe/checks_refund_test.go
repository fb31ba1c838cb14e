package stripe_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// TestRefunds: checks 41 to 56.
func TestRefunds(t *testing.T) {
	run(t, []check{
		{41, "a refund", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "15.00")
			shoptest.Same(t, "sale.updated", s.Fired(affiliate.SaleUpdated), 1)
			shoptest.Same(t, "moved", s.Last().Moved, affiliate.MustAmount("-5"))
		}},
		{42, "the same refund again", func(t *testing.T) {
			s := newShop(t)
			r := s.refund("re_1", "pi_1", 3000)
			s.Send(s.first(), r)
			fired := s.Fired("")
			s.Send(r, r.With("type", "refund.updated", "id", "evt_other"))
			s.Want(s.Mara, "15.00")
			shoptest.Same(t, "events", s.Fired(""), fired)
		}},
		{43, "the rest", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000), s.refund("re_2", "pi_1", 9000))
			s.Want(s.Mara, "0.00")
			shoptest.Same(t, "status", s.Sale().Status, affiliate.SaleRefunded)
			shoptest.Same(t, "sale.deleted", s.Fired(affiliate.SaleDeleted), 1)
		}},
		{44, "a redelivery after everything went back", func(t *testing.T) {
			s := newShop(t)
			e := s.first()
			s.Send(e, s.refund("re_1", "pi_1", 12000))
			fired := s.Fired("")
			s.Send(e)
			s.Outcome(affiliate.SaleDuplicate)
			s.Want(s.Mara, "0.00")
			shoptest.Same(t, "events", s.Fired(""), fired)
		}},
		{45, "a refund by id and as a sum", func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				s.Send(s.first())
				events := []event{s.refund("re_1", "pi_1", 3000), s.load("charge_refunded", "id", "ch_pi_1")}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Want(s.Mara, "15.00")
			})
		}},
		{46, "sums in the wrong order", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.load("charge_refunded", "amount_refunded", 5000), s.load("charge_refunded", "amount_refunded", 3000))
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.MustAmount("50"))
			s.Want(s.Mara, "11.67")
		}},
		{47, "pending, then succeeded", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000, "status", "pending"))
			s.Want(s.Mara, "20.00")
			s.Send(s.refund("re_1", "pi_1", 3000, "/type", "refund.updated"))
			s.Want(s.Mara, "15.00")
		}},
		{48, "pending, then failed", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000, "status", "pending"), s.refund("re_1", "pi_1", 3000, "status", "failed", "/type", "refund.failed"))
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "sale.updated", s.Fired(affiliate.SaleUpdated), 0)
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)
		}},
		{49, "succeeded, then failed", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000), s.refund("re_1", "pi_1", 3000, "status", "failed", "/type", "refund.failed"))
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "commission", s.Sale().CommissionEarned, affiliate.MustAmount("20"))
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.Amount{})
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)
		}},
		{50, "a refund before its payment", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Outcome(affiliate.SaleParked)
			s.Send(s.first())
			s.Want(s.Mara, "15.00")
		}},
		{51, "a full refund before its payment", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.refund("re_1", "pi_1", 12000), s.first())
			s.Want(s.Mara, "0.00")
			shoptest.Same(t, "status", s.Sale().Status, affiliate.SaleRefunded)
			shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("pi_1"))
			s.Send(s.first())
			s.Sale()
		}},
		{52, "a refund of an invoice", func(t *testing.T) {
			inEachOrder(t, 3, func(s *shop, order []int) {
				events := []event{s.subscribed("in_9", 2900, "metadata.tributary_click", "1"), s.refund("re_9", "pi_9", 2900), s.link("in_9", "pi_9")}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Sale()
				s.Want(s.Mara, "0.00")
			})
		}},
		{53, "a link a day later", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_9", 2900, "metadata.tributary_click", "1"), s.refund("re_9", "pi_9", 2900))
			s.Want(s.Mara, "5.80")
			s.Outcome(affiliate.SaleParked)
			s.Pass(24 * time.Hour)
			s.Send(s.link("in_9", "pi_9"))
			s.Want(s.Mara, "0.00")
		}},
		{54, "a charge of an old version names its invoice", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_2", 2900, "metadata.tributary_click", "1"), s.load("charge_refunded_acacia"))
			s.Want(s.Mara, "0.00")
		}},
		{55, "a refund after the payout", func(t *testing.T) { afterPayout(t, true) }},
		{56, "a refund during the payout", func(t *testing.T) { afterPayout(t, false) }},
	})
}

// afterPayout refunds a sale that a payout holds.
func afterPayout(t *testing.T, paid bool) {
	s := newShop(t)
	s.Send(s.first())
	before := shoptest.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: s.Mara.ID, ManuallyPaid: paid}))
	s.Send(s.refund("re_1", "pi_1", 3000))
	after := shoptest.Must(s.Payout(t.Context(), before.ID))
	shoptest.Same(t, "amount of the payout", after.Amount, affiliate.MustAmount("20"))
	shoptest.Same(t, "status of the payout", after.Status, before.Status)
	commissions := s.Sale().Commissions
	shoptest.Same(t, "commissions", len(commissions), 2)
	shoptest.Same(t, "entry", commissions[1].CommissionEarned, affiliate.MustAmount("-5"))
	shoptest.Same(t, "payable", shoptest.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Mara.ID})).Payable, affiliate.MustAmount("-5"))
}
