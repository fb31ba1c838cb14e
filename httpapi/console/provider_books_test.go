package console_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// TestProviderBooks: what a provider's books and the program's do not agree about is on a page, in a file,
// and, when it is older than a day, in the overview; somebody accepts it, with a reason, or has the provider read again.
// A provider whose API is not read has no such page.
func TestProviderBooks(t *testing.T) {
	book := &payBook{connected: "ada"}
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Providers = func(*tributary.Program) console.Providers { return book }
	})
	for _, path := range []string{"providers/stripe/books", "providers/stripe/books/read", "providers/stripe/books/differences.csv"} {
		if got := w.get(path); got.status != 404 {
			t.Errorf("%s without an API: %d", path, got.status)
		}
	}
	old, young, waits := uuid.New(), uuid.New(), uuid.New()
	sums := console.ProviderSums{Currency: "USD", TheirPaid: affiliate.MustAmount("120"), OurPaid: affiliate.MustAmount("100"), OurLost: affiliate.MustAmount("7.5")}
	book.books = &console.ProviderBooks{
		Reading: "2000 events were read", Failed: "the provider answered 401", At: w.now, Since: w.now.AddDate(0, 0, -28), Payments: 12, Others: 34, More: 5, Sums: []console.ProviderSums{sums},
		Differences: []console.ProviderDifference{
			{ID: old, Kind: "paid", At: w.now.Add(-25 * time.Hour), Keys: []string{"pi_1", "in_1"}, ProviderSums: sums, SaleID: affiliate.Set(affiliate.SaleID(7))},
			{ID: waits, Kind: "waits", At: w.now.Add(-48 * time.Hour), Keys: []string{"pi_2"}, ProviderSums: sums, PaymentID: waits, Waits: affiliate.SaleParked},
			{ID: young, Kind: "missing", At: w.now.Add(-23 * time.Hour), Keys: []string{"pi_3"}, ProviderSums: sums},
			{ID: uuid.New(), Kind: "lost", At: w.now.Add(-48 * time.Hour), Keys: []string{"pi_4"}, ProviderSums: sums, AcceptedBy: "Kim", Why: "a gift", AcceptedAt: w.now},
		},
		CSV: func(out io.Writer) error { _, err := io.WriteString(out, "kind\r\n"); return err },
	}
	overview := w.get("").body
	for text, want := range map[string]bool{"Books differ": true, "401": true, "pi_1": true, "pi_2": true, "pi_3": false, "pi_4": false, "5 payments differ that are not listed": true} {
		if strings.Contains(overview, text) != want {
			t.Errorf("the overview has %s: %v", text, !want)
		}
	}
	page := w.get("providers/stripe/books").body
	for _, want := range []string{"2000 events were read", "401", "34 of customers", "5 more are not listed", "another amount", "only the provider has it", "nothing says whom to credit",
		`sales/7">Sale 7`, "payments/" + waits.String() + "/decide", "books/" + old.String() + "/accept", "accepted by <bdi>Kim</bdi>", "a gift", "120.00", "7.50"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if file := w.get("providers/stripe/books/differences.csv"); !strings.HasSuffix(file.body, "kind\r\n") || !strings.Contains(file.head.Get("Content-Disposition"), "stripe-differences.csv") {
		t.Errorf("the file: %v %q", file.head, file.body)
	}
	at := "providers/stripe/books/" + old.String() + "/accept"
	if got := w.send(at, w.form(at)); got.status != 422 && got.status != 400 || book.accepted != "" {
		t.Errorf("accepted without a reason: %d", got.status)
	}
	if got := w.send(at, w.form(at, "why", strings.Repeat("é", 501))); got.status == 303 || book.accepted != "" {
		t.Errorf("accepted with a reason that is too long: %d", got.status)
	}
	if got := w.send(at, w.form(at, "why", "paid in cash")); got.status != 303 || !strings.HasPrefix(book.accepted, "stripe "+old.String()+" paid in cash") {
		t.Errorf("accepted: %d %q", got.status, book.accepted)
	}
	for _, path := range []string{"providers/stripe/books/" + uuid.NewString() + "/accept", "providers/stripe/books/x/accept", "providers/paddle/books"} {
		if got := w.get(path); got.status != 404 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	at = "providers/stripe/books/read"
	if got := w.send(at, w.form(at, "since", "soon")); got.status == 303 || !book.read.IsZero() {
		t.Errorf("read since no day: %d", got.status)
	}
	if got := w.send(at, w.form(at, "since", "2199-01-31")); got.status == 303 || !book.read.IsZero() {
		t.Errorf("read since a day that has not come: %d", got.status)
	}
	if got := w.send(at, w.form(at, "since", "2026-01-31")); got.status != 303 || !book.read.Equal(must(affiliate.ParseDate("2026-01-31")).FirstInstant(w.Config().Location)) {
		t.Errorf("read: %d %v", got.status, book.read)
	}
}
