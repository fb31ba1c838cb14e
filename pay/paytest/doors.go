package paytest

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// request is the signed request of an event.
func (s Suite) request(body []byte, at time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	s.Sign(r.Header, body, at)
	return r
}

// send sends an event to a program and returns the status of the answer.
func (s Suite) send(t testing.TB, shop *shoptest.Shop, p *tributary.Program, body []byte) int {
	t.Helper()
	return s.answer(t, shop, p, s.request(body, shop.Now))
}

func (s Suite) answer(t testing.TB, shop *shoptest.Shop, p *tributary.Program, r *http.Request) int {
	t.Helper()
	h, err := s.Handler(p, shop.AdapterConfig())
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// requests: what is not signed, or is not an event, is refused and changes nothing.
func (s Suite) requests(t *testing.T) {
	story := s.story(t)
	story.customer()
	story.paid(100)
	body := story.bodies[len(story.bodies)-1]
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"GET", func(r *http.Request) { r.Method = http.MethodGet }, 405},
		{"a form", func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, 415},
		{"gzip", func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415},
		{"no signature", func(r *http.Request) {
			r.Header = http.Header{"Content-Type": {"application/json"}}
		}, 400},
		{"a signature of another body", func(r *http.Request) {
			r.Header = http.Header{"Content-Type": {"application/json"}}
			s.Sign(r.Header, []byte("{}"), story.now)
		}, 401},
		{"too large", func(r *http.Request) { r.ContentLength = 1 << 30 }, 413},
		{"no JSON", func(r *http.Request) { *r = *s.request([]byte("payment=1"), story.now) }, 400},
		{"no event", func(r *http.Request) { *r = *s.request([]byte("{}"), story.now) }, 400},
		{"a name twice", func(r *http.Request) {
			*r = *s.request(append([]byte(`{"x":1,"x":2,`), bytes.TrimSpace(body)[1:]...), story.now)
		}, 400},
	} {
		shop := shoptest.New(t)
		shop.Now = story.now
		r := s.request(body, shop.Now)
		row.change(r)
		if got := s.answer(t, shop, shop.Program, r); got != row.want {
			t.Errorf("%s: status %d, want %d", row.name, got, row.want)
		}
		if len(shop.AllSales()) != 0 || len(shop.Results) != 0 {
			t.Errorf("%s: something was booked", row.name)
		}
	}
}

// hostile: what a payer may have written into the checkout credits nobody who did not bring
// them, and names no order and no customer of others.
func (s Suite) hostile(t *testing.T) {
	keys := func(c pay.Carried) map[string]string {
		shop := shoptest.New(t)
		data, err := shop.AdapterConfig().Carry(shop.Program, nil, c)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	signed := keys(pay.Carried{Slug: "mara", Order: "order-7", Customer: "17"})
	with := func(changes ...string) map[string]string {
		data := maps.Clone(signed)
		for i := 0; i < len(changes); i += 2 {
			data[changes[i]] = changes[i+1]
		}
		return data
	}
	long := strings.Repeat("x", 100_000)
	for _, row := range []struct {
		name   string
		data   map[string]string
		mara   string
		order  string
		forged bool
	}{
		{"signed", signed, "20.00", "order-7", false},
		{"nothing", map[string]string{}, "0.00", "", false},
		{"another order", with("tributary_order", "order-8"), "20.00", "", true},
		{"another customer", with("tributary_customer", "18"), "20.00", "", true},
		{"a code",
			with("tributary_code", "MARA20", "tributary_slug", "", "tributary_order", "",
				"tributary_customer", ""), "0.00", "", true},
		{"no signature", with("tributary_signature", ""), "20.00", "", true},
		{"another program", with("tributary_program", uuid.Nil.String()), "0.00", "", true},
		{"an email as a slug", with("tributary_slug", "tomas@customers.example"), "0.00", "", true},
		{"long", with("tributary_slug", long, "tributary_order", long), "0.00", "", true},
		{"control characters", with("tributary_slug", "ma\x00ra", "tributary_order", "\n"), "0.00", "", true},
	} {
		story := s.story(t)
		story.data = row.data
		story.customer()
		story.paid(100)
		shop := shoptest.New(t)
		shop.Now = story.now
		for _, body := range story.bodies {
			if got := s.send(t, shop, shop.Program, body); got/100 != 2 {
				t.Fatalf("%s: status %d; %s", row.name, got, shop.Logs.String())
			}
		}
		if got := shop.Earned(shop.Mara); got != row.mara {
			t.Errorf("%s: the affiliate has %s, want %s", row.name, got, row.mara)
		}
		for _, sale := range shop.AllSales() {
			if got := sale.ExternalID.Or(""); (got == "order-7" || got == "order-8") != (row.order != "") {
				t.Errorf("%s: the sale is of order %q", row.name, got)
			}
		}
		forged := false
		for _, r := range shop.Results {
			forged = forged || r.Action.Carried.Forged
		}
		if forged != row.forged {
			t.Errorf("%s: Forged is %t", row.name, forged)
		}
	}
}

// pieces returns a body without each of its fields, and with each of another type, by what was
// done to it.
func pieces(t *testing.T, body []byte) iter.Seq2[string, []byte] {
	t.Helper()
	return func(yield func(string, []byte) bool) {
		for _, value := range []any{removedField{}, nil, "x", json.Number("-1"),
			json.Number("99999999999999999"), true, []any{}, []any{"x"}, map[string]any{}} {
			for at := 0; ; at++ {
				d := json.NewDecoder(bytes.NewReader(body))
				d.UseNumber()
				var root map[string]any
				if err := d.Decode(&root); err != nil {
					t.Fatal(err)
				}
				left := at
				path := replace(root, value, &left)
				if path == "" {
					break
				}
				raw, err := json.Marshal(root)
				if err != nil {
					t.Fatal(err)
				}
				said, _ := json.Marshal(value)
				if !yield(path+" "+string(said), raw) {
					return
				}
			}
		}
	}
}

// removedField is the value of a field that is removed.
type removedField struct{}

// replace changes the n-th field of an object and of those in it, and returns its path; empty:
// there are not so many.
func replace(in any, value any, n *int) string {
	switch in := in.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(in)) {
			if *n--; *n < 0 {
				if in[name] = value; value == any(removedField{}) {
					delete(in, name)
				}
				return "." + name
			}
			if path := replace(in[name], value, n); path != "" {
				return "." + name + path
			}
		}
	case []any:
		for _, one := range in {
			if path := replace(one, value, n); path != "" {
				return "[]" + path
			}
		}
	}
	return ""
}
