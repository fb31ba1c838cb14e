package portal_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestStaleDetails: an old page writes no detail that the affiliate did
// not change, and what was changed by two is asked about.
func TestStaleDetails(t *testing.T) {
	details := func(w *world) string {
		a := must(w.Affiliate(t.Context(), w.ada.ID.String()))
		return a.PayoutEmail.Or("") + " " + string(a.PaymentMethod.Or(""))
	}
	set := func(w *world, email string, method affiliate.PaymentMethod) {
		must(w.SetPayoutDetails(t.Context(), w.ada.ID, affiliate.PayoutDetails{Email: email, Method: method}))
	}
	t.Run("another field", func(t *testing.T) {
		w := newWorld(t, "")
		cookie := w.enter(w.ada.ID)
		form := w.get(cookie, "payout-details").form("payoutEmail", "ada@pay.example", "paymentMethod", "WISE")
		set(w, "theirs@pay.example", "PAYPAL")
		saved := w.post(cookie, "payout-details/save", w.post(cookie, "payout-details", form).form())
		if saved.status != 303 || details(w) != "theirs@pay.example WISE" {
			t.Errorf("%d, %s: %s", saved.status, details(w), saved.text())
		}
	})
	t.Run("the same field", func(t *testing.T) {
		w := newWorld(t, "")
		cookie := w.enter(w.ada.ID)
		form := w.get(cookie, "payout-details").form("payoutEmail", "mine@pay.example", "paymentMethod", "PAYPAL")
		set(w, "theirs@pay.example", "PAYPAL")
		asked := w.post(cookie, "payout-details", form)
		if asked.status != 409 || !strings.Contains(asked.text(), "This was changed meanwhile, to t***@p***.example") || !strings.Contains(asked.body, `value="mine@pay.example"`) {
			t.Fatalf("%d %s", asked.status, asked.body)
		}
		again := w.post(cookie, "payout-details", asked.form("payoutEmail", "mine@pay.example", "paymentMethod", "PAYPAL"))
		if saved := w.post(cookie, "payout-details/save", again.form()); saved.status != 303 || details(w) != "mine@pay.example PAYPAL" {
			t.Errorf("%d, %s", saved.status, details(w))
		}
	})
	t.Run("while it is asked", func(t *testing.T) {
		w := newWorld(t, "")
		cookie := w.enter(w.ada.ID)
		asked := w.post(cookie, "payout-details", w.get(cookie, "payout-details").form("payoutEmail", "mine@pay.example", "paymentMethod", "WISE"))
		set(w, "theirs@pay.example", "WISE_BANK")
		late := w.post(cookie, "payout-details/save", asked.form())
		if late.status != 409 || details(w) != "theirs@pay.example WISE_BANK" || !strings.Contains(late.text(), "Until now t***@p***.example , Wise bank") {
			t.Fatalf("%d, %s: %s", late.status, details(w), late.text())
		}
		for range 2 {
			if saved := w.post(cookie, "payout-details/save", late.form()); saved.status != 303 || details(w) != "mine@pay.example WISE" {
				t.Errorf("%d, %s", saved.status, details(w))
			}
		}
	})
}
