package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Whom an order credits. Rule 5.8.

// checkAttribution refuses a value that no program can have.
func checkAttribution(a affiliate.Attribution) error {
	switch a.Touch {
	case "", affiliate.TouchLast, affiliate.TouchFirst:
	default:
		return errors.New("affiliate: Config.Attribution.Touch must be LAST or FIRST")
	}
	switch a.Customer {
	case "", affiliate.CreditEachOrder, affiliate.CreditKeptCustomer:
	default:
		return errors.New("affiliate: Config.Attribution.Customer must be EACH_ORDER or KEEP")
	}
	switch a.Code {
	case "", affiliate.CodeAlways, affiliate.CodeUnbrought:
		return nil
	}
	return errors.New("affiliate: Config.Attribution.Code must be ALWAYS or UNBROUGHT")
}

// A credit is whom an order credits, and why.
type credit struct {
	affiliate uuid.UUID // zero: nobody
	link      uuid.UUID
	by        affiliate.CreditedBy
}

// creditOf decides whom an order credits: of who its code belongs to, what it names, and
// whose its customer is. A code that the order does not have is not found in v.
func (p *Program) creditOf(id *identity, v *verdict) credit {
	how, ref := &p.Cfg.Attribution, &id.Customer.Referral
	known := ref.ID != uuid.Nil
	var c credit
	switch {
	case id.Origin.Affiliate.ID != uuid.Nil:
		c = credit{id.Origin.Affiliate.ID, id.Origin.LinkID(), id.Origin.by}
	case known:
		c = credit{ref.AffiliateID, ref.LinkID, cmp.Or(id.Origin.by, affiliate.CreditEmail)}
	}
	keeps := known && how.Customer == affiliate.CreditKeptCustomer
	ofCustomer := c.by == affiliate.CreditEmail || c.by == affiliate.CreditReferral
	if keeps && !ofCustomer {
		c, ofCustomer = credit{ref.AffiliateID, ref.LinkID, affiliate.CreditCustomer}, true
	}
	house := p.Cfg.HouseCodes && v.code.AffiliateID == uuid.Nil
	switch {
	case !v.found, v.offer, house && c.affiliate == uuid.Nil:
	case !house && (c.affiliate == uuid.Nil || !keeps && how.Code != affiliate.CodeUnbrought):
		c = credit{v.code.AffiliateID, uuid.Nil, affiliate.CreditCode}
	case ofCustomer:
		c.by = affiliate.CreditCustomer
	default:
		c.by = affiliate.CreditBrought
	}
	return c
}

// judgeOffer applies the rules of codes to what the link gives by which a customer came, as judge does to a code. The
// offer is that of the affiliate whom the order credits without a code. The offer of a hold stays
// the one that was held.
func (o *Op) judgeOffer(id *identity, in affiliate.Currency, ord *order, v *verdict) error {
	v.offer = true
	c := o.creditOf(id, v)
	held := ord.hold != nil && ord.hold.CodeID == uuid.Nil
	if c.affiliate == uuid.Nil || !held && byCode(c.by, &id.Customer.Referral) {
		v.fail(refusal.NoOffer, affiliate.Failure{})
		return nil
	}
	var coupon uuid.UUID
	if held {
		coupon = ord.hold.CouponID
	} else {
		aff, err := o.creditedBy(id, c.affiliate)
		if err == nil {
			coupon, err = o.offerOf(&aff, o.judgedAt())
		}
		if err != nil {
			return err
		}
	}
	var err error
	if v.coupon, err = o.Tx.Coupons.Get(coupon); err != nil { // it may be one of Config.Terms that is not there
		v.fail(refusal.NoOffer, affiliate.Failure{})
		return IgnoreMissing(err)
	}
	v.found, v.code = true, record.Code{Active: true, AffiliateID: c.affiliate} // a code without rules of its own
	return o.judgeFound(in, ord, v)
}

// byCode reports whether a customer is credited to the affiliate whose code brought it, and did not come by a link.
func byCode(by affiliate.CreditedBy, ref *record.Referral) bool {
	switch by {
	case affiliate.CreditEmail, affiliate.CreditReferral, affiliate.CreditCustomer:
		return ref.Medium == affiliate.MediumCoupon
	}
	return false
}

// creditedBy returns the affiliate whom an order credits.
func (o *Op) creditedBy(id *identity, credited uuid.UUID) (record.Affiliate, error) {
	if id.Origin.Affiliate.ID == credited {
		return id.Origin.Affiliate, nil
	}
	aff, err := o.Tx.Affiliates.Get(credited)
	if err != nil {
		return aff, refusal.Internal("affiliate of an order", err)
	}
	return aff, nil
}

