package affiliate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// ReportPayment takes in what a payment provider says about a payment. Report
// each fact as often and in whatever order it comes: what the affiliate earns
// depends on the facts only. A payment is known by any of its ids.
//
// The sale is made by the rules of [Program.RecordSale] for the first of
// Paid.Tries that resolves; a code that is refused, and a credit that names
// nobody, give way to the next. After them, or before them in a renewal, the
// payer's own customer is credited. When the host recorded the sale itself, under
// Paid.ExternalID or ExternalInvoiceID, that sale is taken. Whatever comes before
// the sale is kept and applied together with it; nothing needs to be reported
// again. A payment nobody can be credited with is kept, if it has a credit, a
// refund, a dispute or a link of ids, for Config.PaymentMemory.
//
// Refunds and disputes take their part of the sale as a refund with ClawBack
// does, so payouts stay as they are. Money that comes back, by a refund that
// failed or a dispute that was won, becomes an adjustment, because a refund is
// never undone. What comes after Config.RefundWindow is kept and does not count.
//
// A payment in another currency than the program's earns nothing. It is kept when it
// names somebody, as [SaleOtherCurrency], until a person decides.
//
// Errors: [InvalidField] for a fact that is not valid by itself, in another
// currency than what is known of the payment, or with another amount for a known refund or
// dispute;
// [PaymentConflict] when the ids belong to two payments that both have a sale: a
// person decides then, and nothing is changed. Refusals of codes are in
// PaymentResult.Refused.
//
// Effects: in one transaction the payment with its ids and its payer, those of
// RecordSale, those of [Program.RefundSale] and of [Program.RecordAdjustment].
// Sales and customers have the source INTEGRATION, and the provider as their
// integration if it is one.
//
// Source: docs/payments.md.
func (p *Program) ReportPayment(ctx context.Context, f PaymentFact) (_ PaymentResult, err error) {
	defer p.begin(&ctx, "ReportPayment", writes).end(&err)
	r := &payment{op: p.From(SourceIntegration).op(ctx), fact: f}
	r.ahead = r
	rq := request{name: "payment.report", input: f, refused: p.normalizePayment(&r.fact, r.now)}
	result, err := write(r.op, rq, r.report)
	if err == nil {
		r.seen.said(Outcome(result.Outcome))
		result.Ignored = f.Payer.ignored()
	}
	return result, err
}

// A payment is the operation of one ReportPayment with its fact.
type payment struct {
	*op
	fact PaymentFact
	known
}

// known is what a run of the operation has found and done.
type known struct {
	old, rec PaymentRecord // before and after; old is zero for a new one
	fresh    []string      // keys that nobody has yet
	payer    payerChange
	sale     SaleRecord // zero: there is none, or it was deleted
	before   Amount     // what the sale and its adjustments gave before
	body     *saleBody  // of the sale as it is; nil: not read
	shift    shift
	late     bool // the refund window of the sale is over
	expected bool // the payer has parked payments: the customer may be known later
	named    bool // the payment names a sale that is there and that it did not take
	aside    bool // the payment is in another currency, and somebody may be owed
	result   PaymentResult
}

// Announce names the records that the fact looks up by its texts.
func (r *payment) Announce(soon func(table string, key Key)) {
	for _, key := range r.fact.Keys {
		soon("paymentkeys", ofProvider(ByPayment, r.fact.Provider, key))
	}
	if r.fact.Payer.ID != "" {
		soon("payers", ofProvider(ByPayer, r.fact.Provider, r.fact.Payer.ID))
	}
	paid, ok := r.fact.Sale.Get()
	if !ok {
		return
	}
	soon("events", Key{}) // its event comes after the newest one
	announceText(soon, "sales", ByExternalID, paid.ExternalID)
	announceText(soon, "sales", ByInvoice, paid.ExternalInvoiceID)
	announceText(soon, "referrals", ByEmail, r.fact.Payer.Email)
	r.cfg.announceErasure(soon, r.fact.Payer.Email)
	for _, try := range paid.Tries {
		announceText(soon, "codes", ByCode, foldCode(try.PromoCode))
		announceText(soon, "codes", ByExternalID, try.CodeExternalID)
	}
}

