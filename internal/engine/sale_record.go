package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// RecordSale implements tributary.Program.RecordSale.
func (p *Program) RecordSale(ctx context.Context, in affiliate.SaleParams) (result affiliate.SaleResult, err error) {
	defer p.Begin(&ctx, "RecordSale", Writes).End(&err)
	r := &report{in: in}
	r.start(ctx, p)
	r.Ahead = r
	rq := Request{Once: in.Once, Name: "sale.create"}
	r.ignored, rq.Refused = p.normalizeSale(&r.in)
	if rq.Refused == nil {
		rq.Refused = refusal.First(CheckTold("paidAt", in.PaidAt, r.Now))
	}
	if r.PaidAt = affiliate.InstantOf(in.PaidAt); !in.PaidAt.IsZero() {
		r.in.PaidAt = r.PaidAt.Time()
	}
	if digests(p.OnceOf(in.Once)) {
		rq.Input = []any{r.in, in.PaymentTrigger, in.Integration}
	}
	if r.PaidAt.After(r.Now) { // by the clock of the host
		r.PaidAt, r.in.PaidAt = r.Now, r.Now.Time()
	}
	if rq.Refused == nil {
		r.in.ExchangeRate, rq.Refused = p.RateOf(ctx, r.in.Currency, r.in.ExchangeRate, r.judgedAt().Time())
	}
	reply, err := Write(&r.Op, rq, r.record)
	if err == nil {
		reply.fillResult(&result)
		r.Seen.Said(affiliate.Outcome(result.Outcome))
	}
	return result, err
}

// A report is the operation of one RecordSale with its input.
type report struct {
	Op
	in         affiliate.SaleParams
	conversion string // what it is when it is no payment
}

func (r *report) record() (saleReply, error) { return r.recordSale(&r.in, r.conversion) }

// Announce names the records that the sale looks up by the texts of its input.
func (r *report) Announce(soon func(table string, key record.Key)) {
	soon("events", record.Key{}) // its event comes after the newest one
	if r.in.ExternalID != "" {
		soon("sales", record.ExternalKey(r.conversion, r.in.ExternalID))
	}
	AnnounceText(soon, "sales", record.ByInvoice, r.in.ExternalInvoiceID)
	AnnounceText(soon, "referrals", record.ByEmail, mailbox.Of(r.in.Email))
	r.Cfg.AnnounceErasure(soon, r.in.Email)
	AnnounceText(soon, "codes", record.ByCode, record.FoldCode(r.in.PromoCode))
	soon("plans", record.Key{ID: programPlan()})
}

// A saleReply is an [affiliate.SaleResult] whose sale is built later, after the
// transaction.
type saleReply struct {
	outcome affiliate.SaleOutcome
	body    *SaleBody         // the new sale, or the earlier one
	late    affiliate.ClickID // a click that was too old; zero: none
	ignored []string          // fields
	differs []string          // fields of a duplicate
	stored  *affiliate.Sale   // from a receipt
}

// fillResult fills in the result.
func (r *saleReply) fillResult(result *affiliate.SaleResult) {
	result.Outcome, result.Sale, result.Earlier = r.outcome, affiliate.Null[affiliate.Sale](), affiliate.Null[affiliate.Sale]()
	result.LateClick, result.Ignored, result.Differs = OrNull(r.late), r.ignored, r.differs
	switch {
	case r.stored != nil:
		result.Sale = affiliate.Set(*r.stored)
	case r.body != nil && r.outcome == affiliate.SaleRecorded:
		result.Sale = affiliate.Set(r.body.Sale())
	case r.body != nil:
		result.Earlier = affiliate.Set(r.body.Sale())
	}
}

var _ Keeper = (*saleReply)(nil)