// offerOf returns the coupon that the links of an affiliate give at a time: its own, else that of its plan, else the
// program's; zero: none.
func (o *Op) offerOf(aff *record.Affiliate, at affiliate.Instant) (uuid.UUID, error) {
	for _, plan := range [...]uuid.UUID{aff.PlanID, uuid.Nil} {
		if aff.OfferCouponID != uuid.Nil {
			return aff.OfferCouponID, nil
		}
		terms, err := o.TermsAt(plan, at, refusal.PlanMissing)
		if err != nil || terms.OfferCouponID != uuid.Nil {
			return terms.OfferCouponID, err
		}
	}
	return uuid.Nil, nil
}

// ShownOffer returns what the links of an affiliate give now, as pages show it; not given: nothing, or nothing
// that works.
func (o *Op) ShownOffer(aff *record.Affiliate) (none affiliate.Opt[affiliate.Offer], err error) {
	id, err := o.offerOf(aff, o.Now)
	if err != nil || id == uuid.Nil {
		return none, err
	}
	rec, err := o.Tx.Coupons.Get(id)
	if err != nil {
		return none, IgnoreMissing(err)
	}
	u, err := o.UsabilityOf(&record.Code{Active: true, AffiliateID: aff.ID}, &rec, aff.Status.NewSales().Or(""))
	if err != nil || !u.Usable {
		return none, err
	}
	c := o.CouponOf(rec)
	shown := affiliate.Offer{
		CouponID: c.ID, Name: c.Name, CouponType: c.CouponType, PercentOff: c.PercentOff,
		AmountOff: c.AmountOff, Currency: c.Currency, Duration: c.Duration,
		DurationInMonths: c.DurationInMonths, ProductIDs: []string{}, RedeemBy: c.RedeemBy,
		MaxDiscount: c.MaxDiscount, MaxRedemptionsPerCustomer: c.MaxRedemptionsPerCustomer,
	}
	if c.LimitToProducts {
		shown.ProductIDs = c.ProductIDs
	}
	return affiliate.Set(shown), nil
}

// couponThere refuses a coupon that does not exist. The zero id is none.
func (o *Op) couponThere(id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	_, err := o.Tx.Coupons.Get(id)
	return refusal.CouponNotFound.IfMissing(err)
}

// couponsThere refuses terms that name a coupon which does not exist, unless the earlier ones named it.
func (o *Op) couponsThere(t, was *affiliate.Terms) error {
	if t.OfferCouponID != was.OfferCouponID {
		if err := o.couponThere(t.OfferCouponID); err != nil {
			return err
		}
	}
	for i := range t.Budgets {
		id := t.Budgets[i].CouponID
		if slices.ContainsFunc(was.Budgets, func(b affiliate.Budget) bool { return b.CouponID == id }) {
			continue
		}
		if err := o.couponThere(id); err != nil {
			return err
		}
	}
	return nil
}

// couponUnoffered refuses when links of an affiliate give the coupon, or terms that are in force or to come.
func (o *Op) couponUnoffered(id uuid.UUID) error {
	used, err := Holds(o.Tx.Affiliates, record.Key{Index: record.OfCoupon, ID: id})
	own, err1 := o.programTerms()
	if err = cmp.Or(err, err1); err != nil {
		return err
	}
	used = used || o.offers(own, id)
	for plan, err := range o.Tx.Plans.List(record.Query{}) {
		if err != nil {
			return err
		}
		used = used || o.offers(&plan, id)
	}
	return refusal.First(refusal.CouponInUse.When(used))
}

// offers reports whether terms that are in force or to come give a coupon.
func (o *Op) offers(plan *record.Plan, coupon uuid.UUID) bool {
	return termsAt(plan, o.Now).OfferCouponID == coupon ||
		slices.ContainsFunc(plan.Versions,
			func(v affiliate.StoredTerms) bool {
				return v.From.After(o.Now) &&
					v.Terms.OfferCouponID == coupon
			})
}

// maxTouches is the number of clicks of a visitor among which the first one is sought.
const maxTouches = 100

// firstTouch returns the first click of the visitor that is not too old, in a program where
// it credits, in place of the click that was named.
func (o *Op) firstTouch(named Origin) (Origin, error) {
	if o.Cfg.Attribution.Touch != affiliate.TouchFirst {
		return named, nil
	}
	first := named
	for range maxTouches {
		if first.Click.Earlier == 0 {
			break
		}
		click, err := o.clickNumbered(first.Click.Earlier)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && lateFor(&click, o) != 0 {
			break
		}
		if err != nil {
			return Origin{}, err
		}
		first.Click = click
	}
	if first.Click.Number == named.Click.Number {
		return named, nil
	}
	first.by, first.Link = affiliate.CreditFirstClick, record.Link{}
	err := o.readClicked(&first)
	return first, err
}
