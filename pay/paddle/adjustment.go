package paddle

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// adjustment reads money that went back to a customer, or came from there again.
func (e *event) adjustment() {
	switch action := e.object.Get("action").Text(); action {
	case "refund":
		e.refund()
	case "chargeback", "chargeback_warning":
		e.chargeback(action)
	case "chargeback_reverse":
		e.reverse("chargeback")
	case "chargeback_warning_reverse":
		e.reverse("chargeback_warning")
	case "credit", "credit_reverse":
		e.Ignore(pay.CreditBalance) // it lowers a later grand total
	default:
		e.Ignore(pay.UnknownEvent)
	}
}

// moved begins the fact about the payment of an adjustment, and returns the amount
// that it moves: zero when it is ignored.
func (e *event) moved(kind pay.Kind) affiliate.Amount {
	o := e.object
	c := adapter.Currency(o.Get("currency_code"))
	amount := amountOf(o.Get("totals", "total"), c)
	if amount.Sign() <= 0 {
		e.Ignore(pay.ZeroAmount)
		return affiliate.Amount{}
	}
	e.Fact(kind, c, o, o.Get("transaction_id").Text())
	return amount
}

// refund reads a refund.
func (e *event) refund() {
	amount := e.moved(pay.KindRefund)
	if amount.IsZero() {
		return
	}
	f := affiliate.RefundFact{ID: e.object.Get("id").Required(), Amount: amount, State: affiliate.RefundPending}
	switch e.object.Get("status").Text() {
	case "approved":
		f.State = affiliate.RefundSucceeded
	case "rejected", "reversed":
		f.State = affiliate.RefundFailed
	}
	e.nameTax(&f)
	e.Action.Payment.Refunds = []affiliate.RefundFact{f}
}

// nameTax says how much of a refund is tax: all of it, in an adjustment of the tax
// alone. Paddle has no shipping apart.
func (e *event) nameTax(f *affiliate.RefundFact) {
	totals, c := e.object.Get("totals"), e.Action.Payment.Currency
	tax := amountOf(totals.Get("tax"), c)
	sum, err := amountOf(totals.Get("subtotal"), c).Add(tax)
	if totals.Get("tax").Given() && err == nil && sum == f.Amount && tax.Sign() >= 0 && tax.Cmp(f.Amount) <= 0 {
		f.Tax, f.Shipping = affiliate.Set(tax), affiliate.Set(affiliate.Amount{})
	}
}

// chargeback reads money that a customer's bank took back.
func (e *event) chargeback(action string) {
	switch e.object.Get("status").Text() {
	case "approved":
		e.dispute(action, affiliate.DisputeWithdrawn)
	case "reversed":
		e.dispute(action, affiliate.DisputeWon)
	case "rejected":
		e.dispute(action, affiliate.DisputeReleased)
	default:
		e.dispute(action, affiliate.DisputeInquiry)
	}
}

// reverse reads a chargeback that was given back.
func (e *event) reverse(action string) {
	if e.object.Get("status").Text() != "approved" {
		e.Ignore(pay.Inquiry)
		return
	}
	e.dispute(action, affiliate.DisputeWon)
}

// dispute reports who has the money of a chargeback. An adjustment that reverses a
// chargeback does not name it, so a chargeback is identified by its payment and
// its amount. Its time is that of the adjustment's creation, because a later event
// of the chargeback must not undo the reversal.
func (e *event) dispute(action string, state affiliate.DisputeState) {
	amount := e.moved(pay.KindDispute)
	if amount.IsZero() {
		return
	}
	f := &e.Action.Payment
	if at := e.object.Get("created_at").Time(); !at.IsZero() {
		f.At = at
	}
	f.Disputes = []affiliate.DisputeFact{{
		ID: action + ":" + amount.String(), Amount: amount, State: state, Warning: action == "chargeback_warning",
	}}
}