// report is the transaction of ReportPayment.
func (r *payment) report() (PaymentResult, error) {
	r.known = known{}
	for _, step := range []func() error{r.find, r.readPayer, r.addFacts, r.makeSale, r.follow, r.leave, r.save} {
		if err := step(); err != nil {
			return PaymentResult{}, err
		}
	}
	return r.answer()
}

// readPayer finds the payer of the fact.
func (r *payment) readPayer() (err error) {
	if r.fact.Payer.ID == "" {
		return nil
	}
	r.payer, err = r.payerOf(r.fact.Provider, r.fact.Payer.ID)
	r.payer.rec.Email = cmp.Or(r.payer.rec.Email, r.fact.Payer.Email)
	r.payer.rec.Name = cmp.Or(r.payer.rec.Name, r.fact.Payer.Name)
	if err != nil || r.payer.rec.ReferralID != uuid.Nil {
		return err
	}
	r.expected, err = r.hasParked(r.fact.Provider, r.fact.Payer.ID)
	return err
}

// checkCurrency refuses facts in another currency than the payment is counted in: that
// of Paid.GrossCurrency, else the program's. A payment of which nothing else is known may
// be in any.
func (r *payment) checkCurrency() error {
	f, c := &r.fact, r.cfg.Currency
	paid, sold := f.Sale.Get()
	told := len(f.Refunds)+len(f.Disputes) > 0 || !f.Refunded.IsZero()
	switch {
	case !sold:
		return first(fieldOtherCurrency.about("currency").when(f.Currency != cmp.Or(r.rec.Counted, c) && (told || f.Currency != c)))
	case f.Currency != c && r.isNew():
		r.rec.Counted = f.Currency
		return nil
	case f.Currency != c:
		return first(fieldOtherCurrency.about("currency").when(f.Currency != r.rec.Counted && told))
	}
	r.rec.dropForeign()
	now := cmp.Or(paid.GrossCurrency, c)
	if now != cmp.Or(r.rec.Counted, c) && r.rec.counts() {
		return fieldOtherCurrency.Of("grossCurrency")
	}
	if now != c {
		r.rec.Counted = now
	}
	return nil
}

// isNew reports whether nothing was told of the payment yet but its ids.
func (r *payment) isNew() bool {
	return r.rec.Sale == uuid.Nil && len(r.rec.Waiting) == 0 && r.rec.Counted == "" && !r.rec.counts()
}

// addFacts adds the facts to the record.
func (r *payment) addFacts() error {
	r.rec.PayerID = cmp.Or(r.rec.PayerID, r.fact.Payer.ID)
	if err := r.checkCurrency(); err != nil {
		return err
	}
	for _, f := range r.fact.Refunds {
		if err := r.rec.addRefund(PaymentRefund{ID: f.ID, Amount: f.Amount, Tax: f.Tax, Shipping: f.Shipping, State: f.State}, r.late, &r.shift); err != nil {
			return err
		}
	}
	at := InstantOf(r.fact.At)
	for _, f := range r.fact.Disputes {
		if err := r.rec.addDispute(PaymentDispute{ID: f.ID, Amount: f.Amount, State: f.State, Warning: f.Warning, At: at}, r.late, &r.shift); err != nil {
			return err
		}
	}
	r.rec.addRefunded(r.fact.Refunded, r.late, &r.shift)
	return first(
		FieldOver1000Entries.about("refunds").when(len(r.rec.Refunds) > maxOfPayment),
		FieldOver1000Entries.about("disputes").when(len(r.rec.Disputes) > maxOfPayment),
	)
}

