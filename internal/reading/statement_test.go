package reading_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

func month(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }

// money checks 21 and 22: what a closed period says never changes.
func TestStatement(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.Now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	sale := s.ToTomas("200")
	s.Now = time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)
	may, mayCSV := scene.StatementTexts(t, s.Program, s.Ada.Person.ID, month(5), month(6))
	id := s.Ada.Person.ID.String()
	want := `{"affiliateId":"` + id + `","currency":"USD","from":"2026-05-01T00:00:00.000Z","to":"2026-06-01T00:00:00.000Z",` +
		`"opening":{"held":0,"payable":0,"inPayout":0,"owed":0,"paid":0},"closing":{"held":0,"payable":40,"inPayout":0,"owed":40,"paid":0},"closed":true}` +
		`[{"number":1,"at":"2026-05-10T12:00:00.000Z","cause":"SALE","saleId":1,"commissionId":1,"payoutId":null,"adjustmentId":null,"amount":40,"owed":40}]`
	scene.Equal(t, want, may)
	const wantCSV = `"number","at","cause","sale","commission","adjustment","payout","amount","owed"` + "\r\n" +
		`"","2026-05-01T00:00:00.000Z","OPENING_BALANCE","","","","","","0"` + "\r\n" +
		`"1","2026-05-10T12:00:00.000Z","SALE","1","1","","","40","40"` + "\r\n" +
		`"","2026-06-01T00:00:00.000Z","CLOSING_BALANCE","","","","","","40"` + "\r\n"
	scene.Equal(t, wantCSV, mayCSV)
	s.Now = time.Date(2026, 6, 3, 9, 0, 0, 0, time.UTC)
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("60")}))
	s.Now = month(7)
	june, _ := scene.StatementTexts(t, s.Program, s.Ada.Person.ID, month(6), month(7))
	for _, part := range []string{`"owed":40`, `"closing":{"held":0,"payable":28,"inPayout":0,"owed":28,"paid":0},"closed":false`, `"cause":"REFUND"`, `"amount":-12,"owed":28}]`} {
		if !strings.Contains(june, part) {
			t.Errorf("June lacks %s: %s", part, june)
		}
	}
	scene.Must(s.RenameLink(ctx, affiliate.LinkRef{Slug: "ada"}, "countess"))
	scene.Must(0, s.Forfeiting().EraseAffiliate(ctx, s.Ada.Person.ID))
	again, againCSV := scene.StatementTexts(t, s.Program, s.Ada.Person.ID, month(5), month(6))
	scene.Equal(t, may+mayCSV, again+againCSV)
}

// money check 23, and M60: a statement does not begin before the books.
func TestStatementErrors(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	backwards := scene.FieldError(affiliate.InvalidQuery, "to", "to must be after from")
	s.Refused(backwards, func() error {
		return scene.ErrOf(s.Statement(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}, month(6), month(6)))
	})
	s.Refused(backwards, func() error {
		return scene.ErrOf(s.Statement(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}, month(6), month(5)))
	})
	s.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return scene.ErrOf(s.Statement(ctx, affiliate.AffiliateRef{ID: uuid.Max}, month(5), month(6)))
	})
	s.ToTomas("100")
	s.Ages()
	s.Pass(time.Hour)
	opened := s.Now
	statement := func(from time.Time) func() error {
		return func() error {
			return scene.ErrOf(s.Statement(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}, from, month(12)))
		}
	}
	s.Refused(scene.BooksClosed, statement(opened.Add(time.Hour)))
	scene.Must(s.Run(ctx, affiliate.OpenBooksJob{}))
	s.Refused(scene.BooksClosed, statement(opened.Add(-time.Microsecond)))
	if err := statement(opened)(); err != nil {
		t.Errorf("a statement from the opening on: %v", err)
	}
}

