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

// proves reports whether the host's id of the customer shows that a payer is that customer, and not only an email
// that the payer may have typed.
func proves(f affiliate.PayerFact, ref *record.Referral) bool {
	return ref.CustomerID != "" && ref.CustomerID == f.CustomerID
}

// customerOf finds the customer of a payer: by the provider's id of the payer, by the host's id of the customer, or by
// the email alone. The zero referral: there is none.
func customerOf(o *engine.Op, rec *record.Payer, f affiliate.PayerFact) (c engine.Customer, err error) {
	if rec.ReferralID != uuid.Nil && (!rec.ByEmail || f.CustomerID == "") {
		if c.Referral, err = o.Tx.Referrals.Get(rec.ReferralID); err != nil {
			return c, refusal.Internal("referral of a payer", err)
		}
		c.ByEmail = rec.ByEmail
		return c, nil
	}
	if f.CustomerID != "" {
		if c, err = o.CustomerByHostID(f.CustomerID); err != nil || c.Referral.ID != uuid.Nil {
			return c, err
		}
	}
	c, err = o.CustomerByEmail(cmp.Or(f.Email, rec.Email))
	c.ByEmail = true
	return c, err
}

// takeBack takes back what was decided about a payer's orders before their email or their first payment was told, and
// returns it, so that they are decided about anew with that: the email may be that of a customer, of somebody who used a
// code before, or of the affiliate. What a payout holds or a person changed stays, and so does its customer, who gets the
// email.
func (r *Payment) takeBack(c *payerChange, parked []record.Payment) (map[uuid.UUID]engine.Unbooked, error) {
	ref, err := r.Tx.Referrals.Get(c.Rec.ReferralID)
	if err != nil {
		return nil, refusal.Internal("referral of a payer", err)
	}
	if !ref.Erased.IsZero() {
		return nil, nil
	}
	done, moved := map[uuid.UUID]engine.Unbooked{}, false
	for i := range parked {
		rec := &parked[i]
		sale, err := SaleIfThere(r.Op, rec.Sale)
		if err != nil {
			return nil, err
		}
		moved = moved || sale.CreatedAt == ref.CreatedAt && sale.AffiliateID != ref.AffiliateID
		open, err := r.Decidable(&sale)
		if err != nil {
			return nil, err
		}
		if len(rec.Waiting) == 0 || !open && !rec.Waiting[0].Nothing {
			continue
		}
		if done[rec.ID], err = r.Unbook(&sale, rec.ID); err != nil {
			return nil, err
		}
		rec.Sale = uuid.Nil
		if err := r.Tx.Payments.Replace(*rec); err != nil {
			return nil, refusal.Internal("take a payment back", err)
		}
	}
	kept, err := engine.Holds(r.Tx.Sales, record.Key{Index: record.OfReferral, ID: ref.ID})
	if err != nil {
		return nil, err
	}
	switch {
	case !kept && !moved:
		c.Rec.ReferralID, c.Rec.Early = uuid.Nil, false
		return done, r.Revive(ref)
	case ref.Email == "" && c.Rec.Email != "":
		c.Rec.Early = false
		c.Rec.ReferralID, err = r.TellEmail(ref, c.Rec.Email, c.Rec.Name)
	}
	return done, err
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
