package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// HoldRedemption implements tributary.Program.HoldRedemption.
func (p *Program) HoldRedemption(ctx context.Context, in affiliate.HoldParams) (_ affiliate.Hold, err error) {
	defer p.Begin(&ctx, "HoldRedemption", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "hold.create", Input: in, Refused: o.normalizeHold(&in)}
	if rq.Refused == nil {
		in.ExchangeRate, rq.Refused = p.RateOf(ctx, in.Currency, in.ExchangeRate, o.Now.Time())
	}
	return Write(o, rq, func() (affiliate.Hold, error) { return o.holdPlace(&in) })
}

// normalizeHold checks the fields in the order of the contract's table.
func (o *Op) normalizeHold(in *affiliate.HoldParams) error {
	if err := refusal.First(checkHoldID(in.ID)); err != nil {
		return err
	}
	if err := o.normalizeEvaluated(&in.Order); err != nil {
		return err
	}
	until := affiliate.InstantOf(in.Until)
	return refusal.First(
		refusal.RefuseNoUntil.When(in.Until.IsZero()),
		refusal.HoldUntilRange.When(!until.After(o.Now) || until.After(o.Now.Add(affiliate.MaxHold))),
	)
}

// checkHoldID checks the id of a hold, which is required.
func checkHoldID(id string) *affiliate.Error {
	return cmp.Or(refusal.RefuseNoHoldID.When(id == ""), refusal.Optional("id", id, refusal.MaxName))
}

// holdPlace is the transaction of HoldRedemption.
func (o *Op) holdPlace(in *affiliate.HoldParams) (affiliate.Hold, error) {
	old, err := o.unconfirmed(in.ID) // zero: there is none
	if err = IgnoreMissing(err); err != nil {
		return affiliate.Hold{}, err
	}
	var who identity
	if err := o.identify(in.ReferralID, in.ReferredUserExternalID, in.Email, &who); err != nil {
		return affiliate.Hold{}, err
	}
	ord := orderOf(&in.Order, &who)
	ord.unpaid = true
	if old.State == affiliate.HoldHeld {
		ord.hold, ord.anew = &old, passed(old.Until, o.Now)
	}
	var v verdict
	if err = o.judgeOrder(in.PromoCode, in.Offer, in.Currency, &who, &ord, &v); err == nil {
		err = v.refusal()
	}
	if err != nil {
		return affiliate.Hold{}, err
	}
	if v.customer, err = o.mayHold(&who.Customer, v.coupon.ID, &old); err != nil {
		return affiliate.Hold{}, err
	}
	if old.ID != uuid.Nil {
		if err := o.dropHold(&old, &v); err != nil {
			return affiliate.Hold{}, err
		}
	}
	rec, err := o.newHold(in, &v)
	if err != nil {
		return affiliate.Hold{}, err
	}
	if old.ID != uuid.Nil {
		rec.CreatedAt, rec.UpdatedAt = old.CreatedAt, Later(o.Now, old.UpdatedAt)
	}
	if err := o.Tx.Holds.Insert(rec); err != nil {
		return affiliate.Hold{}, refusal.Internal("write hold", err)
	}
	if err := o.takePlace(rec.ID, &v, rec.Until); err != nil {
		return affiliate.Hold{}, err
	}
	if err := o.count(&v); err != nil {
		return affiliate.Hold{}, err
	}
	out, err := o.holdOf(&rec)
	out.Unverified = refusal.EmptyNotNil(v.unverified)
	return out, err
}

// mayHold returns what a customer is known by, and refuses one with too many open holds, and
// who names nobody when too many of the coupon name nobody.
func (o *Op) mayHold(c *Customer, coupon uuid.UUID, own *record.Hold) ([]uuid.UUID, error) {
	ids, err := o.customerOf(c, own.ID)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		n, err := o.heldForNobody(coupon, own.ID, o.Cfg.Limits.Nobody)
		if err != nil {
			return nil, err
		}
		return nil, refusal.First(refusal.HoldsOfNobody.When(n >= o.Cfg.Limits.Nobody))
	}
	used, lapsed, err := o.usesOf(ids, own.ID)
	if err != nil {
		return nil, err
	}
	for i := range lapsed { // so that who holds again and again leaves no more than the last ones to be read
		if err := o.Tx.Uses.Delete(lapsed[i].ID); err != nil {
			return nil, refusal.Internal("delete use", err)
		}
	}
	open := 0
	for i := range used {
		if !used[i].Until.IsZero() {
			open++
		}
	}
	return ids, refusal.First(refusal.HoldsTooMany.When(open >= o.Cfg.Limits.Holds))
}

