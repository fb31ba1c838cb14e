// Package acmepay is an adapter for a payment provider that does not exist. It is the
// example of docs/adapters.md, with everything that an adapter needs.
package acmepay

import (
	"net/http"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Handler returns the endpoint for the events of Acme Pay.
func Handler(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
	return adapter.Endpoint{
		Config: cfg,
		Scheme: adapter.HMACHex("Acme-Signature", cfg.Secrets),
		Map:    func(body []byte) (pay.Action, error) { return Map(body, cfg) },
	}.Handler(p)
}

// Map reads an event that was verified.
func Map(body []byte, cfg adapter.Config) (pay.Action, error) {
	return adapter.Map("acmepay", body, func(d *adapter.Draft, root adapter.Value) {
		d.Begin(root.Get("id"), root.Get("event"), root.Get("created_at").Time())
		o := root.Get("data")
		switch d.Action.Event.Type {
		case "payment.succeeded":
			payment(d, o, cfg)
		case "refund.updated":
			refund(d, o)
		case "subscription.updated":
			subscription(d, o)
		default:
			d.Ignore(pay.UnknownEvent)
		}
	})
}

func payment(d *adapter.Draft, o adapter.Value, cfg adapter.Config) {
	c := adapter.Currency(o.Get("currency"))
	d.Fact(pay.KindSale, c, o, o.Get("id").Text(), o.Get("invoice").Text())
	buyer := o.Get("customer")
	d.Action.Payment.Payer = affiliate.PayerFact{ID: buyer.Get("id").Text(),
		Email: buyer.Get("email").Text(), Name: buyer.Get("name").Text()}
	d.Action.Carried = cfg.Carried(o.Get("metadata"))
	bill := adapter.Bill{Currency: c, Paid: amount(o.Get("total"), c), Tax: amount(o.Get("tax"), c)}
	if bill.Paid.Sign() <= 0 {
		d.Ignore(pay.ZeroAmount)
		return
	}
	paid := adapter.Paid{Order: o.Get("id").Text(), Renewal: o.Get("renewal").True()}
	d.Action.Wait = paid.Renewal && d.Marked(paid.Tries)
	d.Action.NoLines = pay.LinesMissing
	d.Sale(bill, paid)
}

func refund(d *adapter.Draft, o adapter.Value) {
	c := adapter.Currency(o.Get("currency"))
	d.Fact(pay.KindRefund, c, o, o.Get("payment").Text())
	f := affiliate.RefundFact{ID: o.Get("id").Text(), Amount: amount(o.Get("amount"), c),
		State: affiliate.RefundPending}
	switch o.Get("status").Text() {
	case "succeeded":
		f.State = affiliate.RefundSucceeded
	case "failed":
		f.State = affiliate.RefundFailed
	}
	d.Action.Payment.Refunds = []affiliate.RefundFact{f}
}

func subscription(d *adapter.Draft, o adapter.Value) {
	switch status := strings.ToUpper(o.Get("status").Text()); affiliate.SubscriptionStatus(status) {
	case affiliate.SubscriptionActive, affiliate.SubscriptionPastDue, affiliate.SubscriptionCancelled:
		d.Status(o.Get("customer").Text(), o.Get("id").Text(), affiliate.SubscriptionStatus(status))
	default:
		d.Ignore(pay.UnknownEvent)
	}
}

// amount reads what Acme Pay counts: cents, and whole yen.
func amount(v adapter.Value, c affiliate.Currency) affiliate.Amount {
	return adapter.Amount(v, v.Integer(), c, c.Digits())
}
