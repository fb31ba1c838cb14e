package stripe_test

import (
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// TestDisputes: checks 57 to 64.
func TestDisputes(t *testing.T) {
	run(t, []check{
		{57, "withdrawn, won, then refunded", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 12000))
			s.Want(s.Mara, "0.00")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 12000, "/type", "charge.dispute.closed"))
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "status", s.Sale().Status, affiliate.SaleActive)
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.Amount{})
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "15.00")
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)
		}},
		{58, "lost", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 12000))
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "lost", 12000, "/type", "charge.dispute.closed"))
			s.Want(s.Mara, "0.00")
		}},
		{59, "states in the wrong order", func(t *testing.T) {
			s := newShop(t)
			opened := s.dispute("du_1", "needs_response", 12000)
			s.Pass(time.Hour)
			s.Send(s.first(), s.dispute("du_1", "won", 12000, "/type", "charge.dispute.closed"))
			fired := s.Fired("")
			s.Send(opened)
			s.Want(s.Mara, "20.00")
			shoptest.Same(t, "events", s.Fired(""), fired)
			shoptest.Same(t, "adjustments", len(s.Adjusted()), 0)

			s = newShop(t)
			s.Send(s.first(), s.dispute("du_1", "lost", 12000))
			s.Want(s.Mara, "0.00")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 12000))
			s.Want(s.Mara, "20.00")
		}},
		{60, "a part", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 6000))
			s.Want(s.Mara, "10.00")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "lost", 6000))
			s.Want(s.Mara, "10.00")
		}},
		{61, "an inquiry", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first())
			for _, status := range []string{"warning_needs_response", "warning_under_review", "warning_closed"} {
				s.Pass(time.Hour)
				s.Send(s.dispute("du_1", status, 12000))
				s.Want(s.Mara, "20.00")
			}
			shoptest.Same(t, "sale.updated", s.Fired(affiliate.SaleUpdated), 0)
		}},
		{62, "with a refund", func(t *testing.T) {
			inEachOrder(t, 2, func(s *shop, order []int) {
				s.Send(s.first())
				events := []event{s.refund("re_1", "pi_1", 3000), s.dispute("du_1", "under_review", 12000)}
				for _, i := range order {
					s.Send(events[i])
				}
				s.Want(s.Mara, "0.00")
				s.Pass(time.Hour)
				s.Send(s.dispute("du_1", "won", 12000))
				s.Want(s.Mara, "15.00")
			})
		}},
		{63, "the fee", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 12000), s.dispute("du_1", "needs_response", 12000, "balance_transactions.0.fee", 99900))
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 12000))
			s.Want(s.Mara, "20.00")
		}},
		{64, "two at once", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.dispute("du_1", "needs_response", 4000), s.dispute("du_2", "needs_response", 3000))
			s.Want(s.Mara, "8.33")
			s.Pass(time.Hour)
			s.Send(s.dispute("du_1", "won", 4000))
			s.Want(s.Mara, "15.00")
		}},
	})
}

