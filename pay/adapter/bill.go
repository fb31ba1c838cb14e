package adapter

import (
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// A Bill holds the amounts of a payment as a provider reports them.
type Bill struct {
	Currency                      affiliate.Currency
	Paid, Subtotal, Tax, Shipping affiliate.Amount

	Shown         affiliate.Amount   // the amount paid in another currency, of which refunds are parts
	ShownCurrency affiliate.Currency // empty: in Currency
}

// Share reduces the parts of a bill in proportion to what was paid of the whole: a credit
// of the customer also pays a part of tax and shipping. v is the field of the whole.
func (b *Bill) Share(v Value, whole affiliate.Amount) {
	if whole.Sign() <= 0 || b.Paid.Cmp(whole) >= 0 {
		return
	}
	for _, part := range []*affiliate.Amount{&b.Tax, &b.Shipping} {
		var err error
		if *part, err = part.Portion(b.Paid, whole, b.Currency); err != nil {
			v.Fail("is out of range")
		}
	}
	b.Fit()
}

// Fit limits tax and shipping together to what was paid, because both may have been rounded
// up.
func (b *Bill) Fit() {
	if rest, err := b.Paid.Sub(b.Tax); err == nil && b.Shipping.Cmp(rest) > 0 {
		b.Shipping = rest
	}
}

// basket returns a subtotal as a program takes it: above zero, and not less than what is
// left without tax and shipping.
func (b *Bill) basket(subtotal affiliate.Amount) affiliate.Opt[affiliate.Amount] {
	net, err := b.Net()
	if err != nil || subtotal.Sign() <= 0 || subtotal.Cmp(net) < 0 {
		return affiliate.Opt[affiliate.Amount]{}
	}
	return affiliate.Set(subtotal)
}

// Net returns what was paid without tax and shipping.
func (b *Bill) Net() (affiliate.Amount, error) {
	net, err := b.Paid.Sub(b.Tax)
	if err != nil {
		return net, err
	}
	return net.Sub(b.Shipping)
}

// A Paid holds what a payment has besides its bill.
type Paid struct {
	Order, Invoice string // externalId and externalInvoiceId
	Lines          []affiliate.Line
	Product        string // when there are no Lines
	At             time.Time
	Tries          []affiliate.Credit
	Renewal        bool // it redeems no code: those of Tries only say that somebody brought its customer
	Stage          affiliate.Stage
}

// Sale makes the fact of the draft a payment.
func (d *Draft) Sale(b Bill, p Paid) {
	in := affiliate.NewSale{
		TotalEarned: b.Paid, Tax: b.Tax, Shipping: b.Shipping, Subtotal: b.basket(b.Subtotal),
		ExternalID: p.Order, ExternalInvoiceID: p.Invoice, PaidAt: p.At, Free: b.Paid.IsZero(),
	}
	var sum int64
	for i := range p.Lines {
		sum += p.Lines[i].Amount.Scaled()
	}
	switch whole := b.basket(affiliate.AmountFromScaled(sum)); {
	case !whole.IsZero():
		in.Lines, in.Subtotal = p.Lines, whole
	case len(p.Lines) > 0:
		d.Action.NoLines = pay.LinesUnclear
	}
	if len(in.Lines) == 0 && Usable(p.Product) {
		in.Product = affiliate.Set(affiliate.Product{ProductID: p.Product})
	}
	paid := affiliate.Paid{NewSale: in, Gross: b.Paid, Tries: p.Tries, Renewal: p.Renewal, Stage: p.Stage}
	if b.ShownCurrency != "" {
		paid.Gross, paid.GrossCurrency = b.Shown, b.ShownCurrency
	}
	d.Action.Payment.Sale = affiliate.Set(paid)
}

// Currency reads a currency, which every amount needs. A code that is not in ISO
// 4217 is no program's currency and is passed on as it is.
func Currency(v Value) affiliate.Currency {
	return affiliate.Currency(strings.ToUpper(v.Required()))
}

// Hundredths reports whether a currency is one that every provider counts in hundredths: of the
// ariary, which has fifths, they differ.
func Hundredths(c affiliate.Currency) bool { return c.Digits() == 2 && c != "MGA" }

// Due reads an amount that must be there and is not below zero, in units of a currency with that
// many decimals.
func Due(v Value, c affiliate.Currency, digits int) affiliate.Amount {
	n := v.Integer()
	switch {
	case !v.Given():
		v.Fail("is missing")
	case n < 0:
		v.Fail("is below zero")
	}
	return Amount(v, n, c, digits)
}

// Amount is n units of a currency with that many decimals. The field is where n
// was read.
func Amount(v Value, n int64, c affiliate.Currency, digits int) affiliate.Amount {
	amount, err := pay.Minor(n, c, digits)
	if err != nil {
		v.Fail("is out of range")
	}
	return amount
}
