package payment

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Payments become sales.

// WaitingOf returns the payment as it is kept until somebody is credited.
func WaitingOf(paid *affiliate.Paid) affiliate.WaitingSale {
	product, _ := paid.Product.Get()
	return affiliate.WaitingSale{
		TotalEarned: paid.TotalEarned, Subtotal: refusal.UnlessNull(paid.Subtotal), Tax: paid.Tax,
		Shipping: paid.Shipping, ExternalID: paid.ExternalID, InvoiceID: paid.ExternalInvoiceID,
		Rate: refusal.UnlessNull(paid.CommissionRate), ProductID: product.ProductID,
		ProductName: product.Name, Lines: engine.StoredLines(paid.Lines),
		Trigger: paid.PaymentTrigger, Free: paid.Free, Renewal: paid.Renewal,
		Nothing: paid.Stage == affiliate.PaidNothing, Untold: paid.Stage == affiliate.PaidUntold,
		Payment: paid.Payment, Awaits: paid.Awaits, Tries: slices.Clone(paid.Tries),
	}
}

// pay reduces a sale that was agreed to what was paid of it, with tax and shipping in the
// same proportion.
func pay(w *affiliate.WaitingSale, total affiliate.Amount, c affiliate.Currency) (err error) {
	if total == w.TotalEarned {
		return nil
	}
	for _, part := range []*affiliate.Amount{&w.Tax, &w.Shipping} {
		if err == nil && total.Cmp(w.TotalEarned) < 0 {
			*part, err = part.Portion(total, w.TotalEarned, c)
		}
	}
	if err != nil {
		return err
	}
	if rest := total.Scaled() - w.Tax.Scaled(); w.Shipping.Scaled() > rest {
		w.Shipping = affiliate.AmountFromScaled(rest) // both were rounded up
	}
	w.TotalEarned = total
	if basket, ok := w.Subtotal.Get(); ok && len(w.Lines) == 0 && basket.Scaled() < total.Scaled()-w.Tax.Scaled()-w.Shipping.Scaled() {
		w.Subtotal = affiliate.Opt[affiliate.Amount]{}
	}
	return nil
}

// SaleOf returns the input of RecordSale, without whom to credit.
func SaleOf(w *affiliate.WaitingSale) affiliate.SaleParams {
	in := affiliate.SaleParams{
		TotalEarned: w.TotalEarned, Subtotal: w.Subtotal, Tax: w.Tax, Shipping: w.Shipping,
		ExternalID: w.ExternalID, ExternalInvoiceID: w.InvoiceID, CommissionRate: w.Rate,
		PaymentTrigger: w.Trigger, Free: w.Free, Lines: engine.NewLines(w.Lines),
	}
	if w.ProductID != "" || w.ProductName != "" {
		in.Product = affiliate.Set(affiliate.Product{ProductID: w.ProductID, Name: w.ProductName})
	}
	return in
}

// paidAt returns when the customer paid: as the provider says, else when it told the fact; not
// after now, by which its clock is ahead at most.
func paidAt(o *engine.Op, at, told time.Time) affiliate.Instant {
	if at.IsZero() {
		at = told
	}
	if when := affiliate.InstantOf(at); when.Before(o.Now) {
		return when
	}
	return o.Now
}

// An attempt is one affiliate or customer who may be credited.
type attempt struct {
	affiliate.Credit
	customer bool // the payer's own customer
	house    bool // the code has no affiliate
}

