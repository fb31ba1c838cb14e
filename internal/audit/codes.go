package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// verifyCodes checks coupons, codes and the ledger of redemptions.
func (a *audit) verifyCodes() {
	byCode, byCoupon := a.recountLedger()
	for r := range a.coupons.records() {
		if n := byCoupon[r.ID]; r.TimesRedeemed != r.OpeningRedeemed+n || r.OpeningRedeemed < 0 {
			a.breach("I02", named("coupon", r.ID), "timesRedeemed is %d, %d of them from before, the ledger has %d", r.TimesRedeemed, r.OpeningRedeemed, n)
		}
		a.verifyTerms(r)
		a.instants("coupon", r.ID, r.CreatedAt, r.UpdatedAt)
	}
	for r := range a.codes.records() {
		if n := byCode[r.ID]; r.TimesRedeemed != r.OpeningRedeemed+n || r.OpeningRedeemed < 0 {
			a.breach("I01", named("code", r.ID), "timesRedeemed is %d, %d of them from before, the ledger has %d", r.TimesRedeemed, r.OpeningRedeemed, n)
		}
		a.verifyCode(r)
		a.instants("code", r.ID, r.CreatedAt, r.UpdatedAt)
	}
	unique(a, "I20", "coupon", &a.coupons, record.ByExternalID)
	unique(a, "I20", "code", &a.codes, record.ByExternalID)
	unique(a, "I21", "code", &a.codes, record.ByCode)
}

// recountLedger counts the redemptions that were not restored, by code and by
// coupon, and compares the ledger with codes and sales.
func (a *audit) recountLedger() (byCode, byCoupon map[uuid.UUID]int64) {
	byCode, byCoupon = make(map[uuid.UUID]int64), make(map[uuid.UUID]int64)
	for r := range a.ledger.records() {
		if code := a.codes.get(r.CodeID); code != nil && code.CouponID != r.CouponID {
			a.breach("I02", named("redemption", r.ID), "its code %s is of coupon %s", r.CodeID, code.CouponID)
		}
		if r.RestoredAt.IsZero() {
			byCode[r.CodeID]++
			byCoupon[r.CouponID]++
		}
	}
	for sale := range a.sales.records() {
		var code uuid.UUID
		if r := a.ledger.get(record.NumberID(sale.Number)); r != nil {
			code = r.CodeID
		}
		if code != sale.CodeID {
			a.breach("I01", numbered("sale", sale.Number), "it is by code %s, the ledger says %s", sale.CodeID, code)
		}
	}
	return byCode, byCoupon
}

// verifyTerms checks that the fields of a coupon fit together.
func (a *audit) verifyTerms(r *record.Coupon) {
	name := named("coupon", r.ID)
	percentage := r.Type == affiliate.CouponPercentage && r.AmountOff.IsZero() && r.Currency == "" &&
		r.PercentOff.Cmp(affiliate.PercentFromScaled(decimal.Scale)) >= 0 && r.PercentOff.Cmp(affiliate.PercentFromScaled(100*decimal.Scale)) <= 0
	flat := r.Type == affiliate.CouponFlat && r.PercentOff.IsZero() && r.AmountOff.Sign() > 0 && r.Currency.Known()
	if !percentage && !flat {
		a.breach("I17", name, "type %s, percentOff %v, amountOff %v, currency %q", r.Type, r.PercentOff, r.AmountOff, r.Currency)
	}
	a.titled(name, r.Name)
	listed(a, name, "duration", r.Duration, durations...)
	if repeating := r.Duration == affiliate.DurationRepeating; repeating != (r.DurationInMonths > 0) || r.DurationInMonths < 0 {
		a.breach("I18", name, "duration %s, durationInMonths %d", r.Duration, r.DurationInMonths)
	}
	if r.LimitToProducts && len(r.ProductIDs) == 0 {
		a.breach("I19", name, "limited to products, but lists none")
	}
	if r.MaxRedemptions < 0 {
		a.breach("I19", name, "maxRedemptions is %d", r.MaxRedemptions)
	}
}

// verifyCode checks a code against its coupon and its affiliate.
func (a *audit) verifyCode(r *record.Code) {
	name := named("code", r.ID)
	if !a.coupons.has(r.CouponID) {
		a.breach("I15", name, "its coupon %s does not exist", r.CouponID)
	}
	a.refers("I36", "code", r.ID, "affiliate", r.AffiliateID, a.affiliates.has(r.AffiliateID))
	if !refusal.ValidCode(r.Code) {
		a.breach("I21", name, "%q is not a code", r.Code)
	}
	minimum, ok := r.MinimumAmount.Get()
	if ok != (r.MinimumCurrency != "") || minimum.Sign() < 0 {
		a.breach("I24", name, "minimumAmount %v, minimumAmountCurrency %q", minimum, r.MinimumCurrency)
	}
	if r.LimitToCustomers && plaintext.Blank(r.CustomerID) {
		a.breach("I19", name, "limited to customers, but names none")
	}
	if r.MaxRedemptions < 0 {
		a.breach("I19", name, "maxRedemptions is %d", r.MaxRedemptions)
	}
}
