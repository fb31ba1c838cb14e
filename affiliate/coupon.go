package affiliate

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// A Coupon defines a discount: how much comes off, for how long, and how often
// it may be used. Any number of promotional codes share it.
//
// Source: docs/contract.md 2.1.
type Coupon struct {
	ID                 uuid.UUID            `json:"id"`
	Name               string               `json:"name"`
	CouponType         CouponType           `json:"couponType"`
	PercentOff         Opt[Percent]         `json:"percentOff"` // null when FLAT
	AmountOff          Opt[Amount]          `json:"amountOff"`  // null when PERCENTAGE
	Currency           Opt[Currency]        `json:"currency"`   // null when PERCENTAGE
	Duration           Duration             `json:"duration"`
	DurationInMonths   Opt[int64]           `json:"durationInMonths"` // null unless repeating
	MaxRedemptions     Opt[int64]           `json:"maxRedemptions"`   // over all codes; null: no limit
	TimesRedeemed      int64                `json:"timesRedeemed"`    // sales by its codes; never falls but by RestoreRedemption
	LimitToProducts    bool                 `json:"limitToProducts"`
	ProductIDs         []string             `json:"productIds"`
	CollectionIDs      []string             `json:"collectionIds"` // always empty
	Valid              bool                 `json:"valid"`
	RedeemBy           Opt[Time]            `json:"redeemBy"` // redeemable until this instant, inclusive
	ExternalID         Opt[string]          `json:"externalId"`
	IntegrationType    Opt[IntegrationType] `json:"integrationType"`
	CouponCategory     string               `json:"couponCategory"` // always CUSTOMER
	AutoCouponRule     Opt[json.RawMessage] `json:"autoCouponRule"` // always null; the hosted service may send any value
	AffiliateProgramID uuid.UUID            `json:"affiliateProgramId"`
	CreatedAt          Time                 `json:"createdAt"`
	UpdatedAt          Time                 `json:"updatedAt"`

	// PromotionalCodes is every live code, newest first, each with its
	// affiliate and without the coupon. It is nil, and absent in JSON, where
	// the coupon itself is part of a code.
	PromotionalCodes []Code `json:"promotionalCodes,omitzero"`
}

// NewCoupon is the input of [Program.CreateCoupon]. Name is required.
type NewCoupon struct {
	Once             `json:"-"`
	Name             string          `json:"name"`                      // 1–255 characters, not unique
	CouponType       CouponType      `json:"couponType,omitzero"`       // zero: PERCENTAGE
	PercentOff       Opt[Percent]    `json:"percentOff,omitzero"`       // 1–100; required when PERCENTAGE
	AmountOff        Opt[Amount]     `json:"amountOff,omitzero"`        // > 0; required when FLAT
	Currency         Opt[Currency]   `json:"currency,omitzero"`         // required when FLAT
	Duration         Duration        `json:"duration,omitzero"`         // zero: forever
	DurationInMonths Opt[int64]      `json:"durationInMonths,omitzero"` // 1–1,200; required when repeating
	MaxRedemptions   Opt[int64]      `json:"maxRedemptions,omitzero"`   // ≥ 1; not given: no limit
	LimitToProducts  bool            `json:"limitToProducts,omitzero"`
	ProductIDs       []string        `json:"productIds,omitzero"` // ≤ 1,000 distinct; required when LimitToProducts
	Valid            Opt[bool]       `json:"valid,omitzero"`      // not given: true
	RedeemBy         Opt[Date]       `json:"redeemBy,omitzero"`   // a past instant is accepted
	ExternalID       string          `json:"externalId,omitzero"` // unique among live coupons
	IntegrationType  IntegrationType `json:"integrationType,omitzero"`
}

// CouponUpdate is the input of [Program.UpdateCoupon]; what is not given stays.
type CouponUpdate struct {
	Name             Opt[string]     `json:"name,omitzero"`
	CouponType       Opt[CouponType] `json:"couponType,omitzero"`
	PercentOff       Opt[Percent]    `json:"percentOff,omitzero"`
	AmountOff        Opt[Amount]     `json:"amountOff,omitzero"`
	Currency         Opt[Currency]   `json:"currency,omitzero"`
	Duration         Opt[Duration]   `json:"duration,omitzero"`
	DurationInMonths Opt[int64]      `json:"durationInMonths,omitzero"`
	MaxRedemptions   Opt[int64]      `json:"maxRedemptions,omitzero"` // may be below timesRedeemed: the coupon is exhausted
	LimitToProducts  Opt[bool]       `json:"limitToProducts,omitzero"`
	ProductIDs       Opt[[]string]   `json:"productIds,omitzero"`
	Valid            Opt[bool]       `json:"valid,omitzero"`
	RedeemBy         Opt[Date]       `json:"redeemBy,omitzero"`
}

