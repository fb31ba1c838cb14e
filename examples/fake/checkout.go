// Package fake shows how a shop reports its orders, and how it tests its own
// code against the engine. Checkout is code of the shop. Its test passes a
// client that talks to real handlers in memory, without a port.
package fake

import (
	"context"
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// An Order is a purchase that was paid.
type Order struct {
	ID, Email, Name string
	Basket          affiliate.Amount // before the discount, as given to Preview
	Total           affiliate.Amount // as charged
	Code            string           // as the customer typed it; empty: none
}

// A Receipt is the text for the customer.
type Receipt struct {
	Affiliate   string // whom the sale is credited to; empty: nobody, or the order was reported before
	CodeRefused string // why the code did not work; empty: it did, or there was none
}

// An Offer is the effect of a code on a basket.
type Offer struct {
	Charge  affiliate.Amount // before tax and shipping
	Refused string           // why the code does not work; empty: it does
}

// Preview returns what a basket would cost with a code. It does not use the code
// up. When it accepts a code for a basket, Checkout accepts it too, unless the
// code has changed in between, somebody else has used it for the last time, or it
// is for first orders and this is not the customer's first. Give Evaluate the
// email too when the customer has entered it.
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
// When the code does not work, the customer is told so and the order is not
// lost: the sale is reported without the code, so that the affiliate who brought
// this customer before is credited.
//
// An error concerns the shop and not the customer: the program could not be
// reached, refused the shop's key, or refused the order. It says nothing about
// the code. Keep the order and call Checkout again later. The id of the order
// makes it count once, even when only the answer was lost.
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
	return partners.RecordSale(ctx, affiliate.SaleParams{
		PromoCode: o.Code, Email: o.Email, Name: o.Name, ExternalID: o.ID,
		TotalEarned: o.Total, Subtotal: affiliate.Set(o.Basket), // a code's minimum is about the basket
	})
}
