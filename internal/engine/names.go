package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// What customers and affiliates are known by, and whom a name leads to that no record has any
// more. Source: docs/rules.md 4.9.

// A NameKind is a kind of name.
type NameKind byte

const (
	NameReferral  NameKind = 'r' // the id of a customer
	NameMailbox   NameKind = 'm' // the email of one; all addresses of a mailbox are one name
	NameCustomer  NameKind = 'c' // the host's own id of one
	namePayer     NameKind = 'p' // one at a payment provider
	NameAffiliate NameKind = 'a' // the id of an affiliate
	NameEmail     NameKind = 'e' // the email of one
	NameExternal  NameKind = 'x' // the host's own id of one
)

// A Name is something that somebody is known by. An empty text is none.
type Name struct {
	Kind NameKind
	Text string
}

// Digest returns a digest of a name under the program's key, which cannot be turned back.
func (c *Config) Digest(n Name) (id uuid.UUID) {
	if n.Kind == NameMailbox {
		n.Text = mailbox.Of(n.Text)
	}
	key := c.ErasureKey
	if len(key) == 0 {
		key = c.ID[:]
	}
	sum := hmac.New(sha256.New, key)
	sum.Write(append(c.ID[:], byte(n.Kind)))
	sum.Write([]byte(n.Text))
	copy(id[:], sum.Sum(nil))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made of other data
	return id
}

// namesOf returns the names of a customer.
func namesOf(r *record.Referral) []Name {
	return []Name{{NameReferral, r.ID.String()}, {NameMailbox, r.Email}, {NameCustomer, r.CustomerID}}
}

// sellerNames returns the names of an affiliate.
func sellerNames(r *record.Affiliate) []Name {
	return []Name{{NameAffiliate, r.ID.String()}, {NameEmail, r.Email}, {NameExternal, r.ExternalID}}
}

// knownBy returns digests of what a customer is known by, also from before others were merged
// into them, and of the payer of a provider.
func (o *Op) knownBy(c *Customer) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, 0, 5)
	add := func(id uuid.UUID) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if c.Referral.ID != uuid.Nil {
		add(o.Cfg.Digest(Name{NameReferral, c.Referral.ID.String()}))
	}
	for _, n := range [...]Name{{NameMailbox, c.Email}, {NameMailbox, c.Referral.Email},
		{NameCustomer, c.Referral.CustomerID}, {NameCustomer, c.HostID}, {namePayer, o.Payer}} {
		if n.Text != "" {
			add(o.Cfg.Digest(n))
		}
	}
	if !c.Referral.Merged {
		return ids, nil
	}
	former, err := o.FormerNames(record.OfReferral, c.Referral.ID)
	for i := range former {
		add(former[i].ID)
	}
	return ids, err
}

// FormerNames returns the names that lead to a customer or an affiliate beside their own.
func (o *Op) FormerNames(ix record.Index, owner uuid.UUID) ([]record.Erasure, error) {
	return Gather(o.Tx.Erasures, record.Query{Key: record.Key{Index: ix, ID: owner}})
}

// named finds whom a name leads to that no record has, or [affiliate.ErrNotFound].
func (o *Op) named(n Name) (record.Erasure, error) {
	if n.Text == "" {
		return record.Erasure{}, affiliate.ErrNotFound
	}
	return o.Tx.Erasures.Get(o.Cfg.Digest(n))
}

// customerNamed finds the customer into whom one with a name was merged, or the erased person who had
// it. When no referral names that person, the customer has a zero referral.
func (o *Op) customerNamed(n Name) (c Customer, err error) {
	rec, err := o.named(n)
	if err != nil {
		return c, IgnoreMissing(err)
	}
	if rec.ReferralID != uuid.Nil {
		if c.Referral, err = o.Tx.Referrals.Get(rec.ReferralID); err != nil {
			return c, refusal.Internal("referral of a name", err)
		}
	}
	if rec.Name == "" || isErased(&c.Referral) {
		c.Gone = rec.ID
	}
	return c, nil
}

// sellerNamed finds the affiliate into whom one with a name was merged, or [affiliate.ErrNotFound].
func (o *Op) sellerNamed(n Name) (record.Affiliate, error) {
	rec, err := o.named(n)
	if err != nil {
		return record.Affiliate{}, err
	}
	return o.Tx.Affiliates.Get(rec.AffiliateID)
}

// ReferralByID finds a customer by their id, or by that of one who was merged into them.
func (o *Op) ReferralByID(id uuid.UUID) (record.Referral, error) {
	rec, err := o.Tx.Referrals.Get(id)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return rec, err
	}
	c, err := o.customerNamed(Name{NameReferral, id.String()})
	if err == nil && c.Referral.ID == uuid.Nil {
		err = affiliate.ErrNotFound
	}
	return c.Referral, err
}

// AffiliateByID finds an affiliate by its id, or by that of one who was merged into it.
func (o *Op) AffiliateByID(id uuid.UUID) (record.Affiliate, error) {
	rec, err := o.Tx.Affiliates.Get(id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.sellerNamed(Name{NameAffiliate, id.String()})
	}
	return rec, err
}

// Heir returns the id of the affiliate into whom one with an id was merged, else the id.
func (o *Op) Heir(id uuid.UUID) (uuid.UUID, error) {
	rec, err := o.named(Name{NameAffiliate, id.String()})
	if err == nil {
		return rec.AffiliateID, nil
	}
	return id, IgnoreMissing(err)
}

