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

// GiveBack reports a refund to the affiliate program. It does nothing for an
// order that no affiliate brought.
//
// The commission falls with what the customer gets back. If a payout has the
// commission already, this payout stays as it is and the next one is smaller:
// ClawBack asks for that, and without it the refund would be refused. The id
// makes the refund count once, so report it again after an error.
//
// An error concerns the shop: the program could not be reached, or more was given
// back than was paid.
func GiveBack(ctx context.Context, partners *client.Client, r Return) error {
	sales, err := partners.Sales(ctx, affiliate.SaleFilter{ExternalID: affiliate.Set(r.OrderID)}, affiliate.Page{})
	if err == nil && len(sales.Items) > 0 {
		_, err = partners.RefundSale(ctx, affiliate.Refund{
			SaleID: sales.Items[0].ID, Amount: r.Amount, RefundID: r.ID, ClawBack: true,
		})
	}
	if err != nil {
		return fmt.Errorf("refund order %s: %w", r.OrderID, err)
	}
	return nil
}
