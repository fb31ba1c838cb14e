package httpapi_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

const siteCookie = "tributary_click_0197c2f01a2b7c3d8e4f5a6b7c8d9e01"

// pages is a host's page behind Attribution. It prints what it learns about the
// visitor.
func (s *site) pages() http.Handler {
	return httpapi.Attribution(s.Program, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, "%s %s click=%s", r.Method, r.URL, httpapi.ClickFrom(s.Program, r))
	}))
}

// visitTo is a GET of a page, with headers as name and value.
func visitTo(target string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func TestAttribution(t *testing.T) {
	s := newSite(t)
	res := ask(s.pages(), visitTo("http://beans.example/shop?a=1&ref=mARA&b=%zz", "Referer", "https://blog.example/x", "User-Agent", "Br\towser"))
	want := []string{siteCookie + "=1; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax"}
	if diff := cmp.Diff(want, res.Header["Set-Cookie"]); diff != "" {
		t.Errorf("cookie (-want +got):\n%s", diff)
	}
	const page = "GET http://beans.example/shop?a=1&ref=mARA&b=%zz click=1"
	if body := bodyOf(t, res); res.StatusCode != http.StatusAccepted || body != page {
		t.Errorf("page: %d %q, want 202 %q", res.StatusCode, body, page)
	}
	counted, stored := s.clicks()
	wantStored := []record.Click{{
		ID: stored[0].ID, Number: 1, AffiliateID: s.mara.ID, LinkID: s.mara.AffiliateLinks[0].ID, CreatedAt: affiliate.InstantOf(siteTime), Unique: true,
		LandingURL: "http://beans.example/shop?ref=mARA", Referrer: "https://blog.example/x", UserAgent: "Browser",
	}}
	if diff := cmp.Diff(wantStored, stored); diff != "" || counted != 1 {
		t.Errorf("counted %d, stored (-want +got):\n%s", counted, diff)
	}
	if n := s.fired.Load(); n != 0 {
		t.Errorf("%d events", n)
	}
}

// TestAttributionReadBack: a visitor comes, comes back by another link, and buys;
// the last click is the one that counts.
func TestAttributionReadBack(t *testing.T) {
	s := newSite(t)
	leo := must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Leo", LastName: "Brandt", Email: "leo@mail.example", AffiliateLink: "leo"}))
	server := httptest.NewServer(s.pages())
	defer server.Close()
	browser := &jar{t: t}
	for _, tt := range []struct{ path, want string }{
		{"/", "click="},
		{"/?ref=mara", "click=1"},
		{"/about", "click=1"},
		{"/?ref=leo", "click=2"},
		{"/?ref=nobody", "click=2"},
		{"/?ref=", "click=2"},
		{"/checkout", "click=2"},
	} {
		if got := browser.get(server.URL + tt.path); !strings.HasSuffix(got, " "+tt.want) {
			t.Errorf("%s: %q, want %s", tt.path, got, tt.want)
		}
	}
	r := visitTo("/checkout", "Cookie", siteCookie+"="+browser.cookie)
	res, err := s.RecordSale(t.Context(), affiliate.SaleParams{
		ReferralID: httpapi.ClickFrom(s.Program, r), Email: "ida@mail.example", Name: "Ida Holm", TotalEarned: affiliate.MustAmount("40"),
	})
	sale, _ := res.Sale.Get()
	if err != nil || sale.AffiliateID != leo.ID {
		t.Errorf("the sale is %s's (%v, %v), want %s's", sale.AffiliateID, res.Outcome, err, leo.ID)
	}
	_, stored := s.clicks()
	if !stored[0].Unique || stored[1].Unique {
		t.Errorf("unique: %v, %v; want the first alone", stored[0].Unique, stored[1].Unique)
	}
}

// A jar is a browser with one cookie.
type jar struct {
	t      *testing.T
	cookie string
}

func (j *jar) get(url string) string {
	j.t.Helper()
	r := must(http.NewRequestWithContext(j.t.Context(), http.MethodGet, url, nil))
	if j.cookie != "" {
		r.AddCookie(&http.Cookie{Name: siteCookie, Value: j.cookie})
	}
	res := must(http.DefaultClient.Do(r))
	defer res.Body.Close()
	for _, c := range res.Cookies() {
		j.cookie = c.Value
	}
	body := must(io.ReadAll(res.Body))
	return string(body)
}

// TestAttributionLeavesAlone: a request that is not a click leaves cookie and
// page as they are.
func TestAttributionLeavesAlone(t *testing.T) {
	s := newSite(t)
	h := s.pages()
	method := func(m string) *http.Request { return httptest.NewRequest(m, "/?ref=mara", nil) }
	for _, tt := range []struct {
		name string
		r    *http.Request
	}{
		{"NoQuery", visitTo("/")},
		{"OtherParam", visitTo("/?reff=mara&via=mara")},
		{"EmptySlug", visitTo("/?ref=")},
		{"UnknownSlug", visitTo("/?ref=nobody")},
		{"SlugWithControlCharacter", visitTo("/?ref=mara%00")},
		{"SlugWithNewline", visitTo("/?ref=mara%0d%0aSet-Cookie:%20x=y")},
		{"SlugNotUTF8", visitTo("/?ref=%ff")},
		{"LongSlug", visitTo("/?ref=" + strings.Repeat("mara", 15<<10))},
		{"MalformedPair", visitTo("/?ref=%zz")},
		{"Head", method(http.MethodHead)},
		{"Post", method(http.MethodPost)},
		{"Options", method(http.MethodOptions)},
		{"Prefetch", visitTo("/?ref=mara", "Sec-Purpose", "prefetch")},
		{"Prerender", visitTo("/?ref=mara", "Sec-Purpose", "prefetch;prerender")},
		{"PrefetchOfOldBrowser", visitTo("/?ref=mara", "Purpose", "prefetch")},
		{"PrefetchOfOldFirefox", visitTo("/?ref=mara", "X-Moz", "prefetch")},
		{"Image", visitTo("/?ref=mara", "Sec-Fetch-Dest", "image")},
		{"Frame", visitTo("/?ref=mara", "Sec-Fetch-Dest", "iframe")},
		{"Script", visitTo("/?ref=mara", "Sec-Fetch-Dest", "empty")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.AddCookie(&http.Cookie{Name: siteCookie, Value: "77"})
			res := ask(h, tt.r)
			if cookies := res.Header["Set-Cookie"]; cookies != nil {
				t.Errorf("cookies %q", cookies)
			}
			want := fmt.Sprintf("%s %s click=77", tt.r.Method, tt.r.URL)
			if body := bodyOf(t, res); res.StatusCode != http.StatusAccepted || body != want {
				t.Errorf("page: %d %.80q, want 202 %.80q", res.StatusCode, body, want)
			}
		})
	}
	if counted, stored := s.clicks(); counted != 0 || len(stored) != 0 {
		t.Errorf("%d clicks counted, %d stored", counted, len(stored))
	}
	if res := ask(h, visitTo("/?ref=mara", "Sec-Fetch-Dest", "document")); res.Header["Set-Cookie"] == nil {
		t.Error("a page that is shown is no click")
	}
}

