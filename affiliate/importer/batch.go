package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A batch holds the rows of one transaction, all of one kind.
type batch struct {
	kind   string
	rows   []pendingRow
	weight int // rows and what they are made of
}

// A pendingRow is a row that is to be imported.
type pendingRow struct {
	Row
	again    bool             // its ref came before in this run
	other    bool             // another sale than the earlier row with its ref, and refused
	why      *affiliate.Error // it is rejected already
	currency affiliate.Currency
	says     imported.Figures
}

func (b *batch) add(row pendingRow) {
	b.rows = append(b.rows, row)
	b.weight++
	switch item := row.Item.(type) {
	case Affiliate:
		b.weight += len(item.Links)
	case Coupon:
		b.weight += len(item.Codes)
	case Payout:
		b.weight += len(item.Sales)
	}
}

// flush imports the batch and empties it.
func (r *run) flush(ctx context.Context) error {
	var sent []pendingRow
	for _, row := range r.batch.rows {
		if row.why == nil {
			sent = append(sent, row)
		}
	}
	var report imported.Report
	if len(sent) > 0 {
		var err error
		if report, err = r.send(ctx, sent); err != nil {
			return fmt.Errorf("importer: %d %s from %s:%d: %w", len(sent), r.batch.kind,
				sent[0].File, sent[0].Line, err)
		}
	}
	if err := r.count(&report); err != nil {
		return err
	}
	if len(r.batch.rows) > 0 {
		r.progress.batch(cmp.Or(r.batch.kind, "rows"))
	}
	clear(r.batch.rows)
	r.batch = batch{rows: r.batch.rows[:0]}
	return nil
}

// send calls the import of the batch's kind.
func (r *run) send(ctx context.Context, rows []pendingRow) (imported.Report, error) {
	switch r.batch.kind {
	case Affiliates:
		return r.p.Imports().Affiliates(ctx, each(rows, func(row *pendingRow) imported.Affiliate {
			in := row.Item.(Affiliate).Affiliate
			in.Ref, in.OnConflict, in.Status = row.Ref, r.OnConflict, cmp.Or(in.Status, r.Default)
			return in
		}))
	case Coupons:
		return r.p.Imports().Coupons(ctx, each(rows, func(row *pendingRow) imported.Coupon {
			in := row.Item.(Coupon).Coupon
			in.Ref = row.Ref
			return in
		}))
	case Referrals:
		return r.p.Imports().Referrals(ctx, each(rows, func(row *pendingRow) imported.Referral {
			in := row.Item.(Referral).Referral
			in.Ref = row.Ref
			return in
		}))
	case Sales:
		return r.p.Imports().Sales(ctx, each(rows, func(row *pendingRow) imported.Sale {
			in := row.Item.(Sale).Sale
			in.Ref = row.Ref
			return in
		}))
	case Payouts:
		return r.p.Imports().Payouts(ctx, each(rows, func(row *pendingRow) imported.Payout {
			in := row.Item.(Payout).Payout
			in.Ref = row.Ref
			return in
		}))
	}
	return imported.Report{}, errors.New("a row without an item")
}

func each[T any](rows []pendingRow, of func(*pendingRow) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}

// count adds the results of the batch to the report, row by row: those that were
// sent, and those that were rejected before.
func (r *run) count(batch *imported.Report) error {
	why := make(map[int]*affiliate.Error, len(batch.Failed))
	for _, f := range batch.Failed {
		why[f.Row] = refusalOf(f.Err)
	}
	notes := batch.Notes
	n := 0 // of those that were sent
	for i := range r.batch.rows {
		row := &r.batch.rows[i]
		if row.why != nil {
			if err := r.reject(row, row.why); err != nil {
				return err
			}
			continue
		}
		for ; len(notes) > 0 && notes[0].Row == n; notes = notes[1:] {
			r.countNote(row, notes[0])
		}
		if err := r.countRow(row, batch.Rows[n], why[n]); err != nil {
			return err
		}
		n++
	}
	for _, bad := range why {
		if r.OnConflict == Fail && bad.Reason == affiliate.SlugTaken {
			return ErrConflict
		}
	}
	return nil
}

// refusalOf returns why a row was refused. A look-up that finds no affiliate is one
// too.
func refusalOf(err error) *affiliate.Error {
	if bad, ok := errors.AsType[*affiliate.Error](err); ok {
		return bad
	}
	return refusal.RefuseNoAffiliate.Err()
}

