package affiliate_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A booksStore fails the n-th call of a transaction that reads or writes, and
// shows some records twice, as a store whose unique indexes do not hold.
type booksStore struct {
	affiliate.Store
	fail   int // 0: never
	double bool
	failed bool
}

var errBooks = errors.New("the disk is gone")

func (s *booksStore) View(ctx context.Context, program uuid.UUID, fn func(*affiliate.Tx) error) error {
	return s.Store.View(ctx, program, func(tx *affiliate.Tx) error { return fn(s.wrap(tx)) })
}

func (s *booksStore) Update(ctx context.Context, program uuid.UUID, fn func(*affiliate.Tx) error) error {
	return s.Store.Update(ctx, program, func(tx *affiliate.Tx) error { return fn(s.wrap(tx)) })
}

func (s *booksStore) wrap(tx *affiliate.Tx) *affiliate.Tx {
	left := s.fail
	hit := func() bool {
		left--
		s.failed = s.failed || left == 0
		return left == 0
	}
	t := *tx
	t.Affiliates, t.Links, t.Clicks = booksWrap(s, hit, tx.Affiliates), booksWrap(s, hit, tx.Links), booksWrap(s, hit, tx.Clicks)
	t.Referrals, t.Coupons, t.Codes = booksWrap(s, hit, tx.Referrals), booksWrap(s, hit, tx.Coupons), booksWrap(s, hit, tx.Codes)
	t.Redemptions, t.Sales, t.Plans = booksWrap(s, hit, tx.Redemptions), booksWrap(s, hit, tx.Sales), booksWrap(s, hit, tx.Plans)
	t.Tiers, t.Payouts, t.Totals = booksWrap(s, hit, tx.Tiers), booksWrap(s, hit, tx.Payouts), booksWrap(s, hit, tx.Totals)
	t.Receipts, t.Endpoints, t.Events = booksWrap(s, hit, tx.Receipts), booksWrap(s, hit, tx.Endpoints), booksWrap(s, hit, tx.Events)
	t.Deliveries, t.Queue = booksWrap(s, hit, tx.Deliveries), booksWrap(s, hit, tx.Queue)
	return &t
}

type booksTable[R affiliate.Record[R]] struct {
	affiliate.Table[R]
	store *booksStore
	hit   func() bool
}

func booksWrap[R affiliate.Record[R]](s *booksStore, hit func() bool, t affiliate.Table[R]) affiliate.Table[R] {
	return booksTable[R]{t, s, hit}
}

func (t booksTable[R]) Get(id uuid.UUID) (rec R, err error) {
	if t.hit() {
		return rec, errBooks
	}
	return t.Table.Get(id)
}

func (t booksTable[R]) Find(key affiliate.Key) (rec R, err error) {
	if t.hit() {
		return rec, errBooks
	}
	return t.Table.Find(key)
}

func (t booksTable[R]) List(q affiliate.Query) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		if t.hit() {
			var none R
			yield(none, errBooks)
			return
		}
		for rec, err := range t.Table.List(q) {
			if !yield(rec, err) || t.store.double && !yield(rec, err) {
				return
			}
		}
	}
}

func (t booksTable[R]) Insert(rec R) error {
	if t.hit() {
		return errBooks
	}
	return t.Table.Insert(rec)
}

func (t booksTable[R]) Replace(rec R) error {
	if t.hit() {
		return errBooks
	}
	return t.Table.Replace(rec)
}

func (t booksTable[R]) Delete(id uuid.UUID) error {
	if t.hit() {
		return errBooks
	}
	return t.Table.Delete(id)
}

