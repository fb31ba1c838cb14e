package payfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// State is the state of a payment at a provider.
type State string

// The states.
const (
	Paid     State = "paid"
	Failed   State = "failed"
	Returned State = "returned" // the money came back, also after it was paid
	Waiting  State = "waiting"  // neither paid nor failed yet
	Unknown  State = "unknown"  // a word that no provider is known to use; never a guess
)

// words are the providers' words for the states, in lower case.
var words = map[string]State{
	"success": Paid, "completed": Paid, "paid": Paid, "funds sent": Paid, "failed": Failed,
	"denied": Failed, "blocked": Failed, "cancelled": Failed, "canceled": Failed,
	"returned": Returned, "reversed": Returned, "refunded": Returned, "funds refunded": Returned,
	"funds_refunded": Returned, "bounced": Returned, "bounced back": Returned,
	"bounced_back": Returned, "": Waiting, "pending": Waiting, "processing": Waiting,
	"unclaimed": Waiting, "onhold": Waiting,
}

// A Result is the result of one payment.
type Result struct {
	PayoutID   uuid.UUID
	State      State
	Said       string // the provider's word for the state
	Reason     string // why it failed or came back, as the provider says; may be empty
	ProviderID string // the provider's id of the transaction; may be empty
}

// columns are the names of the columns that are read: for each column, the first name
// that the file has. Letter case does not count.
var columns = [...][]string{
	reference:  {"Customer ID", "Unique ID", "paymentReference", "Payment Reference", "Reference"},
	status:     {"Status", "Transaction Status", "result"},
	reason:     {"Reason", "Failure reason", "Error message"},
	providerID: {"Transaction ID", "ID"},
	amount:     {"Amount", "Gross", "Target amount (after fees)", "Target amount"},
}

const (
	reference = iota
	status
	reason
	providerID
	amount
)

// A Report holds the results in a provider's report.
type Report struct {
	Results []Result
	Foreign []int // the lines of payments that are none of ours
}

// ReadResults reads a provider's report, or a filled-in file of [Generic]: a CSV
// file with a header, whose cells are separated by commas, semicolons or tabs, in
// UTF-8 or, with a byte order mark, UTF-16. It finds the columns by their names, and
// the payments by their [Ref] among those of of, in any letter case and also when a
// bank has cut it to 8 characters or more. It returns one Result for each payment in
// the file, in the order of the file. A result that is blank is one that the
// provider has not decided. Empty lines are skipped. So are payments with another
// reference or none, because a provider's history has other payments too: Foreign
// says where they are.
//
// A payment that was tried again at the provider has one line for each try in its
// history. If one line is paid, the payment is paid; else if one is waiting, it is
// waiting; else it came back or failed. The result has the texts of the first line with
// that state.
//
// Errors, without any result; they name the line, or both:
//   - those of r and of of;
//   - the header has no reference, no status, or a column twice;
//   - a line is malformed, or has more cells than the header;
//   - a reference fits two payments;
//   - a payment was paid twice: two paid lines have different ids of the provider;
//   - the lines of a payment contradict each other: paid and came back, unknown and something
//     else, or different amounts.
func ReadResults(r io.Reader, of iter.Seq2[Transfer, error]) (Report, error) {
	known, err := refsOf(of)
	if err != nil {
		return Report{}, err
	}
	in, at, err := open(r)
	if err != nil {
		return Report{}, err
	}
	rep := resultReading{known: known, tries: map[uuid.UUID]*paymentLines{}}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return rep.report(), nil
		}
		if err != nil {
			return Report{}, fmt.Errorf("payfile: %w", err)
		}
		line, _ := in.FieldPos(0)
		cells, err := at.cells(row)
		if err == nil {
			err = rep.add(line, cells)
		}
		if err != nil {
			return Report{}, fmt.Errorf("payfile: line %d: %w", line, err)
		}
	}
}

// places are the columns of a file, -1 for one that it does not have.
type places struct {
	at    [len(columns)]int
	width int // cells of the header
}

// trim takes blanks and invisible characters off both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

// find reads a header.
func find(header []string) (p places, err error) {
	p.width = len(header)
	for column, names := range columns {
		p.at[column] = -1
		for _, name := range names {
			is := func(cell string) bool { return strings.EqualFold(trim(cell), name) }
			at := slices.IndexFunc(header, is)
			if at < 0 {
				continue
			}
			if slices.ContainsFunc(header[at+1:], is) {
				return p, fmt.Errorf("payfile: line 1 has the column %s twice", name)
			}
			p.at[column] = at
			break
		}
	}
	for _, column := range []int{reference, status} {
		if p.at[column] < 0 {
			return p, fmt.Errorf("payfile: line 1 is no header: it has none of the columns %s",
				strings.Join(columns[column], ", "))
		}
	}
	return p, nil
}

