package affiliate

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// The fields of a coupon, from one shape to another, and the rules over them.
// The rules check a whole coupon: the input of a create, or the stored coupon
// with an update applied. Rule 3.1; contract 2.1.

// normalizeNewCoupon fills in the defaults of a create and checks it.
func (p *Program) normalizeNewCoupon(in *NewCoupon) error {
	in.Name = plaintext.Trim(in.Name)
	if err := required("name", in.Name, nameRequired, maxName); err != nil {
		return err
	}
	in.CouponType = cmp.Or(in.CouponType, CouponPercentage)
	in.Duration = cmp.Or(in.Duration, DurationForever)
	return p.normalizeCoupon(in, CouponUpdate{})
}

// mergeCoupon applies an update to the stored coupon and checks the result as a
// whole.
func (p *Program) mergeCoupon(rec CouponRecord, up CouponUpdate) (CouponRecord, error) {
	trimGiven(&up.Name)
	if err := first(notCleared("name", up.Name), given("name", up.Name, maxName), given("externalId", up.ExternalID, maxName)); err != nil {
		return CouponRecord{}, err
	}
	in := rec.input()
	in.Name = up.Name.Or(in.Name)
	in.CouponType = up.CouponType.Or(in.CouponType)
	in.PercentOff = changed(in.PercentOff, up.PercentOff)
	in.AmountOff = changed(in.AmountOff, up.AmountOff)
	in.Currency = changed(in.Currency, up.Currency)
	in.Duration = up.Duration.Or(in.Duration)
	in.DurationInMonths = changed(in.DurationInMonths, up.DurationInMonths)
	in.MaxRedemptions = changed(in.MaxRedemptions, up.MaxRedemptions)
	in.LimitToProducts = up.LimitToProducts.Or(in.LimitToProducts)
	in.ProductIDs = up.ProductIDs.Or(in.ProductIDs)
	in.Valid = changed(in.Valid, up.Valid)
	in.RedeemBy = changed(in.RedeemBy, up.RedeemBy)
	setText(&in.ExternalID, up.ExternalID)
	if !up.IntegrationType.IsZero() {
		in.IntegrationType = up.IntegrationType.Or("")
	}
	if err := p.normalizeCoupon(&in, up); err != nil {
		return CouponRecord{}, err
	}
	p.fillCoupon(&rec, in)
	return rec, nil
}

// checkCouponUpdate checks an update by itself, before its coupon is looked up,
// as if it changed a coupon in which every field is set. A required field that
// the update clears is found when the merged coupon is checked.
func (p *Program) checkCouponUpdate(up CouponUpdate) error {
	up.PercentOff, up.AmountOff = unlessNull(up.PercentOff), unlessNull(up.AmountOff)
	up.Currency, up.DurationInMonths = unlessNull(up.Currency), unlessNull(up.DurationInMonths)
	_, err := p.mergeCoupon(CouponRecord{
		Name: "x", Type: CouponPercentage, PercentOff: PercentFromScaled(decimal.Scale), AmountOff: AmountFromScaled(1),
		Currency: p.cfg.Currency, Duration: DurationForever, DurationInMonths: 1, ProductIDs: []string{"x"},
	}, up)
	return err
}

// input is the stored coupon as the input of a create.
func (r CouponRecord) input() NewCoupon {
	in := NewCoupon{
		Name: r.Name, CouponType: r.Type, Duration: r.Duration, DurationInMonths: orNull(r.DurationInMonths),
		MaxRedemptions: orNull(r.MaxRedemptions), LimitToProducts: r.LimitToProducts, ProductIDs: r.ProductIDs,
		Valid: Set(r.Valid), ExternalID: r.ExternalID, IntegrationType: r.IntegrationType,
		PercentOff: orNull(r.PercentOff), AmountOff: orNull(r.AmountOff), Currency: orNull(r.Currency),
	}
	if !r.RedeemBy.IsZero() {
		in.RedeemBy = Set(At(r.RedeemBy.Time()))
	}
	return in
}

// fillCoupon puts checked fields into a record. It clears the discount fields
// that do not belong to the type, and the months of a coupon that does not
// repeat.
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

// couponOf is the coupon without its codes.
func (p *Program) couponOf(rec CouponRecord) Coupon {
	c := Coupon{
		ID: rec.ID, Name: rec.Name, CouponType: rec.Type,
		PercentOff: Null[Percent](), AmountOff: Null[Amount](), Currency: orNull(rec.Currency),
		Duration: rec.Duration, DurationInMonths: orNull(rec.DurationInMonths),
		MaxRedemptions: orNull(rec.MaxRedemptions), TimesRedeemed: rec.TimesRedeemed,
		LimitToProducts: rec.LimitToProducts, ProductIDs: emptyNotNil(slices.Clone(rec.ProductIDs)), CollectionIDs: []string{},
		Valid: rec.Valid, RedeemBy: timeOrNull(rec.RedeemBy), ExternalID: orNull(rec.ExternalID),
		IntegrationType: orNull(rec.IntegrationType), CouponCategory: "CUSTOMER", AutoCouponRule: Null[json.RawMessage](),
		AffiliateProgramID: p.cfg.ID, CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
	}
	if rec.Type == CouponFlat {
		c.AmountOff = Set(rec.AmountOff)
	} else {
		c.PercentOff = Set(rec.PercentOff)
	}
	return c
}

// normalizeCoupon checks a coupon in the order of the contract's table and puts
// values into canonical form. up is the update; it says which fields were sent
// as null.
func (p *Program) normalizeCoupon(c *NewCoupon, up CouponUpdate) error {
	return first(
		notCleared("couponType", up.CouponType),
		memberOf(c.CouponType, couponTypeUnknown, CouponPercentage, CouponFlat),
		checkPercentOff(c),
		checkAmountOff(c),
		normalizeCouponCurrency(c),
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
	one := PercentFromScaled(decimal.Scale)
	if ok && (percent.Cmp(one) < 0 || percent.Cmp(PercentFromScaled(100*decimal.Scale)) > 0) {
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

func normalizeCouponCurrency(c *NewCoupon) *Error {
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
		return FieldOver1000Entries.Of(field)
	}
	seen := make(map[string]bool, len(c.ProductIDs))
	for _, id := range c.ProductIDs {
		if plaintext.Blank(id) {
			return FieldEmpty.Of(field)
		}
		if err := checkText(field, id, maxName, false); err != nil {
			return err
		}
		if seen[id] {
			return FieldNotDistinct.Of(field)
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