// Every call of an operation fails once: the error comes out, and nothing has
// changed. Prune works in several transactions and may have dropped something.
func TestBooksFaults(t *testing.T) {
	ctx := context.Background()
	ops := map[string]func(b *booksLedger, p *affiliate.Program) error{
		"CreateEndpoint": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.CreateEndpoint(ctx, affiliate.NewEndpoint{URL: hookURL, Events: []affiliate.EventType{"*"}})
			return err
		},
		"UpdateEndpoint": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.UpdateEndpoint(ctx, b.endpoint.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
			return err
		},
		"DeleteEndpoint": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.DeleteEndpoint(ctx, b.endpoint.ID)
			return err
		},
		"RotateSecret": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.RotateSecret(ctx, affiliate.Rotation{WebhookID: b.endpoint.ID})
			return err
		},
		"fan-out": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.CreateCoupon(ctx, affiliate.NewCoupon{Name: "x", PercentOff: affiliate.Set(affiliate.MustPercent("5"))})
			return err
		},
		"Endpoint": func(b *booksLedger, p *affiliate.Program) error { _, err := p.Endpoint(ctx, b.endpoint.ID); return err },
		"Deliveries": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{})
			return err
		},
		"Delivery": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.Delivery(ctx, must(b.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{Limit: 1})).Items[0].ID)
			return err
		},
		"Events": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.Events(ctx, affiliate.EventFilter{ObjectID: "3"}, affiliate.Page{})
			return err
		},
		"EraseAffiliate": func(b *booksLedger, p *affiliate.Program) error { return p.EraseAffiliate(ctx, b.affiliate.ID) },
		"EraseReferral":  func(b *booksLedger, p *affiliate.Program) error { return p.EraseReferral(ctx, b.referral.Email) },
		"Verify":         func(b *booksLedger, p *affiliate.Program) error { return p.Verify(ctx) },
		"Prune": func(b *booksLedger, p *affiliate.Program) error {
			_, err := p.Prune(ctx, b.now.Add(-time.Hour))
			return err
		},
	}
	for name, call := range ops {
		t.Run(name, func(t *testing.T) {
			b := newBooksLedger(t)
			if name != "UpdateEndpoint" && name != "DeleteEndpoint" {
				b.settle()
			}
			in := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "once@example.com"}
			in.Once.Key = "k"
			must(b.CreateAffiliate(ctx, in))
			b.pass(48 * time.Hour)
			for n := 1; ; n++ {
				s := &booksStore{Store: b.store, fail: n}
				before := b.dump()
				err := call(b, b.With(s))
				if !s.failed {
					if err != nil || n == 1 {
						t.Errorf("without a fault, after %d: %v", n-1, err)
					}
					break
				}
				if !errors.Is(err, errBooks) {
					t.Errorf("call %d: %v", n, err)
				}
				if diff := cmp.Diff(before, b.dump()); diff != "" && name != "Prune" {
					t.Errorf("call %d changed records:\n%s", n, diff)
				}
				b.verify()
			}
			b.verify()
		})
	}
}

// The payloads of a store that keeps bytes hold as those that are encoded late.
func TestVerifyStoredPayloads(t *testing.T) {
	b := newBooksLedger(t)
	must(b.UpdateCoupon(t.Context(), b.coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("x")}))
	must(b.UpdateReferral(t.Context(), b.referral.Email, affiliate.ReferralUpdate{Notes: affiliate.Set("x")}))
	must(b.DeleteCode(t.Context(), b.code.ID))
	b.raw(func(tx *affiliate.Tx) error {
		for rec, err := range tx.Events.List(affiliate.Query{}) {
			if err != nil {
				return err
			}
			rec.Payload = affiliate.PayloadOf(rec.Payload.Bytes())
			if err := tx.Events.Replace(rec); err != nil {
				return err
			}
		}
		return nil
	})
	b.verify()
}

// A store whose unique indexes do not hold.
func TestVerifyUnique(t *testing.T) {
	b := newBooksLedger(t)
	must(b.CreateCoupon(t.Context(), affiliate.NewCoupon{Name: "x", ExternalID: "ext", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	err := b.With(&booksStore{Store: b.store, double: true}).Verify(t.Context())
	text := err.Error()
	for _, want := range []string{
		"I20: coupon", "I21: code", "I25: link", "I35: affiliate", "I35: referral", "I43: sale", "I53: sale", "I53: click", "I53: commission", "by_external_id",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %v", want, booksBroken(err))
		}
	}
}

// It runs after every step of a state machine.
func BenchmarkVerify(b *testing.B) {
	w := newBooksLedger(b)
	n := 0
	for _, rows := range w.dump() {
		n += len(rows)
	}
	for b.Loop() {
		w.verify()
	}
	b.ReportMetric(float64(n), "records")
}