// M55: nothing is booked into a closed period, also by a clock that is behind.
func TestCloseBooks(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.ToTomas("100")
	s.Pass(time.Minute)
	to := s.Now
	s.Refused(scene.FieldError(affiliate.InvalidField, "until", "until must not be later than now"), func() error { return scene.ErrOf(s.Run(ctx, affiliate.CloseBooksJob{Until: to.Add(time.Second)})) })
	scene.Equal(t, 2, scene.Must(s.Run(ctx, affiliate.CloseBooksJob{Until: to})).Changed)
	for _, until := range []time.Time{to, to.Add(-time.Hour)} {
		scene.Equal(t, 0, scene.Must(s.Run(ctx, affiliate.CloseBooksJob{Until: until})).Changed)
	}
	before, asCSV := scene.StatementTexts(t, s.Program, s.Ada.Person.ID, scene.Start.Add(-time.Hour), to)
	if !strings.Contains(before, `"closed":true`) {
		t.Errorf("not closed: %s", before)
	}
	s.Pass(-time.Hour)
	s.ToTomas("50")
	s.Verifies()
	if last := scene.Must(s.Movements(ctx, affiliate.MovementQuery{}, affiliate.Page{Limit: 1})).Items[0]; last.At != affiliate.TimeOf(to) || last.Number != 2 {
		t.Errorf("booked at %v, the books are closed until %v", last.At, to)
	}
	after, againCSV := scene.StatementTexts(t, s.Program, s.Ada.Person.ID, scene.Start.Add(-time.Hour), to)
	scene.Equal(t, before+asCSV, after+againCSV)
}

// Money check 49: a statement of many lines is read in pages, and adds up.
func TestStatementPages(t *testing.T) {
	s := scene.NewShop(t)
	for range 250 {
		s.ToTomas("10")
		s.Pass(time.Millisecond)
	}
	got := scene.Must(s.Statement(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}, scene.Start, s.Now))
	var text strings.Builder
	scene.Must(0, got.WriteCSV(&text))
	rows := scene.Must(csv.NewReader(strings.NewReader(text.String())).ReadAll())
	total := scene.RatOf(got.Opening.Owed)
	for _, row := range rows[2 : len(rows)-1] {
		total.Add(total, scene.RatOf(scene.Sum(row[7])))
	}
	if len(rows) != 253 || total.Cmp(scene.RatOf(got.Closing.Owed)) != 0 || got.Closing.Owed != scene.Sum("500") {
		t.Errorf("%d rows add up to %v, closing %v", len(rows), total, got.Closing.Owed)
	}
}

// M51: the opening of what was paid before is no line, because nothing of it is
// owed. A statement begins where the opening is shown.
func TestStatementOfOpening(t *testing.T) {
	s := scene.NewShop(t)
	s.ToTomas("100")
	s.Moves(s.PaysOut(), affiliate.PayoutPaid)
	s.ToTomas("50")
	s.Ages()
	s.Pass(time.Hour + 1500*time.Microsecond)
	scene.Must(s.Run(t.Context(), affiliate.OpenBooksJob{}))
	opening := scene.Must(s.Movements(t.Context(), affiliate.MovementQuery{Cause: affiliate.CauseOpening}, affiliate.Page{})).Items[0]
	got := scene.Must(s.Statement(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}, opening.At.Time(), s.Now.Add(time.Hour)))
	total := scene.RatOf(got.Opening.Owed)
	for _, line := range scene.All(got.Lines()) {
		total.Add(total, scene.RatOf(line.Amount))
	}
	if total.Cmp(scene.RatOf(got.Closing.Owed)) != 0 || got.Closing.Owed != scene.Sum("10") || got.Closing.Paid != scene.Sum("20") {
		t.Errorf("the lines add up to %v, closing %+v", total, got.Closing)
	}
}

// M51: a statement of a period that goes on says what it was when it was made.
func TestStatementOfTheRunningPeriod(t *testing.T) {
	s := scene.NewShop(t)
	s.ToTomas("100")
	got := scene.Must(s.Statement(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}, scene.Start, s.Now.Add(24*time.Hour)))
	s.Pass(time.Second)
	s.ToTomas("50")
	lines := scene.All(got.Lines())
	if len(lines) != 1 || lines[0].Owed != got.Closing.Owed {
		t.Errorf("closing %v, lines %+v", got.Closing.Owed, lines)
	}
}

