package console

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A monthSum is what a month changed of what an affiliate is owed.
type monthSum struct {
	opening, commission, adjustments, paid, closing affiliate.Amount
}

// other is what the row says besides: what the opening of the books entered.
func (m *monthSum) other() (d affiliate.Amount, err error) {
	d, err = m.closing.Sub(m.opening)
	for _, less := range [...]affiliate.Amount{m.commission, m.adjustments, m.paid.Neg()} {
		if err == nil {
			d, err = d.Sub(less)
		}
	}
	return d, err
}

// monthFile returns a row for each affiliate who was owed something in a month that is over,
// for the accountant: opening, what came in, what was paid, closing.
func monthFile(v *visit) error {
	from, err := time.ParseInLocation(monthLayout, v.args[0], v.Location)
	if err != nil || from.Format(monthLayout) != v.args[0] {
		return affiliate.ErrNotFound
	}
	to := from.AddDate(0, 1, 0)
	if to.After(v.now()) {
		return badQuery("The month is not over.")
	}
	sums, err := v.sumsOf(from, to)
	if err != nil {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(sums), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	names := v.payees()
	head := []string{"affiliateId", "affiliate", "from", "to", "opening", "commission", "adjustments", "paid", "other", "closing", "currency"}
	first, last := v.dateOf(affiliate.TimeOf(from)), v.dateOf(affiliate.TimeOf(dayAt(to, -1)))
	return listFile(v, fmt.Sprintf("statements-%s.csv", v.args[0]), head, func(affiliate.Page) (affiliate.List[uuid.UUID], error) {
		return affiliate.List[uuid.UUID]{Items: ids}, nil
	}, func(id uuid.UUID) ([]string, error) {
		m := sums[id]
		name, err := names(id)
		if err != nil {
			return nil, err
		}
		other, err := m.other()
		return []string{
			id.String(), name, first, last, m.opening.String(), m.commission.String(), m.adjustments.String(), m.paid.String(), other.String(), m.closing.String(), v.currency(),
		}, err
	})
}

// sumsOf reads the sums of a period by affiliate.
func (v *visit) sumsOf(from, to time.Time) (map[uuid.UUID]*monthSum, error) {
	sums := map[uuid.UUID]*monthSum{}
	of := func(id uuid.UUID) *monthSum {
		if sums[id] == nil {
			sums[id] = &monthSum{}
		}
		return sums[id]
	}
	balances := func(at time.Time) iter.Seq2[affiliate.Balance, error] {
		return affiliate.Each(rankedPage, func(pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
			return v.program.RankedBalances(v.ctx(), at, pg)
		})
	}
	for b, err := range balances(from) {
		if err != nil {
			return nil, err
		}
		m := of(b.AffiliateID)
		m.paid = b.Paid.Neg()
		if m.opening, err = b.Earned.Sub(b.Paid); err != nil {
			return nil, err
		}
	}
	for b, err := range balances(to) {
		if err != nil {
			return nil, err
		}
		m := of(b.AffiliateID)
		if m.paid, err = m.paid.Add(b.Paid); err == nil {
			m.closing, err = b.Earned.Sub(b.Paid)
		}
		if err != nil {
			return nil, err
		}
	}
	q := affiliate.BreakdownQuery{From: from, To: to, By: affiliate.DimensionAffiliate}
	for r, err := range affiliate.Each(rankedPage, func(pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
		return v.program.Breakdown(v.ctx(), q, pg)
	}) {
		if err != nil {
			return nil, err
		}
		id, err := uuid.Parse(r.Value)
		if err != nil {
			return nil, err
		}
		if !r.Commission.IsZero() || !r.Adjustments.IsZero() {
			m := of(id)
			m.commission, m.adjustments = r.Commission, r.Adjustments
		}
	}
	return sums, nil
}
