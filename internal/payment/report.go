package payment

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ReportPayment implements tributary.Payments.ReportPayment.
func ReportPayment(ctx context.Context, p *engine.Program,
	f affiliate.PaymentFact) (_ affiliate.PaymentResult, err error) {
	defer p.Begin(&ctx, "ReportPayment", engine.Writes).End(&err)
	r := &Payment{Op: p.From(affiliate.SourceIntegration).Op(ctx), Fact: f}
	r.Ahead = r
	rq := engine.Request{Name: "payment.report", Input: f, Refused: normalizePayment(p, &r.Fact, r.Now)}
	if rq.Refused == nil {
		rq.Refused = r.askRate(ctx)
	}
	result, err := engine.Write(r.Op, rq, r.report)
	if err == nil {
		r.Seen.Said(affiliate.Outcome(result.Outcome))
		result.Ignored = ignored(f.Payer)
	}
	return result, err
}

// A Payment is the operation of one ReportPayment with its fact.
type Payment struct {
	*engine.Op
	Fact affiliate.PaymentFact
	paymentState
}

// paymentState holds what a run of the operation has found and done.
type paymentState struct {
	Old, Rec record.Payment // before and after; old is zero for a new one
	fresh    []string       // keys that nobody has yet
	payer    payerChange
	undone   map[uuid.UUID]engine.Unbooked // payments that were taken back, to be decided about anew
	sale     record.Sale                   // zero: there is none, or it was deleted
	before   affiliate.Amount              // what the sale and its adjustments gave before
	body     *engine.SaleBody              // of the sale as it is; nil: not read
	shift    engine.Shift
	late     bool // the refund window of the sale is over
	expected bool // the payer has parked payments: the customer may be known later
	chosen   bool // a person says whom the first of the tries credits
	named    bool // the payment names an existing sale that it did not take
	nobody   bool // it names an affiliate, and says nothing about who paid
	aside    bool // the payment is in a currency without a rate, and somebody may be owed
	result   affiliate.PaymentResult
}

// askRate finds the rate of a payment in another currency. Without one it is parked.
func (r *Payment) askRate(ctx context.Context) (err error) {
	f := &r.Fact
	paid, sold := f.Sale.Get()
	if f.Currency == r.Cfg.Currency || !sold || paid.Stage == affiliate.PaidLater || unpriced(paid.Stage) {
		f.ExchangeRate = affiliate.ExchangeRate{}
		return nil
	}
	at := paidAt(r.Op, paid.PaidAt, f.At)
	f.ExchangeRate, err = r.RateOf(ctx, f.Currency, f.ExchangeRate, at.Time())
	return parkedWithout(err)
}

// parkedWithout removes the refusal of a sale that has no rate.
func parkedWithout(err error) error {
	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Field == "exchangeRate" {
		return nil
	}
	return err
}

// Announce names the records that the fact looks up by its texts.
func (r *Payment) Announce(soon func(table string, key record.Key)) {
	for _, key := range r.Fact.Keys {
		soon("paymentkeys", record.OfProvider(record.ByPayment, r.Fact.Provider, key))
	}
	if r.Fact.Payer.ID != "" {
		soon("payers", record.OfProvider(record.ByPayer, r.Fact.Provider, r.Fact.Payer.ID))
	}
	paid, ok := r.Fact.Sale.Get()
	if !ok {
		return
	}
	soon("events", record.Key{}) // its event comes after the newest one
	engine.AnnounceText(soon, "sales", record.ByExternalID, paid.ExternalID)
	engine.AnnounceText(soon, "sales", record.ByInvoice, paid.ExternalInvoiceID)
	engine.AnnounceText(soon, "referrals", record.ByEmail, mailbox.Of(r.Fact.Payer.Email))
	r.Cfg.AnnounceErasure(soon, r.Fact.Payer.Email)
	for _, try := range paid.Tries {
		engine.AnnounceText(soon, "codes", record.ByCode, record.FoldCode(try.PromoCode))
		engine.AnnounceText(soon, "codes", record.ByExternalID, try.CodeExternalID)
		engine.AnnounceText(soon, "holds", record.ByExternalID, try.HoldID)
	}
}

// report is the transaction of ReportPayment.
func (r *Payment) report() (affiliate.PaymentResult, error) {
	r.paymentState = paymentState{}
	for _, step := range []func() error{r.Find, r.meet, r.addFacts, r.makeSale, r.follow, r.leave, r.Save, r.resume} {
		if err := step(); err != nil {
			return affiliate.PaymentResult{}, err
		}
	}
	return r.answer()
}