// The pages of a statement have the lines that were there when the first page was
// read, so they add up to its closing.
func TestStatementPage(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	for range 5 {
		s.ToTomas("50")
	}
	of, to := affiliate.AffiliateRef{Email: s.Ada.Person.Email}, s.Now.Add(24*time.Hour)
	first, err := s.Statement(ctx, of, scene.Start, to)
	if err != nil || first.AffiliateID != s.Ada.Person.ID || first.Closing.Owed != scene.Sum("50") {
		t.Fatalf("%+v, %v", first, err)
	}
	page := scene.Must(first.Page(affiliate.Page{Limit: 2}))
	lines := page.Items
	for page.Next != "" {
		s.ToTomas("50")
		page = scene.Must(scene.Must(s.Statement(ctx, of, scene.Start, to)).Page(affiliate.Page{Limit: 2, Cursor: page.Next}))
		lines = append(lines, page.Items...)
	}
	if len(lines) != 5 || lines[4].Owed != first.Closing.Owed {
		t.Errorf("closing %v, lines %+v", first.Closing.Owed, lines)
	}
	badCursor := scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor")
	page = scene.Must(first.Page(affiliate.Page{Limit: 2}))
	for _, cursor := range []string{"x", ".", "1.", "1.x", "9" + page.Next, strings.TrimLeft(page.Next, "0123456789.")} {
		s.Refused(badCursor, func() error {
			return scene.ErrOf(first.Page(affiliate.Page{Cursor: cursor}))
		})
	}
	for _, bad := range []struct {
		of   affiliate.AffiliateRef
		want affiliate.Error
	}{
		{affiliate.AffiliateRef{}, scene.FieldError(affiliate.MissingField, "affiliateId", "Affiliate ID or email is required")},
		{affiliate.AffiliateRef{Email: "nobody@example.com"}, scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found")},
		{affiliate.AffiliateRef{ID: s.Bob.ID, Email: of.Email}, scene.FieldError(affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record")},
	} {
		s.Refused(bad.want, func() error {
			return scene.ErrOf(s.Statement(ctx, bad.of, scene.Start, to))
		})
	}
}

func TestStatementOfFarTimes(t *testing.T) {
	s := scene.NewShop(t)
	s.ToTomas("100")
	far := time.Date(10_900, 1, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.Statement(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}, scene.Start, far); !errors.Is(err, affiliate.InvalidQuery) {
		t.Errorf("to %v: %v", far, err)
	}
}

// TestCloseBooksOfDeleted: an affiliate that is deleted while the books are
// closed leaves nothing behind.
func TestCloseBooksOfDeleted(t *testing.T) {
	var s scene.Shop
	calls := -1 // of the clock: once by CloseBooks, then once for each affiliate
	s = scene.NewShop(t, func(c *tributary.Config) {
		now := c.Now
		c.Now = func() time.Time {
			if calls >= 0 {
				if calls++; calls == 2 { // Ada's turn; Bob's comes next
					calls = -1
					scene.Must(0, s.Forfeiting().DeleteAffiliate(context.Background(), affiliate.AffiliateRef{ID: s.Bob.ID}))
				}
			}
			return now()
		}
	})
	s.Pass(time.Minute)
	calls = 0
	scene.Equal(t, 1, scene.Must(s.Run(t.Context(), affiliate.CloseBooksJob{Until: s.Now})).Changed)
	s.Verifies()
}

// A statement of May says the same in June and in July, though the sale was
// refunded in June (docs/money.md 9).
func ExampleProgram_Statement() {
	ctx := context.Background()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	program, err := tributary.New(memstore.New(), tributary.Config{
		Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Now: func() time.Time { return now }, Rand: rand.NewChaCha8([32]byte{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	ada, _ := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org", AffiliateLink: "ada"})
	sold, _ := program.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "t@x.example", Name: "T", TotalEarned: affiliate.MustAmount("200")})
	sale, _ := sold.Sale.Get()
	now = time.Date(2026, 6, 3, 9, 0, 0, 0, time.UTC)
	_, _ = program.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount("60"))})
	for month := time.May; month <= time.June; month++ {
		from := time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC)
		statement, err := program.Statement(ctx, affiliate.AffiliateRef{ID: ada.ID}, from, from.AddDate(0, 1, 0))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(month, "opening", statement.Opening.Owed, "closing", statement.Closing.Owed)
		var rows strings.Builder
		scene.Must(0, statement.WriteCSV(&rows))
		fmt.Print(strings.ReplaceAll(rows.String(), "\r\n", "\n"))
	}
	// Output:
	// May opening 0 closing 40
	// "number","at","cause","sale","commission","adjustment","payout","amount","owed"
	// "","2026-05-01T00:00:00.000Z","OPENING_BALANCE","","","","","","0"
	// "1","2026-05-10T12:00:00.000Z","SALE","1","1","","","40","40"
	// "","2026-06-01T00:00:00.000Z","CLOSING_BALANCE","","","","","","40"
	// June opening 40 closing 28
	// "number","at","cause","sale","commission","adjustment","payout","amount","owed"
	// "","2026-06-01T00:00:00.000Z","OPENING_BALANCE","","","","","","40"
	// "2","2026-06-03T09:00:00.000Z","REFUND","1","1","","","-12","28"
	// "","2026-07-01T00:00:00.000Z","CLOSING_BALANCE","","","","","","28"
}
