package robustness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/pgstore"
)

// A plant is a planted bug: in the store that the program uses, or in what a
// client calls. The zero plant is none.
type plant struct {
	name   string
	trade  string // that shows it
	lost   bool   // it needs lost answers
	store  func(s record.Store, late *lateThings) record.Store
	client func(c culprit) api.Operations
}

// A culprit is what a planted bug in a client has at hand.
type culprit struct {
	api.Operations                    // what the client calls
	program        *tributary.Program // on the store itself
	store          record.Store
	late           *lateThings
}

func (pl plant) inStore(s record.Store, late *lateThings) record.Store {
	if pl.store == nil {
		return s
	}
	return pl.store(s, late)
}

func (pl plant) inClient(ops api.Operations, p *tributary.Program, s record.Store, late *lateThings) api.Operations {
	if pl.client == nil {
		return ops
	}
	return pl.client(culprit{ops, p, s, late})
}

// plants are the planted bugs: the seven of reliability.md G06, and eight more.
func plants() []plant {
	return []plant{
		{name: "check, then act", trade: "redemption", store: func(s record.Store, _ *lateThings) record.Store { return early{s} }},
		{name: "torn read", trade: "redemption", client: func(c culprit) api.Operations { return torn{c} }},
		{name: "stale answer of an update", trade: "redemption", client: func(c culprit) api.Operations { return staleAnswer{c} }},
		{name: "stale active", trade: "redemption", store: staleActive},
		{name: "late delete of a coupon", trade: "redemption", client: func(c culprit) api.Operations { return lateDelete{c} }},
		{name: "double increment", trade: "redemption", store: doubled},
		{name: "counter rolled back on a failed sale", trade: "redemption", client: func(c culprit) api.Operations { return fallsOnFailure{c} }},
		{name: "event without commit", trade: "redemption", client: func(c culprit) api.Operations { return ghostEvent{c} }},
		{name: "acknowledged before the write", trade: "redemption", store: func(s record.Store, l *lateThings) record.Store { return hasty{s, l} }},
		{name: "repeat without a key", trade: "redemption", lost: true, client: func(c culprit) api.Operations { return blind{c} }},
		{name: "counter falls on a refund", trade: "redemption", client: func(c culprit) api.Operations { return fallsOnRefund{c} }},
		{name: "payout paid twice", trade: "treasury", store: func(s record.Store, _ *lateThings) record.Store { return paidTwice{s} }},
		{name: "movement forgotten", trade: "treasury", store: forgetful},
		{name: "a budget read before the sale", trade: "spending", store: func(s record.Store, _ *lateThings) record.Store { return foresees{s} }},
		{name: "change without its event", trade: "signup", store: silent},
	}
}

// plantNamed is the planted bug of a name; none for the empty name.
func plantNamed(name string) plant {
	for _, pl := range plants() {
		if pl.name == name {
			return pl
		}
	}
	return plant{}
}

// torn reads the counters of a coupon and those of its codes one after the
// other.
type torn struct{ culprit }

func (c torn) Coupon(ctx context.Context, ref affiliate.CouponRef) (affiliate.Coupon, error) {
	first, err := c.culprit.Coupon(ctx, ref)
	if err != nil {
		return first, err
	}
	second, err := c.culprit.Coupon(ctx, ref)
	first.PromotionalCodes = second.PromotionalCodes
	return first, err
}

// staleAnswer answers the update of a coupon with its counter of before.
type staleAnswer struct{ culprit }

func (c staleAnswer) UpdateCoupon(ctx context.Context, id affiliateID, up affiliate.CouponUpdate) (affiliate.Coupon, error) {
	was, err := c.culprit.Coupon(ctx, affiliate.CouponRef{ID: id})
	if err != nil {
		return was, err
	}
	got, err := c.culprit.UpdateCoupon(ctx, id, up)
	got.TimesRedeemed = was.TimesRedeemed
	return got, err
}

// lateDelete says that a coupon is deleted, and deletes it then.
type lateDelete struct{ culprit }

func (c lateDelete) DeleteCoupon(ctx context.Context, ref affiliateID) (affiliate.DeletedCoupon, error) {
	if _, err := c.program.Coupon(ctx, affiliate.CouponRef{ID: ref}); err != nil {
		return affiliate.DeletedCoupon{}, err
	}
	c.late.do(func() {
		<-time.After(20 * time.Millisecond)
		_, _ = c.program.DeleteCoupon(ctx, ref) // an error means that it is gone
	})
	return affiliate.DeletedCoupon{ID: ref}, nil
}

// fallsOnFailure takes a redemption back that a refused sale never made.
type fallsOnFailure struct{ culprit }

func (c fallsOnFailure) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	got, err := c.culprit.RecordSale(ctx, in)
	if fateOf(err).limit {
		c.fall(ctx, in.PromoCode)
	}
	return got, err
}

// fallsOnRefund takes a redemption back when its sale is refunded.
type fallsOnRefund struct{ culprit }

func (c fallsOnRefund) RefundSale(ctx context.Context, in affiliate.Refund) (affiliate.RefundResult, error) {
	got, err := c.culprit.RefundSale(ctx, in)
	if err == nil && got.Reason == affiliate.RefundedInFull {
		c.fall(ctx, codeText(1))
	}
	return got, err
}

