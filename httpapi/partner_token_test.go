package httpapi_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/portal"
)

var portalKey = bytes.Repeat([]byte("p"), 32)

const tokenPath = "/api/v1/partner/token"

// TestPartnerToken (console check 59): a full key gets a URL that opens the pages
// within its time; other keys, unknown affiliates and a server without pages do not.
func TestPartnerToken(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	pages := must(portal.New(w.Program, portal.Config{Prefix: "/partner/", Key: portalKey, NoPayoutForm: true}))
	open := func(target string) int {
		rec := httptest.NewRecorder()
		pages.ServeHTTP(rec, httptest.NewRequest("GET", strings.TrimPrefix(target, "https://shop.example"), nil))
		return rec.Code
	}
	answer := w.ok("POST", tokenPath, `{"affiliateId":"`+s.affiliate.String()+`","ttlSeconds":30}`)
	target := answer["url"].(string)
	if !strings.HasPrefix(target, "https://shop.example/partner/enter?token=tp1.") || !strings.HasSuffix(target, answer["token"].(string)) || open(target) != http.StatusSeeOther {
		t.Errorf("got %v, which opens %d", answer, open(target))
	}
	if expires := must(time.Parse(time.RFC3339, answer["expiresAt"].(string))); expires.After(w.now.Add(30*time.Second)) || expires.Before(w.now.Add(29*time.Second)) {
		t.Errorf("it expires at %s, now is %s", expires, w.now)
	}
	w.now = w.now.Add(30 * time.Second)
	if code := open(target); code != http.StatusForbidden {
		t.Errorf("after its time it opens %d", code)
	}
	w.refuses("404 affiliate_not_found: Affiliate not found", "POST", tokenPath, `{"affiliateId":"`+uuid.NewString()+`"}`)
	w.refuses("400 missing_field: Affiliate ID is required [affiliateId]", "POST", tokenPath, `{"ttlSeconds":5}`)
	w.refuses("400 invalid_field: ttlSeconds must be an integer from 30 to 3600 [ttlSeconds]", "POST", tokenPath, `{"affiliateId":"`+s.affiliate.String()+`","ttlSeconds":29}`)
	keys := []httpapi.Key{{Secret: "a-key-of-a-full-scope"}, {Secret: "a-key-of-a-shop-system", Scope: httpapi.ScopeIntegration}, {Secret: "a-key-of-a-read-scope", Scope: httpapi.ScopeRead}}
	bare := must(httpapi.New(w.Program, httpapi.Config{Keys: keys}))
	for i, want := range []affiliate.Reason{affiliate.PortalNotConfigured, affiliate.InsufficientScope, affiliate.InsufficientScope} {
		c := must(client.New("http://tributary.test", keys[i].Secret, client.Config{Handler: bare}))
		if _, err := c.PartnerToken(t.Context(), s.affiliate, 0); !errors.Is(err, want) {
			t.Errorf("%s: %v", keys[i].Scope, err)
		}
	}
	for name, link := range map[string]httpapi.PortalLink{
		"short key": {Key: portalKey[:31], URL: "https://x.example/"}, "no URL": {Key: portalKey}, "no slash": {Key: portalKey, URL: "https://x.example/partner"}, "script": {Key: portalKey, URL: "javascript:alert(1)/"},
	} {
		if _, err := httpapi.New(w.Program, httpapi.Config{Keys: keys, Portal: &link}); err == nil || !strings.HasPrefix(err.Error(), "httpapi: Config.Portal") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
