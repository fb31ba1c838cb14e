package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// RecordSale reports one payment. The affiliate comes from the promotional
// code, else from ReferralID, else from the customer's referral; an unknown
// customer becomes a referral of that affiliate. Only a sale redeems a code.
//
// An outcome other than [SaleRecorded] is not an error: a sale with the same
// external id or invoice id is there already (and comes back as Earlier), no
// affiliate could be found, or the customer's subscription is not ACTIVE. Such
// a report writes, counts and fires nothing. Duplicates are recognised before
// any rule of a code, so that the retry of the sale that took the last
// redemption is not refused.
//
// Errors: [AttributionRequired], [MissingField], [InvalidField], and the
// refusals of a code with every failing rule in [Error.Failures].
//
// Effects, in one transaction: the sale with its commission, the ledger row and
// both counters of a code, the totals of link, affiliate and referral;
// referral.created when the customer is new, then sale.created.
//
// Source: Seed "Attributing a sale to a code"; contract 3.7, rules 5.1–5.3.
func (p *Program) RecordSale(ctx context.Context, in NewSale) (SaleResult, error) {
	refused := checkSale(&in)
	o := p.op(ctx)
	rq := request{once: in.Once, name: "sale.create"}
	if in.Key != "" {
		rq.input = []any{in, in.PaymentTrigger, in.Integration}
	}
	return create(o, rq, refused, func() (SaleResult, error) { return o.recordSale(&in) })
}

// checkSale brings the input into canonical form.
func checkSale(in *NewSale) error {
	in.PromoCode, in.Email = trimSpace(in.PromoCode), trimSpace(in.Email)
	if in.PromoCode == "" && in.ReferralID == "" && in.Email == "" {
		return saleAttributionRequired.err()
	}
	if in.PaymentTrigger == "" {
		in.PaymentTrigger = TriggerPurchase
	}
	if in.Email != "" {
		if err := checkEmail("email", &in.Email); err != nil {
			return err
		}
	}
	if in.TotalEarned.Sign() == 0 {
		return totalRequired.err()
	}
	if in.TotalEarned.Sign() < 0 {
		return totalNotPositive.err()
	}
	if err := first(
		optional("name", in.Name, maxName),
		optional("externalId", in.ExternalID, maxName),
		optional("externalInvoiceId", in.ExternalInvoiceID, maxName),
		oneOfThese(in.PaymentTrigger, paymentTriggers, nil),
	); err != nil {
		return err
	}
	if err := checkProduct(in.Product); err != nil {
		return err
	}
	return checkDeductions(in.TotalEarned, in.Tax, in.Shipping, "tax")
}

func checkProduct(given Opt[Product]) error {
	product, ok := given.Get()
	if !ok {
		return nil
	}
	if err := optional("product.productId", product.ProductID, maxName); err != nil {
		return err
	}
	if q, ok := product.Quantity.Get(); ok && q.Sign() <= 0 {
		return quantityNotPositive.err()
	}
	if price, ok := product.Price.Get(); ok && price.Sign() < 0 {
		return priceNegative.err()
	}
	return first(optional("product.name", product.Name, maxName))
}

// checkDeductions checks tax and shipping against the total. field is the one
// that the caller can change.
func checkDeductions(total, tax, shipping Amount, field string) error {
	if tax.Sign() < 0 {
		return taxNegative.err()
	}
	if shipping.Sign() < 0 {
		return shippingNegative.err()
	}
	sum, err := tax.Add(shipping)
	if err != nil || sum.Cmp(total) > 0 {
		return deductionsExceedTotal.on(field)
	}
	return nil
}

// recordSale is the transaction of RecordSale: everything is found and judged
// first, then written together.
func (o *op) recordSale(in *NewSale) (SaleResult, error) {
	earlier, err := o.duplicate(in.ExternalID, in.ExternalInvoiceID)
	if err != nil {
		return SaleResult{}, err
	}
	if earlier.ID != uuid.Nil {
		sale, err := o.saleOf(earlier)
		return SaleResult{Outcome: SaleDuplicate, Earlier: Set(sale)}, err
	}
	d, outcome, err := o.decide(in)
	if err != nil || outcome != SaleRecorded {
		return SaleResult{Outcome: outcome}, err
	}
	return o.book(in, d)
}

// duplicate finds the live sale that has one of the external ids.
func (o *op) duplicate(externalID, invoiceID string) (SaleRecord, error) {
	for _, id := range [...]struct {
		index Index
		text  string
	}{{ByExternalID, externalID}, {ByInvoice, invoiceID}} {
		if id.text == "" {
			continue
		}
		rec, err := o.tx.Sales.Find(textKey(id.index, id.text))
		if !errors.Is(err, ErrNotFound) {
			return rec, err
		}
	}
	return SaleRecord{}, nil
}