// tryWaiting creates the sale of a waiting payment for the first attempt that works, and
// sets the outcome.
func (r *Payment) tryWaiting() error {
	if r.Rec.Decided == string(affiliate.PaymentDismissed) {
		r.result.Outcome = affiliate.SaleUnattributed
		return nil
	}
	waiting := r.Rec.Waiting[0]
	if r.Rec.Sale != uuid.Nil {
		if !r.early(&waiting) && !r.unmet() {
			r.Rec.Waiting = nil
		}
		return nil
	}
	if waiting.Nothing {
		return r.tryTrial(&waiting)
	}
	earlier, err := r.EarlierRecord(waiting.ExternalID, waiting.InvoiceID)
	if err != nil {
		return err
	}
	who, err := customerOf(r.Op, &r.payer.Rec, r.Fact.Payer)
	if err != nil {
		return err
	}
	ref := &who.Referral
	if earlier.ID != uuid.Nil && waiting.Currency != "" && r.CurrencyOf(&earlier) != waiting.Currency {
		r.result.Outcome = affiliate.SaleDuplicate // the host recorded it, converted, and follows it
		return nil
	}
	if earlier.ID != uuid.Nil {
		if done, err := r.takeEarlier(&waiting, &earlier, ref); err != nil || done {
			return err
		}
	}
	if waiting.Currency != "" && r.Rec.Rate.IsZero() {
		r.putAside(&waiting, ref)
		return nil
	}
	r.Op.PaidAt, r.Op.Nth = waiting.PaidAt, waiting.Payment
	r.Op.Payer = engine.PayerOf(r.Rec.Provider, cmp.Or(r.Rec.PayerID, r.payer.Rec.PayerID))
	r.result.Outcome = affiliate.SaleUnattributed
	alone, err := r.ForgetAlone(aloneID(&waiting))
	if err != nil {
		return err
	}
	if err := r.tryEach(&waiting, &who, alone.ID != uuid.Nil); err != nil || alone.ID == uuid.Nil || r.result.Outcome == affiliate.SaleRecorded {
		return err
	}
	return r.recall(&waiting, alone.ID)
}

// tryTrial makes the customer of a payment of nothing, with which a trial begins, and redeems its code, once.
func (r *Payment) tryTrial(waiting *affiliate.WaitingSale) error {
	r.result.Outcome = affiliate.SaleUnattributed
	if r.Rec.ID == uuid.Nil {
		r.Rec.ID = r.NewID()
	}
	_, err := r.Tx.Redemptions.Get(r.Rec.ID)
	if err == nil {
		r.result.Outcome = affiliate.SaleReferred
	}
	if !errors.Is(err, affiliate.ErrNotFound) {
		return err
	}
	who, err := customerOf(r.Op, &r.payer.Rec, r.Fact.Payer)
	if err != nil {
		return err
	}
	r.Op.PaidAt, r.Op.Payer = waiting.PaidAt, engine.PayerOf(r.Rec.Provider, cmp.Or(r.Rec.PayerID, r.payer.Rec.PayerID))
	if r.Op.Payer == "" && who.Referral.ID == uuid.Nil && r.Fact.Payer.Email == "" {
		r.result.Outcome = affiliate.SaleParked // a guest, until somebody tells the email
		return nil
	}
	return r.tryEach(waiting, &who, false)
}

// enroll ends an attempt of a trial.
func (r *Payment) enroll(in *affiliate.SaleParams, d *engine.Decision) (affiliate.SaleOutcome, error) {
	known := d.Customer.Referral.ID != uuid.Nil
	key, err := r.key()
	if err != nil {
		return "", err
	}
	ref, err := r.Enroll(record.Redemption{ID: r.Rec.ID, ExternalID: r.Rec.Provider + ":" + key}, in, d)
	if err != nil {
		return "", err
	}
	if !r.unmet() || ref.Email != "" {
		r.Rec.Waiting = nil
	}
	if known && !proves(r.Fact.Payer, &ref) {
		r.payer.seems(ref.ID)
		return affiliate.SaleReferred, nil
	}
	return affiliate.SaleReferred, r.payer.Pays(r.Op, ref.ID)
}

// tryEach makes the attempts of a payment, until one works. alone: the payment has redeemed its code already.
func (r *Payment) tryEach(waiting *affiliate.WaitingSale, who *engine.Customer, alone bool) error {
	made := who.Referral.ID == uuid.Nil && r.payer.Rec.PayerID != "" // by the sale, if there will be one
	if made {
		r.payer.Rec.Early = waiting.Renewal
	}
	all := attempts(waiting, who.Referral.ID != uuid.Nil)
	if r.chosen && all[0].customer { // a person comes before the customer of a renewal
		all[0], all[1] = all[1], all[0]
	}
	for _, a := range all {
		outcome, err := r.attempt(waiting, who, a, alone)
		if err != nil {
			return err
		}
		if outcome == affiliate.SaleUnattributed {
			continue
		}
		r.result.Outcome = outcome
		return nil
	}
	r.payer.Rec.Early = r.payer.Rec.Early && !made
	switch {
	case len(r.result.Refused) > 0:
		r.result.Outcome = affiliate.SaleRefused
	case r.nobody:
		r.result.Outcome = affiliate.SaleNoCustomer
	case who.Referral.ID == uuid.Nil && waiting.Renewal && len(waiting.Tries) > 0 &&
		!slices.ContainsFunc(waiting.Tries, byVisit):
		if r.result.Outcome = affiliate.SaleNoFirst; r.payer.Rec.PayerID == "" && r.Fact.Payer.Email == "" {
			r.result.Outcome = affiliate.SaleNoCustomer
		}
	}
	return nil
}

