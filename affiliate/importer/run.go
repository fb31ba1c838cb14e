package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

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
			Created: map[string]int{}, Existing: map[string]int{}, Changed: map[string]int{},
			Rejected: map[string]int{}, Source: Totals{}, Stored: Totals{}, Refused: Totals{},
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
	taken := pendingRow{Row: row, again: again, other: other, says: figuresOf(row.Item),
		currency: cmp.Or(currencyOf(row.Item), r.currency)}
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
func (r *run) without(payout Payout, taken *pendingRow) (Payout, error) {
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
func (r *run) reject(row *pendingRow, why *affiliate.Error) error {
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

// A Progress says how far an import has come.
type Progress struct {
	Kind      string  // of the rows that were stored last
	Done      int64   // rows of this kind so far
	About     int64   // how many there will be, by the size of the file; 0: not known
	Rejected  int64   // rows, links and codes so far, of every kind
	PerSecond float64 // rows of every kind so far
}

// progress counts rows.
type progress struct {
	now      func() time.Time
	tell     func(Progress)
	started  time.Time
	kinds    map[string]int64
	all      int64
	rejected int64
	last     Row
}

func (p *progress) begin() {
	p.kinds = map[string]int64{}
	if p.tell != nil {
		p.started = p.now()
	}
}

func (p *progress) row(row *Row) {
	p.kinds[kindOf(row.Item)]++
	p.all++
	p.last = Row{read: row.read, size: row.size}
}

// batch reports that a batch was stored.
func (p *progress) batch(kind string) {
	if p.tell == nil {
		return
	}
	done := Progress{Kind: kind, Done: p.kinds[kind], Rejected: p.rejected}
	if p.last.read > 0 && p.last.size > 0 {
		done.About = int64(float64(done.Done) * float64(p.last.size) / float64(p.last.read))
	}
	if took := p.now().Sub(p.started).Seconds(); took > 0 {
		done.PerSecond = float64(p.all) / took
	}
	p.tell(done)
}

// Terminal draws progress as one line that changes:
//
//	sales 12,400 of ~31,000 · 3 rejected · 1,900/s
//
// If w is not a terminal, each progress is a line of its own. Call the function
// with the zero Progress at the end, which ends the line.
func Terminal(w io.Writer) func(Progress) {
	live := false
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		live = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return drawn(w, live)
}

func drawn(w io.Writer, live bool) func(Progress) {
	return func(p Progress) {
		if p.Kind == "" {
			if live {
				fmt.Fprintln(w)
			}
			return
		}
		line := p.Kind + " " + grouped(p.Done)
		if p.About > p.Done {
			line += " of ~" + grouped(p.About)
		}
		line += " · " + grouped(p.Rejected) + " rejected · " + grouped(int64(p.PerSecond)) + "/s"
		if live {
			fmt.Fprint(w, "\r\x1b[K"+line)
			return
		}
		fmt.Fprintln(w, line)
	}
}

// grouped returns a number with commas between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// String returns the report as text, one fact a line, for a terminal or a ticket:
//
//	created: affiliates 2 referrals 1 sales 4
//	stored USD: sales 188.20, refunds 0.00, commission 33.64, payouts 20.00
//	reject sales.csv:6 csv:sales:o5: invalid_field paid: paid must be a number
//
// It has a line for each currency with the amounts of the rows, of the records
// and of what was refused. It does not say how long the import took, so a dry run
// has the same report as the real one.
func (r Report) String() string {
	var b strings.Builder
	for _, part := range []struct {
		name   string
		counts map[string]int
	}{{"created", r.Created}, {"existing", r.Existing}, {"changed", r.Changed}, {"rejected", r.Rejected}} {
		fmt.Fprintf(&b, "%s:", part.name)
		for _, kind := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(&b, " %s %d", kind, part.counts[kind])
		}
		fmt.Fprintln(&b)
	}
	r.Source.print(&b, "source")
	r.Stored.print(&b, "stored")
	r.Refused.print(&b, "rejected")
	if r.Unread > 0 {
		fmt.Fprintf(&b, "rows with what could not be read, and is not in these sums: %d\n", r.Unread)
	}
	for _, reject := range r.Rejects {
		fmt.Fprintln(&b, "reject", reject)
	}
	for _, conflict := range r.Conflicts {
		fmt.Fprintln(&b, "conflict", conflict)
	}
	return b.String()
}

func (t Totals) print(b *strings.Builder, name string) {
	for _, c := range slices.Sorted(maps.Keys(t)) {
		f := t[c]
		fmt.Fprintf(b, "%s %s: sales %s, refunds %s, commission %s, payouts %s\n", name, c,
			f.Sales.Format(c), f.Refunds.Format(c), f.Commission.Format(c), f.Payouts.Format(c))
	}
}

// String returns the reject on one line: file and line, ref, reason, field, text.
// Control characters of the file, and those that are invisible or change the
// direction of writing, appear as their numbers, such as \u202e.
func (x Reject) String() string {
	text := fmt.Sprintf("%s:%d %s: %s %s: %s", x.File, x.Line, x.Ref, x.Err.Reason, x.Field, x.Err.Message)
	if x.Kept != "" {
		text += " (kept: " + x.Kept + ")"
	}
	return shown(text)
}

// shown returns a text whose every character can be seen.
func shown(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
