package affiliate

import (
	"bytes"
	"errors"

	"github.com/google/uuid"
)

// join makes one payment of those that own keys of a fact: the one with the
// sale stays, else the oldest.
func (r *payment) join(owners []PaymentRecord) error {
	stays := 0
	for i := range owners {
		if err := r.refuseTwoSales(&owners[stays], &owners[i]); err != nil {
			return err
		}
		if owners[i].before(&owners[stays]) {
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

// before reports whether r stays when it is joined with another payment.
func (r *PaymentRecord) before(other *PaymentRecord) bool {
	if (r.Sale != uuid.Nil) != (other.Sale != uuid.Nil) {
		return r.Sale != uuid.Nil
	}
	return bytes.Compare(r.ID[:], other.ID[:]) < 0
}

// refuseTwoSales refuses to join two payments that both have a sale.
func (r *payment) refuseTwoSales(a, b *PaymentRecord) error {
	if a.ID == b.ID || a.Sale == uuid.Nil || b.Sale == uuid.Nil {
		return nil
	}
	one, err := r.saleIfThere(a.Sale)
	if err != nil {
		return err
	}
	two, err := r.saleIfThere(b.Sale)
	if err != nil {
		return err
	}
	return conflictOf(&one, &two)
}

// saleIfThere is a sale, or the zero record when it was deleted.
func (o *op) saleIfThere(id uuid.UUID) (SaleRecord, error) {
	rec, err := o.tx.Sales.Get(id)
	if errors.Is(err, ErrNotFound) {
		return SaleRecord{}, nil
	}
	return rec, err
}

// own makes a stored payment the one of the operation, with its sale.
func (r *payment) own(rec PaymentRecord) (err error) {
	r.old, r.rec = rec, rec.Clone()
	if rec.Sale == uuid.Nil {
		return nil
	}
	if r.sale, err = r.saleIfThere(rec.Sale); err != nil {
		return internal("sale of a payment", err)
	}
	return r.weigh()
}

// weigh notes what the sale gives before the fact, and whether it is too late
// for refunds.
func (r *payment) weigh() (err error) {
	if r.sale.ID == uuid.Nil {
		return nil
	}
	window := r.cfg.RefundWindow
	r.late = window > 0 && r.now.After(r.sale.CreatedAt.Add(window))
	r.before, err = r.sale.commissionEarned()
	return err
}

// absorb adds a stored payment to the one of the operation, and removes it.
func (r *payment) absorb(other *PaymentRecord) error {
	if err := r.rec.merge(other, r.late, &r.shift); err != nil {
		return err
	}
	err := each(r.tx.PaymentKeys, Key{Index: OfPayment, ID: other.ID}, func(key PaymentKeyRecord) error {
		key.PaymentID = r.rec.ID
		return r.tx.PaymentKeys.Replace(key)
	})
	if err == nil {
		err = r.tx.Payments.Delete(other.ID)
	}
	if err != nil {
		return internal("join payments", err)
	}
	return nil
}

// adopt takes a sale that the host recorded itself, or that another payment has:
// then the two are one.
func (r *payment) adopt(sale SaleRecord) error {
	mine := r.rec
	stored := r.old.ID != uuid.Nil
	owner, err := r.tx.Payments.Find(Key{Index: BySale, ID: sale.ID})
	if errors.Is(err, ErrNotFound) {
		r.rec.Sale, r.rec.Waiting, r.sale = sale.ID, nil, sale
		return r.weigh()
	}
	if err != nil {
		return err
	}
	if err := r.own(owner); err != nil {
		return err
	}
	if stored {
		return r.absorb(&mine)
	}
	return r.rec.merge(&mine, r.late, &r.shift)
}
