package affiliate_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// ages brings the records into the form that they had before there were
// movements.
func (w *world) ages() {
	w.t.Helper()
	w.raw(func(tx *record.Tx) error {
		return errorsOf(
			eachRow(tx.Movements, func(r record.Movement) error { return tx.Movements.Delete(r.ID) }),
			eachRow(tx.Totals, func(r record.Totals) error {
				r.Books = record.Books{}
				return tx.Totals.Replace(r)
			}),
			eachRow(tx.Sales, func(r record.Sale) error {
				r = r.Clone()
				for i := range r.Commissions {
					r.Commissions[i].Frozen = false
				}
				return tx.Sales.Replace(r)
			}),
			eachRow(tx.Payouts, func(r record.Payout) error {
				for _, item := range r.Items {
					r.Commissions = append(r.Commissions, item.Commission)
				}
				r.Items = nil
				return tx.Payouts.Replace(r)
			}),
		)
	})
}

// errorsOf is the first error.
func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// eachRow runs fn on every record of a table.
func eachRow[R record.Record[R]](table record.Table[R], fn func(R) error) error {
	var recs []R
	for rec, err := range table.List(record.Query{}) {
		if err != nil {
			return err
		}
		recs = append(recs, rec)
	}
	for _, rec := range recs {
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// raw changes records without the engine.
func (w *world) raw(change func(tx *record.Tx) error) {
	w.t.Helper()
	if err := w.store.Update(context.Background(), w.Config().ID, change); err != nil {
		w.t.Fatalf("raw change: %v", err)
	}
}

var booksClosed = stateError(affiliate.BooksNotOpen, "", "The books of this affiliate are not open yet")

// docs/money.md, check 60 and M60: a program from before goes on at once. Its
// balances are shown after OpenBooks.
func TestOpenBooks(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	paid := s.toTomas("100")
	s.moves(s.payout(), affiliate.PayoutPaid)
	waiting := s.toTomas("50")
	s.payout()
	refunded := s.toTomas("30")
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID, Amount: amount("20")}))
	held := s.toTomas("200")
	must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	s.ages()
	s.verify()

	s.clawsBack(paid.ID, "60", "r1") // writes go on
	s.toTomas("10")
	s.verify()
	s.refused(booksClosed, func() error { return errOf(s.Balance(ctx, s.ada.affiliate.ID)) })
	s.pass(time.Hour)
	if balances := must(s.Balances(ctx, affiliate.Page{})).Items; len(balances) != 1 || balances[0].AffiliateID != s.bob.ID {
		t.Errorf("balances before the books are open: %+v", balances)
	}
	if n := must(s.OpenBooks(ctx)); n != 1 {
		t.Errorf("%d books were opened", n)
	}
	s.verify()
	s.owes(affiliate.Balance{Held: sum("40"), Payable: sum("-8"), InPayout: sum("10"), Paid: sum("20"), Earned: sum("62"), Movements: 6})
	want := []string{
		"1 CLAW_BACK 12 PAYABLE-ACCRUAL of sale 1, commission 5: sales 0, revenue 0, refunds 60",
		"2 SALE 2 ACCRUAL-PAYABLE of sale 5, commission 6: sales 1, revenue 10, refunds 0",
		"3 OPENING 40 ACCRUAL-HELD", "4 OPENING 2 ACCRUAL-PAYABLE", "5 OPENING 10 ACCRUAL-IN_PAYOUT", "6 OPENING 20 ACCRUAL-PAID",
	}
	if diff := cmp.Diff(want, s.moved(affiliate.MovementFilter{})); diff != "" {
		t.Errorf("movements (-want +got):\n%s", diff)
	}
	opening := must(s.Movements(ctx, affiliate.MovementFilter{Cause: affiliate.CauseOpening}, affiliate.Page{})).Items
	if first := opening[3]; first.Sales != 4 || first.Revenue != sum("380") || first.Refunds != sum("20") {
		t.Errorf("the opening counts %d sales, revenue %v, refunds %v", first.Sales, first.Revenue, first.Refunds)
	}
	before := s.dump()
	if n := must(s.OpenBooks(ctx)); n != 0 {
		t.Errorf("%d books were opened again", n)
	}
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		t.Errorf("the second call changed records:\n%s", diff)
	}
	s.raw(func(tx *record.Tx) error { // in their present form
		return eachRow(tx.Payouts, func(r record.Payout) error {
			if len(r.Items) != 1 || len(r.Commissions) != 0 || r.Items[0].Sale != int64(paid.ID) && r.Items[0].Sale != int64(waiting.ID) {
				t.Errorf("payout %+v", r)
			}
			return nil
		})
	})
	must(0, s.DeleteSale(ctx, held.ID))
	s.verify()
}

// An affiliate without sales has open books. One whose only sale of before was
// refunded owes nothing, and is opened with the others.
func TestOpenBooksOfNobody(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	gone := s.toTomas("100")
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: gone.ID}))
	s.ages()
	s.stands(0, "0", "0", "0", "0")
	s.toTomas("10")
	s.refused(booksClosed, func() error { return errOf(s.Balance(ctx, s.ada.affiliate.ID)) })
	if n := must(s.OpenBooks(ctx)); n != 1 {
		t.Errorf("%d books were opened", n)
	}
	s.stands(2, "2", "0", "0", "2")
	want := []string{"1 SALE 2 ACCRUAL-PAYABLE of sale 2, commission 2: sales 1, revenue 10, refunds 0", "2 OPENING 0 ACCRUAL-ACCRUAL"}
	if diff := cmp.Diff(want, s.moved(affiliate.MovementFilter{})); diff != "" {
		t.Errorf("movements (-want +got):\n%s", diff)
	}
	s.verify()
}

