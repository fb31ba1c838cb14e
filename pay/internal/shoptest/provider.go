package shoptest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// A Provider is an adapter under test, whose configuration is a C.
type Provider[C any] struct {
	Secret string
	OK     int    // the status of its good answers
	Object string // what the path of a field of an event's object begins with, such as "data."

	Handler func(*tributary.Program, C) (http.Handler, error)
	Map     func([]byte, C) (pay.Action, error)
	Config  func(adapter.Config) C
	Sign    func(h http.Header, body []byte, at time.Time) // without the code under test

	// Times returns the fields of a recorded event that tell its time, as [Provider.Load] gives
	// them to it.
	Times func(name string, now time.Time) []any
}

// HandlerOf and MapOf are those of the provider with its secret, as package paytest takes them.
func (p Provider[C]) HandlerOf(program *tributary.Program, cfg adapter.Config) (http.Handler, error) {
	return p.Handler(program, p.config(cfg))
}

func (p Provider[C]) MapOf(body []byte, cfg adapter.Config) (pay.Action, error) {
	return p.Map(body, p.config(cfg))
}

func (p Provider[C]) config(cfg adapter.Config) C {
	cfg.Secrets = adapter.Secrets{p.Secret}
	return p.Config(cfg)
}

// At is the configuration of the endpoint of a shop.
func (p Provider[C]) At(s *Shop) C { return p.config(s.AdapterConfig()) }

// Shop opens a shop behind the provider's handler.
func (p Provider[C]) Shop(t testing.TB, change ...func(*tributary.Config)) *Shop {
	t.Helper()
	s := New(t, change...)
	h, err := p.Handler(s.Program, p.At(s))
	if err != nil {
		t.Fatal(err)
	}
	s.Hook, s.Request, s.OK = h, p.Request, p.OK
	return s
}

// Request is the signed request of an event.
func (p Provider[C]) Request(body []byte, now time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	p.Sign(r.Header, body, now)
	return r
}

// Event reads a recorded event and gives it other fields of its object. A path that begins with
// / is one of the event itself.
func (p Provider[C]) Event(t testing.TB, name string, changes ...any) Event {
	t.Helper()
	var pairs []any
	for i := 0; i < len(changes); i += 2 {
		path, root := strings.CutPrefix(changes[i].(string), "/")
		if !root {
			path = p.Object + path
		}
		pairs = append(pairs, path, changes[i+1])
	}
	return Load(t, "testdata/"+name+".json").With(pairs...)
}

// Load reads a recorded event as it is when it comes to a shop now, with other fields.
func (p Provider[C]) Load(s *Shop, name string, changes ...any) Event {
	s.T.Helper()
	return p.Event(s.T, name, append(p.Times(name, s.Now), changes...)...).Carried(s.Config().ID)
}

// Stamps are the [Provider.Times] of events that write them all in one form, in these fields.
func Stamps(paths ...string) func(name string, now time.Time) []any {
	return func(_ string, now time.Time) (pairs []any) {
		for _, path := range paths {
			pairs = append(pairs, path, now.Format("2006-01-02T15:04:05.000000Z07:00"))
		}
		return pairs
	}
}

// Mapped is the action of an event.
func (p Provider[C]) Mapped(t testing.TB, e Event) pay.Action {
	t.Helper()
	a, err := p.MapOf(e.JSON(), adapter.Config{CarryKeys: CarryKeys})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Unusable requires that no endpoint is made of these configurations.
func (p Provider[C]) Unusable(t *testing.T, changes map[string]func(*C)) {
	t.Helper()
	s := New(t)
	for name, change := range changes {
		cfg := p.At(s)
		change(&cfg)
		if _, err := p.Handler(s.Program, cfg); !errors.Is(err, adapter.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Kinds requires that the recorded events, each with an id and a time, ask for these kinds of
// actions.
func (p Provider[C]) Kinds(t *testing.T, want map[string]pay.Kind) {
	t.Helper()
	for name, kind := range want {
		a := p.Mapped(t, p.Event(t, name))
		Same(t, name, a.Kind, kind)
		if a.Event.At.IsZero() || a.Event.ID == "" {
			t.Errorf("%s: %+v", name, a.Event)
		}
	}
}

// Fuzz requires that a payload is refused as one, or is an action that can be applied. It begins
// with recorded events.
func (p Provider[C]) Fuzz(f *testing.F, names ...string) {
	for _, name := range names {
		f.Add(p.Event(f, name).JSON())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var cfg C
		a, err := p.Map(body, cfg)
		if err != nil {
			if !errors.Is(err, adapter.ErrPayload) {
				t.Fatalf("%v", err)
			}
			return
		}
		if a.Kind == "" || a.Event.ID == "" || (a.Kind == pay.KindIgnored) != (a.Reason != "") {
			t.Fatalf("%+v", a)
		}
		if _, err := pay.Apply(t.Context(), New(t).Program, a); err != nil && !errors.Is(err, pay.ErrLater) {
			t.Fatalf("%v", err)
		}
	})
}

// Named requires that a page of docs has each of the names, and each word that the groups of a
// pattern find in the files: least is how many these are at least.
func Named(t *testing.T, page string, names []string, least int, pattern string, files ...string) {
	t.Helper()
	text := string(Must(os.ReadFile("../../docs/" + page)))
	var found []string
	for _, file := range files {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(Must(os.ReadFile(file))), -1) {
			found = append(found, regexp.MustCompile(`[\w-]+`).FindAllString(strings.Join(m[1:], " "), -1)...)
		}
	}
	if len(found) < least {
		t.Errorf("%d names", len(found))
	}
	for _, name := range append(found, names...) {
		if !strings.Contains(text, name) {
			t.Errorf("%s does not name %s", page, name)
		}
	}
}

// SignHMAC signs a body by HMAC-SHA256 in a header.
func SignHMAC(header, secret string, encode func([]byte) string) func(http.Header, []byte, time.Time) {
	return func(h http.Header, body []byte, _ time.Time) {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		h.Set(header, encode(mac.Sum(nil)))
	}
}

// SignStandard signs a body as Standard Webhooks does.
func SignStandard(id, key string) func(http.Header, []byte, time.Time) {
	return func(h http.Header, body []byte, at time.Time) {
		seconds := fmt.Sprint(at.Unix())
		mac := hmac.New(sha256.New, []byte(key))
		fmt.Fprintf(mac, "%s.%s.%s", id, seconds, body)
		h.Set("webhook-id", id)
		h.Set("webhook-timestamp", seconds)
		h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
}

// Cents is an amount in hundredths.
func Cents(a affiliate.Amount) int64 { return a.Scaled() / 100 }
