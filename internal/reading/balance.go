package reading

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// balance returns the balance of open books of which some matures.
func balance(b *record.Books, affiliateID uuid.UUID, maturing affiliate.Amount) (affiliate.Balance, error) {
	out := affiliate.Balance{
		AffiliateID: affiliateID, Held: b.Held, Maturing: maturing, InPayout: b.InPayout, Paid: b.Paid, Movements: b.Number,
	}
	var err error
	if out.Payable, err = b.Payable.Sub(maturing); err != nil {
		return out, err
	}
	out.Earned, err = earned(b)
	return out, err
}

// earned returns the sum of the accounts other than ACCRUAL.
func earned(b *record.Books) (sum affiliate.Amount, err error) {
	for _, amount := range [...]affiliate.Amount{b.Held, b.Payable, b.InPayout, b.Paid} {
		if err == nil {
			sum, err = sum.Add(amount)
		}
	}
	return sum, err
}