// meet is readPayer, and takes in the email of a payer who is a customer without one.
func (r *Payment) meet() error {
	if err := r.readPayer(); err != nil || !meets(&r.payer) {
		return err
	}
	whole := r.Fact
	r.Fact = affiliate.PaymentFact{Provider: whole.Provider, Payer: whole.Payer} // it is of no payment yet
	err := r.reportPayer(whole.Payer)
	if r.Fact, r.paymentState = whole, (paymentState{}); err != nil {
		return err
	}
	if err := r.Find(); err != nil {
		return err
	}
	return r.readPayer()
}

// readPayer finds the payer of the fact, else of the payment.
func (r *Payment) readPayer() (err error) {
	id := cmp.Or(r.Fact.Payer.ID, r.Rec.PayerID)
	if id == "" {
		return nil
	}
	r.payer, err = PayerOf(r.Op, r.Fact.Provider, id)
	r.payer.Rec.Email = cmp.Or(r.payer.Rec.Email, r.Fact.Payer.Email)
	r.payer.Rec.Name = cmp.Or(r.payer.Rec.Name, r.Fact.Payer.Name)
	if err != nil || r.payer.Rec.ReferralID != uuid.Nil {
		return err
	}
	r.expected, err = hasParked(r.Op, r.Fact.Provider, id)
	return err
}

// checkCurrency refuses refunds and disputes in another currency than the payment is counted
// in: Paid.GrossCurrency, else that of the facts. A payment of which no amount is known may
// be in any.
func (r *Payment) checkCurrency() error {
	f, c := &r.Fact, r.Cfg.Currency
	paid, sold := f.Sale.Get()
	told := len(f.Refunds)+len(f.Disputes) > 0 || !f.Refunded.IsZero()
	now, field := f.Currency, "currency"
	if sold && !unpriced(paid.Stage) {
		told = told || now == c
		if now == c {
			engine.DropForeign(&r.Rec)
		}
		if paid.GrossCurrency != "" {
			now, field = paid.GrossCurrency, "grossCurrency"
		}
	} else if !told {
		return nil // it only says which ids belong together, or that nothing was paid
	}
	switch open := r.Rec.Sale == uuid.Nil && !engine.PaymentCounts(&r.Rec); {
	case now == cmp.Or(r.Rec.Counted, c):
	case open && (len(r.Rec.Waiting) == 0 || sold):
		if r.Rec.Counted = now; now == c {
			r.Rec.Counted = ""
		}
	case told:
		return refusal.FieldOtherCurrency.Of(field)
	}
	return nil
}

// saleCurrency returns the currency of the sale that a fact tells; empty: the program's.
func (r *Payment) saleCurrency() affiliate.Currency {
	if r.Fact.Currency == r.Cfg.Currency {
		return ""
	}
	return r.Fact.Currency
}

// mismatched reports whether a payment in another currency is known in the program's too, or
// a person decided about it: then what the fact says of its sale does not count.
func (r *Payment) mismatched(paid *affiliate.Paid) bool {
	c := r.saleCurrency()
	if c == "" || unpriced(paid.Stage) {
		return false
	}
	other := len(r.Rec.Waiting) > 0 && r.Rec.Waiting[0].Currency != c
	return other || cmp.Or(r.Rec.Counted, r.Cfg.Currency) != cmp.Or(paid.GrossCurrency, c) || r.Rec.Decided != ""
}

// addFacts adds the facts to the record.
func (r *Payment) addFacts() error {
	r.Rec.PayerID = cmp.Or(r.Rec.PayerID, r.Fact.Payer.ID)
	if err := r.checkCurrency(); err != nil {
		return err
	}
	for _, f := range r.Fact.Refunds {
		if err := engine.AddRefund(&r.Rec, affiliate.PaymentRefund{ID: f.ID, Amount: f.Amount, Tax: f.Tax, Shipping: f.Shipping, State: f.State}, r.late, &r.shift); err != nil {
			return err
		}
	}
	at := affiliate.InstantOf(r.Fact.At)
	for _, f := range r.Fact.Disputes {
		if err := engine.AddDispute(&r.Rec, affiliate.PaymentDispute{ID: f.ID, Amount: f.Amount, State: f.State, Warning: f.Warning, At: at}, r.late, &r.shift); err != nil {
			return err
		}
	}
	engine.AddRefunded(&r.Rec, r.Fact.Refunded, r.late, &r.shift)
	if revoked, said := r.Fact.Revoked.Get(); said {
		engine.AddStanding(&r.Rec, revoked, at)
	}
	return refusal.First(
		refusal.FieldOver1000Entries.About("refunds").When(len(r.Rec.Refunds) > maxOfPayment),
		refusal.FieldOver1000Entries.About("disputes").When(len(r.Rec.Disputes) > maxOfPayment),
	)
}