// cells returns the values of the columns in a row. A row that is longer than the header
// has an unquoted separator in some cell, so no cell of it can be trusted.
func (p *places) cells(row []string) (cells [len(columns)]string, err error) {
	for i := p.width; i < len(row); i++ {
		if strings.TrimSpace(row[i]) != "" {
			return cells, errors.New("there are more cells than in the header: put those with a separator in quotes")
		}
	}
	for column, i := range p.at {
		if i >= 0 && i < len(row) {
			cells[column] = trim(unguarded(trim(row[i])))
		}
	}
	return cells, nil
}

// A resultReading is the progress of ReadResults.
type resultReading struct {
	known   refs
	foreign []int
	order   []uuid.UUID // of the payments, as the file has them
	tries   map[uuid.UUID]*paymentLines
}

// paymentLines are the lines of one payment: the first of each state, and the first that has
// an amount.
type paymentLines struct {
	first  map[State]paymentLine
	amount paymentLine
}

type paymentLine struct {
	Result
	line   int
	amount string // without its sign
}

// add takes a row.
func (r *resultReading) add(line int, cells [len(columns)]string) error {
	if cells == ([len(columns)]string{}) {
		return nil
	}
	id, found, err := r.known.find(cells[reference])
	switch {
	case err != nil:
		return err
	case !found:
		r.foreign = append(r.foreign, line)
		return nil
	}
	row := paymentLine{Result{id, Unknown, cells[status], cells[reason], cells[providerID]}, line,
		strings.TrimLeft(cells[amount], "+-−")}
	if state, known := words[strings.ToLower(cells[status])]; known {
		row.State = state
	}
	of := r.tries[id]
	if of == nil {
		of = &paymentLines{first: map[State]paymentLine{}}
		r.tries[id], r.order = of, append(r.order, id)
	}
	if err := of.add(row); err != nil {
		return fmt.Errorf("the payment %s %w", cells[reference], err)
	}
	return nil
}

// add takes one more line of a payment, unless it contradicts one before.
func (of *paymentLines) add(row paymentLine) error {
	switch {
	case row.amount == "":
	case of.amount.amount == "":
		of.amount = row
	case of.amount.amount != row.amount:
		return fmt.Errorf("has the amount %q here and %q in line %d", row.amount, of.amount.amount, of.amount.line)
	}
	for _, state := range ranks {
		before, there := of.first[state]
		switch {
		case !there:
		case state == Paid && row.State == Paid && before.ProviderID != row.ProviderID:
			return fmt.Errorf("is paid here as %q and in line %d as %q: it was paid twice",
				row.ProviderID, before.line, before.ProviderID)
		case contradict(state, row.State):
			return fmt.Errorf("is %s here and %s in line %d", row.State, state, before.line)
		}
	}
	if _, there := of.first[row.State]; !there {
		of.first[row.State] = row
	}
	return nil
}

// contradict reports whether lines with these two states leave the result of a payment
// open: the money that came back may be the payment that was made, or another try.
func contradict(a, b State) bool {
	return a != b && (a == Unknown || b == Unknown || a == Paid && b == Returned || a == Returned && b == Paid)
}

// ranks lists the states; the first one that a payment has decides.
var ranks = [...]State{Paid, Waiting, Returned, Failed, Unknown}

// report returns what the lines say together.
func (r *resultReading) report() Report {
	report := Report{Foreign: r.foreign}
	for _, id := range r.order {
		for _, state := range ranks {
			if row, there := r.tries[id].first[state]; there {
				report.Results = append(report.Results, row.Result)
				break
			}
		}
	}
	return report
}

// A Payer changes payouts, as *tributary.Program does.
type Payer interface {
	Payout(ctx context.Context, id uuid.UUID) (affiliate.Payout, error)
	SetPayoutStatus(ctx context.Context, id uuid.UUID, status affiliate.PayoutStatus) (affiliate.Payout, error)
	FailPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error)
	ReturnPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error)
}

// ApplyResult says what [Apply] did.
type ApplyResult struct {
	Paid, Failed int // payouts that became so now
	Returned     int // the same: payouts that were PAID, and whose money came back
	Unchanged    int // that were so before
	Waiting      int // the provider has not decided
	Unknown      []Result
	Conflicts    []Conflict
}

// A Conflict is a result that contradicts the final status of a payout. The payout
// stays as it is, and somebody has to look at it.
type Conflict struct {
	Result Result
	Status affiliate.PayoutStatus // of the payout
}

