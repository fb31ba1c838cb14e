package scene

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// CodeShop is a program with two affiliates, a coupon, and a code of another
// coupon.
type CodeShop struct {
	*World
	Ada
	Eve affiliate.Affiliate
}

// NewCodeShop returns a CodeShop on a store of its own.
func NewCodeShop(t testing.TB, change ...func(*tributary.Config)) CodeShop {
	w := New(t, change...)
	s := CodeShop{World: w, Ada: w.Ada()}
	s.Eve = Must(w.CreateAffiliate(t.Context(),
		affiliate.AffiliateParams{FirstName: "Eve", LastName: "Noël-Smith 3rd",
			Email: "eve.n@example.com"}))
	other := Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "other", PercentOff: Percent("5")}))
	Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: other.ID, Code: "Summer20", ExternalID: "ext"}))
	return s
}

// Eves is Eve's id, for an update.
func (s CodeShop) Eves() affiliate.Opt[uuid.UUID] { return affiliate.Set(s.Eve.ID) }

// Nobodys takes a code away from its affiliate.
func (CodeShop) Nobodys() affiliate.Opt[uuid.UUID] { return affiliate.Null[uuid.UUID]() }

// BigCoupon returns a coupon with n generated codes of two affiliates and one
// code without an affiliate.
func BigCoupon(t testing.TB, n int) (CodeShop, affiliate.Coupon) {
	s := NewCodeShop(t)
	ctx := context.Background()
	c := Must(s.CreateCoupon(ctx,
		affiliate.CouponParams{Name: "<big> & \u2028", PercentOff: Percent("12.5"),
			ProductIDs: ManyProducts(1000)}))
	for i, id := range []uuid.UUID{s.Eve.ID, s.Ada.Person.ID} {
		if count := n/2 + n%2*(1-i); count > 0 {
			Must(s.GenerateCodes(ctx, affiliate.CodesParams{Count: count, CodeParams: affiliate.CodeParams{
				CouponID: c.ID, AffiliateID: id, RandomCharsLength: affiliate.Set[int64](8),
				CodeStructure: affiliate.Set(affiliate.CodeStructure{FirstName: true,
					RandomChars: true}),
			}}))
		}
	}
	return s, c
}

// Percent returns a percentage that is set.
func Percent(s string) affiliate.Opt[affiliate.Percent] {
	return affiliate.Set(affiliate.MustPercent(s))
}

// Amount returns an amount that is set.
func Amount(s string) affiliate.Opt[affiliate.Amount] {
	return affiliate.Set(affiliate.MustAmount(s))
}

// ManyProducts is n ids of products.
func ManyProducts(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("p", i)
	}
	return ids
}
