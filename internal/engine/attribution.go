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

// AttributionCheck refuses choices that there are not.
func AttributionCheck(a affiliate.Attribution) *affiliate.Error {
	return cmp.Or(refusal.OneOfOrNone("attribution.touch", a.Touch, touches),
		refusal.OneOfOrNone("attribution.customer", a.Customer, customerCredits),
		refusal.OneOfOrNone("attribution.promoCode", a.Code, codeCredits))
}

// A credit is whom an order credits, and why.
type credit struct {
	affiliate uuid.UUID // zero: nobody
	link      uuid.UUID
	by        affiliate.CreditedBy
}

// candidates are whom an order could credit, by each way that it has. One without an affiliate is not there.
type candidates struct {
	named, first   credit // what it names, and the first click of the visitor
	customer, code credit
	house          bool // its code is the program's own
}

// candidatesOf returns whom an order could credit. A code that it does not have is not found in v.
func (p *Program) candidatesOf(id *identity, v *verdict) (c candidates) {
	if ref := &id.Customer.Referral; ref.ID != uuid.Nil {
		c.customer = credit{ref.AffiliateID, ref.LinkID, cmp.Or(id.Origin.by, affiliate.CreditEmail)}
	}
	if named := &id.Origin; named.Affiliate.ID != uuid.Nil {
		c.named, c.first = credit{named.Affiliate.ID, named.LinkID(), named.by}, named.other
		if named.by == affiliate.CreditFirstClick {
			c.named, c.first = c.first, c.named
		}
	}
	if v.found && !v.offer {
		c.code = credit{v.code.AffiliateID, uuid.Nil, affiliate.CreditCode}
		c.house = p.Cfg.HouseCodes && v.code.AffiliateID == uuid.Nil
	}
	return c
}

// creditOf decides whom an order credits: of who its code belongs to, what it names, and
// whose its customer is.
func (p *Program) creditOf(id *identity, v *verdict) credit {
	c := p.candidatesOf(id, v)
	return c.choose(&p.Cfg.Attribution)
}

// choose decides whom an order credits.
func (c *candidates) choose(how *affiliate.Attribution) credit {
	who := c.named
	if how.Touch == affiliate.TouchFirst && c.first.affiliate != uuid.Nil {
		who = c.first
	}
	if who.affiliate == uuid.Nil {
		who = c.customer
	}
	keeps := c.customer.affiliate != uuid.Nil && how.Customer == affiliate.CreditKeptCustomer
	ofCustomer := who.by == affiliate.CreditEmail || who.by == affiliate.CreditReferral
	if keeps && !ofCustomer {
		who, ofCustomer = credit{c.customer.affiliate, c.customer.link, affiliate.CreditCustomer}, true
	}
	switch {
	case c.code.by == "", c.house && who.affiliate == uuid.Nil:
	case !c.house && (who.affiliate == uuid.Nil || !keeps && how.Code != affiliate.CodeUnbrought):
		who = c.code
	case ofCustomer:
		who.by = affiliate.CreditCustomer
	default:
		who.by = affiliate.CreditBrought
	}
	return who
}

// stored returns the candidates as a sale keeps them; none, when all lead to one affiliate.
func (c *candidates) stored() (all []record.Candidate) {
	customer := credit{c.customer.affiliate, uuid.Nil, affiliate.CreditCustomer}
	apart, before := false, uuid.Nil
	ways := [...]credit{c.named, c.first, customer, c.code}
	for _, way := range ways {
		apart = apart || before != uuid.Nil && way.affiliate != uuid.Nil && way.affiliate != before
		before = cmp.Or(before, way.affiliate)
	}
	for _, way := range ways {
		if apart && way.affiliate != uuid.Nil {
			all = append(all, record.Candidate{By: affiliate.EnumOf(way.by), AffiliateID: way.affiliate})
		}
	}
	return all
}

// ChooseAgain returns the affiliate whom a recorded sale would credit by other choices: when the order led to
// one affiliate only, or a person gave the sale to somebody, the same.
func (o *Op) ChooseAgain(r *record.Sale, how *affiliate.Attribution) (uuid.UUID, error) {
	if len(r.Candidates) == 0 {
		return r.AffiliateID, nil
	}
	var c candidates
	for _, one := range r.Candidates {
		way := credit{one.AffiliateID, uuid.Nil, one.By.Value()}
		switch way.by {
		case affiliate.CreditCode:
			c.code = way
		case affiliate.CreditFirstClick:
			c.first = way
		case affiliate.CreditCustomer:
			c.customer = way
		default:
			c.named = way
		}
	}
	who, err := o.AffiliateByID(c.choose(how).affiliate)
	if err != nil { // gone
		return r.AffiliateID, IgnoreMissing(err)
	}
	return who.ID, nil
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

// firstTouch finds the first click of the visitor that is not too old, besides the one that was named. In
// a program where the first one credits it stands in place of that.
func (o *Op) firstTouch(named Origin) (Origin, error) {
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
	if o.Cfg.Attribution.Touch != affiliate.TouchFirst {
		named.other = credit{first.Click.AffiliateID, uuid.Nil, affiliate.CreditFirstClick}
		return named, nil
	}
	first.by, first.Link = affiliate.CreditFirstClick, record.Link{}
	first.other = credit{named.Affiliate.ID, named.LinkID(), named.by}
	err := o.readClicked(&first)
	return first, err
}
