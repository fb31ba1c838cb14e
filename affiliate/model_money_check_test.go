package affiliate_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

// check compares every entry, adjustment and payout, and counts the money: what
// was ever earned is open, in payouts or paid (docs/money.md 4).
func (m *moneyModel) check(rt *rapid.T) {
	ctx := context.Background()
	if err := m.w.Verify(ctx); err != nil {
		rt.Fatalf("Verify: %v", err)
	}
	payoutOf := func(e *owed) string {
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
			want = append(want, fmt.Sprint(s.id, " ", plain(e.amount), " ", e.approval, " ", payoutOf(e)))
		}
		if s.sum().Cmp(s.earned()) != 0 {
			rt.Fatalf("the model of sale %d is wrong", s.id)
		}
	}
	for _, s := range slices.Backward(must(m.w.Sales(ctx, affiliate.SaleFilter{}, affiliate.Page{})).Items) {
		if err := m.w.explained(s); err != nil {
			rt.Error(err)
		}
		for _, c := range s.Commissions {
			got = append(got, fmt.Sprint(s.ID, " ", c.CommissionEarned, " ", c.ApprovalStatus, " ", orDash(c.PayoutID)))
		}
	}
	sameLines(rt, "entries", want, got)
	want, got = nil, nil
	for _, a := range m.adjustments {
		want = append(want, fmt.Sprint(a.uid, " ", plain(a.amount), " ", payoutOf(a), " ", a.undone))
	}
	for _, a := range slices.Backward(must(m.w.Adjustments(ctx, affiliate.AdjustmentFilter{}, affiliate.Page{})).Items) {
		undone := !a.ReversesID.IsNull() || !a.ReversedByID.IsNull()
		got = append(got, fmt.Sprint(a.ID, " ", a.Amount, " ", orDash(a.PayoutID), " ", undone))
	}
	sameLines(rt, "adjustments", want, got)
	m.checkPayouts(rt)
}

func (m *moneyModel) checkPayouts(rt *rapid.T) {
	var want, got []string
	paid, bound := new(big.Rat), new(big.Rat)
	for _, p := range m.payouts {
		want = append(want, fmt.Sprint(p.id, " ", p.status, " ", plain(p.amount), " ", len(p.took)))
		switch p.status {
		case affiliate.PayoutPaid:
			paid.Add(paid, p.amount)
		case affiliate.PayoutCanceled:
		default:
			bound.Add(bound, p.amount)
		}
	}
	for _, p := range slices.Backward(must(m.w.Payouts(context.Background(), affiliate.PayoutFilter{}, affiliate.Page{})).Items) {
		got = append(got, fmt.Sprint(p.ID, " ", p.Status, " ", p.Amount, " ", len(p.CommissionIDs)+len(p.AdjustmentIDs)))
		for _, known := range m.payouts {
			if known.id == p.ID && known.lines != "" && known.lines != jsonOf(p) {
				rt.Errorf("a payout changed after it was paid: %s, now %s", known.lines, jsonOf(p))
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
	if sum := ratSum(open, bound, paid); sum.Cmp(total) != 0 {
		rt.Errorf("open %s, bound %s and paid %s are not %s", plain(open), plain(bound), plain(paid), plain(total))
	}
}
