package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// claw moves a sale with clawback.
func (m mover) claw(id affiliate.SaleID, to uuid.UUID) affiliate.Sale {
	m.T.Helper()
	up := m.to(to)
	up.ClawBack = true
	return scene.Must(m.UpdateSale(m.T.Context(), id, up))
}

func (m mover) paysAda(status affiliate.PayoutStatus) affiliate.Payout {
	m.T.Helper()
	p := scene.Must(m.CreatePayout(m.T.Context(), affiliate.PayoutParams{AffiliateID: m.ada.Person.ID}))
	return scene.Must(m.SetPayoutStatus(m.T.Context(), p.ID, status))
}

// kept are the adjustments of an affiliate with the cause that a sale was moved.
func (m mover) kept(of uuid.UUID) (lines []string) {
	for _, a := range scene.Must(m.Adjustments(m.T.Context(), affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(of), Kind: affiliate.AdjustMove}, affiliate.Page{})).Items {
		lines = append([]string{fmt.Sprintf("%v of sale %d, in a payout: %v", a.Amount, a.SaleID.Or(0), a.PayoutCreated)}, lines...)
	}
	return lines
}

// A sale whose commission was paid, or that a payout holds, is moved with clawback: the
// payout stays as it is, the former affiliate owes the amount, the new one earns by own
// terms, and both ledgers say why.
func TestMovePaidSale(t *testing.T) {
	for _, status := range []affiliate.PayoutStatus{affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutFailed, affiliate.PayoutPaid} {
		t.Run(string(status), func(t *testing.T) {
			ctx := t.Context()
			m := newMover(t)
			ada, bob := m.ada.Person.ID, m.bob.ID
			sale := m.sale("order-1")
			p := m.paysAda(status)
			entries := scene.Must(m.PayoutEntries(ctx, p.ID, affiliate.Page{})).Items
			m.Refused(partOfAPayout, func() error { return scene.ErrOf(m.UpdateSale(ctx, sale.ID, m.to(bob))) })
			m.Pass(1)
			var moved affiliate.Sale
			m.Fires(func() error { moved = m.claw(sale.ID, bob); return nil }, affiliate.SaleUpdated)
			if len(moved.Commissions) != 1 || moved.Commissions[0].AffiliateID != bob || moved.CommissionEarned != scene.Sum("50") || moved.Commissions[0].PayoutCreated {
				t.Errorf("moved: %+v", moved.Commissions)
			}
			m.Fires(func() error { m.claw(sale.ID, bob); return nil })
			if got := scene.Must(m.Payout(ctx, p.ID)); !cmp.Equal(p, got) {
				t.Errorf("the payout changed: %s", cmp.Diff(p, got))
			}
			after := scene.Must(m.PayoutEntries(ctx, p.ID, affiliate.Page{})).Items
			if len(after) != 1 || after[0].Amount != entries[0].Amount || after[0].At != entries[0].At || after[0].SaleID != entries[0].SaleID || after[0].CommissionID != entries[0].CommissionID {
				t.Errorf("the payout took %+v, now %+v", entries, after)
			}
			for id, want := range map[uuid.UUID]string{ada: "PAYABLE ACCRUAL 20", bob: "ACCRUAL PAYABLE 50"} {
				last := scene.Must(m.Movements(ctx, affiliate.MovementQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{Limit: 1})).Items[0]
				if got := fmt.Sprint(last.From, " ", last.To, " ", last.Amount); got != want || last.Cause != affiliate.CauseMove || last.SaleID != affiliate.Set(sale.ID) {
					t.Errorf("the ledger of %s: %s because of %s, want %s", id, got, last.Cause, want)
				}
			}
			want := []string{fmt.Sprintf("20 of sale %d, in a payout: true", sale.ID), fmt.Sprintf("-20 of sale %d, in a payout: false", sale.ID)}
			if diff := cmp.Diff(want, m.kept(ada)); diff != "" {
				t.Errorf("adjustments (-want +got):\n%s", diff)
			}
			if a, b := m.balance(ada), m.balance(bob); a != "0 held, -20 payable, 0 maturing" || b != "0 held, 0 payable, 50 maturing" {
				t.Errorf("Ada: %s; Bob: %s", a, b)
			}
			if status == affiliate.PayoutPending { // Bob's sale is not paid then
				m.Fires(func() error { return scene.ErrOf(m.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid)) })
			}
			m.Verifies()
		})
	}
}

// What is taken back lowers the next payout of the former affiliate.
func TestMovePaidSaleIsNetted(t *testing.T) {
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, m.bob.ID)
	m.sale("2")
	m.Refused(nothingToPay, func() error {
		return scene.ErrOf(m.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: m.ada.Person.ID}))
	})
	m.sale("3")
	if p := m.paysAda(affiliate.PayoutPaid); p.Amount != scene.Sum("20") || len(p.CommissionIDs) != 2 || len(p.AdjustmentIDs) != 1 {
		t.Errorf("the next payout: %+v", p)
	}
	m.Verifies()
}

