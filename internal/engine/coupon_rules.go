package engine

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The fields of a coupon, from one shape to another, and the rules over them.
// The rules check a whole coupon: the input of a create, or the stored coupon
// with an update applied. Rule 3.1; contract 2.1.

// NormalizeCoupon fills in the defaults of a create and checks it.
func (p *Program) NormalizeCoupon(in *affiliate.CouponParams) error {
	in.Name = plaintext.Trim(in.Name)
	if err := refusal.Required("name", in.Name, refusal.NameRequired, refusal.MaxName); err != nil {
		return err
	}
	in.CouponType = cmp.Or(in.CouponType, affiliate.CouponPercentage)
	in.Duration = cmp.Or(in.Duration, affiliate.DurationForever)
	return p.normalizeCoupon(in, affiliate.CouponUpdate{})
}

// mergeCoupon applies an update to the stored coupon and checks the result as a
// whole.
func (p *Program) mergeCoupon(rec record.Coupon, up affiliate.CouponUpdate) (record.Coupon, error) {
	trimGiven(&up.Name)
	if err := refusal.First(refusal.NotCleared("name", up.Name), refusal.Given("name", up.Name, refusal.MaxName), refusal.Given("externalId", up.ExternalID, refusal.MaxName)); err != nil {
		return record.Coupon{}, err
	}
	in := input(rec)
	in.Name = up.Name.Or(in.Name)
	in.CouponType = up.CouponType.Or(in.CouponType)
	in.PercentOff = refusal.Changed(in.PercentOff, up.PercentOff)
	in.AmountOff = refusal.Changed(in.AmountOff, up.AmountOff)
	in.Currency = refusal.Changed(in.Currency, up.Currency)
	in.Duration = up.Duration.Or(in.Duration)
	in.DurationInMonths = refusal.Changed(in.DurationInMonths, up.DurationInMonths)
	in.MaxRedemptions = refusal.Changed(in.MaxRedemptions, up.MaxRedemptions)
	in.LimitToProducts = up.LimitToProducts.Or(in.LimitToProducts)
	in.ProductIDs = up.ProductIDs.Or(in.ProductIDs)
	in.Valid = refusal.Changed(in.Valid, up.Valid)
	in.RedeemBy = refusal.Changed(in.RedeemBy, up.RedeemBy)
	in.StartsAt = refusal.Changed(in.StartsAt, up.StartsAt)
	in.MaxDiscount = refusal.Changed(in.MaxDiscount, up.MaxDiscount)
	in.MaxDiscountTotal = refusal.Changed(in.MaxDiscountTotal, up.MaxDiscountTotal)
	in.MaxRedemptionsPerCustomer = refusal.Changed(in.MaxRedemptionsPerCustomer, up.MaxRedemptionsPerCustomer)
	in.RestoreOnRefund = up.RestoreOnRefund.Or(in.RestoreOnRefund)
	refusal.SetText(&in.ExternalID, up.ExternalID)
	if !up.IntegrationType.IsZero() {
		in.IntegrationType = up.IntegrationType.Or("")
	}
	if err := p.normalizeCoupon(&in, up); err != nil {
		return record.Coupon{}, err
	}
	p.FillCoupon(&rec, in)
	return rec, nil
}

// checkCouponUpdate checks an update by itself, before its coupon is looked up,
// as if it changed a coupon in which every field is set. A required field that
// the update clears is found when the merged coupon is checked.
func (p *Program) checkCouponUpdate(up affiliate.CouponUpdate) error {
	up.PercentOff, up.AmountOff = refusal.UnlessNull(up.PercentOff), refusal.UnlessNull(up.AmountOff)
	up.Currency, up.DurationInMonths = refusal.UnlessNull(up.Currency), refusal.UnlessNull(up.DurationInMonths)
	_, err := p.mergeCoupon(record.Coupon{
		Name: "x", Type: affiliate.CouponPercentage,
		PercentOff: affiliate.PercentFromScaled(decimal.Scale),
		AmountOff:  affiliate.AmountFromScaled(1), Currency: p.Cfg.Currency,
		Duration: affiliate.DurationForever, DurationInMonths: 1, ProductIDs: []string{"x"},
	}, up)
	return err
}

