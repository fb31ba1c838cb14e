package woocommerce

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// The kinds of objects. Events have no type in their body; the fields tell them apart.
const (
	anOrder    = "order"
	aCustomer  = "customer"
	another    = "unknown"
	renewalKey = "_subscription_renewal" // of the meta data of a renewal: the id of its subscription
)

// Map reads an event that was verified, and returns its action. It has no clock, store or
// network: the same payload gives the same action. Unknown objects, fields and values are no
// errors. Action.Event.ID is that of the object, and Action.Event.Type its kind.
//
// Errors: [adapter.ErrPayload].
//
// Source: docs/payments-woocommerce.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map(provider+cfg.Shop, payload, func(d *adapter.Draft, root adapter.Value) {
		e := event{Draft: d, cfg: cfg, object: root, id: root.Get("id").Loose()}
		if root.Get("id").Integer() <= 0 {
			root.Get("id").Fail("is missing")
		}
		switch {
		case root.Get("billing_period").Given(): // a subscription, which has the fields of an order too
			e.begin(another)
			e.Ignore(pay.UnknownEvent)
		case root.Get("order_key").Given():
			e.begin(anOrder, "date_modified_gmt", "date_created_gmt")
			e.order()
		case root.Get("is_paying_customer").Given():
			e.begin(aCustomer, "date_modified_gmt", "date_created_gmt")
			e.Customer(payerOf(root, e.id))
		default: // also the id alone, of an object that was deleted
			e.begin(another)
			e.Ignore(pay.UnknownEvent)
		}
	})
}

// An event is an event while it is read.
type event struct {
	*adapter.Draft
	cfg    Config
	object adapter.Value
	id     string
}

// begin says what an event is, and when it was, by the first of some fields that is there.
func (e *event) begin(kind string, times ...string) {
	e.Action.Event = pay.Event{ID: e.id, Type: kind, Live: true}
	for _, name := range times {
		if e.Action.Event.At.IsZero() {
			e.Action.Event.At = timeOf(e.object.Get(name))
		}
	}
	if len(times) > 0 && e.Action.Event.At.IsZero() {
		e.object.Get(times[0]).Fail("is missing")
	}
}

// timeOf reads a time in UTC, which WooCommerce writes without saying so.
func timeOf(v adapter.Value) time.Time {
	text := v.Text()
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		v.Fail("is not a time")
	}
	return at
}

// amountOf reads an amount, which must be there and is not below zero.
func amountOf(v adapter.Value) affiliate.Amount {
	amount := signedOf(v)
	if amount.Sign() < 0 {
		v.Fail("is below zero")
	}
	return amount
}

// signedOf reads an amount, which must be there.
func signedOf(v adapter.Value) affiliate.Amount {
	if v.Loose() == "" {
		v.Fail("is missing")
	}
	return v.Decimal()
}

// payerOf reads a customer. A guest has no id.
func payerOf(v adapter.Value, id string) affiliate.PayerFact {
	if id == "0" {
		id = ""
	}
	return adapter.Payer(id, v.Get("email").Text(),
		strings.TrimSpace(v.Get("first_name").Text()+" "+v.Get("last_name").Text()))
}

// order reads an order and its refunds.
func (e *event) order() {
	o := e.object
	o.Get("order_key").Required()
	e.Fact(pay.KindSale, adapter.Currency(o.Get("currency")), o, e.id)
	refunds := refundsOf(o.Get("refunds"))
	if returned := e.returned(refunds); returned || !e.paid() {
		e.Action.Kind, e.Action.Payment.Refunds = pay.KindRefund, refunds
		switch once := !timeOf(o.Get("date_paid_gmt")).IsZero(); {
		case len(refunds) == 0 && once:
			e.Revoke()
		case len(refunds) == 0:
			e.Ignore(pay.Unpaid)
		case once:
			e.Action.Reason, e.Action.Payment.Revoked = pay.Revoked, affiliate.Set(true)
		}
		return
	}
	meta := adapter.PairsOf(o, "meta_data", "meta_data", "key", "value")
	e.Action.Payment.Payer = payerOf(o.Get("billing"), o.Get("customer_id").Loose())
	e.Action.Carried = e.cfg.Carried(meta...)
	b, parts := e.bill()
	p := adapter.Paid{
		Order: cmp.Or(o.Get("number").Loose(), e.id), At: timeOf(o.Get("date_paid_gmt")),
		Tries: codesOf(o.Get("coupon_lines")), Renewal: meta[0].Get(renewalKey).Loose() != "",
	}
	if e.cfg.Shop != "" {
		p.Order = e.cfg.Shop + "-" + p.Order
	}
	switch marked := e.Marked(p.Tries); {
	case b.Paid.Sign() > 0:
		e.lines(&p, &b, parts)
		e.Sale(b, p)
		e.Action.Payment.Refunds, e.Action.Payment.Revoked = refunds, affiliate.Set(false)
	case marked && !p.Renewal && e.Action.Payment.Payer.ID+e.Action.Payment.Payer.Email != "":
		e.Lead(b, p)
	default:
		e.Ignore(pay.ZeroAmount)
	}
}

