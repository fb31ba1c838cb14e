package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/scene"
)

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
