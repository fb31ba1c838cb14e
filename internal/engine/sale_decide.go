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

// A Decision says who is credited with a sale, why, and on which terms.
type Decision struct {
	identity
	affiliate  record.Affiliate
	verdict    verdict // of the code; not found: no code
	link       uuid.UUID
	by         affiliate.CreditedBy
	candidates []record.Candidate
	deal       deal
	stage      Stage               // of the customer
	over       affiliate.OverLimit // not empty: the deal pays nothing more for this customer

	conversion string       // what it is when it is no payment
	hold       *record.Hold // that the order was held by; nil: none

	Priced bool // the lines were charged so: their discounts have what the code took off
}

// DecideFor finds affiliate and terms of a reported sale of an identity, or the outcome
// when no sale is recorded.
func (o *Op) DecideFor(in *affiliate.SaleParams, d *Decision) (affiliate.SaleOutcome, error) {
	found, err := o.credit(in, d)
	if err != nil || !found {
		return affiliate.SaleUnattributed, err
	}
	ref := &d.Customer.Referral
	byID := d.Customer.HostID != "" || o.Payer != ""
	if ref.ID == uuid.Nil && in.PromoCode == "" && o.Payer == "" && (in.Email != "" || !byID) {
		if err := o.newCustomer(in); err != nil {
			return "", err
		}
	}
	if d.conversion != "" && ref.ID == uuid.Nil && in.Email == "" && !byID {
		return "", refusal.EmailRequired.Err() // a conversion has a customer, to be counted once
	}
	if IsRefused(ref.Status) {
		return affiliate.SaleInactiveCustomer, nil
	}
	if d.deal, err = o.dealFor(&d.affiliate, ref, o.judgedAt()); err != nil {
		return "", err
	}
	if rate, ok := in.CommissionRate.Get(); ok {
		if err := CheckRate(rate, d.deal.Type); err != nil {
			return "", err
		}
		d.deal.Rate, d.deal.rateFrom, d.deal.tierID = rate, affiliate.RateOfSale, uuid.Nil
	}
	if d.conversion != "" {
		d.deal.unearned()
		return affiliate.SaleRecorded, o.review(in, d)
	}
	if ref.ID != uuid.Nil || in.Email != "" || byID {
		if d.stage, err = o.stage(&d.deal.Terms, ref, o.judgedAt()); err != nil {
			return "", err
		}
		if err := o.notFirst(&d.stage, &d.Customer); err != nil {
			return "", err
		}
	}
	if d.deal.rateFrom != affiliate.RateOfSale { // what is given for one sale is paid
		d.over = OverTerms(&d.deal.Terms, d.stage)
	}
	return affiliate.SaleRecorded, o.review(in, d)
}

// review asks the rules of Config.Review about the sale, and whether its customer's email may be planted.
func (o *Op) review(in *affiliate.SaleParams, d *Decision) error {
	planted, err := o.planted(&d.Customer, d.by, in)
	if err != nil || len(o.Cfg.Review) == 0 && !planted {
		return err
	}
	e := d.identity.evidence(o.Now, &d.affiliate, &d.verdict, in.Email)
	e.CustomerName = cmp.Or(in.Name, e.CustomerName)
	e.NewCustomer = e.NewCustomer || o.Payer != "" && d.Customer.Referral.ID == uuid.Nil
	total, err := o.inProgram(in.TotalEarned, in.Currency, in.ExchangeRate)
	if err != nil {
		return err
	}
	e.Total = total
	risks, err := o.risks(e, &d.affiliate, &d.Customer.Referral)
	if planted {
		risks = append(risks, affiliate.RiskPlantedEmail)
	}
	d.deal.suspect(risks)
	return err
}

// planted reports whether nothing but an email that may be planted says whom an order credits.
func (o *Op) planted(c *Customer, by affiliate.CreditedBy, in *affiliate.SaleParams) (bool, error) {
	switch by {
	case affiliate.CreditEmail, affiliate.CreditReferral, affiliate.CreditCustomer:
		return o.Doubtful(c, in)
	}
	return false, nil
}

// Doubtful reports whether the email that alone says who the customer of an order is may have been planted: nobody but
// payers has told it, and the customer's first order has brought less than the part Config.RealOrder of this one.
func (o *Op) Doubtful(c *Customer, in *affiliate.SaleParams) (bool, error) {
	ref := &c.Referral
	if !c.ByEmail || ref.ID == uuid.Nil || !typed(ref) {
		return false, nil
	}
	first, err := o.firstSale(record.Key{Index: record.OfReferral, ID: ref.ID}, func(r *record.Sale) bool { return r.Conversion == "" })
	if err != nil {
		return false, err
	}
	kept, err := KeptOf(&first)
	if err != nil {
		return false, err
	}
	total, err := o.inProgram(in.TotalEarned, in.Currency, in.ExchangeRate)
	if err != nil {
		return false, err
	}
	least, err := o.Cfg.RealOrder.Of(total, o.Cfg.Currency)
	return kept.Cmp(least) < 0, err
}