// makeSale makes the sale of a payment that has none, or finds the host's.
func (r *payment) makeSale() error {
	paid, ok := r.fact.Sale.Get()
	switch {
	case !ok && r.rec.Sale == uuid.Nil:
		r.result.Outcome = SaleParked
		return nil
	case !ok:
		return nil
	case r.rec.Sale != uuid.Nil:
		r.result.Outcome = SaleDuplicate
		return nil
	case r.fact.Currency != r.cfg.Currency:
		return r.putAside(&paid)
	}
	if err := r.await(&paid); err != nil {
		return err
	}
	if len(r.rec.Waiting) == 0 || r.rec.Gross.IsZero() {
		r.result.Outcome = SaleParked
		return nil
	}
	return r.tryWaiting()
}

// putAside keeps a payment in another currency, if it names somebody who may be owed.
// One whose order the host has recorded is left to the host.
func (r *payment) putAside(paid *Paid) error {
	r.result.Outcome = SaleUnattributed
	if !r.rec.foreign() || r.rec.Counted != r.fact.Currency || r.rec.Decided != "" {
		return nil // the program's currency was told of it, or a person decided
	}
	earlier, err := r.earlierRecord(paid.ExternalID, paid.ExternalInvoiceID)
	if err != nil {
		return err
	}
	if earlier.ID != uuid.Nil {
		r.result.Outcome = SaleDuplicate
		return nil
	}
	ref, err := r.customerOf(&r.payer.rec, r.fact.Payer)
	if r.aside = len(paid.Tries) > 0 || ref.ID != uuid.Nil; r.aside {
		r.result.Outcome, r.rec.Gross = SaleOtherCurrency, Set(paid.Gross)
	}
	return err
}

// await notes what a payment says about its sale: what was agreed, what was paid of it,
// or both.
func (r *payment) await(paid *Paid) error {
	waiting := paid.waiting()
	waiting.PaidAt = r.paid(paid.PaidAt, r.fact.At)
	if err := r.hideTries(waiting.Tries); err != nil {
		return err
	}
	if paid.Stage == PaidLater {
		if gross, known := r.rec.Gross.Get(); known {
			if err := waiting.pay(gross, r.cfg.Currency); err != nil {
				return err
			}
		}
		r.rec.Waiting = []WaitingSale{waiting}
		return nil
	}
	agreed := len(r.rec.Waiting) > 0 && r.rec.Gross.IsZero()
	r.rec.Gross = Set(paid.Gross)
	if r.rec.Counted != "" {
		r.rec.Worth = Set(paid.TotalEarned)
	}
	switch {
	case agreed:
		r.rec.Waiting[0].PaidAt = waiting.PaidAt
		return r.rec.Waiting[0].pay(paid.TotalEarned, r.cfg.Currency)
	case paid.Stage == PaidOfAgreed:
		return nil
	}
	r.rec.Waiting = []WaitingSale{waiting}
	return nil
}

// follow brings the sale to what the facts say.
func (r *payment) follow() error {
	if r.sale.ID == uuid.Nil {
		return nil
	}
	refunds := len(r.sale.Refunds)
	if err := r.settlePayment(&r.rec, &r.sale, r.shift); err != nil {
		return err
	}
	if len(r.sale.Refunds) > refunds {
		r.body = nil
	}
	return r.link()
}

// link notes for whom the payer pays: for the customer of the sale. An email that the
// payer can have typed proves nothing about a customer who was there before.
func (r *payment) link() error {
	if r.payer.rec.PayerID == "" || r.sale.ReferralID == uuid.Nil || r.payer.rec.ReferralID != uuid.Nil && !r.payer.rec.ByEmail {
		return nil
	}
	ref, err := r.tx.Referrals.Get(r.sale.ReferralID)
	if err != nil {
		return internal("referral of a sale", err)
	}
	if r.fact.Payer.proves(&ref) || ref.CreatedAt == r.sale.CreatedAt {
		return r.payer.pays(r.op, ref.ID)
	}
	r.payer.seems(ref.ID)
	return nil
}

