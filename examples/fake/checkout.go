// Package fake shows how a shop reports its orders, and how it tests its own
// code against the engine itself: Checkout is the shop's, and its test gives it a
// client that talks to real handlers in memory, without a port.
package fake

import (
	"context"
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// An Order is what the shop knows of a purchase that was paid.
type Order struct {
	ID, Email, Name string
	Basket          affiliate.Amount // before the discount, as given to Preview
	Total           affiliate.Amount // as charged
	Code            string           // as the customer typed it; empty: none
}

// A Receipt is what the customer is told.
type Receipt struct {
	Affiliate   string // whom the sale is credited to; empty: nobody, or the order was reported before
	CodeRefused string // why the code did not work; empty: it did, or there was none
}

// An Offer is what a code does for a basket.
type Offer struct {
	Charge  affiliate.Amount // before tax and shipping
	Refused string           // why the code does not work; empty: it does
}

// Preview tells a customer who types a code what the basket would cost with it.
// It uses nothing up. What it accepts for a basket, Checkout is not refused for
// that basket, unless the code has changed in between or somebody else took its
// last use.
func Preview(ctx context.Context, partners *client.Client, code string, basket affiliate.Amount) (Offer, error) {
	seen, err := partners.Evaluate(ctx, affiliate.Order{PromoCode: code, Subtotal: affiliate.Set(basket)})
	if err != nil {
		return Offer{}, fmt.Errorf("preview: %w", err)
	}
	if !seen.Valid {
		return Offer{Charge: basket, Refused: seen.Reasons[0].Message}, nil
	}
	return Offer{Charge: seen.Total.Or(basket)}, nil
}

// Checkout reports an order to the affiliate program.
//
// A code that does not work is the customer's to know, and no reason to lose the
// order: the sale is reported without the code, so that the affiliate who
// brought this customer before is credited.
//
// An error is the shop's: the program could not be reached, did not let the shop
// in, or did not like the order. It says nothing of the code, so the customer is
// told nothing. Keep the order and call Checkout again later. The id of the
// order makes it count once, also when it was the answer alone that got lost.
func Checkout(ctx context.Context, partners *client.Client, o Order) (Receipt, error) {
	var told Receipt
	result, err := report(ctx, partners, o)
	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.CodeRefused() {
		told.CodeRefused = refused.Message // refused.Failures has every reason
		o.Code = ""
		result, err = report(ctx, partners, o)
	}
	if err != nil {
		return Receipt{}, fmt.Errorf("report order %s: %w", o.ID, err)
	}
	if sale, recorded := result.Sale.Get(); recorded {
		told.Affiliate = sale.Affiliate.Name
	}
	return told, nil // not recorded: result.Outcome says why
}

func report(ctx context.Context, partners *client.Client, o Order) (affiliate.SaleResult, error) {
	return partners.RecordSale(ctx, affiliate.NewSale{
		PromoCode: o.Code, Email: o.Email, Name: o.Name, ExternalID: o.ID,
		TotalEarned: o.Total, Subtotal: affiliate.Set(o.Basket), // a code's minimum is about the basket
	})
}
