package engine

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The places of codes: who has one, and when it is free again. A redemption has a place, and so
// has a hold until it lapses. Source: docs/rules.md 3.5, 3.10.

// checkPeriod applies rows 17 and 18: the time of the code has begun, and the budget of its coupon is
// not spent.
func (v *verdict) checkPeriod(at affiliate.Instant) {
	from := v.code.StartsAt
	if from.Before(v.coupon.StartsAt) {
		from = v.coupon.StartsAt
	}
	if at.Before(from) {
		v.fail(refusal.CodeNotStarted, affiliate.Failure{At: affiliate.Set(affiliate.TimeOf(from.Time()))})
	}
	if v.spentBut(affiliate.AmountFromScaled(v.coupon.HeldDiscount.Scaled() - v.idleOfCoupon.worth)) {
		v.fail(refusal.BudgetSpent, affiliate.Failure{Amount: affiliate.Set(v.coupon.MaxDiscountTotal)})
	}
}

// spentBut reports whether redemptions, and holds with such a discount in all, have used up the budget of the coupon.
func (v *verdict) spentBut(held affiliate.Amount) bool {
	c := &v.coupon
	return !c.MaxDiscountTotal.IsZero() && c.DiscountTotal.Scaled() >= c.MaxDiscountTotal.Scaled()-held.Scaled()
}

// checkQuantity applies row 19, the code's minimum of pieces.
func (v *verdict) checkQuantity(ord *order) {
	if v.code.MinimumQuantity.IsZero() {
		return
	}
	pieces, known := ord.quantity.Get()
	if len(ord.lines) > 0 {
		pieces, known = affiliate.Amount{}, true
		for i := range ord.lines {
			sum, err := pieces.Add(ord.lines[i].Quantity.Or(one))
			if err != nil { // it is more than any minimum
				pieces = v.code.MinimumQuantity
				break
			}
			pieces = sum
		}
	}
	v.decide(known, pieces.Cmp(v.code.MinimumQuantity) >= 0, refusal.BelowQuantity,
		affiliate.Failure{Amount: affiliate.Set(v.code.MinimumQuantity)})
}

// limitsCustomers reports whether one customer may use the code so often only.
func (v *verdict) limitsCustomers() bool {
	return v.code.MaxPerCustomer > 0 || v.coupon.MaxPerCustomer > 0
}

// checkPlaces applies row 20: how often one customer may use the code, and codes of its coupon.
// Without anything that says who the customer is, the rule is not verified.
func (o *Op) checkPlaces(v *verdict, c *Customer, own uuid.UUID) error {
	if !v.limitsCustomers() {
		return nil
	}
	if err := o.readPlaces(c, own); err != nil {
		return err
	}
	if v.customer = c.places.customer; len(v.customer) == 0 {
		if o.Cfg.RequireCustomer {
			v.fail(refusal.CustomerMissing, affiliate.Failure{})
		} else {
			v.unverified = append(v.unverified, affiliate.CustomerLimit)
		}
		return nil
	}
	var ofCode, ofCoupon int64
	for i := range c.places.used {
		use := &c.places.used[i]
		if use.CouponID == v.coupon.ID {
			ofCoupon++
			if use.CodeID == v.code.ID {
				ofCode++
			}
		}
	}
	switch {
	case reached(v.code.MaxPerCustomer, ofCode):
		v.fail(refusal.CustomerLimit,
			affiliate.Failure{Limit: affiliate.Set(v.code.MaxPerCustomer),
				Used: affiliate.Set(ofCode)})
	case reached(v.coupon.MaxPerCustomer, ofCoupon):
		v.fail(refusal.CustomerLimit,
			affiliate.Failure{Limit: affiliate.Set(v.coupon.MaxPerCustomer),
				Used: affiliate.Set(ofCoupon)})
	}
	return nil
}

// readPlaces reads the places of a customer, once for all codes of an order.
func (o *Op) readPlaces(c *Customer, own uuid.UUID) (err error) {
	if c.places != nil {
		return nil
	}
	var p places
	if p.customer, err = o.customerOf(c, own); err != nil {
		return err
	}
	if p.used, _, err = o.usesOf(p.customer, own); err == nil {
		c.places = &p
	}
	return err
}