// heldForNobody counts the open holds of a coupon that name nobody, up to most.
func (o *Op) heldForNobody(coupon, own uuid.UUID, most int) (n int, err error) {
	for h, err := range o.openHolds().List(record.Query{Key: record.Key{Index: record.OfCoupon,
		ID: coupon}, After: openSince(o.Now)}) {
		if err != nil {
			return n, err
		}
		uses, err := o.usesFor(h.ID)
		if err != nil {
			return n, err
		}
		if len(uses) > 0 || h.ID == own {
			continue
		}
		if n++; n == most {
			break
		}
	}
	return n, nil
}

// dropHold deletes a hold in whose place another one comes. The verdict does not count it.
func (o *Op) dropHold(old *record.Hold, v *verdict) error {
	if old.State == affiliate.HoldHeld {
		if err := o.unplace(old, v); err != nil {
			return err
		}
	}
	if err := o.Tx.Holds.Delete(old.ID); err != nil {
		return refusal.Internal("delete hold", err)
	}
	return nil
}

// newHold returns the record of a hold, and counts it in the verdict.
func (o *Op) newHold(in *affiliate.HoldParams, v *verdict) (record.Hold, error) {
	until := affiliate.InstantOf(in.Until.Truncate(time.Millisecond))
	rec := record.Hold{
		ID: o.Cfg.holdID(until, in.ID), HoldID: in.ID, CodeID: v.code.ID, CouponID: v.coupon.ID,
		State: affiliate.HoldHeld, Currency: in.Currency, Until: until, CreatedAt: o.Now,
		UpdatedAt: o.Now,
	}
	price, err := o.priceOf(&in.Order, &v.coupon)
	if err != nil {
		return rec, err
	}
	rec.Basket, rec.Discount, rec.Total, rec.Lines = price.basket, price.discount, price.total, price.lines
	if rec.Worth, err = o.inProgram(rec.Discount.Or(affiliate.Amount{}), in.Currency, in.ExchangeRate); err != nil {
		return rec, err
	}
	if v.code.ID != uuid.Nil {
		v.code.Held++
	}
	v.coupon.Held++
	held, err := v.coupon.HeldDiscount.Add(rec.Worth)
	v.coupon.HeldDiscount = held
	return rec, TooLargeFor("subtotal", err)
}

// holdID returns the id of a hold's record: the time until which it holds, in milliseconds, and a digest of the
// caller's id.
func (c *Config) holdID(until affiliate.Instant, holdID string) (id uuid.UUID) {
	sum := sha256.Sum256(append(c.ID[:], holdID...))
	id = uuid7.Stamp(uuid.UUID(sum[:16]), until.Time())
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made of other data
	return id
}

