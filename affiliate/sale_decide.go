package affiliate

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// A decision says who is credited with a sale, why, and on which terms.
type decision struct {
	identity
	affiliate AffiliateRecord
	verdict   verdict // of the code; not found: no code
	link      uuid.UUID
	by        CreditedBy
	deal      deal
	over      OverLimit // not empty: the deal pays nothing more for this customer
}

// decide finds affiliate, customer and terms of a reported sale, or the outcome
// when no sale is recorded.
func (o *op) decide(in *NewSale, d *decision) (SaleOutcome, error) {
	if err := o.identify(in.ReferralID, in.Email, &d.identity); err != nil {
		return "", err
	}
	return o.decideFor(in, d)
}

// decideFor is decide for an identity that is known.
func (o *op) decideFor(in *NewSale, d *decision) (SaleOutcome, error) {
	found, err := o.credit(in, d)
	if err != nil || !found {
		return SaleUnattributed, err
	}
	ref := &d.customer.referral
	if ref.ID == uuid.Nil && in.PromoCode == "" {
		if err := o.newCustomer(in); err != nil {
			return "", err
		}
	}
	if ref.Status.refused() {
		return SaleInactiveCustomer, nil
	}
	if d.deal, err = o.dealFor(&d.affiliate, ref); err != nil {
		return "", err
	}
	if rate, ok := in.CommissionRate.Get(); ok {
		if err := checkRate(rate, d.deal.Type); err != nil {
			return "", err
		}
		d.deal.Rate, d.deal.rateFrom, d.deal.tierID = rate, RateOfSale, uuid.Nil
	}
	if d.over, err = o.over(d.deal, ref, o.now); err != nil {
		return "", err
	}
	return SaleRecorded, o.review(in, d)
}

// review asks the rules of Config.Review about the sale.
func (o *op) review(in *NewSale, d *decision) error {
	if len(o.cfg.Review) == 0 {
		return nil
	}
	e := d.identity.evidence(o.now, &d.affiliate, &d.verdict)
	e.CustomerEmail, e.CustomerName = cmp.Or(in.Email, e.CustomerEmail), cmp.Or(in.Name, e.CustomerName)
	e.Total = in.TotalEarned
	risks, err := o.risks(e)
	d.deal.suspect(risks)
	return err
}

// why is what decided the sale. The caller adds which payment it is. A click
// that seems to come after the sale, because the clock went back, is left out.
func (o *op) why(d *decision) Why {
	w := Why{By: EnumOf(d.by), Over: EnumOf(d.over), Deduct: EnumOf(o.deduction())}
	w.sources(&d.deal)
	if click := &d.origin.click; d.by == CreditClick && !click.CreatedAt.After(o.now) {
		w.Click = click.Number
	}
	return w
}

// newCustomer requires the fields of a new referral, unless they were sent and are
// ignored: without an email there is no referral then.
func (o *op) newCustomer(in *NewSale) error {
	missing := func(s, field string) bool { return s == "" && !slices.Contains(o.ignored, field) }
	if missing(in.Email, "email") {
		return emailRequired.Err()
	}
	return first(nameRequired.when(in.Email != "" && missing(in.Name, "name")))
}

// credit finds the affiliate of the code, else of the identifier, else of the
// customer's referral.
func (o *op) credit(in *NewSale, d *decision) (found bool, err error) {
	if in.PromoCode != "" {
		product, _ := in.Product.Get()
		err = o.judge(in.PromoCode, &order{
			basket: basketOf(in.Subtotal, Set(in.TotalEarned)), customer: &d.customer, affiliate: d.origin.affiliate.ID, product: product.ProductID,
		}, &d.verdict)
		if err == nil {
			err = d.verdict.refusal()
		}
		if err != nil {
			return false, err
		}
		d.by = CreditCode
		return true, o.creditTo(d, d.verdict.code.AffiliateID)
	}
	if d.origin.affiliate.ID != uuid.Nil {
		d.affiliate, d.link, d.by = d.origin.affiliate, d.origin.linkID(), d.origin.by
		return true, nil
	}
	if ref := &d.customer.referral; ref.ID != uuid.Nil {
		d.link, d.by = ref.LinkID, CreditEmail
		return true, o.creditTo(d, ref.AffiliateID)
	}
	return false, nil
}

func (o *op) creditTo(d *decision, id uuid.UUID) (err error) {
	if d.affiliate, err = o.tx.Affiliates.Get(id); err != nil {
		return internal("affiliate of a sale", err)
	}
	return nil
}

// An identity is the affiliate and the customer that the identifiers of a
// request name.
type identity struct {
	customer customer
	origin   origin // of referralId: the referral's affiliate and link, or where a click, affiliate id or slug leads
}

// evidence is what is known of an order for the rules of Config.Review. The
// caller adds what only its request says.
func (id *identity) evidence(now Instant, aff *AffiliateRecord, v *verdict) Evidence {
	ref := &id.customer.referral
	return Evidence{
		At: now.Time(), Affiliate: aff.reviewed(), CustomerEmail: cmp.Or(ref.Email, id.customer.email), CustomerName: ref.Name,
		DeviceID: id.origin.click.DeviceID, PromoCode: v.code.Code, NewCustomer: ref.ID == uuid.Nil && id.customer.email != "",
	}
}

// identify resolves referralId (referral id, customer email, click id,
// affiliate id, slug, in this order) and email into id. An unknown referralId
// counts as not sent, and so does a click outside the window; an email always
// names a customer.
//
// Source: docs/contract.md 1.5; docs/money.md 14.
func (o *op) identify(referralID, email string, id *identity) error {
	if referralID != "" {
		if err := o.identifyReferral(referralID, id); err != nil {
			return err
		}
	}
	if id.customer.known || email == "" {
		return nil
	}
	found, err := o.customerByEmail(email)
	if err != nil {
		return err
	}
	found.known, found.email = true, email
	id.customer = found
	return nil
}

func (o *op) identifyReferral(ident string, id *identity) error {
	found, err := o.findCustomer(ident)
	if errors.Is(err, ErrNotFound) {
		id.origin, err = o.resolveFresh(ident)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	ref := &found.referral
	id.customer = found
	id.customer.known, id.customer.email = true, ref.Email
	id.origin.link.ID, id.origin.by = ref.LinkID, CreditReferral
	if id.origin.affiliate, err = o.tx.Affiliates.Get(ref.AffiliateID); err != nil {
		return internal("affiliate of a referral", err)
	}
	return nil
}
