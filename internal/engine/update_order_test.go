package engine_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestUpdateFieldsBeforeLookUp: an invalid field is refused before the record
// is looked up (contract 1.9, order of checks). Whether null is allowed may
// depend on the record.
func TestUpdateFieldsBeforeLookUp(t *testing.T) {
	w := scene.New(t)
	ctx, nobody := context.Background(), uuid.Max
	percent, amount := affiliate.MustPercent, affiliate.MustAmount
	for name, c := range map[string]struct {
		up   affiliate.CouponUpdate
		want affiliate.Error
	}{
		"percentOff": {affiliate.CouponUpdate{PercentOff: affiliate.Set(percent("500"))}, scene.FieldError(affiliate.InvalidField, "percentOff", "Percent off must be between 1 and 100")},
		"amountOff":  {affiliate.CouponUpdate{AmountOff: affiliate.Set(amount("0"))}, scene.FieldError(affiliate.InvalidField, "amountOff", "Amount off must be greater than zero")},
		"name null":  {affiliate.CouponUpdate{Name: affiliate.Null[string]()}, scene.FieldError(affiliate.InvalidField, "name", "name must not be null")},
		"null that may be right": {affiliate.CouponUpdate{
			PercentOff: affiliate.Null[affiliate.Percent](), AmountOff: affiliate.Null[affiliate.Amount](),
			Currency: affiliate.Null[affiliate.Currency](), DurationInMonths: affiliate.Null[int64](),
		}, scene.MissingError(affiliate.CouponNotFound, "Coupon not found")},
		"a type that may be right": {affiliate.CouponUpdate{
			CouponType: affiliate.Set(affiliate.CouponFlat), Duration: affiliate.Set(affiliate.DurationRepeating), LimitToProducts: affiliate.Set(true),
		}, scene.MissingError(affiliate.CouponNotFound, "Coupon not found")},
	} {
		t.Run("coupon "+name, func(t *testing.T) {
			w.Refused(c.want, func() error { return scene.ErrOf(w.UpdateCoupon(ctx, nobody, c.up)) })
		})
	}
	for name, c := range map[string]struct {
		up   affiliate.CodeUpdate
		want affiliate.Error
	}{
		"code":        {affiliate.CodeUpdate{Code: affiliate.Set("A B")}, scene.FieldError(affiliate.CodeSyntax, "code", "Code contains invalid characters")},
		"active null": {affiliate.CodeUpdate{Active: affiliate.Null[bool]()}, scene.FieldError(affiliate.InvalidField, "active", "active must not be null")},
		"null that may be right": {affiliate.CodeUpdate{
			CustomerID: affiliate.Null[string](), LimitToCustomers: affiliate.Set(true),
		}, scene.MissingError(affiliate.PromotionalCodeNotFound, "Promotional code not found")},
	} {
		t.Run("code "+name, func(t *testing.T) {
			w.Refused(c.want, func() error { return scene.ErrOf(w.UpdateCode(ctx, nobody, c.up)) })
		})
	}
}