// holdOf returns a hold as it stands now.
func (o *Op) holdOf(rec *record.Hold) (affiliate.Hold, error) {
	out := affiliate.Hold{
		ID: rec.HoldID, State: rec.State, CouponID: rec.CouponID,
		Currency: cmp.Or(rec.Currency, o.Cfg.Currency), Subtotal: nullOr(rec.Basket),
		Discount: nullOr(rec.Discount), Total: nullOr(rec.Total),
		Unverified: []affiliate.Reason{}, Lines: linesOf(&record.Sale{Lines: rec.Lines}),
		SaleID:    OrNull(affiliate.SaleID(rec.Number)),
		Until:     affiliate.TimeOf(rec.Until.Time()),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
	if out.State == affiliate.HoldHeld && passed(rec.Until, o.Now) {
		out.State = affiliate.HoldLapsed
	}
	var err error
	out.PromotionalCode, err = o.NameOfCode(rec.CodeID)
	return out, err
}

// NameOfCode returns the text of a code; null: it is none, or was deleted.
func (o *Op) NameOfCode(id uuid.UUID) (affiliate.Opt[affiliate.CodeName], error) {
	if id == uuid.Nil {
		return affiliate.Null[affiliate.CodeName](), nil
	}
	code, err := o.Tx.Codes.Get(id)
	if err != nil {
		return affiliate.Null[affiliate.CodeName](), IgnoreMissing(err)
	}
	return affiliate.Set(affiliate.CodeName{ID: code.ID, Code: code.Code}), nil
}

// nullOr returns null for what was not given.
func nullOr[T any](o affiliate.Opt[T]) affiliate.Opt[T] {
	if o.IsZero() {
		return affiliate.Null[T]()
	}
	return o
}

// Hold implements tributary.Program.Hold.
func (p *Program) Hold(ctx context.Context, id string) (_ affiliate.Hold, err error) {
	defer p.Begin(&ctx, "Hold", Reads).End(&err)
	o := p.Op(ctx) // reads the clock, which a view does not do
	var out affiliate.Hold
	err = o.Snapshot(func() error {
		rec, err := o.holdNamed(id)
		if err == nil {
			out, err = o.holdOf(&rec)
		}
		return err
	})
	return out, err
}

// holdNamed returns the hold with the caller's id, or [affiliate.ErrNotFound].
func (o *Op) holdNamed(id string) (record.Hold, error) {
	return o.Tx.Holds.Find(record.TextKey(record.ByExternalID, id))
}

// unconfirmed is holdNamed for a hold that is to change: it refuses one that was confirmed, but for the order
// that confirmed it.
func (o *Op) unconfirmed(id string) (record.Hold, error) {
	rec, err := o.holdNamed(id)
	if err == nil && rec.State == affiliate.HoldConfirmed && (o.alone == nil || o.alone.entry.HoldID != id) {
		err = refusal.HoldConfirmed.Err()
	}
	return rec, err
}

// ReleaseHold implements tributary.Program.ReleaseHold.
func (p *Program) ReleaseHold(ctx context.Context, id string) (_ affiliate.Hold, err error) {
	defer p.Begin(&ctx, "ReleaseHold", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "hold.release", Input: id, Refused: refusal.First(checkHoldID(id))}
	return Write(o, rq, func() (affiliate.Hold, error) {
		rec, err := o.unconfirmed(id)
		if err != nil {
			return affiliate.Hold{}, refusal.HoldNotFound.IfMissing(err)
		}
		if rec.State == affiliate.HoldHeld {
			state := affiliate.HoldReleased
			if passed(rec.Until, o.Now) {
				state = affiliate.HoldLapsed
			}
			if err := o.endHold(&rec, state, new(verdict)); err != nil {
				return affiliate.Hold{}, err
			}
		}
		return o.holdOf(&rec)
	})
}

// HeldCode returns the code of a hold.
func (o *Op) HeldCode(id string) (record.Code, error) {
	hold, err := o.holdNamed(id)
	if err != nil {
		return record.Code{}, refusal.HoldNotFound.IfMissing(err)
	}
	code, err := o.Tx.Codes.Get(hold.CodeID)
	return code, refusal.CodeNotFound.IfMissing(err)
}

// WithHold finds the hold of a sale with its code, and takes from it what the sale does not say: the code or the
// offer, and the basket.
func (o *Op) WithHold(in *affiliate.SaleParams, d *Decision) (code record.Code, err error) {
	hold, err := o.unconfirmed(in.HoldID)
	if err != nil {
		return code, refusal.HoldNotFound.IfMissing(err)
	}
	if hold.CodeID == uuid.Nil {
		in.Offer = true
	} else if code, err = o.Tx.Codes.Get(hold.CodeID); err != nil {
		return code, refusal.CodeNotFound.IfMissing(err)
	}
	if in.PromoCode != "" && record.FoldCode(in.PromoCode) != record.FoldCode(code.Code) {
		return code, refusal.HoldOfAnother.Err()
	}
	d.hold, in.PromoCode = &hold, code.Code
	paid := Charge{in.TotalEarned, in.Tax, in.Shipping}
	if _, said := in.Subtotal.Get(); !said && in.Currency == hold.Currency && len(in.Lines) == 0 && paid.checkSubtotal(hold.Basket, "") == nil {
		in.Subtotal = hold.Basket
	}
	_, priced := in.Subtotal.Get()
	return code, refusal.First(refusal.TotalRequired.When(in.Free && !priced))
}

// frozen reports whether a hold priced what a sale says that was bought, and gives the lines of the
// sale what the hold took off each. A sale may say no lines.
func frozen(h *record.Hold, lines []affiliate.StoredLine, basket affiliate.Opt[affiliate.Amount],
	c affiliate.Currency) bool {
	same := func(a, b affiliate.StoredLine) bool {
		return a.ID == b.ID && a.ProductID == b.ProductID && a.Quantity == b.Quantity &&
			a.Amount == b.Amount && a.Discount == b.Discount
	}
	if h == nil || h.Currency != c || h.Discount.IsZero() || !h.Basket.Equal(basket) ||
		len(lines) > 0 && !slices.EqualFunc(h.Lines, lines, same) {
		return false
	}
	for i := range lines {
		lines[i].CodeDiscount = h.Lines[i].CodeDiscount
	}
	return true
}

// Holds implements tributary.Program.Holds.
func (p *Program) Holds(ctx context.Context, f affiliate.HoldQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Hold], err error) {
	defer p.Begin(&ctx, "Holds", Reads).End(&err)
	key := record.Key{Index: record.OfCoupon, ID: f.CouponID.Or(uuid.Nil)}
	if id, byCode := f.CodeID.Get(); byCode {
		key = record.Key{Index: record.OfCode, ID: id}
	}
	l, err := p.Listing(pg, "holds", f)
	if err == nil {
		err = refusal.First(refusal.FieldMissing.About("codeId").When(key.ID == uuid.Nil))
	}
	if err != nil {
		return affiliate.List[affiliate.Hold]{}, err
	}
	o := p.Op(ctx) // reads the clock, which a view does not do
	l = l.Of(key)
	l.Query.Desc, l.Query.After = false, openSince(o.Now)
	var out affiliate.List[affiliate.Hold]
	err = o.Snapshot(func() (err error) {
		out, err = Collect(o.openHolds(), l, func(rec record.Hold) (affiliate.Hold, error) { return o.holdOf(&rec) })
		return err
	})
	return out, err
}

