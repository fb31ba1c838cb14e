package fake

import (
	"context"
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// A Return is money that goes back to a customer.
type Return struct {
	OrderID string
	ID      string                          // of the refund at the payment provider
	Amount  affiliate.Opt[affiliate.Amount] // not set: all that is left of the order
}

// GiveBack reports a refund to the affiliate program, and reports whether the
// program has a sale of the order. It has none, and nothing is done, when no
// affiliate brought the order, and also when Checkout has yet to report it: keep
// such a refund as long as the order waits to be reported, and report it after.
//
// The commission falls with what the customer gets back. If a payout has the
// commission already, this payout stays as it is and the next one is smaller:
// ClawBack asks for that, and without it the refund would be refused. The id
// makes the refund count once, so report it again after an error.
//
// An error concerns the shop: the program could not be reached, or more was given
// back than was paid.
func GiveBack(ctx context.Context, partners *client.Client, r Return) (known bool, err error) {
	sales, err := partners.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set(r.OrderID)}, affiliate.Page{})
	if known = err == nil && len(sales.Items) > 0; known {
		_, err = partners.RefundSale(ctx, affiliate.Refund{
			SaleID: sales.Items[0].ID, Amount: r.Amount, RefundID: r.ID, ClawBack: true,
		})
	}
	if err != nil {
		return false, fmt.Errorf("refund order %s: %w", r.OrderID, err)
	}
	return known, nil
}
