package adapter_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// warnedProgram is a program at 20 % with some terms, and the affiliate Mara.
func warnedProgram(t *testing.T, now *time.Time, terms affiliate.Terms) *tributary.Program {
	t.Helper()
	terms.Rate = affiliate.MustPercent("20")
	p, err := tributary.New(memstore.New(), tributary.Config{Terms: terms, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// posts returns a function that sends what an event was mapped to.
func posts(t *testing.T, p *tributary.Program, now *time.Time, log *bytes.Buffer) func(pay.Action) {
	t.Helper()
	var action pay.Action
	h, err := adapter.Endpoint{
		Config: adapter.Config{Now: func() time.Time { return *now }, Logger: slog.New(slog.NewTextHandler(log, nil))},
		Scheme: form.Scheme(adapter.Secrets{"s_1"}, 0),
		Map:    func([]byte) (pay.Action, error) { return action, nil },
	}.Handler(p)
	if err != nil {
		t.Fatal(err)
	}
	return func(a pay.Action) {
		t.Helper()
		action = a
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request(strings.NewReader("{}"), form.Sign("s_1", *now, []byte("{}"))))
		if w.Code != http.StatusNoContent {
			t.Errorf("event %s was answered %d: %s", a.Event.ID, w.Code, log.String())
		}
	}
}

// That a payment does not say what was bought is a line when terms in force have rules: those
// of the program, whatever its configuration says, or those of a plan.
func TestUnlistedWarning(t *testing.T) {
	rules := []affiliate.Rule{{Name: "seats", When: affiliate.RuleWhen{Products: []string{"SEAT"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}}}
	later := affiliate.Set(affiliate.Day(2026, time.April, 1))
	for name, tt := range map[string]struct {
		configured []affiliate.Rule
		change     func(*tributary.Program) error
		warns      bool
	}{
		"no rules":   {nil, func(*tributary.Program) error { return nil }, false},
		"configured": {rules, func(*tributary.Program) error { return nil }, true},
		"set": {nil, func(p *tributary.Program) error {
			return setRules(t, p, affiliate.TermsUpdate{Rules: affiliate.Set(rules)})
		}, true},
		"set for later": {nil, func(p *tributary.Program) error {
			return setRules(t, p, affiliate.TermsUpdate{Rules: affiliate.Set(rules), From: later})
		}, false},
		"taken away": {rules, func(p *tributary.Program) error {
			return setRules(t, p, affiliate.TermsUpdate{Rules: affiliate.Null[[]affiliate.Rule]()})
		}, false},
		"taken away for later": {rules, func(p *tributary.Program) error {
			return setRules(t, p, affiliate.TermsUpdate{Rules: affiliate.Null[[]affiliate.Rule](), From: later})
		}, true},
		"of a plan": {nil, func(p *tributary.Program) error {
			_, err := p.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rules: rules}})
			return err
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
			p := warnedProgram(t, &now, affiliate.Terms{Rules: tt.configured})
			if _, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "M", LastName: "L", Email: "mara@example.org", AffiliateLink: "mara"}); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(p); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			post := posts(t, p, &now, &log)
			f := affiliate.PaymentFact{Provider: "stripe", Keys: []string{"pi_1"}, At: now, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_1", Email: "ida@x.example", Name: "Ida"}}
			f.Sale = affiliate.Set(affiliate.Paid{
				SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("100"), ExternalID: "order-1"}, Gross: affiliate.MustAmount("100"),
				Tries: []affiliate.Credit{{ReferralID: "mara"}},
			})
			post(pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: "evt_1", Type: "paid", At: now}, Payment: f, NoLines: pay.LinesMissing})
			if warned := strings.Contains(log.String(), "does not say what was bought"); warned != tt.warns {
				t.Errorf("it warns: %v, %s", warned, log.String())
			}
		})
	}
}

func setRules(t *testing.T, p *tributary.Program, up affiliate.TermsUpdate) error {
	_, err := p.SetTerms(t.Context(), up)
	return err
}

