package httpapi

import (
	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 3.10.

// newHold is a hold whose time is a date of the program.
type newHold struct {
	affiliate.NewHold
	until affiliate.Opt[affiliate.Date]
}

func newHoldOf(in *input) newHold {
	return newHold{affiliate.NewHold{ID: in.optional("id"), Order: pricedOf(in)}, in.date("until")}
}

// hold holds a place of a code. Only a key of the scope full says what a currency is worth.
func hold(p *tributary.Program, c *call, in newHold) error {
	if err := c.fullOnly(!in.ExchangeRate.IsZero()); err != nil {
		return err
	}
	if until, sent := in.until.Get(); sent {
		in.Until = until.Instant(p.Config().Location)
	}
	out, err := p.HoldRedemption(c.r.Context(), in.NewHold)
	if err != nil {
		return err
	}
	return c.answer(&out)
}

func holdTarget(in *input) string {
	defer in.targeted()
	return in.optional("id")
}
