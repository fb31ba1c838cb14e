package affiliate

import (
	"errors"

	"github.com/google/uuid"
)

// What an import says about payment providers: the ids of payments and of
// customers, by which later reports of the provider find what was imported.

// A ProviderID is an id that a payment provider gave to a payment or to a
// customer.
type ProviderID struct {
	Provider string // lower case letters and digits: stripe, paddle …
	ID       string // 1–255 characters
}

// maxProviderIDs is how many a row may have.
const maxProviderIDs = maxKeys

// checkProviderIDs checks a list of ids.
func checkProviderIDs(field string, ids []ProviderID) *Error {
	if len(ids) > maxProviderIDs {
		return FieldTooLarge.Of(field)
	}
	for _, id := range ids {
		if err := first(checkProvider(id.Provider), neededText(field, id.ID)); err != nil {
			refused, _ := errors.AsType[*Error](err)
			return about(field, refused)
		}
	}
	return nil
}

// checkKeys checks the ids of the payment, which is one provider's.
func (r *ImportedSale) checkKeys() *Error {
	if err := checkProviderIDs("keys", r.Keys); err != nil {
		return err
	}
	for _, key := range r.Keys {
		if key.Provider != r.Keys[0].Provider {
			return about("keys", fieldNotAProvider.Of(""))
		}
	}
	return fieldNotAllowed.about("keys").when(r.bonus() && len(r.Keys) > 0)
}

// importedRefund is the id of the refund that stands for what was refunded before
// the import. As a fact of the payment it counts only once when the provider
// reports the sum of refunds.
const importedRefund = "imported"

// saleOfKeys is the sale of the payment that has one of the ids.
func (im *importing) saleOfKeys(keys []ProviderID) (sale SaleRecord, err error) {
	for _, key := range keys {
		held, err := im.tx.PaymentKeys.Find(ofProvider(ByPayment, key.Provider, key.ID))
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return sale, internal("look up payment", err)
		}
		pay, err := im.tx.Payments.Get(held.PaymentID)
		if err != nil {
			return sale, internal("payment of a key", err)
		}
		if pay.Sale == uuid.Nil || pay.Sale == sale.ID {
			continue
		}
		other, err := im.tx.Sales.Get(pay.Sale)
		switch {
		case errors.Is(err, ErrNotFound): // a person deleted it: it is not made anew
			return sale, unknownRef.Of("keys")
		case err != nil:
			return sale, internal("sale of a payment", err)
		case sale.ID != uuid.Nil:
			return sale, conflictOf(&sale, &other)
		}
		sale = other
	}
	if sale.ID == uuid.Nil {
		return sale, ErrNotFound
	}
	return sale, nil
}

// attach makes a new sale the one of the payment with the ids. What the provider
// reported before the import is settled at the end of the batch.
func (im *importing) attach(row *ImportedSale, sale *SaleRecord) error {
	if len(row.Keys) == 0 {
		return nil
	}
	r := &payment{op: im.op, fact: PaymentFact{Provider: row.Keys[0].Provider}}
	for _, key := range row.Keys {
		r.fact.Keys = append(r.fact.Keys, key.ID)
	}
	err := r.find()
	if err == nil {
		r.rec.Sale, r.rec.Gross, r.rec.Waiting = sale.ID, Set(sale.TotalEarned), nil
		err = r.rec.takeImported(row.Refunded)
	}
	if err == nil {
		err = r.save()
	}
	if err == nil && r.old.ID != uuid.Nil {
		im.reported = append(im.reported, r.rec.ID)
	}
	return err
}

// takeImported sets what was refunded at the other service.
func (r *PaymentRecord) takeImported(refunded Amount) error {
	for i := range r.Refunds {
		if r.Refunds[i].ID == importedRefund {
			r.Refunds[i].Amount = refunded
			return nil
		}
	}
	if refunded.IsZero() {
		return nil
	}
	return r.addRefund(PaymentRefund{ID: importedRefund, Amount: refunded, State: RefundSucceeded}, false, new(shift))
}

// settleReported brings the sales of payments that the provider had reported
// before to what it said.
func (im *importing) settleReported() error {
	for _, id := range im.reported {
		pay, err := im.tx.Payments.Get(id)
		if err != nil {
			return internal("read payment", err)
		}
		sale, err := im.tx.Sales.Get(pay.Sale)
		if err != nil {
			return internal("sale of a payment", err)
		}
		before := pay.Clone()
		if err := im.settlePayment(&pay, &sale, ""); err != nil {
			return err
		}
		if err := im.savePayment(before, &pay); err != nil {
			return err
		}
	}
	return nil
}

// forwardPayment tells the payment of an imported sale what was refunded since.
func (im *importing) forwardPayment(sale *SaleRecord) error {
	pay, err := im.tx.Payments.Find(Key{Index: BySale, ID: sale.ID})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return internal("payment of a sale", err)
	}
	before := pay.Clone()
	if err := pay.takeImported(sale.Refunded); err != nil {
		return err
	}
	return im.savePayment(before, &pay)
}

// referralOfPayers is the customer for whom one of the payers pays.
func (im *importing) referralOfPayers(payers []ProviderID) (ref ReferralRecord, err error) {
	for _, id := range payers {
		payer, err := im.payerOf(id.Provider, id.ID)
		if err != nil {
			return ref, internal("look up payer", err)
		}
		if payer.rec.ReferralID == uuid.Nil || payer.rec.ReferralID == ref.ID {
			continue
		}
		if ref.ID != uuid.Nil {
			return ref, identifiersMismatch.Err()
		}
		if ref, err = im.tx.Referrals.Get(payer.rec.ReferralID); err != nil {
			return ref, internal("referral of a payer", err)
		}
	}
	if ref.ID == uuid.Nil {
		return ref, ErrNotFound
	}
	return ref, nil
}

// addPayers notes that the payers pay for a customer.
func (im *importing) addPayers(payers []ProviderID, ref *ReferralRecord) error {
	for _, id := range payers {
		payer, err := im.payerOf(id.Provider, id.ID)
		if err != nil {
			return internal("look up payer", err)
		}
		if payer.old.ID == uuid.Nil {
			payer.rec.Email, payer.rec.Name = ref.Email, ref.Name
		}
		if err := payer.pays(im.op, ref.ID); err != nil {
			return err
		}
		if err := im.savePayer(&payer); err != nil {
			return err
		}
	}
	return nil
}