// standApart gives an order a customer of its own, if the host names the buyer by an id, the order
// names an affiliate, and nothing but an email, which may be planted, points to another customer.
func (o *Op) standApart(in *affiliate.SaleParams, id *identity) error {
	if id.Customer.HostID == "" || id.Origin.Affiliate.ID == uuid.Nil && in.PromoCode == "" {
		return nil
	}
	doubt, err := o.Doubtful(&id.Customer, in)
	if doubt {
		id.Customer.StandApart()
	}
	return err
}

// why returns what decided the sale, except for the number of the payment, which
// the caller adds. A click that seems to come after the sale, because the clock
// went back, is left out.
func (o *Op) why(d *Decision) record.Why {
	w := record.Why{By: affiliate.EnumOf(d.by), Over: affiliate.EnumOf(d.over), Deduct: affiliate.EnumOf(o.deduction())}
	sources(&w, &d.deal)
	d.stage.note(&w)
	if click := &d.Origin.Click; d.clicked() && !click.CreatedAt.After(o.Now) {
		w.Click = click.Number
	}
	return w
}

// clicked reports whether a click credited the affiliate.
func (d *Decision) clicked() bool {
	return d.by == affiliate.CreditClick || d.by == affiliate.CreditFirstClick || d.by == affiliate.CreditBrought
}

// newCustomer requires the fields of a new referral, except those that were sent
// and are ignored: without an email no referral is created.
func (o *Op) newCustomer(in *affiliate.SaleParams) error {
	missing := func(s, field string) bool { return s == "" && !slices.Contains(o.ignored, field) }
	if missing(in.Email, "email") {
		return refusal.EmailRequired.Err()
	}
	return refusal.First(refusal.NameRequired.When(in.Email != "" && missing(in.Name, "name")))
}

// credit judges the code of the sale, and decides whom the sale credits.
func (o *Op) credit(in *affiliate.SaleParams, d *Decision) (found bool, err error) {
	if in.PromoCode != "" || in.Offer {
		product, _ := in.Product.Get()
		ord := order{
			basket: d.basket(in), customer: &d.Customer, affiliate: d.Origin.Affiliate.ID,
			product: product.ProductID, lines: in.Lines, quantity: product.Quantity, hold: d.hold,
		}
		if err = o.judgeOrder(in.PromoCode, in.Offer, in.Currency, &d.identity, &ord, &d.verdict); err == nil {
			o.stand(&d.verdict)
			err = d.verdict.refusal()
		}
		if err != nil {
			return false, err
		}
	}
	all := o.candidatesOf(&d.identity, &d.verdict)
	c := all.choose(&o.Cfg.Attribution)
	d.link, d.by, d.candidates = c.link, c.by, all.stored()
	if c.affiliate == uuid.Nil {
		return false, nil
	}
	d.affiliate, err = o.creditedBy(&d.identity, c.affiliate)
	return true, err
}

// basket returns what a code is judged by; that of a conversion is not known.
func (d *Decision) basket(in *affiliate.SaleParams) (none affiliate.Opt[affiliate.Amount]) {
	if d.conversion != "" {
		return none
	}
	return basketOf(in.Subtotal, affiliate.Set(in.TotalEarned))
}

// An identity is the affiliate and the customer that the identifiers of a
// request name.
type identity struct {
	Customer Customer
	Origin   Origin // what referralId leads to: the affiliate and link of the referral, or of the click, affiliate id or slug
}

// evidence returns what is known of an order with an email for the rules of Config.Review. The
// caller adds what else only its request says.
func (id *identity) evidence(now affiliate.Instant, aff *record.Affiliate, v *verdict, email string) affiliate.Evidence {
	ref := &id.Customer.Referral
	e := affiliate.Evidence{
		At: now.Time(), Affiliate: reviewed(aff), CustomerEmail: cmp.Or(email, ref.Email, id.Customer.Email), CustomerName: ref.Name,
		DeviceID: id.Origin.Click.DeviceID, PromoCode: v.code.Code,
		NewCustomer: ref.ID == uuid.Nil && cmp.Or(id.Customer.Email, id.Customer.HostID) != "",
	}
	switch click := &id.Origin.Click; {
	case click.LandingURL != "" && click.AffiliateID == aff.ID:
		e.LandingURL = click.LandingURL
	case ref.AffiliateID == aff.ID:
		e.LandingURL = ref.LandingPage
	}
	named := cmp.Or(id.Customer.HostID, ref.CustomerID) != "" && ref.Medium != affiliate.MediumCoupon || !ref.Erased.IsZero()
	e.Nameless = e.CustomerEmail == "" && (e.PromoCode != "" || !named)
	return e
}

