package portal

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
)

// payouts lists the payouts.
func payouts(v *visit) (view, error) {
	list, err := v.partner().Payouts(v.ctx(), v.page50())
	return view{title: "Payouts", template: "payouts", next: list.Next, Data: list.Items}, err
}

// A payoutSheet is the page of a payout.
type payoutSheet struct {
	Payout  partner.Payout
	Entries []affiliate.PayoutEntry
}

// payout shows a payout and its entries.
func payout(v *visit) (view, error) {
	id, err := uuid.Parse(v.args[0])
	if err != nil || id.String() != v.args[0] {
		return view{}, affiliate.ErrNotFound
	}
	p, err := v.partner().Payout(v.ctx(), id)
	if err != nil {
		return view{}, err
	}
	entries, err := v.partner().PayoutEntries(v.ctx(), id, v.page50())
	return view{title: "Payout", template: "payout", next: entries.Next, Data: &payoutSheet{p, entries.Items}}, err
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
		return "the program looks at it first"
	case r == affiliate.HoldAffiliateDeactivated:
		return "your account was deactivated"
	case r == affiliate.HoldAffiliateBanned:
		return "your account was banned"
	case r == affiliate.HoldAffiliateNotApproved:
		return "your account waits for approval"
	}
	return v.Hold(reason)
}