// A decision is who is credited with a sale, on what grounds and terms.
type decision struct {
	identity
	affiliate AffiliateRecord
	verdict   verdict // of the code; not found: no code
	link      uuid.UUID
	deal      deal
	over      bool // the deal pays nothing more for this customer
	rateFixed bool
}

// decide finds affiliate, customer and terms of a reported sale, or the outcome
// that is not a sale.
func (o *op) decide(in *NewSale) (d decision, outcome SaleOutcome, err error) {
	if d.identity, err = o.identify(in.ReferralID, in.Email); err != nil {
		return d, "", err
	}
	found, err := o.credit(in, &d)
	if err != nil || !found {
		return d, SaleUnattributed, err
	}
	if d.customer.referral.ID == uuid.Nil && in.PromoCode == "" {
		if err := first(newCustomer(in)...); err != nil {
			return d, "", err
		}
	}
	if ref := &d.customer.referral; ref.ID != uuid.Nil && ref.Status != SubscriptionActive {
		return d, SaleInactiveCustomer, nil
	}
	if d.deal, err = o.dealFor(d.affiliate, d.customer.referral); err != nil {
		return d, "", err
	}
	if rate, ok := in.CommissionRate.Get(); ok {
		if err := checkRate(rate, d.deal.Type); err != nil {
			return d, "", err
		}
		d.deal.Rate, d.rateFixed = rate, true
	}
	d.over, err = o.over(d.deal, d.customer.referral)
	return d, SaleRecorded, err
}

// newCustomer asks for what a new referral needs.
func newCustomer(in *NewSale) []*Error {
	var errs []*Error
	if in.Email == "" {
		errs = append(errs, emailRequired.err())
	}
	if blank(in.Name) {
		errs = append(errs, nameRequired.err())
	}
	return errs
}

// credit finds the affiliate: of the code, else of the identifier, else of the
// customer's referral.
func (o *op) credit(in *NewSale, d *decision) (found bool, err error) {
	if in.PromoCode != "" {
		product, _ := in.Product.Get()
		d.verdict, err = o.judge(in.PromoCode, order{
			total: Set(in.TotalEarned), customer: d.customer, affiliate: d.origin.affiliate.ID, product: product.ProductID,
		})
		if err == nil {
			err = d.verdict.refusal()
		}
		if err != nil {
			return false, err
		}
		d.affiliate, err = o.tx.Affiliates.Get(d.verdict.code.AffiliateID)
		return err == nil, err
	}
	if d.origin.affiliate.ID != uuid.Nil {
		d.affiliate, d.link = d.origin.affiliate, d.origin.linkID()
		return true, nil
	}
	if ref := &d.customer.referral; ref.ID != uuid.Nil {
		d.affiliate, err = o.tx.Affiliates.Get(ref.AffiliateID)
		d.link = ref.LinkID
		return err == nil, err
	}
	return false, nil
}

// book writes a decided sale with everything that hangs on it.
func (o *op) book(in *NewSale, d decision) (SaleResult, error) {
	isNew := d.customer.referral.ID == uuid.Nil && in.Email != ""
	if isNew {
		ref, err := o.addReferral(ReferralRecord{
			Name: in.Name, Email: in.Email, Plan: "N/A", SubmissionType: SubmissionAutomatic,
			Medium: d.medium(), Integration: in.Integration,
		}, origin{affiliate: d.affiliate, link: d.origin.link, click: d.origin.click})
		if err != nil {
			return SaleResult{}, err
		}
		d.customer.referral = ref
	} else if ref := d.customer.referral.ID; ref != uuid.Nil {
		if err := o.joinClick(d.origin.click, ref); err != nil {
			return SaleResult{}, err
		}
	}
	rec, err := o.newSale(in, &d)
	if err != nil {
		return SaleResult{}, err
	}
	if err := o.insertSale(rec, &d.verdict); err != nil {
		return SaleResult{}, err
	}
	if isNew {
		if err := o.emitReferral(ReferralCreated, d.customer.referral); err != nil {
			return SaleResult{}, err
		}
	}
	sale, err := o.saleWith(&rec, d.affiliate, d.customer.referral)
	if err != nil {
		return SaleResult{}, err
	}
	if err := o.emitSale(SaleCreated, &rec, sale); err != nil {
		return SaleResult{}, err
	}
	return SaleResult{Outcome: SaleRecorded, Sale: Set(sale)}, nil
}

// medium is what attributed the customer.
func (d *decision) medium() ReferralMedium {
	if d.verdict.found {
		return MediumCoupon
	}
	return MediumLink
}

