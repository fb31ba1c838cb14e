package console_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestWhoIsNamed: a form takes an affiliate by email, id, link, the host's own id or a part of the name
// that fits one alone. It offers whom a text fits, and does nothing where that is nobody or several.
func TestWhoIsNamed(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	own := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Own", LastName: "Id", Email: "own@example.org", ExternalID: "acct/7"}))
	path := fmt.Sprint("sales/", w.free.ID, "/move")
	for text, want := range map[string]string{
		"OWN@example.org": "", own.ID.String(): "", own.AffiliateLinks[0].Link: "", "ext:acct/7": "", "wn Id": "",
		"": "Name an affiliate.", "nobody": "No affiliate is called this.", "ext:acct": "No affiliate is called this.", strings.Repeat("n", 200): "No affiliate is called this.",
		"X": "This fits more than one affiliate: choose one, such as Own Id, own@example.org;", "a\x01": "No affiliate is called this.",
	} {
		page := w.send(path, w.form(path, "affiliate", text, "reason", "asked"))
		switch got := must(w.Sale(t.Context(), w.free.ID)).AffiliateID; {
		case want == "" && (page.status != 303 || got != own.ID):
			t.Errorf("%q: %d %s", text, page.status, page.text())
		case want != "" && (page.status != 400 || !strings.Contains(page.text(), want) || got != w.ada.ID):
			t.Errorf("%q: %d %s, want %q", text, page.status, page.text(), want)
		case text == "X" && !strings.Contains(page.body, `<option dir="auto" value="planned@example.org">planned X</option>`):
			t.Errorf("nobody is offered: %s", page.body)
		}
		must(w.UpdateSale(t.Context(), w.free.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(w.ada.ID)}))
	}
}

