package paddle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/paytest"
)

// TestConformance: what any adapter must do, in Paddle's events.
func TestConformance(t *testing.T) {
	s := newShop(t)
	paytest.Suite{
		Handler: provider.HandlerOf, Map: provider.MapOf, Sign: provider.Sign,
		Tell: func(step paytest.Step) []byte { return tell(s, step).JSON() },
	}.Run(t)
}

// tell is Paddle's event of a step.
func tell(s *shop, step paytest.Step) event {
	s.Now = step.At
	cents := func(a affiliate.Amount) int { return int(a.Scaled() / 100) }
	adjusted := func(action, status string) event {
		return s.adjusted(step.Of, action, step.Payment, cents(step.Amount), "status", status, "totals.tax", fmt.Sprint(cents(step.Tax)), "totals.subtotal", fmt.Sprint(cents(step.Amount)-cents(step.Tax)))
	}
	var e event
	switch step.Kind {
	case paytest.Customer:
		e = s.customer("id", step.Payer, "email", step.Email, "name", step.Name)
	case paytest.Paid:
		data := map[string]any{"tributary_program": ""} // so that the shop signs nothing
		for key, value := range step.Data {
			data[key] = value
		}
		e = s.transaction(step.Payment, cents(step.Amount), cents(step.Tax), "customer_id", step.Payer, "custom_data", data, "payments.0.captured_at", step.At)
		if step.Renewal {
			e = e.With("data.subscription_id", "s1", "data.origin", "subscription_recurring")
		}
	case paytest.Refund:
		e = adjusted("refund", "approved")
	case paytest.RefundFailed:
		e = adjusted("refund", "reversed")
	case paytest.Dispute:
		e = adjusted("chargeback", "approved")
	case paytest.DisputeWon:
		e = adjusted("chargeback_reverse", "approved")
	case paytest.Status:
		status := map[affiliate.SubscriptionStatus]string{"ACTIVE": "active", "PAST_DUE": "past_due", "CANCELLED": "canceled"}[step.Status]
		e = s.status(status, "id", step.Payment, "customer_id", step.Payer)
	}
	return e.With("event_id", strings.Replace(step.ID, "e", "evt_", 1))
}
