package payment

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Payments that name an existing sale.

// takeEarlier decides about a waiting payment that names a sale; done means that nothing
// else is to do. The payment takes the sale when the payer or the customer is the same,
// the amounts agree, and no other payment has brought it. A later payment of a
// subscription, which repeats the texts of the first one, is a sale of its own, and so
// is a payment about which a person said so.
func (r *Payment) takeEarlier(w *affiliate.WaitingSale, sale *record.Sale,
	ref *record.Referral) (done bool, err error) {
	owner, err := r.Tx.Payments.Find(record.Key{Index: record.BySale, ID: sale.ID})
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return true, err
	}
	named, err := r.isOwn(sale.ExternalID)
	if err == nil && !named {
		named, err = r.isOwn(sale.InvoiceID)
	}
	if err != nil {
		return true, err
	}
	if owned := owner.ID != uuid.Nil; r.Rec.Decided == string(affiliate.PaymentIsOwnSale) || owned && w.Renewal && !named {
		return r.rename(w)
	}
	known := (named || r.isPayerOf(&owner, sale, ref)) && (owner.ID == uuid.Nil || owner.Counted == r.Rec.Counted)
	paid := !named && !owner.Gross.IsZero() // another payment brought it, and a refund of one is not a refund of the other
	same := w.Currency == "" && len(sale.Charged) == 0 || r.CurrencyOf(sale) == w.Currency
	if known && !paid && same && agrees(w, engine.AsCharged(sale), inSale(&r.Rec, w), named) {
		r.result.Outcome, r.Rec.Conflict = affiliate.SaleDuplicate, uuid.Nil
		return true, r.adopt(*sale)
	}
	r.named = true
	if !known && ref.ID == uuid.Nil && r.payer.Rec.PayerID != "" && r.payer.Rec.Email == "" {
		r.result.Outcome = affiliate.SaleUnattributed // who the payer is can be told later
		return true, nil
	}
	r.result.Outcome, r.Rec.Conflict = affiliate.SaleConflict, sale.ID
	return true, nil
}

// rename replaces the external id of a payment that names another sale by the provider's
// id of the payment.
func (r *Payment) rename(w *affiliate.WaitingSale) (done bool, err error) {
	key, err := r.key()
	if err != nil {
		return true, err
	}
	w.ExternalID, w.InvoiceID = key, ""
	earlier, err := r.EarlierRecord(key, "")
	if err != nil {
		return true, err
	}
	if earlier.ID != uuid.Nil {
		r.named = true
		r.result.Outcome, r.Rec.Conflict = affiliate.SaleConflict, earlier.ID
		return true, nil
	}
	r.Rec.Conflict = uuid.Nil
	return false, nil
}

// key returns an id of the payment by its provider.
func (r *Payment) key() (key string, err error) {
	if len(r.Fact.Keys) > 0 {
		return r.Fact.Keys[0], nil
	}
	err = engine.Each(r.Tx.PaymentKeys, record.Key{Index: record.OfPayment, ID: r.Rec.ID}, func(held record.PaymentKey) error {
		key = cmp.Or(key, held.Key)
		return nil
	})
	if err != nil {
		return "", refusal.Internal("read keys of a payment", err)
	}
	return key, nil
}

// isOwn reports whether a name is the provider's own id of the payment, which only the
// provider assigns.
func (r *Payment) isOwn(name string) (bool, error) {
	if name == "" || slices.Contains(r.Fact.Keys, name) {
		return name != "", nil
	}
	held, err := r.Tx.PaymentKeys.Find(record.OfProvider(record.ByPayment, r.Rec.Provider, name))
	if err != nil {
		return false, engine.IgnoreMissing(err)
	}
	return r.Rec.ID != uuid.Nil && held.PaymentID == r.Rec.ID, nil
}

// isPayerOf reports whether a sale was made for the payer, or for the payer's customer.
func (r *Payment) isPayerOf(owner *record.Payment, sale *record.Sale, ref *record.Referral) bool {
	payer := cmp.Or(r.Rec.PayerID, r.Fact.Payer.ID)
	return ref.ID != uuid.Nil && ref.ID == sale.ReferralID ||
		payer != "" && payer == owner.PayerID && r.Rec.Provider == owner.Provider
}

// inSale returns what was paid, in the currency of the sale.
func inSale(r *record.Payment, w *affiliate.WaitingSale) affiliate.Amount {
	if r.Counted != w.Currency {
		return w.TotalEarned
	}
	return r.Gross.Or(affiliate.Amount{})
}

// agrees reports whether a payment can be that of a sale: the sale has the paid amount,
// or the paid amount without tax and shipping. A sale that has the provider's own id of
// the payment may have less.
func agrees(w *affiliate.WaitingSale, sale *record.Sale, gross affiliate.Amount, named bool) bool {
	if sale.TotalEarned.Cmp(gross) > 0 {
		return false
	}
	net, err := w.TotalEarned.Sub(w.Tax)
	if err == nil {
		net, err = net.Sub(w.Shipping)
	}
	return named || err == nil && sale.TotalEarned.Cmp(net) >= 0
}
