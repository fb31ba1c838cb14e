package httpapi

import (
	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 3.10.

// hold holds a place of a code. Only a key of the scope full says what a currency is worth.
func hold(p *tributary.Program, c *call, in affiliate.HoldParams) error {
	if err := c.fullOnly(!in.ExchangeRate.IsZero()); err != nil {
		return err
	}
	out, err := p.HoldRedemption(c.r.Context(), in)
	if err != nil {
		return err
	}
	return c.answer(&out)
}

func holdTarget(in *input) string {
	defer in.targeted()
	return in.optional("id")
}
