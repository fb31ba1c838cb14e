package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// How a program remembers that somebody was erased, and by which other names it knows a
// customer.

// ErasureID returns the digest that is kept of an erased email or of another name of a
// customer, which is the id of its [record.Erasure]. All addresses of a mailbox have one.
func (c *Config) ErasureID(name string) (id uuid.UUID) {
	key := c.ErasureKey
	if len(key) == 0 {
		key = c.ID[:]
	}
	sum := hmac.New(sha256.New, key)
	sum.Write(c.ID[:])
	sum.Write([]byte(mailbox.Of(name)))
	copy(id[:], sum.Sum(nil))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made of other data
	return id
}

// AnnounceErasure announces the reads that a look-up of an erased email will make.
func (c *Config) AnnounceErasure(soon func(table string, key record.Key), email string) {
	if email != "" {
		soon("erasures", record.Key{ID: c.ErasureID(email)})
	}
}

// isErased reports whether the customer was erased, or is being erased. An old
// record without a time of erasure counts when it has no email.
func isErased(r *record.Referral) bool {
	return !r.Erased.IsZero() || r.ID != uuid.Nil && r.Email == ""
}

// Erasure finds what is kept of an erased email, or [affiliate.ErrNotFound].
func (o *Op) Erasure(email string) (record.Erasure, error) {
	rec, err := o.otherName(email)
	if err == nil && rec.Alias {
		err = affiliate.ErrNotFound
	}
	return rec, err
}

// otherName finds what is kept of a name, or [affiliate.ErrNotFound].
func (o *Op) otherName(name string) (record.Erasure, error) {
	if name == "" {
		return record.Erasure{}, affiliate.ErrNotFound
	}
	return o.Tx.Erasures.Get(o.Cfg.ErasureID(name))
}

// hostName is the host's id of a customer as a name, which no email and no id of ours is.
func hostName(id string) string {
	if id == "" {
		return ""
	}
	return "id:" + id
}

// CustomerByEmail finds the customer with an email, or the erased person who had it.
// When no referral names that person, the customer has a zero referral.
func (o *Op) CustomerByEmail(email string) (c Customer, err error) {
	email, ok := mailbox.Canonical(email)
	if !ok {
		return c, nil
	}
	c.Referral, err = o.Tx.Referrals.Find(record.Key{Index: record.ByEmail, Text: mailbox.Of(email)})
	if !errors.Is(err, affiliate.ErrNotFound) {
		return c, err
	}
	return o.customerByName(email)
}

// CustomerByHostID finds the customer with the host's id, or into which one with it was merged. Zero: there is none,
// or there are two, of which the id names neither.
func (o *Op) CustomerByHostID(id string) (c Customer, err error) {
	if id == "" {
		return c, nil
	}
	have, err := Gather(o.Tx.Referrals, record.Query{Key: record.TextKey(record.OfCustomer, id), Limit: 2})
	switch {
	case err != nil || len(have) == 2:
		return c, err
	case len(have) == 1:
		return Customer{Referral: have[0]}, nil
	}
	return o.customerByName(hostName(id))
}

// customerByName finds the customer that is known by another name too, or was erased.
func (o *Op) customerByName(name string) (c Customer, err error) {
	gone, err := o.otherName(name)
	if err != nil {
		return Customer{}, IgnoreMissing(err)
	}
	if !gone.Alias {
		c.Gone = gone.ID
	}
	if gone.ReferralID == uuid.Nil {
		return c, nil
	}
	if c.Referral, err = o.Tx.Referrals.Get(gone.ReferralID); err != nil {
		return c, refusal.Internal("referral of an erasure", err)
	}
	return c, nil
}

// findCustomer finds a customer by id, else by email, also an erased one. It returns
// [affiliate.ErrNotFound] for a person whom no referral names.
func (o *Op) findCustomer(ident string) (c Customer, err error) {
	if id, ok := exactID(ident); ok {
		if c.Referral, err = o.Tx.Referrals.Get(id); errors.Is(err, affiliate.ErrNotFound) {
			c, err = o.customerByName(ident)
		}
	} else {
		c, err = o.CustomerByEmail(ident)
	}
	if err == nil && c.Referral.ID == uuid.Nil {
		err = affiliate.ErrNotFound
	}
	return c, err
}

// Hidden reports whether nothing that shows the customer may be stored. email is the
// customer's in the request; empty: it has none.
func (o *Op) Hidden(c *Customer, email string) (bool, error) {
	if c.Gone != uuid.Nil || isErased(&c.Referral) {
		return true, nil
	}
	if c.Referral.ID == uuid.Nil || email == c.Referral.Email {
		return false, nil // the email was looked up before
	}
	_, err := o.Erasure(email)
	return err == nil, IgnoreMissing(err)
}

// AddCustomer stores the referral that a payment creates. For an erased person the
// referral shows nothing, and the next payment finds it.
func (o *Op) AddCustomer(rec record.Referral, from Origin, gone uuid.UUID) (record.Referral, error) {
	if gone == uuid.Nil {
		return o.addReferral(rec, from)
	}
	rec = BlankedReferral(rec)
	rec.Erased = o.Now
	rec, err := o.addReferral(rec, from)
	if err != nil {
		return rec, err
	}
	return rec, o.KeepErasure(gone, rec.ID)
}

