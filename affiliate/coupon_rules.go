package affiliate

import (
	"cmp"
	"slices"
)

// The rules over a coupon's fields. They run over the whole coupon: what a
// create sent, or what an update makes of the stored one. Rule 3.1; contract
// 2.1.

// checkNewCoupon fills in the defaults of a create and checks it.
func (p *Program) checkNewCoupon(in *NewCoupon) error {
	if err := required("name", in.Name, nameRequired, maxName); err != nil {
		return err
	}
	in.CouponType = cmp.Or(in.CouponType, CouponPercentage)
	in.Duration = cmp.Or(in.Duration, DurationForever)
	return p.checkCoupon(in, CouponUpdate{})
}

// fillCoupon puts checked fields into a record. The pair that does not belong
// to the type, and the months of a coupon that does not repeat, become none.
func (p *Program) fillCoupon(rec *CouponRecord, in NewCoupon) {
	rec.Name, rec.Type, rec.Duration = in.Name, in.CouponType, in.Duration
	rec.PercentOff, rec.AmountOff, rec.Currency, rec.DurationInMonths = Percent{}, Amount{}, "", 0
	if in.CouponType == CouponFlat {
		rec.AmountOff, rec.Currency = in.AmountOff.Or(Amount{}), in.Currency.Or("")
	} else {
		rec.PercentOff = in.PercentOff.Or(Percent{})
	}
	if in.Duration == DurationRepeating {
		rec.DurationInMonths = in.DurationInMonths.Or(0)
	}
	rec.MaxRedemptions = in.MaxRedemptions.Or(0)
	rec.LimitToProducts, rec.ProductIDs = in.LimitToProducts, slices.Clone(in.ProductIDs)
	rec.Valid = in.Valid.Or(true)
	rec.RedeemBy = p.instant(in.RedeemBy)
	rec.ExternalID, rec.IntegrationType = in.ExternalID, in.IntegrationType
}

// checkCoupon checks a coupon in the order of the contract's table and puts
// values into canonical form. up is the update, for what it sent as null.
func (p *Program) checkCoupon(c *NewCoupon, up CouponUpdate) error {
	return first(
		notCleared("couponType", up.CouponType),
		memberOf(c.CouponType, couponTypeUnknown, CouponPercentage, CouponFlat),
		checkPercentOff(c),
		checkAmountOff(c),
		checkCouponCurrency(c),
		notCleared("duration", up.Duration),
		memberOf(c.Duration, durationUnknown, durations...),
		checkMonths(c),
		maxRedemptionsNotPositive.when(c.MaxRedemptions.Or(1) < 1),
		notCleared("limitToProducts", up.LimitToProducts),
		notCleared("productIds", up.ProductIDs),
		checkProductIDs(c),
		notCleared("valid", up.Valid),
		redeemByNotADate.when(!p.validDate(c.RedeemBy)),
		optional("externalId", c.ExternalID, maxName),
		checkIntegrationType(c),
	)
}

func checkPercentOff(c *NewCoupon) *Error {
	percent, ok := c.PercentOff.Get()
	if !ok && c.CouponType == CouponPercentage {
		return percentOffRequired.Err()
	}
	one := PercentFromScaled(amountScale)
	if ok && (percent.Cmp(one) < 0 || percent.Cmp(PercentFromScaled(hundredPercent)) > 0) {
		return percentOffRange.Err()
	}
	return nil
}

func checkAmountOff(c *NewCoupon) *Error {
	amount, ok := c.AmountOff.Get()
	if !ok && c.CouponType == CouponFlat {
		return amountOffRequired.Err()
	}
	if ok && amount.Sign() <= 0 {
		return amountOffNotPositive.Err()
	}
	return nil
}

func checkCouponCurrency(c *NewCoupon) *Error {
	sent, ok := c.Currency.Get()
	if !ok && c.CouponType == CouponFlat {
		return currencyRequired.Err()
	}
	if !ok {
		return nil
	}
	currency, err := ParseCurrency(string(sent))
	if err != nil {
		return currencyUnknown.Err()
	}
	c.Currency = Set(currency)
	return nil
}

func checkMonths(c *NewCoupon) *Error {
	months, ok := c.DurationInMonths.Get()
	if !ok && c.Duration == DurationRepeating {
		return monthsRequired.Err()
	}
	if ok && months < 1 {
		return monthsNotPositive.Err()
	}
	if months > maxMonths {
		return FieldTooLarge.Of("durationInMonths")
	}
	return nil
}

func checkProductIDs(c *NewCoupon) *Error {
	const field = "productIds"
	if c.LimitToProducts && len(c.ProductIDs) == 0 {
		return productIDsRequired.Err()
	}
	if len(c.ProductIDs) > maxProducts {
		return fieldTooManyEntries.Of(field)
	}
	seen := make(map[string]bool, len(c.ProductIDs))
	for _, id := range c.ProductIDs {
		if blank(id) {
			return FieldEmpty.Of(field)
		}
		if err := checkText(field, id, maxName, false); err != nil {
			return err
		}
		if seen[id] {
			return fieldNotDistinct.Of(field)
		}
		seen[id] = true
	}
	return nil
}

func checkIntegrationType(c *NewCoupon) *Error {
	if c.IntegrationType == "" {
		return nil
	}
	return memberOf(c.IntegrationType, integrationTypeUnknown, integrationTypes...)
}
