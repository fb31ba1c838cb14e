package engine

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/refusal"
)

// What a customer was charged, and in which currency. Source: docs/terms.md 8.

// AsCharged returns a sale with the amounts that were charged; of a sale in the program's
// currency these are its own. What a sale earns is computed of them. The lists are shared.
func AsCharged(r *record.Sale) *record.Sale {
	if len(r.Charged) == 0 {
		return r
	}
	q, c := *r, &r.Charged[0]
	q.TotalEarned, q.Subtotal, q.Tax, q.Shipping, q.Refunded = c.TotalEarned, c.Subtotal, c.TaxAmount, c.ShippingAmount, c.RefundedAmount
	return &q
}

// CurrencyOf returns the currency in which a sale was charged.
func (p *Program) CurrencyOf(r *record.Sale) affiliate.Currency {
	if len(r.Charged) == 0 {
		return p.Cfg.Currency
	}
	return r.Charged[0].Currency
}

// setCharged gives a sale the amounts of q, which is the sale as it is to be charged. Those
// in the program's currency follow from them.
func (p *Program) setCharged(r, q *record.Sale) error {
	if len(r.Charged) == 0 {
		r.TotalEarned, r.Subtotal, r.Tax, r.Shipping, r.Refunded = q.TotalEarned, q.Subtotal, q.Tax, q.Shipping, q.Refunded
		return nil
	}
	c := r.Charged[0]
	c.TotalEarned, c.Subtotal, c.TaxAmount, c.ShippingAmount, c.RefundedAmount = q.TotalEarned, q.Subtotal, q.Tax, q.Shipping, q.Refunded
	r.Charged = []affiliate.Charge{c} // the former list may be the store's
	var err error
	in := func(a affiliate.Amount) affiliate.Amount {
		worth, failed := c.ExchangeRate.Of(a, p.Cfg.Currency)
		err = cmp.Or(err, failed)
		return worth
	}
	r.TotalEarned, r.Tax, r.Shipping, r.Refunded = in(q.TotalEarned), in(q.Tax), in(q.Shipping), in(q.Refunded)
	r.Subtotal = affiliate.Opt[affiliate.Amount]{}
	if basket, ok := q.Subtotal.Get(); ok {
		r.Subtotal = affiliate.Set(in(basket))
	}
	return refusal.First(
		refusal.FieldTooLarge.About("totalEarned").When(err != nil),
		refusal.ChargeNotWorth.When(q.TotalEarned.Sign() > 0 && r.TotalEarned.IsZero()),
		refusal.BoundOfSale("totalEarned", r.TotalEarned),
	)
}

// chargedIn refuses amounts for a sale in another currency than the one in which it was
// charged. An amount without a currency is in the program's.
func (p *Program) chargedIn(r *record.Sale, c affiliate.Currency, amounts bool) *affiliate.Error {
	of := p.CurrencyOf(r)
	if cmp.Or(c, p.Cfg.Currency) == of || c == "" && !amounts {
		return nil
	}
	if len(r.Charged) == 0 {
		return refusal.FieldOtherCurrency.Of("currency")
	}
	return refusal.ChargedInAnother.Of(string(of))
}

// priced checks the currency and the rate of an order, and clears the program's own. A
// rate belongs to another one.
func (p *Program) priced(c *affiliate.Currency, rate affiliate.ExchangeRate) *affiliate.Error {
	if *c != "" {
		named, err := affiliate.ParseCurrency(string(*c))
		if err != nil {
			return refusal.CurrencyUnknown.Err()
		}
		if *c = named; named == p.Cfg.Currency {
			*c = ""
		}
	}
	return cmp.Or(
		refusal.FieldNotAllowed.About("exchangeRate").When(*c == "" && !rate.IsZero()),
		refusal.FieldNotPositive.About("exchangeRate").When(rate.Scaled() < 0),
	)
}

// RateOf returns what one unit of a currency is worth in the program's at a time: as it was
// given, else as the host says. It is called before a transaction.
func (p *Program) RateOf(ctx context.Context, c affiliate.Currency, given affiliate.ExchangeRate, at time.Time) (rate affiliate.ExchangeRate, err error) {
	if c == "" || !given.IsZero() {
		return given, nil
	}
	if p.Cfg.Rate != nil {
		if rate, err = p.saidRate(ctx, c, at); err != nil {
			return rate, refusal.Internal("Config.Rate", err)
		}
	}
	if rate.Scaled() <= 0 {
		return rate, refusal.NoExchangeRate.Of(string(c))
	}
	return rate, nil
}

