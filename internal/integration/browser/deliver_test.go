package browser

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/webhooks"
)

// A receiver answers deliveries with a status, and keeps what it got.
type receiver struct {
	mu     sync.Mutex
	status int
	got    []string // webhook-id and body
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, q.Header.Get("webhook-id")+" "+string(body))
	w.WriteHeader(r.status)
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.got...)
}

// TestDeliveries (check 43): a delivery that failed is sent again from its page, with
// the same id and the same bytes, to a receiver that now takes it. A new secret is on
// one page, once.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t)
		to := &receiver{status: 500}
		send := w.delivers()
		hook := must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: originOf(t, to) + "/", Events: []affiliate.EventType{"affiliate.created"}}))(t)
		must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "X", Email: "ada@example.org"}))(t)
		send()
		tb := open(w)
		tb.open("/webhooks?state=failed")
		tb.press("affiliate.created")
		delivery := tb.path()
		tb.says("Failed")
		tb.press("Send again…")
		tb.press("Send again")
		to.answer(204)
		send()
		tb.open(delivery)
		tb.says("Delivered")
		if got := to.all(); len(got) != 2 || got[0] != got[1] || !strings.HasPrefix(got[0], "evt_") {
			t.Errorf("the receiver got %q", got)
		}
		endpoint := "/webhooks/" + hook.ID.String()
		tb.open(endpoint)
		tb.press("New secret…")
		tb.press("Make a new secret")
		secret := eval[string](tb, `document.querySelector("#secret").value`)
		if !strings.HasPrefix(secret, "whsec_") {
			t.Errorf("the secret is %q", secret)
		}
		tb.press("To the endpoint")
		tb.lacks(secret)
		tb.open(endpoint + "/edit")
		tb.lacks(secret)
	})
}

// lacks reports an error when the page has a text anywhere.
func (tb *tab) lacks(text string) {
	tb.Helper()
	if html := eval[string](tb, `document.documentElement.outerHTML`); text == "" || strings.Contains(html, text) {
		tb.Errorf("%s has %q", tb.path(), text)
	}
}

// delivers lets the program deliver to this machine, and returns what makes every
// attempt that is due.
func (w *world) delivers() (send func()) {
	w.t.Helper()
	cfg := w.Config()
	cfg.Addresses = serve.PrivateAddresses()
	sender := &webhooks.Sender{Addresses: cfg.Addresses, Now: w.clock.now}
	cfg.Send = sender.Send
	w.open(cfg)
	sender.Outbox = w.Webhooks()
	return func() {
		w.t.Helper()
		if _, err := sender.Drain(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}