// kept reports whether the payment is kept. Most payments have no affiliate, and
// leave nothing.
func (r *payment) kept() bool {
	paid, ok := r.fact.Sale.Get()
	if r.rec.foreign() {
		return r.old.ID != uuid.Nil || r.aside
	}
	return r.old.ID != uuid.Nil || r.rec.Sale != uuid.Nil || len(paid.Tries) > 0 || r.expected || r.named || !ok && len(r.fresh) > 1 ||
		paid.Stage == PaidLater || paid.Stage == PaidOfAgreed ||
		len(r.rec.Refunds) > 0 || len(r.rec.Disputes) > 0 || r.fact.Refunded.Or(Amount{}).Sign() > 0
}

// save writes what has changed.
func (r *payment) save() error {
	if !r.kept() {
		r.rec = PaymentRecord{}
		return nil
	}
	if err := r.savePayment(r.old, &r.rec); err != nil {
		return err
	}
	for _, key := range r.fresh {
		rec := PaymentKeyRecord{ID: r.newID(), PaymentID: r.rec.ID, Provider: r.rec.Provider, Key: key}
		if err := r.tx.PaymentKeys.Insert(rec); err != nil {
			return internal("write key of a payment", err)
		}
	}
	if !r.payerKept() {
		return nil
	}
	return r.savePayer(&r.payer)
}

// payerKept reports whether the payer is kept: not for a mere link of ids.
func (r *payment) payerKept() bool {
	tries := len(r.rec.Waiting) > 0 && len(r.rec.Waiting[0].Tries) > 0 || r.payer.rec.ReferralID != uuid.Nil
	return r.rec.Sale != uuid.Nil || r.named || tries || r.payer.old.ID != uuid.Nil
}

// savePayment writes a payment that has changed.
func (o *op) savePayment(old PaymentRecord, rec *PaymentRecord) error {
	if rec.Sale != uuid.Nil {
		rec.Conflict, rec.Left = uuid.Nil, "" // a payment that has its sale waits for no decision
	}
	if same(old, *rec) {
		return nil
	}
	rec.UpdatedAt = later(o.now, rec.UpdatedAt)
	if old.ID == uuid.Nil {
		rec.ID, rec.CreatedAt = o.newID(), o.now
	}
	if err := put(o.tx.Payments, old, *rec); err != nil {
		return internal("write payment", err)
	}
	return nil
}

// answer is the result of the run.
func (r *payment) answer() (PaymentResult, error) {
	res := &r.result
	res.Sale = Null[Sale]()
	if r.sale.ID != uuid.Nil {
		if r.body == nil {
			var err error
			if r.body, err = r.saleBody(r.sale); err != nil {
				return *res, err
			}
		}
		res.Sale = Set(r.body.sale())
		after, err := r.sale.commissionEarned()
		if err == nil {
			res.Moved, err = after.Sub(r.before)
		}
		if err != nil {
			return *res, err
		}
	}
	var err error
	if r.rec.ID != uuid.Nil {
		res.Payment, err = r.paymentOf(&r.rec)
	}
	return *res, err
}

// find finds the payments that own one of the keys, and joins them.
func (r *payment) find() error {
	var owners []PaymentRecord
	for _, key := range r.fact.Keys {
		held, err := r.tx.PaymentKeys.Find(ofProvider(ByPayment, r.fact.Provider, key))
		if errors.Is(err, ErrNotFound) {
			if !slices.Contains(r.fresh, key) {
				r.fresh = append(r.fresh, key)
			}
			continue
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(owners, func(rec PaymentRecord) bool { return rec.ID == held.PaymentID }) {
			continue
		}
		rec, err := r.tx.Payments.Get(held.PaymentID)
		if err != nil {
			return internal("payment of a key", err)
		}
		owners = append(owners, rec)
	}
	if len(owners) == 0 {
		r.rec = PaymentRecord{Provider: r.fact.Provider}
		return nil
	}
	return r.join(owners)
}