// makeSale makes the sale of a payment that has none, or finds the host's.
func (r *Payment) makeSale() error {
	paid, ok := r.Fact.Sale.Get()
	switch {
	case !ok && r.Rec.Sale == uuid.Nil:
		r.result.Outcome = affiliate.SaleParked
		return nil
	case !ok:
		return nil
	case r.Rec.Sale != uuid.Nil:
		r.result.Outcome, r.result.Differs = affiliate.SaleDuplicate, r.differs(&paid)
		return r.retold(&paid)
	case r.mismatched(&paid):
		r.result.Outcome = affiliate.SaleUnattributed
		return nil
	}
	if paid.Awaits != "" && (paid.Stage == affiliate.PaidUntold || len(r.Rec.Waiting) == 0 || r.Rec.Untold()) {
		paid = affiliate.Paid{Stage: affiliate.PaidUntold, Awaits: paid.Awaits, Tries: paid.Tries, Renewal: paid.Renewal} // nothing was agreed
	}
	if paid.Stage == affiliate.PaidUntold {
		return r.note(&paid)
	}
	note := r.Rec.Waiting
	if r.Rec.Untold() {
		r.Rec.Waiting = nil
	} else {
		note = nil
	}
	if err := r.await(&paid); err != nil {
		return err
	}
	if len(r.Rec.Waiting) == 0 || r.Rec.Gross.IsZero() {
		r.result.Outcome = affiliate.SaleParked
		return nil
	}
	if err := r.comesFirst(); err != nil {
		return err
	}
	err := r.tryWaiting()
	if note != nil && len(paid.Tries) == 0 && r.result.Outcome == affiliate.SaleUnattributed { // only the note names somebody
		r.Rec.Waiting, r.Rec.Gross, r.Rec.Worth = note, affiliate.Opt[affiliate.Amount]{},
			affiliate.Opt[affiliate.Amount]{}
	}
	return err
}

// note keeps that a payment was paid whose amount is not known, if somebody may have earned a
// commission and no other fact has told it.
func (r *Payment) note(paid *affiliate.Paid) error {
	ref, err := customerOf(r.Op, &r.payer.Rec, r.Fact.Payer)
	if err != nil {
		return err
	}
	named := len(paid.Tries) > 0 || ref.Referral.ID != uuid.Nil
	switch {
	case len(r.Rec.Waiting) > 0 && !r.Rec.Untold() || r.Rec.Decided != "" || !r.Rec.Gross.IsZero():
		r.result.Outcome = affiliate.SaleParked
		return nil
	case !named:
		r.result.Outcome = affiliate.SaleUnattributed
		return nil
	}
	w := WaitingOf(paid)
	w.PaidAt, w.Currency = paidAt(r.Op, paid.PaidAt, r.Fact.At), r.saleCurrency()
	r.aside, r.result.Outcome, r.Rec.Waiting = true, untold(&w), []affiliate.WaitingSale{w}
	return r.HideTries(w.Tries)
}

// differs names what a payment that has its sale is told to be now and was not: more, or one of
// another time.
func (r *Payment) differs(paid *affiliate.Paid) (fields []string) {
	if paid.Stage != affiliate.PaidNow {
		return nil
	}
	if gross, known := r.Rec.Gross.Get(); known && paid.Gross.Cmp(gross) > 0 && cmp.Or(paid.GrossCurrency, r.Fact.Currency) == cmp.Or(r.Rec.Counted, r.Cfg.Currency) {
		fields = append(fields, "gross")
	}
	if r.sale.ID != uuid.Nil && engine.FarApart(paidAt(r.Op, paid.PaidAt, r.Fact.At), engine.PaidOf(&r.sale)) {
		fields = append(fields, "paidAt")
	}
	return fields
}