// inProgram returns what an amount of a checked order is worth in the program's currency.
func (p *Program) inProgram(a affiliate.Amount, c affiliate.Currency, rate affiliate.ExchangeRate) (affiliate.Amount, error) {
	if c == "" {
		return a, nil
	}
	worth, err := rate.Of(a, p.Cfg.Currency)
	return worth, TooLargeFor("totalEarned", err)
}

// A basket is an order before the discount of its code. The code's minimum is
// compared with it, and the discount is calculated from it. Source:
// docs/money.md 12.

// basketOf returns the subtotal when it was sent, else the total.
func basketOf(subtotal, total affiliate.Opt[affiliate.Amount]) affiliate.Opt[affiliate.Amount] {
	if _, sent := subtotal.Get(); sent {
		return subtotal
	}
	return total
}

// checkSubtotal checks a subtotal by itself.
func checkSubtotal(subtotal affiliate.Opt[affiliate.Amount]) *affiliate.Error {
	amount, sent := subtotal.Get()
	if !sent {
		return nil
	}
	if amount.Sign() <= 0 {
		return refusal.SubtotalNotPositive.Err()
	}
	return refusal.BoundOfSale("subtotal", amount)
}

// A Charge is the payment of a customer, with the parts that earn no commission.
type Charge struct{ Total, Tax, Shipping affiliate.Amount }

// charge returns what the customer paid for a sale.
func charge(r *record.Sale) Charge { return Charge{r.TotalEarned, r.Tax, r.Shipping} }

// Check checks tax and shipping against the total. field is the one that the
// caller can change.
func (c Charge) Check(field string) error {
	if c.Tax.Sign() < 0 {
		return refusal.TaxNegative.Err()
	}
	if c.Shipping.Sign() < 0 {
		return refusal.ShippingNegative.Err()
	}
	sum, err := c.Tax.Add(c.Shipping)
	if err != nil || sum.Cmp(c.Total) > 0 {
		return refusal.DeductionsExceedTotal.On(field)
	}
	return nil
}

// checkSubtotal refuses a subtotal below what was earned without tax and
// shipping, which are checked already: a discount takes off and never adds.
// field is the one that the caller can change.
func (c Charge) checkSubtotal(subtotal affiliate.Opt[affiliate.Amount], field string) *affiliate.Error {
	amount, sent := subtotal.Get()
	if !sent {
		return nil
	}
	net, err := c.Total.Sub(c.Tax)
	if err == nil {
		net, err = net.Sub(c.Shipping)
	}
	if err != nil || amount.Cmp(net) < 0 {
		return refusal.SubtotalBelowTotal.On(field)
	}
	return nil
}

// The lines of a sale. What earns is shared out to them, the discount of a code is taken
// off them, and refunds may name them. Source: docs/terms.md 1.

// normalizeLines checks lines and completes the subtotal, which is their sum. An invalid
// name changes no money, so it is left out, and ignored names it.
func normalizeLines(lines []affiliate.Line, product affiliate.Opt[affiliate.Product], subtotal *affiliate.Opt[affiliate.Amount]) (ignored []string, err error) {
	if len(lines) == 0 {
		return nil, nil
	}
	if _, both := product.Get(); both {
		return nil, refusal.FieldNotAllowed.Of("product")
	}
	if len(lines) > refusal.MaxLines {
		return nil, refusal.FieldOver500Entries.Of("lines")
	}
	var sum affiliate.Amount
	for i := range lines {
		l, in := &lines[i], fmt.Sprintf("lines[%d].", i)
		if refusal.Optional(in+"name", l.Name, refusal.MaxName) != nil {
			l.Name = ""
			if len(ignored) == 0 { // one is enough: what is ignored fits into a header
				ignored = []string{in + "name"}
			}
		}
		if err := checkLine(l, in); err != nil {
			return nil, err
		}
		if l.ID != "" && slices.ContainsFunc(lines[:i], func(q affiliate.Line) bool { return q.ID == l.ID }) {
			return nil, refusal.FieldNotDistinct.Of("lines")
		}
		if sum, err = sum.Add(l.Amount); err != nil {
			return nil, refusal.FieldTooLarge.Of("subtotal")
		}
	}
	if sent, ok := subtotal.Get(); ok && sent != sum {
		return nil, refusal.FieldNotTheSum.Of("subtotal")
	}
	if sum.Sign() > 0 {
		*subtotal = affiliate.Set(sum)
	}
	return ignored, refusal.First(refusal.BoundOfSale("subtotal", sum))
}

