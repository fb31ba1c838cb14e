package proofs_test

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// cut cuts the time so far at random instants: each statement begins with what
// the one before it ends with, its lines lead from the one to the other, and its
// CSV says the same as its JSON. Those that are closed are kept, to be read again
// (docs/money.md 9).
func (m *moneyModel) cut(rt *rapid.T) {
	span := m.w.Now.Sub(scene.Start).Microseconds()
	if span == 0 {
		rt.Skip("no time has passed")
	}
	at := []time.Time{scene.Start.Add(-time.Hour), m.w.Now.Add(time.Hour)}
	for _, micros := range rapid.SliceOfN(rapid.Int64Range(0, span), 1, 4).Draw(rt, "instants") {
		at = append(at, scene.Start.Add(time.Duration(micros)*time.Microsecond))
	}
	slices.SortFunc(at, time.Time.Compare)
	at = slices.Compact(at)
	last, owner := affiliate.Figures{}, m.drawPayee(rt)
	for i, to := range at[1:] {
		s := scene.Must(m.w.Statement(rt.Context(), affiliate.AffiliateRef{ID: owner.ID}, at[i], to))
		if s.Opening != last {
			rt.Errorf("from %v: opening %+v, what was before closes with %+v", at[i], s.Opening, last)
		}
		last = s.Closing
		sameLines(rt, "CSV", m.rows(rt, s), csvRows(s))
		if s.Closed {
			asJSON, asCSV := scene.StatementTexts(rt, m.w.Program, owner.ID, at[i], to)
			owner.cuts = append(owner.cuts, closedPeriod{from: at[i], to: to, asJSON: asJSON, asCSV: asCSV})
		}
	}
}

// rows are the rows of a statement in CSV, made from its lines. The lines must
// add up.
func (m *moneyModel) rows(rt *rapid.T, s affiliate.Statement) []string {
	owed := scene.RatOf(s.Opening.Owed)
	rows := []string{fmt.Sprint(s.From, " OPENING_BALANCE ", s.Opening.Owed)}
	for _, l := range scene.All(s.Lines()) {
		if owed.Add(owed, scene.RatOf(l.Amount)); owed.Cmp(scene.RatOf(l.Owed)) != 0 {
			rt.Errorf("%+v is not after %s", l, scene.Plain(owed))
		}
		rows = append(rows, fmt.Sprint(l.At, " ", l.Cause, " ", l.Amount, " ", l.Owed))
	}
	if owed.Cmp(scene.RatOf(s.Closing.Owed)) != 0 {
		rt.Errorf("the lines lead to %s, closing %v", scene.Plain(owed), s.Closing.Owed)
	}
	return append(rows, fmt.Sprint(s.To, " CLOSING_BALANCE ", s.Closing.Owed))
}

// csvRows are the time, cause, amount and owed of each row of a statement in CSV.
func csvRows(s affiliate.Statement) (rows []string) {
	var text strings.Builder
	scene.Must(0, s.WriteCSV(&text))
	for _, row := range scene.Must(csv.NewReader(strings.NewReader(text.String())).ReadAll())[1:] {
		rows = append(rows, strings.Join(strings.Fields(strings.Join([]string{row[1], row[2], row[7], row[8]}, " ")), " "))
	}
	return rows
}
