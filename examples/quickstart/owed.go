package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The part of the report about what is owed after the sales: balances, payouts,
// and what changed once a payout was made.

// names maps the ids of affiliates to their names.
func (s *books) names(ctx context.Context) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	all, err := s.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{})
	for _, aff := range all.Items {
		names[aff.ID] = aff.Name
	}
	return names, err
}

// printBalances prints what each affiliate is owed and was paid, largest sum
// first.
func (s *books) printBalances(ctx context.Context, w io.Writer) error {
	names, err := s.names(ctx)
	if err != nil {
		return err
	}
	var all []affiliate.Balance
	var total affiliate.Balance
	for b, err := range affiliate.Every(ctx, s.Balances) {
		if err != nil {
			return err
		}
		if b.Movements == 0 {
			continue
		}
		all = append(all, b)
		err := errors.Join(
			sum(&total.Held, b.Held), sum(&total.Maturing, b.Maturing), sum(&total.Payable, b.Payable),
			sum(&total.InPayout, b.InPayout), sum(&total.Paid, b.Paid), sum(&total.Earned, b.Earned),
		)
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(a, b affiliate.Balance) int {
		return cmp.Or(b.Earned.Cmp(a.Earned), strings.Compare(names[a.AffiliateID], names[b.AffiliateID]))
	})
	rows := [][]string{{"Balance", ">Held", ">Maturing", ">Payable", ">In payout", ">Paid", ">Earned"}}
	for _, b := range all {
		rows = append(rows, balanceRow(names[b.AffiliateID], b))
	}
	if len(all) > 0 {
		rows = append(rows, balanceRow("sum", total))
	}
	table(w, "What they are owed and were paid, bonuses and fees included. Held waits for a decision,\n"+
		"maturing for the end of the holding period, payable for the next payout; below zero it is a debt.", rows)
	return nil
}

func balanceRow(name string, b affiliate.Balance) []string {
	return []string{name, money(b.Held), money(b.Maturing), money(b.Payable), money(b.InPayout),
		money(b.Paid), money(b.Earned)}
}

// A batch is a run, or a payout that no run made.
type batch struct {
	id                          string
	at                          affiliate.Time
	payouts                     int64
	total, paid, open, canceled affiliate.Amount
	skipped                     map[affiliate.SkipReason]int
}

// printPayouts prints the runs and the other payouts, oldest first, with what
// became of them.
func (s *books) printPayouts(ctx context.Context, w io.Writer) error {
	batches, err := s.batches(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"Payout", "Day", ">Payees", ">Amount", ">Paid", ">Open", ">Canceled", "Not paid"}}
	for _, b := range batches {
		var why []string
		for _, reason := range slices.Sorted(maps.Keys(b.skipped)) {
			why = append(why, fmt.Sprintf("%d %s", b.skipped[reason], strings.ReplaceAll(string(reason), "_", " ")))
		}
		rows = append(rows, []string{
			b.id, day(b.at), fmt.Sprint(b.payouts), money(b.total), money(b.paid), money(b.open), money(b.canceled),
			strings.Join(why, ", "),
		})
	}
	table(w, "Payouts. A run pays everybody to whom enough is due; what is not paid is carried to the next one,\n"+
		"and so is what a canceled payout held.", rows)
	return nil
}