// TestAttributionStore: a store that fails or hangs costs the click, not the
// page.
func TestAttributionStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		for name, set := range map[string]func(bool){"Broken": s.broken.Store, "Slow": s.slow.Store} {
			set(true)
			res := ask(s.pages(), visitTo("/?ref=mara"))
			if body := bodyOf(t, res); body != "GET /?ref=mara click=" || res.Header["Set-Cookie"] != nil {
				t.Errorf("%s: %q %q", name, body, res.Header["Set-Cookie"])
			}
			set(false)
		}
		if res := ask(s.pages(), visitTo("/?ref=mara")); res.Header["Set-Cookie"] == nil {
			t.Error("no click after the store came back")
		}
	})
}

// TestAttributionLongLanding: a landing URL of 60 KiB is cut, and bytes in it
// that are not valid text are dropped.
func TestAttributionLongLanding(t *testing.T) {
	s := newSite(t)
	r := visitTo("http://beans.example/?ref=mara")
	r.URL.RawQuery = "ref=mara&utm_a=\xff\x01" + strings.Repeat("y", 60<<10)
	if res := ask(s.pages(), r); res.Header["Set-Cookie"] == nil {
		t.Fatal("no click")
	}
	_, stored := s.clicks()
	if got := stored[0].LandingURL; len(got) != 512 || !strings.HasPrefix(got, "http://beans.example/?ref=mara&utm_a=yyy") {
		t.Errorf("kept %d bytes: %.60q", len(got), got)
	}
}