// newSale makes the record of a decided sale.
func (o *op) newSale(in *NewSale, d *decision) (SaleRecord, error) {
	ref := &d.customer.referral
	number, err := o.tx.Next(SaleSequence)
	if err != nil {
		return SaleRecord{}, err
	}
	rec := SaleRecord{
		ID: o.newID(), Number: number, AffiliateID: d.affiliate.ID, ReferralID: ref.ID, LinkID: d.link,
		CodeID: d.verdict.code.ID, ExternalID: in.ExternalID, InvoiceID: in.ExternalInvoiceID,
		Name: orElse(in.Name, ref.Name), Email: orElse(in.Email, ref.Email),
		TotalEarned: in.TotalEarned, Tax: in.Tax, Shipping: in.Shipping,
		Rate: Set(d.deal.Rate), RateType: d.deal.Type, RateFixed: d.rateFixed,
		Products: productsBought(in.Product), Status: SaleActive, Trigger: in.PaymentTrigger,
		Source: o.source.forSale(), Integration: in.Integration, Revision: 1, CreatedAt: o.now, UpdatedAt: o.now,
	}
	if ref.ID != uuid.Nil {
		totals, err := o.totals(ref.ID)
		if err != nil {
			return rec, err
		}
		rec.Clicks = totals.Clicks
	}
	if d.over {
		return rec, nil
	}
	return rec, o.reward(&rec, d.deal)
}

// insertSale writes the sale, its totals, and the redemption of its code.
func (o *op) insertSale(rec SaleRecord, v *verdict) error {
	after, err := rec.tally()
	if err != nil {
		return err
	}
	if err := o.moveSale(rec, tally{}, after); err != nil {
		return err
	}
	if err := o.tx.Sales.Insert(rec); err != nil {
		return taken(err, map[Index]*Error{
			ByExternalID: saleExternalIDTaken.err(), ByInvoice: saleInvoiceIDTaken.err(),
		})
	}
	if !v.found {
		return nil
	}
	return o.redeem(rec, v)
}

// redeem writes the ledger row of a sale by code and moves both counters.
// Counters only: no event, no updatedAt (rule 3.4).
func (o *op) redeem(rec SaleRecord, v *verdict) error {
	row := RedemptionRecord{ID: numberID(rec.Number), CodeID: v.code.ID, CouponID: v.coupon.ID, CreatedAt: o.now}
	if err := o.tx.Redemptions.Insert(row); err != nil {
		return internal("write redemption", err)
	}
	v.code.TimesRedeemed++
	if err := o.tx.Codes.Replace(v.code); err != nil {
		return internal("count redemption", err)
	}
	v.coupon.TimesRedeemed++
	if err := o.tx.Coupons.Replace(v.coupon); err != nil {
		return internal("count redemption", err)
	}
	return nil
}

// productsBought names what was bought: by its id, else by its name.
func productsBought(given Opt[Product]) []string {
	product, _ := given.Get()
	if name := orElse(product.ProductID, product.Name); name != "" {
		return []string{name}
	}
	return nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// An identity is whom the identifiers of a request name.
type identity struct {
	customer customer
	origin   origin // of referralId: the referral's affiliate and link, or where a click, affiliate id or slug leads
}

// identify resolves referralId (referral id, customer email, click id,
// affiliate id, slug, in this order) and email. A referralId that leads nowhere
// counts as not sent; an email always names a customer. Contract 1.5.
func (o *op) identify(referralID, email string) (id identity, err error) {
	if referralID != "" {
		if id, err = o.identifyReferral(referralID); err != nil {
			return id, err
		}
	}
	if id.customer.known || email == "" {
		return id, nil
	}
	id.customer = customer{known: true, email: email}
	ref, err := o.referralByEmail(email)
	if errors.Is(err, ErrNotFound) {
		return id, nil
	}
	id.customer.referral = ref
	return id, err
}

func (o *op) identifyReferral(ident string) (identity, error) {
	ref, err := o.findReferral(ident)
	if errors.Is(err, ErrNotFound) {
		from, err := o.resolve(ident)
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return identity{origin: from}, err
	}
	if err != nil {
		return identity{}, err
	}
	aff, err := o.tx.Affiliates.Get(ref.AffiliateID)
	return identity{
		customer: customer{known: true, email: ref.Email, referral: ref},
		origin:   origin{affiliate: aff, link: LinkRecord{ID: ref.LinkID}},
	}, err
}

// keep and restore make the receipt of a sale: the wire's body is the sale or
// null, the outcome stands in a header beside it.
func (r *SaleResult) keep() (answer any, outcome string) {
	return r.Sale, string(r.Outcome)
}

func (r *SaleResult) restore(answer []byte, outcome string) error {
	r.Outcome = SaleOutcome(outcome)
	return r.Sale.UnmarshalJSON(answer)
}
