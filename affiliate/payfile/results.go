package payfile

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"
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
	"success": Paid, "completed": Paid, "paid": Paid, "funds sent": Paid,
	"failed": Failed, "denied": Failed, "blocked": Failed, "cancelled": Failed, "canceled": Failed,
	"returned": Returned, "reversed": Returned, "refunded": Returned, "funds refunded": Returned, "funds_refunded": Returned,
	"bounced": Returned, "bounced back": Returned, "bounced_back": Returned,
	"": Waiting, "pending": Waiting, "processing": Waiting, "unclaimed": Waiting, "onhold": Waiting,
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
// Errors: those of r and of of; no header with a reference and a status, or one of the
// columns twice; a
// malformed line, or one with more cells than the header; a reference that may be
// that of two payments; a payment with two lines that are paid and have different ids of
// the provider, because it was paid twice, or with lines that are paid and came back, that
// are unknown and something else, or that have different amounts. Such an error names the
// line, or both, and no result is returned.
func ReadResults(r io.Reader, of iter.Seq2[Transfer, error]) (Report, error) {
	known, err := refsOf(of)
	if err != nil {
		return Report{}, err
	}
	in, at, err := open(r)
	if err != nil {
		return Report{}, err
	}
	rep := reading{known: known, tries: map[uuid.UUID]*tries{}}
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
			return p, fmt.Errorf("payfile: line 1 is no header: it has none of the columns %s", strings.Join(columns[column], ", "))
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

// A reading is the progress of ReadResults.
type reading struct {
	known   refs
	foreign []int
	order   []uuid.UUID // of the payments, as the file has them
	tries   map[uuid.UUID]*tries
}

// tries are the lines of one payment: the first of each state, and the first that has
// an amount.
type tries struct {
	first  map[State]try
	amount try
}

type try struct {
	Result
	line   int
	amount string // without its sign
}

// add takes a row.
func (r *reading) add(line int, cells [len(columns)]string) error {
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
	row := try{Result{id, Unknown, cells[status], cells[reason], cells[providerID]}, line, strings.TrimLeft(cells[amount], "+-−")}
	if state, known := words[strings.ToLower(cells[status])]; known {
		row.State = state
	}
	of := r.tries[id]
	if of == nil {
		of = &tries{first: map[State]try{}}
		r.tries[id], r.order = of, append(r.order, id)
	}
	if err := of.add(row); err != nil {
		return fmt.Errorf("the payment %s %w", cells[reference], err)
	}
	return nil
}

// add takes one more line of a payment, unless it contradicts one before.
func (of *tries) add(row try) error {
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
			return fmt.Errorf("is paid here as %q and in line %d as %q: it was paid twice", row.ProviderID, before.line, before.ProviderID)
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
func (r *reading) report() Report {
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
