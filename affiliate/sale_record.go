package affiliate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// RecordSale reports one payment. The affiliate comes from the promotional
// code, else from ReferralID, else from the customer's referral; an unknown
// customer becomes a referral of that affiliate. Only a sale redeems a code.
//
// An outcome other than [SaleRecorded] is not an error: a sale with the same
// external id or invoice id exists already (and is returned as Earlier), no
// affiliate could be found, or the customer is SUBMITTED or DECLINED. Such a
// report writes, counts and fires nothing. Duplicates are recognised before the
// rules of a code, so a retry of the sale that took the last redemption is not
// refused. A payment of a customer who is PAST_DUE or CANCELLED is recorded.
//
// Effects: in one transaction, the sale with its commission, the ledger row and
// both counters of a code, the totals of link, affiliate and referral;
// referral.created when the customer is new, then sale.created.
//
// Errors: [AttributionRequired], [MissingField], [InvalidField], and the
// refusals of a code with every failing rule in [Error.Failures].
//
// Source: docs/contract.md 3.7, docs/rules.md 5.1–5.3.
func (p *Program) RecordSale(ctx context.Context, in NewSale) (result SaleResult, err error) {
	defer p.begin(&ctx, "RecordSale", writes).end(&err)
	r := &report{in: in}
	r.start(ctx, p)
	r.ahead = r
	rq := request{once: in.Once, name: "sale.create"}
	r.ignored, rq.refused = p.normalizeSale(&r.in)
	if rq.refused == nil {
		rq.refused = first(checkPaidAt(in.PaidAt, r.now))
	}
	if r.paidAt = InstantOf(in.PaidAt); !in.PaidAt.IsZero() {
		r.in.PaidAt = r.paidAt.Time()
	}
	if p.onceOf(in.Once).digests() {
		rq.input = []any{r.in, in.PaymentTrigger, in.Integration}
	}
	reply, err := write(&r.op, rq, r.record)
	if err == nil {
		reply.fillResult(&result)
		r.seen.said(Outcome(result.Outcome))
	}
	return result, err
}

// A report is the operation of one RecordSale with its input.
type report struct {
	op
	in NewSale
}

func (r *report) record() (saleReply, error) { return r.recordSale(&r.in) }

// Announce names the records that the sale looks up by the texts of its input.
func (r *report) Announce(soon func(table string, key Key)) {
	soon("events", Key{}) // its event comes after the newest one
	announceText(soon, "sales", ByExternalID, r.in.ExternalID)
	announceText(soon, "sales", ByInvoice, r.in.ExternalInvoiceID)
	announceText(soon, "referrals", ByEmail, r.in.Email)
	r.cfg.announceErasure(soon, r.in.Email)
	announceText(soon, "codes", ByCode, foldCode(r.in.PromoCode))
}

// A saleReply is a [SaleResult] whose sale is not built yet: that is done after
// the transaction has ended.
type saleReply struct {
	outcome SaleOutcome
	body    *saleBody // the new sale, or the earlier one
	late    ClickID   // a click that was too old; zero: none
	ignored []string  // fields
	stored  *Sale     // from a receipt
}

// fillResult fills in the result.
func (r *saleReply) fillResult(result *SaleResult) {
	result.Outcome, result.Sale, result.Earlier = r.outcome, Null[Sale](), Null[Sale]()
	result.LateClick, result.Ignored = orNull(r.late), r.ignored
	switch {
	case r.stored != nil:
		result.Sale = Set(*r.stored)
	case r.body != nil && r.outcome == SaleRecorded:
		result.Sale = Set(r.body.sale())
	case r.body != nil:
		result.Earlier = Set(r.body.sale())
	}
}

var _ keeper = (*saleReply)(nil)

// KeepAnswer and RestoreAnswer convert a reply to and from its receipt: the body of the
// answer is the sale or null, and the outcome is in a header, with the fields that
// were ignored after it.
func (r *saleReply) KeepAnswer() (answer StoredAnswer, outcome string) {
	outcome = strings.Join(append([]string{string(r.outcome)}, r.ignored...), " ")
	if r.body == nil || r.outcome != SaleRecorded {
		return noAnswer, outcome
	}
	return lateAnswer(r.body), outcome
}

// saleRoom is enough for the JSON of most sales.
const saleRoom = 2688

func (r *saleReply) RestoreAnswer(answer []byte, outcome string) error {
	said := strings.Split(outcome, " ")
	if r.outcome = SaleOutcome(said[0]); len(said) > 1 {
		r.ignored = said[1:]
	}
	return json.Unmarshal(answer, &r.stored)
}

