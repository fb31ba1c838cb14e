package importer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
)

// TestServices: the export of each service runs as it comes, what it owes, has paid and
// keeps back is what the service says, and a second run changes nothing.
func TestServices(t *testing.T) {
	usual := [4]string{"220", "20", "20", ""} // paid, owed, kept back, rejected
	for service, want := range map[string][4]string{
		"firstpromoter":    {"220", "35", "20", "commissions.json firstpromoter:sales:6 unit"},
		"tolt":             {"220", "20", "5", ""},
		"refersion":        {"220", "20", "20", "commissions.csv refersion:sales:5 is_test_conversion"},
		"partnerstack":     {"220", "35", "20", ""},
		"affiliatewp":      {"220", "20", "20", ""},
		"postaffiliatepro": {"220", "35", "20", "commissions.csv postaffiliatepro:sales:t6 !TOTALCOST"},
		"goaffpro":         usual, "uppromote": usual, "tapfiliate": usual,
		"lemonsqueezy": {"0", "20", "0", ""},
	} {
		t.Run(service, func(t *testing.T) {
			w := newWorld(t)
			read := func() importer.Source {
				d := importer.Folder{
					FS: os.DirFS(filepath.Join("testdata", "services", service)), Service: service, Currency: "USD", Location: time.UTC, Parameter: "ref",
					Bonuses: service == "affiliatewp",
				}
				if slices.Contains([]string{"goaffpro", "uppromote", "tapfiliate"}, service) {
					d.PaidBefore = time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
				}
				src, closeAll, err := d.Open()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(closeAll)
				return src
			}
			report := w.run(read(), importer.Options{})
			var left []string
			for _, reject := range report.Rejects {
				left = append(left, reject.File+" "+reject.Ref+" "+reject.Field)
			}
			var b affiliate.Balance
			for _, a := range w.affiliates() {
				if a.Email == "mara@example.com" {
					b = must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: a.ID}))
				}
			}
			if got := [4]string{b.Paid.String(), b.Payable.String(), b.Held.String(), strings.Join(left, "; ")}; got != want {
				t.Errorf("paid, owed, kept back, rejected: %q, want %q\n%s", got, want, show(report))
			}
			if again := w.run(read(), importer.Options{}); len(again.Created)+len(again.Changed) > 0 {
				t.Error(show(again))
			}
		})
	}
}

// TestServicesAreOnThePage: the page has a section for each service, and says of each what
// its mapping says: where its names come from and what is not confirmed.
func TestServicesAreOnThePage(t *testing.T) {
	raw := must(os.ReadFile("../../docs/import-services.md"))
	page := strings.Join(strings.Fields(string(raw)), " ")
	for _, service := range importer.Services() {
		if source := importer.SourceOf(service); source != "" && (!strings.Contains(page, "`-from "+service+"`") || !strings.Contains(page, source)) {
			t.Errorf("%s: the page does not say: %s", service, source)
		}
	}
	if n := len(importer.Services()); n != 13 || !slices.Contains(importer.Services(), "dub") {
		t.Errorf("%d services", n)
	}
}

