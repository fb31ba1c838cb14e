package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/internal/pasted"
	"github.com/tributary-go/tributary/pay/stripe"
	"github.com/tributary-go/tributary/sqlitestore"
)

// A visit is a visitor, the site, and Stripe.
type visit struct {
	t         *testing.T
	page      []string          // the commands of the guide
	variables map[string]string // that it exports
	site      string            // its address
	browser   http.Client
	metadata  map[string]map[string]string // that the checkout gave Stripe: of the session, and of its subscription
}

// begin starts the program as the guide does, with a file of its own and a Stripe of the test.
func begin(t *testing.T) *visit {
	v := &visit{t: t, page: pasted.Commands(t, "../../../docs/guide-stripe.md")}
	v.variables = pasted.Exports(t, v.page[0]+v.page[1])
	checkout := httptest.NewServer(http.HandlerFunc(v.checkout))
	t.Cleanup(checkout.Close)
	v.variables["STRIPE_API_URL"] = checkout.URL
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), filepath.Base(v.variables["TRIBUTARY_FILE"])), sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	handler, err := open(store, func(name string) string { return v.variables[name] })
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(handler)
	t.Cleanup(site.Close)
	v.site = site.URL
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.browser = http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return v
}

// checkout answers as Stripe does when a session is made.
func (v *visit) checkout(w http.ResponseWriter, r *http.Request) {
	key, _, _ := r.BasicAuth()
	if r.URL.Path != "/v1/checkout/sessions" || key != v.variables["STRIPE_API_KEY"] ||
		r.FormValue("line_items[0][price]") != v.variables["STRIPE_PRICE"] || r.FormValue("mode") != "subscription" {
		http.Error(w, "no such session", http.StatusBadRequest)
		return
	}
	v.metadata = map[string]map[string]string{"metadata": {}, "subscription_data[metadata]": {}}
	for name := range r.Form {
		for object, metadata := range v.metadata {
			if key, ok := strings.CutPrefix(name, object+"["); ok {
				metadata[strings.TrimSuffix(key, "]")] = r.Form.Get(name)
			}
		}
	}
	_, _ = io.WriteString(w, `{"id": "cs_test_2", "url": "https://checkout.stripe.example/cs_test_2"}`)
}

// run runs a block of commands of the guide.
func (v *visit) run(block int) string {
	v.t.Helper()
	return pasted.Shell(v.t, strings.ReplaceAll(v.page[block], "http://127.0.0.1:8080", v.site), v.variables)
}

// subscribe follows a link and presses the button.
func (v *visit) subscribe(link string) {
	v.t.Helper()
	for _, step := range []func() (*http.Response, error){
		func() (*http.Response, error) { return v.browser.Get(v.site + link) },
		func() (*http.Response, error) { return v.browser.PostForm(v.site+"/subscribe", url.Values{}) },
	} {
		answer, err := step()
		if err != nil {
			v.t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusSeeOther && answer.Header.Get("Location") != "https://checkout.stripe.example/cs_test_2" || answer.StatusCode >= 400 {
			v.t.Fatalf("%s: %d, to %s", answer.Request.URL, answer.StatusCode, answer.Header.Get("Location"))
		}
	}
}

// then is when the events were recorded. What they say of the month before stays.
var then = regexp.MustCompile(`\b176[79]\d{6}\b`)

// event sends a recorded event, as one of the test mode, of today, and with the metadata of the checkout.
func (v *visit) event(name, secret string, changes ...string) int {
	v.t.Helper()
	body, err := os.ReadFile("../../../pay/stripe/testdata/" + name + ".json")
	if err != nil {
		v.t.Fatal(err)
	}
	now := time.Now()
	body = then.ReplaceAll(body, fmt.Append(nil, now.Unix()))
	body = bytes.ReplaceAll(body, []byte(`"livemode": true`), []byte(`"livemode": false`))
	body = []byte(strings.NewReplacer(changes...).Replace(string(body)))
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.site+"/webhooks/stripe", bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(stripe.HeaderName, stripe.Sign(secret, now, body))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// sent sends an event that Stripe signs, and requires that it is taken.
func (v *visit) sent(name string, changes ...string) {
	v.t.Helper()
	if code := v.event(name, v.variables["STRIPE_WEBHOOK_SECRET"], changes...); code != http.StatusNoContent {
		v.t.Errorf("%s: %d", name, code)
	}
}

// of is metadata in the place of none.
func (v *visit) of(object string) []string {
	text, err := json.Marshal(v.metadata[object])
	if err != nil {
		v.t.Fatal(err)
	}
	return []string{`"metadata": {}`, `"metadata": ` + string(text)}
}

// earned compares the commissions of all sales, by the invoice, with those wanted.
func (v *visit) earned(want map[string]string) {
	v.t.Helper()
	var sales []struct {
		ExternalInvoiceID string      `json:"externalInvoiceId"`
		CommissionEarned  json.Number `json:"commissionEarned"`
	}
	said := v.run(3)
	if err := json.Unmarshal([]byte(said), &sales); err != nil {
		v.t.Fatal(err)
	}
	got := map[string]string{}
	for _, sale := range sales {
		got[sale.ExternalInvoiceID] = sale.CommissionEarned.String()
	}
	if len(sales) != len(want) || !maps.Equal(got, want) {
		v.t.Errorf("earned %v, want %v: %s", got, want, said)
	}
}

// TestGuide: who came by a link subscribes, and the next month pays again: each payment earns once,
// however often Stripe tells it, and what is refunded earns nothing.
func TestGuide(t *testing.T) {
	v := begin(t)
	v.run(2)
	v.subscribe("/?ref=ada")
	session := v.of("metadata")
	if code := v.event("session_subscription", "whsec_of_somebody_else", session...); code != http.StatusUnauthorized {
		t.Errorf("signed by somebody else: %d", code)
	}
	v.earned(nil)
	for range 2 {
		v.sent("session_subscription", session...)
	}
	v.sent("invoice_payment")
	v.earned(map[string]string{"in_1": "5.8"})
	if shown := `"commissionEarned":5.8`; !strings.Contains(v.run(3), shown) {
		t.Errorf("the guide shows %s", shown)
	}
	for range 2 {
		v.sent("invoice_cycle", v.of("subscription_data[metadata]")...)
	}
	v.earned(map[string]string{"in_1": "5.8", "in_2": "5.8"})
	for range 2 {
		v.sent("refund", "3000", "2900")
	}
	v.earned(map[string]string{"in_1": "0", "in_2": "5.8"})
}

// TestOvertaken: a renewal that comes before its first payment is sent again, because its metadata
// names who brought the customer.
func TestOvertaken(t *testing.T) {
	v := begin(t)
	v.run(2)
	v.subscribe("/?ref=ada")
	renewal := v.of("subscription_data[metadata]")
	if code := v.event("invoice_cycle", v.variables["STRIPE_WEBHOOK_SECRET"], renewal...); code != http.StatusServiceUnavailable {
		t.Errorf("a renewal before its first payment: %d", code)
	}
	v.sent("session_subscription", v.of("metadata")...)
	v.sent("invoice_cycle", renewal...)
	v.earned(map[string]string{"in_1": "5.8", "in_2": "5.8"})
}

// TestNobody: who came by no link earns nobody anything.
func TestNobody(t *testing.T) {
	v := begin(t)
	v.subscribe("/")
	v.sent("session_subscription", v.of("metadata")...)
	v.earned(nil)
}

// TestModule: the commands of the guide take the program into a module.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads and links a module")
	}
	page := pasted.Commands(t, "../../../docs/guide-stripe.md")
	pasted.Module(t, page[4], "../../..")
}
