package console

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

var payoutStatuses = []affiliate.PayoutStatus{
	affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled, affiliate.PayoutReturned,
}

type payoutList struct {
	Items    []affiliate.Payout
	Of       string // the affiliate whose they are; empty: everybody's
	Statuses []option
	Methods  []option
	Runs     []affiliate.PayoutRunResult
	Files    listing
}

// WhyNot returns why the money of a payout did not arrive; empty: it did, or may.
func (v *view) WhyNot(p affiliate.Payout) string {
	return v.WhyNotPaid(p.Status, p.FailedReason, p.ReturnedReason)
}

// payouts lists payouts, and on its first page the newest runs.
func payouts(v *visit) (view, error) {
	f, err := v.payoutsAsked()
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Payouts(v.ctx(), f, v.page50())
	if err != nil {
		return view{}, err
	}
	d := payoutList{Items: list.Items, Statuses: options(payoutStatuses...), Methods: options(paymentMethods...), Files: filesOf("")}
	if id, ok := f.AffiliateID.Get(); ok {
		if d.Of, err = v.payee(id); err != nil {
			return view{}, err
		}
	}
	if v.query.Get(paramCursor) == "" && f == (affiliate.PayoutFilter{}) {
		runs, err := v.program.PayoutRuns(v.ctx(), affiliate.Page{Limit: 12})
		if err != nil {
			return view{}, err
		}
		d.Runs = runs.Items
	}
	return view{title: "Payouts", template: "payouts", next: list.Next, Data: &d}, nil
}

// payoutsAsked is what the list of payouts is asked.
func (v *visit) payoutsAsked() (affiliate.PayoutFilter, error) {
	of, err := v.queryID(paramAffiliate)
	return affiliate.PayoutFilter{AffiliateID: of, Status: affiliate.PayoutStatus(v.query.Get("status")), Method: affiliate.PaymentMethod(v.query.Get(paramMethod))}, err
}

// payoutPage shows a payout.
func payoutPage(v *visit) (view, error) {
	p, err := v.payout()
	if err != nil {
		return view{}, err
	}
	entries, err := v.program.PayoutEntries(v.ctx(), p.ID, v.page50())
	if err != nil {
		return view{}, err
	}
	name, err1 := v.payee(p.AffiliateID)
	moves, err2 := v.movesOf(p)
	return view{title: "Payout to " + page.Named(name), template: "payout", next: entries.Next, Data: &payoutSheet{p, name, stepsFrom(p.Status), entries.Items, moves}}, errors.Join(err1, err2)
}

// movesOf returns what a payout has moved, oldest first: it looks where the payout says that
// something happened, and reads no other movements of the affiliate.
func (v *visit) movesOf(p affiliate.Payout) (all []affiliate.Movement, err error) {
	for _, at := range []affiliate.Opt[affiliate.Time]{affiliate.Set(p.CreatedAt), p.PaidAt, p.CanceledAt, p.ReturnedAt} {
		then, set := at.Get()
		if !set || len(all) > 0 && !then.Time().After(all[len(all)-1].At.Time()) {
			continue // it was made and paid at once, and both are there
		}
		moved, err := v.program.Movements(v.ctx(), affiliate.MovementFilter{PayoutID: affiliate.Set(p.ID), From: then.Time(), To: then.Time().Add(time.Second)}, affiliate.Page{Limit: 10})
		if err != nil {
			return nil, err
		}
		slices.Reverse(moved.Items)
		all = append(all, moved.Items...)
	}
	return all, nil
}

// Known reports whether it is known of any movement who caused it.
func (v *view) Known(all []affiliate.Movement) bool {
	return slices.ContainsFunc(all, func(m affiliate.Movement) bool { return m.Actor != "" })
}

// A payoutSheet is the page of a payout.
type payoutSheet struct {
	affiliate.Payout
	Name    string
	To      []option
	Entries []affiliate.PayoutEntry
	Moves   []affiliate.Movement
}

// Ref returns the reference of the payout in files of providers.
func (s *payoutSheet) Ref() string { return payfile.Ref(s.ID) }

// Took says how many entries the payout has.
func (s *payoutSheet) Took() string {
	return several(len(s.CommissionIDs), "commission") + " and " + several(len(s.AdjustmentIDs), "adjustment")
}

func (v *visit) payout() (affiliate.Payout, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Payout{}, err
	}
	return v.program.Payout(v.ctx(), id)
}