func checkLine(l *affiliate.Line, in string) error {
	if err := refusal.First(
		refusal.Optional(in+"id", l.ID, refusal.MaxName),
		refusal.Optional(in+"productId", l.ProductID, refusal.MaxName),
		refusal.Optional(in+"planId", l.PlanID, refusal.MaxName),
	); err != nil {
		return err
	}
	if err := checkIDs(in+"categories", l.Categories, refusal.MaxCategories, refusal.FieldOver16Entries); err != nil {
		return err
	}
	quantity, counted := l.Quantity.Get()
	return refusal.First(
		refusal.FieldNotPositive.About(in+"quantity").When(counted && quantity.Sign() <= 0),
		refusal.FieldNotAtLeastZero.About(in+"amount").When(l.Amount.Sign() < 0),
		refusal.BoundOfSale(in+"amount", l.Amount),
		refusal.FieldNotAtLeastZero.About(in+"discount").When(l.Discount.Sign() < 0),
		refusal.FieldTooLarge.About(in+"discount").When(l.Discount.Cmp(l.Amount) > 0),
	)
}

// StoredLines returns lines as a record keeps them.
func StoredLines(lines []affiliate.Line) []affiliate.StoredLine {
	if len(lines) == 0 {
		return nil
	}
	stored := make([]affiliate.StoredLine, len(lines))
	for i := range lines {
		l := &lines[i]
		stored[i] = affiliate.StoredLine{
			ID: l.ID, ProductID: l.ProductID, PlanID: l.PlanID, Name: l.Name, Categories: slices.Clone(l.Categories),
			Quantity: l.Quantity.Or(one), Amount: l.Amount, Discount: l.Discount,
		}
	}
	return stored
}

// NewLines returns stored lines as they were given.
func NewLines(stored []affiliate.StoredLine) []affiliate.Line {
	if len(stored) == 0 {
		return nil
	}
	lines := make([]affiliate.Line, len(stored))
	for i, l := range stored {
		lines[i] = affiliate.Line{
			ID: l.ID, ProductID: l.ProductID, PlanID: l.PlanID, Name: l.Name, Categories: slices.Clone(l.Categories),
			Quantity: affiliate.Set(l.Quantity), Amount: l.Amount, Discount: l.Discount,
		}
	}
	return lines
}

// one is the quantity of a line that does not say it.
var one = affiliate.AmountFromScaled(decimal.Scale)

// linesOf returns the lines of a sale as the wire shows them. The one line of a sale
// without lines has what was charged as its amount.
func linesOf(r *record.Sale) []affiliate.SaleLine {
	if len(r.Lines) == 0 {
		return nil
	}
	lines := make([]affiliate.SaleLine, len(r.Lines))
	for i := range r.Lines {
		l := &r.Lines[i]
		lines[i] = affiliate.SaleLine{
			ID: OrNull(l.ID), ProductID: OrNull(l.ProductID), PlanID: OrNull(l.PlanID), Name: OrNull(l.Name),
			Categories: refusal.EmptyNotNil(slices.Clone(l.Categories)), Quantity: l.Quantity, Amount: l.Amount, Discount: l.Discount,
			CodeDiscount: l.CodeDiscount, Refunded: l.Refunded, Rule: OrNull(l.Rule),
		}
		if l.Whole {
			paid := AsCharged(r)
			lines[i].Amount = affiliate.AmountFromScaled(paid.TotalEarned.Scaled() - paid.Tax.Scaled() - paid.Shipping.Scaled())
		}
	}
	return lines
}

// left returns what all discounts leave of a line, in 1/10,000.
func left(l *affiliate.StoredLine) int64 {
	return l.Amount.Scaled() - l.Discount.Scaled() - l.CodeDiscount.Scaled()
}

