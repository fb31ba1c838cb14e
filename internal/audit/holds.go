package audit

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// The places of codes a second time: who has one, and for how much. It is written from
// docs/rules.md 3.5 and 3.10.

// holdStates are those of holds.
var holdStates = []affiliate.HoldState{affiliate.HoldHeld, affiliate.HoldConfirmed,
	affiliate.HoldReleased, affiliate.HoldLapsed}

// A placeSum is a number of places, and what they take off.
type placeSum struct {
	n   int64
	sum *big.Rat // nil: nothing
}

func (c placeSum) off() *big.Rat {
	if c.sum == nil {
		return new(big.Rat)
	}
	return c.sum
}

func (c placeSum) with(off affiliate.Amount) placeSum {
	return placeSum{c.n + 1, plus(c.off(), fraction(off))}
}

// recountHolds counts the places that holds keep, by code and by coupon, and compares holds and
// who has places with the ledger.
func (a *audit) recountHolds() map[uuid.UUID]placeSum {
	places := make(map[uuid.UUID]placeSum)
	sales := make(map[int64]uuid.UUID)
	for r := range a.holds.records() {
		if a.mine(r.ID) {
			a.verifyHold(r)
			a.instants("hold", r.ID, r.CreatedAt, r.UpdatedAt)
		}
		if a.verifyConfirmed(r); r.Number != 0 && a.mine(record.NumberID(r.Number)) {
			if other, taken := sales[r.Number]; taken {
				a.breach("I89", named("hold", r.ID), "sale %d confirmed %s too", r.Number, other)
			}
			sales[r.Number] = r.ID
		}
		if r.State != affiliate.HoldHeld {
			continue
		}
		for _, id := range [...]uuid.UUID{r.CodeID, r.CouponID} {
			if id != uuid.Nil && a.mine(id) {
				places[id] = places[id].with(r.Worth)
			}
		}
	}
	a.verifyUses()
	return places
}

// verifyHold checks that the fields of a hold fit together.
func (a *audit) verifyHold(r *record.Hold) {
	name := named("hold", r.ID)
	listed(a, name, "state", r.State, holdStates...)
	basket, off, left := r.Basket.Or(affiliate.Amount{}), r.Discount.Or(affiliate.Amount{}),
		r.Total.Or(affiliate.Amount{})
	if plaintext.Blank(r.HoldID) || r.Number != 0 && r.State != affiliate.HoldConfirmed ||
		r.Worth.Sign() < 0 || off.Sign() < 0 || left.Sign() < 0 || off.Cmp(basket) > 0 {
		a.breach("I89", name, "%q is %s of sale %d, takes %v (%v) off %v, and leaves %v", r.HoldID,
			r.State, r.Number, r.Discount, r.Worth, r.Basket, r.Total)
	}
	if r.Currency == "" && fraction(r.Worth).Cmp(fraction(off)) != 0 {
		a.breach("I89", name, "it takes off %v, worth %v", off, r.Worth)
	}
	var ms [8]byte
	if copy(ms[2:], r.ID[:6]); r.Until.IsZero() || int64(binary.BigEndian.Uint64(ms[:])) != r.Until.Time().UnixMilli() {
		a.breach("I89", name, "its id is not of %v", r.Until)
	}
}

// verifyConfirmed checks that a hold that a sale confirmed has the redemption of the sale.
func (a *audit) verifyConfirmed(r *record.Hold) {
	if id := record.NumberID(r.Number); r.Number != 0 && a.mine(id) {
		if was := a.ledger.get(id); was == nil || was.CodeID != r.CodeID || was.CouponID != r.CouponID {
			a.breach("I89", named("hold", r.ID), "sale %d did not redeem its code", r.Number)
		}
	}
}

// verifyUses checks who has places.
func (a *audit) verifyUses() {
	type user struct{ place, customer uuid.UUID }
	seen := make(map[user]uuid.UUID)
	for r := range a.uses.records() {
		if !a.mine(r.RedemptionID) {
			continue
		}
		name := named("use", r.ID)
		redeemed, held := a.ledger.get(r.RedemptionID), a.holds.get(r.RedemptionID)
		ofSale := redeemed != nil && countsFor(r, redeemed)
		ofHold := held != nil && keepsFor(r, held)
		if !ofSale && !ofHold {
			a.breach("I88", name, "no redemption and no hold keeps %s until %v", r.RedemptionID, r.Until)
		}
		who := user{r.RedemptionID, r.Customer}
		if other, taken := seen[who]; taken {
			a.breach("I88", name, "%s says the same", other)
		}
		seen[who] = r.ID
	}
}