// TestMoveHasReason: who gives a sale or a customer away says why. It is kept in the metadata, beside
// what the host has there, and shown with who did it.
func TestMoveHasReason(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	sale, customer := fmt.Sprint("sales/", w.free.ID), "customers/"+w.customer.ID.String()
	must(w.UpdateSale(t.Context(), w.free.ID, affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"big": 12345678901234567890, "tributary_moves": "mine"}`))}))
	for _, path := range []string{sale, customer} {
		if page := w.send(path+"/move", w.form(path+"/move", "affiliate", "idle")); page.status != 400 || !strings.Contains(page.text(), "Say why.") {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
		if page := w.send(path+"/move", w.form(path+"/move", "affiliate", "idle", "reason", strings.Repeat("x", 501))); page.status != 400 || !strings.Contains(page.text(), "500 characters") {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
		for i := range 12 {
			to := []string{"idle", "ada"}[i%2]
			if page := w.send(path+"/move", w.form(path+"/move", "affiliate", to, "reason", fmt.Sprint("<b>turn ", i))); page.status != 303 {
				t.Fatalf("%s: %d %s", path, page.status, page.text())
			}
		}
		shown := w.get(path).text()
		if n := strings.Count(shown, "by ops , away from this one : <b>turn"); n != 10 || !strings.Contains(shown, "<b>turn 11") || strings.Contains(shown, "<b>turn 1 ") {
			t.Errorf("%s shows %d moves: %s", path, n, shown)
		}
	}
	if raw := must(w.Sale(t.Context(), w.free.ID)).Metadata.Or(nil); !strings.Contains(string(raw), `"big":12345678901234567890`) {
		t.Errorf("what the host has is %s", raw)
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestByHand: what is recorded by hand credits as it would have been reported. What cannot be recorded is
// refused at its field and writes nothing.
func TestByHand(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for name, c := range map[string]struct {
		path   string
		fields []string
		credit string // the email of the affiliate; empty: it is refused
		want   string
	}{
		"new customer":      {"sales/new", []string{"email", "n1@x.example", "name", "N", "affiliate", "ada@example.org", "totalEarned", "1,000"}, "ada@example.org", "Why 200.00 USD?"},
		"known customer":    {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10"}, "ada@example.org", "They brought this customer before"},
		"by another":        {"sales/new", []string{"email", "cus@x.example", "affiliate", "idle", "totalEarned", "10"}, "idle@example.org", "The shop named them"},
		"by their own id":   {"sales/new", []string{"email", "ext:cus", "totalEarned", "10"}, "ada@example.org", "They brought this customer before"},
		"paid before":       {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "paidAt", "2026-03-02"}, "ada@example.org", "10.00 USD"},
		"by a code":         {"sales/new", []string{"email", "n2@x.example", "totalEarned", "10", "promoCode", "ADA3"}, "ada@example.org", "The promotional code of the order"},
		"conversion":        {"sales/convert", []string{"conversion", "signup", "email", "cus@x.example"}, "ada@example.org", "signup"},
		"nobody":            {"sales/new", []string{"email", "n3@x.example", "name", "N", "totalEarned", "10"}, "", "Nobody can be credited: name the affiliate."},
		"no email":          {"sales/new", []string{"email", "Cus", "totalEarned", "10"}, "", "A new one needs an email."},
		"order known":       {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "externalId", "o1"}, "", "This is recorded already"},
		"paid long ago":     {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "paidAt", "1999-12-31"}, "", "Paid on must not be"},
		"conversion again":  {"sales/convert", []string{"conversion", "signup2", "email", "n4@x.example", "affiliate", "nobody"}, "", "No affiliate is called this."},
		"more than the sum": {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "tax", "11"}, "", "ax"},
	} {
		t.Run(name, func(t *testing.T) {
			before := w.effects()
			page := w.send(c.path, w.form(c.path, c.fields...))
			if c.credit == "" {
				if page.status != 400 || w.effects() != before || !strings.Contains(page.text(), c.want) {
					t.Errorf("%d, changed %v: %s", page.status, w.effects() != before, page.text())
				}
				return
			}
			if page.status != 303 {
				t.Fatalf("%d %s", page.status, page.text())
			}
			newest := must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 1})).Items[0]
			if shown := w.get(fmt.Sprint("sales/", newest.ID)); newest.Affiliate.Email != c.credit || !strings.Contains(shown.text(), c.want) {
				t.Errorf("credits %s: %s", newest.Affiliate.Email, shown.text())
			}
			if paid := newest.PaidAt; name == "paid before" && paid.String() != "2026-03-02T00:00:00.000Z" {
				t.Errorf("paid at %s", paid)
			}
		})
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestDates: a form that is saved as it was shown leaves the moments that it shows as days, or as moments
// where they are within a day.
func TestDates(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	code := w.stock().code
	path := "codes/" + code.ID.String() + "/edit"
	for _, c := range []struct{ sent, shown, kind, kept string }{
		{"2027-01-31", "2027-01-31", "date", "2027-01-31T23:59:59.999Z"},
		{"2027-02-01T12:00:00.000Z", "2027-02-01T12:00:00.000Z", "text", "2027-02-01T12:00:00.000Z"},
		{"", "", "date", "null"},
	} {
		if page := w.send(path, w.form(path, "expiresAt", c.sent)); page.status != 303 {
			t.Fatalf("%d %s", page.status, page.text())
		}
		form := w.form(path, "maxRedemptions", fmt.Sprint(50+len(c.sent)))
		for _, e := range parse(t, w.get(path).body) {
			if e.attrs["name"] == "expiresAt" && (e.attrs["type"] != c.kind || e.attrs["value"] != c.shown) {
				t.Errorf("%q is shown as %s %q", c.sent, e.attrs["type"], e.attrs["value"])
			}
		}
		if page := w.send(path, form); page.status != 303 {
			t.Fatalf("%d %s", page.status, page.text())
		}
		if got := fmt.Sprint(must(w.Code(t.Context(), affiliate.CodeRef{ID: code.ID})).ExpiresAt); got != c.kept {
			t.Errorf("%q is kept as %s", c.sent, got)
		}
	}
}
