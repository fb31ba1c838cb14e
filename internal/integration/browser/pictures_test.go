package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// gallery are the pages of the demo whose pictures are kept, by the name of the
// picture, which begins with the set of pages.
func gallery(t testing.TB, w *world) map[string]string {
	t.Helper()
	mine := w.Partner(w.made.Ada.ID)
	sale, payout, link := must(mine.Sales(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0], must(mine.Payouts(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0], must(mine.Links(t.Context(), affiliate.Page{Limit: 1}))(t).Items[0]
	runs := must(w.PayoutRuns(t.Context(), affiliate.Page{Limit: 1}))(t)
	return map[string]string{
		"console-overview":  "/",
		"console-reports":   "/reports?period=quarter",
		"console-owed":      "/owed?at=2025-11-30",
		"console-books":     "/books",
		"console-document":  "/affiliates/" + w.made.Ada.ID.String() + "/statements/2025-11/document",
		"console-sale":      "/sales/1288",
		"console-run":       "/payouts/run?externalId=" + runs.Items[0].ExternalID,
		"console-statement": "/affiliates/" + w.made.Ada.ID.String() + "/statements/2025-11",
		"console-affiliate": "/affiliates/" + w.made.Ada.ID.String(),
		"console-settings":  "/settings",
		"console-by-hand":   "/sales/new",
		"console-move":      "/sales/1288/move",
		"partner-overview":  "/",
		"partner-terms":     "/terms",
		"partner-links":     "/links",
		"partner-link":      "/links/" + link.ID.String(),
		"partner-codes":     "/codes",
		"partner-sales":     "/sales",
		"partner-sale":      fmt.Sprintf("/sales/%d", sale.ID),
		"partner-customers": "/customers",
		"partner-report":    "/reports/2025-12/links",
		"partner-statement": "/statements/2025-12",
		"partner-payouts":   "/payouts",
		"partner-payout":    "/payouts/" + payout.ID.String(),
		"partner-details":   "/payout-details",
		"partner-apply":     "/apply",
	}
}

// documented are the pictures of the documentation.
const documented = " console-overview console-reports console-sale console-run partner-overview "

// TestPictures (check 48): the demo fits a telephone, a tablet and a desk, in both
// schemes, and there is something to see. The pictures are kept as artefacts.
//
// With TRIBUTARY_PICTURES, those of the documentation are written into that folder.
func TestPictures(t *testing.T) {
	t.Parallel()
	w := newYear(t)
	w.made.Ada = must(w.Affiliate(t.Context(), "mara@roastnotes.example"))(t)
	tabs := map[string]*tab{}
	for set, mount := range sets {
		tabs[set] = newTab(t, originOf(t, mount(w)))
	}
	folder, documents := t.ArtifactDir(), os.Getenv("TRIBUTARY_PICTURES")
	for name, path := range gallery(t, w) {
		set, _, _ := strings.Cut(name, "-")
		tb := tabs[set]
		tb.open(path)
		for _, s := range []scheme{light, dark} {
			tb.colours(s)
			for _, window := range []size{phone, tablet, desk} {
				tb.fits(window)
				tb.keep(folder, fmt.Sprintf("%s-%d-%s", name, window.width, s))
			}
			if documents != "" && strings.Contains(documented, " "+name+" ") {
				tb.window(size{1080, 800, 1})
				tb.keep(documents, name+"-"+string(s))
			}
		}
	}
}

// TestEveryPicture keeps pictures of one page of each kind, of a telephone and a desk in both
// schemes, for somebody to look at. .ci/release asks for it.
func TestEveryPicture(t *testing.T) {
	if os.Getenv("TRIBUTARY_EVERY_PICTURE") == "" {
		t.Skip("TRIBUTARY_EVERY_PICTURE is not set: .ci/release sets it")
	}
	for set, mount := range sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := newYear(t)
			w.made.Ada = must(w.Affiliate(t.Context(), "mara@roastnotes.example"))(t)
			tb, folder := newTab(t, originOf(t, mount(w))), t.ArtifactDir()
			crawl(tb, "/", 1, func(tb *tab, _ int) {
				name := strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-", "&", "-", "%", "-").Replace(kind(tb.path())), "-")
				for _, s := range []scheme{light, dark} {
					tb.colours(s)
					for _, window := range []size{phone, desk} {
						tb.window(window)
						tb.keep(folder, fmt.Sprintf("%s-%s-%d-%s", set, name, window.width, s))
					}
				}
			})
		})
	}
}
