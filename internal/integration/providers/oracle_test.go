package providers_test

import (
	"cmp"
	"maps"
	"math/big"
	"strings"
	"testing"

	old "github.com/stripe/stripe-go/v81"
	api "github.com/stripe/stripe-go/v84"

	"github.com/tributary-go/tributary/pay"
)

// nameOf is the name of a payer, or the local part of the email.
func nameOf(name, email string) string {
	local, _, _ := strings.Cut(email, "@")
	return cmp.Or(name, local)
}

// part is what is paid of x: all of it, unless less than the whole was paid.
func part(x, paid, whole int64) int64 {
	if paid >= whole || whole <= 0 {
		return x
	}
	return scaled(x, paid, whole)
}

// scaled is x × paid ÷ whole, rounded half away from zero.
func scaled(x, paid, whole int64) int64 {
	n := new(big.Int).Mul(big.NewInt(x), big.NewInt(2*paid))
	n.Add(n, big.NewInt(whole))
	return n.Quo(n, big.NewInt(2*whole)).Int64()
}

func session(t *testing.T, body []byte) reading {
	s, _ := decoded[api.CheckoutSession](t, body)
	r := reading{"kind": "sale", "renewal": "false"}
	var intent, invoice string
	if s.PaymentIntent != nil {
		intent = s.PaymentIntent.ID
	}
	if s.Invoice != nil {
		invoice = s.Invoice.ID
	}
	r.keys(intent, invoice, s.ID)
	r.set("currency", strings.ToUpper(string(s.Currency)))
	email, name := s.CustomerEmail, ""
	if d := s.CustomerDetails; d != nil {
		email, name = cmp.Or(d.Email, email), d.Name
	}
	r.set("payer", s.Customer.ID)
	r.set("email", email)
	r.set("name", nameOf(name, email))
	r.set("customer", s.Metadata["tributary_customer"])
	r.set("total", s.AmountTotal)
	r.set("gross", s.AmountTotal)
	r.set("tax", s.TotalDetails.AmountTax)
	r.set("shipping", s.TotalDetails.AmountShipping)
	r.basket(s.AmountSubtotal, s.AmountTotal, s.TotalDetails.AmountTax, s.TotalDetails.AmountShipping)
	r.set("order", cmp.Or(s.Metadata["tributary_order"], intent))
	r.set("invoice", invoice)
	r.set("at", s.Created)
	if s.LineItems != nil {
		line := s.LineItems.Data[0]
		r.bought(line.Price.Product.ID, line.Price.ID, line.Quantity, line.AmountSubtotal, s.AmountSubtotal)
	}
	var codes []string
	for _, d := range s.Discounts {
		codes = append(codes, d.PromotionCode.ID, d.PromotionCode.Code)
	}
	r.tries(codes, s.Metadata, s.ClientReferenceID)
	return r
}

// converted is a session that showed another currency.
func converted(t *testing.T, body []byte) reading {
	r := session(t, body)
	s, _ := decoded[old.CheckoutSession](t, body)
	c := s.CurrencyConversion
	r.set("currency", strings.ToUpper(string(c.SourceCurrency)))
	r.set("total", c.AmountTotal)
	tax := scaled(s.TotalDetails.AmountTax, c.AmountTotal, s.AmountTotal)
	r.set("tax", tax)
	r.basket(c.AmountSubtotal, c.AmountTotal, tax, 0)
	return r
}

func invoice(t *testing.T, body []byte) reading {
	o, _ := decoded[api.Invoice](t, body)
	r := reading{"kind": "sale"}
	r.keys(o.ID)
	metadata := map[string]string{}
	maps.Copy(metadata, o.Parent.SubscriptionDetails.Metadata)
	maps.Copy(metadata, o.Metadata)
	var tax int64
	for _, one := range o.TotalTaxes {
		tax += one.Amount
	}
	shipping := o.AmountShipping
	if o.ShippingCost != nil {
		shipping = cmp.Or(shipping, o.ShippingCost.AmountTotal)
	}
	r.bill(bill{
		o.Currency, o.Customer.ID, o.CustomerEmail, o.CustomerName, string(o.BillingReason), metadata, o.AmountPaid, o.Total, o.Subtotal, tax, shipping, o.StatusTransitions.PaidAt,
	})
	r.set("order", metadata["tributary_order"])
	r.set("invoice", o.ID)
	if line := o.Lines.Data[0]; line.Amount > 0 {
		r.bought(line.Pricing.PriceDetails.Product, line.Pricing.PriceDetails.Price, line.Quantity, line.Amount, o.Total-tax-shipping)
	}
	return r
}