// normalizeSale brings the input into canonical form. What a customer typed
// changes no money, so a paid order is not refused for it: it is left out, and
// the names of these fields are ignored.
func (p *Program) normalizeSale(in *NewSale) (ignored []string, err error) {
	in.PromoCode = plaintext.Bare(in.PromoCode)
	if in.PromoCode == "" && plaintext.Blank(in.ReferralID) && plaintext.Bare(in.Email) == "" {
		return nil, saleAttributionRequired.Err()
	}
	if in.Email != "" && normalizeEmail("email", &in.Email) != nil {
		in.Email, ignored = "", append(ignored, "email")
	}
	sent := in.Name != ""
	if in.Name = plaintext.Trim(in.Name); sent && (in.Name == "" || checkText("name", in.Name, maxName, false) != nil) {
		in.Name, ignored = "", append(ignored, "name")
	}
	if in.leaveOutProductName() {
		ignored = append(ignored, "product.name")
	}
	return ignored, p.normalizeCharge(in)
}

// leaveOutProductName removes the name of a product that is no name, and reports
// whether it did. The id stays: it decides about a code.
func (in *NewSale) leaveOutProductName() bool {
	product, ok := in.Product.Get()
	if !ok || optional("product.name", product.Name, maxName) == nil {
		return false
	}
	product.Name = ""
	in.Product = Set(product)
	return true
}

// normalizeCharge checks what a sale says besides whom to credit.
func (p *Program) normalizeCharge(in *NewSale) error {
	if in.PaymentTrigger == "" {
		in.PaymentTrigger = TriggerPurchase
	}
	if err := first(
		p.checkTotal(in),
		boundOfSale("totalEarned", in.TotalEarned),
		p.ownCurrency(&in.Currency),
		optional("name", in.Name, maxName),
		optional("externalId", in.ExternalID, maxName),
		optional("externalInvoiceId", in.ExternalInvoiceID, maxName),
		checkSubtotal(in.Subtotal),
		freeEarned.when(in.Free && in.TotalEarned.Sign() != 0),
		oneOf("paymentTrigger", in.PaymentTrigger, paymentTriggers),
		oneOfOrNone("integrationSalesSource", in.Integration, integrations),
	); err != nil {
		return err
	}
	if err := checkProduct(in.Product); err != nil {
		return err
	}
	paid := charge{in.TotalEarned, in.Tax, in.Shipping}
	if err := paid.check("tax"); err != nil {
		return err
	}
	return first(paid.checkSubtotal(in.Subtotal, "subtotal"))
}

// checkPaidAt refuses a time of payment that RecordSale does not take.
func checkPaidAt(t time.Time, now Instant) *Error {
	if t.IsZero() {
		return nil
	}
	at := InstantOf(t)
	return cmp.Or(fieldInFuture.about("paidAt").when(at.After(now)), fieldTooLongAgo.about("paidAt").when(at.Before(now.Add(-paidAtMost))))
}

// paidAtMost is how long before its report a sale may have been paid.
const paidAtMost = 30 * 24 * time.Hour

func checkProduct(given Opt[Product]) error {
	product, ok := given.Get()
	if !ok {
		return nil
	}
	if err := optional("product.productId", product.ProductID, maxName); err != nil {
		return err
	}
	if q, ok := product.Quantity.Get(); ok && q.Sign() <= 0 {
		return quantityNotPositive.Err()
	}
	if price, ok := product.Price.Get(); ok && price.Sign() < 0 {
		return priceNegative.Err()
	}
	return first(optional("product.name", product.Name, maxName))
}

// recordSale is the transaction of RecordSale: it first finds and checks
// everything, then it writes.
func (o *op) recordSale(in *NewSale) (saleReply, error) {
	earlier, err := o.earlier(in.ExternalID, in.ExternalInvoiceID)
	if err != nil || earlier != nil {
		return saleReply{outcome: SaleDuplicate, body: earlier, ignored: o.ignored}, err
	}
	var d decision
	outcome, err := o.decide(in, &d)
	reply := saleReply{outcome: outcome, late: d.origin.late, ignored: o.ignored}
	if err == nil && outcome == SaleRecorded {
		reply.body, err = o.book(in, &d)
	}
	return reply, err
}

// earlier is the live sale that has one of the external ids; nil: there is none.
func (o *op) earlier(externalID, invoiceID string) (*saleBody, error) {
	rec, err := o.earlierRecord(externalID, invoiceID)
	if err != nil || rec.ID == uuid.Nil {
		return nil, err
	}
	return o.saleBody(rec)
}

