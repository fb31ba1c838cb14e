package reading_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// totalIn is a total in one line, without what is zero.
func totalIn(b affiliate.TotalBalance) (line string) {
	for _, f := range []struct {
		name   string
		amount affiliate.Amount
	}{{"held", b.Held}, {"maturing", b.Maturing}, {"payable", b.Payable}, {"inPayout", b.InPayout}, {"debts", b.Debts}, {"owed", b.Owed}, {"paid", b.Paid}} {
		if !f.amount.IsZero() {
			line += f.name + " " + f.amount.String() + " "
		}
	}
	return line + fmt.Sprint("of ", b.Affiliates)
}

// recount adds the rows up, in another way than TotalBalance.
func recount(w *scene.World, at time.Time) string {
	w.T.Helper()
	total := affiliate.TotalBalance{}
	add := func(to *affiliate.Amount, some affiliate.Amount) { *to = scene.Must(to.Add(some)) }
	last := affiliate.Amount{}
	for b, err := range affiliate.Every(w.T.Context(), func(x context.Context, pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
		return w.RankedBalances(x, at, pg)
	}) {
		if err != nil {
			w.T.Fatal(err)
		}
		owed := scene.Must(b.Earned.Sub(b.Paid))
		if total.Affiliates > 0 && owed.Cmp(last) > 0 {
			w.T.Errorf("%v is after %v", owed, last)
		}
		last = owed
		total.Affiliates++
		add(&total.Held, b.Held)
		add(&total.Maturing, b.Maturing)
		add(&total.InPayout, b.InPayout)
		add(&total.Paid, b.Paid)
		add(&total.Owed, owed)
		if b.Payable.Sign() < 0 {
			add(&total.Debts, b.Payable.Neg())
		} else {
			add(&total.Payable, b.Payable)
		}
	}
	return totalIn(total)
}

// M94, M95: totals of the past stay what they were when they were totals of now.
func TestTotalBalance(t *testing.T) {
	ctx := t.Context()
	terms := affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent("20"), HoldDays: 30}
	w := scene.New(t, func(c *tributary.Config) { c.Terms = terms })
	type seen struct {
		at   time.Time
		want string
	}
	var days []seen
	day := func(want string, later ...string) {
		t.Helper()
		if got := totalIn(scene.Must(w.TotalBalance(ctx, time.Time{}))); got != want {
			t.Errorf("now: %s, want %s", got, want)
		}
		if got := recount(w, time.Time{}); got != want {
			t.Errorf("the rows of now: %s, want %s", got, want)
		}
		w.Pass(12 * time.Hour)
		days = append(days, seen{w.Now, append(later, want)[0]})
		w.Pass(12 * time.Hour)
	}
	day("of 0")
	ada, bob, cy := w.Join("ada"), w.Join("bob"), w.Join("cy")
	for _, name := range []string{"ada", "bob", "cy"} {
		w.Refer(name, name+"-customer@b.co")
	}
	sold := w.SellTo("ada-customer@b.co", "200")
	w.SellTo("bob-customer@b.co", "100")
	day("maturing 60 owed 60 of 2")
	gone := w.SellTo("cy-customer@b.co", "50")
	scene.Must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: bob.ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum("-25"), Reason: "a fee"}))
	day("maturing 70 debts 25 owed 45 of 3", "maturing 60 payable 10 debts 25 owed 45 of 3") // later cy's sale is gone
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sold.ID, Amount: scene.Amount("60"), RefundID: "r"}))
	scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, gone.ID))
	day("held 10 maturing 48 debts 25 owed 33 of 3")
	w.Pass(29 * 24 * time.Hour)
	day("held 10 payable 28 debts 5 owed 33 of 3")
	payout := scene.Must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada.ID}))
	day("held 10 inPayout 28 debts 5 owed 33 of 3")
	scene.Must(w.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutPaid))
	day("held 10 debts 5 owed 5 paid 28 of 3")
	scene.Must(0, w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: cy.ID}))
	day("debts 5 owed -5 paid 28 of 2")
	w.SellTo("bob-customer@b.co", "1000")
	for _, d := range days {
		want := d.want
		if got := totalIn(scene.Must(w.TotalBalance(ctx, d.at))); got != want {
			t.Errorf("as of %v: %s, want %s", d.at, got, want)
		}
		if got := recount(w, d.at); got != want {
			t.Errorf("the rows as of %v: %s, want %s", d.at, got, want)
		}
	}
	for after, want := range map[time.Duration]string{0: "maturing 200 debts 5 owed 195 paid 28 of 2", 29 * 24 * time.Hour: "maturing 200 debts 5 owed 195 paid 28 of 2", 30 * 24 * time.Hour: "payable 195 owed 195 paid 28 of 2"} {
		if got := totalIn(scene.Must(w.TotalBalance(ctx, w.Now.Add(time.Microsecond+after)))); got != want {
			t.Errorf("after %v: %s, want %s", after, got, want)
		}
	}
	w.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidQuery, Field: "at", Message: "at must be an ISO 8601 date"}, func() error {
		_, err := w.TotalBalance(ctx, w.Now.AddDate(9000, 0, 0))
		return err
	})
	w.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidQuery, Message: "Invalid cursor", Field: "cursor"}, func() error {
		_, err := w.RankedBalances(ctx, time.Time{}, affiliate.Page{Cursor: "x"})
		return err
	})
	first := scene.Must(w.RankedBalances(ctx, time.Time{}, affiliate.Page{Limit: 1}))
	second := scene.Must(w.RankedBalances(ctx, time.Time{}, affiliate.Page{Limit: 1, Cursor: first.Next}))
	if got := []uuid.UUID{first.Items[0].AffiliateID, second.Items[0].AffiliateID}; !slices.Equal(got, []uuid.UUID{bob.ID, ada.ID}) || second.Next != "" {
		t.Error(cmp.Diff([]uuid.UUID{bob.ID, ada.ID}, got), second.Next)
	}
}

// Affiliates whose books were not open are left out, and counted.
func TestTotalOfClosedBooks(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.ToTomas("100")
	s.Ages()
	s.Pass(time.Hour)
	before := s.Now
	wants := func(when string, at time.Time, notOpen int64, want string) {
		t.Helper()
		got := scene.Must(s.TotalBalance(ctx, at))
		if got.NotOpen != notOpen || totalIn(got) != want {
			t.Errorf("%s: %d books are not open, %s; want %d, %s", when, got.NotOpen, totalIn(got), notOpen, want)
		}
	}
	wants("before", time.Time{}, 1, "of 0")
	s.Pass(time.Hour)
	scene.Must(s.Run(ctx, affiliate.OpenBooksJob{}))
	s.Pass(time.Hour)
	wants("open now", time.Time{}, 0, "payable 20 owed 20 of 1")
	wants("open at the moment", s.Now, 0, "payable 20 owed 20 of 1")
	wants("before they were opened", before, 1, "of 0")
}
