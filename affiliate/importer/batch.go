package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A batch holds the rows of one transaction, all of one kind.
type batch struct {
	kind   string
	rows   []pending
	weight int // rows and what they are made of
}

// A pending is a row that is to be imported.
type pending struct {
	Row
	again    bool             // its ref came before in this run
	other    bool             // another sale than the earlier row with its ref, and refused
	why      *affiliate.Error // it is rejected already
	currency affiliate.Currency
	says     imported.Figures
}

func (b *batch) add(row pending) {
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
	var sent []pending
	for _, row := range r.batch.rows {
		if row.why == nil {
			sent = append(sent, row)
		}
	}
	var report imported.Report
	if len(sent) > 0 {
		var err error
		if report, err = r.send(ctx, sent); err != nil {
			return fmt.Errorf("importer: %d %s from %s:%d: %w", len(sent), r.batch.kind, sent[0].File, sent[0].Line, err)
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
func (r *run) send(ctx context.Context, rows []pending) (imported.Report, error) {
	switch r.batch.kind {
	case Affiliates:
		return r.p.ImportAffiliates(ctx, each(rows, func(row *pending) imported.Affiliate {
			in := row.Item.(Affiliate).Affiliate
			in.Ref, in.OnConflict, in.Status = row.Ref, r.OnConflict, cmp.Or(in.Status, r.Default)
			return in
		}))
	case Coupons:
		return r.p.ImportCoupons(ctx, each(rows, func(row *pending) imported.Coupon {
			in := row.Item.(Coupon).Coupon
			in.Ref = row.Ref
			return in
		}))
	case Referrals:
		return r.p.ImportReferrals(ctx, each(rows, func(row *pending) imported.Referral {
			in := row.Item.(Referral).Referral
			in.Ref = row.Ref
			return in
		}))
	case Sales:
		return r.p.ImportSales(ctx, each(rows, func(row *pending) imported.Sale {
			in := row.Item.(Sale).Sale
			in.Ref = row.Ref
			return in
		}))
	case Payouts:
		return r.p.ImportPayouts(ctx, each(rows, func(row *pending) imported.Payout {
			in := row.Item.(Payout).Payout
			in.Ref = row.Ref
			return in
		}))
	}
	return imported.Report{}, errors.New("a row without an item")
}

func each[T any](rows []pending, of func(*pending) T) []T {
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

func (r *run) countRow(row *pending, done imported.Row, why *affiliate.Error) error {
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
func (r *run) countNote(row *pending, note imported.Note) {
	why := row.inColumns(note.Err)
	reject := Reject{File: row.File, Line: row.Line, Ref: cmp.Or(note.Ref, row.Ref), Field: why.Field, Err: why, Kept: note.Kept}
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