func (s *books) batches(ctx context.Context) ([]*batch, error) {
	var batches []*batch
	of := map[uuid.UUID]*batch{}
	for run, err := range affiliate.Every(ctx, s.PayoutRuns) {
		if err != nil {
			return nil, err
		}
		b := &batch{id: run.ExternalID, at: run.StartedAt, skipped: map[affiliate.SkipReason]int{}}
		lines := func(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
			return s.PayoutLines(ctx, run.ExternalID, pg)
		}
		for line, err := range affiliate.Every(ctx, lines) {
			if err != nil {
				return nil, err
			}
			if why, ok := line.Skipped.Get(); ok {
				b.skipped[why]++
			}
		}
		batches, of[run.ID] = append(batches, b), b
	}
	for p, err := range affiliate.All(ctx, s.Payouts, affiliate.PayoutQuery{}) {
		if err != nil {
			return nil, err
		}
		b := of[p.RunID.Or(uuid.Nil)]
		if b == nil {
			b = &batch{id: p.ExternalID.Or(""), at: p.CreatedAt}
			batches = append(batches, b)
		}
		if err := b.add(p); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(batches, func(a, b *batch) int { return a.at.Time().Compare(b.at.Time()) })
	return batches, nil
}

func (b *batch) add(p affiliate.Payout) error {
	b.payouts++
	part := &b.open
	switch p.Status {
	case affiliate.PayoutPaid:
		part = &b.paid
	case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		part = &b.canceled
	}
	return errors.Join(sum(&b.total, p.Amount), sum(part, p.Amount))
}

// printAfterwards prints the bonuses, fees and claw-backs, oldest first.
func (s *books) printAfterwards(ctx context.Context, w io.Writer) error {
	names, err := s.names(ctx)
	if err != nil {
		return err
	}
	var found []affiliate.Movement
	for _, cause := range []affiliate.Cause{affiliate.CauseClawBack, affiliate.CauseAdjustment} {
		for m, err := range affiliate.All(ctx, s.Movements, affiliate.MovementQuery{Cause: cause}) {
			if err != nil {
				return err
			}
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b affiliate.Movement) int {
		return cmp.Or(a.At.Time().Compare(b.At.Time()), cmp.Compare(a.Number, b.Number))
	})
	rows := [][]string{{"Change", "Day", "Affiliate", "Order", ">Amount", "Reason"}}
	for _, m := range found {
		amount := m.Amount
		if m.To == affiliate.AccountAccrual {
			if amount, err = (affiliate.Amount{}).Sub(amount); err != nil {
				return err
			}
		}
		c, err := s.changeOf(ctx, m.Cause, m.SaleID, m.AdjustmentID)
		if err != nil {
			return err
		}
		rows = append(rows, []string{c.what, day(m.At), names[m.AffiliateID], c.order, money(amount), c.reason})
	}
	table(w, "What changed beside the sales. A claw-back is a refund after the payout: the payout stays as it was,\n"+
		"and the next one is smaller.", rows)
	return nil
}

// A change is the name of a movement, the shop's id of its order, and the
// reason of an adjustment.
type change struct{ what, order, reason string }

func (s *books) changeOf(
	ctx context.Context, cause affiliate.Cause, sale affiliate.Opt[affiliate.SaleID],
	adjustment affiliate.Opt[uuid.UUID],
) (c change, err error) {
	c.what = string(cause)
	if id, ok := adjustment.Get(); ok {
		adj, err := s.Adjustment(ctx, id)
		if err != nil {
			return c, err
		}
		c.what, c.reason, sale = string(adj.Kind), adj.Reason, adj.SaleID
	}
	c.what = strings.ToLower(strings.ReplaceAll(c.what, "_", " "))
	if number, ok := sale.Get(); ok {
		of, err := s.Sale(ctx, number)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) { // it may be deleted
			return c, err
		}
		c.order = of.ExternalID.Or("")
	}
	return c, nil
}

// printRewards prints who is in a tier, and what budgets let people earn in each period.
func (s *books) printRewards(ctx context.Context, w io.Writer) error {
	names, err := s.names(ctx)
	if err != nil {
		return err
	}
	tiers, err := s.Tiers(ctx, affiliate.Page{})
	if err != nil {
		return err
	}
	rows := [][]string{{"Tier", ">From", ">Pays", "Affiliates"}}
	for _, tier := range tiers.Items {
		var who []string
		in := affiliate.AffiliateQuery{TierID: affiliate.Set(tier.ID)}
		for aff, err := range affiliate.All(ctx, s.Affiliates, in) {
			if err != nil {
				return err
			}
			who = append(who, aff.Name)
		}
		slices.Sort(who)
		rows = append(rows, []string{tier.Name, money(tier.MinRevenue),
			tier.CommissionRate.Or(affiliate.Percent{}).String() + " %", strings.Join(who, ", ")})
	}
	table(w, "Tiers: who sold so much in this month or the last earns another rate.", rows)
	rows = [][]string{{"Budget", "Month", ">Sales", ">Earned", ">At most", "State"}}
	for use, err := range affiliate.All(ctx, s.Budgets, affiliate.BudgetQuery{}) {
		if err != nil {
			return err
		}
		rows = append(rows, []string{names[use.AffiliateID.Or(uuid.Nil)],
			use.From.Or(affiliate.Time{}).Time().Format("2006-01"), fmt.Sprint(use.Rewards),
			money(use.Commission), money(use.MaxCommission), strings.ToLower(string(use.Status))})
	}
	slices.SortFunc(rows[1:], func(a, b []string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	table(w, "Budgets: what a plan lets each of its affiliates earn in a month. A commission is cut to what is left.", rows)
	return nil
}

func day(t affiliate.Time) string { return t.Time().Format(time.DateOnly) }