// identify resolves referralId (referral id, customer email, click id,
// affiliate id, slug, in this order), the host's id and email into id. An unknown referralId
// counts as not sent, and so does a click outside the window; an id of the host and an email
// always name a customer. The host's id finds the customer before an email.
//
// Source: docs/contract.md 1.5; docs/money.md 14; docs/rules.md 4.8.
func (o *Op) identify(referralID, hostID, email string, id *identity) error {
	if referralID != "" {
		if err := o.identifyReferral(referralID, id); err != nil {
			return err
		}
	}
	defer func() { id.Customer.HostID = hostID }()
	if id.Customer.Known {
		return nil
	}
	found, err := o.CustomerByHostID(hostID)
	if err == nil && !found.Found() && email != "" {
		found, err = o.CustomerByEmail(email)
		found.ByEmail = true
	}
	if err != nil {
		return err
	}
	if id.Origin.Affiliate.ID == uuid.Nil && found.Referral.ID != uuid.Nil && !found.ByEmail {
		id.Origin.by = affiliate.CreditReferral
	}
	found.Known, found.Email = hostID != "" || email != "", cmp.Or(email, found.Referral.Email)
	id.Customer = found
	return nil
}

func (o *Op) identifyReferral(ident string, id *identity) error {
	found, err := o.findCustomer(ident)
	if errors.Is(err, affiliate.ErrNotFound) {
		id.Origin, err = o.ResolveFresh(ident)
		if errors.Is(err, affiliate.ErrNotFound) {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	ref := &found.Referral
	id.Customer = found
	_, byID := exactID(ident)
	id.Customer.Known, id.Customer.ByEmail, id.Customer.Email = true, !byID, ref.Email
	id.Origin.Link.ID, id.Origin.by = ref.LinkID, affiliate.CreditReferral
	if id.Origin.Affiliate, err = o.Tx.Affiliates.Get(ref.AffiliateID); err != nil {
		return refusal.Internal("affiliate of a referral", err)
	}
	return nil
}

// A free order is a sale with a total of 0, because its code takes off the whole
// basket. It is an order, and redeems the code, but it is no payment. Source:
// docs/money.md 13.

// freeOrder reports whether a sale of nothing has all that a free order needs. Its hold may say the code and the
// basket.
func freeOrder(in *affiliate.SaleParams) bool {
	basket, said := in.Subtotal.Get()
	held := in.HoldID != ""
	return in.Free && (in.PromoCode != "" || in.Offer || held) && (basket.Sign() > 0 || held && !said) && in.Tax.IsZero() && in.Shipping.IsZero()
}

// checkTotal checks what was earned by a new sale.
func (p *Program) checkTotal(in *affiliate.SaleParams) *affiliate.Error {
	if in.TotalEarned.Sign() < 0 {
		return refusal.TotalNotPositive.Err()
	}
	free := p.Cfg.FreeOrders && freeOrder(in)
	return refusal.TotalRequired.When(in.TotalEarned.Sign() == 0 && !free)
}

// settleFree applies an update to a free order. With a total it becomes an
// ordinary sale; without one it earns nothing and keeps its basket.
func settleFree(r *record.Sale, up affiliate.SaleUpdate) error {
	if !r.Free {
		return nil
	}
	if r.TotalEarned.Sign() > 0 {
		r.Free = false
		return nil
	}
	return refusal.First(
		refusal.FieldNull.About("subtotal").When(up.Subtotal.IsNull()),
		refusal.TotalRequired.When(up.CommissionEarned.Or(affiliate.Amount{}).Sign() > 0),
	)
}

// rewardPaid adds the commission of a free order that was paid after all, by the
// rate with which it was recorded, unless a limit of the terms ends payments for
// its customer.
func (o *Op) rewardPaid(rec *record.Sale) error {
	d, err := o.notePayment(rec)
	if err != nil || !rec.Why.Over.Is("") {
		return err
	}
	DecideLines(rec, &d.Terms, rec.Why.RateFrom.Value(), stageOf(rec))
	if err := cmp.Or(o.limit(rec, &d.Terms, affiliate.Amount{}), o.DrawAgain(rec, &d.Terms)); err != nil {
		return err
	}
	return o.reward(rec, d)
}

// notePayment stores, in a free order that is paid, its number among its
// customer's payments, and whether that exceeds the limits of its terms.
func (o *Op) notePayment(rec *record.Sale) (deal, error) {
	d, ref, err := o.dealOf(rec)
	if err != nil {
		return d, err
	}
	rec.Why.Over = affiliate.Enum[affiliate.OverLimit]{}
	if ref.ID != uuid.Nil {
		s, err := o.stage(&d.Terms, &ref, PaidOf(rec))
		if err != nil {
			return d, err
		}
		if err := o.notFirst(&s, &Customer{Referral: ref}); err != nil {
			return d, err
		}
		s.note(&rec.Why)
		if !rec.RateFixed {
			rec.Why.Over = affiliate.EnumOf(OverTerms(&d.Terms, s))
		}
		totals, err := o.Totals(ref.ID)
		if err != nil {
			return d, err
		}
		rec.Why.Payment = payments(&totals) + 1
	}
	return d, nil
}
