package pay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/creem"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/generic"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
	"github.com/tributary-go/tributary/pay/paddle"
	"github.com/tributary-go/tributary/pay/polar"
	"github.com/tributary-go/tributary/pay/shopify"
	"github.com/tributary-go/tributary/pay/stripe"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

// A vendor is a provider, with its recorded events that say that money came, by their files.
// All its other files say something else.
type vendor struct {
	name  string
	read  func(body []byte, cfg adapter.Config) (pay.Action, error)
	place string // of what the checkout carried: a path to an object
	pairs [2]string
	paid  []string
	other []string
}

var vendors = []vendor{
	{"creem", func(b []byte, c adapter.Config) (pay.Action, error) { return creem.Map(b, creem.Config{Config: c}) }, "object.metadata", [2]string{},
		[]string{"checkout", "checkout_recurring", "paid"}, []string{"checkout_trial", "renewal", "dispute", "refund", "subscription"}},
	{"dodo", func(b []byte, c adapter.Config) (pay.Action, error) { return dodo.Map(b, c) }, "data.metadata", [2]string{},
		[]string{"payment", "payment_converted", "payment_discount", "payment_renewal"}, []string{"payment_trial", "dispute", "refund", "subscription"}},
	{"lemonsqueezy", func(b []byte, c adapter.Config) (pay.Action, error) {
		return lemonsqueezy.Map(b, lemonsqueezy.Config{Config: c})
	}, "meta.custom_data", [2]string{},
		[]string{"invoice", "invoice_euro", "invoice_initial", "order"}, []string{"invoice_refunded", "order_refunded", "subscription", "subscription_created"}},
	{"paddle", func(b []byte, c adapter.Config) (pay.Action, error) {
		return paddle.Map(b, paddle.Config{Config: adapter.Config{CarryKeys: c.CarryKeys}})
	}, "data.custom_data", [2]string{},
		[]string{"transaction"}, []string{"adjustment", "customer", "subscription"}},
	{"polar", func(b []byte, c adapter.Config) (pay.Action, error) { return polar.Map(b, c) }, "data.metadata", [2]string{},
		[]string{"order_cycle", "order_discount", "order_paid"}, []string{"order_refunded", "order_trial", "customer", "refund", "subscription"}},
	{"shopify", func(b []byte, c adapter.Config) (pay.Action, error) { return shopify.Map(b, shopify.Config{Config: c}) }, "note_attributes", [2]string{"name", "value"},
		[]string{"order", "order_gift", "order_included"}, []string{"order_refunded", "customer", "refund_amount", "refund_included", "refund_pending", "transaction"}},
	{"stripe", func(b []byte, c adapter.Config) (pay.Action, error) {
		return stripe.Map(b, stripe.Config{Config: adapter.Config{CarryKeys: c.CarryKeys}})
	}, "data.object.metadata", [2]string{},
		[]string{"charge", "intent", "invoice_cycle", "invoice_cycle_acacia", "invoice_taxed", "session_converted", "session_discounts", "session_payment", "session_subscription"},
		[]string{"charge_refunded", "charge_refunded_acacia", "credit_note", "customer", "dispute", "invoice_payment", "refund", "subscription"}},
	{"woocommerce", func(b []byte, c adapter.Config) (pay.Action, error) {
		return woocommerce.Map(b, woocommerce.Config{Config: c})
	}, "meta_data", [2]string{"key", "value"},
		[]string{"order", "order_coupon", "order_gift_cards", "order_renewal"}, []string{"order_refunded", "customer", "subscription"}},
	{"generic", func(b []byte, c adapter.Config) (pay.Action, error) { return generic.Map(b, c) }, "paid.carried", [2]string{}, []string{"report", "renewal"}, nil},
}

// reports are those of pay/generic, which has no recorded ones.
var reports = map[string]string{
	"report": `{"id": "rep_1", "type": "payment", "at": "2026-01-01T10:00:00Z", "provider": "acmepay", "ids": ["pay_71"], "currency": "USD",
		"customer": {"id": "cus_5", "email": "tomas@example.net", "name": "Tomas"}, "paid": {"amount": "58.00"}}`,
	"renewal": `{"id": "rep_1", "type": "payment", "at": "2026-01-01T10:00:00Z", "provider": "acmepay", "ids": ["pay_72"], "currency": "USD",
		"customer": {"id": "cus_5", "email": "tomas@example.net", "name": "Tomas"}, "paid": {"amount": "58.00", "renewal": true}}`,
}