// input returns the stored coupon as the input of a create.
func input(r record.Coupon) affiliate.CouponParams {
	in := affiliate.CouponParams{
		Name: r.Name, CouponType: r.Type, Duration: r.Duration, DurationInMonths: OrNull(r.DurationInMonths),
		MaxRedemptions: OrNull(r.MaxRedemptions), LimitToProducts: r.LimitToProducts, ProductIDs: r.ProductIDs,
		Valid: affiliate.Set(r.Valid), ExternalID: r.ExternalID, IntegrationType: r.IntegrationType,
		PercentOff: OrNull(r.PercentOff), AmountOff: OrNull(r.AmountOff), Currency: OrNull(r.Currency),
		MaxDiscount: OrNull(r.MaxDiscount), MaxDiscountTotal: OrNull(r.MaxDiscountTotal),
		MaxRedemptionsPerCustomer: OrNull(r.MaxPerCustomer), RestoreOnRefund: r.RestoreOnRefund,
	}
	if !r.StartsAt.IsZero() {
		in.StartsAt = affiliate.Set(affiliate.At(r.StartsAt.Time()))
	}
	if !r.RedeemBy.IsZero() {
		in.RedeemBy = affiliate.Set(affiliate.At(r.RedeemBy.Time()))
	}
	return in
}

// FillCoupon puts checked fields into a record. It clears the discount fields
// that do not belong to the type, and the months of a coupon that does not
// repeat.
func (p *Program) FillCoupon(rec *record.Coupon, in affiliate.CouponParams) {
	rec.Name, rec.Type, rec.Duration = in.Name, in.CouponType, in.Duration
	rec.PercentOff, rec.AmountOff, rec.Currency, rec.DurationInMonths = affiliate.Percent{}, affiliate.Amount{}, "", 0
	rec.MaxDiscount = affiliate.Amount{}
	if in.CouponType == affiliate.CouponFlat {
		rec.AmountOff, rec.Currency = in.AmountOff.Or(affiliate.Amount{}), in.Currency.Or("")
	} else {
		rec.PercentOff = in.PercentOff.Or(affiliate.Percent{})
		rec.MaxDiscount = in.MaxDiscount.Or(affiliate.Amount{})
	}
	if in.Duration == affiliate.DurationRepeating {
		rec.DurationInMonths = in.DurationInMonths.Or(0)
	}
	rec.MaxRedemptions = in.MaxRedemptions.Or(0)
	rec.LimitToProducts, rec.ProductIDs = in.LimitToProducts, slices.Clone(in.ProductIDs)
	rec.Valid = in.Valid.Or(true)
	rec.RedeemBy, rec.StartsAt = p.Instant(in.RedeemBy), p.Start(in.StartsAt)
	rec.MaxDiscountTotal = in.MaxDiscountTotal.Or(affiliate.Amount{})
	rec.MaxPerCustomer, rec.RestoreOnRefund = in.MaxRedemptionsPerCustomer.Or(0), in.RestoreOnRefund
	rec.ExternalID, rec.IntegrationType = in.ExternalID, in.IntegrationType
}

