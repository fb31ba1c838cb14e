package stripe_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in Stripe's events.
func TestConformance(t *testing.T) {
	s := newShop(t)
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell: func(step paytest.Step) []byte { return tell(s, step).JSON() },
	}.Run(t)
}

// tell is Stripe's event of a step.
func tell(s *shop, step paytest.Step) event {
	s.Now = step.At
	cents := func(a affiliate.Amount) int { return int(a.Scaled() / 100) }
	var e event
	switch step.Kind {
	case paytest.Customer:
		e = s.load("customer", "id", step.Payer, "email", step.Email, "name", step.Name)
	case paytest.Paid:
		if step.Renewal {
			e = s.load("invoice_cycle_acacia", "id", "in_"+step.Payment, "charge", "ch_"+step.Payment, "payment_intent", step.Payment, "customer", step.Payer,
				"customer_email", step.Email, "customer_name", step.Name, "amount_paid", cents(step.Amount), "amount_due", cents(step.Amount),
				"total", cents(step.Amount), "subtotal", cents(step.Amount)-cents(step.Tax), "total_excluding_tax", cents(step.Amount)-cents(step.Tax), "tax", cents(step.Tax),
				"subscription", "s1", "subscription_details.metadata", step.Data, "status_transitions.paid_at", step.At.Unix())
			break
		}
		e = s.load("session_payment", "id", "cs_"+step.Payment, "payment_intent", step.Payment, "customer", step.Payer, "customer_details.email", step.Email,
			"customer_details.name", step.Name, "amount_total", cents(step.Amount), "amount_subtotal", cents(step.Amount)-cents(step.Tax),
			"total_details.amount_tax", cents(step.Tax), "metadata", step.Data, "created", step.At.Unix())
	case paytest.Refund:
		e = s.refund(step.Of, step.Payment, cents(step.Amount), "charge", "ch_"+step.Payment)
	case paytest.RefundFailed:
		e = s.refund(step.Of, step.Payment, cents(step.Amount), "charge", "ch_"+step.Payment, "status", "failed").With("type", "refund.failed")
	case paytest.Dispute:
		e = s.dispute(step.Of, "needs_response", cents(step.Amount), "charge", "ch_"+step.Payment, "payment_intent", step.Payment)
	case paytest.DisputeWon:
		e = s.dispute(step.Of, "won", cents(step.Amount), "charge", "ch_"+step.Payment, "payment_intent", step.Payment).With("type", "charge.dispute.closed")
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "canceled"}[step.Status]
		e = s.load("subscription", "id", step.Payment, "customer", step.Payer, "status", status)
	}
	return e.With("id", fmt.Sprint("evt_", step.ID), "created", step.At.Unix())
}
