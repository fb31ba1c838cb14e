package engine_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// money check 60 and M60: a program from before goes on at once. Its
// balances are shown after OpenBooks.
func TestOpenBooks(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	paid := s.ToTomas("100")
	s.Moves(s.PaysOut(), affiliate.PayoutPaid)
	waiting := s.ToTomas("50")
	s.PaysOut()
	refunded := s.ToTomas("30")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID, Amount: scene.Amount("20")}))
	held := s.ToTomas("200")
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	s.Ages()
	s.Verifies()

	s.ClawsBack(paid.ID, "60", "r1") // writes go on
	s.ToTomas("10")
	s.Verifies()
	s.Refused(scene.BooksClosed, func() error { return scene.ErrOf(s.Balance(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})) })
	s.Pass(time.Hour)
	if balances := scene.Must(s.Balances(ctx, affiliate.Page{})).Items; len(balances) != 1 || balances[0].AffiliateID != s.Bob.ID {
		t.Errorf("balances before the books are open: %+v", balances)
	}
	if n := scene.Must(s.Run(ctx, affiliate.OpenBooksJob{})).Changed; n != 1 {
		t.Errorf("%d books were opened", n)
	}
	s.Verifies()
	s.Owes(affiliate.Balance{Held: scene.Sum("40"), Payable: scene.Sum("-8"), InPayout: scene.Sum("10"), Paid: scene.Sum("20"), Earned: scene.Sum("62"), Movements: 6})
	want := []string{
		"1 CLAW_BACK 12 PAYABLE-ACCRUAL of sale 1, commission 5: sales 0, revenue 0, refunds 60",
		"2 SALE 2 ACCRUAL-PAYABLE of sale 5, commission 6: sales 1, revenue 10, refunds 0",
		"3 OPENING 40 ACCRUAL-HELD", "4 OPENING 2 ACCRUAL-PAYABLE", "5 OPENING 10 ACCRUAL-IN_PAYOUT", "6 OPENING 20 ACCRUAL-PAID",
	}
	if diff := cmp.Diff(want, s.Moved(affiliate.MovementQuery{})); diff != "" {
		t.Errorf("movements (-want +got):\n%s", diff)
	}
	opening := scene.Must(s.Movements(ctx, affiliate.MovementQuery{Cause: affiliate.CauseOpening}, affiliate.Page{})).Items
	if first := opening[3]; first.Sales != 4 || first.Revenue != scene.Sum("380") || first.Refunds != scene.Sum("20") {
		t.Errorf("the opening counts %d sales, revenue %v, refunds %v", first.Sales, first.Revenue, first.Refunds)
	}
	before := s.Dump()
	if n := scene.Must(s.Run(ctx, affiliate.OpenBooksJob{})).Changed; n != 0 {
		t.Errorf("%d books were opened again", n)
	}
	if diff := cmp.Diff(before, s.Dump()); diff != "" {
		t.Errorf("the second call changed records:\n%s", diff)
	}
	s.Raw(func(tx *record.Tx) error { // in their present form
		return scene.EachRow(tx.Payouts, func(r record.Payout) error {
			if len(r.Items) != 1 || len(r.Commissions) != 0 || r.Items[0].Sale != int64(paid.ID) && r.Items[0].Sale != int64(waiting.ID) {
				t.Errorf("payout %+v", r)
			}
			return nil
		})
	})
	scene.Must(0, s.DeleteSale(ctx, held.ID))
	s.Verifies()
}

// An affiliate without sales has open books. One whose only sale of before was
// refunded owes nothing, and is opened with the others.
func TestOpenBooksOfNobody(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	gone := s.ToTomas("100")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: gone.ID}))
	s.Ages()
	s.Stands(0, "0", "0", "0", "0")
	s.ToTomas("10")
	s.Refused(scene.BooksClosed, func() error { return scene.ErrOf(s.Balance(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})) })
	if n := scene.Must(s.Run(ctx, affiliate.OpenBooksJob{})).Changed; n != 1 {
		t.Errorf("%d books were opened", n)
	}
	s.Stands(2, "2", "0", "0", "2")
	want := []string{"1 SALE 2 ACCRUAL-PAYABLE of sale 2, commission 2: sales 1, revenue 10, refunds 0", "2 OPENING 0 ACCRUAL-ACCRUAL"}
	if diff := cmp.Diff(want, s.Moved(affiliate.MovementQuery{})); diff != "" {
		t.Errorf("movements (-want +got):\n%s", diff)
	}
	s.Verifies()
}

