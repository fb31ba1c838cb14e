package affiliate

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// How a payment becomes a sale.

// waiting is the payment as it is kept until somebody is credited.
func (paid *Paid) waiting() WaitingSale {
	product, _ := paid.Product.Get()
	return WaitingSale{
		TotalEarned: paid.TotalEarned, Subtotal: unlessNull(paid.Subtotal), Tax: paid.Tax, Shipping: paid.Shipping,
		ExternalID: paid.ExternalID, InvoiceID: paid.ExternalInvoiceID, Rate: unlessNull(paid.CommissionRate),
		ProductID: product.ProductID, ProductName: product.Name, Trigger: paid.PaymentTrigger,
		Free: paid.Free, Renewal: paid.Renewal, Nothing: paid.Stage == PaidNothing, Payment: paid.Payment, Tries: slices.Clone(paid.Tries),
	}
}

// pay makes a sale that was agreed one of what was paid of it. Tax and shipping are as
// large a part of that.
func (w *WaitingSale) pay(total Amount, c Currency) (err error) {
	if total == w.TotalEarned {
		return nil
	}
	for _, part := range []*Amount{&w.Tax, &w.Shipping} {
		if err == nil && total.Cmp(w.TotalEarned) < 0 {
			*part, err = part.Portion(total, w.TotalEarned, c)
		}
	}
	if err != nil {
		return err
	}
	if rest := total.Scaled() - w.Tax.Scaled(); w.Shipping.Scaled() > rest {
		w.Shipping = AmountFromScaled(rest) // both were rounded up
	}
	w.TotalEarned = total
	if basket, ok := w.Subtotal.Get(); ok && basket.Scaled() < total.Scaled()-w.Tax.Scaled()-w.Shipping.Scaled() {
		w.Subtotal = Opt[Amount]{}
	}
	return nil
}

// sale is the input of RecordSale, without whom to credit.
func (w *WaitingSale) sale() NewSale {
	in := NewSale{
		TotalEarned: w.TotalEarned, Subtotal: w.Subtotal, Tax: w.Tax, Shipping: w.Shipping,
		ExternalID: w.ExternalID, ExternalInvoiceID: w.InvoiceID, CommissionRate: w.Rate,
		PaymentTrigger: w.Trigger, Free: w.Free,
	}
	if w.ProductID != "" || w.ProductName != "" {
		in.Product = Set(Product{ProductID: w.ProductID, Name: w.ProductName})
	}
	return in
}

// paid is when the customer paid: as the provider says, else when it told so; not
// after now, and at most 30 days before.
func (o *op) paid(at, told time.Time) Instant {
	if at.IsZero() {
		at = told
	}
	when := InstantOf(at)
	switch earliest := o.now.Add(-paidAtMost); {
	case when.After(o.now):
		return o.now
	case when.Before(earliest):
		return earliest
	}
	return when
}

// An attempt is one of those who may be credited.
type attempt struct {
	Credit
	customer bool // the payer's own customer
}

// tryWaiting makes the sale of a waiting payment for the first attempt that
// resolves, and sets the outcome.
func (r *payment) tryWaiting() error {
	if r.rec.Decided == string(PaymentDismissed) {
		r.result.Outcome = SaleUnattributed
		return nil
	}
	waiting := r.rec.Waiting[0]
	earlier, err := r.earlierRecord(waiting.ExternalID, waiting.InvoiceID)
	if err != nil {
		return err
	}
	ref, err := r.customerOf(&r.payer.rec, r.fact.Payer)
	if err != nil {
		return err
	}
	if waiting.Nothing {
		return r.refer(&waiting, &ref)
	}
	if earlier.ID != uuid.Nil {
		if done, err := r.takeEarlier(&waiting, &earlier, &ref); err != nil || done {
			return err
		}
	}
	r.op.paidAt, r.op.nth = waiting.PaidAt, waiting.Payment
	r.result.Outcome = SaleUnattributed
	for _, a := range waiting.attempts(ref.ID != uuid.Nil) {
		outcome, err := r.attempt(&waiting, &ref, a)
		if err != nil {
			return err
		}
		if outcome == SaleUnattributed {
			continue
		}
		r.result.Outcome = outcome
		return nil
	}
	if len(r.result.Refused) > 0 {
		r.result.Outcome = SaleRefused
	}
	return nil
}

