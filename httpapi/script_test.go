package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
)

// theOnly finds the program of a host that has one, also without its id.
func theOnly(p *tributary.Program) func(context.Context, string) (*tributary.Program, error) {
	return func(_ context.Context, id string) (*tributary.Program, error) {
		if id != "" && id != p.Config().ID.String() {
			return nil, affiliate.ErrNotFound
		}
		return p, nil
	}
}

const scriptEnd = `)(["0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01","tributary_click_0197c2f01a2b7c3d8e4f5a6b7c8d9e01",`

// TestScript: the click script is small, has the settings of the moment, and browsers ask
// whether it has changed.
func TestScript(t *testing.T) {
	w := newWorld(t)
	h := httpapi.Tracking(theOnly(w.Program), httpapi.Config{})
	get := func(path, known string) (*http.Response, string) {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("If-None-Match", known)
		res := ask(h, r)
		return res, bodyOf(t, res)
	}
	first, text := get("/t.js", "")
	if first.StatusCode != 200 || !strings.HasSuffix(text, scriptEnd+`["ref"],60,""]);`+"\n") {
		t.Fatalf("%d %s", first.StatusCode, text)
	}
	tag := first.Header.Get("ETag")
	first.Header.Del("X-Request-Id")
	want := http.Header{
		"Content-Type": {"text/javascript; charset=utf-8"}, "Cache-Control": {"public, max-age=300"}, "Etag": {tag}, "Accept-Ranges": {"bytes"}, "X-Content-Type-Options": {"nosniff"},
		"Cross-Origin-Resource-Policy": {"cross-origin"}, "Access-Control-Allow-Origin": {"*"}, "Content-Length": {first.Header.Get("Content-Length")},
	}
	if diff := cmp.Diff(want, first.Header); diff != "" || len(tag) < 18 {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if res, body := get("/t.js", tag); res.StatusCode != 304 || body != "" || res.Header.Get("Etag") != tag {
		t.Errorf("the same again: %d %q", res.StatusCode, body)
	}
	if _, named := get("/t.js?programId="+w.Config().ID.String(), ""); named != text {
		t.Errorf("by its id it is another one: %s", named)
	}

	other := must(tributary.New(w.store, tributary.Config{ID: w.Config().ID, StoredSettings: true, Now: func() time.Time { return w.now }}))
	must(other.UpdateSettings(t.Context(), affiliate.SettingsUpdate{
		URLModifier: affiliate.Set("Via"), OldURLModifiers: affiliate.Set([]string{"r"}),
		CookieDuration: affiliate.Set[int64](30), CookieDomain: affiliate.Set("Beans.example"),
	}))
	w.pass(5 * time.Second) // then what another process has changed is known
	next, changed := get("/t.js", tag)
	if next.StatusCode != 200 || !strings.HasSuffix(changed, scriptEnd+`["via","r"],30,"beans.example"]);`+"\n") {
		t.Errorf("with other settings: %d %s", next.StatusCode, changed)
	}
	if len(changed) >= 2000 {
		t.Errorf("the script has %d bytes", len(changed))
	}
}

// TestScriptRefusals: what is no script is answered as by the other tracking endpoints.
func TestScriptRefusals(t *testing.T) {
	w := newWorld(t)
	h := httpapi.Tracking(theOnly(w.Program), httpapi.Config{})
	full := httpapi.Tracking(theOnly(w.Program), httpapi.Config{Limit: func(*http.Request) time.Duration { return time.Minute }})
	lost := httpapi.Tracking(func(context.Context, string) (*tributary.Program, error) { return nil, errors.New(storeText) }, httpapi.Config{})
	broken := httpapi.Tracking(theOnly(w.With(brokenStore{w.store})), httpapi.Config{})
	for name, c := range map[string]struct {
		h              http.Handler
		method, path   string
		status         int
		code, allowed  string
		hasBodyOfError bool
	}{
		"unknown program": {h, "GET", "/t.js?programId=x", 404, "program_not_found", "", true},
		"POST":            {h, "POST", "/t.js", 405, "method_not_allowed", "GET, HEAD", true},
		"OPTIONS":         {h, "OPTIONS", "/t.js", 405, "method_not_allowed", "GET, HEAD", true},
		"HEAD":            {h, "HEAD", "/t.js", 200, "", "", false},
		"below":           {h, "GET", "/t.js/", 404, "not_found", "", true},
		"in the API":      {h, "GET", "/api/affiliates/t.js", 404, "not_found", "", true},
		"limit":           {full, "GET", "/t.js", 429, "rate_limited", "", true},
		"find fails":      {lost, "GET", "/t.js", 500, "internal_error", "", true},
		"store fails":     {broken, "GET", "/t.js", 500, "internal_error", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			res := ask(c.h, httptest.NewRequest(c.method, c.path, nil))
			body := bodyOf(t, res)
			if res.StatusCode != c.status || res.Header.Get("Error-Code") != c.code || res.Header.Get("Allow") != c.allowed {
				t.Errorf("%d %v", res.StatusCode, res.Header)
			}
			if strings.Contains(body, `"error"`) != c.hasBodyOfError || strings.Contains(body, storeText) || !c.hasBodyOfError && body != "" {
				t.Errorf("%q", body)
			}
			if c.status >= 400 && res.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("a refusal is kept: %v", res.Header)
			}
		})
	}
}

// A brokenStore cannot be read.
type brokenStore struct{ record.Store }

func (brokenStore) View(context.Context, uuid.UUID, func(*record.Tx) error) error {
	return errors.New(storeText)
}

// TestAttributionBySettings: pages are counted by the settings that the last operation went by.
func TestAttributionBySettings(t *testing.T) {
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@b.example", AffiliateLink: "ada"}))
	h := httpapi.Attribution(w.Program, http.NotFoundHandler())
	must(w.UpdateSettings(t.Context(), affiliate.SettingsUpdate{
		URLModifier: affiliate.Set("via"), CookieDuration: affiliate.Set[int64](7), CookieDomain: affiliate.Set("beans.example"),
	}))
	must(w.Settings(t.Context()))
	r := httptest.NewRequest("GET", "https://www.beans.example/?via=ada", nil)
	cookies := ask(h, r).Cookies()
	if len(cookies) != 1 || cookies[0].MaxAge != 7*24*60*60 || cookies[0].Domain != "beans.example" {
		t.Errorf("%v", cookies)
	}
}