func byVisit(c affiliate.Credit) bool { return c.ReferralID != "" }

// leave records why a payment that brought money has no sale, when an affiliate may have
// earned a commission: it names whom to credit and credits nobody, or says nothing about
// whom. A payment that was refunded in full has earned nothing.
func (r *Payment) leave() error {
	lost, err := engine.LostOf(&r.Rec)
	if err != nil {
		return err
	}
	outcome := r.result.Outcome
	named := r.named || len(r.Rec.Waiting) > 0 && len(r.Rec.Waiting[0].Tries) > 0
	switch {
	case r.sale.ID != uuid.Nil: // SettlePayment said why it may be wrong
	case r.Rec.Untold() && r.Rec.Decided != string(affiliate.PaymentDismissed):
		r.Rec.Left = string(untold(&r.Rec.Waiting[0]))
	case r.Rec.Sale != uuid.Nil || r.Rec.Conflict != uuid.Nil ||
		r.Rec.Decided == string(affiliate.PaymentDismissed) ||
		r.Rec.Gross.Or(affiliate.Amount{}).Cmp(lost) <= 0:
		r.Rec.Left = ""
	case outcome == affiliate.SaleDuplicate:
		r.Rec.Left = ""
	case r.Rec.Foreign():
		r.Rec.Left = string(affiliate.SaleOtherCurrency)
	case len(r.Rec.Waiting) == 0:
		r.Rec.Left = string(affiliate.SaleParked)
	case outcome == affiliate.SaleRefused || outcome == affiliate.SaleNoCustomer ||
		outcome == affiliate.SaleNoFirst || outcome == affiliate.SaleUnattributed && named:
		r.Rec.Left = string(outcome)
	case outcome != affiliate.SaleParked:
		r.Rec.Left = ""
	}
	return nil
}

// untold returns why a payment waits whose amount is not known.
func untold(w *affiliate.WaitingSale) affiliate.SaleOutcome {
	if w.Awaits == "" {
		return affiliate.SaleUnknownUnit
	}
	return affiliate.SaleParked
}

// attempts lists who may be credited, in order. A renewal redeems no code, and its
// customer comes first.
func attempts(w *affiliate.WaitingSale, known bool) []attempt {
	all := make([]attempt, 0, len(w.Tries)+1)
	if known && w.Renewal {
		all = append(all, attempt{customer: true})
	}
	for _, try := range w.Tries {
		if w.Renewal && try.ReferralID == "" {
			continue
		}
		all = append(all, attempt{Credit: try})
	}
	if known && !w.Renewal {
		all = append(all, attempt{customer: true})
	}
	return all
}

