package shopify

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// The kinds of objects, as their global ids name them. Events have no type in their body.
const (
	anOrder       = "Order"
	aRefund       = "Refund"
	aTransaction  = "OrderTransaction"
	aCustomer     = "Customer"
	globalPrefix  = "gid://shopify/"
	givenBack     = "refund"     // the kind of a transaction
	moneyOfShop   = "shop_money" // of an amount in two currencies
	moneyOfBuyers = "presentment_money"
)

// Map reads an event that was verified, and returns its action. It has no clock, store or
// network: the same payload gives the same action. Unknown objects, fields and values are no
// errors. Action.Event.ID is that of the object, and Action.Event.Type its kind: Shopify's
// payloads have neither an id nor a type of the event.
//
// Errors: [adapter.ErrPayload].
//
// Source: docs/payments-shopify.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map(provider, payload, func(d *adapter.Draft, root adapter.Value) {
		e := event{Draft: d, cfg: cfg, object: root}
		kind, _, _ := strings.Cut(strings.TrimPrefix(root.Get("admin_graphql_api_id").Loose(), globalPrefix), "/")
		d.Action.Event = pay.Event{ID: root.Get("id").Loose(), Type: cmp.Or(kind, "unknown")}
		switch kind {
		case anOrder:
			e.began("updated_at", root.Get("test").True(), e.order)
		case aRefund:
			c, one := currencyOf(root.Get("transactions"))
			switch {
			case c == "" && one: // goods came back, or nothing did
				e.Ignore(pay.ZeroAmount)
			case !one || foreign(shownIn(root), c):
				e.Ignore(pay.UnknownUnit)
			default:
				e.began("created_at", root.Get("transactions").First().Get("test").True(), func() { e.refund(c) })
			}
		case aTransaction:
			e.began("processed_at", root.Get("test").True(), e.transaction)
		case aCustomer:
			e.began("updated_at", cfg.Test, e.customer)
		default:
			if string(bytes.TrimSpace(payload)) == "{}" {
				root.Get("id").Fail("is missing")
			}
			e.Ignore(pay.UnknownEvent)
		}
	})
}

// An event is an event while it is read.
type event struct {
	*adapter.Draft
	cfg    Config
	object adapter.Value

	current bool // of an order: see edited
}

// began reads an object, unless it is of the other mode. Only objects that are read need an id,
// which is a number: that of a cart is a text, and some events have none.
func (e *event) began(at string, test bool, read func()) {
	idOf(e.object.Get("id"))
	when := e.object.Get(at)
	if !when.Given() && e.object.Get("created_at").Given() {
		when = e.object.Get("created_at")
	}
	if e.Action.Event.At = when.Time(); e.Action.Event.At.IsZero() {
		when.Fail("is missing")
	}
	e.Action.Event.Live = !test
	switch {
	case test && !e.cfg.Test:
		e.Ignore(pay.TestMode)
	case !test && e.cfg.Test:
		e.Action.Carried = e.carried()
		e.Ignore(pay.LiveMode)
	default:
		read()
	}
}

// carried reads what the cart carried, or a line of it.
func (e *event) carried() pay.Carried {
	return e.cfg.Carried(adapter.PairsOf(e.object, "note_attributes", "properties", "name", "value")...)
}

// idOf reads an id, which is a number.
func idOf(v adapter.Value) string {
	if v.Integer() <= 0 {
		v.Fail("is missing")
	}
	return v.Loose()
}

// amountOf reads an amount, which must be there and is not below zero.
func amountOf(v adapter.Value) affiliate.Amount {
	amount := v.Decimal()
	if v.Loose() == "" {
		v.Fail("is missing")
	}
	if amount.Sign() < 0 {
		v.Fail("is below zero")
	}
	return amount
}

// plus adds amounts; v is where the second one was read.
func plus(v adapter.Value, a, b affiliate.Amount) affiliate.Amount {
	sum, err := a.Add(b)
	if err != nil {
		v.Fail("is out of range")
	}
	return sum
}

// minus subtracts an amount from another one, to which it belongs.
func minus(v adapter.Value, a, b affiliate.Amount) affiliate.Amount {
	if b.Cmp(a) > 0 {
		v.Fail("is more than the whole")
		return affiliate.Amount{}
	}
	return plus(v, a, affiliate.AmountFromScaled(-b.Scaled()))
}

// sumOf adds what each element of a list says.
func sumOf(list adapter.Value, read func(adapter.Value) affiliate.Amount) (sum affiliate.Amount) {
	for one := range list.Each() {
		sum = plus(one, sum, read(one))
	}
	return sum
}

func taxOf(line adapter.Value) affiliate.Amount {
	return sumOf(line.Get("tax_lines"), func(tax adapter.Value) affiliate.Amount { return amountOf(tax.Get("price")) })
}

func discountOf(line adapter.Value) affiliate.Amount {
	return sumOf(line.Get("discount_allocations"),
		func(one adapter.Value) affiliate.Amount { return amountOf(one.Get("amount")) })
}

// customer reports a customer.
func (e *event) customer() { e.Customer(payerOf(e.object)) }

// payerOf reads a customer.
func payerOf(v adapter.Value) affiliate.PayerFact {
	f := affiliate.PayerFact{ID: v.Get("id").Loose(), Email: v.Get("email").Text()}
	f.Name = strings.TrimSpace(v.Get("first_name").Text() + " " + v.Get("last_name").Text())
	return f
}

// payer reads who paid an order.
func (e *event) payer() affiliate.PayerFact {
	f := payerOf(e.object.Get("customer"))
	email, name := e.object.Get("email").Text(), e.object.Get("billing_address", "name").Text()
	return adapter.Payer(f.ID, cmp.Or(f.Email, email), cmp.Or(f.Name, name))
}
