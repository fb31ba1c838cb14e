package pay

import (
	"math"

	"github.com/tributary-go/tributary/affiliate"
)

// amountDigits is the number of decimals of an amount.
const amountDigits = 4

// Minor returns an amount that a provider counts in a small unit of a currency: n
// units with the given number of decimals, from 0 to 4. With 2, 1999 is 19.99. It is
// exact: where a provider counts hundredths of a currency that has none, 150 is
// 1.5. The number of decimals is the provider's.
//
// Errors: [affiliate.ErrAmountDecimals] for another number of decimals;
// [affiliate.ErrAmountRange].
//
// Source: docs/payments-stripe.md.
func Minor(n int64, _ affiliate.Currency, digits int) (affiliate.Amount, error) {
	if digits < 0 || digits > amountDigits {
		return affiliate.Amount{}, affiliate.ErrAmountDecimals
	}
	for range amountDigits - digits {
		if n > math.MaxInt64/10 || n < -math.MaxInt64/10 {
			return affiliate.Amount{}, affiliate.ErrAmountRange
		}
		n *= 10
	}
	return affiliate.AmountFromScaled(n), nil
}
