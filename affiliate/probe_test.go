package affiliate_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

var errBoom = errors.New("boom")

// A probe is a Store that counts operations and writes, and fails at one of
// them. It can also find nothing, or list each record twice, like a store whose
// unique indexes allow duplicates.
type probe struct {
	record.Store
	ops, writes atomic.Int64
	failAt      int64        // 0: never
	onward      bool         // and at every later one
	fault       func() error // what failing is; nil: errBoom
	blind       bool         // Find finds nothing, so only the unique indexes refuse
	double      bool         // List returns each record twice

	looked, most atomic.Int64 // records that were read, and the most of them in one View
}

func (s *probe) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, func(tx *record.Tx) error {
		before := s.looked.Load()
		err := fn(s.wrap(tx))
		s.most.Store(max(s.most.Load(), s.looked.Load()-before))
		return err
	})
}

// look runs a call and returns how many records it read, and how many in its
// largest View.
func (s *probe) look(call func()) (looked, most int64) {
	s.looked.Store(0)
	s.most.Store(0)
	call()
	return s.looked.Load(), s.most.Load()
}

func (s *probe) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, func(tx *record.Tx) error { return fn(s.wrap(tx)) })
}

func (s *probe) wrap(tx *record.Tx) *record.Tx {
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
func (s *probe) read() error {
	n := s.ops.Add(1)
	if n != s.failAt && (!s.onward || n < s.failAt) {
		return nil
	}
	if s.fault != nil {
		return s.fault()
	}
	return errBoom
}

func (s *probe) write() error {
	s.writes.Add(1)
	return s.read()
}

type probed[T record.Record[T]] struct {
	record.Table[T]
	s *probe
}

func (t probed[T]) Get(id uuid.UUID) (rec T, err error) {
	if err := t.s.read(); err != nil {
		return rec, err
	}
	t.s.looked.Add(1)
	return t.Table.Get(id)
}

func (t probed[T]) Find(key record.Key) (rec T, err error) {
	if err := t.s.read(); err != nil {
		return rec, err
	}
	if t.s.blind {
		return rec, affiliate.ErrNotFound
	}
	t.s.looked.Add(1)
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
			t.s.looked.Add(1)
			if !yield(rec, err) || t.s.double && !yield(rec, err) {
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

// everyFailure runs fn with the store failing at its first operation, then at
// its second and so on until fn succeeds. Each failure must be returned and
// change nothing.
func (w *world) everyFailure(fn func() error) {
	w.t.Helper()
	for at := int64(1); ; at++ {
		before := w.dump()
		w.probe.ops.Store(0)
		w.probe.failAt = at
		err := fn()
		w.probe.failAt = 0
		if w.probe.ops.Load() < at {
			if err != nil {
				w.t.Fatalf("without a failure: %v", err)
			}
			return
		}
		if !errors.Is(err, errBoom) {
			w.t.Fatalf("operation %d failed and the call says %v", at, err)
		}
		if _, ok := errors.AsType[*affiliate.Error](err); ok {
			w.t.Fatalf("operation %d: a store failure became a refusal: %v", at, err)
		}
		if diff := cmp.Diff(before, w.dump()); diff != "" {
			w.t.Fatalf("operation %d failed and something changed:\n%s", at, diff)
		}
	}
}