// KeepAnswer and RestoreAnswer convert a reply to and from its receipt: the body of the
// answer is the sale or null, and the outcome is in a header, with the fields that
// were ignored or differ after it.
func (r *saleReply) KeepAnswer() (answer record.Payload, outcome string) {
	outcome = strings.Join(append([]string{string(r.outcome)}, r.ignored...), " ")
	for _, field := range r.differs {
		outcome += " " + differing + field
	}
	if r.body == nil || r.outcome != affiliate.SaleRecorded {
		return noAnswer, outcome
	}
	return record.LatePayload(r.body), outcome
}

// differing is before a field that differs, in a receipt.
const differing = "!"

// saleRoom is the size of a buffer that fits the JSON of most sales, in bytes.
const saleRoom = 2688

func (r *saleReply) RestoreAnswer(answer []byte, outcome string) error {
	said := strings.Split(outcome, " ")
	r.outcome = affiliate.SaleOutcome(said[0])
	for _, field := range said[1:] {
		if name, differs := strings.CutPrefix(field, differing); differs {
			r.differs = append(r.differs, name)
			continue
		}
		r.ignored = append(r.ignored, field)
	}
	return json.Unmarshal(answer, &r.stored)
}

// normalizeSale brings the input into canonical form. Wrong texts that a customer typed
// change no money, so a paid order is not refused for them: they are left out, and
// ignored names their fields.
func (p *Program) normalizeSale(in *affiliate.SaleParams) (ignored []string, err error) {
	if ignored, err = p.normalizeCredit(in); err != nil {
		return nil, err
	}
	if LeaveOutProductName(in) {
		ignored = append(ignored, "product.name")
	}
	names, err := p.NormalizeCharge(in)
	return append(ignored, names...), err
}

// normalizeCredit is normalizeSale for what says whom to credit, and who the customer is.
func (p *Program) normalizeCredit(in *affiliate.SaleParams) (ignored []string, err error) {
	in.PromoCode = plaintext.Bare(in.PromoCode)
	if in.PromoCode == "" && in.HoldID == "" && plaintext.Blank(in.ReferralID) && plaintext.Blank(in.ReferredUserExternalID) && in.Email == "" {
		return nil, refusal.SaleAttributionRequired.Err()
	}
	if err := normalizeHostID(&in.ReferredUserExternalID); err != nil {
		return nil, err
	}
	if in.Email != "" && refusal.NormalizeEmail("email", &in.Email) != nil {
		in.Email, ignored = "", append(ignored, "email")
	}
	sent := in.Name != ""
	if in.Name = plaintext.Trim(in.Name); sent && (in.Name == "" || refusal.CheckText("name", in.Name, refusal.MaxName, false) != nil) {
		in.Name, ignored = "", append(ignored, "name")
	}
	return ignored, nil
}

// normalizeHostID checks the host's id of a customer. One of blanks is none.
func normalizeHostID(id *string) *affiliate.Error {
	if plaintext.Blank(*id) {
		*id = ""
	}
	return refusal.Optional("referredUserExternalId", *id, refusal.MaxName)
}

// LeaveOutProductName removes an invalid product name, and reports whether it did. The id
// stays, because a code's rules use it.
func LeaveOutProductName(in *affiliate.SaleParams) bool {
	product, ok := in.Product.Get()
	if !ok || refusal.Optional("product.name", product.Name, refusal.MaxName) == nil {
		return false
	}
	product.Name = ""
	in.Product = affiliate.Set(product)
	return true
}

// NormalizeCharge checks what a sale says besides whom to credit. Its lines are a copy
// then. Invalid names of lines are left out, and ignored names their fields.
func (p *Program) NormalizeCharge(in *affiliate.SaleParams) (ignored []string, err error) {
	in.Lines = slices.Clone(in.Lines)
	if ignored, err = normalizeLines(in.Lines, in.Product, &in.Subtotal); err != nil {
		return ignored, err
	}
	return ignored, p.normalizeAmounts(in)
}

