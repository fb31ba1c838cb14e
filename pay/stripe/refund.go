package stripe

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/draft"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

// refund reads a refund.
func (e *event) refund() {
	o := e.object
	c := draft.Currency(o.Get("currency"))
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
func refundOf(o fields.Value, c affiliate.Currency) affiliate.RefundFact {
	f := affiliate.RefundFact{ID: o.Get("id").Text(), Amount: amountOf(o.Get("amount"), c), State: affiliate.RefundPending}
	switch o.Get("status").Text() {
	case "succeeded":
		f.State = affiliate.RefundSucceeded
	case "failed", "canceled":
		f.State = affiliate.RefundFailed
	}
	if f.ID == "" {
		o.Get("id").Fail("is missing")
	}
	return f
}

// refundedCharge reads a charge that was refunded: it has the sum of its refunds,
// and in some versions the refunds.
func (e *event) refundedCharge() {
	o := e.object
	c := draft.Currency(o.Get("currency"))
	e.fact(pay.KindRefund, c, o.Get("payment_intent").Ref(), o.Get("id").Text(), o.Get("invoice").Ref())
	f := &e.Action.Payment
	if sum := amountOf(o.Get("amount_refunded"), c); sum.Sign() > 0 {
		f.Refunded = affiliate.Set(sum)
	}
	for one := range o.Get("refunds", "data").Each() {
		if refund := refundOf(one, c); refund.Amount.Sign() > 0 {
			f.Refunds = append(f.Refunds, refund)
		}
	}
}

// creditNote reads a credit note. What it gives back through a refund comes as a
// refund, and what it puts on the customer's balance lowers a later payment; only
// what the host gives back by itself is told here alone.
func (e *event) creditNote() {
	o := e.object
	c := draft.Currency(o.Get("currency"))
	if outside := amountOf(o.Get("out_of_band_amount"), c); outside.Sign() > 0 {
		e.fact(pay.KindRefund, c, o.Get("invoice").Ref())
		e.Action.Payment.Refunds = []affiliate.RefundFact{{ID: o.Get("id").Text(), Amount: outside, State: affiliate.RefundSucceeded}}
		return
	}
	if !o.Get("refunds").First().Given() && o.Get("customer_balance_transaction").Ref() != "" {
		e.Ignore(pay.CreditBalance)
		return
	}
	e.Ignore(pay.CoveredElsewhere)
}

// dispute reads a dispute. Its status says where the money is, whichever event
// brings it; an inquiry takes none.
func (e *event) dispute() {
	o := e.object
	c := draft.Currency(o.Get("currency"))
	state := disputeState(o.Get("status").Text())
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

// disputeState is where the money of a dispute is; empty: not known.
func disputeState(status string) affiliate.DisputeState {
	switch status {
	case "needs_response", "under_review":
		return affiliate.DisputeWithdrawn
	case "won":
		return affiliate.DisputeWon
	case "lost":
		return affiliate.DisputeLost
	case "warning_closed", "prevented":
		return affiliate.DisputeReleased
	case "warning_needs_response", "warning_under_review":
		return affiliate.DisputeInquiry
	}
	return ""
}
