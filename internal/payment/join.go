package payment

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// join merges the payments that own keys of a fact: the one with the sale stays,
// else the oldest.
func (r *Payment) join(owners []record.Payment) error {
	stays := 0
	for i := range owners {
		if err := r.refuseTwoSales(&owners[stays], &owners[i]); err != nil {
			return err
		}
		if engine.PaymentBefore(&owners[i], &owners[stays]) {
			stays = i
		}
	}
	if err := r.own(owners[stays]); err != nil {
		return err
	}
	for i := range owners {
		if i == stays {
			continue
		}
		if err := r.absorb(&owners[i]); err != nil {
			return err
		}
	}
	return nil
}

// refuseTwoSales refuses to join two payments that both have a sale.
func (r *Payment) refuseTwoSales(a, b *record.Payment) error {
	if a.ID == b.ID || a.Sale == uuid.Nil || b.Sale == uuid.Nil {
		return nil
	}
	one, err := SaleIfThere(r.Op, a.Sale)
	if err != nil {
		return err
	}
	two, err := SaleIfThere(r.Op, b.Sale)
	if err != nil {
		return err
	}
	return ConflictOf(&one, &two)
}

// SaleIfThere returns a sale, or the zero record when it was deleted.
func SaleIfThere(o *engine.Op, id uuid.UUID) (record.Sale, error) {
	rec, err := o.Tx.Sales.Get(id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return record.Sale{}, nil
	}
	return rec, err
}

// own makes a stored payment the one of the operation, with its sale.
func (r *Payment) own(rec record.Payment) (err error) {
	r.Old, r.Rec = rec, rec.Clone()
	if rec.Sale == uuid.Nil {
		return r.weighAlone()
	}
	if r.sale, err = SaleIfThere(r.Op, rec.Sale); err != nil {
		return refusal.Internal("sale of a payment", err)
	}
	return r.weigh()
}

// weigh records what the sale gives before the fact, and whether it is too late
// for refunds.
func (r *Payment) weigh() (err error) {
	if r.sale.ID == uuid.Nil {
		return nil
	}
	window := r.Cfg.RefundWindow
	r.late = window > 0 && r.Now.After(r.sale.CreatedAt.Add(window))
	r.before, err = engine.CommissionEarned(&r.sale)
	return err
}

// absorb adds a stored payment to the one of the operation, and removes it.
func (r *Payment) absorb(other *record.Payment) error {
	if err := engine.MergePayments(&r.Rec, other, r.late, &r.shift); err != nil {
		return err
	}
	if err := r.joinAlone(other); err != nil {
		return err
	}
	err := engine.Each(r.Tx.PaymentKeys, record.Key{Index: record.OfPayment, ID: other.ID}, func(key record.PaymentKey) error {
		key.PaymentID = r.Rec.ID
		return r.Tx.PaymentKeys.Replace(key)
	})
	if err == nil {
		err = r.Tx.Payments.Delete(other.ID)
	}
	if err != nil {
		return refusal.Internal("join payments", err)
	}
	return nil
}

// adopt takes a sale that the host recorded itself. If another payment has the
// sale, the two payments become one.
func (r *Payment) adopt(sale record.Sale) error {
	mine := r.Rec
	stored := r.Old.ID != uuid.Nil
	owner, err := r.Tx.Payments.Find(record.Key{Index: record.BySale, ID: sale.ID})
	if errors.Is(err, affiliate.ErrNotFound) {
		r.Rec.Sale, r.Rec.Waiting, r.sale = sale.ID, nil, sale
		return r.weigh()
	}
	if err != nil {
		return err
	}
	if owner.ID == mine.ID { // it is its own already
		r.sale = sale
		return r.weigh()
	}
	if err := r.own(owner); err != nil {
		return err
	}
	if stored {
		return r.absorb(&mine)
	}
	return engine.MergePayments(&r.Rec, &mine, r.late, &r.shift)
}