// CouponRef names a coupon; the first field that is set decides. A name that
// several coupons share is the newest one's.
type CouponRef struct {
	ID         uuid.UUID
	ExternalID string
	Name       string
}

// DeletedCoupon is what is left of a deleted coupon.
type DeletedCoupon struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Coupon returns the coupon that ref names, with its codes. An empty ref names
// none.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.3.
func (p *Program) Coupon(ctx context.Context, ref CouponRef) (Coupon, error) {
	return view(ctx, p, func(o *op) (Coupon, error) {
		rec, err := o.findCoupon(ref)
		if err != nil {
			return Coupon{}, err
		}
		return o.fullCoupon(rec, contacts{})
	})
}

// Coupons lists the coupons, newest first, each with its codes.
//
// Errors: [InvalidQuery].
//
// Source: docs/contract.md 3.3.
func (p *Program) Coupons(ctx context.Context, pg Page) (List[Coupon], error) {
	l, err := p.listing(pg, "coupons", nil)
	if err != nil {
		return List[Coupon]{}, err
	}
	return view(ctx, p, func(o *op) (List[Coupon], error) {
		seen := contacts{}
		return collect(o.tx.Coupons, l, func(rec CouponRecord) (Coupon, error) { return o.fullCoupon(rec, seen) })
	})
}

// CreateCoupon makes a coupon without codes. The pair of discount fields that
// does not belong to its type is checked like the other and not stored.
//
// Errors: [MissingField], [InvalidField]; [CouponExternalIDTaken].
//
// Effects: the coupon; coupon.created.
//
// Source: docs/rules.md 3.1; docs/contract.md 3.3.
func (p *Program) CreateCoupon(ctx context.Context, in NewCoupon) (Coupon, error) {
	rq := request{once: in.Once, name: "coupon.create", input: in}
	rq.refused = p.checkNewCoupon(&in)
	o := p.op(ctx)
	return write(o, rq, func() (Coupon, error) {
		if err := o.freeCouponExternalID(in.ExternalID); err != nil {
			return Coupon{}, err
		}
		rec := CouponRecord{ID: o.newID(), Revision: 1, CreatedAt: o.now, UpdatedAt: o.now}
		o.fillCoupon(&rec, in)
		if err := o.tx.Coupons.Insert(rec); err != nil {
			return Coupon{}, taken(err, map[Index]*Error{ByExternalID: couponExternalIDTaken.err()})
		}
		return o.announceCoupon(CouponCreated, rec, nil)
	})
}

// UpdateCoupon changes the discount for every code of the coupon. The coupon is
// checked as it will be; an update that changes nothing is no event. A limit
// may be set below the count: the coupon is exhausted then.
//
// Errors: [MissingField] for a zero id, [CouponNotFound], [MissingField] and
// [InvalidField] of the fields.
//
// Effects: the coupon; coupon.updated.
//
// Source: docs/rules.md 2.4 and 3.1; docs/contract.md 3.3.
func (p *Program) UpdateCoupon(ctx context.Context, id uuid.UUID, up CouponUpdate) (Coupon, error) {
	rq := request{name: "coupon.update", input: []any{id, up}, refused: first(couponIDRequired.when(id == uuid.Nil))}
	if rq.refused == nil {
		rq.refused = p.checkCouponUpdate(up)
	}
	o := p.op(ctx)
	return write(o, rq, func() (Coupon, error) {
		old, err := o.couponByID(id)
		if err != nil {
			return Coupon{}, err
		}
		rec, err := o.mergeCoupon(old, up)
		if err != nil {
			return Coupon{}, err
		}
		if same(rec, old) {
			return o.fullCoupon(old, contacts{})
		}
		rec.Revision++
		rec.UpdatedAt = later(o.now, rec.UpdatedAt)
		codes, err := o.codesOf(id)
		if err != nil {
			return Coupon{}, err
		}
		if err := o.tx.Coupons.Replace(rec); err != nil {
			return Coupon{}, err
		}
		return o.announceCoupon(CouponUpdated, rec, codes)
	})
}

