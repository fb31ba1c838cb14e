package affiliate

import (
	"io"
	"iter"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/sheet"
)

// A Statement lists what changed in a period of what an affiliate is owed. It is made
// of movements and ids only. So the statement of a closed period never changes, not
// even after refunds, changed names and erasures.
//
// Source: docs/money.md 9.
type Statement struct {
	AffiliateID uuid.UUID `json:"affiliateId"` // Whose it is.
	Currency    Currency  `json:"currency"`    // The currency of the program.
	From        Time      `json:"from"`        // The beginning, inclusive.
	To          Time      `json:"to"`          // The end, exclusive.
	Opening     Figures   `json:"opening"`     // The accounts at the beginning.
	// The accounts at the end: what was owed at the beginning, and the sum of the lines.
	Closing Figures `json:"closing"`
	Closed  bool    `json:"closed"` // True when nothing can be added to the period.

	page func(Page) (List[StatementLine], error)
}

// Figures are the accounts of an affiliate at one moment.
type Figures struct {
	Held     Amount `json:"held"`     // Commissions that are ON_HOLD.
	Payable  Amount `json:"payable"`  // What is payable, or will be after its holding period.
	InPayout Amount `json:"inPayout"` // In payouts that are neither PAID nor CANCELED.
	Owed     Amount `json:"owed"`     // The sum of the three.
	Paid     Amount `json:"paid"`     // In payouts that are PAID.
}

// A StatementLine is a movement that changed what is owed.
type StatementLine struct {
	Number       int64             `json:"number"`       // The number of the movement.
	At           Time              `json:"at"`           // When it was booked.
	Cause        Cause             `json:"cause"`        // What was done.
	SaleID       Opt[SaleID]       `json:"saleId"`       // The sale; it may be gone.
	CommissionID Opt[CommissionID] `json:"commissionId"` // The commission; null: none, or several.
	PayoutID     Opt[uuid.UUID]    `json:"payoutId"`     // The payout.
	AdjustmentID Opt[uuid.UUID]    `json:"adjustmentId"` // The adjustment.
	Amount       Amount            `json:"amount"`       // Below 0 when less is owed.
	Owed         Amount            `json:"owed"`         // What is owed after it.
}

// Page returns a page of the lines, oldest first, as of when the statement was made, so
// that they add up to Closing. With a cursor it shows the ledger as of the first page.
// The zero page is all lines.
//
// Errors: [BooksNotOpen]; [InvalidQuery] for a bad page.
func (s Statement) Page(pg Page) (List[StatementLine], error) {
	if s.page == nil {
		return List[StatementLine]{Items: []StatementLine{}}, nil
	}
	return s.page(pg)
}

// Lines yields the lines of all pages. It reads a hundred at a time, on demand; an error
// ends the walk.
func (s Statement) Lines() iter.Seq2[StatementLine, error] { return Each(PageSize, s.Page) }

// WithPages returns the statement with these pages of lines, for adapters that read
// them from elsewhere.
func (s Statement) WithPages(page func(Page) (List[StatementLine], error)) Statement {
	s.page = page
	return s
}

// statementHead is the header of a statement as CSV.
var statementHead = []string{"number", "at", "cause", "sale", "commission", "adjustment", "payout", "amount", "owed"}

// WriteCSV writes the statement: a header, a row with what was owed at the beginning,
// one row for each line, and a row for the end. Times and amounts are as in JSON,
// every cell is in quotation marks, rows end in CRLF.
//
// Errors: those of reading the lines, and of w.
//
// Source: docs/money.md 9.
func (s Statement) WriteCSV(w io.Writer) error {
	out := sheet.NewWriter(w)
	if err := out.Write(statementHead); err != nil {
		return err
	}
	if err := out.Write([]string{"", s.From.String(), "OPENING_BALANCE", "", "", "", "", "", s.Opening.Owed.String()}); err != nil {
		return err
	}
	for line, err := range s.Lines() {
		if err != nil {
			return err
		}
		if err := out.Write(line.row()); err != nil {
			return err
		}
	}
	if err := out.Write([]string{"", s.To.String(), "CLOSING_BALANCE", "", "", "", "", "", s.Closing.Owed.String()}); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// row returns the line as a row of CSV.
func (l *StatementLine) row() []string {
	return []string{
		strconv.FormatInt(l.Number, 10), l.At.String(), string(l.Cause), numberOrNone(l.SaleID),
		numberOrNone(l.CommissionID),
		idOrNone(l.AdjustmentID), idOrNone(l.PayoutID), l.Amount.String(), l.Owed.String(),
	}
}

func numberOrNone[T ~int64](o Opt[T]) string {
	if n, ok := o.Get(); ok {
		return strconv.FormatInt(int64(n), 10)
	}
	return ""
}

func idOrNone(o Opt[uuid.UUID]) string {
	if id, ok := o.Get(); ok {
		return id.String()
	}
	return ""
}
