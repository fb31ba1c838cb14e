package stripe_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// status is an event of a subscription.
func (s *shop) status(id, status string) event {
	return s.load("subscription", "id", id, "status", status)
}

// is requires the status of the customer.
func (s *shop) is(want affiliate.SubscriptionStatus) {
	s.T.Helper()
	shoptest.Same(s.T, "status", s.Referral().Status, want)
}

// TestStatus: checks 74 to 78.
func TestStatus(t *testing.T) {
	run(t, []check{
		{74, "past due does not stop a payment", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.status("sub_1", "past_due"))
			s.is(affiliate.SubscriptionPastDue)
			shoptest.Same(t, "referral.updated", s.Fired(affiliate.ReferralUpdated), 1)
			s.Send(s.invoice("in_2", "subscription_cycle", 2900))
			s.Want(s.Mara, "11.60")
			s.Pass(time.Second)
			s.Send(s.status("sub_1", "active"))
			s.is(affiliate.SubscriptionActive)
		}},
		{75, "deleted is final", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			older := s.status("sub_1", "past_due")
			s.Pass(time.Minute)
			s.Send(s.load("subscription", "/type", "customer.subscription.deleted", "status", "canceled"), older)
			s.is(affiliate.SubscriptionCancelled)
		}},
		{76, "two subscriptions", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.status("sub_1", "active"), s.status("sub_2", "trialing"))
			s.Pass(time.Minute)
			s.Send(s.status("sub_1", "canceled"))
			s.is(affiliate.SubscriptionActive)
			s.Pass(time.Minute)
			s.Send(s.status("sub_2", "canceled"))
			s.is(affiliate.SubscriptionCancelled)
		}},
		{77, "two states in one second", func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
				events := []event{s.status("sub_1", "past_due"), s.status("sub_1", "active")}
				for _, i := range order {
					s.Send(events[i])
				}
				s.is(affiliate.SubscriptionActive)
			})
		}},
		{78, "declined by a person", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			shoptest.Must(s.UpdateReferral(t.Context(), s.Referral().ID.String(), affiliate.ReferralUpdate{
				SubscriptionStatus: affiliate.Set(affiliate.SubscriptionDeclined),
			}))
			s.Send(s.invoice("in_2", "subscription_cycle", 2900))
			s.Outcome(affiliate.SaleInactiveCustomer)
			s.Sale()
		}},
	})
}

// TestStatusIgnored: a subscription that is not complete, and one of a payer who
// is not known, change nothing.
func TestStatusIgnored(t *testing.T) {
	s := newShop(t)
	s.Send(s.status("sub_1", "active"))
	s.Ignored(pay.NoCustomer)
	s.Send(s.status("sub_1", "incomplete"))
	s.Ignored(pay.Unpaid)
	s.Send(s.status("sub_1", "a status of the future"))
	s.Ignored(pay.UnknownEvent)
	s.Send(s.load("subscription", "customer", nil))
	s.Ignored(pay.NoCustomer)
}
