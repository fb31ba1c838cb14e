package upkeep

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// paymentSweep deletes payments that never had a sale, with their keys. What a payment with a sale waits for, its payer's
// email or first payment, comes no more: the sale stays as it is.
func (h horizon) paymentSweep() sweep[record.Payment] {
	return sweep[record.Payment]{
		table: func(tx *record.Tx) record.Table[record.Payment] { return tx.Payments },
		goes: func(r record.Payment) bool {
			return (r.Sale == uuid.Nil || len(r.Waiting) > 0) && r.Conflict == uuid.Nil && r.UpdatedAt.Before(h.payments)
		},
		left: func(r record.Payment) (record.Payment, bool) {
			r.Waiting = nil
			return r, r.Sale != uuid.Nil
		},
		since: func(r record.Payment) affiliate.Instant { return r.CreatedAt },
		after: func(o *engine.Op, gone []record.Payment) error {
			for i := range gone {
				if err := dropKeys(o, gone[i].ID); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// dropKeys removes the keys of a payment that is gone.
func dropKeys(o *engine.Op, payment uuid.UUID) error {
	return engine.Each(o.Tx.PaymentKeys, record.Key{Index: record.OfPayment, ID: payment}, func(key record.PaymentKey) error {
		return o.Tx.PaymentKeys.Delete(key.ID)
	})
}

// payerSweep deletes payers who never paid for a referral.
func (h horizon) payerSweep() sweep[record.Payer] {
	return sweep[record.Payer]{
		table: func(tx *record.Tx) record.Table[record.Payer] { return tx.Payers },
		goes:  func(r record.Payer) bool { return r.ReferralID == uuid.Nil && r.UpdatedAt.Before(h.payments) },
		since: func(r record.Payer) affiliate.Instant { return r.CreatedAt },
	}
}