// attempt records the sale for one attempt. [affiliate.SaleUnattributed] means that the
// next one is tried.
func (r *Payment) attempt(w *affiliate.WaitingSale, who *engine.Customer, a attempt,
	alone bool) (affiliate.SaleOutcome, error) {
	ref := &who.Referral
	in := SaleOf(w)
	if in.Currency = w.Currency; w.Currency != "" {
		in.ExchangeRate = r.Rec.Rate
	}
	in.Integration = integrationOf(r.Rec.Provider)
	if w.PaidAt != r.Now {
		in.PaidAt = w.PaidAt.Time() // its terms, and the months of its customer, are of that moment
	}
	in.Email = cmp.Or(r.Fact.Payer.Email, r.payer.Rec.Email)
	in.Name = cmp.Or(r.Fact.Payer.Name, r.payer.Rec.Name)
	if ref.ID == uuid.Nil && in.Name == "" {
		in.Name, _, _ = strings.Cut(in.Email, "@")
	}
	d := engine.Decision{Priced: true}
	d.Customer = engine.Customer{Known: ref.ID != uuid.Nil || in.Email != "",
		Email: cmp.Or(in.Email, ref.Email), Referral: *ref, ByEmail: who.ByEmail}
	if ref.ID == uuid.Nil {
		d.Customer.HostID = r.Fact.Payer.CustomerID
		gone, err := r.Erasure(in.Email)
		if engine.IgnoreMissing(err) != nil {
			return "", err
		}
		d.Customer.Gone = gone.ID
	}
	named, err := r.name(&in, &d, &a)
	if err != nil || !named {
		return affiliate.SaleUnattributed, err
	}
	if in.PromoCode == "" && ref.ID == uuid.Nil && in.Email == "" && r.Op.Payer == "" {
		r.nobody = r.Rec.PayerID == ""
		return affiliate.SaleUnattributed, nil // a click without a customer
	}
	if r.Op.Payer != "" && !a.customer && !in.Offer {
		doubt, err := r.Doubtful(&d.Customer, &in)
		if err != nil {
			return "", err
		}
		if doubt { // whoever names an affiliate is somebody of their own, by the provider's id
			d.Customer.StandApart()
			d.Customer.HostID = r.Fact.Payer.CustomerID
		}
	}
	if a.house || in.Offer || in.PromoCode != "" && r.Cfg.Attribution.Code == affiliate.CodeUnbrought {
		if err := r.broughtBy(w, &d); err != nil {
			return "", err
		}
	}
	outcome, err := r.DecideFor(&in, &d)
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok && refusal.CodeRefused() {
		r.result.Refused = append(r.result.Refused, refusal.Failures...)
		return affiliate.SaleUnattributed, nil
	}
	if id := aloneID(w); err == nil && outcome == affiliate.SaleUnattributed && a.house && id != "" {
		if alone {
			return affiliate.SaleRedeemed, nil
		}
		in.ExternalID = id
		return affiliate.SaleRedeemed, r.RedeemAlone(r.ownAlone(w), &in, &d)
	}
	if err != nil || outcome != affiliate.SaleRecorded {
		return outcome, err
	}
	if w.Nothing {
		return r.enroll(&in, &d)
	}
	if r.body, err = r.Book(&in, &d); err != nil {
		return "", err
	}
	r.sale = r.body.Rec.Clone()
	if r.Rec.Sale = r.sale.ID; !r.early(w) && (!r.unmet() || d.Customer.Referral.Email != "") {
		r.Rec.Waiting = nil
	}
	return affiliate.SaleRecorded, nil
}

// broughtBy finds who brought the customer of a payment with a code, where that comes before
// the code: the first of the tries that leads to an affiliate by itself.
func (r *Payment) broughtBy(w *affiliate.WaitingSale, d *engine.Decision) error {
	for _, try := range w.Tries {
		if try.ReferralID == "" || d.Origin.Affiliate.ID != uuid.Nil {
			continue
		}
		from, err := r.ResolveFresh(try.ReferralID)
		if engine.IgnoreMissing(err) != nil {
			return err
		}
		if err == nil {
			d.Origin = from
		}
	}
	return nil
}

// name copies what the attempt names into the input and the decision, and reports whether
// it names anybody.
func (r *Payment) name(in *affiliate.SaleParams, d *engine.Decision, a *attempt) (bool, error) {
	var code record.Code
	var err error
	switch {
	case a.customer:
		return true, nil
	case a.Offer:
		in.Offer = true
		return true, nil
	case a.ReferralID != "":
		d.Origin, err = r.ResolveFresh(a.ReferralID)
		return err == nil, engine.IgnoreMissing(err)
	case a.CodeExternalID != "":
		code, err = refusal.FindText(r.Tx.Codes, record.ByExternalID, a.CodeExternalID)
	case a.HoldID != "":
		in.HoldID = a.HoldID
		code, err = r.WithHold(in, d)
		if refusal, refused := errors.AsType[*affiliate.Error](err); refused && refusal.Kind != affiliate.KindInternal {
			return false, nil // there is no such hold any more
		}
	default:
		code, err = r.CodeByText(a.PromoCode)
	}
	in.PromoCode = code.Code
	a.house = err == nil && !in.Offer && code.AffiliateID == uuid.Nil && r.Cfg.HouseCodes
	return err == nil && (in.Offer || a.house || code.AffiliateID != uuid.Nil), engine.IgnoreMissing(err)
}