// fall lowers the counter of a code.
func (c culprit) fall(ctx context.Context, code string) {
	_ = c.store.Update(ctx, c.program.Config().ID, func(tx *record.Tx) error {
		rec, err := tx.Codes.Find(record.Key{Index: record.ByCode, Text: code})
		if err != nil || rec.TimesRedeemed == 0 {
			return err
		}
		rec.TimesRedeemed--
		return tx.Codes.Replace(rec)
	})
}

// ghostEvent tells of a sale that was refused.
type ghostEvent struct{ culprit }

func (c ghostEvent) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	got, err := c.culprit.RecordSale(ctx, in)
	if fateOf(err).limit {
		_ = c.store.Update(ctx, c.program.Config().ID, c.tell)
	}
	return got, err
}

// tell copies an event of a sale.
func (c ghostEvent) tell(tx *record.Tx) error {
	for rec, err := range tx.Events.List(record.Query{Desc: true}) {
		if err != nil {
			return err
		}
		if rec.Type == affiliate.SaleCreated {
			rec.ID = newEventID()
			return tx.Events.Insert(rec)
		}
	}
	return nil
}

// blind repeats a sale without its key when the answer is lost.
type blind struct{ culprit }

func (c blind) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	got, err := c.culprit.RecordSale(ctx, in)
	for fateOf(err).unknown {
		in.Once = affiliate.Once{}
		got, err = c.culprit.RecordSale(ctx, in)
	}
	return got, err
}

type affiliateID = uuid.UUID

func newEventID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// changed is a store whose Updates see other tables.
type changed struct {
	record.Store
	change func(tx *record.Tx)
}

// Update runs fn on the changed tables.
func (c changed) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return c.Store.Update(ctx, program, func(tx *record.Tx) error {
		other := *tx
		c.change(&other)
		return fn(&other)
	})
}

// A table reads records from a copy, as far as it has them.
type table[T record.Record[T]] struct {
	record.Table[T]
	old map[uuid.UUID]T
}

func (t table[T]) older(rec T, err error) (T, error) {
	if was, ok := t.old[rec.RecordID()]; ok && err == nil {
		return was.Clone(), nil
	}
	return rec, err
}

func (t table[T]) Get(id uuid.UUID) (T, error)    { return t.older(t.Table.Get(id)) }
func (t table[T]) Find(key record.Key) (T, error) { return t.older(t.Table.Find(key)) }
func (t table[T]) Delete(id uuid.UUID) error      { delete(t.old, id); return t.Table.Delete(id) }
func (t table[T]) Replace(rec T) error            { delete(t.old, rec.RecordID()); return t.Table.Replace(rec) }

// copyOf reads a whole table before the transaction that uses it.
func copyOf[T record.Record[T]](ctx context.Context, s record.Store, program uuid.UUID, of func(tx *record.Tx) record.Table[T]) (map[uuid.UUID]T, error) {
	var old map[uuid.UUID]T
	err := s.View(ctx, program, func(tx *record.Tx) error {
		old = map[uuid.UUID]T{}
		for rec, err := range of(tx).List(record.Query{}) {
			if err != nil {
				return err
			}
			old[rec.RecordID()] = rec
		}
		return nil
	})
	return old, err
}

// early checks the codes of before the transaction, and acts in it.
type early struct{ record.Store }

// Update runs fn on the codes of before.
func (s early) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	old, err := copyOf(ctx, s.Store, program, func(tx *record.Tx) record.Table[record.Code] { return tx.Codes })
	if err != nil {
		return err
	}
	return changed{s.Store, func(tx *record.Tx) { tx.Codes = table[record.Code]{tx.Codes, maps.Clone(old)} }}.Update(ctx, program, fn)
}

// paidTwice looks at the status of a payout before the transaction that books it
// as paid.
type paidTwice struct{ record.Store }

// Update runs fn on the payouts of before.
func (s paidTwice) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	old, err := copyOf(ctx, s.Store, program, func(tx *record.Tx) record.Table[record.Payout] { return tx.Payouts })
	if err != nil {
		return err
	}
	return changed{s.Store, func(tx *record.Tx) { tx.Payouts = table[record.Payout]{tx.Payouts, maps.Clone(old)} }}.Update(ctx, program, fn)
}

// foresees looks at what is used of a budget before the transaction that takes from it.
type foresees struct{ record.Store }

// Update runs fn on the budgets of before.
func (s foresees) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	old, err := copyOf(ctx, s.Store, program, func(tx *record.Tx) record.Table[record.Budget] { return tx.Budgets })
	if err != nil {
		return err
	}
	return changed{s.Store, func(tx *record.Tx) { tx.Budgets = table[record.Budget]{tx.Budgets, maps.Clone(old)} }}.Update(ctx, program, fn)
}

// hasty says that a write is done, and does it then.
type hasty struct {
	record.Store
	late *lateThings
}

var errTried = errors.New("tried and rolled back")

