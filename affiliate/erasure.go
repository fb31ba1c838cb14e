package affiliate

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
)

// How a program knows that somebody was erased.

// erasureID is what is kept of an erased email: the id of its [ErasureRecord].
func (c *Config) erasureID(email string) (id uuid.UUID) {
	key := c.ErasureKey
	if len(key) == 0 {
		key = c.ID[:]
	}
	sum := hmac.New(sha256.New, key)
	sum.Write(c.ID[:])
	sum.Write([]byte(email))
	copy(id[:], sum.Sum(nil))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made of other data
	return id
}

// announceErasure names what a look-up of an email reads.
func (c *Config) announceErasure(soon func(table string, key Key), email string) {
	if email != "" {
		soon("erasures", Key{ID: c.erasureID(email)})
	}
}

// isErased reports whether the customer was erased, or is being erased. Records
// from before there was a time have no email.
func (r *ReferralRecord) isErased() bool {
	return !r.Erased.IsZero() || r.ID != uuid.Nil && r.Email == ""
}

// erasure finds what is kept of an erased email, or [ErrNotFound].
func (o *op) erasure(email string) (ErasureRecord, error) {
	if email == "" {
		return ErasureRecord{}, ErrNotFound
	}
	return o.tx.Erasures.Get(o.cfg.erasureID(email))
}

// customerByEmail finds the customer with an email, or somebody with that email
// who was erased. The referral of a customer whom no referral names is zero.
func (o *op) customerByEmail(email string) (c customer, err error) {
	c.referral, err = o.referralByEmail(email)
	if !errors.Is(err, ErrNotFound) {
		return c, err
	}
	gone, err := o.erasure(email)
	if err != nil {
		return customer{}, ignoreMissing(err)
	}
	c.gone = gone.ID
	if gone.ReferralID == uuid.Nil {
		return c, nil
	}
	if c.referral, err = o.tx.Referrals.Get(gone.ReferralID); err != nil {
		return c, internal("referral of an erasure", err)
	}
	return c, nil
}

// findCustomer finds a customer by id, else by email, also one who was erased.
// Somebody whom no referral names is [ErrNotFound].
func (o *op) findCustomer(ident string) (customer, error) {
	rec, err := o.findReferral(ident)
	if !errors.Is(err, ErrNotFound) {
		return customer{referral: rec}, err
	}
	email, ok := mailbox.Canonical(ident)
	if !ok {
		return customer{}, err
	}
	c, err := o.customerByEmail(email)
	if err == nil && c.referral.ID == uuid.Nil {
		err = ErrNotFound
	}
	return c, err
}

// hidden reports whether nothing may be stored that shows the customer, of whom a
// request says an email; empty: it says none.
func (o *op) hidden(c *customer, email string) (bool, error) {
	if c.gone != uuid.Nil || c.referral.isErased() {
		return true, nil
	}
	if c.referral.ID == uuid.Nil || email == c.referral.Email {
		return false, nil // the email was looked up before
	}
	_, err := o.erasure(email)
	return err == nil, ignoreMissing(err)
}

// addCustomer stores the referral that a payment makes. One of somebody who was
// erased shows nothing, and is found by the next payment.
func (o *op) addCustomer(rec ReferralRecord, from origin, gone uuid.UUID) (ReferralRecord, error) {
	if gone == uuid.Nil {
		return o.addReferral(rec, from)
	}
	rec = rec.blanked()
	rec.Erased = o.now
	rec, err := o.addReferral(rec, from)
	if err != nil {
		return rec, err
	}
	return rec, o.keepErasure(gone, rec.ID)
}

// keepErasure notes that an email was erased, and of which referral; zero: of none.
func (o *op) keepErasure(id, referral uuid.UUID) error {
	rec, err := o.tx.Erasures.Get(id)
	switch {
	case errors.Is(err, ErrNotFound):
		err = o.tx.Erasures.Insert(ErasureRecord{ID: id, ReferralID: referral, CreatedAt: o.now})
	case err == nil && referral != uuid.Nil && rec.ReferralID != referral:
		rec.ReferralID = referral
		err = o.tx.Erasures.Replace(rec)
	}
	if err != nil {
		return internal("write erasure", err)
	}
	return nil
}

// dropErasure forgets that an email was erased: the host has made a customer with
// it.
func (o *op) dropErasure(email string) error {
	gone, err := o.erasure(email)
	if err == nil {
		err = o.tx.Erasures.Delete(gone.ID)
	}
	if ignoreMissing(err) != nil {
		return internal("forget erasure", err)
	}
	return nil
}

// unbindErasures keeps what is known of the emails of a referral that is deleted.
func (o *op) unbindErasures(referral uuid.UUID) error {
	return each(o.tx.Erasures, Key{Index: OfReferral, ID: referral}, func(rec ErasureRecord) error {
		rec.ReferralID = uuid.Nil
		return o.tx.Erasures.Replace(rec)
	})
}

// hidePayer blanks a payer who was erased, before it is written.
func (o *op) hidePayer(rec *PayerRecord) error {
	hidden := rec.Erased
	if !hidden && (rec.Email != "" || rec.Name != "") {
		who, err := o.paying(rec)
		if err == nil {
			hidden, err = o.hidden(&who, rec.Email)
		}
		if err != nil {
			return err
		}
	}
	if hidden {
		*rec = rec.blanked()
	}
	return nil
}

// hideTries puts an id in place of an email that was erased.
func (o *op) hideTries(tries []Credit) error {
	for i := range tries {
		email, ok := mailbox.Canonical(tries[i].ReferralID)
		if !ok {
			continue
		}
		gone, err := o.erasure(email)
		if err == nil {
			tries[i].ReferralID = gone.ID.String()
		} else if ignoreMissing(err) != nil {
			return err
		}
	}
	return nil
}

// paying is the customer of a payer.
func (o *op) paying(rec *PayerRecord) (who customer, err error) {
	if rec.ReferralID != uuid.Nil {
		if who.referral, err = o.tx.Referrals.Get(rec.ReferralID); err != nil {
			err = internal("referral of a payer", err)
		}
		return who, err
	}
	gone, err := o.erasure(rec.Email)
	who.gone = gone.ID
	return who, ignoreMissing(err)
}

// refuseErased refuses an update of a sale that shows somebody who was erased.
func (o *op) refuseErased(before, rec *SaleRecord) error {
	var said SaleRecord // what the update says about a person
	if rec.Name != before.Name {
		said.Name = rec.Name
	}
	if rec.Email != before.Email {
		said.Email = rec.Email
	}
	if !same(SaleRecord{Metadata: rec.Metadata}, SaleRecord{Metadata: before.Metadata}) {
		said.Metadata = rec.Metadata
	}
	if same(said, said.blanked()) {
		return nil
	}
	if rec.ReferralID != uuid.Nil {
		ref, err := o.tx.Referrals.Get(rec.ReferralID)
		if err != nil {
			return internal("referral of a sale", err)
		}
		if ref.isErased() {
			return referralErased.Err()
		}
	}
	_, err := o.erasure(said.Email)
	if err == nil {
		return referralErased.on("email")
	}
	return ignoreMissing(err)
}