// TestCreditNotes: checks 65 to 73.
func TestCreditNotes(t *testing.T) {
	run(t, []check{
		{65, "to the balance", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"))
			s.Send(s.load("credit_note", "invoice", "in_1", "out_of_band_amount", nil, "customer_balance_transaction", "cbtxn_1"))
			s.Ignored(pay.CreditBalance)
			s.Want(s.Mara, "5.80")
			s.Send(s.invoice("in_2", "subscription_cycle", 1900, "total", 2900))
			s.Want(s.Mara, "9.60")
		}},
		{66, "out of band", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.load("credit_note", "invoice", "in_1"))
			s.Want(s.Mara, "3.80")
		}},
		{67, "with a refund", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.subscribed("in_1", 2900, "metadata.tributary_click", "1"), s.link("in_1", "pi_1"))
			s.Send(s.load("credit_note", "invoice", "in_1", "out_of_band_amount", 0,
				"refunds", []any{map[string]any{"refund": "re_1", "amount_refunded": 1000, "type": "refund"}}))
			s.Ignored(pay.CoveredElsewhere)
			s.Send(s.refund("re_1", "pi_1", 1000))
			s.Want(s.Mara, "3.80")
		}},
		{68, "thirds", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.session("pi_1", 10999, "total_details.amount_tax", 999, "metadata.tributary_click", "1"))
			for i, want := range []string{"20.00", "13.94", "7.88", "0.00"} {
				if i > 0 {
					s.Send(s.refund(fmt.Sprintf("re_%d", i), "pi_1", []int{0, 3333, 3333, 4333}[i]))
				}
				s.Want(s.Mara, want)
			}
		}},
		{69, "JPY", func(t *testing.T) {
			s := inCurrency(t, "JPY")
			s.Send(s.session("pi_1", 1234, "currency", "jpy", "total_details.amount_tax", 112, "metadata.tributary_click", "1"))
			s.Send(s.refund("re_1", "pi_1", 617, "currency", "jpy"))
			s.Want(s.Mara, "112")
		}},
		{70, "KWD", func(t *testing.T) {
			s := inCurrency(t, "KWD")
			s.Send(s.session("pi_1", 12340, "currency", "kwd", "metadata.tributary_click", "1"), s.refund("re_1", "pi_1", 1230, "currency", "kwd"))
			s.Want(s.Mara, "2.222")
		}},
		{71, "another amount, and the host's own refunds", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.refund("re_1", "pi_1", 3000), s.refund("re_1", "pi_1", 4000))
			if s.Last().Refusal == nil || s.Last().Done {
				t.Errorf("the amount was taken: %+v", s.Last())
			}
			s.Want(s.Mara, "15.00")

			s = newShop(t)
			s.Send(s.first())
			s.refundByHost("30", "re_1")
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "15.00")

			s = newShop(t)
			s.Send(s.first())
			s.refundByHost("10", "")
			s.Send(s.refund("re_1", "pi_1", 3000))
			s.Want(s.Mara, "13.33")
			shoptest.Same(t, "refunded", s.Sale().RefundedAmount, affiliate.MustAmount("40"))
		}},
		{72, "of a payment without an affiliate", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first("metadata", map[string]any{}), s.refund("re_1", "pi_1", 3000))
			s.Outcome(affiliate.SaleParked)
			s.payment("pi_1")
			for _, days := range []int{89, 2} {
				s.Pass(time.Duration(days) * 24 * time.Hour)
				shoptest.Must(s.Run(t.Context(), affiliate.PruneJob{Before: s.Now}))
				_, err := s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1")
				shoptest.Same(t, "kept", err == nil, days == 89)
			}
		}},
		{73, "payments and refunds at once", func(t *testing.T) {
			s := newShop(t)
			var events []event
			for i := range 200 {
				id, person := fmt.Sprintf("pi_%d", i), fmt.Sprintf("p%d@example.com", i%20)
				events = append(events, s.first("id", "cs_"+id, "payment_intent", id, "customer", person, "customer_details.email", person),
					s.refund("re_"+id, id, 3000))
			}
			atOnce(t, s, events)
			for _, sale := range s.AllSales() {
				shoptest.Same(t, "commission", sale.CommissionEarned, affiliate.MustAmount("15"))
			}
			s.Want(s.Mara, "3000.00")
		}},
	})
}

// atOnce sends events from 16 goroutines.
func atOnce(t *testing.T, s *shop, events []event) {
	t.Helper()
	h := handler(t, s.Program, configAt(s))
	next := make(chan event)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for e := range next {
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, signed(e.JSON(), s.Now)); w.Code != 204 {
					t.Errorf("status %d", w.Code)
				}
			}
		})
	}
	for _, e := range events {
		next <- e
	}
	close(next)
	wg.Wait()
}

// refundByHost refunds the sale as a host does.
func (s *shop) refundByHost(amount, id string) {
	s.T.Helper()
	shoptest.Must(s.RefundSale(s.T.Context(), affiliate.Refund{SaleID: s.Sale().ID, Amount: affiliate.Set(affiliate.MustAmount(amount)), RefundID: id}))
}
