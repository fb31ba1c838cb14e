package generic

import (
	"cmp"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// The types of reports.
const (
	typePayment      = "payment"
	typeCustomer     = "customer"
	typeSubscription = "subscription"
)

// Map reads a report that was verified, and returns its action. It has no clock, store or
// network: the same report gives the same action. Unlike the events of a provider, a report
// may have no field that is not read: one that is misspelt is refused.
//
// Errors: [adapter.ErrPayload].
//
// Source: docs/payments-generic.md.
func Map(payload []byte, cfg Config) (pay.Action, error) {
	return adapter.Map("generic", payload, func(d *adapter.Draft, root adapter.Value) {
		d.Begin(root.Get("id"), root.Get("type"), root.Get("at").Time())
		if d.Provider = root.Get("provider").Text(); d.Provider == "" {
			root.Get("provider").Fail("is missing")
		}
		r := report{Draft: d, cfg: cfg, root: root}
		switch d.Action.Event.Type {
		case typePayment:
			r.payment()
		case typeCustomer:
			r.only("customer")
			r.Customer(r.known())
		case typeSubscription:
			r.subscription()
		default:
			root.Get("type").Fail("is none of payment, customer, subscription")
		}
	})
}

// A report is a report while it is read.
type report struct {
	*adapter.Draft
	cfg  Config
	root adapter.Value
}

// only refuses fields that the report does not have.
func (r report) only(names ...string) {
	r.root.Only(append(names, "id", "type", "at", "provider")...)
}

// customer reads who pays.
func (r report) customer() affiliate.PayerFact {
	c := r.root.Get("customer")
	c.Only("id", "email", "name", "externalId")
	return affiliate.PayerFact{ID: c.Get("id").Text(), Email: c.Get("email").Text(),
		Name: c.Get("name").Text(), CustomerID: c.Get("externalId").Text()}
}

// known reads who pays by an id, without which the report says nothing.
func (r report) known() affiliate.PayerFact {
	payer := r.customer()
	if payer.ID == "" {
		r.root.Get("customer", "id").Fail("is missing")
	}
	return payer
}

// subscription reads the state of a subscription.
func (r report) subscription() {
	r.only("customer", "subscription")
	s := r.root.Get("subscription")
	s.Only("id", "status")
	status := affiliate.SubscriptionStatus("")
	switch s.Get("status").Text() {
	case "active":
		status = affiliate.SubscriptionActive
	case "past_due":
		status = affiliate.SubscriptionPastDue
	case "cancelled":
		status = affiliate.SubscriptionCancelled
	default:
		s.Get("status").Fail("is none of active, past_due, cancelled")
	}
	payer := r.known()
	r.Status(payer.ID, s.Get("id").Text(), status)
	r.Action.Status.Payer = payer
}

// payment reads what is told of a payment.
func (r report) payment() {
	r.only("ids", "currency", "customer", "paid", "refunds", "refunded", "disputes")
	var ids []string
	for id := range r.root.Get("ids").Each() {
		ids = append(ids, id.Text())
	}
	r.Fact(pay.KindLink, adapter.Currency(r.root.Get("currency")), r.root, ids...)
	f := &r.Action.Payment
	f.Payer = r.customer()
	if sum := r.root.Get("refunded"); sum.Given() {
		r.Action.Kind, f.Refunded = pay.KindRefund, affiliate.Set(amountOf(sum))
	}
	for one := range r.root.Get("refunds").Each() {
		r.Action.Kind, f.Refunds = pay.KindRefund, append(f.Refunds, refundOf(one))
	}
	for one := range r.root.Get("disputes").Each() {
		r.Action.Kind, f.Disputes = pay.KindDispute, append(f.Disputes, disputeOf(one))
	}
	if paid := r.root.Get("paid"); paid.Given() {
		r.paid(paid, ids)
	}
}

// paid reads that the payment with these ids was paid.
func (r report) paid(v adapter.Value, ids []string) {
	v.Only("amount", "tax", "shipping", "at", "orderId", "invoiceId", "productId", "renewal",
		"credit", "carried", "lines")
	if !v.Get("amount").Given() {
		v.Get("amount").Fail("is missing")
	}
	b := adapter.Bill{Currency: r.Action.Payment.Currency, Paid: amountOf(v.Get("amount")),
		Tax: amountOf(v.Get("tax")), Shipping: amountOf(v.Get("shipping"))}
	p := adapter.Paid{
		Order:   cmp.Or(append([]string{v.Get("orderId").Text()}, ids...)...),
		Invoice: v.Get("invoiceId").Text(), Product: v.Get("productId").Text(),
		At: v.Get("at").Time(), Renewal: v.Get("renewal").True(), Tries: creditsOf(v.Get("credit")),
	}
	carried := v.Get("carried")
	if carried.Given() && !carried.IsObject() {
		carried.Fail("is not an object")
	}
	r.Action.Carried = r.cfg.Carried(carried)
	r.lines(&p, b, v.Get("lines"))
	r.Action.Kind = pay.KindSale
	marked := r.Marked(p.Tries)
	switch {
	case b.Paid.IsZero() && marked && !p.Renewal:
		r.Lead(b, p)
	case b.Paid.IsZero():
		r.Ignore(pay.ZeroAmount)
	default:
		r.Action.Wait = p.Renewal
		r.Sale(b, p)
	}
}

// creditsOf reads whom a payment may credit, in order.
func creditsOf(list adapter.Value) (tries []affiliate.Credit) {
	for one := range list.Each() {
		one.Only("code", "click", "slug", "hold", "offer")
		try := affiliate.Credit{
			PromoCode: one.Get("code").Text(), ReferralID: one.Get("click").Loose() + one.Get("slug").Text(),
			HoldID: one.Get("hold").Text(), Offer: one.Get("offer").True(),
		}
		given := 0
		for _, name := range []string{"code", "click", "slug", "hold", "offer"} {
			if one.Get(name).Given() {
				given++
			}
		}
		if given != 1 || try == (affiliate.Credit{}) {
			one.Fail("must have one of code, click, slug, hold, offer")
		}
		tries = append(tries, try)
	}
	return tries
}

// lines reads what was bought.
func (r report) lines(p *adapter.Paid, b adapter.Bill, list adapter.Value) {
	if !list.Given() {
		r.Action.NoLines = pay.LinesMissing
		return
	}
	parts := adapter.Parts(list, func(line adapter.Value) adapter.Part {
		line.Only("id", "productId", "planId", "name", "quantity", "amount", "discount")
		part := adapter.Part{
			ID: line.Get("id").Text(), Product: line.Get("productId").Text(),
			Plan: line.Get("planId").Text(), Name: line.Get("name").Text(),
			Quantity: line.Get("quantity").Integer(), Gross: amountOf(line.Get("amount")).Scaled(),
			Off: amountOf(line.Get("discount")).Scaled(),
		}
		part.Net = part.Gross - part.Off
		return part
	})
	net, err := b.Net()
	if err != nil {
		list.Fail("cannot be added up")
	}
	p.Lines, r.Action.NoLines = adapter.Lines(parts, adapter.Whole{Net: net.Scaled(), Unit: b.Currency.Unit().Scaled()})
	p.Product = cmp.Or(p.Product, adapter.ProductOf(parts))
}

// refundOf reads a refund.
func refundOf(v adapter.Value) affiliate.RefundFact {
	v.Only("id", "amount", "tax", "shipping", "state")
	f := affiliate.RefundFact{ID: v.Get("id").Text(), Amount: amountOf(v.Get("amount")),
		State: affiliate.RefundState(v.Get("state").Text())}
	if !slices.Contains([]affiliate.RefundState{affiliate.RefundPending, affiliate.RefundSucceeded,
		affiliate.RefundFailed}, f.State) {
		v.Get("state").Fail("is none of pending, succeeded, failed")
	}
	for name, part := range map[string]*affiliate.Opt[affiliate.Amount]{"tax": &f.Tax, "shipping": &f.Shipping} {
		if v.Get(name).Given() {
			*part = affiliate.Set(amountOf(v.Get(name)))
		}
	}
	return f
}

// disputeOf reads a dispute.
func disputeOf(v adapter.Value) affiliate.DisputeFact {
	v.Only("id", "amount", "state")
	f := affiliate.DisputeFact{ID: v.Get("id").Text(), Amount: amountOf(v.Get("amount")),
		State: affiliate.DisputeState(v.Get("state").Text())}
	if !slices.Contains([]affiliate.DisputeState{
		affiliate.DisputeInquiry, affiliate.DisputeWithdrawn, affiliate.DisputeWon,
		affiliate.DisputeLost, affiliate.DisputeReleased,
	}, f.State) {
		v.Get("state").Fail("is none of inquiry, withdrawn, won, lost, released")
	}
	return f
}

// amountOf reads an amount, which is not below zero.
func amountOf(v adapter.Value) affiliate.Amount {
	amount := v.Decimal()
	if amount.Sign() < 0 {
		v.Fail("is below zero")
	}
	return amount
}