func (p *Program) normalizeAmounts(in *affiliate.SaleParams) error {
	if in.PaymentTrigger == "" {
		in.PaymentTrigger = affiliate.TriggerPurchase
	}
	if err := refusal.First(
		p.checkTotal(in),
		refusal.BoundOfSale("totalEarned", in.TotalEarned),
		p.priced(&in.Currency, in.ExchangeRate),
		refusal.Optional("name", in.Name, refusal.MaxName),
		refusal.Optional("externalId", in.ExternalID, refusal.MaxName),
		refusal.Optional("holdId", in.HoldID, refusal.MaxName),
		refusal.Optional("externalInvoiceId", in.ExternalInvoiceID, refusal.MaxName),
		checkSubtotal(in.Subtotal),
		refusal.FreeEarned.When(in.Free && in.TotalEarned.Sign() != 0),
		refusal.OneOf("paymentTrigger", in.PaymentTrigger, paymentTriggers),
		refusal.OneOfOrNone("integrationSalesSource", in.Integration, integrations),
	); err != nil {
		return err
	}
	if err := checkProduct(in.Product); err != nil {
		return err
	}
	paid := Charge{in.TotalEarned, in.Tax, in.Shipping}
	if err := paid.Check("tax"); err != nil {
		return err
	}
	return refusal.First(paid.checkSubtotal(in.Subtotal, "subtotal"))
}

// maxAhead is the longest time by which the clock of a reporter may be ahead.
const maxAhead = 5 * time.Minute

// CheckTold refuses a told time that is wrong: one of the future, or from before the year
// 2000, such as 0 seconds of Unix. Between these it is believed, however long ago it is. The
// zero time is none.
func CheckTold(field string, t time.Time, now affiliate.Instant) *affiliate.Error {
	return cmp.Or(
		refusal.FieldInFuture.About(field).When(affiliate.InstantOf(t).After(now.Add(maxAhead))),
		refusal.FieldTooLongAgo.About(field).When(!t.IsZero() && t.UTC().Year() < 2000),
	)
}

func checkProduct(given affiliate.Opt[affiliate.Product]) error {
	product, ok := given.Get()
	if !ok {
		return nil
	}
	if err := refusal.Optional("product.productId", product.ProductID, refusal.MaxName); err != nil {
		return err
	}
	if q, ok := product.Quantity.Get(); ok && q.Sign() <= 0 {
		return refusal.QuantityNotPositive.Err()
	}
	if price, ok := product.Price.Get(); ok && price.Sign() < 0 {
		return refusal.PriceNegative.Err()
	}
	return refusal.First(refusal.Optional("product.name", product.Name, refusal.MaxName))
}

// recordSale is the transaction of RecordSale: it first finds and checks
// everything, then it writes.
func (o *Op) recordSale(in *affiliate.SaleParams, conversion string) (saleReply, error) {
	earlier, err := o.earlier(conversion, in.ExternalID, in.ExternalInvoiceID)
	if err != nil || earlier != nil {
		reply := saleReply{outcome: affiliate.SaleDuplicate, body: earlier, ignored: o.ignored}
		if err == nil && conversion == "" {
			reply.differs, err = o.differs(in, &earlier.Rec)
		}
		return reply, err
	}
	if again, err := o.aloneOf(in.ExternalID); again.ID != uuid.Nil || err != nil {
		return saleReply{outcome: affiliate.SaleDuplicate, ignored: o.ignored}, err
	}
	d := Decision{conversion: conversion}
	if in.HoldID != "" {
		held := *in // the closure may run again
		in = &held
		if _, err := o.WithHold(in, &d); err != nil {
			return saleReply{}, err
		}
	}
	if err := o.identify(in.ReferralID, in.ReferredUserExternalID, in.Email, &d.identity); err != nil {
		return saleReply{}, err
	}
	if err := o.standApart(in, &d.identity); err != nil {
		return saleReply{}, err
	}
	if earlier, err := o.earlierConversion(d.Customer.Referral.ID, conversion); err != nil || earlier != nil {
		return saleReply{outcome: affiliate.SaleDuplicate, body: earlier, ignored: o.ignored}, err
	}
	outcome, err := o.DecideFor(in, &d)
	if err == nil && outcome == affiliate.SaleUnattributed && d.verdict.found && conversion == "" {
		outcome, err = affiliate.SaleRedeemed, o.RedeemAlone(o.NewID(), in, &d)
	}
	reply := saleReply{outcome: outcome, late: d.Origin.late, ignored: o.ignored}
	if err == nil && outcome == affiliate.SaleRecorded {
		reply.body, err = o.Book(in, &d)
	}
	return reply, err
}