// Apply sets the payouts of results to PAID, FAILED and RETURNED, the last two with
// the provider's reason, or its word when it gives none. What came back is RETURNED
// when the payout was PAID, and FAILED when it was not. A payout that is PAID and
// failed at the provider, or is CANCELED or RETURNED and paid there, is a [Conflict].
// A payout that was FAILED and is paid now becomes PROCESSING and then PAID. Applying
// the same results again changes nothing.
//
// Errors: those of to. What was applied before an error stays applied, and is in
// applied; so apply all results again.
func Apply(ctx context.Context, to Payer, results []Result) (applied ApplyResult, err error) {
	for _, r := range results {
		switch r.State {
		case Paid, Failed, Returned:
			if err := applied.settle(ctx, to, r); err != nil {
				return applied, fmt.Errorf("payfile: payout %s: %w", r.PayoutID, err)
			}
		case Waiting:
			applied.Waiting++
		default:
			applied.Unknown = append(applied.Unknown, r)
		}
	}
	return applied, nil
}

// settle applies a result that is final.
func (a *ApplyResult) settle(ctx context.Context, to Payer, r Result) error {
	payout, err := to.Payout(ctx, r.PayoutID)
	switch {
	case err != nil:
		return err
	case r.State == Paid:
		return a.pay(ctx, to, payout, r)
	}
	return a.fail(ctx, to, payout, r)
}

func (a *ApplyResult) pay(ctx context.Context, to Payer, payout affiliate.Payout, r Result) error {
	switch payout.Status {
	case affiliate.PayoutPaid:
		a.Unchanged++
		return nil
	case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		a.Conflicts = append(a.Conflicts, Conflict{r, payout.Status})
		return nil
	case affiliate.PayoutFailed:
		if _, err := to.SetPayoutStatus(ctx, r.PayoutID, affiliate.PayoutProcessing); err != nil {
			return err
		}
	}
	if _, err := to.SetPayoutStatus(ctx, r.PayoutID, affiliate.PayoutPaid); err != nil {
		return err
	}
	a.Paid++
	return nil
}

func (a *ApplyResult) fail(ctx context.Context, to Payer, payout affiliate.Payout, r Result) error {
	why := reasonOf(r)
	switch payout.Status {
	case affiliate.PayoutPaid:
		if r.State != Returned {
			a.Conflicts = append(a.Conflicts, Conflict{r, payout.Status})
			return nil
		}
		if _, err := to.ReturnPayout(ctx, r.PayoutID, why); err != nil {
			return err
		}
		a.Returned++
		return nil
	case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		a.Unchanged++
		return nil
	case affiliate.PayoutFailed:
		if before, _ := payout.FailedReason.Get(); before == why {
			a.Unchanged++
			return nil
		}
	}
	if _, err := to.FailPayout(ctx, r.PayoutID, why); err != nil {
		return err
	}
	a.Failed++
	return nil
}

const maxReason = 10_000 // characters of the reason of a payout that failed or came back

// reasonOf returns why a payment failed, as a text that the engine takes.
func reasonOf(r Result) string {
	for _, why := range []string{r.Reason, r.Said} {
		if why = strings.TrimSpace(plain(why)); why != "" {
			return cut(why, maxReason)
		}
	}
	return string(r.State)
}

// plain replaces the characters that the engine does not accept in a text.
func plain(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// refs finds payouts by what a provider says is their reference.
type refs []refOf // in the order of the references

type refOf struct {
	ref string
	id  uuid.UUID
}

// shortest is the smallest number of characters of a reference that was cut, so that it
// is not taken for another one.
const shortest = 8

// refsOf returns the references of payments.
func refsOf(of iter.Seq2[Transfer, error]) (known refs, err error) {
	for p, err := range of {
		if err != nil {
			return nil, err
		}
		known = append(known, refOf{Ref(p.PayoutID), p.PayoutID}, refOf{longRef(p.PayoutID), p.PayoutID})
	}
	slices.SortFunc(known, func(a, b refOf) int { return cmp.Compare(a.ref, b.ref) })
	return known, nil
}

// find returns the payout with a reference. The text may be in any letter case, contain
// blanks, or lack its end; found is false when no payout fits. It is an error when two
// payouts may fit.
func (known refs) find(text string) (id uuid.UUID, found bool, err error) {
	text = strings.ToUpper(strings.Join(strings.Fields(text), "")) // statements write long words in groups
	if len(text) < shortest {
		return id, false, nil
	}
	at, _ := slices.BinarySearchFunc(known, text, func(r refOf, text string) int { return cmp.Compare(r.ref, text) })
	for ; at < len(known) && strings.HasPrefix(known[at].ref, text); at++ {
		if found && known[at].id != id {
			return id, false, fmt.Errorf("the reference %q may be that of the payout %s or of %s: set these two by hand, and leave the line out", text, id, known[at].id)
		}
		id, found = known[at].id, true
	}
	return id, found, nil
}