// retold compares what a payment is told to be with what its sale is of. The earliest report
// counts, so a sale of a later one
// is decided about anew; what else was told waits for a person.
func (r *Payment) retold(paid *affiliate.Paid) error {
	gross, known := r.Rec.Gross.Get()
	far := slices.Contains(r.result.Differs, "paidAt")
	if counted := cmp.Or(paid.GrossCurrency, r.Fact.Currency) == cmp.Or(r.Rec.Counted, r.Cfg.Currency); !counted || !known || paid.Stage != affiliate.PaidNow || r.sale.ID == uuid.Nil {
		return nil
	}
	at := affiliate.InstantOf(r.Fact.At)
	if r.Rec.ToldAt.IsZero() || !at.Before(r.Rec.ToldAt) || gross == paid.Gross && !far {
		if far || paid.Gross.Cmp(gross) > 0 {
			engine.AddRaised(&r.Rec, paid.Gross)
		}
		return nil
	}
	open, err := r.Decidable(&r.sale)
	if err != nil || !open {
		engine.AddRaised(&r.Rec, paid.Gross)
		return err
	}
	u, err := r.Unbook(&r.sale, r.Rec.ID)
	if err != nil {
		return err
	}
	r.Rec.Sale, r.Rec.Waiting, r.Rec.Gross, r.sale, r.body = uuid.Nil, nil,
		affiliate.Opt[affiliate.Amount]{}, record.Sale{}, nil
	if err := r.await(paid); err != nil {
		return err
	}
	if far || gross.Cmp(paid.Gross) > 0 {
		engine.AddRaised(&r.Rec, gross)
	}
	return r.Rebook(u, r.tryWaiting)
}

// putAside keeps a payment in a currency that has no rate, if it names somebody who may have
// earned a commission.
func (r *Payment) putAside(waiting *affiliate.WaitingSale, ref *record.Referral) {
	if r.aside = len(waiting.Tries) > 0 || ref.ID != uuid.Nil; r.aside {
		r.result.Outcome = affiliate.SaleOtherCurrency
		return
	}
	r.result.Outcome = affiliate.SaleUnattributed
	r.Rec.Waiting, r.Rec.Gross, r.Rec.Worth = nil, affiliate.Opt[affiliate.Amount]{}, affiliate.Opt[affiliate.Amount]{}
}

// await stores what a payment says about its sale: what was agreed, what was paid of it,
// or both.
func (r *Payment) await(paid *affiliate.Paid) error {
	waiting, c := WaitingOf(paid), r.Fact.Currency
	waiting.Currency = r.saleCurrency()
	waiting.PaidAt = paidAt(r.Op, paid.PaidAt, r.Fact.At)
	if err := r.HideTries(waiting.Tries); err != nil {
		return err
	}
	if paid.Stage == affiliate.PaidLater {
		if gross, known := r.Rec.Gross.Get(); known {
			if err := pay(&waiting, gross, c); err != nil {
				return err
			}
		}
		r.Rec.Waiting = []affiliate.WaitingSale{waiting}
		return nil
	}
	agreed := len(r.Rec.Waiting) > 0 && r.Rec.Gross.IsZero()
	r.Rec.Gross, r.Rec.ToldAt = affiliate.Set(paid.Gross), affiliate.InstantOf(r.Fact.At)
	if paid.GrossCurrency != "" && paid.GrossCurrency != c {
		r.Rec.Worth = affiliate.Set(paid.TotalEarned)
	}
	if r.Rec.Rate.IsZero() {
		r.Rec.Rate = r.Fact.ExchangeRate
	}
	switch {
	case agreed:
		r.Rec.Waiting[0].PaidAt = waiting.PaidAt
		return pay(&r.Rec.Waiting[0], paid.TotalEarned, c)
	case paid.Stage == affiliate.PaidOfAgreed:
		return nil
	}
	r.Rec.Waiting = []affiliate.WaitingSale{waiting}
	return nil
}

// follow brings the sale to the state that the facts describe.
func (r *Payment) follow() error {
	if r.sale.ID == uuid.Nil {
		return r.followAlone()
	}
	refunds := len(r.sale.Refunds)
	if err := r.SettlePayment(&r.Rec, &r.sale, r.shift); err != nil {
		return err
	}
	if len(r.sale.Refunds) > refunds {
		r.body = nil
	}
	return r.link()
}

// link records that the payer pays for the customer of the sale. An email that the payer
// may have typed proves nothing about a customer who existed before.
func (r *Payment) link() error {
	if r.payer.Rec.PayerID == "" || r.sale.ReferralID == uuid.Nil ||
		r.payer.Rec.ReferralID != uuid.Nil && !r.payer.Rec.ByEmail {
		return nil
	}
	ref, err := r.Tx.Referrals.Get(r.sale.ReferralID)
	if err != nil {
		return refusal.Internal("referral of a sale", err)
	}
	if proves(r.Fact.Payer, &ref) || ref.CreatedAt == r.sale.CreatedAt {
		return r.payer.Pays(r.Op, ref.ID)
	}
	r.payer.seems(ref.ID)
	return nil
}