// Books that were opened stay as they are when the first movement comes, and books that
// were not are not opened by a later one, even if the sales of before are gone.
func TestOpenBooksStay(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	opened := func() (at affiliate.Instant) {
		s.Raw(func(tx *record.Tx) error {
			at = scene.Must(tx.Totals.Get(s.Ada.Person.ID)).Books.Opened
			return nil
		})
		return at
	}
	old := s.ToTomas("30")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: old.ID}))
	s.Ages()
	s.ToTomas("10") // a movement of books that are not open
	noSales := func(tx *record.Tx) error {
		return scene.EachRow(tx.Sales, func(r record.Sale) error { return tx.Sales.Delete(r.ID) })
	}
	s.Raw(noSales)
	s.ToTomas("10")
	if at := opened(); !at.IsZero() {
		t.Errorf("a movement opened the books at %v", at)
	}

	s = scene.NewShop(t)
	old = s.ToTomas("30")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: old.ID}))
	s.Ages()
	scene.Must(s.Run(ctx, affiliate.OpenBooksJob{}))
	want := opened()
	s.Raw(func(tx *record.Tx) error { // opened without anything to book
		totals := scene.Must(tx.Totals.Get(s.Ada.Person.ID))
		totals.Books.Number = 0
		return scene.ErrorsOf(tx.Totals.Replace(totals),
			scene.EachRow(tx.Movements, func(r record.Movement) error { return tx.Movements.Delete(r.ID) }),
			noSales(tx))
	})
	s.ToTomas("10")
	if at := opened(); at.IsZero() || at != want {
		t.Errorf("opened at %v, want %v", at, want)
	}
}

// TestVerifyMovements: I62 to I66, and I71.
func TestVerifyMovements(t *testing.T) {
	movement := func(cause affiliate.Cause, change func(*record.Movement)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Movements, func(r record.Movement) bool { return r.Cause.Is(cause) }, change)
		}
	}
	books := func(change func(*record.Books)) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Totals, func(r record.Totals) bool { return r.ID == b.Person.ID }, func(r *record.Totals) { change(&r.Books) })
		}
	}
	const sale, refund, created = affiliate.CauseSale, affiliate.CauseRefund, affiliate.CausePayoutCreated
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "another number", Change: movement(sale, func(r *record.Movement) { r.Number = 7 }), Want: []string{"I62"}},
		{Name: "At going back", Change: movement(created, func(r *record.Movement) { r.At = r.At.Add(-time.Hour) }), Want: []string{"I62"}},
		{Name: "a negative amount", Change: movement(sale, func(r *record.Movement) { r.Amount = scene.Sum("-1") }), Want: []string{"I62", "I63", "I65"}},
		{Name: "no cause", Change: movement(refund, func(r *record.Movement) { r.Cause = affiliate.Enum[affiliate.Cause]{} }), Want: []string{"I81"}},
		{Name: "a memo counted as money", Change: movement(sale, func(r *record.Movement) { r.To = r.From }), Want: []string{"I62", "I63"}},
		{Name: "accounts after it", Change: movement(sale, func(r *record.Movement) { r.Paid = scene.Sum("1") }), Want: []string{"I63"}},
		{Name: "the last movement is gone", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Drop(tx.Movements, func(r record.Movement) bool { return r.Cause.Is(sale) && r.Sale == 5 })
		}, Want: []string{"I63", "I65", "I71"}},
		{Name: "a movement counts two sales", Change: movement(sale, func(r *record.Movement) { r.Sales = 2 }), Want: []string{"I71"}},
		{Name: "a movement counts other revenue", Change: movement(sale, func(r *record.Movement) { r.Revenue = scene.Sum("1") }), Want: []string{"I71"}},
		{Name: "a movement counts other refunds", Change: movement(refund, func(r *record.Movement) { r.Refunds = affiliate.Amount{} }), Want: []string{"I71"}},
		{Name: "books", Change: books(func(b *record.Books) { b.Held = scene.Sum("1") }), Want: []string{"I63", "I64"}},
		{Name: "books say another number", Change: books(func(b *record.Books) { b.Number++ }), Want: []string{"I63"}},
		{Name: "a payout was booked as paid", Change: movement(created, func(r *record.Movement) { r.Cause = affiliate.EnumOf(affiliate.CausePayoutPaid) }), Want: []string{"I66"}},
		{Name: "a payout is paid without a movement", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Payouts, nil, func(r *record.Payout) { r.Status, r.PaidAt = affiliate.PayoutPaid, r.CreatedAt })
		}, Want: []string{"I64", "I66"}},
		{Name: "movement of another sale", Change: movement(refund, func(r *record.Movement) { r.Sale = 99 }), Want: []string{"I65"}},
		{Name: "movement by another code", Change: movement(sale, func(r *record.Movement) { r.CodeID = uuid.Max }), Want: []string{"I65"}},
		{Name: "movement by another link", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Movements, func(r record.Movement) bool { return r.LinkID != uuid.Nil }, func(r *record.Movement) { r.LinkID = uuid.Max })
		}, Want: []string{"I65"}},
		{Name: "movement of another commission", Change: movement(sale, func(r *record.Movement) { r.Commission = 99 }), Want: []string{"I65"}},
		{Name: "movement of another payout", Change: movement(created, func(r *record.Movement) { r.PayoutID = uuid.Max }), Want: []string{"I66"}},
	})
}