// leave notes why a payment that brought money has no sale, when somebody may be owed: it
// names whom to credit and credits nobody, or nothing says whom. What is refunded in full
// owes nobody anything.
func (r *payment) leave() error {
	lost, err := r.rec.lost()
	if err != nil {
		return err
	}
	outcome := r.result.Outcome
	named := r.named || len(r.rec.Waiting) > 0 && len(r.rec.Waiting[0].Tries) > 0
	switch {
	case r.rec.Sale != uuid.Nil || r.rec.Conflict != uuid.Nil || r.rec.Decided == string(PaymentDismissed) || r.rec.Gross.Or(Amount{}).Cmp(lost) <= 0:
		r.rec.Left = ""
	case r.rec.foreign():
		r.rec.Left = string(SaleOtherCurrency)
	case len(r.rec.Waiting) == 0:
		r.rec.Left = string(SaleParked)
	case outcome == SaleRefused || outcome == SaleUnattributed && named:
		r.rec.Left = string(outcome)
	case outcome != SaleParked:
		r.rec.Left = ""
	}
	return nil
}

// attempts are those who may be credited, in order. A renewal redeems no code,
// and its customer comes first.
func (w *WaitingSale) attempts(known bool) []attempt {
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

// attempt records the sale for one attempt. [SaleUnattributed] means that the
// next one is tried.
func (r *payment) attempt(w *WaitingSale, ref *ReferralRecord, a attempt) (SaleOutcome, error) {
	in := w.sale()
	in.Integration = integrationOf(r.rec.Provider)
	in.Email = cmp.Or(r.fact.Payer.Email, r.payer.rec.Email)
	in.Name = cmp.Or(r.fact.Payer.Name, r.payer.rec.Name)
	if ref.ID == uuid.Nil && in.Name == "" {
		in.Name, _, _ = strings.Cut(in.Email, "@")
	}
	var d decision
	d.customer = customer{known: ref.ID != uuid.Nil || in.Email != "", email: cmp.Or(in.Email, ref.Email), referral: *ref}
	if ref.ID == uuid.Nil {
		d.customer.referral.CustomerID = r.fact.Payer.CustomerID
		gone, err := r.erasure(in.Email)
		if ignoreMissing(err) != nil {
			return "", err
		}
		d.customer.gone = gone.ID
	}
	named, err := r.name(&in, &d, a)
	if err != nil || !named {
		return SaleUnattributed, err
	}
	if in.PromoCode == "" && ref.ID == uuid.Nil && in.Email == "" {
		return SaleUnattributed, nil // a click without a customer
	}
	outcome, err := r.decideFor(&in, &d)
	if refusal, ok := errors.AsType[*Error](err); ok && refusal.CodeRefused() {
		r.result.Refused = append(r.result.Refused, refusal.Failures...)
		return SaleUnattributed, nil
	}
	if err != nil || outcome != SaleRecorded {
		return outcome, err
	}
	if r.body, err = r.book(&in, &d); err != nil {
		return "", err
	}
	r.sale = r.body.rec.Clone()
	r.rec.Sale, r.rec.Waiting = r.sale.ID, nil
	return SaleRecorded, nil
}

// name puts whom the attempt names into the input and the decision, and reports
// whether there is somebody.
func (r *payment) name(in *NewSale, d *decision, a attempt) (bool, error) {
	switch {
	case a.customer:
		return true, nil
	case a.ReferralID != "":
		var err error
		d.origin, err = r.resolveFresh(a.ReferralID)
		return err == nil, ignoreMissing(err)
	case a.CodeExternalID != "":
		code, err := findText(r.tx.Codes, ByExternalID, a.CodeExternalID)
		in.PromoCode = code.Code
		return err == nil && code.AffiliateID != uuid.Nil, ignoreMissing(err)
	}
	code, err := r.codeByText(a.PromoCode)
	in.PromoCode = code.Code
	return err == nil && code.AffiliateID != uuid.Nil, ignoreMissing(err)
}

// ignoreMissing is nil for a look-up that found nothing.
func ignoreMissing(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