// renewed is the shortest time between two payments of one subscription: a duplicate that was paid
// later than that after its sale is another payment.
const renewed = 20 * 24 * time.Hour

// FarApart reports whether two times of payment are not of one payment.
func FarApart(a, b affiliate.Instant) bool { return a.After(b.Add(renewed)) || b.After(a.Add(renewed)) }

// differs names what a report says that is not so of the sale whose id it has.
func (o *Op) differs(in *affiliate.SaleParams, rec *record.Sale) (fields []string, err error) {
	if cmp.Or(in.Currency, o.Cfg.Currency) != o.CurrencyOf(rec) || in.TotalEarned != AsCharged(rec).TotalEarned {
		fields = append(fields, "totalEarned")
	}
	if in.Tax.Sign() > 0 && in.Tax != AsCharged(rec).Tax {
		fields = append(fields, "tax")
	}
	if in.Shipping.Sign() > 0 && in.Shipping != AsCharged(rec).Shipping {
		fields = append(fields, "shipping")
	}
	if in.Email != "" && rec.Email != "" && !SameMailbox(in.Email, rec.Email) {
		fields = append(fields, "email")
	}
	if in.PromoCode != "" && rec.CodeID != uuid.Nil {
		code, err := o.CodeByText(in.PromoCode)
		if IgnoreMissing(err) != nil {
			return nil, err
		}
		if err == nil && code.ID != rec.CodeID {
			fields = append(fields, "promoCode")
		}
	}
	if in.ReferralID != "" && in.PromoCode == "" && rec.CodeID == uuid.Nil {
		var id identity
		if err := o.identifyReferral(in.ReferralID, &id); err != nil {
			return nil, err
		}
		if who := id.Origin.Affiliate.ID; who != uuid.Nil && who != rec.AffiliateID {
			fields = append(fields, "referralId")
		}
	}
	if in.ReferredUserExternalID != "" && rec.ReferralID != uuid.Nil {
		ref, err := o.Tx.Referrals.Get(rec.ReferralID)
		if err != nil {
			return nil, refusal.Internal("referral of a sale", err)
		}
		if ref.CustomerID != "" && ref.CustomerID != in.ReferredUserExternalID {
			fields = append(fields, "referredUserExternalId")
		}
	}
	if FarApart(o.judgedAt(), PaidOf(rec)) {
		fields = append(fields, "paidAt")
	}
	return fields, nil
}

// earlier returns the live sale, or conversion, that has one of the external ids; nil: there
// is none.
func (o *Op) earlier(conversion, externalID, invoiceID string) (*SaleBody, error) {
	rec, err := o.earlierRecord(conversion, externalID, invoiceID)
	if err != nil || rec.ID == uuid.Nil {
		return nil, err
	}
	return o.SaleBody(rec)
}

// EarlierRecord is earlier for a sale, as a record; the zero record: there is none.
func (o *Op) EarlierRecord(externalID, invoiceID string) (record.Sale, error) {
	return o.earlierRecord("", externalID, invoiceID)
}

