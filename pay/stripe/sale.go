package stripe

import (
	"cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// A payer holds the fields of one of Stripe's objects that say who pays.
type payer struct{ object, email, name adapter.Value }

// customerOf returns the id of the customer of an object: since 2026-07-29 it may be an account.
func customerOf(o adapter.Value) string {
	return cmp.Or(o.Get("customer").Ref(), o.Get("customer_account").Ref())
}

// payer returns who pays.
func (e *event) payer(p payer) affiliate.PayerFact {
	return adapter.Payer(customerOf(p.object), p.email.Text(), p.name.Text())
}

// intent reads a payment intent. It books the payment when the host asks for that. After
// a manual capture it says how much of its Checkout session was paid. All other intents
// are booked by another event.
func (e *event) intent() {
	o := e.object
	meta := e.carried(o.Get("metadata"))
	manual := o.Get("capture_method").Text() == "manual"
	if via(meta) != ViaIntent && !manual {
		e.other(meta, o.Get("id").Text(), o.Get("amount_received").Integer() > 0)
		return
	}
	c := adapter.Currency(o.Get("currency"))
	e.fact(pay.KindSale, c, o.Get("id").Text(), o.Get("latest_charge").Ref())
	e.Action.Carried = meta.All(e.cfg.CarryKeys)
	b := adapter.Bill{
		Currency: c,
		Paid:     amountOf(o.Get("amount_received"), c),
		Tax:      amountOf(o.Get("amount_details", "tax", "total_tax_amount"), c),
		Shipping: amountOf(o.Get("amount_details", "shipping", "amount"), c),
	}
	if b.Paid.Sign() <= 0 {
		e.Ignore(pay.ZeroAmount)
		return
	}
	b.Share(o.Get("amount_received"), amountOf(o.Get("amount"), c))
	e.Action.Payment.Payer = e.payerOfIntent()
	p := adapter.Paid{
		Order: o.Get("id").Text(), At: o.Get("created").Seconds(),
	}
	e.Action.NoLines = pay.LinesMissing
	if via(meta) != ViaIntent {
		p.Stage, e.Action.NoLines = affiliate.PaidOfAgreed, ""
	}
	e.Sale(b, p)
}

// other leaves a payment to the object that books it. When it says who brought its customer, it
// waits for that. An intent also says how much was paid of a session that was agreed before, as by
// bank debit.
func (e *event) other(meta adapter.Data, id string, paid bool) {
	o := e.object
	e.Action.Carried = meta.All(e.cfg.CarryKeys)
	if c := o.Get("currency"); !paid || id == "" || c.Text() == "" || !e.Marked(nil) && !o.Get("amount_received").Given() {
		e.Ignore(pay.CoveredElsewhere)
		return
	}
	awaits := cmp.Or(map[Via]string{ViaInvoice: "invoice.paid",
		ViaIntent: "payment_intent.succeeded"}[via(meta)], "checkout.session.completed")
	e.fact(pay.KindLink, adapter.Currency(o.Get("currency")), id)
	e.Action.Payment.Payer = affiliate.PayerFact{ID: customerOf(o)}
	e.Untold(pay.CoveredElsewhere, awaits, adapter.Paid{})
	if received := o.Get("amount_received"); received.Given() {
		c := e.Action.Payment.Currency
		e.Sale(adapter.Bill{Currency: c, Paid: amountOf(received, c)},
			adapter.Paid{Stage: affiliate.PaidOfAgreed, At: o.Get("created").Seconds()})
		of, _ := e.Action.Payment.Sale.Get()
		of.Awaits = awaits
		e.Action.Payment.Sale = affiliate.Set(of)
	}
}

// payerOfIntent returns who pays: the customer, or somebody who is known by the intent
// alone. The charge has the email, if it is there as an object.
func (e *event) payerOfIntent() affiliate.PayerFact {
	o := e.object
	charge := o.Get("charges", "data").First()
	if latest := o.Get("latest_charge"); latest.IsObject() {
		charge = latest
	}
	email := o.Get("receipt_email")
	if billing := charge.Get("billing_details", "email"); email.Text() == "" {
		email = billing
	}
	f := e.payer(payer{o, email, charge.Get("billing_details", "name")})
	f.ID = cmp.Or(f.ID, o.Get("id").Text())
	return f
}

// charge reads who pays from the charge of an intent that the host books: the intent has
// no email unless a receipt was asked for.
func (e *event) charge() {
	o := e.object
	meta := e.carried(o.Get("metadata"))
	billing := o.Get("billing_details")
	email := billing.Get("email")
	if email.Text() == "" {
		email = o.Get("receipt_email")
	}
	if via(meta) != ViaIntent || email.Text() == "" {
		e.other(meta, cmp.Or(o.Get("payment_intent").Ref(), o.Get("id").Text()), o.Get("captured").True())
		return
	}
	f := e.payer(payer{o, email, billing.Get("name")})
	if f.ID = cmp.Or(f.ID, o.Get("payment_intent").Ref()); f.ID == "" {
		e.Ignore(pay.NoCustomer)
		return
	}
	e.Action.Carried = meta.All(e.cfg.CarryKeys)
	e.Customer(f)
}
