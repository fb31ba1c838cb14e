package shopify

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// order reads an order that was paid.
func (e *event) order() {
	o := e.object
	id := idOf(o.Get("id"))
	e.Fact(pay.KindSale, adapter.Currency(o.Get("currency")), o, id)
	status := o.Get("financial_status").Text()
	switch status {
	case "paid", "partially_refunded", "refunded":
	default:
		e.Ignore(pay.Unpaid)
		return
	}
	e.current = e.edited()
	b, counted := e.bill()
	var refunds []affiliate.RefundFact
	for refund := range o.Get("refunds").Each() {
		refunds = append(refunds, refundsOf(refund, counted)...)
	}
	if status == "refunded" && !wholly(refunds, b) {
		e.partly(refunds)
		return
	}
	e.Action.Payment.Payer = e.payer()
	e.Action.Carried = e.carried()
	p := adapter.Paid{Order: id, At: o.Get("processed_at").Time(), Tries: codesOf(o.Get("discount_codes"))}
	switch marked := e.Marked(p.Tries); {
	case b.Paid.Sign() > 0:
		e.lines(&p, &b)
		e.Sale(b, p)
		e.Action.Payment.Refunds, e.Action.Payment.Revoked = refunds, affiliate.Set(o.Get("cancelled_at").Given())
		if e.Action.Payment.Revoked.Or(false) {
			e.Action.Reason = pay.Revoked
		}
	case marked && e.Action.Payment.Payer.ID+e.Action.Payment.Payer.Email != "":
		e.Lead(b, p)
	default:
		e.Ignore(pay.ZeroAmount)
	}
}

// wholly reports whether refunds are all of what an order cost.
func wholly(refunds []affiliate.RefundFact, b adapter.Bill) bool {
	whole := b.Paid
	if b.ShownCurrency != "" {
		whole = b.Shown
	}
	for _, f := range refunds {
		if f.State != affiliate.RefundFailed {
			whole, _ = whole.Sub(f.Amount) // out of range is more than all
		}
	}
	return whole.Sign() <= 0
}

// partly reports what went back of an order that has nothing left and cost more: a deposit of it
// was paid, or it was edited. What was paid is not known, and all of it went back.
func (e *event) partly(refunds []affiliate.RefundFact) {
	if len(refunds) == 0 {
		e.Revoke()
		return
	}
	e.Action.Kind, e.Action.Reason, e.Action.Payment.Revoked = pay.KindRefund, pay.Revoked, affiliate.Set(true)
	e.Action.Payment.Refunds = refunds
}

// bill reads what was paid in the currency of the shop, and in which currency refunds are
// counted: that which the customer saw. Gift cards that were bought are not sold yet, and
// tips are not the shop's.
func (e *event) bill() (b adapter.Bill, counted affiliate.Currency) {
	o := e.object
	b = adapter.Bill{Currency: e.Action.Payment.Currency}
	total, tax := "total_price", "total_tax"
	if e.current {
		total, tax = "current_total_price", "current_total_tax"
	}
	whole := amountOf(o.Get(total))
	b.Tax = amountOf(o.Get(tax))
	for _, levy := range [][2]string{
		{"original_total_duties_set", "current_total_duties_set"},
		{"original_total_additional_fees_set", "current_total_additional_fees_set"},
	} {
		set := o.Get(levy[0])
		if left := o.Get(levy[1]); e.current && left.Given() {
			set = left
		}
		if set.Given() {
			b.Tax = plus(set, b.Tax, amountOf(set.Get(moneyOfShop, "amount")))
		}
	}
	b.Shipping = e.shipping()
	gifts := sumOf(o.Get("line_items"), e.giftOf)
	b.Paid = minus(o.Get("line_items"), whole, gifts)
	if tip := o.Get("total_tip_received"); tip.Given() {
		b.Paid = minus(tip, b.Paid, amountOf(tip))
	}
	if b.Tax.Cmp(b.Paid) > 0 {
		o.Get(tax).Fail("is more than was paid")
	}
	b.Fit()
	basket := o.Get("total_line_items_price")
	if all := basket.Decimal(); all.Cmp(gifts) > 0 && whole == o.Get("total_price").Decimal() { // else it is of what was edited
		b.Subtotal = minus(basket, all, gifts)
	}
	shown := o.Get(total+"_set", moneyOfBuyers)
	counted = b.Currency
	if shown.Given() {
		counted = adapter.Currency(shown.Get("currency_code"))
	}
	switch {
	case b.Paid.IsZero(): // nothing goes back of it
	case counted != b.Currency:
		b.Shown, b.ShownCurrency = amountOf(shown.Get("amount")), counted
	case b.Paid != whole:
		b.Shown, b.ShownCurrency = whole, counted
	}
	return b, counted
}

