package console_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// TestForfeitBox: the form that deletes or erases an affiliate asks for what is owed, by the program or by them, and does nothing
// until that is ticked. Whom nobody owes anything is not asked about it, also when a debt and what is on hold are the same.
func TestForfeitBox(t *testing.T) {
	for name, tt := range map[string]struct {
		books []string // adjustments
		held  string
		label string
	}{
		"nothing":              {nil, "", ""},
		"owed":                 {[]string{"12.5"}, "", "12.50 USD is owed, and is forfeited"},
		"in debt":              {[]string{"-7"}, "", "They owe 7.00 USD, and it is given up"},
		"settled":              {[]string{"-7", "7"}, "", ""},
		"in debt and on hold":  {[]string{"-7"}, "35", ""},
		"in debt and more due": {[]string{"-7"}, "50", "3.00 USD is owed, and is forfeited"},
	} {
		for _, form := range []string{"delete", "erase"} {
			t.Run(name+" "+form, func(t *testing.T) {
				w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.Terms.HoldDays = 30 })
				dora := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Dora", LastName: "D", Email: "dora@x.example", AffiliateLink: "dora"}))
				for _, amount := range tt.books {
					must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: dora.ID, Kind: affiliate.AdjustCorrection, Amount: affiliate.MustAmount(amount), Reason: "by hand"}))
				}
				if tt.held != "" {
					must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "dora", Email: "b@x.example", Name: "B", TotalEarned: affiliate.MustAmount(tt.held)}))
				}
				path := "affiliates/" + dora.ID.String() + "/" + form
				page := w.get(path)
				if asked := strings.Contains(page.body, `name="forfeit"`); page.status != 200 || asked != (tt.label != "") || !strings.Contains(page.text(), tt.label) {
					t.Fatalf("%d %s", page.status, page.text())
				}
				fields := w.form(path)
				if tt.label != "" {
					refused := w.send(path, fields)
					if refused.status != 400 {
						t.Errorf("unticked: %d %s", refused.status, refused.text())
					}
					fields = fieldsOf(t, refused.body)
					fields.Set("forfeit", "1")
				}
				if done := w.send(path, fields); done.status != 303 {
					t.Errorf("%d %s", done.status, done.text())
				}
				if err := w.Verify(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