// DeleteCoupon deletes a coupon and all its codes in one step; codes that were
// handed out stop working at once. Sales and the redemption ledger stay.
//
// Errors: [MissingField] for a zero id, [CouponNotFound].
//
// Effects: coupon.deleted, after promocode.deleted for each code with
// Config.CascadeEvents.
//
// Source: docs/rules.md 3.7; docs/contract.md 3.3.
func (p *Program) DeleteCoupon(ctx context.Context, id uuid.UUID) (DeletedCoupon, error) {
	o := p.op(ctx)
	rq := request{name: "coupon.delete", input: id, refused: first(couponIDRequired.when(id == uuid.Nil))}
	return write(o, rq, func() (DeletedCoupon, error) {
		rec, err := o.couponByID(id)
		if err != nil {
			return DeletedCoupon{}, err
		}
		codes, err := o.codesOf(id)
		if err != nil {
			return DeletedCoupon{}, err
		}
		for _, code := range codes {
			if err := o.tx.Codes.Delete(code.ID); err != nil {
				return DeletedCoupon{}, internal("delete code of coupon", err)
			}
			if !o.cfg.CascadeEvents {
				continue
			}
			if err := o.emit(PromocodeDeleted, code.ID, code.Revision+1, DeletedBody{code.ID}); err != nil {
				return DeletedCoupon{}, err
			}
		}
		if err := o.tx.Coupons.Delete(id); err != nil {
			return DeletedCoupon{}, internal("delete coupon", err)
		}
		return DeletedCoupon{ID: id, Name: rec.Name}, o.emit(CouponDeleted, id, rec.Revision+1, DeletedBody{id})
	})
}

// couponByID returns the coupon that a caller named.
func (o *op) couponByID(id uuid.UUID) (CouponRecord, error) {
	rec, err := o.tx.Coupons.Get(id)
	return rec, couponNotFound.orOther(err)
}

// findCoupon returns the coupon that ref names, or ErrNotFound.
func (o *op) findCoupon(ref CouponRef) (CouponRecord, error) {
	switch {
	case ref.ID != uuid.Nil:
		return o.tx.Coupons.Get(ref.ID)
	case ref.ExternalID != "":
		return findText(o.tx.Coupons, ByExternalID, ref.ExternalID)
	case ref.Name == "" || !validText(ref.Name, false):
		return CouponRecord{}, ErrNotFound
	}
	for rec, err := range o.tx.Coupons.List(Query{Key: textKey(OfName, ref.Name), Desc: true, Limit: 1}) {
		return rec, err
	}
	return CouponRecord{}, ErrNotFound
}

// freeCouponExternalID refuses the external id of a live coupon.
func (o *op) freeCouponExternalID(externalID string) error {
	if externalID == "" {
		return nil
	}
	_, err := findText(o.tx.Coupons, ByExternalID, externalID)
	return couponExternalIDTaken.unlessFree(err)
}

// announceCoupon fires an event of a stored coupon and returns the coupon. The
// event keeps records and the answer is built of its own: they share nothing.
func (o *op) announceCoupon(typ EventType, rec CouponRecord, codes []CodeRecord) (Coupon, error) {
	seen := contacts{}
	answer := o.couponOf(rec)
	answer.PromotionalCodes = make([]Code, 0, len(codes))
	for _, code := range codes {
		if err := o.show(code, &answer, seen); err != nil {
			return Coupon{}, err
		}
	}
	return answer, o.emit(typ, rec.ID, rec.Revision, couponBody{o.couponOf(rec), codes, seen})
}

// fullCoupon is the coupon with its codes.
func (o *op) fullCoupon(rec CouponRecord, seen contacts) (Coupon, error) {
	coupon := o.couponOf(rec)
	coupon.PromotionalCodes = []Code{}
	for code, err := range o.tx.Codes.List(Query{Key: Key{Index: OfCoupon, ID: rec.ID}, Desc: true}) {
		if err != nil {
			return Coupon{}, err
		}
		if err := o.show(code, &coupon, seen); err != nil {
			return Coupon{}, err
		}
	}
	return coupon, nil
}

// show appends a code to those of its coupon.
func (o *op) show(code CodeRecord, coupon *Coupon, seen contacts) error {
	contact, err := o.contact(code.AffiliateID, seen)
	if err != nil {
		return err
	}
	coupon.PromotionalCodes = append(coupon.PromotionalCodes, codeOf(code, Opt[Coupon]{}, contact))
	return nil
}

// codesOf returns the live codes of a coupon, newest first.
func (o *op) codesOf(coupon uuid.UUID) ([]CodeRecord, error) {
	var codes []CodeRecord
	for code, err := range o.tx.Codes.List(Query{Key: Key{Index: OfCoupon, ID: coupon}, Desc: true}) {
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
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
		AffiliateProgramID: p.cfg.ID, CreatedAt: TimeOf(rec.CreatedAt), UpdatedAt: TimeOf(rec.UpdatedAt),
	}
	if rec.Type == CouponFlat {
		c.AmountOff = Set(rec.AmountOff)
	} else {
		c.PercentOff = Set(rec.PercentOff)
	}
	return c
}