// edited reports whether an order may have been changed before it was paid: then its current
// amounts are those that were paid. They also fall with each refund, and with a cancellation,
// so they are not asked afterwards.
func (e *event) edited() bool {
	o := e.object
	if !o.Get("current_total_price").Given() || o.Get("cancelled_at").Given() {
		return false
	}
	for refund := range o.Get("refunds").Each() {
		for t := range refund.Get("transactions").Each() {
			if t.Get("kind").Text() == givenBack { // and not the void of what was never taken
				return false
			}
		}
	}
	return true
}

// shipping reads what was paid for shipping after discounts, without its tax, which the tax of
// the whole has.
func (e *event) shipping() affiliate.Amount {
	included := e.object.Get("taxes_included").True()
	return sumOf(e.object.Get("shipping_lines"), func(line adapter.Value) affiliate.Amount {
		if line.Get("is_removed").True() {
			return affiliate.Amount{}
		}
		price := minus(line, amountOf(line.Get("price")), discountOf(line))
		if included {
			price = minus(line, price, taxOf(line))
		}
		return price
	})
}

// giftOf returns what a line cost, when it is a gift card.
func (e *event) giftOf(line adapter.Value) affiliate.Amount {
	if !line.Get("gift_card").True() || e.quantity(line).Integer() == 0 {
		return affiliate.Amount{}
	}
	return minus(line, e.grossOf(line), discountOf(line))
}

// quantity returns how many pieces of a line were sold; 0: an edit removed it.
func (e *event) quantity(line adapter.Value) adapter.Value {
	if n := line.Get("current_quantity"); e.current && n.Given() {
		return n
	}
	return line.Get("quantity")
}

// most is the largest quantity of a line.
const most = 1_000_000

// grossOf returns the price of all pieces of a line.
func (e *event) grossOf(line adapter.Value) affiliate.Amount {
	price, quantity := amountOf(line.Get("price")), e.quantity(line)
	n := quantity.Integer()
	if n < 0 || n > most || price.Scaled() > (1<<62)/most {
		quantity.Fail("is out of range")
		return affiliate.Amount{}
	}
	return affiliate.AmountFromScaled(price.Scaled() * n)
}

// lines reads the lines of an order, but for gift cards, tips, and those that an edit removed. When
// they are not taken, the
// sale has the product of all of them, if they have the same.
func (e *event) lines(p *adapter.Paid, b *adapter.Bill) {
	included := e.object.Get("taxes_included").True()
	list := e.object.Apart() // a line is never a reason to refuse an order
	var parts []adapter.Part
	for _, part := range adapter.Parts(list.Get("line_items"), func(line adapter.Value) adapter.Part {
		if line.Get("gift_card").True() || line.Get("tip_payment_gateway").Given() || e.quantity(line).Integer() == 0 {
			return adapter.Part{}
		}
		part := adapter.Part{
			ID: line.Get("id").Loose(), Product: line.Get("product_id").Loose(), Plan: line.Get("variant_id").Loose(),
			Name: line.Get("name").Text(), Quantity: e.quantity(line).Integer(),
			Gross: e.grossOf(line).Scaled(), Off: discountOf(line).Scaled(),
		}
		if part.Net = part.Gross - part.Off; included {
			part.Net -= taxOf(line).Scaled()
		}
		return part
	}) {
		if part.ID != "" {
			parts = append(parts, part)
		}
	}
	net, err := b.Net()
	switch {
	case len(parts) == 0:
		e.Action.NoLines = pay.LinesMissing
	case err != nil || list.Err() != nil:
		e.Action.NoLines = pay.LinesUnclear
	default:
		p.Lines, e.Action.NoLines = adapter.Lines(parts,
			adapter.Whole{Net: net.Scaled(), Unit: b.Currency.Unit().Scaled()})
	}
	p.Product = adapter.ProductOf(parts)
}

// codesOf finds our codes by their text.
func codesOf(codes adapter.Value) []affiliate.Credit {
	return adapter.Codes(func(yield func(affiliate.Credit) bool) {
		for one := range codes.Each() {
			if code := one.Get("code").Text(); adapter.Usable(code) && !yield(affiliate.Credit{PromoCode: code}) {
				return
			}
		}
	})
}
