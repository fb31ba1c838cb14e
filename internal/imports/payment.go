package imports

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payment"
	"github.com/tributary-go/tributary/internal/refusal"
)

// maxProviderIDs is the largest number of provider ids in a row.
const maxProviderIDs = payment.MaxKeys

// checkProviderIDs checks a list of ids.
func checkProviderIDs(field string, ids []affiliate.ProviderID) *affiliate.Error {
	if len(ids) > maxProviderIDs {
		return refusal.FieldTooLarge.Of(field)
	}
	for _, id := range ids {
		if err := refusal.First(payment.CheckProvider(id.Provider), payment.NeededText(field, id.ID)); err != nil {
			refused, _ := errors.AsType[*affiliate.Error](err)
			return about(field, refused)
		}
	}
	return nil
}

// checkKeys checks the ids of the payment, which is one provider's.
func checkKeys(r *imported.Sale) *affiliate.Error {
	if err := checkProviderIDs("keys", r.Keys); err != nil {
		return err
	}
	for _, key := range r.Keys {
		if key.Provider != r.Keys[0].Provider {
			return about("keys", refusal.FieldNotAProvider.Of(""))
		}
	}
	return refusal.FieldNotAllowed.About("keys").When(bonus(r) && len(r.Keys) > 0)
}

// importedRefund is the id of the refund that stands for everything refunded
// before the import. It is a fact of the payment, so it is not counted again when
// the provider reports the sum of refunds.
const importedRefund = "imported"

// saleOfKeys returns the sale of the payment that has one of the ids.
func (im *importing) saleOfKeys(keys []affiliate.ProviderID) (sale record.Sale, err error) {
	for _, key := range keys {
		held, err := im.Tx.PaymentKeys.Find(record.OfProvider(record.ByPayment, key.Provider, key.ID))
		if errors.Is(err, affiliate.ErrNotFound) {
			continue
		}
		if err != nil {
			return sale, refusal.Internal("look up payment", err)
		}
		pay, err := im.Tx.Payments.Get(held.PaymentID)
		if err != nil {
			return sale, refusal.Internal("payment of a key", err)
		}
		if pay.Sale == uuid.Nil || pay.Sale == sale.ID {
			continue
		}
		other, err := im.Tx.Sales.Get(pay.Sale)
		switch {
		case errors.Is(err, affiliate.ErrNotFound): // a person deleted it: it is not made anew
			return sale, refusal.UnknownRef.Of("keys")
		case err != nil:
			return sale, refusal.Internal("sale of a payment", err)
		case sale.ID != uuid.Nil:
			return sale, payment.ConflictOf(&sale, &other)
		}
		sale = other
	}
	if sale.ID == uuid.Nil {
		return sale, affiliate.ErrNotFound
	}
	return sale, nil
}

// attach gives a new sale to the payment with the row's ids. What the provider
// reported before the import is settled at the end of the batch.
func (im *importing) attach(row *imported.Sale, sale *record.Sale) error {
	if len(row.Keys) == 0 {
		return nil
	}
	r := &payment.Payment{Op: im.Op, Fact: affiliate.PaymentFact{Provider: row.Keys[0].Provider}}
	for _, key := range row.Keys {
		r.Fact.Keys = append(r.Fact.Keys, key.ID)
	}
	err := r.Find()
	if err == nil {
		r.Rec.Sale, r.Rec.Gross, r.Rec.Waiting = sale.ID, affiliate.Set(sale.TotalEarned), nil
		err = takeImported(&r.Rec, row.Refunded)
	}
	if err == nil {
		err = r.Save()
	}
	if err == nil && r.Old.ID != uuid.Nil {
		im.reported = append(im.reported, r.Rec.ID)
	}
	return err
}

// takeImported sets what was refunded at the other service.
func takeImported(r *record.Payment, refunded affiliate.Amount) error {
	for i := range r.Refunds {
		if r.Refunds[i].ID == importedRefund {
			r.Refunds[i].Amount = refunded
			return nil
		}
	}
	if refunded.IsZero() {
		return nil
	}
	return engine.AddRefund(r,
		affiliate.PaymentRefund{ID: importedRefund, Amount: refunded,
			State: affiliate.RefundSucceeded}, false, new(engine.Shift))
}

// settleReported applies to imported sales what the provider had reported about
// their payments before.
func (im *importing) settleReported() error {
	for _, id := range im.reported {
		pay, err := im.Tx.Payments.Get(id)
		if err != nil {
			return refusal.Internal("read payment", err)
		}
		sale, err := im.Tx.Sales.Get(pay.Sale)
		if err != nil {
			return refusal.Internal("sale of a payment", err)
		}
		before := pay.Clone()
		if err := im.SettlePayment(&pay, &sale, ""); err != nil {
			return err
		}
		if err := im.SavePayment(before, &pay); err != nil {
			return err
		}
	}
	return nil
}

// forwardPayment adds to the payment of an imported sale what was refunded since.
func (im *importing) forwardPayment(sale *record.Sale) error {
	pay, err := im.Tx.Payments.Find(record.Key{Index: record.BySale, ID: sale.ID})
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	if err != nil {
		return refusal.Internal("payment of a sale", err)
	}
	before := pay.Clone()
	if err := takeImported(&pay, sale.Refunded); err != nil {
		return err
	}
	return im.SavePayment(before, &pay)
}

// referralOfPayers returns the customer for whom one of the payers pays.
func (im *importing) referralOfPayers(payers []affiliate.ProviderID) (ref record.Referral, err error) {
	for _, id := range payers {
		payer, err := payment.PayerOf(im.Op, id.Provider, id.ID)
		if err != nil {
			return ref, refusal.Internal("look up payer", err)
		}
		if payer.Rec.ReferralID == uuid.Nil || payer.Rec.ReferralID == ref.ID {
			continue
		}
		if ref.ID != uuid.Nil {
			return ref, refusal.IdentifiersMismatch.Err()
		}
		if ref, err = im.Tx.Referrals.Get(payer.Rec.ReferralID); err != nil {
			return ref, refusal.Internal("referral of a payer", err)
		}
	}
	if ref.ID == uuid.Nil {
		return ref, affiliate.ErrNotFound
	}
	return ref, nil
}

// addPayers stores that the payers pay for a customer.
func (im *importing) addPayers(payers []affiliate.ProviderID, ref *record.Referral) error {
	for _, id := range payers {
		payer, err := payment.PayerOf(im.Op, id.Provider, id.ID)
		if err != nil {
			return refusal.Internal("look up payer", err)
		}
		if payer.Old.ID == uuid.Nil {
			payer.Rec.Email, payer.Rec.Name = ref.Email, ref.Name
		}
		if err := payer.Pays(im.Op, ref.ID); err != nil {
			return err
		}
		if err := payment.SavePayer(im.Op, &payer); err != nil {
			return err
		}
	}
	return nil
}
