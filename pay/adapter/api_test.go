package adapter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
)

// TestAPIPatience: who names a time of hours is not waited for, nor asked again meanwhile; who names a short one is; a wait
// ends with its context.
func TestAPIPatience(t *testing.T) {
	asked, after := 0, "7200"
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", after)
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer api.Close()
	get := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		var into any
		_, err := adapter.API{Base: api.URL}.Get(ctx, "/list", nil, &into)
		return err
	}
	for _, after = range []string{"7200", "99999999999999", time.Now().AddDate(1, 0, 0).UTC().Format(time.RFC1123)} {
		asked = 0
		if answered, ok := errors.AsType[*adapter.APIError](get(t.Context())); !ok || answered.Status != http.StatusTooManyRequests || asked != 1 {
			t.Errorf("%s: %v, asked %d times", after, answered, asked)
		}
	}
	asked, after = 0, "0"
	if answered, ok := errors.AsType[*adapter.APIError](get(t.Context())); !ok || asked != 6 {
		t.Errorf("%v, asked %d times", answered, asked)
	}
	after = "200"
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := get(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestAPIMasked: neither an API nor a source prints its key.
func TestAPIMasked(t *testing.T) {
	api := adapter.API{Base: "https://api.example", Header: http.Header{"Authorization": {"Bearer rk_secret"}}}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("read", "api", api, "pointer", &api, "source", adapter.Source{API: api})
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		fmt.Fprintf(&log, verb+verb+verb, api, &api, adapter.Source{API: api})
	}
	if strings.Contains(log.String(), "rk_secret") || !strings.Contains(log.String(), "https://api.example") {
		t.Error(log.String())
	}
}

// TestAPIAnswers: what is no answer of the provider's is refused, nothing is sent to where an answer leads, and no error has
// the key.
func TestAPIAnswers(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for name, answer := range map[string]http.HandlerFunc{
		"moved": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusMovedPermanently)
		},
		"found": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"a page":         func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"no content":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"another object": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"n":"a text"}`) },
		"broken off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"n":1}`)
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			for blank := strings.Repeat(" ", 1<<20); ; {
				if _, err := io.WriteString(w, blank); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			api := httptest.NewServer(answer)
			defer api.Close()
			var into struct{ N int }
			_, err := adapter.API{Base: api.URL, Header: http.Header{"Authorization": {"Bearer rk_secret"}}}.Get(t.Context(), "/list", nil, &into)
			if err == nil || strings.Contains(err.Error(), "rk_secret") || strings.Contains(err.Error(), "127.0.0.1:") && name != "broken off" || elsewhere > 0 {
				t.Errorf("%v, %d requests elsewhere", err, elsewhere)
			}
		})
	}
	if _, err := (adapter.API{Base: "https://api.example", Header: http.Header{"Authorization": {"rk_secret\n"}}}).Get(t.Context(), "/list", nil, nil); err == nil || strings.Contains(err.Error(), "rk_secret") {
		t.Error(err)
	}
}
