package importer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	raw, err := os.ReadFile("../../docs/import-services.md")
	if err != nil {
		t.Fatal(err)
	}
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
