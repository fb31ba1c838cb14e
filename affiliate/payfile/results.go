package payfile

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// State is what a provider says of a payment.
type State string

// The states.
const (
	Paid    State = "paid"
	Failed  State = "failed"
	Waiting State = "waiting" // neither paid nor failed yet
	Unknown State = "unknown" // a word that no provider is known to use; never a guess
)

// words are the providers' words for the states, in lower case.
var words = map[string]State{
	"success": Paid, "completed": Paid, "paid": Paid, "funds sent": Paid,
	"failed": Failed, "denied": Failed, "returned": Failed, "reversed": Failed, "refunded": Failed,
	"blocked": Failed, "cancelled": Failed, "canceled": Failed, "bounced": Failed,
	"pending": Waiting, "processing": Waiting, "unclaimed": Waiting, "onhold": Waiting,
}

// A Result is what became of one payment.
type Result struct {
	PayoutID   uuid.UUID
	State      State
	Said       string // the provider's word for the state
	Reason     string // why it failed, as the provider says; may be empty
	ProviderID string // the provider's id of the transaction; may be empty
}

// columns are the names of the columns that are read, each the first of its
// list that the file has. Letter case does not count.
var columns = [...][]string{
	reference:  {"Customer ID", "Unique ID", "paymentReference", "Reference"},
	status:     {"Status", "Transaction Status", "result"},
	reason:     {"Reason", "Failure reason", "Error message"},
	providerID: {"Transaction ID", "ID"},
}

const (
	reference = iota
	status
	reason
	providerID
)

// ReadResults reads a provider's report, or a filled-in file of [Generic]: a CSV
// file with a header. It finds the columns by their names, the payments by their
// [Ref] among those of of, and returns one Result for each payment in the file,
// in the order of the file. Empty lines are skipped.
//
// Errors: those of r and of of; no header with a reference and a status; a
// malformed line; a reference that is not among of, or that has two different
// states. Such an error names the line, and no result is returned.
func ReadResults(r io.Reader, of iter.Seq2[Payment, error]) ([]Result, error) {
	known := refs{}
	for p, err := range of {
		if err == nil {
			err = known.add(p)
		}
		if err != nil {
			return nil, err
		}
	}
	in := csv.NewReader(withoutMark(r))
	in.FieldsPerRecord = -1
	header, err := in.Read()
	if err == io.EOF {
		return nil, errors.New("payfile: the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("payfile: %w", err)
	}
	at, err := find(header)
	if err != nil {
		return nil, err
	}
	rep := report{known: known, line: map[uuid.UUID]int{}}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return rep.results, nil
		}
		if err != nil {
			return nil, fmt.Errorf("payfile: %w", err)
		}
		line, _ := in.FieldPos(0)
		if err := rep.add(line, at.cells(row)); err != nil {
			return nil, err
		}
	}
}

// withoutMark skips the byte order mark that spreadsheets put before a file.
func withoutMark(r io.Reader) io.Reader {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	return in
}

// places are the columns of a file, -1 for one that it does not have.
type places [len(columns)]int

// find reads a header.
func find(header []string) (at places, err error) {
	for column, names := range columns {
		at[column] = -1
		for _, name := range names {
			is := func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) }
			if at[column] = slices.IndexFunc(header, is); at[column] >= 0 {
				break
			}
		}
	}
	switch {
	case at[reference] < 0:
		return at, fmt.Errorf("payfile: line 1 is no header: it has none of the columns %s", strings.Join(columns[reference], ", "))
	case at[status] < 0:
		return at, fmt.Errorf("payfile: line 1 is no header: it has none of the columns %s", strings.Join(columns[status], ", "))
	}
	return at, nil
}

// cells are the values of the columns in a row.
func (at places) cells(row []string) (cells [len(columns)]string) {
	for column, i := range at {
		if i >= 0 && i < len(row) {
			cells[column] = strings.TrimSpace(unguarded(strings.TrimSpace(row[i])))
		}
	}
	return cells
}

// A report is the results that were read so far.
type report struct {
	known   refs
	results []Result
	line    map[uuid.UUID]int // where a payment stands, as the place in results plus one
}

// add takes a row.
func (r *report) add(line int, cells [len(columns)]string) error {
	if cells == ([len(columns)]string{}) {
		return nil
	}
	payment, found := r.known[cells[reference]]
	if !found {
		return fmt.Errorf("payfile: line %d: no payment has the reference %q", line, cut(cells[reference], 40))
	}
	result := Result{payment.PayoutID, Unknown, cells[status], cells[reason], cells[providerID]}
	if state, known := words[strings.ToLower(cells[status])]; known {
		result.State = state
	}
	if at := r.line[payment.PayoutID]; at > 0 {
		if before := r.results[at-1].State; before != result.State {
			return fmt.Errorf("payfile: line %d: the payment %s is %s here and %s in an earlier line", line, cells[reference], result.State, before)
		}
		return nil
	}
	r.results = append(r.results, result)
	r.line[payment.PayoutID] = len(r.results)
	return nil
}