// customerOf returns what a customer is known by. Who names nobody is whom the open hold of the order is for; zero:
// there is none.
func (o *Op) customerOf(c *Customer, hold uuid.UUID) ([]uuid.UUID, error) {
	ids, err := o.knownBy(c)
	if err != nil || c.Known || hold == uuid.Nil {
		return ids, err
	}
	uses, err := o.usesFor(hold)
	for i := range uses {
		if id := uses[i].Customer; !passed(uses[i].Until, o.Now) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// heldForAnother reports whether a hold was for none of those whom a verdict is about.
func (o *Op) heldForAnother(hold uuid.UUID, v *verdict) (bool, error) {
	uses, err := o.usesFor(hold)
	return !slices.ContainsFunc(uses, func(u record.Use) bool { return slices.Contains(v.customer, u.Customer) }), err
}

// forgive drops what a hold protects against: an end, a limit or a budget that was reached since.
// After the hold has lapsed the customer has the discount all the same, so the order is taken,
// and said to be over the limit. unpaid: the order is held anew, for somebody else, who has a limit of their own.
func (v *verdict) forgive(lapsed, unpaid bool) {
	v.failures = slices.DeleteFunc(v.failures, func(f affiliate.Failure) bool {
		if unpaid && f.Reason == affiliate.CustomerLimit {
			return false
		}
		switch f.Reason {
		case affiliate.CodeExpired, affiliate.CouponExpired, affiliate.CodeNotStarted,
			affiliate.CodeExhausted, affiliate.CouponExhausted,
			affiliate.BudgetSpent, affiliate.CustomerLimit, affiliate.CustomerRequired:
			v.over = v.over || lapsed || f.Reason == affiliate.CustomerLimit // the hold was of somebody else, or of nobody
			return true
		}
		return false
	})
}

// heldPlaces are some holds: how many, and what they take off.
type heldPlaces struct{ n, worth int64 }

func (p *heldPlaces) add(h *record.Hold) {
	p.n++
	p.worth += h.Worth.Scaled()
}

// codeHeld and couponHeld are the places that holds keep of the code and of the coupon, for all that is known.
func (v *verdict) codeHeld() int64   { return v.code.Held - v.idleOfCode.n }
func (v *verdict) couponHeld() int64 { return v.coupon.Held - v.idleOfCoupon.n }

// freePlaces leaves holds out of the counts of a verdict: the order's own, and those that have lapsed, as far as
// they make a difference. It only reads.
func (o *Op) freePlaces(v *verdict, own *record.Hold) error {
	if v.code.Held == 0 && v.coupon.Held == 0 {
		return nil
	}
	if own != nil && own.State == affiliate.HoldHeld {
		v.drop(own)
	}
	code, coupon := &v.code, &v.coupon
	// byHolds reports whether holds make the difference: where redemptions alone use a limit up, no hold is to blame.
	byHolds := func(limit, times, held int64) bool { return !reached(limit, times) && reached(limit, times+held) }
	full := func() bool { return byHolds(code.MaxRedemptions, code.TimesRedeemed, v.codeHeld()) }
	never := func(heldPlaces) bool { return false } // a refusal says how many there are
	if err := o.dropLapsed(v, own, record.Key{Index: record.OfCode, ID: v.code.ID}, &v.idleOfCode, full, never); err != nil {
		return err
	}
	all := func() bool { return byHolds(coupon.MaxRedemptions, coupon.TimesRedeemed, v.couponHeld()) }
	spent := func(held int64) bool {
		return !v.spentBut(affiliate.Amount{}) && v.spentBut(affiliate.AmountFromScaled(held))
	}
	full = func() bool { return all() || spent(coupon.HeldDiscount.Scaled()-v.idleOfCoupon.worth) }
	enough := func(open heldPlaces) bool { return !all() && spent(open.worth) }
	return o.dropLapsed(v, own, record.Key{Index: record.OfCoupon, ID: v.coupon.ID}, &v.idleOfCoupon, full, enough)
}

// mostCollected is the largest number of lapsed holds that one transaction ends.
const mostCollected = 64

// dropLapsed leaves lapsed holds with a key out of the counts of a verdict while they are full, the first ones to
// lapse first. The first ones are in lapsed and off the counts; the others are idle: they stay counted for whoever
// comes next. Beside the lapsed ones it reads the open ones, so that what it costs is twice the fewer of the two:
// when all of these are read, or enough of them, nothing else is to be known.
func (o *Op) dropLapsed(v *verdict, own *record.Hold, key record.Key, idle *heldPlaces,
	full func() bool, enough func(open heldPlaces) bool) error {
	var open heldPlaces
	after, since := uuid.Nil, openSince(o.Now)
	for piece := 8; full(); piece = min(2*piece, 512) {
		holds, err := Gather(o.Tx.Holds, record.Query{Key: key, After: after, Limit: piece})
		if err != nil {
			return err
		}
		for i := range holds {
			h := &holds[i]
			if !full() || !passed(h.Until, o.Now) { // those that follow lapse later
				return nil
			}
			if own != nil && own.ID == h.ID ||
				slices.ContainsFunc(v.lapsed, func(q record.Hold) bool { return q.ID == h.ID }) {
				continue
			}
			if len(v.lapsed) == mostCollected || key.Index == record.OfCoupon &&
				h.CodeID == v.code.ID && v.idleOfCode.n > 0 {
				idle.add(h)
				continue
			}
			v.drop(h)
			v.lapsed = append(v.lapsed, *h)
		}
		if len(holds) < piece {
			return nil
		}
		after = holds[piece-1].ID
		if holds, err = Gather(o.Tx.Holds, record.Query{Key: key, After: since, Limit: piece}); err != nil {
			return err
		}
		for i := range holds {
			if h := &holds[i]; !passed(h.Until, o.Now) && (own == nil || own.ID != h.ID) {
				open.add(h)
			}
		}
		if len(holds) < piece {
			held, worth := v.code.Held, int64(0)
			if key.Index == record.OfCoupon {
				held, worth = v.coupon.Held, v.coupon.HeldDiscount.Scaled()
			}
			*idle = heldPlaces{held - open.n, worth - open.worth}
			return nil
		}
		if since = holds[piece-1].ID; enough(open) {
			return nil
		}
	}
	return nil
}

// drop takes a hold off the counts of a verdict.
func (v *verdict) drop(h *record.Hold) {
	if h.CodeID == v.code.ID && v.code.ID != uuid.Nil {
		v.code.Held--
	}
	if h.CouponID == v.coupon.ID {
		unhold(&v.coupon, h)
	}
}

// usesOf returns the places that a customer has, each once, but for those of a hold; zero: of none. lapsed are the
// records of those that it had by other holds.
func (o *Op) usesOf(customer []uuid.UUID, own uuid.UUID) (used, lapsed []record.Use, err error) {
	for _, id := range customer {
		found, err := Gather(o.Tx.Uses, record.Query{Key: record.Key{Index: record.OfUser, ID: id}})
		if err != nil {
			return nil, nil, err
		}
		for i := range found {
			use := &found[i]
			samePlace := func(u record.Use) bool { return u.RedemptionID == use.RedemptionID }
			switch {
			case use.RedemptionID == own:
			case passed(use.Until, o.Now):
				lapsed = append(lapsed, *use)
			case !slices.ContainsFunc(used, samePlace):
				used = append(used, *use)
			}
		}
	}
	return used, lapsed, nil
}

// takePlace writes who has a place.
func (o *Op) takePlace(place uuid.UUID, v *verdict, until affiliate.Instant) error {
	for _, id := range v.customer {
		use := record.Use{ID: o.NewID(), Customer: id, RedemptionID: place, CodeID: v.code.ID,
			CouponID: v.coupon.ID, Until: until}
		if err := o.Tx.Uses.Insert(use); err != nil {
			return refusal.Internal("write use", err)
		}
	}
	return nil
}

// usesFor returns who has a place.
func (o *Op) usesFor(place uuid.UUID) ([]record.Use, error) {
	return Gather(o.Tx.Uses, record.Query{Key: record.Key{Index: record.OfRedemption, ID: place}})
}

// leavePlace deletes who has a place.
func (o *Op) leavePlace(place uuid.UUID) error {
	uses, err := o.usesFor(place)
	if err != nil {
		return err
	}
	for i := range uses {
		if err := o.Tx.Uses.Delete(uses[i].ID); err != nil {
			return refusal.Internal("delete use", err)
		}
	}
	return nil
}

// count writes the code and the coupon of a verdict, and ends the holds that have lapsed and are counted
// no more.
func (o *Op) count(v *verdict) error {
	for i := range v.lapsed {
		if err := o.endHold(&v.lapsed[i], affiliate.HoldLapsed, v); err != nil {
			return err
		}
	}
	if v.code.ID != uuid.Nil {
		if err := o.Tx.Codes.Replace(v.code); err != nil {
			return refusal.Internal("count redemption", err)
		}
	}
	if err := o.Tx.Coupons.Replace(v.coupon); err != nil {
		return refusal.Internal("count redemption", err)
	}
	return nil
}

// endHold writes the state of a hold that keeps its place no more. The code and the coupon of the
// verdict do not count it; another code of the coupon is counted here.
func (o *Op) endHold(h *record.Hold, state affiliate.HoldState, v *verdict) error {
	if err := o.unplace(h, v); err != nil {
		return err
	}
	if h.State = state; state != affiliate.HoldLapsed {
		h.UpdatedAt = Later(o.Now, h.UpdatedAt)
	}
	if err := o.Tx.Holds.Replace(*h); err != nil {
		return refusal.Internal("write hold", err)
	}
	return nil
}

// Unplace gives the place of a hold back.
func (o *Op) Unplace(h *record.Hold) error { return o.unplace(h, new(verdict)) }

// unplace takes the place of a hold from whom it was for, and from the counts that are not in the verdict.
func (o *Op) unplace(h *record.Hold, v *verdict) error {
	if h.CodeID != v.code.ID && h.CodeID != uuid.Nil {
		if err := changeIn(o.Tx.Codes, h.CodeID, func(c *record.Code) { c.Held-- }); err != nil {
			return err
		}
	}
	if h.CouponID != v.coupon.ID {
		if err := changeIn(o.Tx.Coupons, h.CouponID, func(c *record.Coupon) { unhold(c, h) }); err != nil {
			return err
		}
	}
	return o.leavePlace(h.ID)
}

// unhold takes a hold off the counts of its coupon.
func unhold(c *record.Coupon, h *record.Hold) {
	c.Held--
	c.HeldDiscount = affiliate.AmountFromScaled(c.HeldDiscount.Scaled() - h.Worth.Scaled())
}

// changeIn changes the counts of a record, unless it was deleted.
func changeIn[R record.Record[R]](table record.Table[R], id uuid.UUID, change func(*R)) error {
	rec, err := table.Get(id)
	if err != nil {
		return IgnoreMissing(err)
	}
	change(&rec)
	return table.Replace(rec)
}