// openSince returns an id after which the holds follow that are open at an instant, and perhaps those that have
// lapsed in its millisecond.
func openSince(at affiliate.Instant) uuid.UUID { return uuid7.Stamp(uuid.Nil, at.Time()) }

// openHolds are the holds that have not lapsed.
func (o *Op) openHolds() record.Table[record.Hold] {
	return FilteredTable[record.Hold]{Table: o.Tx.Holds,
		Keep: func(h record.Hold) bool { return !passed(h.Until, o.Now) }}
}

// countedHolds is the number of open holds that are counted one by one.
const countedHolds = 1000

// OpenHolds returns how many holds of a code or a coupon keep a place now, and what they take off. Of very many it
// returns what the code or the coupon counts, with those that have lapsed.
func (o *Op) OpenHolds(key record.Key, n int64, worth affiliate.Amount) (int64, affiliate.Amount, error) {
	if n == 0 {
		return 0, affiliate.Amount{}, nil
	}
	holds, err := Gather(o.openHolds(), record.Query{Key: key, After: openSince(o.Now), Limit: countedHolds + 1})
	if err != nil || len(holds) > countedHolds {
		return n, worth, err
	}
	sum := int64(0) // no more than the coupon's, which fits
	for i := range holds {
		sum += holds[i].Worth.Scaled()
	}
	return int64(len(holds)), affiliate.AmountFromScaled(sum), nil
}

// BudgetLeft returns what is left of the budget of a coupon, less what holds keep; not set: it has none.
func (o *Op) BudgetLeft(c *record.Coupon) (affiliate.Opt[affiliate.Amount], error) {
	if c.MaxDiscountTotal.IsZero() {
		return affiliate.Opt[affiliate.Amount]{}, nil
	}
	_, held, err := o.OpenHolds(record.Key{Index: record.OfCoupon, ID: c.ID}, c.Held, c.HeldDiscount)
	left := c.MaxDiscountTotal.Scaled() - c.DiscountTotal.Scaled() - held.Scaled()
	return affiliate.Set(affiliate.AmountFromScaled(max(0, left))), err
}
