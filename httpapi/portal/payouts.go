package portal

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
)

// A payoutList is the page of the payouts.
type payoutList struct {
	Payouts []partner.Payout
	Due     *dueSheet  // on its first page
	Ask     []caseForm // to be paid, when something is due: one, or none
}

// payouts lists the payouts, below what is due.
func payouts(v *visit) (view, error) {
	list, err := v.partner().Payouts(v.Ctx(), v.Page50())
	if err != nil {
		return view{}, err
	}
	d := payoutList{Payouts: list.Items}
	if v.Cursor() == "" {
		d.Due, err = v.due()
		if err == nil && len(d.Due.Rows) > 0 && d.Due.Rows[0].Amount.Sign() > 0 { // the first is now
			d.Ask = v.askOf(affiliate.PayoutRequest, "")
		}
	}
	return view{title: v.T("Payouts"), template: "payouts", next: list.Next, Data: &d}, err
}

// A dueSheet shows the money that is owed and in no payout, by the day on which it is due: its rows
// add up to Owed.
type dueSheet struct {
	Rows    []dueRow
	Owed    affiliate.Amount
	NoBooks bool
	Asks    bool             // nobody has said yet how the affiliate is paid
	Least   affiliate.Amount // what payouts begin with; zero: anything
}

type dueRow struct {
	When   string
	Amount affiliate.Amount
}

// shownDue is the number of days on which something becomes due that are shown one by one;
// more are shown by month.
const shownDue = 14

// due returns what is due when.
func (v *visit) due() (*dueSheet, error) {
	d := dueSheet{Asks: !v.profile.DetailsComplete, Least: v.program.Config().PayoutMinimum}
	due, err := v.partner().Due(v.Ctx())
	if errors.Is(err, affiliate.BooksNotOpen) {
		d.NoBooks = true
		return &d, nil
	}
	if err != nil {
		return nil, err
	}
	d.Rows = append(d.Rows, dueRow{v.T("Now"), due.Balance.Payable})
	say := func(day affiliate.Time) string { return v.T("From %s", v.Day(day)) }
	if len(due.Days) > shownDue {
		say = func(day affiliate.Time) string { return v.T("In %s", v.Month(day)) }
	}
	for _, day := range due.Days {
		row := dueRow{say(day.Day), day.Amount}
		if last := &d.Rows[len(d.Rows)-1]; last.When == row.When {
			last.Amount, err = last.Amount.Add(day.Amount)
		} else {
			d.Rows = append(d.Rows, row)
		}
		if err != nil {
			return nil, err
		}
	}
	if !due.Balance.Held.IsZero() {
		d.Rows = append(d.Rows, dueRow{v.T("On hold, until the program accepts it"), due.Balance.Held})
	}
	for _, row := range d.Rows {
		if d.Owed, err = d.Owed.Add(row.Amount); err != nil {
			return nil, err
		}
	}
	return &d, nil
}

// A payoutSheet is the page of a payout.
type payoutSheet struct {
	Payout  partner.Payout
	Entries []affiliate.PayoutEntry
}

// payout shows a payout and its entries.
func payout(v *visit) (view, error) {
	id, err := uuid.Parse(v.Args[0])
	if err != nil || id.String() != v.Args[0] {
		return view{}, affiliate.ErrNotFound
	}
	p, err := v.partner().Payout(v.Ctx(), id)
	if err != nil {
		return view{}, err
	}
	entries, err := v.partner().PayoutEntries(v.Ctx(), id, v.Page50())
	return view{title: v.T("Payout"), template: "payout", next: entries.Next, Data: &payoutSheet{p, entries.Items}}, err
}

// State says where the money of a payout is.
func (v *view) State(p partner.Payout) string {
	switch p.Status {
	case affiliate.PayoutPending:
		if p.PayeeEmail.Or("") == "" && !v.profile.DetailsComplete {
			return v.T("It waits: say how you are paid.")
		}
		return v.T("It waits until the program sends it.")
	case affiliate.PayoutProcessing:
		return v.T("It is on its way to you.")
	case affiliate.PayoutPaid:
		return v.T("It was sent to you.")
	case affiliate.PayoutFailed:
		return v.T("It did not reach you. It stays yours, and the program pays it again.")
	case affiliate.PayoutReturned:
		return v.T("It came back. What was in it is owed to you as before.")
	case affiliate.PayoutCanceled:
		return v.T("It was called off. What was in it is owed to you as before.")
	}
	return ""
}

// WhyNot returns why the money of a payout did not arrive; empty: it did, or may.
func (v *view) WhyNot(p partner.Payout) string {
	return v.WhyNotPaid(p.Status, p.FailedReason, p.ReturnedReason)
}

// Held says why a commission is on hold, in words for its affiliate; empty: it is
// not on hold.
func (v *view) Held(reason affiliate.Opt[affiliate.HoldReason]) string {
	r, held := reason.Get()
	switch {
	case !held:
		return ""
	case r == affiliate.HoldProgramSettings:
		return v.T("the program looks at it first")
	case r == affiliate.HoldAffiliateDeactivated:
		return v.T("your account was deactivated")
	case r == affiliate.HoldAffiliateBanned:
		return v.T("your account was banned")
	case r == affiliate.HoldAffiliateNotApproved:
		return v.T("your account waits for approval")
	}
	return v.T(v.Hold(reason))
}
