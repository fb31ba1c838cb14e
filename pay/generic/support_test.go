package generic_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/generic"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/webhooks"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// sign adds the headers of Standard Webhooks.
func sign(h http.Header, body []byte, at time.Time) {
	signed, err := webhooks.Sign([]affiliate.Secret{secret}, "msg_1", at, body)
	if err != nil {
		panic(err)
	}
	maps.Copy(h, signed)
}

// object is a part of a report.
type object = map[string]any

func text(report object) []byte {
	raw, err := json.Marshal(report)
	if err != nil {
		panic(err)
	}
	return raw
}

var provider = shoptest.Provider[generic.Config]{
	Secret: secret, OK: http.StatusOK,
	Handler: generic.Handler, Map: generic.Map, Sign: sign,
	Config: func(cfg adapter.Config) adapter.Config { return cfg },
}

var newShop, request = provider.Shop, provider.Request

// post sends a report and returns the status and the text of the answer.
func post(s *shoptest.Shop, report object) (int, string) {
	s.T.Helper()
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, request(text(report), s.Now))
	return w.Code, w.Body.String()
}

// payment is a report of a payment, by default of 100 dollars by the affiliate Mara.
func payment(s *shoptest.Shop, changes object) object {
	report := object{
		"id": "e1", "type": "payment", "at": s.Now.Format(time.RFC3339), "provider": "acmepay", "ids": []string{"p1"}, "currency": "USD",
		"customer": object{"id": "c1", "email": "tomas@example.net", "name": "Tomas"},
		"paid":     object{"amount": "100.00", "credit": []object{{"slug": "mara"}}},
	}
	maps.Copy(report, changes)
	maps.DeleteFunc(report, func(_ string, v any) bool { return v == nil })
	return report
}

func mapped(t testing.TB, report object) pay.Action {
	t.Helper()
	a, err := generic.Map(text(report), adapter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
