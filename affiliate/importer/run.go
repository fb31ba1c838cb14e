package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Options say how [Run] imports. The zero Options are usable.
type Options struct {
	DryRun      bool                      // nothing is written; the report is that of the real run
	OnConflict  Conflict                  // a slug that another affiliate has; zero: Skip
	Batch       int                       // rows in a transaction, 1–1,000; zero: 500
	Default     affiliate.AffiliateStatus // of affiliates whose status the source does not say; zero: ACTIVE
	Progress    func(Progress)            // called after each transaction, in the goroutine of Run; nil: not called
	MaxRejected int                       // how many Rejects, and how many Conflicts, are kept; all are counted. Zero: 10,000
}

// Conflict says what happens to a link whose slug another affiliate has.
type Conflict = imported.SlugConflict

// What happens to such a link: it is left out, and customers who came by it still
// belong to its affiliate; its slug gets -2, -3 …; or Run ends with [ErrConflict]
// after the transaction, in which the affiliate is left out.
const (
	Skip       Conflict = imported.SkipLink
	RenameSlug Conflict = imported.RenameSlug
	Fail       Conflict = imported.RefuseRow
)

// Run imports the rows of a source into a program. It commits a batch of rows at
// a time. After an error, a crash or the end of ctx the committed batches stay,
// and another Run of the same files skips them. At its end it opens the books of
// the affiliates (see [affiliate.OpenBooksJob]).
//
// Errors, always with the report so far: those of the source and of the store;
// [ErrConflict]; [ErrTotals]. A rejected row is no error.
//
// Effects: those of the import calls of [tributary.Program]; no event.
//
// Source: docs/import.md.
func Run(ctx context.Context, p *tributary.Program, src Source, o Options) (Report, error) {
	o.Batch = cmp.Or(o.Batch, 500)
	o.MaxRejected = cmp.Or(o.MaxRejected, 10_000)
	if o.Batch < 1 || o.Batch > 1000 {
		return Report{}, fmt.Errorf("importer: Options.Batch is %d, it must be from 1 to 1000", o.Batch)
	}
	if o.DryRun {
		p = p.Rehearsal()
	}
	r := newRun(p, o)
	started := p.Config().Now()
	err := r.all(ctx, src)
	if err == nil {
		if _, err = p.Run(ctx, affiliate.OpenBooksJob{}); err != nil {
			err = fmt.Errorf("importer: open books: %w", err)
		}
	}
	r.report.Took = p.Config().Now().Sub(started)
	if err == nil && !r.report.balanced() {
		err = ErrTotals
	}
	return r.report, err
}

// A run is one call of Run.
type run struct {
	Options
	p        *tributary.Program
	currency affiliate.Currency
	report   Report
	progress progress
	batch    batch
	seen     map[[16]byte]uint64           // the refs so far, each with a digest of its sale
	refused  map[[16]byte]affiliate.Amount // the commissions of sales that were rejected
}

func newRun(p *tributary.Program, o Options) *run {
	r := &run{
		Options: o, p: p, currency: p.Config().Currency,
		report: Report{
			Created: map[string]int{}, Existing: map[string]int{}, Changed: map[string]int{}, Rejected: map[string]int{},
			Source: Totals{}, Stored: Totals{}, Refused: Totals{},
		},
		seen: map[[16]byte]uint64{}, refused: map[[16]byte]affiliate.Amount{},
	}
	r.progress = progress{now: p.Config().Now, tell: o.Progress}
	r.progress.begin()
	return r
}

