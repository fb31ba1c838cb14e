package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/refusal"
)

// TestTrackingFailures: an internal error is answered 500 with a fixed text.
func TestTrackingFailures(t *testing.T) {
	s := newSite(t)
	s.broken.Store(true)
	for _, tt := range []struct {
		name, logged string
		find         func(context.Context, string) (*tributary.Program, error)
	}{
		{"Store", storeText, s.find},
		{"Find", storeText, func(context.Context, string) (*tributary.Program, error) { return nil, storeError(storeText) }},
		{"FindGivesNothing", "find gave no program", func(context.Context, string) (*tributary.Program, error) { return nil, nil }},
		{"Panic", "stack=", func(context.Context, string) (*tributary.Program, error) { panic(storeText) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var logged bytes.Buffer
			h := httpapi.Tracking(tt.find, httpapi.Config{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			want := reply{500, "internal_error", "", `{"error":"Internal server error"}`}
			res := ask(h, click(`{"programId":"`+siteID+`","referralCode":"mara"}`))
			if diff := cmp.Diff(want, replyOf(t, res), cmp.AllowUnexported(reply{})); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if !strings.Contains(logged.String(), "POST /api/affiliates/add-click") || !strings.Contains(logged.String(), tt.logged) {
				t.Errorf("log: %q", logged.String())
			}
		})
	}
	notThere := httpapi.Tracking(func(context.Context, string) (*tributary.Program, error) {
		return nil, fmt.Errorf("look up: %w", refusal.RefuseProgram.Err())
	}, httpapi.Config{})
	if body := bodyOf(t, ask(notThere, click(`{"programId":"`+siteID+`","referralCode":"mara"}`))); body != `{"exists":false}` {
		t.Errorf("a wrapped not-found answers %s", body)
	}
}

// TestTrackingMounted: the endpoints work below a prefix of a mux, and with
// exact patterns beside a catch-all that names a method.
func TestTrackingMounted(t *testing.T) {
	s := newSite(t)
	prefix, exact := http.NewServeMux(), http.NewServeMux()
	prefix.Handle("/api/affiliates/", s.tracking())
	exact.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, method := range []string{http.MethodPost, http.MethodOptions} {
		exact.Handle(method+" "+clickPath, s.tracking())
	}
	stripped := http.StripPrefix("/partners", s.tracking())
	for name, tt := range map[string]struct {
		h    http.Handler
		path string
	}{"Prefix": {prefix, clickPath}, "Exact": {exact, clickPath}, "Stripped": {stripped, "/partners" + clickPath}} {
		t.Run(name, func(t *testing.T) {
			for method, want := range map[string]int{http.MethodPost: 200, http.MethodOptions: 204} {
				r := httptest.NewRequest(method, tt.path, strings.NewReader(`{"programId":"`+siteID+`","referralCode":"mara"}`))
				r.Header.Set("Content-Type", "application/json")
				if res := ask(tt.h, r); res.StatusCode != want {
					t.Errorf("%s: %d, want %d", method, res.StatusCode, want)
				}
			}
		})
	}
}

// TestTrackingManyPrograms: the slug of one program is unknown in another.
func TestTrackingManyPrograms(t *testing.T) {
	s := newSite(t)
	cfg := s.Config()
	cfg.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02")
	other := must(tributary.New(s.store, cfg))
	h := httpapi.Tracking(func(_ context.Context, id string) (*tributary.Program, error) {
		if id == cfg.ID.String() {
			return other, nil
		}
		return s.find(t.Context(), id)
	}, httpapi.Config{})
	if body := bodyOf(t, ask(h, click(`{"programId":"`+cfg.ID.String()+`","referralCode":"mara"}`))); body != `{"exists":false}` {
		t.Errorf("answer %s", body)
	}
	if counted, stored := s.clicks(); counted != 0 || len(stored) != 0 {
		t.Errorf("%d clicks counted, %d stored", counted, len(stored))
	}
}

func TestTrackingMistakes(t *testing.T) {
	s := newSite(t)
	for name, make := range map[string]func(){
		"NoFind":      func() { httpapi.Tracking(nil, httpapi.Config{}) },
		"Keys":        func() { httpapi.Tracking(s.find, httpapi.Config{APIKeys: []string{"k"}}) },
		"NegativeMax": func() { httpapi.Tracking(s.find, httpapi.Config{MaxBody: -1}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			make()
		})
	}
}
