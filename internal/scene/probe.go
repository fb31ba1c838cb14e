package scene

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
)

// ErrBoom is the error of a store that fails.
var ErrBoom = errors.New("boom")

// A Probe is a Store that counts operations and writes, and fails at one of
// them. It can also find nothing, or list each record twice, like a store whose
// unique indexes allow duplicates.
type Probe struct {
	record.Store
	Ops, writes atomic.Int64
	FailAt      int64        // 0: never
	Onward      bool         // and at every later one
	Fault       func() error // what failing is; nil: errBoom
	Blind       bool         // Find finds nothing, so only the unique indexes refuse
	Double      bool         // List returns each record twice

	Looked, Most atomic.Int64 // records that were read, and the most of them in one View
}

func (s *Probe) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, func(tx *record.Tx) error {
		before := s.Looked.Load()
		err := fn(s.wrap(tx))
		s.Most.Store(max(s.Most.Load(), s.Looked.Load()-before))
		return err
	})
}

func (s *Probe) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, func(tx *record.Tx) error { return fn(s.wrap(tx)) })
}

func (s *Probe) wrap(tx *record.Tx) *record.Tx {
	return &record.Tx{
		Affiliates: probed[record.Affiliate]{tx.Affiliates, s}, Links: probed[record.Link]{tx.Links, s},
		Clicks: probed[record.Click]{tx.Clicks, s}, Referrals: probed[record.Referral]{tx.Referrals, s},
		Coupons: probed[record.Coupon]{tx.Coupons, s}, Codes: probed[record.Code]{tx.Codes, s},
		Redemptions: probed[record.Redemption]{tx.Redemptions, s}, Sales: probed[record.Sale]{tx.Sales, s},
		Plans: probed[record.Plan]{tx.Plans, s}, Tiers: probed[record.Tier]{tx.Tiers, s},
		Payouts: probed[record.Payout]{tx.Payouts, s}, Adjustments: probed[record.Adjustment]{tx.Adjustments, s}, Movements: probed[record.Movement]{tx.Movements, s},
		Runs: probed[record.Run]{tx.Runs, s}, Lines: probed[record.Line]{tx.Lines, s}, Totals: probed[record.Totals]{tx.Totals, s},
		Receipts: probed[record.Receipt]{tx.Receipts, s}, Endpoints: probed[record.Endpoint]{tx.Endpoints, s},
		Events: probed[record.Event]{tx.Events, s}, Deliveries: probed[record.Delivery]{tx.Deliveries, s},
		Queue: probed[record.Queue]{tx.Queue, s}, Imports: probed[record.Import]{tx.Imports, s},
		Payments:    probed[record.Payment]{tx.Payments, s},
		PaymentKeys: probed[record.PaymentKey]{tx.PaymentKeys, s}, Payers: probed[record.Payer]{tx.Payers, s}, Erasures: probed[record.Erasure]{tx.Erasures, s}, Aliases: probed[record.Alias]{tx.Aliases, s},
		Next: func(seq record.Sequence) (int64, error) {
			if err := s.write(); err != nil {
				return 0, err
			}
			return tx.Next(seq)
		},
	}
}

// read counts an operation and may fail it; write also counts a write.
func (s *Probe) read() error {
	n := s.Ops.Add(1)
	if n != s.FailAt && (!s.Onward || n < s.FailAt) {
		return nil
	}
	if s.Fault != nil {
		return s.Fault()
	}
	return ErrBoom
}

func (s *Probe) write() error {
	s.writes.Add(1)
	return s.read()
}

type probed[T record.Record[T]] struct {
	record.Table[T]
	s *Probe
}

func (t probed[T]) Get(id uuid.UUID) (rec T, err error) {
	if err := t.s.read(); err != nil {
		return rec, err
	}
	t.s.Looked.Add(1)
	return t.Table.Get(id)
}

func (t probed[T]) Find(key record.Key) (rec T, err error) {
	if err := t.s.read(); err != nil {
		return rec, err
	}
	if t.s.Blind {
		return rec, affiliate.ErrNotFound
	}
	t.s.Looked.Add(1)
	return t.Table.Find(key)
}

func (t probed[T]) List(q record.Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := t.s.read(); err != nil {
			var zero T
			yield(zero, err)
			return
		}
		for rec, err := range t.Table.List(q) {
			t.s.Looked.Add(1)
			if !yield(rec, err) || t.s.Double && !yield(rec, err) {
				return
			}
		}
	}
}

func (t probed[T]) Insert(rec T) error {
	if err := t.s.write(); err != nil {
		return err
	}
	return t.Table.Insert(rec)
}

func (t probed[T]) Replace(rec T) error {
	if err := t.s.write(); err != nil {
		return err
	}
	return t.Table.Replace(rec)
}

func (t probed[T]) Delete(id uuid.UUID) error {
	if err := t.s.write(); err != nil {
		return err
	}
	return t.Table.Delete(id)
}

// FailingViews is a store whose Views fail at the first call of a table.
type FailingViews struct{ record.Store }

func (f FailingViews) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return conformance.FailAt(f.Store, 1).Update(ctx, id, fn)
}
