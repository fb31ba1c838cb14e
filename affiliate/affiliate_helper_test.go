package affiliate_test

import (
	"context"
	"encoding/json"
	"errors"

	"iter"
	"math/rand/v2"

	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// An affWorld is a program over a store that counts writes and can fail.
type affWorld struct {
	*affiliate.Program
	t     *testing.T
	store *affStore
	id    uuid.UUID
	now   time.Time
}

var affStart = time.Date(2026, 2, 3, 8, 15, 0, 120_000_000, time.UTC)

// newAffWorld makes a world; change adjusts its configuration.
func newAffWorld(t *testing.T, change ...func(*affiliate.Config)) *affWorld {
	t.Helper()
	w := &affWorld{t: t, store: &affStore{Store: memstore.New()}, id: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), now: affStart}
	cfg := affiliate.Config{
		ID: w.id, Name: "Northwind Beans",
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:   func() time.Time { return w.now },
		Rand:  rand.NewChaCha8([32]byte{1}),
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := affiliate.New(w.store, cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Program = p
	return w
}

func (w *affWorld) ctx() context.Context { return w.t.Context() }

// must is v, or the end of the test.
func affMust[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		return v
	}
}

// affiliate creates an affiliate with the local part of an email.
func (w *affWorld) affiliate(local string, change ...func(*affiliate.NewAffiliate)) affiliate.Affiliate {
	w.t.Helper()
	in := affiliate.NewAffiliate{FirstName: "Mara", LastName: "Lindqvist", Email: local + "@example.org"}
	for _, c := range change {
		c(&in)
	}
	return affMust[affiliate.Affiliate](w.t)(w.CreateAffiliate(w.ctx(), in))
}

// link adds a link.
func (w *affWorld) link(owner uuid.UUID, slug string) affiliate.Link {
	w.t.Helper()
	return affMust[affiliate.Link](w.t)(w.CreateLink(w.ctx(), affiliate.NewLink{Link: slug, AffiliateID: owner}))
}

// referral creates a customer who came through the slug.
func (w *affWorld) referral(slug, email string) affiliate.Referral {
	w.t.Helper()
	return affMust[affiliate.Referral](w.t)(w.CreateReferral(w.ctx(), affiliate.NewReferral{
		AffiliateID: slug, Name: "Kim", Email: email, ReferredUserExternalID: email,
	}))
}

// sale records a sale to a customer.
func (w *affWorld) sale(email, total string) affiliate.Sale {
	w.t.Helper()
	got := affMust[affiliate.SaleResult](w.t)(w.RecordSale(w.ctx(), affiliate.NewSale{
		ReferralID: email, TotalEarned: affiliate.MustAmount(total),
	}))
	s, ok := got.Sale.Get()
	if !ok {
		w.t.Fatalf("sale not recorded: %v", got.Outcome)
	}
	return s
}

// insert writes records past the engine.
func (w *affWorld) insert(fn func(*affiliate.Tx) error) {
	w.t.Helper()
	if err := w.store.Store.Update(w.ctx(), w.id, fn); err != nil {
		w.t.Fatal(err)
	}
}

// code issues a code of a coupon of its own.
func (w *affWorld) code(owner uuid.UUID, code string) affiliate.Code {
	w.t.Helper()
	coupon := affMust[affiliate.Coupon](w.t)(w.CreateCoupon(w.ctx(), affiliate.NewCoupon{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	return affMust[affiliate.Code](w.t)(w.CreateCode(w.ctx(), affiliate.NewCode{CouponID: coupon.ID, Code: code, AffiliateID: owner}))
}

// verify checks the invariants of the records.
func (w *affWorld) verify() {
	w.t.Helper()
	if err := w.Verify(w.ctx()); err != nil {
		w.t.Error(err)
	}
}

// fired is what fn fired, oldest first.
func (w *affWorld) fired(fn func()) []affiliate.Event {
	w.t.Helper()
	all := func() []affiliate.Event {
		return affMust[affiliate.List[affiliate.Event]](w.t)(w.Events(w.ctx(), affiliate.EventFilter{}, affiliate.Page{})).Items
	}
	before := len(all())
	fn()
	after := all()
	events := after[:len(after)-before]
	for i, j := 0, len(events)-1; i < j; i, j = i+1, j-1 {
		events[i], events[j] = events[j], events[i]
	}
	return events
}

// firedTypes is fired, each as "type object".
func (w *affWorld) firedTypes(fn func()) []string {
	w.t.Helper()
	out := []string{}
	for _, e := range w.fired(fn) {
		out = append(out, string(e.Type)+" "+e.ObjectID)
	}
	return out
}

// body is the body of an event.
func affBody[T any](t *testing.T, e affiliate.Event) T {
	t.Helper()
	var payload struct{ Body T }
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	return payload.Body
}

// dump is every record of the program as JSON, by table and id.
func (w *affWorld) dump() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	err := w.store.Store.View(w.ctx(), w.id, func(tx *affiliate.Tx) error {
		return errors.Join(
			affDump(out, "affiliates", tx.Affiliates), affDump(out, "links", tx.Links), affDump(out, "clicks", tx.Clicks),
			affDump(out, "referrals", tx.Referrals), affDump(out, "coupons", tx.Coupons), affDump(out, "codes", tx.Codes),
			affDump(out, "redemptions", tx.Redemptions), affDump(out, "sales", tx.Sales), affDump(out, "plans", tx.Plans),
			affDump(out, "tiers", tx.Tiers), affDump(out, "payouts", tx.Payouts), affDump(out, "totals", tx.Totals),
			affDump(out, "receipts", tx.Receipts), affDump(out, "endpoints", tx.Endpoints), affDump(out, "events", tx.Events),
			affDump(out, "deliveries", tx.Deliveries), affDump(out, "queue", tx.Queue),
		)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func affDump[T affiliate.Record[T]](out map[string]string, table string, t affiliate.Table[T]) error {
	for rec, err := range t.List(affiliate.Query{}) {
		if err != nil {
			return err
		}
		raw, err := json.Marshal(rec)
		if err != nil {
			return err
		}
		out[table+"/"+rec.RecordID().String()] = string(raw)
	}
	return nil
}

// An affRefusal is what tests pin of an error.
type affRefusal struct {
	Kind           affiliate.Kind
	Reason         affiliate.Reason
	Field, Message string
}

// refused checks the error of fn, and that fn wrote nothing at all.
func (w *affWorld) refused(want affRefusal, fn func() error) {
	w.t.Helper()
	before := w.dump()
	w.store.writes = 0
	err := fn()
	e, ok := errors.AsType[*affiliate.Error](err)
	if !ok {
		w.t.Fatalf("not refused: %v", err)
	}
	if diff := cmp.Diff(want, affRefusal{e.Kind, e.Reason, e.Field, e.Message}); diff != "" {
		w.t.Errorf("refusal (-want +got):\n%s", diff)
	}
	if !errors.Is(err, want.Reason) {
		w.t.Errorf("errors.Is(err, %q) is false", want.Reason)
	}
	if w.store.writes > 0 {
		w.t.Errorf("%d writes before the refusal", w.store.writes)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		w.t.Errorf("a refusal changed something:\n%s", diff)
	}
}

// invalid is a refusal with KindInvalid, conflict one with KindConflict.
func affInvalid(reason affiliate.Reason, field, text string) affRefusal {
	return affRefusal{affiliate.KindInvalid, reason, field, text}
}

func affConflict(reason affiliate.Reason, field, text string) affRefusal {
	return affRefusal{affiliate.KindConflict, reason, field, text}
}

// everyFailure runs fn with the store failing at its first operation, then at
// its second and so on until it succeeds: each failure comes back and changes
// nothing.
func (w *affWorld) everyFailure(fn func() error) {
	w.t.Helper()
	for at := 1; ; at++ {
		before := w.dump()
		w.store.ops, w.store.failAt = 0, at
		err := fn()
		done := w.store.ops < at
		w.store.failAt = 0
		if done {
			if err != nil {
				w.t.Fatalf("without a failure: %v", err)
			}
			return
		}
		if !errors.Is(err, errAffBoom) {
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

// equal compares with cmp.Diff.
func affEqual[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var (
	errAffBoom  = errors.New("boom")
	errAffAgain = errors.New("run again")
)

// An affStore is a Store that counts operations and writes, fails at one of
// them, and may run every closure of an Update twice or look nothing up.
type affStore struct {
	affiliate.Store
	ops, writes, failAt int
	rerun               bool
	blind               bool // Find misses: only the unique indexes are left
}

func (s *affStore) View(ctx context.Context, id uuid.UUID, fn func(*affiliate.Tx) error) error {
	return s.Store.View(ctx, id, func(tx *affiliate.Tx) error { return fn(s.wrap(tx)) })
}

func (s *affStore) Update(ctx context.Context, id uuid.UUID, fn func(*affiliate.Tx) error) error {
	if s.rerun {
		err := s.Store.Update(ctx, id, func(tx *affiliate.Tx) error {
			if err := fn(s.wrap(tx)); err != nil {
				return err
			}
			return errAffAgain
		})
		if !errors.Is(err, errAffAgain) {
			return err
		}
	}
	return s.Store.Update(ctx, id, func(tx *affiliate.Tx) error { return fn(s.wrap(tx)) })
}

func (s *affStore) wrap(tx *affiliate.Tx) *affiliate.Tx {
	return &affiliate.Tx{
		Affiliates: affTable[affiliate.AffiliateRecord]{tx.Affiliates, s}, Links: affTable[affiliate.LinkRecord]{tx.Links, s},
		Clicks: affTable[affiliate.ClickRecord]{tx.Clicks, s}, Referrals: affTable[affiliate.ReferralRecord]{tx.Referrals, s},
		Coupons: affTable[affiliate.CouponRecord]{tx.Coupons, s}, Codes: affTable[affiliate.CodeRecord]{tx.Codes, s},
		Redemptions: affTable[affiliate.RedemptionRecord]{tx.Redemptions, s}, Sales: affTable[affiliate.SaleRecord]{tx.Sales, s},
		Plans: affTable[affiliate.PlanRecord]{tx.Plans, s}, Tiers: affTable[affiliate.TierRecord]{tx.Tiers, s},
		Payouts: affTable[affiliate.PayoutRecord]{tx.Payouts, s}, Totals: affTable[affiliate.TotalsRecord]{tx.Totals, s},
		Receipts: affTable[affiliate.ReceiptRecord]{tx.Receipts, s}, Endpoints: affTable[affiliate.EndpointRecord]{tx.Endpoints, s},
		Events: affTable[affiliate.EventRecord]{tx.Events, s}, Deliveries: affTable[affiliate.DeliveryRecord]{tx.Deliveries, s},
		Queue: affTable[affiliate.QueueRecord]{tx.Queue, s},
		Next: func(seq affiliate.Sequence) (int64, error) {
			if err := s.step(true); err != nil {
				return 0, err
			}
			return tx.Next(seq)
		},
	}
}

// step counts an operation and may fail it.
func (s *affStore) step(write bool) error {
	s.ops++
	if s.ops == s.failAt {
		return errAffBoom
	}
	if write {
		s.writes++
	}
	return nil
}

type affTable[T affiliate.Record[T]] struct {
	affiliate.Table[T]
	s *affStore
}

func (t affTable[T]) Get(id uuid.UUID) (rec T, err error) {
	if err := t.s.step(false); err != nil {
		return rec, err
	}
	return t.Table.Get(id)
}

func (t affTable[T]) Find(key affiliate.Key) (rec T, err error) {
	if err := t.s.step(false); err != nil {
		return rec, err
	}
	if t.s.blind {
		return rec, affiliate.ErrNotFound
	}
	return t.Table.Find(key)
}

func (t affTable[T]) List(q affiliate.Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if err := t.s.step(false); err != nil {
			var zero T
			yield(zero, err)
			return
		}
		t.Table.List(q)(yield)
	}
}

func (t affTable[T]) Insert(rec T) error {
	if err := t.s.step(true); err != nil {
		return err
	}
	return t.Table.Insert(rec)
}

func (t affTable[T]) Replace(rec T) error {
	if err := t.s.step(true); err != nil {
		return err
	}
	return t.Table.Replace(rec)
}

func (t affTable[T]) Delete(id uuid.UUID) error {
	if err := t.s.step(true); err != nil {
		return err
	}
	return t.Table.Delete(id)
}

// emptyErr is the error of a call whose answer does not matter.
func affErr[T any](_ T, err error) error { return err }