func (r *run) countRow(row *pendingRow, done imported.Row, why *affiliate.Error) error {
	switch done.Outcome {
	case imported.Failed:
		return r.reject(row, why)
	case imported.Created:
		r.report.Created[r.batch.kind]++
	case imported.Existing:
		r.report.Existing[r.batch.kind]++
	default:
		r.report.Changed[r.batch.kind]++
	}
	if row.again {
		return nil
	}
	if err := r.report.Stored.add(r.currency, done.Stored); err != nil {
		return err
	}
	if done.Outcome == imported.Created || done.Outcome == imported.Forwarded {
		return nil // they must be equal
	}
	rest, err := plus(row.says, done.Stored, affiliate.Amount.Sub)
	if err != nil {
		return err
	}
	return r.report.Refused.add(r.currency, rest)
}

// countNote lists what is stored otherwise. What is not stored at all is a reject.
func (r *run) countNote(row *pendingRow, note imported.Note) {
	why := row.inColumns(note.Err)
	reject := Reject{File: row.File, Line: row.Line, Ref: cmp.Or(note.Ref, row.Ref),
		Field: why.Field, Err: why, Kept: note.Kept}
	if note.Kept != "" {
		r.list(&r.report.Conflicts, reject)
		return
	}
	kind := Links
	if r.batch.kind == Coupons {
		kind = Codes
	}
	r.report.Rejected[kind]++
	r.progress.rejected++
	reject.Kept = r.batch.kind[:len(r.batch.kind)-1] // the rest of the row
	r.list(&r.report.Rejects, reject)
}

// paidSales collects the commissions that a service reports as paid, or as going
// to be, without a payout: they get one payout for each affiliate and calendar
// month. It keeps only their ids.
type paidSales struct {
	service string
	groups  map[paidGroup]*paidList
	listed  map[[16]byte]bool // in a payout of the service
}

// A paidGroup identifies one of these payouts.
type paidGroup struct {
	affiliate string // as the service names it
	month     string // such as 2026-05; empty: going to be paid
	payout    string // the service's id of the payout, if a row says it
	currency  affiliate.Currency
}

// A paidList holds the entries of a payout. The ids are in one text, each with
// its amount.
type paidList struct {
	ids  []byte
	last time.Time // when the last of them was paid
}

// add adds a commission. A zero time means that it is going to be paid.
func (p *paidSales) add(g paidGroup, ref string, amount affiliate.Amount, at time.Time, loc *time.Location) {
	if !at.IsZero() && g.payout == "" {
		g.month = at.In(loc).Format("2006-01")
	}
	if p.groups == nil {
		p.groups = make(map[paidGroup]*paidList)
	}
	list := p.groups[g]
	if list == nil {
		list = &paidList{}
		p.groups[g] = list
	}
	list.ids = append(list.ids, ref...)
	list.ids = append(list.ids, '\n')
	list.ids = append(list.ids, amount.String()...)
	list.ids = append(list.ids, '\n')
	if at.After(list.last) {
		list.last = at
	}
}

// list records that a payout of the service has a commission.
func (p *paidSales) list(ref string) {
	if p.listed == nil {
		p.listed = make(map[[16]byte]bool)
	}
	p.listed[shortOf(ref)] = true
}

// each yields the payouts, in the order of their refs.
func (p *paidSales) each(file string, give func(Row, error) bool) {
	groups := make([]paidGroup, 0, len(p.groups))
	for g := range p.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b paidGroup) int { return strings.Compare(a.ref(p.service), b.ref(p.service)) })
	for _, g := range groups {
		row := Row{File: file, Ref: g.ref(p.service)}
		payout, bad := p.payout(g)
		if len(payout.Sales) == 0 {
			continue
		}
		row.Item = payout
		var err error
		if bad != nil {
			err = bad
		}
		if !give(row, err) {
			return
		}
	}
}

// ref returns the ref of a payout.
func (g paidGroup) ref(service string) string {
	switch {
	case g.payout != "":
		return service + ":payout:" + g.payout
	case g.month == "":
		return service + ":pending:" + g.affiliate + ":" + string(g.currency)
	}
	return service + ":paid:" + g.affiliate + ":" + g.month + ":" + string(g.currency)
}

// payout returns a group as a payout.
func (p *paidSales) payout(g paidGroup) (Payout, *affiliate.Error) {
	list := p.groups[g]
	out := Payout{Currency: g.currency, Gathered: true}
	out.PaidAt = list.last
	out.ExternalID = g.payout
	lines := strings.Split(string(list.ids), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		if p.listed[shortOf(lines[i])] {
			continue
		}
		sum, err := out.Amount.Add(affiliate.MustAmount(lines[i+1]))
		if err != nil {
			return out, refusal.FieldTooLarge.Of("amount")
		}
		out.Amount = sum
		out.Sales = append(out.Sales, lines[i])
	}
	return out, nil
}

// shortOf returns 16 bytes that stand for a ref.
func shortOf(ref string) (short [16]byte) {
	sum := sha256.Sum256([]byte(ref))
	copy(short[:], sum[:])
	return short
}