// paid reports whether an order was paid, and is not taken back. A status that WooCommerce does
// not have is one of a plugin, such as shipped.
func (e *event) paid() bool {
	switch e.object.Get("status").Text() {
	case "", "pending", "on-hold", "failed", "cancelled", "trash", "draft", "auto-draft", "checkout-draft":
		return false
	}
	return !timeOf(e.object.Get("date_paid_gmt")).IsZero()
}

// returned reports whether an order was given back and its refunds do not say so, as those of one
// that was imported, or of which only a deposit was paid: nothing of it was earned.
func (e *event) returned(refunds []affiliate.RefundFact) bool {
	left := amountOf(e.object.Get("total"))
	for _, f := range refunds {
		left, _ = left.Sub(f.Amount) // out of range is more than all
	}
	return e.object.Get("status").Text() == "refunded" && left.Sign() > 0
}

// bill reads what was paid. Tax is never in the other amounts. What the total lacks of its parts
// was paid by a gift card or a credit, which paid a part of tax and shipping too.
func (e *event) bill() (adapter.Bill, []adapter.Part) {
	o := e.object
	b := adapter.Bill{
		Currency: e.Action.Payment.Currency, Paid: amountOf(o.Get("total")),
		Tax: amountOf(o.Get("total_tax")), Shipping: amountOf(o.Get("shipping_total")),
	}
	list := o.Apart() // a line is never a reason to refuse an order
	parts := append(adapter.Parts(list.Get("line_items"), partOf), adapter.Parts(list.Get("fee_lines"), feeOf)...)
	var gross, net int64
	for i := range parts {
		if parts[i].Net < -maxSum || parts[i].Gross > maxSum {
			list.Fail("is out of range")
			break
		}
		gross, net = gross+parts[i].Gross, net+parts[i].Net
	}
	if list.Err() != nil {
		e.Action.NoLines = pay.LinesUnclear
	} else {
		b.Subtotal = affiliate.AmountFromScaled(gross)
		whole := net + min(b.Tax.Scaled(), maxSum) + min(b.Shipping.Scaled(), maxSum)
		if whole-b.Paid.Scaled() > int64(len(parts)+1)*b.Currency.Unit().Scaled() { // and not only rounded
			b.Share(o.Get("total"), affiliate.AmountFromScaled(whole))
		}
	}
	if b.Tax.Cmp(b.Paid) > 0 { // a credit that is a fee below zero paid a part of it
		b.Tax, b.Shipping = b.Paid, affiliate.Amount{}
	}
	b.Fit()
	return b, parts
}

// maxSum is the largest amount of a line that is added up: 10¹¹.
const maxSum = 1e15

// partOf reads a line of products.
func partOf(line adapter.Value) adapter.Part {
	part := adapter.Part{
		ID: line.Get("id").Loose(), Product: nonzero(line.Get("product_id")),
		Plan: nonzero(line.Get("variation_id")), Name: line.Get("name").Text(),
		Gross: amountOf(line.Get("subtotal")).Scaled(), Net: amountOf(line.Get("total")).Scaled(),
	}
	part.Gross = max(part.Gross, part.Net) // a price that was raised by hand
	part.Off = part.Gross - part.Net
	part.Quantity, _ = strconv.ParseInt(line.Get("quantity").Loose(), 10, 64) // 1.5 is none
	return part
}

// feeOf reads a fee; below zero it is a discount.
func feeOf(line adapter.Value) adapter.Part {
	total := signedOf(line.Get("total")).Scaled()
	return adapter.Part{ID: line.Get("id").Loose(), Name: line.Get("name").Text(), Gross: total, Net: total}
}

// nonzero returns an id; empty: there is none.
func nonzero(v adapter.Value) string {
	if v.Loose() == "0" {
		return ""
	}
	return v.Loose()
}

// lines makes the lines of an order. When they are not taken, the sale has the product of all of
// them, if they have the same.
func (e *event) lines(p *adapter.Paid, b *adapter.Bill, parts []adapter.Part) {
	net, err := b.Net()
	switch {
	case e.Action.NoLines != "":
	case len(parts) == 0:
		e.Action.NoLines = pay.LinesMissing
	case err != nil:
		e.Action.NoLines = pay.LinesUnclear
	default:
		p.Lines, e.Action.NoLines = adapter.Lines(parts,
			adapter.Whole{Net: net.Scaled(), Unit: b.Currency.Unit().Scaled()})
	}
	p.Product = adapter.ProductOf(parts)
}

// refundsOf reads the refunds of an order, whose totals are below zero.
func refundsOf(list adapter.Value) (facts []affiliate.RefundFact) {
	for r := range list.Each() {
		total := signedOf(r.Get("total"))
		if total.Sign() > 0 {
			r.Get("total").Fail("is above zero")
		}
		if r.Get("id").Integer() <= 0 {
			r.Get("id").Fail("is missing")
		}
		if total.Sign() < 0 {
			facts = append(facts,
				affiliate.RefundFact{ID: r.Get("id").Loose(),
					Amount: affiliate.AmountFromScaled(-total.Scaled()),
					State:  affiliate.RefundSucceeded})
		}
	}
	return facts
}

// codesOf finds our codes by their text.
func codesOf(lines adapter.Value) []affiliate.Credit {
	return adapter.Codes(func(yield func(affiliate.Credit) bool) {
		for one := range lines.Each() {
			if code := one.Get("code").Text(); adapter.Usable(code) && !yield(affiliate.Credit{PromoCode: code}) {
				return
			}
		}
	})
}