// Spread shares out a sum, which is not negative, in proportion to weights, by largest
// remainder: the shares are whole multiples of unit and add up to the sum. What is left over after
// cutting goes to the largest remainders, with equal ones to the earlier share. The sum is
// a multiple of unit when all weights are; when one is not, the unit is 1.
func Spread(sum int64, weights []int64, unit int64) []int64 {
	var all uint64
	for _, w := range weights {
		all += uint64(w)
		if w%unit != 0 {
			unit = 1
		}
	}
	shares := make([]int64, len(weights))
	if all == 0 {
		return shares
	}
	rests, over := make([]uint64, len(weights)), sum/unit
	for i, w := range weights {
		hi, lo := bits.Mul64(uint64(sum/unit), uint64(w))
		quo, rem := bits.Div64(hi, lo, all) // w is at most all, so it fits
		shares[i], rests[i] = int64(quo), rem
		over -= int64(quo)
	}
	for ; over > 0; over-- {
		largest := 0
		for i, rest := range rests {
			if rest > rests[largest] {
				largest = i
			}
		}
		rests[largest] = 0
		shares[largest]++
	}
	for i := range shares {
		shares[i] *= unit
	}
	return shares
}

// lineBases shares out the base of a sale to its lines, in 1/10,000: by what the discounts
// left of them; when that is nothing, by their amounts; when these are nothing, all to the
// first.
func lineBases(r *record.Sale, base affiliate.Amount) []int64 {
	weights := make([]int64, len(r.Lines))
	for _, weight := range [...]func(*affiliate.StoredLine) int64{left, func(l *affiliate.StoredLine) int64 { return l.Amount.Scaled() }} {
		nothing := true
		for i := range r.Lines {
			weights[i] = weight(&r.Lines[i])
			nothing = nothing && weights[i] == 0
		}
		if !nothing {
			return Spread(base.Scaled(), weights, 1)
		}
	}
	weights[0] = base.Scaled()
	return weights
}

// LineWeights returns what the lines of a sale cost, and what they earn before refunds: the
// proportions in which the amounts and the commission of the sale are theirs, whatever is
// refunded later.
func (p *Program) LineWeights(r *record.Sale) (cost, earns []int64, err error) {
	full := *AsCharged(r)
	full.Refunded, full.Refunds, full.Lines = affiliate.Amount{}, nil, slices.Clone(r.Lines)
	for i := range full.Lines {
		full.Lines[i].Refunded = affiliate.Amount{}
	}
	shares, err := p.lineShares(&full)
	if err != nil {
		return nil, nil, err
	}
	cost, earns = make([]int64, len(shares)), make([]int64, len(shares))
	for i := range shares {
		cost[i] = shares[i].Base.Scaled()
		scaled := shares[i].Earns.Mul(shares[i].Earns, big.NewRat(decimal.Scale, 1))
		earns[i] = new(big.Int).Quo(scaled.Num(), scaled.Denom()).Int64()
	}
	return cost, earns, nil
}

// A linePart is the share of a line in the base of its sale.
type linePart struct {
	base int64    // in 1/10,000
	kept *big.Rat // in units: after the refunds
}

// lineParts returns the parts of all lines. Refunds that name lines take them off these;
// all that others took of the base is shared by the lines in proportion to what is left
// of them. So the order of refunds does not matter.
func (p *Program) lineParts(r *record.Sale) ([]linePart, error) {
	base, err := p.Base(r)
	if err != nil {
		return nil, err
	}
	kept, err := KeptOf(r)
	if err != nil {
		return nil, err
	}
	named, err := RefundPartsOf(r)
	if err != nil {
		return nil, err
	}
	bases := lineBases(r, base)
	parts, rest := make([]linePart, len(bases)), int64(0)
	unnamed := make([]int64, len(bases))
	for i, b := range bases {
		parts[i].base, parts[i].kept = b, new(big.Rat)
		unnamed[i] = max(b-r.Lines[i].Refunded.Scaled(), 0)
		rest += unnamed[i]
	}
	if kept.Sign() <= 0 || rest == 0 {
		return parts, nil
	}
	whole := p.keptBase(r, base, kept, named)
	whole.Mul(whole, big.NewRat(1, rest))
	for i, n := range unnamed {
		parts[i].kept.Mul(whole, new(big.Rat).SetInt64(n))
	}
	return parts, nil
}