func (o *Op) earlierRecord(conversion, externalID, invoiceID string) (record.Sale, error) {
	for _, id := range [...]struct {
		key  record.Key
		text string
	}{{record.ExternalKey(conversion, externalID), externalID}, {record.TextKey(record.ByInvoice, invoiceID), invoiceID}} {
		if id.text == "" {
			continue
		}
		rec, err := o.Tx.Sales.Find(id.key)
		if !errors.Is(err, affiliate.ErrNotFound) {
			return rec, err
		}
	}
	return record.Sale{}, nil
}

// Book writes a decided sale with all records that belong to it.
func (o *Op) Book(in *affiliate.SaleParams, d *Decision) (*SaleBody, error) {
	isNew, err := o.bookCustomer(in, d)
	if err != nil {
		return nil, err
	}
	b := &SaleBody{Frozen: Frozen{Program: o.Cfg.ID}, Owner: SellerOf(&d.affiliate)}
	if err := o.newSale(in, d, b); err != nil {
		return nil, err
	}
	if err := o.insertSale(&b.Rec, d); err != nil {
		return nil, err
	}
	if isNew {
		if err := o.emitCustomer(d.Customer.Referral); err != nil {
			return nil, err
		}
	}
	if err := cmp.Or(o.completeLinks(b), o.completeCustomer(b, &d.Customer.Referral)); err != nil {
		return nil, err
	}
	typ := affiliate.SaleCreated
	if b.Rec.Revision > 1 {
		typ = affiliate.SaleUpdated
	}
	return b, o.emit(event(&b.Rec, typ), b)
}

// Enroll makes the customer of an order of nothing, such as a trial, and redeems the code or the offer that it began
// with under an id of its own. There is no sale.
func (o *Op) Enroll(row record.Redemption, in *affiliate.SaleParams, d *Decision) (record.Referral, error) {
	isNew, err := o.bookCustomer(in, d)
	if err == nil && d.verdict.found {
		err = o.redeem(row, d, 0)
	}
	if err == nil && isNew {
		err = o.emitCustomer(d.Customer.Referral)
	}
	return d.Customer.Referral, err
}

// emitCustomer fires the event of a customer whom a payment made, or told more about.
func (o *Op) emitCustomer(rec record.Referral) error {
	typ := affiliate.ReferralCreated
	if rec.Revision > 1 {
		typ = affiliate.ReferralUpdated
	}
	_, err := o.EmitReferral(typ, rec)
	return err
}

// bookCustomer makes the referral of a new customer and joins the click. The payer of a provider is a customer before
// anybody tells the email.
func (o *Op) bookCustomer(in *affiliate.SaleParams, d *Decision) (isNew bool, err error) {
	ref := &d.Customer.Referral
	if ref.ID != uuid.Nil {
		if err := o.learn(in, &d.Customer); err != nil {
			return false, err
		}
		return false, o.joinClick(&d.Origin.Click, ref)
	}
	if in.Email == "" && o.Payer == "" && d.Customer.HostID == "" {
		return false, nil
	}
	hostID, err := o.freeHostID(d.Customer.HostID)
	if err != nil {
		return false, err
	}
	email := in.Email
	if d.Customer.Apart {
		email = ""
	}
	d.Customer.Referral, err = o.AddCustomer(record.Referral{
		Name: in.Name, Email: email, CustomerID: hostID, Plan: "N/A", SubmissionType: affiliate.SubmissionAutomatic,
		Medium: d.medium(), Integration: in.Integration,
	}, Origin{Affiliate: d.affiliate, Link: d.Origin.Link, Click: d.Origin.Click}, d.Customer.Gone)
	return true, err
}