// paidTo says who is paid, and where.
func paidTo(name string, email affiliate.Opt[string], method affiliate.Opt[affiliate.PaymentMethod]) string {
	to := page.Text(name, page.InList)
	if some, ok := email.Get(); ok {
		to += ", " + page.Text(some, page.InList)
	}
	if by, ok := method.Get(); ok {
		to += ", by " + page.Words(by)
	}
	return to
}

// payoutSteps are what people say became of a payout, by its next status.
var payoutSteps = []struct {
	to          affiliate.PayoutStatus
	verb, means string
	why         string // the field with the reason; empty: it needs none
}{
	{affiliate.PayoutPaid, "Mark as paid", "It becomes paid, and stays so unless the money comes back.", ""},
	{affiliate.PayoutFailed, "It failed", "It can be tried again or canceled.", "failedReason"},
	{affiliate.PayoutProcessing, "On its way", "Somebody is paying it. It is paid or failed next, and cannot be canceled.", ""},
	{affiliate.PayoutCanceled, "Cancel the payout", "What it took can be paid by the next run.", ""},
	{affiliate.PayoutReturned, "It came back", "What it took can be paid by the next run, and months that are over stay as they are.", "returnedReason"},
}

// stepsFrom returns what a payout can become, the most usual first.
func stepsFrom(status affiliate.PayoutStatus) (all []option) {
	for _, step := range payoutSteps {
		if slices.Contains(status.Next(), step.to) {
			all = append(all, option{string(step.to), step.verb})
		}
	}
	return all
}

// payoutStatus sets the status of a payout to the one that the query names.
var payoutStatus = &action{
	name: "payouts.status", object: "payout", done: "The status of the payout was changed.",
	form: func(v *visit) (form, error) {
		p, err := v.payout()
		if err != nil {
			return form{}, err
		}
		for _, step := range payoutSteps {
			if string(step.to) != v.query.Get(paramTo) {
				continue
			}
			if !slices.Contains(p.Status.Next(), step.to) {
				return form{}, notAllowed("This payout is " + strings.ToLower(page.Words(p.Status)) + " and cannot become " + strings.ToLower(page.Words(step.to)) + ".")
			}
			f := form{
				Title: step.verb + ": " + v.Money(p.Amount), Button: step.verb, Back: "payouts/" + p.ID.String(),
				Effects: []string{"It is " + strings.ToLower(page.Words(p.Status)) + " now: " + v.Money(p.Amount) + " to " + paidTo(p.PayeeName.Or(p.AffiliateID.String()), p.PayeeEmail, p.PaymentMethod) + ".", step.means},
			}
			if step.why != "" {
				f.Fields = []field{{Name: step.why, Label: "Why", Hint: "The affiliate sees it.", Required: true}}
			}
			return f, nil
		}
		return form{}, badQuery("Choose what became of it.")
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		switch status := affiliate.PayoutStatus(v.query.Get(paramTo)); status {
		case affiliate.PayoutFailed:
			_, err = p.FailPayout(v.ctx(), id, in.text("failedReason"))
		case affiliate.PayoutReturned:
			_, err = p.ReturnPayout(v.ctx(), id, in.text("returnedReason"))
		case affiliate.PayoutCanceled:
			_, err = p.CancelPayout(v.ctx(), id)
		default:
			_, err = p.SetPayoutStatus(v.ctx(), id, status)
		}
		return "payouts/" + id.String(), err
	},
}

// paramTo is the status that something becomes.
const paramTo = "to"

// newPayout pays one affiliate what is due, without a run.
var newPayout = &action{
	name: "payouts.create", object: "payout", done: "The payout was made.",
	form: affiliateForm(func(v *visit, a affiliate.Affiliate) (form, error) {
		b, err := v.program.Balance(v.ctx(), affiliate.AffiliateRef{ID: a.ID})
		return form{
			Title: "Pay " + page.Named(a.Name), Button: "Make the payout",
			Effects: []string{v.Money(b.Payable) + " can be paid now, to " + paidTo(a.Name, a.PayoutEmail, a.PaymentMethod) + ". They are " + strings.ToLower(page.Words(a.Status)) + ".", "The payout is pending until you say what became of it; it sends no money."},
			Fields:  []field{{Name: "externalId", Label: "Your id of the payout", Hint: "The same id makes one payout."}},
		}, err
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		made, err := p.CreatePayout(v.ctx(), affiliate.NewPayout{AffiliateID: id, ExternalID: in.text("externalId")})
		return "payouts/" + made.ID.String(), err
	},
}