func (v *vendor) load(t *testing.T, file string) shoptest.Event {
	if text, ok := reports[file]; ok && v.name == "generic" {
		return shoptest.Decode(t, []byte(text))
	}
	return shoptest.Load(t, filepath.Join(v.name, "testdata", file+".json"))
}

// carrying returns an event with what its checkout carried.
func (v *vendor) carrying(e shoptest.Event, data map[string]any) shoptest.Event {
	if v.pairs[0] == "" {
		return e.With(v.place, data)
	}
	list, _ := e[v.place].([]any)
	for _, key := range slices.Sorted(maps.Keys(data)) {
		list = append(list, map[string]any{v.pairs[0]: key, v.pairs[1]: data[key]})
	}
	return e.With(v.place, list)
}

// marks are what a checkout may carry of who brought its visitor, each whole.
func marks(t *testing.T) map[string]map[string]any {
	cfg := adapter.Config{CarryKeys: shoptest.CarryKeys}
	s := shoptest.New(t)
	signed := func(c pay.Carried) map[string]any {
		data := map[string]any{}
		for key, text := range shoptest.Must(cfg.Carry(s.Program, nil, c)) {
			data[key] = text
		}
		return data
	}
	return map[string]map[string]any{
		"click": {"tributary_click": "1", "tributary_program": shoptest.ID.String()},
		"slug":  signed(pay.Carried{Slug: "mara"}),
		"code":  signed(pay.Carried{Code: "MARA20", Order: "order-7"}),
		"hold":  signed(pay.Carried{Hold: "cart", Order: "order-7"}),
	}
}

// each returns the data with every value changed.
func each(data map[string]any, change func(key, value string) (string, any)) map[string]any {
	changed := map[string]any{}
	for key, value := range data {
		k, v := change(key, value.(string))
		changed[k] = v
	}
	return changed
}

// only changes the value of one key.
func only(name string, change func(string) any) func(data map[string]any) map[string]any {
	return func(data map[string]any) map[string]any {
		return each(data, func(key, value string) (string, any) {
			if strings.HasSuffix(key, name) || name == "mark" && isMark(key) {
				return key, change(value)
			}
			return key, value
		})
	}
}

func isMark(key string) bool {
	return slices.Contains([]string{"tributary_click", "tributary_slug", "tributary_code", "tributary_hold"}, key)
}

// named changes the names of keys.
func named(change func(string) string) func(data map[string]any) map[string]any {
	return func(data map[string]any) map[string]any {
		return each(data, func(key, value string) (string, any) { return change(key), value })
	}
}

// markNamed changes the name of the mark alone.
func markNamed(change func(string) string) func(data map[string]any) map[string]any {
	return named(func(key string) string {
		if isMark(key) {
			return change(key)
		}
		return key
	})
}

// wide writes digits and letters as their full-width twins.
func wide(s string) any {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r + 0xfee0
		}
		return r
	}, s)
}

// cut takes the last letter; of one letter it leaves none, and an empty field is no mark.
func cut(s string) any {
	if len(s) == 1 {
		return s + "x"
	}
	return s[:len(s)-1]
}

