package sync_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fake is Stripe as far as coupons and promotion codes go. It keeps what it is
// told, refuses a second object of the same id or active text, and answers an
// idempotency key that it knows as it did before.
type fake struct {
	mu       sync.Mutex
	coupons  map[string]object
	codes    map[string]object
	answered map[string][]byte
	requests []*http.Request
	sent     []time.Time // of those of waits
	bodies   []url.Values
	next     int
	before   func(http.ResponseWriter, *http.Request) bool // true: it answered
	after    func(*http.Request) bool                      // true: the answer is lost
}

type object map[string]any

const key = "sk_test_of_the_shop"

func newFake(t *testing.T) (*fake, string) {
	f := &fake{coupons: map[string]object{}, codes: map[string]object{}, answered: map[string][]byte{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = r.ParseForm()
	f.requests, f.bodies = append(f.requests, r), append(f.bodies, r.PostForm)
	if f.before != nil && f.before(w, r) {
		return
	}
	status, answer := f.answer(r)
	if f.after != nil && f.after(r) {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Request-Id", "req_"+strconv.Itoa(len(f.requests)))
	w.WriteHeader(status)
	w.Write(answer)
}

// RoundTrip answers without a connection.
func (f *fake) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	f.sent = append(f.sent, time.Now())
	defer func() {
		if recover() != nil {
			answer, err = nil, io.EOF
		}
	}()
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w.Result(), nil
}

func (f *fake) answer(r *http.Request) (int, []byte) {
	once := r.Header.Get("Idempotency-Key")
	if kept, ok := f.answered[once]; ok && once != "" {
		return http.StatusOK, kept
	}
	var o object
	kind, id, one := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	all := map[string]map[string]object{"coupons": f.coupons, "promotion_codes": f.codes}[kind]
	switch {
	case r.Header.Get("Authorization") != "Bearer "+key:
		return refused(http.StatusUnauthorized, "api_key_invalid")
	case one && all[id] == nil:
		return refused(http.StatusNotFound, "resource_missing")
	case one && r.Method == http.MethodPost:
		o = all[id]
		set(o, r.PostForm)
	case one:
		o = all[id]
	case r.Method == http.MethodGet:
		o = f.list(r.URL.Query())
	case kind == "coupons" && all[r.PostForm.Get("id")] != nil:
		return refused(http.StatusBadRequest, "resource_already_exists")
	case kind == "promotion_codes" && f.active(r.PostForm.Get("code")):
		return refused(http.StatusBadRequest, "promotion_code_already_exists")
	default:
		f.next++
		o = object{"id": fmt.Sprintf("promo_%d", f.next), "active": true, "times_redeemed": 0}
		set(o, r.PostForm)
		all[o["id"].(string)] = o
	}
	raw, _ := json.Marshal(o)
	if once != "" {
		f.answered[once] = raw
	}
	return http.StatusOK, raw
}

func refused(status int, code string) (int, []byte) {
	return status, fmt.Appendf(nil, `{"error":{"code":%q,"message":"No such key: %s"}}`, code, key)
}

func (f *fake) active(text string) bool {
	for _, o := range f.codes {
		if o["active"] == true && strings.EqualFold(o["code"].(string), text) {
			return true
		}
	}
	return false
}

// list is a page of one promotion code, so that pages are read.
func (f *fake) list(q url.Values) object {
	var found []object
	for _, id := range slices.Sorted(maps.Keys(f.codes)) {
		if o := f.codes[id]; id > q.Get("starting_after") && strings.EqualFold(o["code"].(string), q.Get("code")) {
			found = append(found, o)
		}
	}
	return object{"data": found[:min(1, len(found))], "has_more": len(found) > 1}
}

// set writes a form into an object as Stripe's JSON has it.
func set(o object, form url.Values) {
	for name, values := range form {
		path := strings.FieldsFunc(name, func(r rune) bool { return r == '[' || r == ']' })
		if path[0] == "applies_to" {
			o["applies_to"] = object{"products": append(values, products(o)...)}
			continue
		}
		at := o
		for _, step := range path[:len(path)-1] {
			if at[step] == nil {
				at[step] = object{}
			}
			at = at[step].(object)
		}
		at[path[len(path)-1]] = value(values[0])
	}
}

func products(o object) []string {
	limits, _ := o["applies_to"].(object)
	all, _ := limits["products"].([]string)
	return all
}

func value(s string) any {
	if b, err := strconv.ParseBool(s); err == nil && len(s) > 1 {
		return b
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return json.Number(s)
	}
	return s
}

// posts counts the requests that change something, and forgets all requests.
func (f *fake) posts() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if r.Method == http.MethodPost {
			n++
		}
	}
	f.requests, f.bodies = nil, nil
	return n
}
