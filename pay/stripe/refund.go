package stripe

import (
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// refund reads a refund.
func (e *event) refund() {
	o := e.object
	c := adapter.Currency(o.Get("currency"))
	intent, charge := o.Get("payment_intent").Ref(), o.Get("charge").Ref()
	f := refundOf(o, c)
	if intent == "" && charge == "" || f.Amount.Sign() <= 0 {
		e.Ignore(pay.ZeroAmount)
		return
	}
	e.fact(pay.KindRefund, c, intent, charge)
	e.Action.Payment.Refunds = []affiliate.RefundFact{f}
}

// refundOf reads one refund. One whose state is not known moves no money.
func refundOf(o adapter.Value, c affiliate.Currency) affiliate.RefundFact {
	f := affiliate.RefundFact{ID: o.Get("id").Required(), Amount: amountOf(o.Get("amount"), c),
		State: affiliate.RefundPending}
	switch o.Get("status").Text() {
	case "succeeded":
		f.State = affiliate.RefundSucceeded
	case "failed", "canceled":
		f.State = affiliate.RefundFailed
	}
	return f
}

// maxRefunds is the largest number of refunds that a program takes at once. One more is
// refused.
const maxRefunds = 100

// refundedCharge reads a charge that was refunded: it has the sum of its refunds,
// and in some versions the refunds.
func (e *event) refundedCharge() {
	o := e.object
	c := adapter.Currency(o.Get("currency"))
	e.fact(pay.KindRefund, c, o.Get("payment_intent").Ref(), o.Get("id").Text(), o.Get("invoice").Ref())
	f := &e.Action.Payment
	free := e.uncaptured(c)
	sum := minus(o.Get("amount_refunded"), amountOf(o.Get("amount_refunded"), c), free)
	var refunds []affiliate.RefundFact
	for one := range o.Get("refunds", "data").Each() {
		if refund := refundOf(one, c); refund.Amount.Sign() > 0 {
			refunds = append(refunds, refund)
		}
		if len(refunds) > maxRefunds {
			break
		}
	}
	for i, refund := range slices.Backward(refunds) { // the newest is the first
		if free.Sign() > 0 && refund.Amount == free {
			refunds = slices.Delete(refunds, i, i+1)
			break
		}
	}
	if sum.Sign() <= 0 && len(refunds) == 0 {
		e.Leave(pay.CoveredElsewhere)
		return
	}
	f.Refunds = refunds
	if sum.Sign() > 0 {
		f.Refunded = affiliate.Set(sum)
	}
}

// uncaptured returns the part of a charge that was only authorized. Stripe counts it as
// refunded, and it was never paid.
func (e *event) uncaptured(c affiliate.Currency) affiliate.Amount {
	o := e.object
	if !o.Get("amount_captured").Given() || !o.Get("captured").True() {
		return affiliate.Amount{}
	}
	return minus(o.Get("amount_captured"), amountOf(o.Get("amount"), c), amountOf(o.Get("amount_captured"), c))
}

// dispute reads a dispute. Its status says where the money is, whichever event
// brings it; an inquiry takes none.
func (e *event) dispute() {
	o := e.object
	c := adapter.Currency(o.Get("currency"))
	state := disputeState(o.Get("status").Text())
	if o.Get("status").Text() == "prevented" {
		state = prevented(o)
	}
	f := affiliate.DisputeFact{ID: o.Get("id").Text(), Amount: amountOf(o.Get("amount"), c), State: state}
	switch {
	case state == "":
		e.Ignore(pay.UnknownEvent)
		return
	case f.Amount.Sign() <= 0:
		e.Ignore(pay.ZeroAmount)
		return
	}
	e.fact(pay.KindDispute, c, o.Get("payment_intent").Ref(), o.Get("charge").Ref())
	e.Action.Payment.Disputes = []affiliate.DisputeFact{f}
}

// prevented returns who has the money of a prevented dispute. When it was resolved from
// the host's balance, the money is lost. When it was blocked, the money goes back by a
// refund, which Stripe reports too.
func prevented(o adapter.Value) affiliate.DisputeState {
	var sum int64
	moves := 0
	for move := range o.Get("balance_transactions").Each() {
		sum += move.Get("amount").Integer()
		moves++
	}
	resolved := moves == 0 && o.Get("payment_method_details", "card", "case_type").Text() == "resolution"
	if sum < 0 || resolved {
		return affiliate.DisputeLost
	}
	return affiliate.DisputeReleased
}

// disputeState returns where the money of a dispute is; empty: not known.
func disputeState(status string) affiliate.DisputeState {
	switch status {
	case "needs_response", "under_review":
		return affiliate.DisputeWithdrawn
	case "won":
		return affiliate.DisputeWon
	case "lost":
		return affiliate.DisputeLost
	case "warning_closed":
		return affiliate.DisputeReleased
	case "warning_needs_response", "warning_under_review":
		return affiliate.DisputeInquiry
	}
	return ""
}
