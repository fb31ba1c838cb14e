package providers_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/stripe"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSourceAgainstStripeMock: Stripe's description of its API allows each list that is read again, with every
// parameter, and what it has as examples is read without an error; a parameter that there is not is refused, so this can fail.
func TestSourceAgainstStripeMock(t *testing.T) {
	base := stripeMock(t)
	p := newProgram(t)
	asked := map[string]int{}
	api := stripe.API(key)
	api.Base, api.Client = base, &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			if asked[r.URL.Path]++; answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %d", r.URL, answer.StatusCode)
			}
		}
		return answer, err
	})}
	now := p.Config().Now
	src := stripe.Source(api, stripe.Config{Test: true, Config: adapter.Config{Now: now}})
	done, err := src.CatchUp(t.Context(), p, now().Add(-35*24*time.Hour))
	if err != nil || done.Read < 9 || done.Failed > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	for _, path := range []string{"events", "customers", "checkout/sessions", "payment_intents", "invoices", "invoice_payments", "charges", "refunds", "disputes", "subscriptions"} {
		if asked["/v1/"+path] == 0 {
			t.Errorf("%s was not asked for", path)
		}
	}
	if asked["/v1/events"] < 100 {
		t.Errorf("%d lists of events", asked["/v1/events"])
	}
	api.Client = nil
	_, err = api.Get(t.Context(), "/v1/events", map[string][]string{"colour": {"red"}}, new(any))
	if refused, ok := errors.AsType[*adapter.APIError](err); !ok || refused.Status != http.StatusBadRequest {
		t.Error(err)
	}
}
