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
	places := a.recountHolds()
	for r := range a.coupons.records() {
		if !a.mine(r.ID) {
			continue
		}
		if n := byCoupon[r.ID].n; r.TimesRedeemed != r.OpeningRedeemed+n || r.OpeningRedeemed < 0 {
			a.breach("I02", named("coupon", r.ID),
				"timesRedeemed is %d, %d of them from before, the ledger has %d", r.TimesRedeemed,
				r.OpeningRedeemed, n)
		}
		if off := byCoupon[r.ID].off(); fraction(r.DiscountTotal).Cmp(off) != 0 {
			a.breach("I87", named("coupon", r.ID), "it took off %v, its redemptions %s", r.DiscountTotal, figure(off))
		}
		if held := places[r.ID]; r.Held != held.n || fraction(r.HeldDiscount).Cmp(held.off()) != 0 {
			a.breach("I86", named("coupon", r.ID),
				"%d places of it are held for %v, its holds have %d for %s", r.Held, r.HeldDiscount,
				held.n, figure(held.off()))
		}
		a.verifyTerms(r)
		a.instants("coupon", r.ID, r.CreatedAt, r.UpdatedAt)
	}
	for r := range a.codes.records() {
		own := a.mine(r.ID)
		if n := byCode[r.ID]; own && (r.TimesRedeemed != r.OpeningRedeemed+n || r.OpeningRedeemed < 0) {
			a.breach("I01", named("code", r.ID),
				"timesRedeemed is %d, %d of them from before, the ledger has %d", r.TimesRedeemed,
				r.OpeningRedeemed, n)
		}
		if n := places[r.ID].n; own && r.Held != n {
			a.breach("I86", named("code", r.ID), "%d places of it are held, its holds have %d", r.Held, n)
		}
		if a.verifyCode(r); own {
			a.instants("code", r.ID, r.CreatedAt, r.UpdatedAt)
		}
	}
	unique(a, "I20", "coupon", &a.coupons, record.ByExternalID)
	unique(a, "I20", "code", &a.codes, record.ByExternalID)
	unique(a, "I21", "code", &a.codes, record.ByCode)
	unique(a, "I90", "redemption", &a.ledger, record.ByExternalID)
	unique(a, "I89", "hold", &a.holds, record.ByExternalID)
}