// Heirs is Heir for a list, in which each is once; of an empty list it is nil.
func (o *Op) Heirs(ids []uuid.UUID) ([]uuid.UUID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	stay := make([]uuid.UUID, len(ids))
	for i, id := range ids {
		var err error
		if stay[i], err = o.Heir(id); err != nil {
			return nil, err
		}
	}
	return Distinct(stay), nil
}

// limitedTo reports whether a code that only one customer may use is for this one.
func (o *Op) limitedTo(code *record.Code, c *Customer) (bool, error) {
	if !code.LimitToCustomers || c.is(code.CustomerID) {
		return true, nil
	}
	for _, kind := range [...]NameKind{NameReferral, NameMailbox, NameCustomer} {
		if c.Referral.ID == uuid.Nil {
			break
		}
		rec, err := o.named(Name{kind, code.CustomerID})
		if err == nil && rec.ReferralID == c.Referral.ID || IgnoreMissing(err) != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// inherit makes names lead to the customer or the affiliate that a record names, beside those that lead to them
// already. Those that they have themselves are theirs.
func (o *Op) inherit(names, have []Name, to record.Erasure) error {
	for _, n := range names {
		if n.Text == "" ||
			slices.ContainsFunc(have,
				func(own Name) bool { return o.Cfg.Digest(own) == o.Cfg.Digest(n) }) {
			continue
		}
		to.ID, to.Name, to.CreatedAt = o.Cfg.Digest(n), n.Text, o.Now
		if err := o.Tx.Erasures.Insert(to); err != nil {
			return refusal.Internal("keep a name", err)
		}
	}
	return nil
}

// EraseNames turns the names of a customer into names of an erased person. It deletes those of an
// affiliate, except for ids, which identify nobody.
func (o *Op) EraseNames(ix record.Index, owner uuid.UUID) error {
	return Each(o.Tx.Erasures, record.Key{Index: ix, ID: owner}, func(rec record.Erasure) error {
		switch _, id := exactID(rec.Name); {
		case id || rec.Name == "":
			return nil
		case ix == record.OfAffiliate:
			return o.Tx.Erasures.Delete(rec.ID)
		}
		rec.Name = ""
		return o.Tx.Erasures.Replace(rec)
	})
}

// dropNames forgets the names that lead to somebody who is deleted, but for those of somebody erased, which lead to
// nobody then.
func (o *Op) dropNames(ix record.Index, owner uuid.UUID) error {
	return Each(o.Tx.Erasures, record.Key{Index: ix, ID: owner}, func(rec record.Erasure) error {
		if rec.Name != "" {
			return o.Tx.Erasures.Delete(rec.ID)
		}
		rec.ReferralID = uuid.Nil
		return o.Tx.Erasures.Replace(rec)
	})
}

// OlderRef is the ref under which the ledger of imports keeps that a customer, by any address
// of their mailbox or by the host's own id, has bought before the program began. It holds a
// digest under Config.ErasureKey, and neither address nor id.
func (c *Config) OlderRef(n Name) string { return olderRef(c.Digest(n)) }

func olderRef(name uuid.UUID) string { return "customer:" + name.String() }

// older reports whether the ledger has one of a customer's names. Source: docs/rules.md 3.5.
func (o *Op) older(c *Customer) (bool, error) {
	names, err := o.knownBy(c)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		_, err := o.Tx.Imports.Find(record.TextKey(record.ByRef, olderRef(name)))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, affiliate.ErrNotFound) {
			return false, refusal.Internal("look up an older customer", err)
		}
	}
	return false, nil
}

// notFirst makes the first payment of a customer who is older than the program the second.
func (o *Op) notFirst(s *Stage, c *Customer) error {
	if s.Payment != 1 {
		return nil
	}
	older, err := o.older(c)
	if older {
		s.Payment = 2
	}
	return err
}

// PayerOf names a payer of a provider; empty: nobody said who it is.
func PayerOf(provider, id string) string {
	if id == "" {
		return ""
	}
	return provider + "\x00" + id
}

// forgetPayers removes the payers of a referral that is deleted.
func (o *Op) forgetPayers(referral uuid.UUID) error {
	err := Each(o.Tx.Payers, record.Key{Index: record.OfReferral, ID: referral}, func(rec record.Payer) error {
		return o.Tx.Payers.Delete(rec.ID)
	})
	if err != nil {
		return refusal.Internal("delete payers", err)
	}
	return nil
}

// BlankedPayer returns the payer without personal data. The provider's id stays, like
// the keys of payments: later payments find by it whom to credit.
func BlankedPayer(r record.Payer) record.Payer {
	r.Email, r.Name, r.Erased = "", "", true
	return r
}

// statusByHand records that a person set the status of a referral.
func (o *Op) statusByHand(referral uuid.UUID) error {
	err := Each(o.Tx.Payers, record.Key{Index: record.OfReferral, ID: referral}, func(rec record.Payer) error {
		if len(rec.Subs) == 0 || rec.ByHand {
			return nil
		}
		rec.ByHand = true
		return o.Tx.Payers.Replace(rec)
	})
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return refusal.Internal("write payers", err)
	}
	return nil
}

// StatusOf returns the status of a customer with these subscriptions; empty: none.
func StatusOf(subs []affiliate.Subscription) (status affiliate.SubscriptionStatus) {
	for _, s := range subs {
		switch {
		case s.Status == affiliate.SubscriptionActive:
			return affiliate.SubscriptionActive
		case s.Status == affiliate.SubscriptionPastDue:
			status = affiliate.SubscriptionPastDue
		case status == "":
			status = s.Status
		}
	}
	return status
}
