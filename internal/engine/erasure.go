package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// How a program remembers that somebody was erased.

// ErasureID returns the digest that is kept of an erased email, which is the id of
// its [record.Erasure]. All addresses of a mailbox have one.
func (c *Config) ErasureID(email string) uuid.UUID { return c.Digest(Name{NameMailbox, email}) }

// AnnounceErasure announces the reads that a look-up of an erased email will make.
func (c *Config) AnnounceErasure(soon func(table string, key record.Key), email string) {
	if email != "" {
		soon("erasures", record.Key{ID: c.ErasureID(email)})
	}
}

// isErased reports whether the customer was erased, or is being erased. One without an email is
// not: it is a payer of a provider whose email nobody has told.
func isErased(r *record.Referral) bool { return !r.Erased.IsZero() }

// Erasure finds what is kept of an erased email, or [affiliate.ErrNotFound].
func (o *Op) Erasure(email string) (record.Erasure, error) {
	rec, err := o.named(Name{NameMailbox, email})
	if err != nil || rec.Name == "" {
		return rec, err
	}
	ref, err := o.Tx.Referrals.Get(rec.ReferralID) // into whom somebody with the email was merged
	if err != nil {
		return rec, refusal.Internal("referral of a name", err)
	}
	if !isErased(&ref) {
		err = affiliate.ErrNotFound
	}
	return rec, err
}

// CustomerByEmail finds the customer with an email, or into whom one with it was merged, or the
// erased person who had it. When no referral names that person, the customer has a zero referral.
func (o *Op) CustomerByEmail(email string) (c Customer, err error) {
	email, ok := mailbox.Canonical(email)
	if !ok {
		return c, nil
	}
	c.Referral, err = o.Tx.Referrals.Find(record.Key{Index: record.ByEmail, Text: mailbox.Of(email)})
	if !errors.Is(err, affiliate.ErrNotFound) {
		return c, err
	}
	return o.customerNamed(Name{NameMailbox, email})
}

// CustomerByHostID finds the customer with the host's id, or the erased person who had it. An id that two have, as a
// store of another making may hold them, names neither.
func (o *Op) CustomerByHostID(id string) (c Customer, err error) {
	have, err := o.withHostID(id)
	if err != nil || len(have) > 1 {
		return c, err
	}
	if len(have) == 1 {
		return Customer{Referral: have[0]}, nil
	}
	return o.customerNamed(Name{NameCustomer, id})
}

// withHostID returns two of the referrals with the host's id at most.
func (o *Op) withHostID(id string) ([]record.Referral, error) {
	key, err := refusal.SentKey(record.OfCustomer, id)
	if err != nil { // nobody can have it
		return nil, nil
	}
	return Gather(o.Tx.Referrals, record.Query{Key: key, Limit: 2})
}

// freeHostID returns the host's id for a customer who is to get it; empty: somebody has it.
func (o *Op) freeHostID(id string) (string, error) {
	taken := o.RefuseTakenHostID(id, uuid.Nil)
	if refused, ok := errors.AsType[*affiliate.Error](taken); ok && refused.Reason == affiliate.ReferralExternalIDTaken {
		return "", nil
	}
	return id, taken
}

// RefuseTakenHostID refuses the host's id of another customer than this one.
func (o *Op) RefuseTakenHostID(id string, of uuid.UUID) error {
	have, err := o.withHostID(id)
	if err == nil && len(have) == 0 && id != "" {
		var c Customer
		if c, err = o.customerNamed(Name{NameCustomer, id}); c.Referral.ID != uuid.Nil && c.Gone == uuid.Nil {
			have = append(have, c.Referral)
		}
	}
	other := slices.ContainsFunc(have, func(r record.Referral) bool { return r.ID != of })
	return cmp.Or(err, refusal.First(refusal.ReferralExternalIDTaken.When(other)))
}

// findCustomer finds a customer by id, else by email, also an erased one. It returns
// [affiliate.ErrNotFound] for a person whom no referral names.
func (o *Op) findCustomer(ident string) (Customer, error) {
	rec, err := o.FindReferral(ident)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return Customer{Referral: rec}, err
	}
	email, ok := mailbox.Canonical(ident)
	if !ok {
		return Customer{}, err
	}
	c, err := o.CustomerByEmail(email)
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
func (o *Op) KeepErasure(id, referral uuid.UUID) error {
	rec, err := o.Tx.Erasures.Get(id)
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		err = o.Tx.Erasures.Insert(record.Erasure{ID: id, ReferralID: referral, CreatedAt: o.Now})
	case err == nil && referral != uuid.Nil && rec.ReferralID != referral:
		rec.ReferralID, rec.Name = referral, ""
		err = o.Tx.Erasures.Replace(rec)
	}
	if err != nil {
		return refusal.Internal("write erasure", err)
	}
	return nil
}

// dropErasure forgets that names were erased, or led to somebody: the host has made a customer
// with them.
func (o *Op) dropErasure(names ...Name) error {
	for _, name := range names {
		gone, err := o.named(name)
		if err == nil {
			err = o.Tx.Erasures.Delete(gone.ID)
		}
		if IgnoreMissing(err) != nil {
			return refusal.Internal("forget erasure", err)
		}
	}
	return nil
}

// KeepErased records that the names of a referral were erased.
func (o *Op) KeepErased(ref *record.Referral) error {
	for _, name := range [...]Name{{NameMailbox, ref.Email}, {NameCustomer, ref.CustomerID}} {
		if name.Text == "" {
			continue
		}
		if err := o.KeepErasure(o.Cfg.Digest(name), ref.ID); err != nil {
			return err
		}
	}
	return nil
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

// Records without their personal data. TestErasureKnowsEveryText lists the
// texts that stay, with the reason.

func BlankedAffiliate(r record.Affiliate) record.Affiliate {
	r.FirstName, r.LastName, r.Email, r.ExternalID, r.PayoutEmail = "", "", "", "", ""
	r.Payee, r.PayeeShared, r.Note, r.Language, r.Answers = "", false, "", "", nil
	return r
}

func BlankedPayout(r record.Payout) record.Payout {
	r.PayeeName, r.PayeeEmail = "", ""
	return r
}

func BlankedReferral(r record.Referral) record.Referral {
	r.Name, r.Email, r.CustomerID, r.LandingPage = "", "", "", ""
	r.Notes, r.Metadata = affiliate.Opt[string]{}, nil
	return r
}

func BlankedSale(r record.Sale) record.Sale {
	r.Name, r.Email, r.Metadata = "", "", nil
	return r
}

func BlankedClick(r record.Click) record.Click {
	r.DeviceID, r.LandingURL, r.Referrer, r.UserAgent, r.Earlier = "", "", "", "", 0
	return r
}