// Books that were opened stay as they are when the first movement comes, and books that
// were not are not opened by a later one, even if the sales of before are gone.
func TestOpenBooksStay(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	opened := func() (at affiliate.Instant) {
		s.raw(func(tx *record.Tx) error {
			at = must(tx.Totals.Get(s.ada.affiliate.ID)).Books.Opened
			return nil
		})
		return at
	}
	old := s.toTomas("30")
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: old.ID}))
	s.ages()
	s.toTomas("10") // a movement of books that are not open
	noSales := func(tx *record.Tx) error {
		return eachRow(tx.Sales, func(r record.Sale) error { return tx.Sales.Delete(r.ID) })
	}
	s.raw(noSales)
	s.toTomas("10")
	if at := opened(); !at.IsZero() {
		t.Errorf("a movement opened the books at %v", at)
	}

	s = newSaleShop(t)
	old = s.toTomas("30")
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: old.ID}))
	s.ages()
	must(s.OpenBooks(ctx))
	want := opened()
	s.raw(func(tx *record.Tx) error { // opened without anything to book
		totals := must(tx.Totals.Get(s.ada.affiliate.ID))
		totals.Books.Number = 0
		return errorsOf(tx.Totals.Replace(totals),
			eachRow(tx.Movements, func(r record.Movement) error { return tx.Movements.Delete(r.ID) }),
			noSales(tx))
	})
	s.toTomas("10")
	if at := opened(); at.IsZero() || at != want {
		t.Errorf("opened at %v, want %v", at, want)
	}
}

// Every store call of OpenBooks failed once: all or nothing.
func TestOpenBooksFaults(t *testing.T) {
	s := newSaleShop(t)
	s.toTomas("100")
	s.moves(s.payout(), affiliate.PayoutPaid)
	s.ages()
	s.everyFailure(func() error { return errOf(s.OpenBooks(t.Context())) })
	s.verify()
	s.stands(1, "0", "0", "20", "20")
}

// TestVerifyMovements: I62 to I66, and I71.
func TestVerifyMovements(t *testing.T) {
	movement := func(cause affiliate.Cause, change func(*record.Movement)) func(*booksLedger, *record.Tx) error {
		return func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Movements, func(r record.Movement) bool { return r.Cause.Is(cause) }, change)
		}
	}
	books := func(change func(*record.Books)) func(*booksLedger, *record.Tx) error {
		return func(b *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Totals, func(r record.Totals) bool { return r.ID == b.affiliate.ID }, func(r *record.Totals) { change(&r.Books) })
		}
	}
	const sale, refund, created = affiliate.CauseSale, affiliate.CauseRefund, affiliate.CausePayoutCreated
	runBooksCorruptions(t, []booksCorruption{
		{"another number", movement(sale, func(r *record.Movement) { r.Number = 7 }), []string{"I62"}},
		{"At going back", movement(created, func(r *record.Movement) { r.At = r.At.Add(-time.Hour) }), []string{"I62"}},
		{"a negative amount", movement(sale, func(r *record.Movement) { r.Amount = sum("-1") }), []string{"I62", "I63", "I65"}},
		{"no cause", movement(refund, func(r *record.Movement) { r.Cause = affiliate.Enum[affiliate.Cause]{} }), []string{"I81"}},
		{"a memo counted as money", movement(sale, func(r *record.Movement) { r.To = r.From }), []string{"I62", "I63"}},
		{"accounts after it", movement(sale, func(r *record.Movement) { r.Paid = sum("1") }), []string{"I63"}},
		{"the last movement is gone", func(_ *booksLedger, tx *record.Tx) error {
			return booksDrop(tx.Movements, func(r record.Movement) bool { return r.Cause.Is(sale) && r.Sale == 5 })
		}, []string{"I63", "I65", "I71"}},
		{"a movement counts two sales", movement(sale, func(r *record.Movement) { r.Sales = 2 }), []string{"I71"}},
		{"a movement counts other revenue", movement(sale, func(r *record.Movement) { r.Revenue = sum("1") }), []string{"I71"}},
		{"a movement counts other refunds", movement(refund, func(r *record.Movement) { r.Refunds = affiliate.Amount{} }), []string{"I71"}},
		{"books", books(func(b *record.Books) { b.Held = sum("1") }), []string{"I63", "I64"}},
		{"books say another number", books(func(b *record.Books) { b.Number++ }), []string{"I63"}},
		{"a payout was booked as paid", movement(created, func(r *record.Movement) { r.Cause = affiliate.EnumOf(affiliate.CausePayoutPaid) }), []string{"I66"}},
		{"a payout is paid without a movement", func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Payouts, nil, func(r *record.Payout) { r.Status, r.PaidAt = affiliate.PayoutPaid, r.CreatedAt })
		}, []string{"I64", "I66"}},
		{"movement of another sale", movement(refund, func(r *record.Movement) { r.Sale = 99 }), []string{"I65"}},
		{"movement by another code", movement(sale, func(r *record.Movement) { r.CodeID = uuid.Max }), []string{"I65"}},
		{"movement by another link", func(_ *booksLedger, tx *record.Tx) error {
			return booksEdit(tx.Movements, func(r record.Movement) bool { return r.LinkID != uuid.Nil }, func(r *record.Movement) { r.LinkID = uuid.Max })
		}, []string{"I65"}},
		{"movement of another commission", movement(sale, func(r *record.Movement) { r.Commission = 99 }), []string{"I65"}},
		{"movement of another payout", movement(created, func(r *record.Movement) { r.PayoutID = uuid.Max }), []string{"I66"}},
	})
}