// KeepErasure records that an email was erased, and with which referral; zero: with
// none.
func (o *Op) KeepErasure(id, referral uuid.UUID) error { return o.keepName(id, referral, false) }

// keepName records a name of a referral under its digest, as an alias or as erased.
func (o *Op) keepName(id, referral uuid.UUID, alias bool) error {
	rec, err := o.Tx.Erasures.Get(id)
	is := record.Erasure{ID: id, ReferralID: referral, Alias: alias, CreatedAt: o.Now}
	if err == nil {
		is.CreatedAt = rec.CreatedAt
		if referral == uuid.Nil {
			is.ReferralID = rec.ReferralID
		}
	}
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		err = o.Tx.Erasures.Insert(is)
	case err == nil && is != rec:
		err = o.Tx.Erasures.Replace(is)
	}
	if err != nil {
		return refusal.Internal("write erasure", err)
	}
	return nil
}

// dropErasure forgets that an email was erased, or led to a customer as another name: the
// host has made a customer with it.
func (o *Op) dropErasure(name string) error {
	gone, err := o.otherName(name)
	if err == nil {
		err = o.Tx.Erasures.Delete(gone.ID)
	}
	if IgnoreMissing(err) != nil {
		return refusal.Internal("forget erasure", err)
	}
	return nil
}

// EraseNames keeps the other names of a referral that is erased as those of an erased
// person.
func (o *Op) EraseNames(ref *record.Referral) error {
	for _, name := range [...]string{ref.Email, hostName(ref.CustomerID)} {
		if name != "" {
			if err := o.KeepErasure(o.Cfg.ErasureID(name), ref.ID); err != nil {
				return err
			}
		}
	}
	return Each(o.Tx.Erasures, record.Key{Index: record.OfReferral, ID: ref.ID}, func(rec record.Erasure) error {
		if !rec.Alias {
			return nil
		}
		rec.Alias = false
		return o.Tx.Erasures.Replace(rec)
	})
}

// unbindErasures keeps the erasures of a deleted referral's emails, without the
// referral, and forgets its other names.
func (o *Op) unbindErasures(referral uuid.UUID) error {
	return Each(o.Tx.Erasures, record.Key{Index: record.OfReferral, ID: referral}, func(rec record.Erasure) error {
		if rec.Alias {
			return o.Tx.Erasures.Delete(rec.ID)
		}
		rec.ReferralID = uuid.Nil
		return o.Tx.Erasures.Replace(rec)
	})
}

// HidePayer blanks a payer who was erased, before it is written.
func (o *Op) HidePayer(rec *record.Payer) error {
	hidden := rec.Erased
	if !hidden && (rec.Email != "" || rec.Name != "") {
		who, err := o.paying(rec)
		if err == nil {
			hidden, err = o.Hidden(&who, rec.Email)
		}
		if err != nil {
			return err
		}
	}
	if hidden {
		*rec = BlankedPayer(*rec)
	}
	return nil
}

// HideTries replaces an erased email by an id.
func (o *Op) HideTries(tries []affiliate.Credit) error {
	for i := range tries {
		email, ok := mailbox.Canonical(tries[i].ReferralID)
		if !ok {
			continue
		}
		gone, err := o.Erasure(email)
		if err == nil {
			tries[i].ReferralID = gone.ID.String()
		} else if IgnoreMissing(err) != nil {
			return err
		}
	}
	return nil
}

// paying returns the customer of a payer.
func (o *Op) paying(rec *record.Payer) (who Customer, err error) {
	if rec.ReferralID != uuid.Nil {
		if who.Referral, err = o.Tx.Referrals.Get(rec.ReferralID); err != nil {
			err = refusal.Internal("referral of a payer", err)
		}
		return who, err
	}
	gone, err := o.Erasure(rec.Email)
	who.Gone = gone.ID
	return who, IgnoreMissing(err)
}

// refuseErased refuses an update of a sale that would show an erased person.
func (o *Op) refuseErased(before, rec *record.Sale) error {
	var said record.Sale // what the update says about a person
	if rec.Name != before.Name {
		said.Name = rec.Name
	}
	if rec.Email != before.Email {
		said.Email = rec.Email
	}
	if !Same(record.Sale{Metadata: rec.Metadata}, record.Sale{Metadata: before.Metadata}) {
		said.Metadata = rec.Metadata
	}
	if Same(said, BlankedSale(said)) {
		return nil
	}
	if rec.ReferralID != uuid.Nil {
		ref, err := o.Tx.Referrals.Get(rec.ReferralID)
		if err != nil {
			return refusal.Internal("referral of a sale", err)
		}
		if isErased(&ref) {
			return refusal.ReferralErased.Err()
		}
	}
	_, err := o.Erasure(said.Email)
	if err == nil {
		return refusal.ReferralErased.On("email")
	}
	return IgnoreMissing(err)
}