// early reports whether the first payment, of which this is a renewal, has not been told.
func (r *Payment) early(w *affiliate.WaitingSale) bool { return w.Renewal && r.payer.Rec.Early }

// unmet reports whether nobody has told the email of the payer yet.
func (r *Payment) unmet() bool {
	return r.payer.Rec.PayerID != "" && r.payer.Rec.Email == "" && !r.payer.Rec.Erased
}

// kept reports whether the payment is kept. Most payments have no affiliate, and
// leave nothing.
func (r *Payment) kept() bool {
	paid, ok := r.Fact.Sale.Get()
	if ok && r.unmet() {
		return true // the email says whose customer it is
	}
	agreed := paid.Stage == affiliate.PaidLater || paid.Stage == affiliate.PaidOfAgreed && paid.Awaits == ""
	told := len(r.Rec.Refunds) > 0 || len(r.Rec.Disputes) > 0 ||
		r.Fact.Refunded.Or(affiliate.Amount{}).Sign() > 0 || r.Fact.Revoked.Or(false)
	if r.Rec.Foreign() {
		return r.Rec.ID != uuid.Nil || r.aside || told || agreed
	}
	return r.Rec.ID != uuid.Nil || r.Rec.Sale != uuid.Nil || len(paid.Tries) > 0 || r.expected ||
		r.named || r.aside || !ok && len(r.fresh) > 1 || agreed || told
}

// Save writes the payment.
func (r *Payment) Save() error {
	if !r.kept() {
		r.Rec = record.Payment{}
		return nil
	}
	if err := r.SavePayment(r.Old, &r.Rec); err != nil {
		return err
	}
	for _, key := range r.fresh {
		rec := record.PaymentKey{ID: r.NewID(), PaymentID: r.Rec.ID, Provider: r.Rec.Provider, Key: key}
		if err := r.Tx.PaymentKeys.Insert(rec); err != nil {
			return refusal.Internal("write key of a payment", err)
		}
	}
	return nil
}

// payerKept reports whether the payer is kept: not for a mere link of ids.
func (r *Payment) payerKept() bool {
	tries := len(r.Rec.Waiting) > 0 && len(r.Rec.Waiting[0].Tries) > 0 || r.payer.Rec.ReferralID != uuid.Nil
	return r.Rec.Sale != uuid.Nil || r.named || tries || r.payer.Old.ID != uuid.Nil
}

// answer returns the result of the run.
func (r *Payment) answer() (affiliate.PaymentResult, error) {
	res := &r.result
	res.Sale, res.Waits = affiliate.Null[affiliate.Sale](), r.Rec.WaitsAs()
	if r.sale.ID != uuid.Nil {
		if r.body == nil {
			var err error
			if r.body, err = r.SaleBody(r.sale); err != nil {
				return *res, err
			}
		}
		res.Sale = affiliate.Set(r.body.Sale())
		after, err := engine.CommissionEarned(&r.sale)
		if err == nil {
			res.Moved, err = after.Sub(r.before)
		}
		if err != nil {
			return *res, err
		}
	}
	var err error
	if r.Rec.ID != uuid.Nil {
		res.Payment, err = PaymentOf(r.Op, &r.Rec)
	}
	return *res, err
}

// Find finds the payments that own one of the keys, and joins them.
func (r *Payment) Find() error {
	var owners []record.Payment
	for _, key := range r.Fact.Keys {
		held, err := r.Tx.PaymentKeys.Find(record.OfProvider(record.ByPayment, r.Fact.Provider, key))
		if errors.Is(err, affiliate.ErrNotFound) {
			if !slices.Contains(r.fresh, key) {
				r.fresh = append(r.fresh, key)
			}
			continue
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(owners, func(rec record.Payment) bool { return rec.ID == held.PaymentID }) {
			continue
		}
		rec, err := r.Tx.Payments.Get(held.PaymentID)
		if err != nil {
			return refusal.Internal("payment of a key", err)
		}
		owners = append(owners, rec)
	}
	if len(owners) == 0 {
		r.Rec = record.Payment{Provider: r.Fact.Provider}
		return nil
	}
	return r.join(owners)
}
