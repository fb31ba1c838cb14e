package paddle_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// An adjustment of the payment txn_1 of a test.
type adjustment struct {
	id, action, status string
	total              int
	want               string // what Mara has afterwards
}

// TestAdjustments: refunds and chargebacks of a payment of 120 with tax 20, of
// which Mara has 20.
func TestAdjustments(t *testing.T) {
	for name, steps := range map[string][]adjustment{
		"a part":                     {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_1", "refund", "approved", 3000, "15.00"}},
		"all of it, in parts":        {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_2", "refund", "approved", 9000, "0.00"}},
		"waiting, then approved":     {{"adj_1", "refund", "pending_approval", 3000, "20.00"}, {"adj_1", "refund", "approved", 3000, "15.00"}},
		"waiting, then rejected":     {{"adj_1", "refund", "pending_approval", 3000, "20.00"}, {"adj_1", "refund", "rejected", 3000, "20.00"}},
		"approved, then reversed":    {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_1", "refund", "reversed", 3000, "20.00"}},
		"an unknown state":           {{"adj_1", "refund", "thinking", 3000, "20.00"}},
		"a chargeback":               {{"adj_1", "chargeback", "approved", 12000, "0.00"}, {"adj_2", "chargeback_reverse", "approved", 12000, "20.00"}},
		"a chargeback of a part":     {{"adj_1", "chargeback", "approved", 6000, "10.00"}, {"adj_2", "chargeback_reverse", "approved", 6000, "20.00"}, {"adj_3", "chargeback", "approved", 6000, "10.00"}},
		"two chargebacks":            {{"adj_1", "chargeback", "approved", 4000, "13.33"}, {"adj_2", "chargeback", "approved", 3000, "8.33"}, {"adj_3", "chargeback_reverse", "approved", 4000, "15.00"}},
		"a warning that comes true":  {{"adj_1", "chargeback_warning", "approved", 12000, "0.00"}, {"adj_2", "chargeback_warning_reverse", "approved", 12000, "20.00"}, {"adj_3", "chargeback", "approved", 12000, "0.00"}},
		"a chargeback that was none": {{"adj_1", "chargeback", "approved", 12000, "0.00"}, {"adj_1", "chargeback", "reversed", 12000, "20.00"}},
		"not yet a chargeback":       {{"adj_1", "chargeback", "pending_approval", 12000, "20.00"}, {"adj_1", "chargeback", "rejected", 12000, "20.00"}},
		"not yet a reverse":          {{"adj_1", "chargeback", "approved", 12000, "0.00"}, {"adj_2", "chargeback_reverse", "pending_approval", 12000, "0.00"}},
		"a refund and a chargeback":  {{"adj_1", "refund", "approved", 3000, "15.00"}, {"adj_2", "chargeback", "approved", 12000, "0.00"}, {"adj_3", "chargeback_reverse", "approved", 12000, "15.00"}},
		"credit":                     {{"adj_1", "credit", "approved", 3000, "20.00"}, {"adj_2", "credit_reverse", "approved", 3000, "20.00"}},
		"nothing":                    {{"adj_1", "refund", "approved", 0, "20.00"}, {"adj_2", "chargeback", "approved", 0, "20.00"}},
		"an unknown action":          {{"adj_1", "gift", "approved", 3000, "20.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.Send(s.customer(), s.first())
			for _, step := range steps {
				s.Pass(time.Hour)
				s.Send(s.adjusted(step.id, step.action, "txn_1", step.total, "status", step.status))
				s.Want(s.Mara, step.want)
			}
		})
	}
}

// TestLateChargebackEvent: a later event of a chargeback that was given back takes
// no money again.
func TestLateChargebackEvent(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer(), s.first())
	made := s.adjusted("adj_1", "chargeback", "txn_1", 12000)
	s.Pass(time.Hour)
	s.Send(made, s.adjusted("adj_2", "chargeback_reverse", "txn_1", 12000))
	s.Pass(time.Hour)
	s.Send(made.With("event_id", "evt_late", "event_type", "adjustment.updated", "occurred_at", stamp(s.Now)))
	s.Want(s.Mara, "20.00")
}

// TestRefundFirst: a refund that comes before its payment waits for it, and one
// after the payout leaves the payout as it is.
func TestRefundFirst(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer(), s.adjusted("adj_1", "refund", "txn_1", 3000))
	s.Outcome(affiliate.SaleParked)
	s.Send(s.first())
	s.Want(s.Mara, "15.00")

	paid := newShop(t)
	paid.Send(paid.customer(), paid.first())
	payout := shoptest.Must(paid.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: paid.Mara.ID, ExternalID: "2026-01"}))
	shoptest.Must(paid.SetPayoutStatus(t.Context(), payout.ID, affiliate.PayoutPaid))
	paid.Send(paid.adjusted("adj_1", "refund", "txn_1", 3000))
	balance := shoptest.Must(paid.Balance(t.Context(), affiliate.AffiliateRef{ID: paid.Mara.ID}))
	shoptest.Same(t, "payable", balance.Payable.Format("USD"), "-5.00")
	shoptest.Same(t, "paid", balance.Paid.Format("USD"), "20.00")
	shoptest.Same(t, "kind", paid.Last().Action.Kind, pay.KindRefund)
}