// CouponOf returns the coupon without its codes.
func (p *Program) CouponOf(rec record.Coupon) affiliate.Coupon {
	c := affiliate.Coupon{
		ID: rec.ID, Name: rec.Name, CouponType: rec.Type,
		PercentOff: affiliate.Null[affiliate.Percent](),
		AmountOff:  affiliate.Null[affiliate.Amount](), Currency: OrNull(rec.Currency),
		Duration: rec.Duration, DurationInMonths: OrNull(rec.DurationInMonths),
		MaxRedemptions: OrNull(rec.MaxRedemptions), TimesRedeemed: rec.TimesRedeemed,
		LimitToProducts: rec.LimitToProducts,
		ProductIDs:      refusal.EmptyNotNil(slices.Clone(rec.ProductIDs)), CollectionIDs: []string{},
		Valid: rec.Valid, RedeemBy: refusal.TimeOrNull(rec.RedeemBy),
		ExternalID: OrNull(rec.ExternalID), IntegrationType: OrNull(rec.IntegrationType),
		CouponCategory: "CUSTOMER", AutoCouponRule: affiliate.Null[json.RawMessage](),
		AffiliateProgramID: p.Cfg.ID, CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
	c.StartsAt, c.MaxDiscount, c.MaxDiscountTotal = timeIfAny(rec.StartsAt), ifAny(rec.MaxDiscount),
		ifAny(rec.MaxDiscountTotal)
	c.MaxRedemptionsPerCustomer, c.RestoreOnRefund = ifAny(rec.MaxPerCustomer), rec.RestoreOnRefund
	if !rec.MaxDiscountTotal.IsZero() {
		c.DiscountTotal = affiliate.Set(rec.DiscountTotal)
	}
	if rec.Type == affiliate.CouponFlat {
		c.AmountOff = affiliate.Set(rec.AmountOff)
	} else {
		c.PercentOff = affiliate.Set(rec.PercentOff)
	}
	return c
}

// normalizeCoupon checks a coupon in the order of the contract's table and puts
// values into canonical form. up is the update; it says which fields were sent
// as null.
func (p *Program) normalizeCoupon(c *affiliate.CouponParams, up affiliate.CouponUpdate) error {
	return refusal.First(
		refusal.NotCleared("couponType", up.CouponType),
		refusal.MemberOf(c.CouponType, refusal.CouponTypeUnknown, affiliate.CouponPercentage, affiliate.CouponFlat),
		checkPercentOff(c),
		checkAmountOff(c),
		normalizeCouponCurrency(c),
		refusal.NotCleared("duration", up.Duration),
		refusal.MemberOf(c.Duration, refusal.DurationUnknown, durations...),
		checkMonths(c),
		refusal.MaxRedemptionsNotPositive.When(c.MaxRedemptions.Or(1) < 1),
		refusal.NotCleared("limitToProducts", up.LimitToProducts),
		refusal.NotCleared("productIds", up.ProductIDs),
		checkProductIDs(c),
		refusal.NotCleared("valid", up.Valid),
		refusal.RedeemByNotADate.When(!p.ValidDate(c.RedeemBy)),
		p.checkWindow(c.StartsAt, c.RedeemBy, "redeemBy"),
		aboveZero("maxDiscount", c.MaxDiscount),
		aboveZero("maxDiscountTotal", c.MaxDiscountTotal),
		atLeastOne("maxRedemptionsPerCustomer", c.MaxRedemptionsPerCustomer),
		refusal.NotCleared("restoreOnRefund", up.RestoreOnRefund),
		refusal.Optional("externalId", c.ExternalID, refusal.MaxName),
		checkIntegrationType(c),
	)
}

func checkPercentOff(c *affiliate.CouponParams) *affiliate.Error {
	percent, ok := c.PercentOff.Get()
	if !ok && c.CouponType == affiliate.CouponPercentage {
		return refusal.PercentOffRequired.Err()
	}
	one := affiliate.PercentFromScaled(decimal.Scale)
	if ok && (percent.Cmp(one) < 0 || percent.Cmp(affiliate.PercentFromScaled(100*decimal.Scale)) > 0) {
		return refusal.PercentOffRange.Err()
	}
	return nil
}

func checkAmountOff(c *affiliate.CouponParams) *affiliate.Error {
	amount, ok := c.AmountOff.Get()
	if !ok && c.CouponType == affiliate.CouponFlat {
		return refusal.AmountOffRequired.Err()
	}
	if ok && amount.Sign() <= 0 {
		return refusal.AmountOffNotPositive.Err()
	}
	return nil
}

func normalizeCouponCurrency(c *affiliate.CouponParams) *affiliate.Error {
	sent, ok := c.Currency.Get()
	if !ok && c.CouponType == affiliate.CouponFlat {
		return refusal.CurrencyRequired.Err()
	}
	if !ok {
		return nil
	}
	currency, err := affiliate.ParseCurrency(string(sent))
	if err != nil {
		return refusal.CurrencyUnknown.Err()
	}
	c.Currency = affiliate.Set(currency)
	return nil
}

func checkMonths(c *affiliate.CouponParams) *affiliate.Error {
	months, ok := c.DurationInMonths.Get()
	if !ok && c.Duration == affiliate.DurationRepeating {
		return refusal.MonthsRequired.Err()
	}
	if ok && months < 1 {
		return refusal.MonthsNotPositive.Err()
	}
	if months > refusal.MaxMonths {
		return refusal.FieldTooLarge.Of("durationInMonths")
	}
	return nil
}

func checkProductIDs(c *affiliate.CouponParams) *affiliate.Error {
	const field = "productIds"
	if c.LimitToProducts && len(c.ProductIDs) == 0 {
		return refusal.ProductIDsRequired.Err()
	}
	return checkIDs(field, c.ProductIDs, refusal.MaxProducts, refusal.FieldOver1000Entries)
}

func checkIntegrationType(c *affiliate.CouponParams) *affiliate.Error {
	if c.IntegrationType == "" {
		return nil
	}
	return refusal.MemberOf(c.IntegrationType, refusal.IntegrationTypeUnknown, integrationTypes...)
}
