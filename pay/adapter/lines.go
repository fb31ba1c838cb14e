package adapter

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

const (
	scale    = 10_000 // of an amount
	maxLines = 500    // of a sale
	maxSum   = 1e15   // in 1/10,000: 10¹¹, of a sale and of each line
)

// A Part is a line of a payment as its provider counts it, in 1/10,000.
type Part struct {
	ID, Product, Plan, Name string
	Quantity                int64 // 1–10¹¹; others are left out

	Gross int64 // before discounts, with the tax that the price includes; below zero: money that is given back
	Off   int64 // of Gross: what discounts took off
	Net   int64 // what is left of it, without tax

	Of string // to what money that is given back belongs, such as the item of a subscription

	back int64 // of Net: what other lines give back
}

// A Whole is the required sum of lines, in 1/10,000, but for the rounding of each.
type Whole struct {
	Gross, Net int64 // Gross zero: not known
	Unit       int64 // the smallest amount that the provider counts
}

// Lines returns the lines of a payment, whose amounts and discounts are without tax and in
// units of the whole. A credit is a discount on the lines to which it belongs. If it is more
// than they cost, the rest is a discount on all lines, in proportion to their remaining
// amounts. Lines that cost nothing are left out.
//
// Without lines the reason says why: [pay.LinesCut] for too many, [pay.LinesUnclear] for
// amounts that are not those of a payment, or that do not add up to the whole.
func Lines(parts []Part, of Whole) ([]affiliate.Line, pay.Reason) {
	if len(parts) > maxLines {
		return nil, pay.LinesCut
	}
	var gross, net int64
	for i := range parts {
		if !parts[i].sound() {
			return nil, pay.LinesUnclear
		}
		gross, net = gross+parts[i].Gross, net+parts[i].Net
	}
	near := func(a, b int64) bool { return max(a-b, b-a) <= int64(len(parts))*of.Unit }
	if !near(net, of.Net) || of.Gross != 0 && !near(gross, of.Gross) {
		return nil, pay.LinesUnclear
	}
	var sold, back []Part
	for _, p := range parts {
		switch {
		case p.Gross > 0:
			sold = append(sold, p)
		case p.Gross < 0:
			back = append(back, p)
		}
	}
	if len(sold) == 0 || !giveBack(sold, back, of.Unit) {
		return nil, pay.LinesUnclear
	}
	lines := make([]affiliate.Line, len(sold))
	var sum int64
	for i := range sold {
		lines[i] = sold[i].line(of.Unit)
		if sum += lines[i].Amount.Scaled(); sum > maxSum {
			return nil, pay.LinesUnclear
		}
		if id := lines[i].ID; id != "" && slices.ContainsFunc(lines[:i], func(l affiliate.Line) bool { return l.ID == id }) {
			return nil, pay.LinesUnclear
		}
	}
	return lines, ""
}

// Parts reads the lines of a list, one more than a sale may have at most.
func Parts(list Value, read func(line Value) Part) (parts []Part) {
	for line := range list.Each() {
		if parts = append(parts, read(line)); len(parts) > maxLines {
			break
		}
	}
	return parts
}

// sound reports whether the amounts of a line fit to each other.
func (p *Part) sound() bool {
	if p.Gross < 0 {
		return p.Gross > -maxSum && p.Net <= 0 && p.Net > -maxSum
	}
	return p.Gross < maxSum && p.Off >= 0 && p.Off <= p.Gross && p.Net >= 0 && p.Net <= p.Gross-p.Off
}

// giveBack takes what some lines give back off those that were sold, and reports whether it is
// not more than these.
func giveBack(sold, back []Part, unit int64) bool {
	var rest int64
	for i := range back {
		of := back[i].Of
		rest += takeOff(sold, -back[i].Net, unit, func(p *Part) bool { return of != "" && p.Of == of })
	}
	return takeOff(sold, rest, unit, func(*Part) bool { return true }) == 0
}

// takeOff takes a sum off some of the lines, in proportion to what is left of them and by
// largest remainder, and returns what is more than these.
func takeOff(sold []Part, sum, unit int64, some func(*Part) bool) (rest int64) {
	left, all := make([]int64, len(sold)), int64(0)
	for i := range sold {
		if some(&sold[i]) {
			left[i] = sold[i].Net - sold[i].back
			all += left[i]
		}
	}
	rest = max(sum-all, 0)
	if sum -= rest; sum == 0 {
		return rest
	}
	over, remainders := sum, make([]uint64, len(sold))
	for i, l := range left {
		quo, rem := share(sum/unit, l, all)
		sold[i].back += quo * unit
		over, remainders[i] = over-quo*unit, rem
	}
	for ; over > 0; over -= unit {
		largest := 0
		for i, rem := range remainders {
			if rem > remainders[largest] {
				largest = i
			}
		}
		remainders[largest] = 0
		sold[largest].back += min(unit, over)
	}
	return rest
}

// share returns n × part ÷ whole, cut, and the remainder. The part is at most the whole, which
// is above zero.
func share(n, part, whole int64) (quo int64, rem uint64) {
	hi, lo := bits.Mul64(uint64(n), uint64(part))
	q, rem := bits.Div64(hi, lo, uint64(whole))
	return int64(q), rem
}

// line returns the line without the tax that its price includes: the discount has the same part
// of it as the amount.
func (p *Part) line(unit int64) affiliate.Line {
	off := p.Off
	if left := p.Gross - p.Off; left > p.Net {
		quo, _ := share(off, p.Net, left)
		off = (quo + unit/2) / unit * unit
	}
	l := affiliate.Line{Amount: affiliate.AmountFromScaled(p.Net + off),
		Discount: affiliate.AmountFromScaled(off + p.back)}
	for _, text := range []struct {
		to   *string
		from string
	}{{&l.ID, p.ID}, {&l.ProductID, p.Product}, {&l.PlanID, p.Plan}, {&l.Name, p.Name}} {
		if Usable(text.from) {
			*text.to = text.from
		}
	}
	if p.Quantity > 0 && p.Quantity <= maxSum/scale {
		l.Quantity = affiliate.Set(affiliate.AmountFromScaled(p.Quantity * scale))
	}
	return l
}

// ProductOf returns the product of all lines that cost something; with several products, or
// too many lines, it is empty. Otherwise the order of the lines would decide whether a code for
// one product is refused.
func ProductOf(parts []Part) (product string) {
	if len(parts) > maxLines {
		return ""
	}
	first := true
	for i := range parts {
		if parts[i].Gross <= 0 && parts[i].Net <= 0 {
			continue
		}
		if !first && parts[i].Product != product {
			return ""
		}
		product, first = parts[i].Product, false
	}
	return product
}

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
	in := affiliate.SaleParams{
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
	paid := affiliate.Paid{SaleParams: in, Gross: b.Paid, Tries: p.Tries, Renewal: p.Renewal, Stage: p.Stage}
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