// TestServicesAskWhatTheyDoNotSay: a service that does not say what was paid, or what the
// customers paid, is never read as if it did.
func TestServicesAskWhatTheyDoNotSay(t *testing.T) {
	for service, want := range map[string]string{"goaffpro": "-paid-before", "uppromote": "-paid-before", "tapfiliate": "-paid-before", "affiliatewp": "-bonuses"} {
		_, _, err := importer.Folder{FS: os.DirFS(filepath.Join("testdata", "services", service)), Service: service}.Open()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", service, err)
		}
	}
	for _, d := range []importer.Folder{{Service: "tolt", Bonuses: true}, {Service: "tolt", PaidBefore: time.Now()}, {Service: "csv", Bonuses: true}, {Service: "dub", PaidBefore: time.Now()}} {
		d.FS = os.DirFS("testdata")
		if _, _, err := d.Open(); err == nil || !strings.Contains(err.Error(), "for ") {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

// TestServicesLinks: each affiliate keeps the address that they have published, and a slug of two is the first one's,
// which the report says.
func TestServicesLinks(t *testing.T) {
	w := newWorld(t)
	read := func(service, affiliates string) importer.Report {
		d := importer.Folder{FS: fstest.MapFS{"affiliates.json": {Data: []byte(affiliates)}}, Service: service, PaidBefore: w.now, Parameter: "ref"}
		src, closeAll, err := d.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll()
		return w.run(src, importer.Options{})
	}
	page := "https://northwind.example/?tap_a=1-aaaaaa&tap_s="
	read("tapfiliate", `[{"id": "mara", "email": "mara@example.com", "firstname": "Mara", "lastname": "Holm", "created_at": "2025-01-02T08:00:00+00:00", "referral_link": {"link": "`+page+`2-bbbbbb"}},
		{"id": "ben", "email": "ben@example.com", "firstname": "Ben", "lastname": "Ode", "created_at": "2025-01-02T08:00:00+00:00", "referral_link": {"link": "`+page+`3-cccccc"}}]`)
	for slug, email := range map[string]string{"2-bbbbbb": "mara@example.com", "3-cccccc": "ben@example.com", "1-aaaaaa": ""} {
		click, err := w.TrackClick(t.Context(), affiliate.ClickParams{Slug: slug})
		if (err == nil) != (email != "") || err == nil && must(w.Affiliate(t.Context(), click.AffiliateID.String())).Email != email {
			t.Errorf("%s: %+v %v, want %q", slug, click, err, email)
		}
	}
	shop := "https://northwind.example/?sca_ref="
	two := `[{"id": 1, "email": "cy@example.com", "first_name": "Cy", "last_name": "Nolan", "status": "active", "affiliate_link": "` + shop + `310.uITkBB"},
		{"id": 2, "email": "dee@example.com", "first_name": "Dee", "last_name": "Ode", "status": "active", "affiliate_link": "` + shop + `310.uitkbb"}]`
	report := read("uppromote", two)
	taken := func(c importer.Reject) bool {
		return c.Ref == "uppromote:affiliates:2" && c.Err.Reason == affiliate.SlugTaken
	}
	if !slices.ContainsFunc(report.Rejects, taken) {
		t.Errorf("a slug of two affiliates: %s", show(report))
	}
}

// TestServicesPages: pages that were saved one after another are one list, and a file that ends before the last page
// is an error.
func TestServicesPages(t *testing.T) {
	page := func(id, before, after string) string {
		return `{` + before + `"data": [{"id": "` + id + `", "email": "` + id + `@example.com", "first_name": "A", "last_name": "B", "status": "active", "created_at": "2025-01-02T08:00:00Z"}]` + after + `}`
	}
	for name, row := range map[string]struct {
		file string
		lost bool
	}{
		"all pages":            {page("a", "", `, "has_more": true`) + "\n" + page("b", "", `, "has_more": false`), false},
		"the first page":       {page("a", "", `, "has_more" : true`), true},
		"without the last one": {page("a", "", `, "has_more": true`) + page("b", "", `, "has_more": true`), true},
		"a number":             {page("a", `"pagination": {"current_page": 1, "next_page": 2}, `, ""), true},
		"no number":            {page("a", `"pagination": {"current_page": 2, "next_page": null}, `, ""), false},
		"an address":           {page("a", "", `, "links": {"first": "x", "next": "y"}`), true},
		"no address":           {page("a", "", `, "links": {"first": "x", "next": null}`), false},
	} {
		d := importer.Folder{FS: fstest.MapFS{"affiliates.json": {Data: []byte(row.file)}}, Service: "tolt", Parameter: "ref"}
		src, closeAll, err := d.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = importer.Run(t.Context(), newWorld(t).Program, src, importer.Options{DryRun: true})
		if closeAll(); (err != nil) != row.lost || err != nil && !strings.Contains(err.Error(), "more follow") {
			t.Errorf("%s: %v", name, err)
		}
	}
	items := `{"data": {"has_more": true, "items": [{"key": "m", "email": "m@example.com", "first_name": "M", "last_name": "H"}]}}`
	src, closeAll, err := importer.Folder{FS: fstest.MapFS{"affiliates.json": {Data: []byte(items)}}, Service: "partnerstack"}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	if _, err = importer.Run(t.Context(), newWorld(t).Program, src, importer.Options{}); err == nil {
		t.Error("a page inside of an object is taken for the last one")
	}
}
