package proofs_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// check compares every entry, adjustment and payout, and counts the money: what
// was ever earned is open, in payouts or paid (docs/money.md 4).
func (m *moneyModel) check(rt *rapid.T) {
	ctx := context.Background()
	if err := m.w.Verify(ctx); err != nil {
		rt.Fatalf("Verify: %v", err)
	}
	payoutOf := func(e *owedEntry) string {
		if e.payout < 0 {
			return "-"
		}
		return m.payouts[e.payout].id.String()
	}
	var want, got []string
	for _, s := range m.sales {
		if s.gone {
			continue
		}
		for _, e := range s.entries {
			want = append(want, fmt.Sprint(s.id, " ", e.owner.ID, " ", scene.Plain(e.amount), " ", e.approval, " ", payoutOf(e), " ", e.risks))
		}
		if s.sum().Cmp(s.earned()) != 0 {
			rt.Fatalf("the model of sale %d is wrong", s.id)
		}
	}
	for _, s := range slices.Backward(scene.Must(m.w.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items) {
		if err := explained(m.w, s); err != nil {
			rt.Error(err)
		}
		for _, c := range s.Commissions {
			got = append(got, fmt.Sprint(s.ID, " ", c.AffiliateID, " ", c.CommissionEarned, " ", c.ApprovalStatus, " ", orDash(c.PayoutID), " ", c.RiskReasons))
		}
	}
	sameLines(rt, "entries", want, got)
	want, got = nil, nil
	for _, a := range m.adjustments {
		want = append(want, fmt.Sprint(a.uid, " ", a.owner.ID, " ", scene.Plain(a.amount), " ", payoutOf(a), " ", a.undone))
	}
	for _, a := range slices.Backward(scene.Must(m.w.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items) {
		undone := !a.ReversesID.IsNull() || !a.ReversedByID.IsNull()
		got = append(got, fmt.Sprint(a.ID, " ", a.AffiliateID, " ", a.Amount, " ", orDash(a.PayoutID), " ", undone))
	}
	sameLines(rt, "adjustments", want, got)
	m.checkPayouts(rt)
	m.checkLeft(rt)
	for _, owner := range m.payees() {
		m.mirror.check(m.w, owner.ID)
		m.checkBalance(rt, owner)
		m.checkStatements(rt, owner)
	}
}

func (m *moneyModel) checkPayouts(rt *rapid.T) {
	var want, got []string
	paid, bound := new(big.Rat), new(big.Rat)
	for _, p := range m.payouts {
		want = append(want, fmt.Sprint(p.id, " ", p.status, " ", scene.Plain(p.amount), " ", len(p.took)))
		switch p.status {
		case affiliate.PayoutPaid:
			paid.Add(paid, p.amount)
		case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		default:
			bound.Add(bound, p.amount)
		}
	}
	for _, p := range slices.Backward(scene.Must(m.w.Payouts(context.Background(), affiliate.PayoutQuery{}, affiliate.Page{})).Items) {
		got = append(got, fmt.Sprint(p.ID, " ", p.Status, " ", p.Amount, " ", len(p.CommissionIDs)+len(p.AdjustmentIDs)))
		for _, known := range m.payouts {
			if known.id == p.ID && known.lines != "" && known.lines != scene.JSON(p) {
				rt.Errorf("a payout changed after it was paid: %s, now %s", known.lines, scene.JSON(p))
			}
		}
	}
	sameLines(rt, "payouts", want, got)
	total, open := new(big.Rat), new(big.Rat)
	for _, e := range m.all() {
		total.Add(total, e.amount)
		if e.payout < 0 {
			open.Add(open, e.amount)
		}
	}
	if sum := scene.RatSum(open, bound, paid); sum.Cmp(total) != 0 {
		rt.Errorf("open %s, bound %s and paid %s are not %s", scene.Plain(open), scene.Plain(bound), scene.Plain(paid), scene.Plain(total))
	}
}

// checkBalance compares the balance, and counts the movements: what came from
// ACCRUAL is held, maturing, payable, in payouts or paid (docs/money.md 8).
func (m *moneyModel) checkBalance(rt *rapid.T, owner *payee) {
	held, maturing, payable, bound, paid := new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
	for _, p := range m.payouts {
		switch {
		case p.owner != owner || p.status == affiliate.PayoutCanceled || p.status == affiliate.PayoutReturned:
		case p.status == affiliate.PayoutPaid:
			paid.Add(paid, p.amount)
		default:
			bound.Add(bound, p.amount)
		}
	}
	for _, e := range m.all() {
		switch {
		case e.owner != owner || e.payout >= 0 || e.approval == affiliate.ApprovalDeclined:
		case e.approval == affiliate.ApprovalOnHold:
			held.Add(held, e.amount)
		case e.matures.After(m.w.Now):
			maturing.Add(maturing, e.amount)
		default:
			payable.Add(payable, e.amount)
		}
	}
	got := scene.Must(m.w.Balance(context.Background(), affiliate.AffiliateRef{ID: owner.ID}))
	want := []string{scene.Plain(held), scene.Plain(maturing), scene.Plain(payable), scene.Plain(bound), scene.Plain(paid), scene.Plain(scene.RatSum(held, maturing, payable, bound, paid))}
	sameLines(rt, "balance", want, []string{
		got.Held.String(), got.Maturing.String(), got.Payable.String(), got.InPayout.String(), got.Paid.String(), got.Earned.String(),
	})
	accrued, n := new(big.Rat), int64(0)
	for _, r := range scene.Must(m.w.Movements(context.Background(), affiliate.MovementQuery{AffiliateID: affiliate.Set(owner.ID)}, affiliate.Page{})).Items {
		if r.From == affiliate.AccountAccrual {
			accrued.Add(accrued, scene.RatOf(r.Amount))
		}
		if r.To == affiliate.AccountAccrual {
			accrued.Sub(accrued, scene.RatOf(r.Amount))
		}
		n++
	}
	if accrued.Cmp(scene.RatOf(got.Earned)) != 0 || n != got.Movements {
		rt.Errorf("%d movements accrued %s, the balance is %v after %d", n, scene.Plain(accrued), got.Earned, got.Movements)
	}
}

// A closedPeriod is a period whose statement was read when it was closed.
type closedPeriod struct {
	from, to       time.Time
	asJSON, asCSV  string
	opening, ended affiliate.Figures
}

// closes closes the books until now and reads the statements of the period since
// they were closed before.
func (m *moneyModel) closes(rt *rapid.T) {
	p := closedPeriod{from: scene.Start, to: m.w.Now}
	if n := len(m.ada.closed); n > 0 {
		p.from = m.ada.closed[n-1].to
	}
	if !p.to.After(p.from) {
		rt.Skip("no time has passed")
	}
	scene.Must(m.w.Run(rt.Context(), affiliate.CloseBooksJob{Until: p.to}))
	for _, owner := range m.payees() {
		p.asJSON, p.asCSV = scene.StatementTexts(rt, m.w.Program, owner.ID, p.from, p.to)
		s := scene.Must(m.w.Statement(rt.Context(), affiliate.AffiliateRef{ID: owner.ID}, p.from, p.to))
		p.opening, p.ended = s.Opening, s.Closing
		owner.closed = append(owner.closed, p)
	}
}

// checkStatements reads the statements of closed periods again: none changes,
// and each begins where the one before it ends.
func (m *moneyModel) checkStatements(rt *rapid.T, owner *payee) {
	for _, p := range owner.cuts {
		if asJSON, asCSV := scene.StatementTexts(rt, m.w.Program, owner.ID, p.from, p.to); asJSON != p.asJSON || asCSV != p.asCSV {
			rt.Errorf("a period that was over changed:\n%s\n%s", p.asJSON, asJSON)
		}
	}
	for i, p := range owner.closed {
		asJSON, asCSV := scene.StatementTexts(rt, m.w.Program, owner.ID, p.from, p.to)
		if asJSON != p.asJSON || asCSV != p.asCSV {
			rt.Errorf("a closed period changed:\n%s\n%s", p.asJSON, asJSON)
		}
		if i > 0 && p.opening != owner.closed[i-1].ended {
			rt.Errorf("period %d begins with %+v, the one before it ends with %+v", i, p.opening, owner.closed[i-1].ended)
		}
		owed := scene.RatOf(p.opening.Owed)
		for line, err := range scene.Must(m.w.Statement(rt.Context(), affiliate.AffiliateRef{ID: owner.ID}, p.from, p.to)).Lines() {
			if err != nil {
				rt.Fatal(err)
			}
			owed.Add(owed, scene.RatOf(line.Amount))
		}
		if owed.Cmp(scene.RatOf(p.ended.Owed)) != 0 {
			rt.Errorf("the lines of period %d lead to %s, it closes with %v", i, scene.Plain(owed), p.ended.Owed)
		}
	}
}

// explained checks oracle 22.7 for a sale: what is rounded is the sum of its
// entries, and what is exact rounds to it.
func explained(w *scene.World, s affiliate.Sale) error {
	e, err := w.ExplainSale(w.T.Context(), s.ID)
	if err != nil {
		return err
	}
	exact, ok := new(big.Rat).SetString(e.Arithmetic.Exact)
	if !ok || exact.RatString() != e.Arithmetic.Exact || e.Arithmetic.Rounded != s.CommissionEarned || scene.Cents(exact).Cmp(scene.RatOf(s.CommissionEarned)) != 0 {
		return fmt.Errorf("sale %d earns %v, explained as %+v", s.ID, s.CommissionEarned, e.Arithmetic)
	}
	return nil
}