// A payout that is canceled or comes back after the move owes its amount again. With
// what was taken back it is nothing, and the former affiliate can be deleted.
func TestMovePaidSaleThenPayoutUndone(t *testing.T) {
	for name, tt := range map[string]struct {
		was, to affiliate.PayoutStatus
	}{
		"canceled":            {affiliate.PayoutPending, affiliate.PayoutCanceled},
		"canceled after fail": {affiliate.PayoutFailed, affiliate.PayoutCanceled},
		"returned":            {affiliate.PayoutPaid, affiliate.PayoutReturned},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			m := newMover(t)
			ada := m.ada.Person.ID
			sale := m.sale("1")
			p := m.paysAda(tt.was)
			m.claw(sale.ID, m.bob.ID)
			m.Refused(scene.StateError(affiliate.InPayout, "", "Affiliate has commissions that are part of a payout"), func() error { return m.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada}) })
			m.Fires(func() error { return scene.ErrOf(m.SetPayoutStatus(ctx, p.ID, tt.to)) })
			if got := m.balance(ada); got != "0 held, 0 payable, 0 maturing" {
				t.Errorf("Ada: %s", got)
			}
			m.Refused(nothingToPay, func() error { return scene.ErrOf(m.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada})) })
			m.Verifies()
			m.sale("2")
			if next := m.paysAda(affiliate.PayoutPending); next.Amount != scene.Sum("20") || len(next.AdjustmentIDs) != 2 {
				t.Errorf("the next payout: %+v", next)
			} else {
				scene.Must(m.CancelPayout(ctx, next.ID))
			}
			m.Verifies()
			scene.Must(0, m.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada}))
			m.Verifies()
			if got := scene.Must(m.Sale(ctx, sale.ID)); got.CommissionEarned != scene.Sum("50") {
				t.Errorf("Bob's sale earns %v", got.CommissionEarned)
			}
		})
	}
}

// After the move the sale is the new affiliate's alone: refunds, reviews, totals and the
// deletion do not ask for the payout of the former one.
func TestMovedPaidSaleGoesOn(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	part, gone := m.sale("part"), m.sale("gone")
	m.paysAda(affiliate.PayoutPaid)
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: scene.Amount("40"), ClawBack: true})) // 20 of which 8 are taken back, open
	for _, s := range []affiliate.Sale{part, gone} {
		m.claw(s.ID, m.bob.ID)
	}
	if got := m.balance(m.ada.Person.ID); got != "0 held, -40 payable, 0 maturing" {
		t.Errorf("Ada: %s", got)
	}
	if s := scene.Must(m.Sale(ctx, part.ID)); s.CommissionEarned != scene.Sum("30") || len(s.Commissions) != 1 {
		t.Errorf("with 60 left Bob's commissions are %+v", s.Commissions)
	}
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: scene.Amount("10")}))
	scene.Must(m.UpdateSale(ctx, part.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("10"))}))
	scene.Must(m.ReviewCommissions(ctx, affiliate.ApprovalOnHold, part.ID))
	if got := m.balance(m.bob.ID); got != "5 held, 0 payable, 50 maturing" {
		t.Errorf("Bob: %s", got)
	}
	m.Verifies()
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: part.ID}))
	scene.Must(0, m.DeleteSale(ctx, gone.ID))
	m.Verifies()
	if a, b := m.balance(m.ada.Person.ID), m.balance(m.bob.ID); a != "0 held, -40 payable, 0 maturing" || b != "0 held, 0 payable, 0 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
}

// A sale goes from one to the other and back, a payout after each: each is owed what the
// sale earns with them, less what they were paid.
func TestMovePaidSaleBack(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	ada, bob := m.ada.Person.ID, m.bob.ID
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, bob)
	m.Pass(8 * 24 * 3600e9)
	p := scene.Must(m.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: bob, ManuallyPaid: true}))
	if back := m.claw(sale.ID, ada); back.CommissionEarned != scene.Sum("20") {
		t.Errorf("back at Ada it earns %v", back.CommissionEarned)
	}
	if a, b := m.balance(ada), m.balance(bob); a != "0 held, 0 payable, 0 maturing" || b != "0 held, -50 payable, 0 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
	scene.Must(m.ReturnPayout(ctx, p.ID, "x"))
	m.claw(sale.ID, bob)
	if a, b := m.balance(ada), m.balance(bob); a != "0 held, -20 payable, 0 maturing" || b != "0 held, 50 payable, 0 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
}

// What payouts took and let go is in no payout: the sale is moved without the flag.
func TestMoveSaleOfCanceledPayout(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	canceled := m.paysAda(affiliate.PayoutCanceled)
	moved := scene.Must(m.UpdateSale(ctx, sale.ID, m.to(m.bob.ID)))
	if len(moved.Commissions) != 1 || moved.CommissionEarned != scene.Sum("50") || len(m.kept(m.ada.Person.ID)) != 0 {
		t.Errorf("moved: %+v, %v", moved.Commissions, m.kept(m.ada.Person.ID))
	}
	if got := scene.Must(m.Payout(ctx, canceled.ID)); !cmp.Equal(canceled, got) {
		t.Errorf("the payout changed: %s", cmp.Diff(canceled, got))
	}
	if a, b := m.balance(m.ada.Person.ID), m.balance(m.bob.ID); a != "0 held, 0 payable, 0 maturing" || b != "0 held, 0 payable, 50 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
}

