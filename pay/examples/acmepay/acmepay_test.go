package acmepay_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/examples/acmepay"
	"github.com/tributary-go/tributary/pay/paytest"
)

const secret = "acme-secret"

func TestConformance(t *testing.T) {
	paytest.Suite{
		Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
			cfg.Secrets = adapter.Secrets{secret}
			return acmepay.Handler(p, cfg)
		},
		Map:  acmepay.Map,
		Sign: sign,
		Tell: tell,
	}.Run(t)
}

// sign signs as Acme Pay does, without the code under test.
func sign(h http.Header, body []byte, _ time.Time) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	h.Set("Acme-Signature", hex.EncodeToString(mac.Sum(nil)))
}

// tell is Acme Pay's event of a step. It has no disputes, and nothing tells of customers alone.
func tell(s paytest.Step) []byte {
	cents := func(a affiliate.Amount) int64 { return a.Scaled() / 100 }
	event, data := "", map[string]any{"currency": "usd"}
	switch s.Kind {
	case paytest.Paid:
		event = "payment.succeeded"
		data["id"], data["total"], data["tax"], data["renewal"] = s.Payment, cents(s.Amount), cents(s.Tax), s.Renewal
		data["customer"], data["metadata"] = map[string]any{"id": s.Payer, "email": s.Email, "name": s.Name}, s.Data
	case paytest.Refund, paytest.RefundFailed:
		event = "refund.updated"
		data["id"], data["payment"], data["amount"] = s.Of, s.Payment, cents(s.Amount)
		data["status"] = map[paytest.Kind]string{paytest.Refund: "succeeded", paytest.RefundFailed: "failed"}[s.Kind]
	case paytest.Status:
		event = "subscription.updated"
		data["id"], data["customer"], data["status"] = s.Payment, s.Payer, strings.ToLower(string(s.Status))
	default:
		return nil
	}
	body, err := json.Marshal(map[string]any{"id": "evt_" + s.ID, "event": event, "created_at": s.At, "data": data})
	if err != nil {
		panic(err)
	}
	return body
}

// faults are adapters that are wrong in one thing, each with the check of the suite that sees it.
var faults = map[string]struct {
	check string
	spoil func(*pay.Action)
}{
	"a refund is not read":               {"Fold", func(a *pay.Action) { a.Payment.Refunds = nil }},
	"a failed refund counts":             {"Fold", func(a *pay.Action) { each(a, func(f *affiliate.RefundFact) { f.State = affiliate.RefundSucceeded }) }},
	"each report of a refund is another": {"Orders", func(a *pay.Action) { each(a, func(f *affiliate.RefundFact) { f.ID += a.Event.ID }) }},
	"tax is not read":                    {"Tax", sale(func(p *affiliate.Paid) { p.Tax = affiliate.Amount{} })},
	"the time of the report is left out": {"Orders", func(a *pay.Action) { a.Status.At = time.Unix(1, 0) }},
	"a payment is named by its event":    {"Orders", func(a *pay.Action) { a.Payment.Keys = []string{a.Event.ID} }},
	"cents are read as dollars":          {"Missing", sale(func(p *affiliate.Paid) { p.TotalEarned = dollars(p.TotalEarned); p.Gross = dollars(p.Gross) })},
	"a signature is not wanted":          {"Hostile", func(a *pay.Action) { a.Carried.Forged = false }},
}

func dollars(a affiliate.Amount) affiliate.Amount {
	return affiliate.AmountFromScaled(a.Scaled() * 100)
}

func each(a *pay.Action, spoil func(*affiliate.RefundFact)) {
	for i := range a.Payment.Refunds {
		spoil(&a.Payment.Refunds[i])
	}
}

func sale(spoil func(*affiliate.Paid)) func(*pay.Action) {
	return func(a *pay.Action) {
		if paid, ok := a.Payment.Sale.Get(); ok {
			spoil(&paid)
			a.Payment.Sale = affiliate.Set(paid)
		}
	}
}

// TestFaults: the suite sees each of these faults. It runs them in a process of their own,
// because a suite that fails cannot be undone in this one.
func TestFaults(t *testing.T) {
	for name, fault := range faults {
		if name == os.Getenv("ACME_FAULT") {
			spoilt(fault.spoil).Run(t)
			return
		}
	}
	for name, fault := range faults {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestFaults/"+fault.check+"$", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
		c.Env = append(os.Environ(), "ACME_FAULT="+name)
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "--- FAIL: TestFaults/"+fault.check) {
			t.Errorf("%s: the check %s does not see it: %v\n%s", name, fault.check, err, out)
		}
	}
}

// spoilt is the suite with an adapter that is wrong.
func spoilt(spoil func(*pay.Action)) paytest.Suite {
	read := func(body []byte, cfg adapter.Config) (pay.Action, error) {
		a, err := acmepay.Map(body, cfg)
		spoil(&a)
		return a, err
	}
	return paytest.Suite{
		Handler: func(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
			return adapter.Endpoint{
				Config: cfg, Scheme: adapter.HMACHex("Acme-Signature", adapter.Secrets{secret}),
				Map: func(body []byte) (pay.Action, error) { return read(body, cfg) },
			}.Handler(p)
		},
		Map: read, Sign: sign, Tell: tell,
	}
}
