package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The part of the report that follows one affiliate through the year.

// A month is the statement of a month with its lines, and their sums.
type month struct {
	affiliate.Statement
	lines                   []affiliate.StatementLine
	sold, back, other, paid affiliate.Amount
}

// printStatements prints the months of the affiliate who has most to tell, and
// the month with most to tell line by line.
func (s *books) printStatements(ctx context.Context, w io.Writer) error {
	id, found, err := s.subject(ctx)
	if err != nil || !found {
		return err
	}
	aff, err := s.Affiliate(ctx, id.String())
	if err != nil {
		return err
	}
	months, err := s.months(ctx, id)
	if err != nil || len(months) == 0 {
		return err
	}
	rows := [][]string{{"Month", ">Opening", ">Sales", ">Taken back", ">Adjusted", ">Paid", ">Closing"}}
	for _, m := range months {
		rows = append(rows, []string{
			m.name(), money(m.Opening.Owed), money(m.sold), money(m.back), money(m.other),
			money(m.paid), money(m.Closing.Owed),
		})
	}
	table(w, "Statements of "+aff.Name+". Each month begins with what was owed at the end of the month before.", rows)
	best := slices.MaxFunc(months, func(a, b month) int {
		return cmp.Or(cmp.Compare(a.kinds(), b.kinds()), cmp.Compare(len(b.lines), len(a.lines)))
	})
	return s.printLines(ctx, w, best)
}

// printLines prints a statement line by line.
func (s *books) printLines(ctx context.Context, w io.Writer, m month) error {
	rows := [][]string{
		{"Line", "Day", "Order", ">Amount", ">Owed"},
		{"opening", day(m.From), "", "", money(m.Opening.Owed)},
	}
	for _, line := range m.lines[:min(len(m.lines), maxLines)] {
		c, err := s.changeOf(ctx, line.Cause, line.SaleID, line.AdjustmentID)
		if err != nil {
			return err
		}
		rows = append(rows, []string{c.what, day(line.At), c.order, money(line.Amount), money(line.Owed)})
	}
	if more := len(m.lines) - maxLines; more > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more", more), "", "", "", ""})
	}
	rows = append(rows, []string{"closing", day(m.To), "", "", money(m.Closing.Owed)})
	table(w, "The statement of "+m.name()+", line by line. It says the same whenever it is asked for.", rows)
	return nil
}

// subject returns the affiliate whose movements have the most causes; of several,
// the one with the fewest movements.
func (s *books) subject(ctx context.Context) (id uuid.UUID, found bool, err error) {
	causes, movements := map[uuid.UUID]map[affiliate.Cause]bool{}, map[uuid.UUID]int{}
	for m, err := range affiliate.All(ctx, s.Movements, affiliate.MovementQuery{}) {
		if err != nil {
			return id, false, err
		}
		if causes[m.AffiliateID] == nil {
			causes[m.AffiliateID] = map[affiliate.Cause]bool{}
		}
		causes[m.AffiliateID][m.Cause] = true
		movements[m.AffiliateID]++
	}
	for b, err := range affiliate.Every(ctx, s.Balances) { // of those who are still there
		if err != nil {
			return id, false, err
		}
		better := cmp.Or(
			cmp.Compare(len(causes[b.AffiliateID]), len(causes[id])),
			cmp.Compare(movements[id], movements[b.AffiliateID]),
			bytes.Compare(id[:], b.AffiliateID[:]),
		)
		if better > 0 {
			id, found = b.AffiliateID, true
		}
	}
	return id, found, nil
}

// months returns the statements of the months in which something was owed or
// happened.
func (s *books) months(ctx context.Context, id uuid.UUID) (months []month, err error) {
	first := s.Since.UTC()
	from := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC)
	for ; !from.After(s.Now); from = from.AddDate(0, 1, 0) {
		var m month
		if m.Statement, err = s.Statement(ctx, affiliate.AffiliateRef{ID: id}, from, from.AddDate(0, 1, 0)); err != nil {
			return nil, err
		}
		for line, err := range m.Lines() {
			if err := errors.Join(err, m.add(line)); err != nil {
				return nil, err
			}
		}
		if len(m.lines) > 0 || !m.Closing.Owed.IsZero() {
			months = append(months, m)
		}
	}
	return months, nil
}

// add adds a line.
func (m *month) add(line affiliate.StatementLine) error {
	m.lines = append(m.lines, line)
	part := &m.back
	switch line.Cause {
	case affiliate.CauseSale:
		part = &m.sold
	case affiliate.CauseAdjustment:
		part = &m.other
	case affiliate.CausePayoutPaid:
		part = &m.paid
	}
	return sum(part, line.Amount)
}

// kinds returns how many different causes the lines have.
func (m *month) kinds() int {
	causes := map[affiliate.Cause]bool{}
	for _, line := range m.lines {
		causes[line.Cause] = true
	}
	return len(causes)
}

func (m *month) name() string { return m.From.Time().Format("January 2006") }
