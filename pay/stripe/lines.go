package stripe

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// complete asks the host for the lines of a payment that came without them, or with the first
// ones alone.
func (cfg Config) complete(ctx context.Context, payload []byte, a pay.Action) (pay.Action, error) {
	if cfg.Lines == nil || a.Payment.Sale.IsZero() || a.NoLines != pay.LinesMissing && a.NoLines != pay.LinesCut {
		return a, nil
	}
	root, err := adapter.Read(payload)
	if err != nil || root.Get("data", "object", "object").Text() == "payment_intent" {
		return a, err
	}
	raw, err := cfg.Lines(ctx, a.Event.Account, root.Get("data", "object", "id").Text())
	if err != nil || len(raw) == 0 {
		return a, err
	}
	list, err := adapter.Read(raw)
	if err != nil {
		return a, fmt.Errorf("the list of lines: %w", err)
	}
	return readWith(payload, list, cfg)
}

// linesOfSession reads the lines of a session. An event has them only when the host put them
// there, or when Config.Lines gave them.
func (e *event) linesOfSession(p *adapter.Paid, b *adapter.Bill) {
	e.lines(p, e.object.Get("line_items"), b, func(line adapter.Value) adapter.Part {
		part := partOf(line)
		part.Gross = amountOf(line.Get("amount_subtotal"), b.Currency).Scaled()
		part.Off = amountOf(line.Get("amount_discount"), b.Currency).Scaled()
		part.Net = amountOf(line.Get("amount_total"),
			b.Currency).Scaled() - amountOf(line.Get("amount_tax"), b.Currency).Scaled()
		return part
	})
}

// linesOfInvoice reads the lines of an invoice. What is given back for unused time comes off
// the lines of the same item of the subscription.
func (e *event) linesOfInvoice(p *adapter.Paid, c affiliate.Currency) {
	o := e.object
	whole := adapter.Bill{
		Currency: c, Paid: amountOf(o.Get("total"), c), Tax: e.taxOfInvoice(c),
		Shipping: shippingOf(o, o.Get("amount_shipping"), c),
	}
	e.lines(p, o.Get("lines"), &whole, func(line adapter.Value) adapter.Part {
		part := partOf(line)
		part.Gross = amountOf(line.Get("amount"), c).Scaled()
		part.Off = sumOf(line.Get("discount_amounts"), c).Scaled()
		for credit := range line.Get("pretax_credit_amounts").Each() {
			if credit.Get("type").Text() != "discount" { // those are in discount_amounts too
				part.Off += amountOf(credit.Get("amount"), c).Scaled()
			}
		}
		part.Net = part.Gross - part.Off - inclusiveTax(line, c).Scaled()
		return part
	})
}

// inclusiveTax returns the tax that the amount of a line of an invoice includes.
func inclusiveTax(line adapter.Value, c affiliate.Currency) (sum affiliate.Amount) {
	for tax := range line.Get("taxes").Each() {
		if tax.Get("tax_behavior").Text() == "inclusive" {
			sum = plus(tax, sum, amountOf(tax.Get("amount"), c))
		}
	}
	for tax := range line.Get("tax_amounts").Each() { // until 2025-03-31
		if tax.Get("inclusive").True() {
			sum = plus(tax, sum, amountOf(tax.Get("amount"), c))
		}
	}
	return sum
}

// partOf reads what a line of an invoice or a session is of.
func partOf(line adapter.Value) adapter.Part {
	price, details := line.Get("price"), line.Get("pricing", "price_details")
	if !price.IsObject() {
		price = line.Get("plan") // of old versions
	}
	return adapter.Part{
		ID:       line.Get("id").Text(),
		Product:  cmp.Or(details.Get("product").Ref(), price.Get("product").Ref()),
		Plan:     cmp.Or(details.Get("price").Ref(), price.Get("id").Text()),
		Name:     line.Get("description").Text(),
		Quantity: line.Get("quantity").Integer(),
		Of: cmp.Or(line.Get("parent", "subscription_item_details", "subscription_item").Ref(),
			line.Get("subscription_item").Ref()),
	}
}

// lines reads the lines of a bill. When they are not taken, the payment has the product of all
// of them, if they have the same.
func (e *event) lines(p *adapter.Paid, list adapter.Value, of *adapter.Bill, read func(adapter.Value) adapter.Part) {
	if e.list.Given() {
		list = e.list
	}
	list = list.Apart() // a line is never a reason to refuse a payment
	parts := adapter.Parts(list.Get("data"), read)
	net, err := of.Net()
	switch {
	case len(parts) == 0:
		e.Action.NoLines = pay.LinesMissing
	case list.Get("has_more").True() || list.Get("total_count").Integer() > int64(len(parts)):
		e.Action.NoLines = pay.LinesCut
		return
	case err != nil || of.ShownCurrency != "" || list.Err() != nil:
		e.Action.NoLines = pay.LinesUnclear
	default:
		p.Lines, e.Action.NoLines = adapter.Lines(parts,
			adapter.Whole{Gross: of.Subtotal.Scaled(), Net: net.Scaled(),
				Unit: unitOf(of.Currency)})
	}
	p.Product = adapter.ProductOf(parts)
}