// countsFor reports whether a redemption counts and is the place of a use.
func countsFor(u *record.Use, r *record.Redemption) bool {
	return r.RestoredAt.IsZero() && u.Until.IsZero() && u.CodeID == r.CodeID && u.CouponID == r.CouponID
}

// keepsFor reports whether a hold keeps the place of a use.
func keepsFor(u *record.Use, h *record.Hold) bool {
	return h.State == affiliate.HoldHeld && u.Until == h.Until && u.CodeID == h.CodeID && u.CouponID == h.CouponID
}

// verifyRedemption checks that the fields of a redemption fit together.
func (a *audit) verifyRedemption(r *record.Redemption) {
	name := named("redemption", r.ID)
	if ofSale := r.ID == record.NumberID(int64(binary.BigEndian.Uint64(r.ID[8:]))); ofSale != (r.ExternalID == "") {
		a.breach("I90", name, "it is of the order %q", r.ExternalID)
	}
	if r.Discount.Sign() < 0 || r.Refunded && r.RestoredAt.IsZero() {
		a.breach("I90", name, "it took off %v, was given back at %v, for a refund: %v", r.Discount,
			r.RestoredAt, r.Refunded)
	}
}

// inMoney distinguishes the worth of places from their number.
const inMoney = 1

// takeOff takes an amount off a sum.
func (a *audit) takeOff(k, fact print, off affiliate.Amount) {
	if n := off.Scaled(); n > math.MinInt64 {
		a.add(inCodes, k, fact, -n)
	} else {
		a.pick(inCodes, k)
	}
}

// placeOf is the print of a place that somebody has.
func placeOf(k print, code, coupon uuid.UUID, until affiliate.Instant) print {
	k = k.num(isPlace).id(code).id(coupon)
	if until.IsZero() {
		return k.flag(false)
	}
	return k.num(until.Time().UnixMicro())
}

// takesPlace takes a place off those that somebody has, if somebody has it.
func (a *audit) takesPlace(k, place print) {
	if a.knows(k, place) {
		a.add(inCodes, k, place, -1)
	}
}

// siftHolds sifts who has places, and holds.
func (a *audit) siftHolds() {
	sift(a, &a.uses, func(r *record.Use) {
		k := a.key(r.RedemptionID)
		if place := placeOf(k, r.CodeID, r.CouponID, r.Until); a.here(k) && a.learn(k, place) {
			a.add(inCodes, k, place, 1)
		}
		a.repeated(inCodes, k, k.num(isPlace).id(r.Customer))
	})
	sift(a, &a.holds, func(r *record.Hold) {
		k := a.key(r.ID)
		a.about(inCodes, k)
		a.verifyHold(r)
		a.instants("hold", r.ID, r.CreatedAt, r.UpdatedAt)
		siftKeys(a, inCodes, &a.holds, r)
		if r.Number != 0 {
			sale := a.key(record.NumberID(r.Number))
			a.repeated(inCodes, sale, sale.num(isConfirmed))
			if fact := sale.num(isConfirmed).id(r.CodeID).id(r.CouponID); a.here(sale) && a.learn(sale, fact) {
				a.add(inCodes, sale, fact, 1)
			}
		}
		if r.State != affiliate.HoldHeld {
			return
		}
		a.takesPlace(k, placeOf(k, r.CodeID, r.CouponID, r.Until))
		if code := a.key(r.CodeID); a.knows(code, code.num(a.codes.kind)) {
			a.add(inCodes, code, code.num(isPlaced), -1)
		}
		if coupon := a.key(r.CouponID); a.knows(coupon, coupon.num(a.coupons.kind)) {
			a.add(inCodes, coupon, coupon.num(isPlaced), -1)
			a.takeOff(coupon, coupon.num(isPlaced).num(inMoney), r.Worth)
		}
	})
}

// siftRedemption sifts a redemption by itself.
func (a *audit) siftRedemption(k print, r *record.Redemption) {
	a.about(inCodes, k)
	a.verifyRedemption(r)
	siftKeys(a, inCodes, &a.ledger, r)
	if r.Refunded {
		a.learn(k, k.num(isGivenBack))
	}
	if confirmed := k.num(isConfirmed).id(r.CodeID).id(r.CouponID); a.knows(k, confirmed) {
		a.add(inCodes, k, confirmed, -1)
	}
	if r.RestoredAt.IsZero() {
		a.takesPlace(k, placeOf(k, r.CodeID, r.CouponID, affiliate.Instant{}))
	}
}