// earlierRecord is earlier as a record; the zero record: there is none.
func (o *op) earlierRecord(externalID, invoiceID string) (SaleRecord, error) {
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

// book writes a decided sale with all records that belong to it.
func (o *op) book(in *NewSale, d *decision) (*saleBody, error) {
	isNew, err := o.bookCustomer(in, d)
	if err != nil {
		return nil, err
	}
	b := &saleBody{frozen: frozen{program: o.cfg.ID}, owner: d.affiliate.seller()}
	if err := o.newSale(in, d, b); err != nil {
		return nil, err
	}
	if err := o.insertSale(&b.rec, &d.verdict); err != nil {
		return nil, err
	}
	if isNew {
		if _, err := o.emitReferral(ReferralCreated, d.customer.referral); err != nil {
			return nil, err
		}
	}
	if err := o.complete(b, &d.customer.referral); err != nil {
		return nil, err
	}
	return b, o.emit(b.rec.event(SaleCreated), b)
}

// bookCustomer makes the referral of a new customer and joins the click.
func (o *op) bookCustomer(in *NewSale, d *decision) (isNew bool, err error) {
	ref := &d.customer.referral
	if ref.ID != uuid.Nil {
		return false, o.joinClick(&d.origin.click, ref)
	}
	if in.Email == "" {
		return false, nil
	}
	d.customer.referral, err = o.addCustomer(ReferralRecord{
		Name: in.Name, Email: in.Email, CustomerID: ref.CustomerID, Plan: "N/A", SubmissionType: SubmissionAutomatic,
		Medium: d.medium(), Integration: in.Integration,
	}, origin{affiliate: d.affiliate, link: d.origin.link, click: d.origin.click}, d.customer.gone)
	return true, err
}

// medium is what attributed the customer.
func (d *decision) medium() ReferralMedium {
	if d.verdict.found {
		return MediumCoupon
	}
	return MediumLink
}

// newSale makes the record of a decided sale.
func (o *op) newSale(in *NewSale, d *decision, b *saleBody) error {
	ref := &d.customer.referral
	number, err := o.tx.Next(SaleSequence)
	if err != nil {
		return err
	}
	hidden, err := o.hidden(&d.customer, in.Email)
	if err != nil {
		return err
	}
	b.rec = SaleRecord{
		ID: o.newID(), Number: number, AffiliateID: d.affiliate.ID, ReferralID: ref.ID, LinkID: d.link,
		CodeID: d.verdict.code.ID, ExternalID: in.ExternalID, InvoiceID: in.ExternalInvoiceID,
		Name: shared(cmp.Or(in.Name, ref.Name), ref.Name), Email: shared(cmp.Or(in.Email, ref.Email), ref.Email),
		TotalEarned: in.TotalEarned, Subtotal: unlessNull(in.Subtotal), Tax: in.Tax, Shipping: in.Shipping,
		Rate: Set(d.deal.Rate), RateType: EnumOf(d.deal.Type), RateFixed: d.deal.rateFrom == RateOfSale, Commissions: b.room[:0:1],
		Products: productsBought(in.Product), Status: EnumOf(SaleActive), Trigger: EnumOf(in.PaymentTrigger),
		Source: EnumOf(o.source.forSale()), Integration: EnumOf(in.Integration), Revision: 1, CreatedAt: o.now, UpdatedAt: o.now,
		HoldDays: d.deal.HoldDays, Free: in.Free, PaidAt: InstantOf(in.PaidAt), Why: o.why(d),
	}
	if hidden {
		b.rec = b.rec.blanked()
	}
	if ref.ID != uuid.Nil {
		totals, err := o.totals(ref.ID)
		if err != nil {
			return err
		}
		b.rec.Clicks = totals.Clicks
		if !in.Free {
			b.rec.Why.Payment = cmp.Or(o.nth, totals.payments()+1)
		}
	}
	if d.over != "" || in.Free {
		return nil
	}
	return o.reward(&b.rec, d.deal)
}

// shared is text, but in the memory of a stored text when they are equal: a
// customer's name is not kept again with each sale.
func shared(text, stored string) string {
	if text == stored {
		return stored
	}
	return text
}

// insertSale writes the sale, its totals and movement, and the redemption of its
// code.
func (o *op) insertSale(rec *SaleRecord, v *verdict) error {
	if err := o.moveSale(nil, rec, CauseSale); err != nil {
		return err
	}
	if err := o.tx.Sales.Insert(*rec); err != nil {
		return taken(err, map[Index]*Error{
			ByExternalID: saleExternalIDTaken.Err(), ByInvoice: saleInvoiceIDTaken.Err(),
		})
	}
	if !v.found {
		return nil
	}
	return o.redeem(rec, v)
}

// redeem writes the ledger row of a sale by code and raises both counters. The
// code and the coupon get no event and no new updatedAt (rule 3.4).
func (o *op) redeem(rec *SaleRecord, v *verdict) error {
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
	if name := cmp.Or(product.ProductID, product.Name); name != "" {
		return []string{name}
	}
	return nil
}
