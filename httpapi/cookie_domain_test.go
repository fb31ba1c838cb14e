package httpapi_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// TestCookieDomain: with a domain in common, who clicks on one host is known on the other; without it,
// and at a host of another domain, the cookie is of the host alone.
func TestCookieDomain(t *testing.T) {
	for _, tt := range []struct {
		name, domain, visited, bought string
		known                         bool
	}{
		{"www and app", "shop.example", "http://www.shop.example/", "http://app.shop.example/", true},
		{"the domain itself, and a port", "Shop.example", "http://shop.example:8080/", "http://app.shop.example:8080/", true},
		{"none", "", "http://www.shop.example/", "http://app.shop.example/", false},
		{"none, the same host", "", "http://www.shop.example/", "http://www.shop.example/", true},
		{"another site", "shop.example", "http://localhost/", "http://localhost/", true},
		{"a name that ends like it", "shop.example", "http://myshop.example/", "http://www.shop.example/", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, func(s *setup) { s.engine.CookieDomain = tt.domain })
			must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: "mara@roast.example", AffiliateLink: "mara"}))
			jar := must(cookiejar.New(nil))
			page := httpapi.Attribution(w.Program, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			seen := httptest.NewRecorder()
			page.ServeHTTP(seen, httptest.NewRequest("GET", tt.visited+"?ref=mara", nil))
			jar.SetCookies(must(url.Parse(tt.visited)), seen.Result().Cookies())
			buy := httptest.NewRequest("GET", tt.bought, nil)
			for _, c := range jar.Cookies(buy.URL) {
				buy.AddCookie(c)
			}
			if known := httpapi.ClickFrom(w.Program, buy) != ""; known != tt.known {
				t.Errorf("known: %v, the cookies are %v", known, seen.Result().Cookies())
			}
		})
	}
	for _, bad := range []string{".shop.example", "https://shop.example", "shop.example:80", "example", "shop.example/x", "a b.example", "*.shop.example", "shop..example", "shop.example.", "127.0.0.1", "shop.example;Secure", "shöp.example"} {
		if _, err := tributary.New(memstore.New(), tributary.Config{CookieDomain: bad}); err == nil {
			t.Errorf("the domain %q is taken", bad)
		}
	}
}
