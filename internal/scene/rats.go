package scene

import (
	"errors"
	"math"
	"math/big"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// Currencies have each number of digits.
func Currencies() []affiliate.Currency { return []affiliate.Currency{"USD", "JPY", "KWD", "CLF"} }

// Rounded returns r in ten-thousandths, rounded half away from zero to the
// digits of c, and false if it does not fit into an Amount.
func Rounded(r *big.Rat, c affiliate.Currency) (affiliate.Amount, bool) {
	step := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(4-c.Digits())), nil)
	units := new(big.Rat).Quo(new(big.Rat).Abs(r), new(big.Rat).SetInt(step))
	units.Add(units, big.NewRat(1, 2))
	n := new(big.Int).Quo(units.Num(), units.Denom())
	n.Mul(n, step)
	if r.Sign() < 0 {
		n.Neg(n)
	}
	if !n.IsInt64() || n.Int64() == math.MinInt64 {
		return affiliate.Amount{}, false
	}
	return affiliate.AmountFromScaled(n.Int64()), true
}

// CommissionSum adds the commissions of a sale, as an exact number.
func CommissionSum(x affiliate.Sale) *big.Rat {
	sum := new(big.Rat)
	for _, c := range x.Commissions {
		sum.Add(sum, RatOf(c.CommissionEarned))
	}
	return sum
}

// A Failing is a test, or a check of a property.
type Failing interface {
	Fatalf(format string, args ...any)
}

// reasonOf returns the reason of a refusal; any other error fails the test.
func reasonOf(t Failing, err error) affiliate.Reason {
	if err == nil {
		return ""
	}
	refusal, ok := errors.AsType[*affiliate.Error](err)
	if !ok {
		t.Fatalf("not a refusal: %v", err)
	}
	return refusal.Reason
}

// RefusedAs compares the outcome of a call with the reason the model gives.
func RefusedAs(t Failing, call string, want affiliate.Reason, err error) {
	if got := reasonOf(t, err); got != want {
		t.Fatalf("%s: refused as %q, want %q (%v)", call, got, want, err)
	}
}

// RatOf returns an amount as an exact number.
func RatOf(a affiliate.Amount) *big.Rat { return big.NewRat(a.Scaled(), 10_000) }

// PercentRat returns a percentage as an exact number.
func PercentRat(p affiliate.Percent) *big.Rat { return big.NewRat(p.Scaled(), 10_000) }

// RatSum adds exact numbers.
func RatSum(terms ...*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, r := range terms {
		sum.Add(sum, r)
	}
	return sum
}

// RatDiff returns a - b.
func RatDiff(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// Share returns part per cent of whole.
func Share(part, whole *big.Rat) *big.Rat {
	r := new(big.Rat).Mul(part, whole)
	return r.Quo(r, big.NewRat(100, 1))
}

// Cents rounds half away from zero to two digits: rule 1.3, in dollars.
func Cents(r *big.Rat) *big.Rat {
	scaled := new(big.Rat).Mul(r, big.NewRat(100, 1))
	half := big.NewRat(1, 2)
	if scaled.Sign() < 0 {
		half.Neg(half)
	}
	scaled.Add(scaled, half)
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom()) // towards zero
	return new(big.Rat).SetFrac(whole, big.NewInt(100))
}

// Plain writes an amount without trailing zeros, as in JSON.
func Plain(r *big.Rat) string {
	s := r.FloatString(4)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