func percent(s string) any {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

// damages are ways in which what a checkout carried arrives in another form.
var damages = map[string]func(map[string]any) map[string]any{
	"whole": maps.Clone[map[string]any],
	"no program": func(data map[string]any) map[string]any {
		data = maps.Clone(data)
		delete(data, "tributary_program")
		return data
	},
	"no signature": func(data map[string]any) map[string]any {
		data = maps.Clone(data)
		delete(data, "tributary_signature")
		return data
	},
	"another program":         only("program", func(string) any { return uuid.NewSHA1(uuid.Nil, []byte("other")).String() }),
	"blank program":           only("program", func(string) any { return " " }),
	"program in blanks":       only("program", func(s string) any { return " " + s + "\n" }),
	"program in upper case":   only("program", func(s string) any { return strings.ToUpper(s) }),
	"program cut":             only("program", cut),
	"program encoded":         only("program", percent),
	"program as a list":       only("program", func(s string) any { return []any{s} }),
	"program twice":           only("program", func(s string) any { return s + "," + s }),
	"program null":            only("program", func(string) any { return nil }),
	"mark in blanks":          only("mark", func(s string) any { return "  " + s + "\t" }),
	"mark in other case":      only("mark", func(s string) any { return strings.ToUpper(s) + strings.ToLower(s)[:0] }),
	"mark cut":                only("mark", cut),
	"mark in wide letters":    only("mark", wide),
	"mark encoded":            only("mark", percent),
	"mark with a zero width":  only("mark", func(s string) any { return s + "\u200b" }),
	"mark as a list":          only("mark", func(s string) any { return []any{s} }),
	"mark as an object":       only("mark", func(s string) any { return map[string]any{"value": s} }),
	"mark as a number":        only("mark", func(string) any { return json.Number("1e0") }),
	"mark as a whole number":  only("mark", func(string) any { return json.Number("7777") }),
	"mark as a boolean":       only("mark", func(string) any { return true }),
	"mark with its parameter": only("mark", func(s string) any { return "?ref=" + s }),
	"mark in quotes":          only("mark", func(s string) any { return `"` + s + `"` }),
	"mark too long":           only("mark", func(s string) any { return s + strings.Repeat("x", 300) }),
	"mark with a line":        only("mark", func(s string) any { return s[:1] + "\n" + s[1:] }),
	"keys in upper case":      named(strings.ToUpper),
	"keys in title case":      named(func(s string) string { return "Tributary_" + strings.ToUpper(s[10:11]) + s[11:] }),
	"keys in blanks":          named(func(s string) string { return " " + s + " " }),
	"keys with a hyphen":      named(func(s string) string { return strings.ReplaceAll(s, "_", "-") }),
	"keys of a form":          named(func(s string) string { return "custom[" + s + "]" }),
	"keys of a page":          named(func(s string) string { return "data-" + strings.ReplaceAll(s, "_", "-") }),
	"keys that are hidden":    named(func(s string) string { return "_" + s }),
	"keys with a zero width":  named(func(s string) string { return "\ufeff" + s }),
	"in an object":            func(data map[string]any) map[string]any { return map[string]any{"affiliate": data} },
	"in a text": func(data map[string]any) map[string]any {
		return map[string]any{"affiliate": string(shoptest.Event(data).JSON())}
	},
	"key cut":      markNamed(func(s string) string { return s[:len(s)-1] }),
	"key misspelt": markNamed(func(s string) string { return s[:11] + s[12:] + s[11:12] }),
}

// TestTraces: each recorded payment of each provider, with what its checkout carried whole or damaged
// in one way, ends as a sale, in Attention, or as a WARN line, and never as 200 and silence.
func TestTraces(t *testing.T) {
	whole := marks(t)
	var paid, sales, waiting, warned int
	for _, v := range vendors {
		files, err := filepath.Glob(filepath.Join(v.name, "testdata", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name := strings.TrimSuffix(filepath.Base(file), ".json"); !slices.Contains(append(v.other, v.paid...), name) {
				t.Errorf("%s: say whether it tells of money", file)
			}
		}
		for _, file := range v.paid {
			for mark, data := range whole {
				for how, damage := range damages {
					if mark == "hold" && how != "whole" && how != "no program" && how != "mark cut" {
						continue // a hold is read as a code is
					}
					s, status := v.post(t, v.carrying(v.load(t, file), damage(data)))
					paid++
					a := shoptest.Must(s.Attention(t.Context(), 1))
					switch log := s.Logs.String(); {
					case len(s.AllSales()) > 0:
						sales++
					case a.PaymentConflicts.Count > 0:
						waiting++
					case strings.Contains(log, `"level":"WARN"`):
						warned++
					default:
						t.Errorf("%s/%s, %s, %s: %d and silence; %s %s", v.name, file, mark, how, status, s.Last().Action.Kind, s.Last().Action.Reason)
					}
				}
			}
		}
	}
	t.Logf("%d payments that carried a mark: %d sales, %d in Attention, %d warned", paid, sales, waiting, warned)
	if sales+waiting+warned != paid {
		t.Errorf("%d of %d payments left no trace", paid-sales-waiting-warned, paid)
	}
}

// post brings an event into a shop in which no renewal waits any more.
func (v *vendor) post(t *testing.T, e shoptest.Event) (*shoptest.Shop, int) {
	s := shoptest.New(t)
	s.Now = shoptest.Start.Add(48 * time.Hour)
	cfg := adapter.Config{CarryKeys: shoptest.CarryKeys, Now: func() time.Time { return s.Now }, Logger: s.Logger(), OnResult: s.OnResult}
	h := shoptest.Must(adapter.Endpoint{
		Config: cfg,
		Scheme: func(http.Header, time.Time) (func([]byte) error, error) {
			return func([]byte) error { return nil }, nil
		},
		Map: func(body []byte) (pay.Action, error) { return v.read(body, cfg) },
	}.Handler(s.Program))
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(e.JSON()))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if len(s.Results) == 0 {
		s.Results = append(s.Results, pay.Result{})
	}
	return s, w.Code
}
