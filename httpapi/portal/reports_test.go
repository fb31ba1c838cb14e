package portal_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestReports: an affiliate sees by what means they brought a month, in the figures of
// their own report, and nothing of others.
func TestReports(t *testing.T) {
	w := newWorld(t, "")
	must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada", LandingURL: "https://beans.example/shop?ref=ada&sub=letter-12"}))
	must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "bob", LandingURL: "https://beans.example/shop?ref=bob&sub=secret-of-bob"}))
	cookie := w.enter(w.ada.ID)
	month := w.now.Format("2006-01")
	subs := w.get(cookie, "reports/"+month+"/sub-ids")
	if !strings.Contains(subs.body, "letter-12") || strings.Contains(subs.body, "secret-of-bob") {
		t.Errorf("sub-ids: %s", subs.body)
	}
	links := w.get(cookie, "reports")
	if !strings.Contains(links.body, "<bdi>ada</bdi>") || !strings.Contains(links.body, `aria-current="true">Links</a>`) || strings.Contains(links.body, "Month after") {
		t.Errorf("links: %s", links.body)
	}
	for path, status := range map[string]int{
		"reports/" + month + "/codes": 200, "reports/" + month + "/pages": 200, "reports/" + month + "/sources": 200, "reports/" + month + "/campaigns": 200,
		"reports/" + month + "/affiliates": 404, "reports/" + month + "/": 404, "reports/2026-1/links": 404, "reports/2026-13/links": 404, "reports/x/links": 404,
		"reports/" + month + "/links?affiliateId=" + w.bob.ID.String(): 404,
	} {
		if got := w.get(cookie, path); got.status != status {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}