func TestAttributionOverTLS(t *testing.T) {
	s := newSite(t)
	direct, proxied := visitTo("/?ref=mara"), visitTo("/?ref=mara", "X-Forwarded-Proto", "https")
	direct.TLS = new(tls.ConnectionState)
	for name, r := range map[string]*http.Request{"Direct": direct, "Proxied": proxied} {
		cookie := ask(s.pages(), r).Header.Get("Set-Cookie")
		if !strings.Contains(cookie, "; Secure") {
			t.Errorf("%s: cookie %q is not Secure", name, cookie)
		}
	}
	if _, stored := s.clicks(); stored[0].LandingURL != "https://example.com/?ref=mara" {
		t.Errorf("landing URL %q", stored[0].LandingURL)
	}
}

// offerTo is what the link gives the visitor of a page.
func offerTo(program *tributary.Program, r *http.Request) (affiliate.Evaluation, error) {
	return program.Evaluate(r.Context(), affiliate.Order{ReferralID: httpapi.ClickFrom(program, r), Offer: true})
}

// TestOfferOfPage: a page shows a visitor what the link gives, and nobody else.
func TestOfferOfPage(t *testing.T) {
	s := newSite(t)
	coupon := must(s.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Friends", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.mara.ID}, affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(coupon.ID)}))
	var seen, none affiliate.Evaluation
	pages := httpapi.Attribution(s.Program, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("ref") {
			seen = must(offerTo(s.Program, r))
		} else {
			none = must(offerTo(s.Program, r))
		}
	}))
	ask(pages, visitTo("/?ref=mara"))
	ask(pages, visitTo("/"))
	if got, _ := seen.Coupon.Get(); !seen.Valid || got.ID != coupon.ID {
		t.Errorf("the visitor sees %+v", seen)
	}
	if none.Valid || !none.Coupon.IsNull() {
		t.Errorf("others see %+v", none)
	}
}

// TestClickFrom: a cookie that somebody edited names a click or nothing.
func TestClickFrom(t *testing.T) {
	s := newSite(t)
	for value, want := range map[string]string{
		"1": "1", "9223372036854775807": "9223372036854775807", "": "", "0": "", "-1": "", "+1": "", "01": "", "1.0": "",
		"9223372036854775808": "", "ida@mail.example": "", "mara": "", "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01": "",
	} {
		if got := httpapi.ClickFrom(s.Program, visitTo("/", "Cookie", siteCookie+"="+value)); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
	cfg := s.Config()
	cfg.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02")
	other := must(tributary.New(s.store, cfg))
	if got := httpapi.ClickFrom(other, visitTo("/", "Cookie", siteCookie+"=1")); got != "" {
		t.Errorf("the click of another program is %q", got)
	}
}

// TestAttributionAtOnce: counters equal the clicks, and the ids are distinct.
// Time stands still in the bubble, so no click is given up as too slow.
func TestAttributionAtOnce(t *testing.T) {
	const n = 10_000
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		h := s.pages()
		ids := make([]int64, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				cookies := ask(h, visitTo("/?ref=mara")).Cookies()
				if len(cookies) != 1 {
					t.Errorf("%d cookies", len(cookies))
					return
				}
				id, err := strconv.ParseInt(cookies[0].Value, 10, 64)
				if err != nil {
					t.Error(err)
				}
				ids[i] = id
			})
		}
		wg.Wait()
		s.holds(ids)
	})
}