// Entries of one sale in several payouts: each payout keeps its own, and the sum is
// taken back once.
func TestMoveSaleOfSeveralPayouts(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	first := m.paysAda(affiliate.PayoutPaid)
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("50"), ClawBack: true}))
	m.sale("2")
	second := m.paysAda(affiliate.PayoutPaid) // 20 less 10
	m.claw(sale.ID, m.bob.ID)
	want := []string{"20 of sale %d, in a payout: true", "-10 of sale %d, in a payout: true", "-10 of sale %d, in a payout: false"}
	for i := range want {
		want[i] = fmt.Sprintf(want[i], sale.ID)
	}
	if diff := cmp.Diff(want, m.kept(m.ada.Person.ID)); diff != "" {
		t.Errorf("adjustments (-want +got):\n%s", diff)
	}
	for _, p := range []affiliate.Payout{first, second} {
		if got := scene.Must(m.Payout(ctx, p.ID)); !cmp.Equal(p, got) {
			t.Errorf("the payout changed: %s", cmp.Diff(p, got))
		}
	}
	scene.Must(m.ReturnPayout(ctx, second.ID, "x"))
	if got := m.balance(m.ada.Person.ID); got != "0 held, 0 payable, 0 maturing" {
		t.Errorf("Ada, whose second payout came back: %s", got)
	}
	m.Verifies()
}

// The payout of an older version lists numbers of commissions alone; it keeps them too.
func TestMoveSaleOfOlderPayout(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	p := m.paysAda(affiliate.PayoutPaid)
	m.Raw(func(tx *record.Tx) error {
		rec := scene.Must(tx.Payouts.Get(p.ID)).Clone()
		for _, item := range rec.Items {
			rec.Commissions = append(rec.Commissions, item.Commission)
		}
		rec.Items = nil
		return tx.Payouts.Replace(rec)
	})
	m.claw(sale.ID, m.bob.ID)
	if got := scene.Must(m.Payout(ctx, p.ID)); !cmp.Equal(p, got) {
		t.Errorf("the payout changed: %s", cmp.Diff(p, got))
	}
	scene.Must(m.ReturnPayout(ctx, p.ID, "x"))
	if got := m.balance(m.ada.Person.ID); got != "0 held, 0 payable, 0 maturing" {
		t.Errorf("Ada: %s", got)
	}
	m.Verifies()
}

// Books that were opened after such a move have what was taken back.
func TestMovePaidSaleBeforeBooks(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.Ages()
	m.claw(sale.ID, m.bob.ID)
	scene.Must(m.Run(ctx, affiliate.OpenBooksJob{}))
	if a, b := m.balance(m.ada.Person.ID), m.balance(m.bob.ID); a != "0 held, -20 payable, 0 maturing" || b != "0 held, 0 payable, 50 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
}

// What was taken back can be given again, as any adjustment; nobody records one of the
// kind.
func TestMoveAdjustments(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, m.bob.ID)
	back := scene.Must(m.Adjustments(ctx, affiliate.AdjustmentQuery{Kind: affiliate.AdjustMove}, affiliate.Page{Limit: 1})).Items[0]
	if want := fmt.Sprintf("Sale %d was given to another affiliate", sale.ID); back.Amount != scene.Sum("-20") || back.Reason != want {
		t.Errorf("taken back: %+v", back)
	}
	scene.Must(m.RecordAdjustment(ctx, affiliate.AdjustmentParams{Reverses: back.ID, Reason: "she keeps it"}))
	if got := m.balance(m.ada.Person.ID); got != "0 held, 0 payable, 0 maturing" {
		t.Errorf("Ada: %s", got)
	}
	m.Refused(scene.FieldError(affiliate.InvalidField, "kind", "kind must be one of BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE"), func() error {
		return scene.ErrOf(m.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: m.bob.ID, SaleID: sale.ID, Kind: affiliate.AdjustMove, Amount: scene.Sum("1"), Reason: "r"}))
	})
	m.Verifies()
}

// Every store call of such a move failed once: all or nothing.
func TestMovePaidSaleFaults(t *testing.T) {
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	up := m.to(m.bob.ID)
	up.ClawBack = true
	everyFailure(m.World, func() error { return scene.ErrOf(m.UpdateSale(t.Context(), sale.ID, up)) })
	m.Verifies()
}

// Verify finds adjustments of a move that do not add up to nothing.
func TestVerifyMovedSale(t *testing.T) {
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, m.bob.ID)
	back := scene.Must(m.Adjustments(t.Context(), affiliate.AdjustmentQuery{}, affiliate.Page{Limit: 1})).Items[0]
	m.Raw(func(tx *record.Tx) error {
		rec := scene.Must(tx.Adjustments.Get(back.ID))
		rec.Amount = scene.Sum("-19")
		return tx.Adjustments.Replace(rec)
	})
	want := fmt.Sprintf("I73: sale %d: the adjustments of affiliate %s, whom it was taken from, add up to 1", sale.ID, m.ada.Person.ID)
	if err := m.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
