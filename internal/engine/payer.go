package engine

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

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