// all imports every row.
func (r *run) all(ctx context.Context, src Source) error {
	for row, err := range src.Rows(ctx) {
		bad, refused := errors.AsType[*affiliate.Error](err)
		if err != nil && !refused {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		kind := kindOf(row.Item)
		if row.Item != nil && (kind != r.batch.kind || r.batch.weight >= r.Batch) {
			if err := r.flush(ctx); err != nil {
				return err
			}
			r.batch.kind = kind
		}
		if err := r.take(row, bad); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.flush(ctx)
}

// take counts a row and puts it into the batch, unless it is refused already.
func (r *run) take(row Row, bad *affiliate.Error) error {
	r.progress.row(&row)
	short := shortOf(row.Ref)
	before, again := r.seen[short]
	contents := contentsOf(row.Item)
	other := false
	switch again = again && row.Ref != ""; {
	case again && before != contents:
		again, other = false, true // two commissions: both count, but only one can have the ref
		if bad == nil {
			bad = refusal.FieldRefAgain.Of("ref")
		}
	case !again && row.Ref != "":
		r.seen[short] = contents
	}
	if row.money.unread || row.Item == nil {
		r.report.Unread++
	}
	taken := pending{Row: row, again: again, other: other, says: figuresOf(row.Item), currency: cmp.Or(currencyOf(row.Item), r.currency)}
	if !again {
		if err := r.report.Source.add(taken.currency, taken.says); err != nil {
			return r.atRow(&row, err)
		}
	}
	if bad == nil && taken.currency != r.currency {
		bad = refusal.RefuseOtherCurrency.Err()
	}
	if bad == nil {
		bad = row.money.in(taken.currency)
	}
	if payout, ok := row.Item.(Payout); ok && payout.Gathered && bad == nil {
		without, err := r.without(payout, &taken)
		if err != nil {
			return r.atRow(&row, err)
		}
		if len(without.Sales) == 0 {
			return nil
		}
		taken.Item = without
	}
	taken.why = bad
	r.batch.add(taken)
	return nil
}

// contentsOf returns a digest of a sale, to tell it from another one with the
// same ref; 0 for other items.
func contentsOf(item Item) uint64 {
	sale, ok := item.(Sale)
	if !ok {
		return 0
	}
	raw, _ := json.Marshal(sale) // texts, amounts and times always have JSON
	sum := sha256.Sum256(raw)
	return binary.BigEndian.Uint64(sum[:])
}

// without returns a gathered payout without the commissions that were rejected.
func (r *run) without(payout Payout, taken *pending) (Payout, error) {
	refs := payout.Sales
	payout.Sales = nil
	for _, ref := range refs {
		commission, rejected := r.refused[shortOf(ref)]
		if !rejected {
			payout.Sales = append(payout.Sales, ref)
			continue
		}
		less := imported.Figures{Payouts: commission}
		var err error
		if payout.Amount, err = payout.Amount.Sub(commission); err != nil {
			return payout, err
		}
		if taken.says, err = plus(taken.says, less, affiliate.Amount.Sub); err != nil {
			return payout, err
		}
		if !taken.again {
			if err := r.report.Refused.add(taken.currency, less); err != nil {
				return payout, err
			}
		}
	}
	return payout, nil
}

// reject counts a row that is left out.
func (r *run) reject(row *pending, why *affiliate.Error) error {
	r.report.Rejected[kindOf(row.Item)]++
	r.progress.rejected++
	why = row.inColumns(why)
	r.list(&r.report.Rejects, Reject{File: row.File, Line: row.Line, Ref: row.Ref, Field: why.Field, Err: why})
	if sale, ok := row.Item.(Sale); ok && !row.other {
		r.refused[shortOf(row.Ref)] = sale.CommissionEarned
	}
	if row.again {
		return nil
	}
	return r.report.Refused.add(row.currency, row.says)
}

// inColumns returns an error with the column of the file in place of its field.
func (row *Row) inColumns(err *affiliate.Error) *affiliate.Error {
	if row.columns == nil || err.Field == "" {
		return err
	}
	column := row.columns(err.Field)
	if column == err.Field {
		return err
	}
	in := *err
	in.Field, in.Message = column, strings.Replace(err.Message, err.Field, column, 1)
	return &in
}

// list keeps a reject while there is room.
func (r *run) list(to *[]Reject, reject Reject) {
	if len(*to) < r.MaxRejected {
		*to = append(*to, reject)
	}
}

// atRow adds to an error the row at which it occurred.
func (r *run) atRow(row *Row, err error) error {
	return fmt.Errorf("importer: %s:%d: %w", row.File, row.Line, err)
}