// learn gives a customer who is there the host's id, or to one whom the id names the email, that a report says and that
// nobody has. A customer whose email may be planted learns nothing.
func (o *Op) learn(in *affiliate.SaleParams, c *Customer) error {
	rec := c.Referral
	if isErased(&rec) || c.HostID == "" || rec.CustomerID != "" && (rec.CustomerID != c.HostID || rec.Email != "" || in.Email == "") {
		return nil
	}
	doubt, err := o.Doubtful(c, in)
	if err != nil || doubt {
		return err
	}
	if rec.CustomerID == "" {
		rec.CustomerID, err = o.freeHostID(c.HostID)
	} else if other, found := o.CustomerByEmail(in.Email); found != nil || !other.Found() {
		rec.Email, rec.Name, err = in.Email, cmp.Or(rec.Name, in.Name), found
	}
	if err != nil {
		return err
	}
	if _, err = o.SaveReferral(c.Referral, rec); err != nil {
		return err
	}
	c.Referral, err = o.Tx.Referrals.Get(rec.ID)
	return err
}

// medium returns what attributed the customer.
func (d *Decision) medium() affiliate.ReferralMedium {
	if d.by == affiliate.CreditCode {
		return affiliate.MediumCoupon
	}
	return affiliate.MediumLink
}

// newSale makes the record of a decided sale.
func (o *Op) newSale(in *affiliate.SaleParams, d *Decision, b *SaleBody) error {
	ref, was := &d.Customer.Referral, o.again
	hidden, err := o.Hidden(&d.Customer, in.Email)
	if err != nil {
		return err
	}
	if b.Rec, err = o.draft(in, d); err != nil {
		return err
	}
	b.Rec.Commissions = b.room[:0:1]
	if was != nil {
		b.Rec.ID, b.Rec.Number, b.Rec.Revision = was.ID, was.Number, was.Revision+1
		b.Rec.CreatedAt, b.Rec.Metadata = was.CreatedAt, was.Metadata
	} else if b.Rec.Number, err = o.Tx.Next(record.SaleSequence); err != nil {
		return err
	} else {
		b.Rec.ID = o.NewID()
	}
	o.again = nil
	if hidden {
		b.Rec = BlankedSale(b.Rec)
	}
	if ref.ID != uuid.Nil {
		totals, err := o.Totals(ref.ID)
		if err != nil {
			return err
		}
		b.Rec.Clicks = totals.Clicks
		if !ofNothing(&b.Rec) {
			b.Rec.Why.Payment = cmp.Or(o.Nth, payments(&totals)+1)
		}
	}
	if d.over != "" || in.Free {
		return nil
	}
	if err := o.terms(&b.Rec, in, d); err != nil {
		return err
	}
	return o.reward(&b.Rec, d.deal)
}

// draft is the record of a decided sale before it is numbered and earns.
func (o *Op) draft(in *affiliate.SaleParams, d *Decision) (record.Sale, error) {
	ref := &d.Customer.Referral
	rec := record.Sale{
		AffiliateID: d.affiliate.ID, ReferralID: ref.ID, LinkID: d.link,
		CodeID: d.verdict.code.ID, ExternalID: in.ExternalID, InvoiceID: in.ExternalInvoiceID,
		Name: Shared(cmp.Or(in.Name, ref.Name), ref.Name), Email: Shared(cmp.Or(in.Email, ref.Email), ref.Email),
		TotalEarned: in.TotalEarned, Subtotal: refusal.UnlessNull(in.Subtotal), Tax: in.Tax, Shipping: in.Shipping,
		RateFixed: d.deal.rateFrom == affiliate.RateOfSale,
		Products:  productsBought(in), Status: affiliate.EnumOf(affiliate.SaleActive), Trigger: affiliate.EnumOf(in.PaymentTrigger),
		Source: affiliate.EnumOf(ForSale(o.source)), Integration: affiliate.EnumOf(in.Integration), Revision: 1, CreatedAt: o.Now, UpdatedAt: o.Now,
		HoldDays: int16(d.deal.HoldDays), Free: in.Free, Offer: d.verdict.offer, Conversion: d.conversion, PaidAt: affiliate.InstantOf(in.PaidAt), Why: o.why(d),
		Lines: StoredLines(in.Lines), Candidates: d.candidates,
	}
	setRate(&rec, &d.deal)
	if err := o.setDiscount(&rec, in, d); err != nil {
		return rec, err
	}
	if in.Currency == "" {
		return rec, nil
	}
	return o.charged(rec, in)
}