// TestVisitsLimit: over the limit a page is answered, no click is recorded, and the cookie of
// an earlier click stays.
func TestVisitsLimit(t *testing.T) {
	s := newSite(t)
	over := false
	pages := httpapi.Visits{Limit: func(*http.Request) time.Duration {
		if over {
			return time.Minute
		}
		return 0
	}}.Attribution(s.Program, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "page", httpapi.ClickFrom(s.Program, r))
	}))
	first := ask(pages, visitTo("/?ref=mara"))
	over = true
	again := visitTo("/?ref=mara")
	again.AddCookie(first.Cookies()[0])
	res := ask(pages, again)
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || string(body) != "page1" || res.Header.Get("Set-Cookie") != "" {
		t.Errorf("%d %q %v, error %v", res.StatusCode, body, res.Header, err)
	}
	if counted, _ := s.clicks(); counted != 1 {
		t.Errorf("%d clicks", counted)
	}
}

// A link whose query was damaged on the way is a click on the link that it can only mean.
func TestAttributionOfDamagedLinks(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) { c.OldParams = []string{"via", "aff"} })
	ada, bob := s.Ada.Person.ID, s.Bob.ID
	pages := httpapi.Attribution(s.Program, http.NotFoundHandler())
	clicks := func() (n [2]int64) {
		for i, id := range [...]affiliate.AffiliateRef{{ID: ada}, {ID: bob}} {
			n[i] = scene.Must(s.Affiliate(t.Context(), id.ID.String())).NumberOfClicks
		}
		return n
	}
	for query, want := range map[string]string{
		"ref=ada": "ada", "REF=ada": "ada", "Ref=ada&x=1": "ada", "ref=ada?utm_source=x": "ada", "utm_source=x?ref=ada": "ada", "utm_source=x&amp;ref=ada": "ada",
		"ref%3Dada": "ada", "x=1&ref%3dada": "ada", "ref=ada/": "ada", "ref=%22ada%22": "ada", "ref=ada%": "ada", "ref=&ref=ada": "ada", "via=ada": "ada", "VIA=ada": "ada", "aff=ada": "ada",
		"ref=ada&via=bob": "ada", "via=bob&ref=ada": "ada", "REF=bob&ref=ada": "ada", "REF=ada?x=1": "ada", "REF=ada&via=bob": "bob", "via=ada;x=1": "ada",
		"utm_source=x%26ref=ada": "ada", "utm_source%3Dx%26ref%3Dada": "ada", "ref%20=ada": "ada", "ref=ada%EF%BC%9F": "ada", "ref=ada%F0%9F%94%A5": "ada",
		"next=%2Fpricing%3Fa=1%26ref=ada": "", "q=rock%26roll": "", "q%3Dref": "",
		"next=/pricing?ref=ada": "", "url=https://other.example/?ref=ada": "", "next=%2Fpricing%3Fref%3Dada": "", "xref=ada": "", "refs=ada": "", "ada": "", "ref": "", "x=ref=ada": "",
	} {
		before := clicks()
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequest("GET", "/?"+query, nil))
		after, got := clicks(), ""
		if after[0] > before[0] {
			got = "ada"
		} else if after[1] > before[1] {
			got = "bob"
		}
		if got != want || (want != "") != (len(w.Result().Cookies()) == 1) {
			t.Errorf("%s is a click of %q, want %q", query, got, want)
		}
	}
	r := httptest.NewRequest("GET", "/?ref=ada", nil)
	r.Header.Set("User-Agent", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)")
	w, before := httptest.NewRecorder(), clicks()
	pages.ServeHTTP(w, r)
	if w.Code != http.StatusNotFound || len(w.Result().Cookies()) != 0 || clicks() != before {
		t.Errorf("a preview is a click: %d %v", w.Code, w.Result().Cookies())
	}
}

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