func oldInvoice(t *testing.T, body []byte) reading {
	o, _ := decoded[old.Invoice](t, body)
	r := reading{"kind": "sale"}
	payment := ""
	if o.Charge != nil {
		payment = o.Charge.ID
	}
	if o.PaymentIntent != nil {
		payment = o.PaymentIntent.ID
	}
	r.keys(o.ID, payment)
	metadata := map[string]string{}
	maps.Copy(metadata, o.Lines.Data[0].Metadata)
	if o.SubscriptionDetails != nil {
		maps.Copy(metadata, o.SubscriptionDetails.Metadata)
	}
	maps.Copy(metadata, o.Metadata)
	tax := o.Tax
	if tax == 0 {
		for _, one := range o.TotalTaxAmounts {
			tax += one.Amount
		}
	}
	r.bill(bill{
		api.Currency(o.Currency), o.Customer.ID, o.CustomerEmail, o.CustomerName, string(o.BillingReason), metadata, o.AmountPaid, o.Total, o.Subtotal, tax, 0, o.StatusTransitions.PaidAt,
	})
	r.set("order", cmp.Or(metadata["tributary_order"], payment))
	r.set("invoice", o.ID)
	line := o.Lines.Data[0]
	r.bought(line.Price.Product.ID, line.Price.ID, line.Quantity, line.Amount, o.Total-tax)
	return r
}

// A bill is what the versions of an invoice have in common.
type bill struct {
	currency                                     api.Currency
	payer, email, name, reason                   string
	metadata                                     map[string]string
	paid, total, subtotal, tax, shipping, paidAt int64
}

func (r reading) bill(b bill) {
	r.set("currency", strings.ToUpper(string(b.currency)))
	r.set("payer", b.payer)
	r.set("email", b.email)
	r.set("name", nameOf(b.name, b.email))
	r.set("total", b.paid)
	r.set("gross", b.paid)
	tax, shipping := part(b.tax, b.paid, b.total), part(b.shipping, b.paid, b.total)
	r.set("tax", tax)
	r.set("shipping", shipping)
	r.basket(b.subtotal, b.paid, tax, shipping)
	r.set("at", b.paidAt)
	r.set("renewal", b.reason != "subscription_create")
	r.tries(nil, b.metadata, "")
}

func intent(t *testing.T, body []byte) reading {
	o, _ := decoded[api.PaymentIntent](t, body)
	if o.Metadata["tributary_via"] != "intent" {
		r := ignored(pay.CoveredElsewhere) // but for what a session agreed
		r.keys(o.ID)
		r.set("currency", strings.ToUpper(string(o.Currency)))
		r.set("payer", o.Customer.ID)
		r.set("total", o.AmountReceived)
		r.set("gross", o.AmountReceived)
		r.set("at", o.Created)
		r.set("renewal", false)
		return r
	}
	r := reading{"kind": "sale", "renewal": "false"}
	r.keys(o.ID, o.LatestCharge.ID)
	r.set("currency", strings.ToUpper(string(o.Currency)))
	r.set("payer", o.Customer.ID)
	r.set("email", o.ReceiptEmail)
	r.set("name", nameOf("", o.ReceiptEmail))
	r.set("total", o.AmountReceived)
	r.set("gross", o.AmountReceived)
	if d := o.AmountDetails; d != nil {
		if d.Tax != nil {
			r.set("tax", scaled(d.Tax.TotalTaxAmount, o.AmountReceived, max(o.Amount, o.AmountReceived)))
		}
		if d.Shipping != nil {
			r.set("shipping", scaled(d.Shipping.Amount, o.AmountReceived, max(o.Amount, o.AmountReceived)))
		}
	}
	r.set("order", cmp.Or(o.Metadata["tributary_order"], o.ID))
	r.set("at", o.Created)
	r.tries(nil, o.Metadata, "")
	return r
}

func invoicePayment(t *testing.T, body []byte) reading {
	o, _ := decoded[api.InvoicePayment](t, body)
	r := reading{"kind": "link"}
	if o.Payment.Type == api.InvoicePaymentPaymentTypeCharge {
		r.keys(o.Payment.Charge.ID, o.Invoice.ID)
	} else {
		r.keys(o.Payment.PaymentIntent.ID, o.Invoice.ID)
	}
	r.set("currency", strings.ToUpper(string(o.Currency)))
	return r
}