// setDiscount takes the discount of the code off the lines of a sale, and notes it.
func (o *Op) setDiscount(rec *record.Sale, in *affiliate.SaleParams, d *Decision) (err error) {
	if !d.verdict.found || d.conversion != "" {
		return nil
	}
	var off affiliate.Opt[affiliate.Amount]
	currency := cmp.Or(in.Currency, o.Cfg.Currency)
	switch {
	case d.Priced && len(rec.Lines) > 0:
		sum := int64(0)
		for i := range rec.Lines {
			sum += rec.Lines[i].CodeDiscount.Scaled()
		}
		off = affiliate.Set(affiliate.AmountFromScaled(sum))
	case frozen(d.hold, rec.Lines, d.basket(in), in.Currency):
		off = d.hold.Discount
	case len(rec.Lines) == 0:
		off = o.discount(&d.verdict.coupon, d.basket(in), currency)
	default:
		off = o.discountLines(&d.verdict.coupon, rec.Lines, currency)
	}
	d.verdict.discount, err = o.inProgram(off.Or(affiliate.Amount{}), in.Currency, in.ExchangeRate)
	return err
}

// charged turns the amounts of a sale into the program's currency, and keeps what was charged.
func (o *Op) charged(rec record.Sale, in *affiliate.SaleParams) (record.Sale, error) {
	as := rec
	rec.Charged = []affiliate.Charge{{Currency: in.Currency, ExchangeRate: in.ExchangeRate}}
	return rec, o.setCharged(&rec, &as)
}

// terms lets the rules and the caps of the terms decide about a new sale.
func (o *Op) terms(rec *record.Sale, in *affiliate.SaleParams, d *Decision) error {
	if product, ok := in.Product.Get(); ok && len(d.deal.Rules) > 0 {
		rec.Lines = []affiliate.StoredLine{{Whole: true, ProductID: product.ProductID, Name: product.Name, Quantity: product.Quantity.Or(one)}}
	}
	DecideLines(rec, &d.deal.Terms, d.deal.rateFrom, d.stage)
	return cmp.Or(o.limit(rec, &d.deal.Terms, affiliate.Amount{}), o.draw(rec, &d.deal.Terms, d.verdict.coupon.ID))
}

// Shared returns the stored text when it equals text, so that a customer's name is not
// kept again in memory with each sale.
func Shared(text, stored string) string {
	if text == stored {
		return stored
	}
	return text
}

// insertSale writes the sale, its totals and movement, and the redemption of its
// code.
func (o *Op) insertSale(rec *record.Sale, d *Decision) error {
	if err := cmp.Or(o.fit(nil, rec), o.moveSale(nil, rec, affiliate.CauseSale)); err != nil {
		return err
	}
	if err := o.Tx.Sales.Insert(*rec); err != nil {
		return refusal.Taken(err, map[record.Index]*affiliate.Error{
			record.ByExternalID: refusal.SaleExternalIDTaken.Err(), record.ByInvoice: refusal.SaleInvoiceIDTaken.Err(),
		})
	}
	if !d.verdict.found || rec.Conversion != "" {
		return nil
	}
	return o.redeem(record.Redemption{ID: record.NumberID(rec.Number)}, d, rec.Number)
}

// productsBought names what was bought, each once: by its id, else by its name.
func productsBought(in *affiliate.SaleParams) []string {
	product, _ := in.Product.Get()
	if name := cmp.Or(product.ProductID, product.Name); name != "" {
		return []string{name}
	}
	names := make([]string, 0, len(in.Lines))
	for i := range in.Lines {
		if name := cmp.Or(in.Lines[i].ProductID, in.Lines[i].Name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return names
}
