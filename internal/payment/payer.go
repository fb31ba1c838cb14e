package payment

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A payerChange is a payer before and after an operation.
type payerChange struct{ Old, Rec record.Payer }

// PayerOf finds a payer; one that is not known is a new record.
func PayerOf(o *engine.Op, provider, id string) (payerChange, error) {
	none := payerChange{Rec: record.Payer{Provider: provider, PayerID: id}}
	if id == "" {
		return none, nil
	}
	rec, err := o.Tx.Payers.Find(record.OfProvider(record.ByPayer, provider, id))
	if errors.Is(err, affiliate.ErrNotFound) {
		return none, nil
	}
	return payerChange{rec, rec.Clone()}, err
}

// proves reports whether more than a typed email shows that a payer is a customer:
// the host's id of the customer, or the provider's id of the payer.
func proves(f affiliate.PayerFact, ref *record.Referral) bool {
	return ref.CustomerID != "" && (ref.CustomerID == f.CustomerID || ref.CustomerID == f.ID)
}

// customerOf finds the referral of a payer; the zero record: none.
func customerOf(o *engine.Op, rec *record.Payer, f affiliate.PayerFact) (ref record.Referral, err error) {
	if rec.ReferralID != uuid.Nil && (!rec.ByEmail || f.CustomerID == "") {
		if ref, err = o.Tx.Referrals.Get(rec.ReferralID); err != nil {
			return ref, refusal.Internal("referral of a payer", err)
		}
		return ref, nil
	}
	if f.CustomerID != "" {
		c, err := o.CustomerByHostID(f.CustomerID)
		if err != nil || c.Referral.ID != uuid.Nil {
			return c.Referral, err
		}
	}
	c, err := o.CustomerByEmail(cmp.Or(f.Email, rec.Email))
	return c.Referral, err
}

// SavePayer writes a payer that has changed.
func SavePayer(o *engine.Op, c *payerChange) error {
	if c.Rec.PayerID == "" || engine.Same(c.Old, c.Rec) {
		return nil
	}
	if err := o.HidePayer(&c.Rec); err != nil {
		return err
	}
	if engine.Same(c.Old, c.Rec) {
		return nil
	}
	c.Rec.UpdatedAt = engine.Later(o.Now, c.Rec.UpdatedAt)
	if c.Old.ID == uuid.Nil {
		c.Rec.ID, c.Rec.CreatedAt = o.NewID(), o.Now
	}
	if err := engine.Put(o.Tx.Payers, c.Old, c.Rec); err != nil {
		return refusal.Internal("write payer", err)
	}
	return nil
}