// moneyBack is what refunds and disputes have in common.
func moneyBack(kind string, c api.Currency, intent *api.PaymentIntent, charge *api.Charge) reading {
	r := reading{"kind": kind}
	ids := []string{"", charge.ID}
	if intent != nil {
		ids[0] = intent.ID
	}
	r.keys(ids...)
	r.set("currency", strings.ToUpper(string(c)))
	return r
}

var refundStates = map[api.RefundStatus]string{
	api.RefundStatusSucceeded: "succeeded", api.RefundStatusFailed: "failed", api.RefundStatusCanceled: "failed",
	api.RefundStatusPending: "pending", api.RefundStatusRequiresAction: "pending",
}

func refund(t *testing.T, body []byte) reading {
	o, _ := decoded[api.Refund](t, body)
	r := moneyBack("refund", o.Currency, o.PaymentIntent, o.Charge)
	r.amount("refund "+o.ID, o.Amount, refundStates[o.Status])
	return r
}

var disputeStates = map[api.DisputeStatus]string{
	api.DisputeStatusNeedsResponse: "withdrawn", api.DisputeStatusUnderReview: "withdrawn", api.DisputeStatusWon: "won", api.DisputeStatusLost: "lost",
	api.DisputeStatusWarningClosed: "released", api.DisputeStatusPrevented: "released",
	api.DisputeStatusWarningNeedsResponse: "inquiry", api.DisputeStatusWarningUnderReview: "inquiry",
}

func dispute(t *testing.T, body []byte) reading {
	o, _ := decoded[api.Dispute](t, body)
	r := moneyBack("dispute", o.Currency, o.PaymentIntent, o.Charge)
	state := disputeStates[o.Status]
	for _, moved := range o.BalanceTransactions {
		if o.Status == api.DisputeStatusPrevented && moved.Amount < 0 {
			state = "lost" // it was prevented by giving the money back
		}
	}
	r.amount("dispute "+o.ID, o.Amount, state)
	return r
}

func charge(t *testing.T, body []byte) reading {
	o, kind := decoded[api.Charge](t, body)
	if kind != "charge.refunded" {
		return ignored(pay.CoveredElsewhere)
	}
	r := moneyBack("refund", o.Currency, o.PaymentIntent, o)
	r.set("refunded", o.AmountRefunded)
	return r
}

func oldCharge(t *testing.T, body []byte) reading {
	o, _ := decoded[old.Charge](t, body)
	r := reading{"kind": "refund"}
	r.keys(o.PaymentIntent.ID, o.ID, o.Invoice.ID)
	r.set("currency", strings.ToUpper(string(o.Currency)))
	r.set("refunded", o.AmountRefunded)
	for _, one := range o.Refunds.Data {
		r.amount("refund "+one.ID, one.Amount, refundStates[api.RefundStatus(one.Status)])
	}
	return r
}

func creditNote(t *testing.T, body []byte) reading {
	o, _ := decoded[api.CreditNote](t, body)
	switch {
	case o.OutOfBandAmount > 0:
		r := reading{"kind": "refund"}
		r.keys(o.Invoice.ID)
		r.set("currency", strings.ToUpper(string(o.Currency)))
		r.amount("refund "+o.ID, o.OutOfBandAmount, "succeeded")
		return r
	case len(o.Refunds) == 0 && o.CustomerBalanceTransaction != nil:
		return ignored(pay.CreditBalance)
	}
	r := ignored(pay.CoveredElsewhere) // what it says of its refunds is kept for these
	for _, one := range o.Refunds {
		r.keys(o.Invoice.ID)
		r.set("currency", strings.ToUpper(string(o.Currency)))
		r.amount("refund "+one.Refund.ID, one.AmountRefunded, "pending")
	}
	return r
}

func subscription(t *testing.T, body []byte) reading {
	o, _ := decoded[api.Subscription](t, body)
	r := reading{"kind": "status", "payer": o.Customer.ID, "subscription": o.ID}
	r["status"] = map[api.SubscriptionStatus]string{
		api.SubscriptionStatusActive: "ACTIVE", api.SubscriptionStatusPastDue: "PAST_DUE", api.SubscriptionStatusIncompleteExpired: "CANCELLED",
	}[o.Status]
	return r
}

func customer(t *testing.T, body []byte) reading {
	o, _ := decoded[api.Customer](t, body)
	return reading{"kind": "customer", "payer": o.ID, "email": o.Email, "name": nameOf(o.Name, o.Email)}
}
