package shopify

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// currencyOf returns the currency of the transactions that give money back, and whether it is
// that of all of them; empty: there are none.
func currencyOf(transactions adapter.Value) (c affiliate.Currency, one bool) {
	for t := range transactions.Each() {
		if t.Get("kind").Text() != givenBack {
			continue
		}
		switch own := currencyIn(t, ""); {
		case own == "":
			return c, false
		case c == "":
			c = own
		case c != own:
			return c, false
		}
	}
	return c, true
}

// currencyIn returns the currency of a transaction; when it is null, another one.
func currencyIn(t adapter.Value, otherwise affiliate.Currency) affiliate.Currency {
	if !t.Get("currency").Given() {
		return otherwise
	}
	return adapter.Currency(t.Get("currency"))
}

// shownIn returns the currency in which the customer saw what a refund lists; empty: it lists nothing.
func shownIn(refund adapter.Value) string {
	list := refund.Apart() // what is listed is never a reason to refuse a refund
	for _, of := range [][2]string{{"refund_line_items", "subtotal_set"},
		{"refund_shipping_lines", "subtotal_amount_set"}, {"order_adjustments", "amount_set"}} {
		if shown := list.Get(of[0]).First().Get(of[1], moneyOfBuyers, "currency_code").Text(); shown != "" {
			return shown
		}
	}
	return ""
}

// foreign reports whether money went back in another currency than the customer saw, such as to a
// gift card. It would wait as a refund of a payment in that currency, and the order be refused.
func foreign(shown string, c affiliate.Currency) bool { return shown != "" && shown != string(c) }

// refund reads a refund: its transactions say what was given back.
func (e *event) refund(c affiliate.Currency) {
	o := e.object
	e.Fact(pay.KindRefund, c, o, idOf(o.Get("order_id")))
	if e.Action.Payment.Refunds = refundsOf(o, c); len(e.Action.Payment.Refunds) == 0 {
		e.Ignore(pay.ZeroAmount)
	}
}

// transaction reads what became of a transaction.
func (e *event) transaction() {
	t := e.object
	if t.Get("kind").Text() != givenBack {
		e.Ignore(pay.CoveredElsewhere)
		return
	}
	c := currencyIn(t, "")
	if c == "" || foreign(t.Apart().Get("total_unsettled_set", moneyOfBuyers, "currency").Text(), c) {
		e.Ignore(pay.UnknownUnit)
		return
	}
	e.Fact(pay.KindRefund, c, t, idOf(t.Get("order_id")))
	f := refundOf(t)
	if f.Amount.Sign() == 0 {
		e.Ignore(pay.ZeroAmount)
		return
	}
	e.Action.Payment.Refunds = []affiliate.RefundFact{f}
}

// refundsOf reads the transactions of a refund in a currency. Each is one of our refunds, because
// each has a fate of its own.
func refundsOf(refund adapter.Value, c affiliate.Currency) (facts []affiliate.RefundFact) {
	for t := range refund.Get("transactions").Each() {
		if t.Get("kind").Text() != givenBack || currencyIn(t, c) != c {
			continue
		}
		if f := refundOf(t); f.Amount.Sign() > 0 {
			facts = append(facts, f)
		}
	}
	if len(facts) == 1 {
		split(refund, &facts[0])
	}
	return facts
}

// refundOf reads a transaction that gives money back.
func refundOf(t adapter.Value) affiliate.RefundFact {
	f := affiliate.RefundFact{ID: idOf(t.Get("id")), Amount: amountOf(t.Get("amount")), State: affiliate.RefundPending}
	switch t.Get("status").Text() {
	case "success":
		f.State = affiliate.RefundSucceeded
	case "failure", "error":
		f.State = affiliate.RefundFailed
	}
	return f
}

// split reads how much of a refund is tax and how much is shipping, when what it lists adds up
// to it, with the tax beside the prices or in them. Otherwise the engine shares it out.
func split(refund adapter.Value, f *affiliate.RefundFact) {
	list := refund.Apart() // what is listed is never a reason to refuse a refund
	money := func(v adapter.Value, name string) affiliate.Amount {
		return v.Get(name, moneyOfBuyers, "amount").Decimal()
	}
	var goods, tax, ship, shipTax affiliate.Amount
	for line := range list.Get("refund_line_items").Each() {
		goods, tax = plus(line, goods, money(line, "subtotal_set")), plus(line, tax, money(line, "total_tax_set"))
	}
	for line := range list.Get("refund_shipping_lines").Each() {
		ship, shipTax = plus(line, ship, money(line, "subtotal_amount_set")),
			plus(line, shipTax, money(line, "tax_amount_set"))
	}
	allTax, other := plus(list, tax, shipTax), affiliate.Amount{}
	for adjustment := range list.Get("order_adjustments").Each() {
		if adjustment.Get("kind").Text() != "shipping_refund" { // which is in refund_shipping_lines too
			other = plus(adjustment, other, money(adjustment, "amount_set"))
		}
	}
	exact := other.IsZero() || other == f.Amount // all of it is taken off again while it is pending
	switch prices := plus(list, goods, ship); {
	case list.Err() != nil || goods.Sign() < 0 || tax.Sign() < 0 || ship.Sign() < 0 || shipTax.Sign() < 0:
	case plus(list, prices, allTax) == f.Amount && list.Err() == nil:
		f.Tax, f.Shipping = affiliate.Set(allTax), affiliate.Set(ship)
	case exact && prices == f.Amount && tax.Cmp(goods) <= 0 && shipTax.Cmp(ship) <= 0:
		f.Tax, f.Shipping = affiliate.Set(allTax), affiliate.Set(minus(list, ship, shipTax))
	}
}
