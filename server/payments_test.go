package main

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/stripe"
	"github.com/tributary-go/tributary/webhooks"
)

const (
	stripeSecret  = "whsec_of-stripe-in-this-suite"
	reportSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	stripePath    = "/pay/stripe"
	reportPath    = "/pay/generic"
	anotherSecret = "whsec_of-somebody-else"
)

// post sends an event with headers, and returns the status.
func (s *runningServer) post(path string, headers http.Header, body string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(r.Header, headers)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// checkout is an event of Stripe: a checkout that a link of Ada's led to.
func checkout(t *testing.T, changes ...string) string {
	t.Helper()
	text := repository(t, "pay/stripe/testdata/session_payment.json")
	changes = append(changes, `"client_reference_id": null`, `"client_reference_id": "trib_s_ada_`+app.ProgramID+`"`)
	return strings.NewReplacer(changes...).Replace(text)
}

// byStripe sends an event that is signed with a secret as Stripe does.
func (s *runningServer) byStripe(secret, body string) int {
	s.t.Helper()
	signature := stripe.Sign(secret, time.Now(), []byte(body))
	return s.post(stripePath, http.Header{stripe.HeaderName: {signature}}, body)
}

// report sends a report of a payment.
func (s *runningServer) report(secret affiliate.Secret, order string) int {
	s.t.Helper()
	body := fmt.Sprintf(`{"id":"rep_%[1]s","type":"payment","at":%[2]q,"provider":"acmepay","ids":["pay_%[1]s"],"currency":"USD",
		"customer":{"id":"cus_5","email":"b@example.net"},"paid":{"amount":"58.00","orderId":%[1]q,"credit":[{"slug":"ada"}]}}`,
		order, time.Now().Format(time.RFC3339))
	headers, err := webhooks.Sign([]affiliate.Secret{secret}, "rep_"+order, time.Now(), []byte(body))
	if err != nil {
		s.t.Fatal(err)
	}
	return s.post(reportPath, headers, body)
}

// TestPayments: with nothing but variables, a signed event of Stripe and a report become sales, once
// each. What is not signed is refused and leaves nothing, a payment in a currency without a rate
// waits for somebody, and the server says what to do at the provider and none of the secrets.
func TestPayments(t *testing.T) {
	key := strings.Repeat("k", 32)
	carry := hex.EncodeToString([]byte(key))
	env := environment{"TRIBUTARY_STRIPE_SECRET": stripeSecret, "TRIBUTARY_GENERIC_SECRET": reportSecret, carryKeysVariable: carry,
		"TRIBUTARY_WEBHOOK_SECRET": "of a receiver"}
	s := launchIn(t, env, "-file", inFolder(t, "program.db"), "-url", "https://partners.shop.example/")
	defer s.stop()
	s.ada()
	signed, err := pay.Keys{[]byte(key)}.Sign(pay.Carried{Program: uuid.MustParse(app.ProgramID), Slug: "ada", Order: "order-1"})
	if err != nil {
		t.Fatal(err)
	}
	paid := checkout(t, `"metadata": {}`, fmt.Sprintf(
		`"metadata": {"tributary_program": %q, "tributary_slug": "ada", "tributary_order": "order-1", "tributary_signature": %q}`, app.ProgramID, signed))
	for name, status := range map[string]int{
		"signed by somebody else": s.byStripe(anotherSecret, paid),
		"changed afterwards": s.post(stripePath, http.Header{stripe.HeaderName: {stripe.Sign(stripeSecret, time.Now(), []byte(paid))}},
			strings.Replace(paid, "12000", "12001", 1)),
		"an hour old":               s.post(stripePath, http.Header{stripe.HeaderName: {stripe.Sign(stripeSecret, time.Now().Add(-time.Hour), []byte(paid))}}, paid),
		"a report by somebody else": s.report("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "order-2"),
	} {
		if status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status := s.post(stripePath, nil, paid); status != http.StatusBadRequest {
		t.Errorf("not signed: %d", status)
	}
	s.sold()
	if waits := s.call("GET", "/api/v1/attention", ""); strings.Contains(waits, "pi_1") {
		t.Errorf("what was refused waits: %s", waits)
	}

	for range 2 {
		if status := s.byStripe(stripeSecret, paid); status != http.StatusNoContent {
			t.Errorf("Stripe's event: %d", status)
		}
		if status := s.report(reportSecret, "order-2"); status != http.StatusOK {
			t.Errorf("a report: %d", status)
		}
	}
	s.sold("order-1", "order-2")
	foreign := checkout(t, `"currency": "usd"`, `"currency": "chf"`, "pi_1", "pi_2", "cs_live_1", "cs_live_2", "cus_T", "cus_2", "tomas@", "cho@")
	if status := s.byStripe(stripeSecret, foreign); status != http.StatusNoContent {
		t.Errorf("in another currency: %d", status)
	}
	s.sold("order-1", "order-2")
	if waits := s.call("GET", "/api/v1/attention", ""); !strings.Contains(waits, "pi_2") {
		t.Errorf("a payment in another currency does not wait: %s", waits)
	}

	said := s.said.String()
	for _, want := range append(stripe.Events(), "https://partners.shop.example"+stripePath, "https://partners.shop.example"+reportPath) {
		if !strings.Contains(said, want) {
			t.Errorf("the output lacks %s:\n%s", want, said)
		}
	}
	for _, secret := range []string{stripeSecret, strings.TrimPrefix(reportSecret, "whsec_"), carry, "-url"} {
		if strings.Contains(said, secret) {
			t.Errorf("the output has %s:\n%s", secret, said)
		}
	}
	if status, body := s.ask(testKey, "POST", "/pay/paddle", paid); status != http.StatusNotFound {
		t.Errorf("a provider that is off: %d %s", status, body)
	}
}

// TestNewSecret: while a provider changes its secret, events with either of them count.
func TestNewSecret(t *testing.T) {
	env := environment{"TRIBUTARY_STRIPE_SECRET": anotherSecret, "TRIBUTARY_STRIPE_OLD_SECRET": stripeSecret}
	s := launchIn(t, env, "-file", inFolder(t, "program.db"))
	defer s.stop()
	s.ada()
	for _, secret := range []string{stripeSecret, anotherSecret} {
		if status := s.byStripe(secret, checkout(t)); status != http.StatusNoContent {
			t.Errorf("%s: %d", secret, status)
		}
	}
	s.sold("pi_1")
	if said := s.said.String(); !strings.Contains(said, "say with -url under which URL") {
		t.Errorf("nothing is said about the address:\n%s", said)
	}
}

// TestProviders: every provider has an endpoint when its variables are set, and the page has them and
// the events of each. What it exports are variables of the server.
func TestProviders(t *testing.T) {
	values := map[string]string{"FIRST": "invoice", "TOTALS": "payout", "SHOP": "eu", "TEST": "true", "ONE_OFF_INVOICES": "false", apiURLName: "https://api.example"}
	page, env := repository(t, "docs/payments-server.md"), environment{}
	for _, p := range providers() {
		for _, name := range p.variables() {
			env[name] = "a-long-secret-of-this-provider"
		}
		for _, o := range p.options {
			if value, known := values[o.name]; known {
				env[p.variable(o.name)] = value
			}
		}
	}
	env["TRIBUTARY_STRIPE_SECRET"], env["TRIBUTARY_STRIPE_OLD_SECRET"] = stripeSecret, anotherSecret
	env["TRIBUTARY_PADDLE_SECRET"], env["TRIBUTARY_PADDLE_OLD_SECRET"] = "pdl_ntfset_1", "pdl_ntfset_2"
	for _, name := range []string{"GENERIC_SECRET", "GENERIC_OLD_SECRET", "DODO_SECRET", "DODO_OLD_SECRET"} {
		env["TRIBUTARY_"+name] = reportSecret
	}
	for _, export := range regexp.MustCompile(`(?m)^export (\w+)=`).FindAllStringSubmatch(page, -1) {
		if _, is := env[export[1]]; !is && export[1] != "TRIBUTARY_PUBLIC_URL" {
			t.Errorf("the page exports %s", export[1])
		}
	}
	s := launchIn(t, env, "-file", inFolder(t, "program.db"))
	defer s.stop()
	for _, p := range providers() {
		if status, body := s.ask("", "GET", "/pay/"+p.name, ""); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d %s", p.name, status, body)
		}
		_, section, _ := strings.Cut(page, "`/pay/"+p.name+"`")
		section, _, _ = strings.Cut(section, "`/pay/")
		for _, want := range append(p.events, "](payments-"+p.name+".md") {
			if !strings.Contains(section, want) {
				t.Errorf("the page lacks %s of %s", want, p.name)
			}
		}
		for _, name := range p.variables() {
			if !strings.HasSuffix(name, oldSecretName) && !strings.Contains(section, "`"+name+"`") {
				t.Errorf("the page lacks %s", name)
			}
		}
	}
}
