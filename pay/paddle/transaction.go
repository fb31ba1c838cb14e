package paddle

import (
	"iter"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// transaction reads a transaction that was paid.
func (e *event) transaction() {
	o := e.object
	b := billOf(o)
	id, invoice := o.Get("id").Required(), o.Get("invoice_id").Text()
	e.Action.Carried = e.cfg.Carried(o.Get("custom_data"))
	e.Fact(pay.KindSale, b.Currency, o, id, invoice)
	e.settle(b)
	e.Action.Payment.Payer = affiliate.PayerFact{ID: o.Get("customer_id").Text()}
	p := adapter.Paid{
		Order: id, Invoice: invoice,
		At:    paidAt(o),
		Tries: adapter.Codes(codesOf(o.Get("discount_id"))), Renewal: isRenewal(o.Get("origin").Text()),
	}
	e.lines(&p, b.Currency)
	marked := e.Marked(p.Tries)
	switch {
	case p.Renewal:
		e.Action.Wait = marked
	case b.Paid.Sign() <= 0 && marked && e.begins():
		e.Lead(b, p)
		return
	}
	if b.Paid.Sign() <= 0 {
		e.Ignore(pay.ZeroAmount)
		return
	}
	e.Sale(b, p)
}

// paidAt reads when a transaction was paid: when the last of its payments was captured. The zero
// time: none says it, and
// it is that of the event.
func paidAt(o adapter.Value) (at time.Time) {
	for one := range o.Get("payments").Each() {
		if captured := one.Get("captured_at").Time(); one.Get("status").Text() == "captured" && captured.After(at) {
			at = captured
		}
	}
	return at
}

// other reads another event of a transaction. When that was paid, transaction.completed tells it.
func (e *event) other() {
	o := e.object.Apart() // transaction.completed tells what is wrong with it
	e.Action.Carried = e.cfg.Carried(o.Get("custom_data"))
	status, payer := o.Get("status").Text(), affiliate.PayerFact{ID: o.Get("customer_id").Text()}
	paid := (status == "paid" || status == "completed") && o.Get("details", "totals", "grand_total").TextInteger() > 0
	p := adapter.Paid{Tries: adapter.Codes(codesOf(o.Get("discount_id"))), Renewal: isRenewal(o.Get("origin").Text())}
	e.Elsewhere("transaction.completed", paid, o, affiliate.Currency(o.Get("currency_code").Text()),
		payer, p, o.Get("id").Text())
}

// begins reports whether a transaction with a total of 0 is the start of a trial, or an
// order that a discount made free, of a known customer.
func (e *event) begins() bool {
	o := e.object
	trial := o.Get("subscription_id").Text() != "" || o.Get("items").First().Get("price", "trial_period").Given()
	return (trial || o.Get("discount_id").Text() != "") && e.Action.Payment.Payer.ID != ""
}

// billOf reads what was paid: the total after discounts, after credit notes that came
// before the payment, and after the customer's credit, which pays a part of the tax too.
func billOf(o adapter.Value) adapter.Bill {
	totals := o.Get("details", "totals")
	c := adapter.Currency(o.Get("currency_code"))
	if !totals.Get("grand_total").Given() {
		totals.Get("grand_total").Fail("is missing")
	}
	subtotal := amountOf(totals.Get("subtotal"), c)
	if adjusted := o.Get("details", "adjusted_totals"); adjusted.Get("grand_total").Given() &&
		amountOf(adjusted.Get("grand_total"), c).Cmp(amountOf(totals.Get("grand_total"), c)) < 0 {
		totals = adjusted
	}
	b := adapter.Bill{Currency: c, Paid: amountOf(totals.Get("grand_total"), c), Subtotal: subtotal}
	if tax := totals.Get("grand_total_tax"); tax.Given() {
		b.Tax = amountOf(tax, c)
		return b
	}
	b.Tax = amountOf(totals.Get("tax"), c)
	b.Share(totals, amountOf(totals.Get("total"), c))
	return b
}

// settle reads at which rate Paddle settles a transaction, where the host wants that rate.
func (e *event) settle(b adapter.Bill) {
	details := e.object.Get("details").Apart() // without a rate that can be read, the program's is asked
	totals := details.Get("payout_totals")
	if amountOf(details.Get("totals", "grand_total"), b.Currency) != b.Paid { // a credit note came before
		totals = details.Get("adjusted_payout_totals")
	}
	c := adapter.Currency(totals.Get("currency_code"))
	if e.cfg.Totals != PayoutTotals || c == "" || c == b.Currency || !totals.Get("grand_total").Given() {
		return
	}
	worth := amountOf(totals.Get("grand_total"), c)
	rate, err := affiliate.ExchangeRateOf(b.Paid, worth)
	if err != nil || details.Err() != nil {
		return
	}
	e.Action.Payment.ExchangeRate, e.Action.Settled = rate, c
}

// lines reads the lines of a transaction. What is given back for unused time comes off the
// lines of the same product. When the lines are not taken, the payment has the product of all
// of them, if they have the same.
func (e *event) lines(p *adapter.Paid, c affiliate.Currency) {
	details := e.object.Get("details").Apart() // a line is never a reason to refuse a payment
	scaled := func(totals adapter.Value, name string) int64 { return amountOf(totals.Get(name), c).Scaled() }
	parts := adapter.Parts(details.Get("line_items"), func(line adapter.Value) adapter.Part {
		totals, product := line.Get("totals"), line.Get("product")
		part := adapter.Part{
			ID: line.Get("id").Text(), Product: product.Get("id").Text(),
			Plan: line.Get("price_id").Text(), Name: product.Get("name").Text(),
			Quantity: line.Get("quantity").Integer(), Of: product.Get("id").Text(),
			Gross: scaled(totals, "subtotal"), Off: scaled(totals, "discount"),
		}
		part.Net = part.Gross - part.Off
		return part
	})
	totals := details.Get("totals")
	whole := adapter.Whole{Gross: scaled(totals, "subtotal"), Unit: c.Unit().Scaled()}
	whole.Net = whole.Gross - scaled(totals, "discount")
	switch {
	case len(parts) == 0:
		e.Action.NoLines = pay.LinesMissing
	case details.Err() != nil:
		e.Action.NoLines = pay.LinesUnclear
	default:
		p.Lines, e.Action.NoLines = adapter.Lines(parts, whole)
	}
	p.Product = adapter.ProductOf(parts)
}

// isRenewal reports whether a transaction is a later payment of a subscription.
func isRenewal(origin string) bool {
	switch origin {
	case "subscription_recurring", "subscription_update", "subscription_charge":
		return true
	}
	return false
}

// codesOf finds our code of a discount by its id.
func codesOf(discount adapter.Value) iter.Seq[affiliate.Credit] {
	return func(yield func(affiliate.Credit) bool) {
		if id := discount.Text(); adapter.Usable(id) {
			yield(affiliate.Credit{CodeExternalID: id})
		}
	}
}
