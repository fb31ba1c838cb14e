package payment

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// Redemptions of payments by a house code that credit nobody. Such a redemption has the id of its payment.

// aloneID is the external id of the redemption of a payment that credits nobody; empty: it has none, and is not
// redeemed.
func aloneID(w *affiliate.WaitingSale) string { return cmp.Or(w.ExternalID, w.InvoiceID) }

// ownAlone returns the id for the redemption of a waiting payment, whose names are those of the redemption.
func (r *Payment) ownAlone(w *affiliate.WaitingSale) uuid.UUID {
	if r.Rec.ID == uuid.Nil {
		r.Rec.ID = r.NewID()
	}
	r.Rec.Waiting[0].ExternalID, r.Rec.Waiting[0].InvoiceID = w.ExternalID, w.InvoiceID
	return r.Rec.ID
}

// recall writes the redemption of the order again that was there before the attempts, none of which has made a sale,
// whatever became of its code since. The one of an order that the host redeemed itself is the payment's from then on,
// and that of another payment stays.
func (r *Payment) recall(w *affiliate.WaitingSale, id uuid.UUID) error {
	r.result.Outcome, r.result.Refused = affiliate.SaleDuplicate, nil
	_, err := r.Tx.Payments.Get(id)
	if id == r.Rec.ID || errors.Is(err, affiliate.ErrNotFound) {
		id, r.result.Outcome = r.ownAlone(w), affiliate.SaleRedeemed
	} else if err != nil {
		return err
	}
	return r.RememberAlone(id)
}

// buyer is the customer of the payment, as far as anything is known.
func (r *Payment) buyer(ref record.Referral) engine.Customer {
	ref.CustomerID = cmp.Or(ref.CustomerID, r.Fact.Payer.CustomerID)
	return engine.Customer{Email: cmp.Or(r.Fact.Payer.Email, r.payer.Rec.Email), Referral: ref}
}

// followAlone brings the redemption of a payment without a sale to the state that the facts describe.
func (r *Payment) followAlone() error {
	if len(r.Rec.Waiting) == 0 {
		return nil
	}
	return r.SettleAlone(&r.Rec, aloneID(&r.Rec.Waiting[0]), func() (c engine.Customer, err error) {
		who, err := customerOf(r.Op, &r.payer.Rec, r.Fact.Payer)
		return r.buyer(who.Referral), err
	})
}

// weighAlone is weigh for a payment without a sale.
func (r *Payment) weighAlone() error {
	if len(r.Rec.Waiting) == 0 {
		return nil
	}
	at, err := r.RedeemedAlone(&r.Rec, aloneID(&r.Rec.Waiting[0]))
	window := r.Cfg.RefundWindow
	r.late = window > 0 && !at.IsZero() && r.Now.After(at.Add(window))
	return err
}

// joinAlone takes the redemption of a payment over that becomes one with this, unless this has a sale or a
// redemption itself.
func (r *Payment) joinAlone(other *record.Payment) error {
	if len(other.Waiting) == 0 {
		return nil
	}
	id := aloneID(&other.Waiting[0])
	at, err := r.RedeemedAlone(other, id)
	if err != nil || at.IsZero() {
		return err
	}
	if _, err = r.ForgetAlone(id); err != nil || r.Rec.Sale != uuid.Nil {
		return err
	}
	if len(r.Rec.Waiting) > 0 {
		if at, err = r.RedeemedAlone(&r.Rec, aloneID(&r.Rec.Waiting[0])); err != nil || !at.IsZero() {
			return err
		}
	}
	r.Rec.Waiting, r.Rec.Gross = other.Waiting, other.Gross
	return r.RememberAlone(r.Rec.ID)
}
