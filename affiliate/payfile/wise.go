package payfile

import (
	"errors"
	"iter"

	"github.com/tributary-go/tributary/affiliate"
)

// WiseOptions apply to every payment of a Wise file. The zero value is usable.
type WiseOptions struct {
	Source       affiliate.Currency // of the account that pays; empty: the currency of the payment
	ReceiverType string             // PERSON or BUSINESS; empty: PERSON
}

// Wise writes files for Wise's batch payments by email, of at most 1,000
// payments in one currency each. The affiliate gets the whole amount, because it
// is the amount in the target currency. Otherwise it is like [PayPal]. Payments of
// the method WISE_BANK are refused: Wise pays them by bank details, which a file by
// email does not have.
//
// Errors: those of [PayPal]; an unknown currency or type of receiver.
func Wise(in iter.Seq2[Transfer, error], label string, o WiseOptions) ([]File, []Refused, error) {
	if o.Source != "" {
		if _, err := affiliate.ParseCurrency(string(o.Source)); err != nil {
			return nil, nil, err
		}
	}
	switch o.ReceiverType {
	case "":
		o.ReceiverType = "PERSON"
	case "PERSON", "BUSINESS":
	default:
		return nil, nil, errors.New("payfile: the receiver type must be PERSON or BUSINESS")
	}
	return write(in, label, format{"wise", "WISE", 1000, wiseHeader, nil, func(p Transfer) []string {
		source := p.Currency
		if o.Source != "" {
			source = o.Source
		}
		return []string{
			Cell(p.Name), p.Email, Ref(p.PayoutID), o.ReceiverType, "target", p.Amount.Format(p.Currency), string(source), string(p.Currency),
		}
	}})
}

var wiseHeader = []string{
	"name", "recipientEmail", "paymentReference", "receiverType", "amountCurrency", "amount", "sourceCurrency", "targetCurrency",
}
