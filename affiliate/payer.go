package affiliate

import (
	"cmp"
	"errors"

	"github.com/google/uuid"
)

// A payerChange is a payer before and after an operation.
type payerChange struct{ old, rec PayerRecord }

// payerOf finds a payer; one that is not known is a new record.
func (o *op) payerOf(provider, id string) (payerChange, error) {
	none := payerChange{rec: PayerRecord{Provider: provider, PayerID: id}}
	if id == "" {
		return none, nil
	}
	rec, err := o.tx.Payers.Find(ofProvider(ByPayer, provider, id))
	if errors.Is(err, ErrNotFound) {
		return none, nil
	}
	return payerChange{rec, rec.Clone()}, err
}

// proves reports whether more than a typed email says that a payer is a customer: the
// host's id of the customer, or the provider's id of the payer.
func (f PayerFact) proves(ref *ReferralRecord) bool {
	return ref.CustomerID != "" && (ref.CustomerID == f.CustomerID || ref.CustomerID == f.ID)
}

// customerOf finds the referral of a payer; the zero record: none.
func (o *op) customerOf(rec *PayerRecord, f PayerFact) (ref ReferralRecord, err error) {
	if rec.ReferralID != uuid.Nil && (!rec.ByEmail || f.CustomerID == "") {
		if ref, err = o.tx.Referrals.Get(rec.ReferralID); err != nil {
			return ref, internal("referral of a payer", err)
		}
		return ref, nil
	}
	if f.CustomerID != "" {
		ref, err = head(o.tx.Referrals, Query{Key: textKey(OfCustomer, f.CustomerID)})
		if !errors.Is(err, ErrNotFound) {
			return ref, err
		}
	}
	c, err := o.customerByEmail(cmp.Or(f.Email, rec.Email))
	return c.referral, err
}

// savePayer writes a payer that has changed.
func (o *op) savePayer(c *payerChange) error {
	if c.rec.PayerID == "" || same(c.old, c.rec) {
		return nil
	}
	if err := o.hidePayer(&c.rec); err != nil {
		return err
	}
	if same(c.old, c.rec) {
		return nil
	}
	c.rec.UpdatedAt = later(o.now, c.rec.UpdatedAt)
	if c.old.ID == uuid.Nil {
		c.rec.ID, c.rec.CreatedAt = o.newID(), o.now
	}
	if err := put(o.tx.Payers, c.old, c.rec); err != nil {
		return internal("write payer", err)
	}
	return nil
}

// forgetPayers removes the payers of a referral that is deleted.
func (o *op) forgetPayers(referral uuid.UUID) error {
	err := each(o.tx.Payers, Key{Index: OfReferral, ID: referral}, func(rec PayerRecord) error {
		return o.tx.Payers.Delete(rec.ID)
	})
	if err != nil {
		return internal("delete payers", err)
	}
	return nil
}

// blanked is the payer without personal data. The provider's id stays, as the
// keys of payments do: it is how later payments find whom to credit.
func (r PayerRecord) blanked() PayerRecord {
	r.Email, r.Name, r.Erased = "", "", true
	return r
}