// Update tries fn, and commits it after it has returned.
func (s hasty) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	err := s.Store.Update(ctx, program, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errTried
	})
	if !errors.Is(err, errTried) {
		return err
	}
	s.late.do(func() { _ = s.Store.Update(context.WithoutCancel(ctx), program, fn) })
	return nil
}

// staleActive remembers for a while whether a code is active.
func staleActive(s record.Store, _ *lateThings) record.Store {
	memory := &activeMemory{known: map[uuid.UUID]knownActive{}}
	return changed{s, func(tx *record.Tx) { tx.Codes = rememberedCodes{tx.Codes, memory} }}
}

const remembered = 20 * time.Millisecond

type activeMemory struct {
	mu    sync.Mutex
	known map[uuid.UUID]knownActive
}

type knownActive struct {
	active bool
	until  time.Time
}

type rememberedCodes struct {
	record.Table[record.Code]
	memory *activeMemory
}

// Find returns a code that is as active as it was.
func (t rememberedCodes) Find(key record.Key) (record.Code, error) {
	rec, err := t.Table.Find(key)
	t.memory.mu.Lock()
	defer t.memory.mu.Unlock()
	if was := t.memory.known[rec.ID]; err != nil || time.Now().Before(was.until) {
		rec.Active = was.active
		return rec, err
	}
	t.memory.known[rec.ID] = knownActive{rec.Active, time.Now().Add(remembered)}
	return rec, nil
}

// doubled counts a redemption of a code twice.
func doubled(s record.Store, _ *lateThings) record.Store {
	return changed{s, func(tx *record.Tx) { tx.Codes = doubleCodes{tx.Codes} }}
}

type doubleCodes struct {
	record.Table[record.Code]
}

// Replace adds one more to a counter that has risen.
func (t doubleCodes) Replace(rec record.Code) error {
	if was, err := t.Get(rec.ID); err == nil && was.TimesRedeemed < rec.TimesRedeemed {
		rec.TimesRedeemed++
	}
	return t.Table.Replace(rec)
}

// forgetful forgets one movement of five.
func forgetful(s record.Store, _ *lateThings) record.Store {
	var n atomic.Int64
	return changed{s, func(tx *record.Tx) { tx.Movements = forgottenMovements{tx.Movements, &n} }}
}

type forgottenMovements struct {
	record.Table[record.Movement]
	n *atomic.Int64
}

// Insert does nothing now and then.
func (t forgottenMovements) Insert(rec record.Movement) error {
	if t.n.Add(1)%5 == 0 {
		return nil
	}
	return t.Table.Insert(rec)
}

// silent creates one affiliate of five without its event.
func silent(s record.Store, _ *lateThings) record.Store {
	var n atomic.Int64
	return changed{s, func(tx *record.Tx) { tx.Events = silentEvents{tx.Events, &n} }}
}

type silentEvents struct {
	record.Table[record.Event]
	n *atomic.Int64
}

// Insert does nothing now and then.
func (t silentEvents) Insert(rec record.Event) error {
	if rec.Type == affiliate.AffiliateCreated && t.n.Add(1)%5 == 0 {
		return nil
	}
	return t.Table.Insert(rec)
}

// within is how many histories may pass until a planted bug is caught.
const within = 200

// caught plants each bug on a target, which must be caught by a history that is
// not linearizable or by books that Verify refuses. Under -short each bug is planted on
// one target, the next bug on the next one.
func caught(t *testing.T, targets ...target) {
	for i, pl := range plants() {
		fit := slices.DeleteFunc(slices.Clone(targets), func(tg target) bool { return pl.lost != tg.loses })
		if testing.Short() && len(fit) > 0 {
			fit = fit[i%len(fit):][:1]
		}
		for _, tg := range fit {
			t.Run(pl.name+" on "+tg.name, func(t *testing.T) {
				var y tally
				for i := 0; i < within && y.illegal+y.unverified == 0; i++ {
					y.run(t, tg, pl, trades[pl.trade](), 6, 40, seedOf(t.Name(), i))
				}
				by := "Verify"
				if y.illegal > 0 {
					by = "history"
				}
				if y.illegal+y.unverified == 0 {
					t.Fatalf("not caught: %s", &y)
				}
				t.Logf("caught by %s, after %d histories", by, y.histories)
				t.Attr("planted", fmt.Sprintf("by=%s histories=%d", by, y.histories))
			})
		}
	}
}

// TestPlantedInMemory is G06 on the stores in memory.
func TestPlantedInMemory(t *testing.T) {
	caught(t, inMemory(), inMemoryRerun(), inMemoryLosing(), inMemoryApart())
}

// TestPlantedOverHTTP is G06 over HTTP.
func TestPlantedOverHTTP(t *testing.T) {
	caught(t, overHTTP("HTTP", &line{}, -1), overHTTP("HTTP, lost answers", &line{every: 20}, -1))
}

// TestPlantedOnPostgres is G06 on PostgreSQL.
func TestPlantedOnPostgres(t *testing.T) {
	shaky, _ := behindProxy(t, pgstore.Config{Group: 4})
	caught(t, append(ways(t), inHosts(t), shaky, twoProcesses(t, wayOf{}, 4*time.Second))...)
}
