package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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

// A Charge is what a customer paid, with the parts that earn no commission.
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