// recountLedger counts the redemptions that were not restored, by code and by
// coupon, and compares the ledger with codes and sales.
func (a *audit) recountLedger() (byCode map[uuid.UUID]int64, byCoupon map[uuid.UUID]placeSum) {
	byCode, byCoupon = make(map[uuid.UUID]int64), make(map[uuid.UUID]placeSum)
	for r := range a.ledger.records() {
		if a.mine(r.CodeID) {
			if code := a.codes.get(r.CodeID); code != nil && code.CouponID != r.CouponID {
				a.breach("I02", named("redemption", r.ID), "its code %s is of coupon %s", r.CodeID, code.CouponID)
			}
			if r.RestoredAt.IsZero() {
				byCode[r.CodeID]++
			}
		}
		if r.RestoredAt.IsZero() && a.mine(r.CouponID) {
			byCoupon[r.CouponID] = byCoupon[r.CouponID].with(r.Discount)
		}
		if a.mine(r.ID) {
			a.verifyRedemption(r)
		}
	}
	for sale := range a.sales.records() {
		id := record.NumberID(sale.Number)
		if !a.mine(id) {
			continue
		}
		var code uuid.UUID
		r := a.ledger.get(id)
		there := r != nil
		if there {
			if code = r.CodeID; r.Refunded && !sale.Status.Is(affiliate.SaleRefunded) {
				a.breach("I90", numbered("sale", sale.Number), "its redemption was given back as if it was refunded")
			}
		}
		if sale.Conversion != "" { // its code is not redeemed
			if there {
				a.breach("I01", numbered("sale", sale.Number), "it is a conversion, and redeemed code %s", code)
			}
			continue
		}
		if sale.Offer != (there && code == uuid.Nil) {
			a.breach("I01", numbered("sale", sale.Number),
				"offer is %t, and the ledger has a redemption: %t, of code %s", sale.Offer, there,
				code)
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
		r.PercentOff.Cmp(affiliate.PercentFromScaled(decimal.Scale)) >= 0 &&
		r.PercentOff.Cmp(affiliate.PercentFromScaled(100*decimal.Scale)) <= 0
	flat := r.Type == affiliate.CouponFlat && r.PercentOff.IsZero() && r.AmountOff.Sign() > 0 && r.Currency.Known()
	if !percentage && !flat {
		a.breach("I17", name, "type %s, percentOff %v, amountOff %v, currency %q", r.Type,
			r.PercentOff, r.AmountOff, r.Currency)
	}
	a.titled(name, r.Name)
	listed(a, name, "duration", r.Duration, durations...)
	if repeating := r.Duration == affiliate.DurationRepeating; repeating != (r.DurationInMonths > 0) || r.DurationInMonths < 0 {
		a.breach("I18", name, "duration %s, durationInMonths %d", r.Duration, r.DurationInMonths)
	}
	if r.LimitToProducts && len(r.ProductIDs) == 0 {
		a.breach("I19", name, "limited to products, but lists none")
	}
	if r.MaxRedemptions < 0 || r.MaxPerCustomer < 0 {
		a.breach("I19", name, "maxRedemptions is %d, %d per customer", r.MaxRedemptions, r.MaxPerCustomer)
	}
	if r.MaxDiscount.Sign() < 0 || r.MaxDiscountTotal.Sign() < 0 || r.MaxDiscount.Sign() > 0 &&
		r.Type != affiliate.CouponPercentage {
		a.breach("I17", name, "type %s, maxDiscount %v, maxDiscountTotal %v", r.Type, r.MaxDiscount, r.MaxDiscountTotal)
	}
	a.verifyWindow(name, r.StartsAt, r.RedeemBy)
}

// verifyWindow checks that a time does not end before it begins.
func (a *audit) verifyWindow(of object, from, to affiliate.Instant) {
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		a.breach("I19", of, "it starts at %v, and ends at %v", from, to)
	}
}

// verifyCode checks a code against its coupon and its affiliate.
func (a *audit) verifyCode(r *record.Code) {
	name := named("code", r.ID)
	if a.coupons.lacks(r.CouponID) {
		a.breach("I15", name, "its coupon %s does not exist", r.CouponID)
	}
	refers(a, "I36", "code", r.ID, "affiliate", r.AffiliateID, &a.affiliates)
	if !a.own(r.ID) {
		return
	}
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
	if r.MaxRedemptions < 0 || r.MaxPerCustomer < 0 {
		a.breach("I19", name, "maxRedemptions is %d, %d per customer", r.MaxRedemptions, r.MaxPerCustomer)
	}
	if r.MinimumQuantity.Sign() < 0 {
		a.breach("I24", name, "minimumQuantity %v", r.MinimumQuantity)
	}
	a.verifyWindow(name, r.StartsAt, r.ExpiresAt)
}

// siftCodes sifts coupons, codes and the ledger.
func (a *audit) siftCodes() {
	sift(a, &a.coupons, func(r *record.Coupon) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.coupons.kind))
		a.about(inCodes, k)
		a.verifyTerms(r)
		a.instants("coupon", r.ID, r.CreatedAt, r.UpdatedAt)
		a.siftCounter(k, r.TimesRedeemed, r.OpeningRedeemed)
		a.add(inCodes, k, k.num(isGiven), r.DiscountTotal.Scaled())
		a.add(inCodes, k, k.num(isPlaced), r.Held)
		a.add(inCodes, k, k.num(isPlaced).num(inMoney), r.HeldDiscount.Scaled())
		siftKeys(a, inCodes, &a.coupons, r)
		a.siftImported(r.ID, record.ImportedAsCoupon)
		a.siftLive("coupon", liveObject{id: r.ID, revision: r.Revision})
	})
	sift(a, &a.codes, func(r *record.Code) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.codes.kind))
		a.learn(k, k.num(isOfCoupon).id(r.CouponID))
		a.about(inCodes, k)
		a.verifyCode(r)
		a.instants("code", r.ID, r.CreatedAt, r.UpdatedAt)
		a.siftCounter(k, r.TimesRedeemed, r.OpeningRedeemed)
		a.add(inCodes, k, k.num(isPlaced), r.Held)
		siftKeys(a, inCodes, &a.codes, r)
		a.siftImported(r.ID, record.ImportedAsCode)
		a.siftLive("promocode", liveObject{id: r.ID, revision: r.Revision})
	})
	a.siftHolds()
	sift(a, &a.ledger, func(r *record.Redemption) {
		code, coupon, sale := a.key(r.CodeID), a.key(r.CouponID), a.key(r.ID)
		a.siftRedemption(sale, r)
		if a.knows(code, code.num(a.codes.kind)) {
			a.expect(inCodes, code, code.num(isOfCoupon).id(r.CouponID))
			if r.RestoredAt.IsZero() {
				a.add(inCodes, code, code.num(isRedeemed), -1)
			}
		}
		if r.RestoredAt.IsZero() && a.knows(coupon, coupon.num(a.coupons.kind)) {
			a.add(inCodes, coupon, coupon.num(isRedeemed), -1)
			a.takeOff(coupon, coupon.num(isGiven), r.Discount)
		}
		if r.ExternalID == "" { // of a sale
			a.add(inCodes, sale, sale.num(isByCode).id(r.CodeID), 1)
		}
	})
}

func (a *audit) siftCounter(k print, redeemed, before int64) {
	if a.add(inCodes, k, k.num(isRedeemed), redeemed); before < 0 {
		a.pick(inCodes, k)
	}
	a.add(inCodes, k, k.num(isRedeemed), -before)
}
