// Package fake shows how a shop tests its own code against the engine itself:
// Checkout is the shop's, and its test gives it a client that talks to real
// handlers in memory, without a port.
package fake

import (
	"context"
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// An Order is what the shop knows of a purchase.
type Order struct {
	ID, Email, Name string
	Total           affiliate.Amount
	Code            string // as the customer typed it
}

// Checkout reports an order to the affiliate program and returns a line for the
// receipt. A code that does not work is the customer's to know; the order goes
// through without it.
func Checkout(ctx context.Context, partners *client.Client, o Order) (string, error) {
	result, err := partners.RecordSale(ctx, affiliate.NewSale{
		PromoCode: o.Code, Email: o.Email, Name: o.Name, TotalEarned: o.Total, ExternalID: o.ID,
	})
	if refused, ok := errors.AsType[*affiliate.Error](err); ok && len(refused.Reason) > 0 {
		return refused.Message, nil
	}
	if err != nil {
		return "", fmt.Errorf("report order %s: %w", o.ID, err)
	}
	if sale, recorded := result.Sale.Get(); recorded {
		return "Thank you for shopping with " + sale.Affiliate.Name, nil
	}
	return "Thank you", nil
}