// Money that is left out is a line of the log, each kind at most once in an hour, which
// counts those before it, says what to do and has nothing of the payer's. What is
// booked, and what nobody brought, is none.
func TestWarnings(t *testing.T) {
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	p := warnedProgram(t, &now, affiliate.Terms{})
	mara, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "M", LastName: "L", Email: "mara@example.org", AffiliateLink: "mara"})
	if err != nil {
		t.Fatal(err)
	}
	coupon, err := p.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("10"))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "OFF", AffiliateID: mara.ID, Active: affiliate.Set(false)}); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	post := posts(t, p, &now, &log)
	n := 0
	send := func(change func(*affiliate.PaymentFact, *affiliate.Paid)) {
		t.Helper()
		n++
		f := affiliate.PaymentFact{
			Provider: "stripe", Keys: []string{fmt.Sprint("pi_", n)}, At: now, Currency: "USD",
			Payer: affiliate.PayerFact{ID: fmt.Sprint("cus_", n), Email: fmt.Sprintf("payer%d@x.example", n), Name: "Payer"},
		}
		paid := affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("100"), ExternalID: fmt.Sprint("order-", n)}, Gross: affiliate.MustAmount("100")}
		change(&f, &paid)
		f.Sale = affiliate.Set(paid)
		post(pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: fmt.Sprint("evt_", n), Type: "paid", At: now}, Payment: f})
	}
	by := func(c affiliate.Credit) func(*affiliate.PaymentFact, *affiliate.Paid) {
		return func(_ *affiliate.PaymentFact, paid *affiliate.Paid) { paid.Tries = []affiliate.Credit{c} }
	}
	quiet := func(name string, change func(*affiliate.PaymentFact, *affiliate.Paid)) {
		t.Helper()
		if send(change); log.Len() > 0 {
			t.Errorf("%s: %s", name, log.String())
		}
		log.Reset()
	}
	quiet("booked", by(affiliate.Credit{ReferralID: "mara"}))
	quiet("nobody brought it", func(*affiliate.PaymentFact, *affiliate.Paid) {})
	for name, row := range map[string]struct {
		says   string
		change func(*affiliate.PaymentFact, *affiliate.Paid)
	}{
		"currency": {"another currency", func(f *affiliate.PaymentFact, paid *affiliate.Paid) {
			f.Currency, paid.Tries = "EUR", []affiliate.Credit{{ReferralID: "mara"}}
		}},
		"code":   {"reason=code_inactive", by(affiliate.Credit{PromoCode: "OFF"})},
		"nobody": {"that nobody has", by(affiliate.Credit{ReferralID: "nowhere"})},
		"conflict": {"waits for a decision", func(_ *affiliate.PaymentFact, paid *affiliate.Paid) {
			paid.ExternalID, paid.TotalEarned, paid.Gross = "order-1", affiliate.MustAmount("1"), affiliate.MustAmount("1")
		}},
		"refused": {"reason=invalid_field", func(_ *affiliate.PaymentFact, paid *affiliate.Paid) { paid.TotalEarned = affiliate.MustAmount("-1") }},
	} {
		t.Run(name, func(t *testing.T) {
			log.Reset()
			send(row.change)
			send(row.change)
			if got := log.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, row.says) || !strings.Contains(got, "events=1") || strings.Contains(got, "x.example") {
				t.Errorf("within an hour: %s", got)
			}
			log.Reset()
			now = now.Add(time.Hour)
			if send(row.change); strings.Count(log.String(), "level=WARN") != 1 || !strings.Contains(log.String(), "events=2") {
				t.Errorf("an hour later: %s", log.String())
			}
		})
	}
	log.Reset()
	now = now.Add(3 * 24 * time.Hour)
	organic := func(*affiliate.PaymentFact, *affiliate.Paid) {}
	send(organic)
	send(organic)
	if got := log.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "more than three days") || strings.Contains(got, "x.example") {
		t.Errorf("what waits: %s", got)
	}
}
