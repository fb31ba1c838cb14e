package affiliate

import "github.com/google/uuid"

// paymentSweep drops the payments that never had a sale, with their keys.
func (h horizon) paymentSweep() sweep[PaymentRecord] {
	return sweep[PaymentRecord]{
		table: func(tx *Tx) Table[PaymentRecord] { return tx.Payments },
		goes: func(r PaymentRecord) bool {
			return r.Sale == uuid.Nil && r.Conflict == uuid.Nil && r.UpdatedAt.Before(h.payments)
		},
		since: func(r PaymentRecord) Instant { return r.CreatedAt },
		after: func(o *op, gone []PaymentRecord) error {
			for i := range gone {
				if err := o.dropKeys(gone[i].ID); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// dropKeys removes the keys of a payment that is gone.
func (o *op) dropKeys(payment uuid.UUID) error {
	return each(o.tx.PaymentKeys, Key{Index: OfPayment, ID: payment}, func(key PaymentKeyRecord) error {
		return o.tx.PaymentKeys.Delete(key.ID)
	})
}

// payerSweep drops the payers who never paid for a referral.
func (h horizon) payerSweep() sweep[PayerRecord] {
	return sweep[PayerRecord]{
		table: func(tx *Tx) Table[PayerRecord] { return tx.Payers },
		goes:  func(r PayerRecord) bool { return r.ReferralID == uuid.Nil && r.UpdatedAt.Before(h.payments) },
		since: func(r PayerRecord) Instant { return r.CreatedAt },
	}
}
