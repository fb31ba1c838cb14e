package affiliate

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// When a payment names a sale that is there.

// takeEarlier decides about a waiting payment that names a sale, and reports whether
// that is all. The sale is taken when the payer or the customer is the same, the amounts
// agree, and no other payment has brought it. A later payment of a subscription, which
// carries what the first one carried, is a sale of its own, and so is what a person said
// to be one.
func (r *payment) takeEarlier(w *WaitingSale, sale *SaleRecord, ref *ReferralRecord) (done bool, err error) {
	owner, err := r.tx.Payments.Find(Key{Index: BySale, ID: sale.ID})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return true, err
	}
	named, err := r.isOwn(sale.ExternalID)
	if err == nil && !named {
		named, err = r.isOwn(sale.InvoiceID)
	}
	if err != nil {
		return true, err
	}
	if owned := owner.ID != uuid.Nil; r.rec.Decided == string(PaymentIsOwnSale) || owned && w.Renewal && !named {
		return r.rename(w)
	}
	known := (named || r.isPayerOf(&owner, sale, ref)) && (owner.ID == uuid.Nil || owner.Counted == r.rec.Counted)
	paid := !named && !owner.Gross.IsZero() // by another payment: the refund of one of them is none of the other
	if known && !paid && w.agrees(sale, r.rec.inProgram(w), named) {
		r.result.Outcome, r.rec.Conflict = SaleDuplicate, uuid.Nil
		return true, r.adopt(*sale)
	}
	r.named = true
	if !known && ref.ID == uuid.Nil && r.payer.rec.PayerID != "" && r.payer.rec.Email == "" {
		r.result.Outcome = SaleUnattributed // who the payer is can be told later
		return true, nil
	}
	r.result.Outcome, r.rec.Conflict = SaleConflict, sale.ID
	return true, nil
}

// rename gives a payment that names another sale the name that its provider gave it.
func (r *payment) rename(w *WaitingSale) (done bool, err error) {
	key := ""
	if len(r.fact.Keys) > 0 {
		key = r.fact.Keys[0]
	}
	if err := each(r.tx.PaymentKeys, Key{Index: OfPayment, ID: r.rec.ID}, func(held PaymentKeyRecord) error {
		key = cmp.Or(key, held.Key)
		return nil
	}); err != nil {
		return true, internal("read keys of a payment", err)
	}
	w.ExternalID, w.InvoiceID = key, ""
	earlier, err := r.earlierRecord(key, "")
	if err != nil {
		return true, err
	}
	if earlier.ID != uuid.Nil {
		r.named = true
		r.result.Outcome, r.rec.Conflict = SaleConflict, earlier.ID
		return true, nil
	}
	r.rec.Conflict = uuid.Nil
	return false, nil
}

// isOwn reports whether a name is the provider's own id of the payment: nobody but
// the provider gives those.
func (r *payment) isOwn(name string) (bool, error) {
	if name == "" || slices.Contains(r.fact.Keys, name) {
		return name != "", nil
	}
	held, err := r.tx.PaymentKeys.Find(ofProvider(ByPayment, r.rec.Provider, name))
	if err != nil {
		return false, ignoreMissing(err)
	}
	return r.rec.ID != uuid.Nil && held.PaymentID == r.rec.ID, nil
}

// isPayerOf reports whether a sale was made for the payer, or for the payer's customer.
func (r *payment) isPayerOf(owner *PaymentRecord, sale *SaleRecord, ref *ReferralRecord) bool {
	payer := cmp.Or(r.rec.PayerID, r.fact.Payer.ID)
	return ref.ID != uuid.Nil && ref.ID == sale.ReferralID ||
		payer != "" && payer == owner.PayerID && r.rec.Provider == owner.Provider
}

// inProgram is what was paid, in the program's currency.
func (r *PaymentRecord) inProgram(w *WaitingSale) Amount {
	if r.Counted != "" {
		return w.TotalEarned
	}
	return r.Gross.Or(Amount{})
}

// agrees reports whether a payment can be the one of a sale: the sale is of what was
// paid, or of that without tax and shipping. A sale that has the provider's own id of
// the payment may be of less.
func (w *WaitingSale) agrees(sale *SaleRecord, gross Amount, named bool) bool {
	if sale.TotalEarned.Cmp(gross) > 0 {
		return false
	}
	net, err := w.TotalEarned.Sub(w.Tax)
	if err == nil {
		net, err = net.Sub(w.Shipping)
	}
	return named || err == nil && sale.TotalEarned.Cmp(net) >= 0
}
