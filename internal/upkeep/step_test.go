package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// stepAll does a job to its end, and returns what its steps did.
func stepAll(t *testing.T, p *tributary.Program, job affiliate.Job, limit int) (all []affiliate.Progress) {
	t.Helper()
	for at := (affiliate.Step{Limit: limit}); ; {
		done := scene.Must(p.Step(t.Context(), job, at))
		if all = append(all, done); done.Looked > int64(limit) || done.Done != (done.Cursor == "") || len(all) > 10_000 {
			t.Fatalf("step %d: %+v", len(all), done)
		}
		if done.Done {
			return all
		}
		at.Cursor = done.Cursor
	}
}

// totalOf adds what steps did.
func totalOf(all []affiliate.Progress) (sum affiliate.Progress) {
	for _, p := range all {
		sum.Looked, sum.Changed = sum.Looked+p.Looked, sum.Changed+p.Changed
		sum.Removed.Events, sum.Removed.Receipts = sum.Removed.Events+p.Removed.Events, sum.Removed.Receipts+p.Removed.Receipts
		sum.Removed.Deliveries, sum.Removed.Clicks = sum.Removed.Deliveries+p.Removed.Deliveries, sum.Removed.Clicks+p.Removed.Clicks
	}
	return sum
}

// A batched is a store that counts the affiliates and sales that its transactions
// replace, and that can fail after some transactions.
type batched struct {
	record.Store
	most    int
	updates int
	left    atomic.Int64 // Updates that succeed; negative: all
}

func (s *batched) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.left.Load() == 0 {
		return errKilled
	}
	s.left.Add(-1)
	s.updates++
	return s.Store.Update(ctx, id, func(tx *record.Tx) error {
		n := 0
		out := *tx
		out.Affiliates = replacedTable[record.Affiliate]{tx.Affiliates, &n}
		out.Sales = replacedTable[record.Sale]{tx.Sales, &n}
		err := fn(&out)
		s.most = max(s.most, n)
		return err
	})
}

type replacedTable[T record.Record[T]] struct {
	record.Table[T]
	n *int
}

func (t replacedTable[T]) Replace(rec T) error { *t.n++; return t.Table.Replace(rec) }

func newBatched(t *testing.T) (*scene.World, *batched) {
	s := &batched{Store: memstore.New()}
	s.left.Store(-1)
	return scene.NewOn(t, s), s
}

// tierless makes affiliates and tiers that only some of them meet.
func tierless(w *scene.World, n int) {
	ctx := w.T.Context()
	for i := range n {
		in := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", i)}
		scene.Must(w.CreateAffiliate(ctx, in))
	}
	scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "all"}))
}

// tiersOf is the tier of each affiliate, by email.
func tiersOf(w *scene.World) map[string]bool {
	out := map[string]bool{}
	for a, err := range affiliate.All(w.T.Context(), w.Affiliates, affiliate.AffiliateQuery{}) {
		if err != nil {
			w.T.Fatal(err)
		}
		out[a.Email] = !a.CommissionTierID.IsNull()
	}
	return out
}

// TestStepTiers (console check 8, on the engine): 5,000 affiliates in steps of
// 500 end as AssignTiers ends, no transaction changes more than 512, and another
// walk changes nothing.
func TestStepTiers(t *testing.T) {
	n := 5000
	w, store := newBatched(t)
	tierless(w, n)
	whole, _ := newBatched(t)
	tierless(whole, n)
	store.most, store.updates = 0, 0
	before := len(w.Dump()["events"])
	steps := stepAll(t, w.Program, affiliate.AssignTiersJob{}, 500)
	all := totalOf(steps)
	if len(steps) < 10 || all.Looked != int64(n) || all.Changed != scene.Must(whole.Run(t.Context(), affiliate.AssignTiersJob{})).Changed {
		t.Errorf("%d steps, %+v", len(steps), all)
	}
	if store.most > 512 || store.updates < 10 {
		t.Errorf("%d transactions, the largest of %d records", store.updates, store.most)
	}
	scene.Equal(t, tiersOf(whole), tiersOf(w))
	scene.Equal(t, n, len(w.Dump()["events"])-before)
	store.updates = 0
	if again := totalOf(stepAll(t, w.Program, affiliate.AssignTiersJob{}, 10_000)); again.Changed != 0 || store.updates != 0 {
		t.Errorf("a second walk: %+v in %d transactions", again, store.updates)
	}
	w.Verifies()
}

// cheaper makes sales and then lower terms, so that RecalculateSales has work.
func cheaper(w *scene.World, n int) affiliate.RecalculateJob {
	ctx := w.T.Context()
	a := w.Ada()
	for i := range n {
		scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: fmt.Sprintf("c%d@example.net", i%7), Name: "C", TotalEarned: scene.Sum("100")}))
	}
	plan := scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("5")}}))
	scene.Must(w.SetAffiliatePlan(ctx, plan.ID, a.Person.ID))
	return affiliate.RecalculateJob{AffiliateEmail: affiliate.Set("ada@example.com")}
}

// TestStepRecalculate (console check 14): steps end as RecalculateSales ends,
// also when the process is killed between two transactions and another goes on.
func TestStepRecalculate(t *testing.T) {
	const n = 1300
	money := func(w *scene.World) (out []string) {
		for s, err := range affiliate.All(t.Context(), w.Sales, affiliate.SaleQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, s.CommissionEarned.String())
		}
		return out
	}
	whole, _ := newBatched(t)
	want := scene.Must(whole.Run(t.Context(), cheaper(whole, n))).Changed
	for killedAt := range int64(4) {
		if killedAt%2 == 0 && !atlength.On() {
			continue
		}
		w, store := newBatched(t)
		job := cheaper(w, n)
		store.left.Store(killedAt)
		at, changed := affiliate.Step{Limit: 600}, int64(0)
		for killed := false; ; {
			done, err := w.Step(t.Context(), job, at)
			if errors.Is(err, errKilled) && !killed {
				killed = true
				store.left.Store(-1)
				continue // another process goes on with the last cursor
			}
			if err != nil {
				t.Fatal(err)
			}
			if changed += done.Changed; done.Done {
				if !killed {
					t.Errorf("nothing was killed at %d", killedAt)
				}
				break
			}
			at.Cursor = done.Cursor
		}
		if changed > want || want != n {
			t.Errorf("killed at %d: %d changed, the whole call changes %d", killedAt, changed, want)
		}
		scene.Equal(t, money(whole), money(w), killedAt)
		scene.Equal(t, len(whole.Dump()["events"]), len(w.Dump()["events"]), killedAt)
		w.Verifies()
	}
}

// TestStepPrune (console check 17): steps of any size delete what Prune and
// Retain delete.
func TestStepPrune(t *testing.T) {
	fill := func(t *testing.T) *busyProgram {
		l := newLong(t)
		for i := range waits {
			in := affiliate.CouponParams{Name: fmt.Sprint(i), PercentOff: scene.Percent("5")}
			in.Key = fmt.Sprint(i)
			c := scene.Must(l.CreateCoupon(t.Context(), in))
			scene.Must(l.UpdateCoupon(t.Context(), c.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("n", i))}))
			scene.Must(l.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada"}))
		}
		l.Settle(204, l.Claim(64)...) // one endpoint has one at a time; the others wait
		l.Pass(72 * day)
		return l
	}
	policy := affiliate.Retention{Events: 1, Receipts: 24 * time.Hour, Deliveries: 1, Clicks: 60 * day}
	for name, tt := range map[string]struct {
		job   func(l *busyProgram) affiliate.Job
		whole func(l *busyProgram) affiliate.Retained
	}{
		"Prune": {func(l *busyProgram) affiliate.Job { return affiliate.PruneJob{Before: l.Now.Add(-time.Hour)} }, func(l *busyProgram) affiliate.Retained {
			scene.Must(l.Run(t.Context(), affiliate.PruneJob{Before: l.Now.Add(-time.Hour)}))
			return affiliate.Retained{}
		}},
		"Retain": {func(*busyProgram) affiliate.Job { return affiliate.RetainJob{Retention: policy} }, func(l *busyProgram) affiliate.Retained {
			return scene.Must(l.Run(t.Context(), affiliate.RetainJob{Retention: policy})).Removed
		}},
	} {
		t.Run(name, func(t *testing.T) {
			whole := fill(t)
			removed := tt.whole(whole)
			for _, limit := range []int{1, 37, 700} {
				if limit != 37 && !atlength.On() {
					continue
				}
				l := fill(t)
				l.steps.listed = nil
				all := totalOf(stepAll(t, l.Program, tt.job(l), limit))
				listed := l.steps.listed
				if name == "Retain" && all.Removed != removed || all.Changed == 0 || all.Changed != all.Removed.Events+all.Removed.Receipts+all.Removed.Deliveries+all.Removed.Clicks {
					t.Errorf("limit %d: %+v, Retain %+v", limit, all, removed)
				}
				for table, rows := range whole.Dump() {
					scene.Equal(t, len(rows), len(l.Dump()[table]), limit, table)
				}
				if len(listed) > 0 {
					t.Errorf("limit %d: lists without a bound: %v", limit, listed)
				}
				l.Verifies()
			}
		})
	}
}

// A step keeps the later events of an object of which an earlier step kept one.
func TestStepPruneKeepsHistory(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 100} {
		w := scene.New(t)
		c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("5")}))
		rename := func(n int) {
			scene.Must(w.UpdateCoupon(t.Context(), c.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("c", n))}))
		}
		rename(1)
		waiting := w.Hook(affiliate.CouponUpdated)
		rename(2)
		scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), waiting.ID, affiliate.EndpointUpdate{Events: affiliate.Set([]affiliate.EventType{affiliate.SaleCreated})}))
		rename(3)
		w.Pass(48 * time.Hour)
		stepAll(t, w.Program, affiliate.PruneJob{Before: w.Now}, limit)
		var left []int64
		for _, e := range scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
			left = append(left, int64(e.Revision))
		}
		scene.Equal(t, []int64{4, 3}, left, limit)
		w.Verifies()
	}
}

// TestStepRepeated (console check 4): the same step again changes nothing; under
// a key it answers the same, also after the work of a step was done and its last
// transaction failed.
func TestStepRepeated(t *testing.T) {
	w, store := newBatched(t)
	tierless(w, 1200)
	first := scene.Must(w.Step(t.Context(), affiliate.AssignTiersJob{}, affiliate.Step{Limit: 600}))
	before := w.Dump()
	if again := scene.Must(w.Step(t.Context(), affiliate.AssignTiersJob{}, affiliate.Step{Limit: 600})); again.Changed != 0 || again.Cursor != first.Cursor || again.Looked != 600 {
		t.Errorf("a second time: %+v", again)
	}
	scene.Equal(t, before, w.Dump())
	at := affiliate.Step{Cursor: first.Cursor, Limit: 10_000}
	replayed := 0
	keyed := w.Keyed(affiliate.Once{Key: "step", Replayed: func([]byte) { replayed++ }})
	store.left.Store(2) // the look at the key, and one part
	if err := scene.ErrOf(keyed.Step(t.Context(), affiliate.AssignTiersJob{}, at)); !errors.Is(err, errKilled) {
		t.Fatalf("killed: %v", err)
	}
	store.left.Store(-1)
	second := scene.Must(keyed.Step(t.Context(), affiliate.AssignTiersJob{}, at))
	if !second.Done || second.Looked != 600 || second.Changed >= 600 || second.Changed == 0 || replayed != 0 {
		t.Errorf("after the kill: %+v, %d replayed", second, replayed)
	}
	done := w.Dump()
	scene.Equal(t, second, scene.Must(keyed.Step(t.Context(), affiliate.AssignTiersJob{}, at)))
	scene.Equal(t, 1, replayed)
	scene.Equal(t, done, w.Dump())
	scene.WantReason(t, "refused", affiliate.IdempotencyKeyReused, scene.ErrOf(keyed.Step(t.Context(), affiliate.AssignTiersJob{}, affiliate.Step{})))
	events := 0
	for _, err := range affiliate.All(t.Context(), w.Events, affiliate.EventQuery{Type: affiliate.AffiliateUpdated}) {
		if events++; err != nil {
			t.Fatal(err)
		}
	}
	scene.Equal(t, 1200, events)
}

// TestStepRefusals: limits, and a cursor of anything else.
func TestStepRefusals(t *testing.T) {
	w, _ := newBatched(t)
	tierless(w, 10)
	other, _ := newBatched(t)
	tierless(other, 10)
	email := affiliate.RecalculateJob{AffiliateEmail: affiliate.Set("a1@example.com")}
	badCursor := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "cursor", Message: "Invalid cursor"}
	cursor := scene.Must(w.Step(t.Context(), affiliate.AssignTiersJob{}, affiliate.Step{Limit: 3})).Cursor
	for name, tt := range map[string]struct {
		job affiliate.Job
		at  affiliate.Step
	}{
		"garbage":        {affiliate.AssignTiersJob{}, affiliate.Step{Cursor: "x"}},
		"another job":    {affiliate.RecalculateJob{}, affiliate.Step{Cursor: cursor}},
		"a page's":       {affiliate.AssignTiersJob{}, affiliate.Step{Cursor: scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1})).Next}},
		"other fields":   {affiliate.PruneJob{Before: w.Now}, affiliate.Step{Cursor: cursor}},
		"with a cut end": {affiliate.AssignTiersJob{}, affiliate.Step{Cursor: cursor[1:]}},
	} {
		t.Run(name, func(t *testing.T) {
			w.On(t)
			w.RefusedLate(badCursor, func() error { return scene.ErrOf(w.Step(t.Context(), tt.job, tt.at)) })
		})
	}
	for _, limit := range []int{-1, 10_001} {
		err := scene.ErrOf(w.Step(t.Context(), email, affiliate.Step{Limit: limit}))
		if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Reason != affiliate.InvalidField || e.Field != "limit" || e.Message != "limit must be an integer from 1 to 10000" {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if err := scene.ErrOf(w.Step(t.Context(), affiliate.RetainJob{Retention: affiliate.Retention{Receipts: time.Hour}}, affiliate.Step{})); !errors.Is(err, affiliate.RetentionTooShort) {
		t.Errorf("receipts of an hour: %v", err)
	}
	if err := scene.ErrOf(w.Step(t.Context(), nil, affiliate.Step{})); err == nil {
		t.Error("a step of no job")
	}
	nobody := affiliate.RecalculateJob{AffiliateEmail: affiliate.Set("nobody@example.com")}
	if done := scene.Must(w.Step(t.Context(), nobody, affiliate.Step{})); !done.Done || done.Looked != 0 {
		t.Errorf("sales of nobody: %+v", done)
	}
}

// A countingStore is a store that counts what each transaction does on the tables that
// grow without bound. It can stop after some Updates, like a process that is
// killed.
type countingStore struct {
	record.Store
	most   int      // the largest number of records that an Update listed, looked up or wrote
	listed []string // lists without a limit
	left   int      // Updates until the stop; 0: no stop
	after  func()   // called after each Update; nil: not called
}

var errKilled = errors.New("killed")

func (s *countingStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	n := 0
	return s.Store.View(ctx, id, func(tx *record.Tx) error { return fn(s.count(tx, &n)) })
}

func (s *countingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.left == 1 {
		return errKilled
	}
	s.left = max(s.left-1, 0)
	err := s.Store.Update(ctx, id, func(tx *record.Tx) error {
		n := 0
		err := fn(s.count(tx, &n))
		s.most = max(s.most, n)
		return err
	})
	if s.after != nil {
		s.after()
	}
	return err
}

func (s *countingStore) count(tx *record.Tx, n *int) *record.Tx {
	out := *tx
	out.Receipts = countingTable[record.Receipt]{tx.Receipts, s, n, "receipts"}
	out.Events = countingTable[record.Event]{tx.Events, s, n, "events"}
	out.Deliveries = countingTable[record.Delivery]{tx.Deliveries, s, n, "deliveries"}
	out.Clicks = countingTable[record.Click]{tx.Clicks, s, n, "clicks"}
	out.Totals = countingTable[record.Totals]{tx.Totals, s, n, "totals"}
	out.Queue = countingTable[record.Queue]{tx.Queue, s, n, "queue"}
	out.Imports = countingTable[record.Import]{tx.Imports, s, n, "imports"}
	return &out
}

type countingTable[T record.Record[T]] struct {
	record.Table[T]
	s    *countingStore
	n    *int
	name string
}

func (t countingTable[T]) Get(id uuid.UUID) (T, error)    { *t.n++; return t.Table.Get(id) }
func (t countingTable[T]) Find(key record.Key) (T, error) { *t.n++; return t.Table.Find(key) }
func (t countingTable[T]) Insert(rec T) error             { *t.n++; return t.Table.Insert(rec) }
func (t countingTable[T]) Replace(rec T) error            { *t.n++; return t.Table.Replace(rec) }
func (t countingTable[T]) Delete(id uuid.UUID) error      { *t.n++; return t.Table.Delete(id) }
func (t countingTable[T]) List(q record.Query) iter.Seq2[T, error] {
	if q.Limit == 0 {
		t.s.listed = append(t.s.listed, t.name)
	}
	return func(yield func(T, error) bool) {
		for rec, err := range t.Table.List(q) {
			*t.n++
			if !yield(rec, err) {
				return
			}
		}
	}
}

// A busyProgram is a program with more work than one transaction does: 300 deliveries
// wait for an endpoint.
type busyProgram struct {
	*scene.World
	steps *countingStore
	hook  affiliate.IssuedEndpoint
}

const waits = 300

func newLong(t *testing.T) *busyProgram {
	s := &countingStore{Store: memstore.New()}
	l := &busyProgram{World: scene.NewOn(t, s), steps: s}
	l.hook = l.HookAt("https://slow.example/", affiliate.PromocodeCreated)
	a := l.Ada()
	scene.Must(l.GenerateCodes(t.Context(), affiliate.CodesParams{Count: waits - 1, CodeParams: affiliate.CodeParams{
		CouponID: a.Autumn.ID, AffiliateID: a.Person.ID, IsAutoGenerated: true, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
	}}))
	scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryPending: waits}, l.States(l.hook.ID))
	return l
}

// disable disables the endpoint by hand.
func (l *busyProgram) disable() error {
	_, err := l.Webhooks().UpdateEndpoint(l.T.Context(), l.hook.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	return err
}

// replay replays all deliveries that were not delivered.
func (l *busyProgram) replay(key string) (int, error) {
	in := scene.SinceStart(l.hook.ID)
	in.Key = key
	return l.Webhooks().Replay(l.T.Context(), in)
}

// TestSmallTransactions: a long job runs in transactions that each do little
// work, and Verify passes after each of them.
func TestSmallTransactions(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(l *busyProgram)
		run     func(l *busyProgram) error
		want    map[affiliate.DeliveryState]int // at the endpoint
	}{
		"410": {func(*busyProgram) {}, func(l *busyProgram) error { l.Settle(410, l.Claim(1)...); return nil },
			map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: waits}},
		"Disable": {func(*busyProgram) {}, (*busyProgram).disable, map[affiliate.DeliveryState]int{affiliate.DeliverySkipped: waits}},
		"Delete": {func(*busyProgram) {}, func(l *busyProgram) error { _, err := l.Webhooks().DeleteEndpoint(t.Context(), l.hook.ID); return err },
			map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: waits}},
		"Replay": {
			func(l *busyProgram) {
				scene.Must(0, l.disable())
				l.Edit(l.hook.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
			},
			func(l *busyProgram) error {
				n, err := l.replay("")
				if err == nil && n != waits {
					err = fmt.Errorf("%d replayed", n)
				}
				return err
			}, map[affiliate.DeliveryState]int{affiliate.DeliveryPending: waits},
		},
		"Prune": {
			func(l *busyProgram) {
				scene.Must(0, l.disable())
				for i := range waits {
					in := affiliate.CouponParams{Name: fmt.Sprint(i), PercentOff: scene.Percent("5")}
					in.Key = fmt.Sprint(i)
					scene.Must(l.CreateCoupon(t.Context(), in))
				}
				l.Pass(72 * time.Hour)
			},
			func(l *busyProgram) error {
				_, err := l.Run(t.Context(), affiliate.PruneJob{Before: l.Now.Add(-time.Hour)})
				return err
			}, map[affiliate.DeliveryState]int{},
		},
		"Retain": {
			func(l *busyProgram) {
				for range waits {
					scene.Must(l.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada"}))
				}
				l.Pass(72 * day)
			},
			func(l *busyProgram) error {
				done, err := l.Run(t.Context(), affiliate.RetainJob{Retention: affiliate.Retention{Events: 1, Receipts: 24 * time.Hour, Deliveries: 1, Clicks: 60 * day}})
				if err == nil && done.Removed.Clicks != waits {
					err = fmt.Errorf("%+v deleted", done.Removed)
				}
				return err
			}, map[affiliate.DeliveryState]int{affiliate.DeliveryPending: waits},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLong(t)
			tt.prepare(l)
			l.steps.most, l.steps.listed = 0, nil
			updates := 0
			l.steps.after = func() {
				if updates++; updates%3 == 1 {
					scene.Must(0, l.With(l.steps.Store).Verify(t.Context()))
				}
			}
			scene.Must(0, tt.run(l))
			l.steps.after = nil
			t.Logf("%d transactions, of %d records at most", updates, l.steps.most)
			if l.steps.most > 400 || len(l.steps.listed) > 0 || updates < 3 {
				t.Errorf("a transaction of %d records, lists without a bound %v, %d transactions", l.steps.most, l.steps.listed, updates)
			}
			scene.Equal(t, tt.want, l.States(l.hook.ID))
			if name == "Prune" {
				scene.Equal(t, map[string]int{"receipts": 0, "deliveries": 0, "events": 0}, sizes(l.World))
			}
			l.Verifies()
		})
	}
}

// When a process ends in the middle of a 410, Verify passes. The remaining
// deliveries are canceled when the next one is due. None of them is sent, not
// even when the endpoint is enabled again.
func TestClearingCutOff(t *testing.T) {
	cut := func(t *testing.T) *busyProgram {
		l := newLong(t)
		claims := l.Claim(1)
		l.steps.left = 3
		l.Settle(410, claims...) // disables the endpoint, whatever happens to the rest
		l.steps.left = 0
		if n := l.States(l.hook.ID)[affiliate.DeliveryPending]; n == 0 || n == waits {
			t.Fatalf("%d still wait: the cut was not in the middle", n)
		}
		l.Verifies()
		return l
	}
	t.Run("GoesOn", func(t *testing.T) {
		l := cut(t)
		for range waits {
			if got := l.Claim(64); len(got) > 0 {
				t.Fatalf("claimed %v", got)
			}
		}
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: waits}, l.States(l.hook.ID))
		l.Verifies()
	})
	t.Run("Enabled", func(t *testing.T) {
		l := cut(t)
		l.Edit(l.hook.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: waits}, l.States(l.hook.ID))
		if got := l.Claim(64); len(got) > 0 {
			t.Errorf("sent by itself: %v", got)
		}
		l.Verifies()
	})
	t.Run("Settled", func(t *testing.T) {
		l := newLong(t)
		l.Settle(200, l.Claim(1)...) // after an answer it gets more than one at a time
		claims := l.Claim(2)
		l.steps.left = 2
		l.Settle(410, claims[0])
		l.steps.left = 0
		before := l.States(l.hook.ID)
		l.Settle(200, claims[1]) // has no effect, because it was in flight when the endpoint was disabled
		if d := l.ReadDelivery(claims[1].Delivery); d.State == affiliate.DeliveryDelivered || d.AttemptCount != 0 {
			t.Errorf("settled after all: %+v", d)
		}
		if before[affiliate.DeliveryPending] == 0 {
			t.Error("the cut was not in the middle")
		}
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryDelivered: 1, affiliate.DeliveryCanceled: waits - 1}, l.States(l.hook.ID)) // this call canceled the rest
		l.Verifies()
	})
}

// A delete that is cut off leaves a disabled endpoint and records that agree;
// its repeat deletes the rest. A delete with a key that was used before changes
// nothing.
func TestDeleteEndpointCutOff(t *testing.T) {
	l := newLong(t)
	l.steps.left = 3
	if _, err := l.Webhooks().DeleteEndpoint(t.Context(), l.hook.ID); !errors.Is(err, errKilled) {
		t.Fatalf("error %v", err)
	}
	l.steps.left = 0
	l.Verifies()
	if ep := l.Health(l.hook.ID); ep.Active || l.States(l.hook.ID)[affiliate.DeliveryPending] == 0 {
		t.Errorf("endpoint %+v, deliveries %v", ep, l.States(l.hook.ID))
	}
	scene.Must(l.Webhooks().DeleteEndpoint(t.Context(), l.hook.ID))
	scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: waits}, l.States(l.hook.ID))
	l.Verifies()

	l = newLong(t)
	keyed := l.Keyed(affiliate.Once{Key: "k"})
	scene.Must(keyed.Webhooks().UpdateEndpoint(t.Context(), l.hook.ID, affiliate.EndpointUpdate{Description: scene.TextOf("d")}))
	before := l.Dump()
	scene.WantReason(t, "error", affiliate.IdempotencyKeyReused, scene.ErrOf(keyed.Webhooks().DeleteEndpoint(t.Context(), l.hook.ID)))
	scene.Equal(t, before, l.Dump())
}

// A replay of a range that is cut off is finished by its repeat. After that the
// same key has no effect.
func TestReplayCutOff(t *testing.T) {
	l := newLong(t)
	scene.Must(0, l.disable())
	l.Edit(l.hook.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
	l.steps.left = 4
	if _, err := l.replay("k"); !errors.Is(err, errKilled) {
		t.Fatalf("error %v", err)
	}
	l.steps.left = 0
	l.Verifies()
	rest := l.States(l.hook.ID)[affiliate.DeliverySkipped]
	if rest == 0 || rest == waits {
		t.Fatalf("%d left: the cut was not in the middle", rest)
	}
	scene.Equal(t, rest, scene.Must(l.replay("k")))
	scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryPending: waits}, l.States(l.hook.ID))
	scene.Must(0, l.disable())
	l.Edit(l.hook.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
	before := l.Dump()
	if n := scene.Must(l.replay("k")); n != rest {
		t.Errorf("the stored answer is %d", n)
	}
	scene.Equal(t, before, l.Dump())
}

func TestMain(m *testing.M) { atlength.Main(m) }

// TestStepBonuses: bonuses are given in transactions that end after so many records, also in the middle of a
// step's affiliates; another walk gives nothing.
func TestStepBonuses(t *testing.T) {
	for name, bonus := range map[string]affiliate.Bonus{"sales": {Revenue: scene.Sum("100")}, "customers": {SignUps: 100}} {
		t.Run(name, func(t *testing.T) {
			w, store := newBatched(t)
			ctx := t.Context()
			bonus.Name, bonus.From, bonus.Amount = "each 100", affiliate.At(w.Now), scene.Sum("1")
			scene.Must(w.SetTerms(ctx, affiliate.TermsUpdate{Bonuses: affiliate.Set([]affiliate.Bonus{bonus})}))
			for i := range 5 {
				slug := fmt.Sprint("slug", i)
				scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: slug + "@example.com", AffiliateLink: slug}))
				for n := range 1100 {
					if name == "sales" {
						scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: slug, Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum("1")}))
					} else {
						kim := fmt.Sprintf("kim%d.%d", i, n)
						scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: slug, Email: kim + "@example.net", Name: "Kim", ReferredUserExternalID: kim}))
					}
				}
			}
			store.updates = 0
			steps := stepAll(t, w.Program, affiliate.GrantBonusesJob{}, 10_000)
			if all := totalOf(steps); all.Looked != 5 || all.Changed != 5 || store.updates < 3 || store.updates > 4 {
				t.Errorf("%d steps in %d transactions, %+v", len(steps), store.updates, all)
			}
			for _, a := range scene.Must(w.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{})).Items {
				if b := scene.Must(w.Bonuses(ctx, affiliate.AffiliateRef{ID: a.ID})); b[0].Given != 11 || b[0].Reached != scene.Sum("1100") {
					t.Errorf("%s: %+v", a.Email, b)
				}
			}
			if again := totalOf(stepAll(t, w.Program, affiliate.GrantBonusesJob{}, 10_000)); again.Changed != 0 {
				t.Errorf("a second walk: %+v", again)
			}
			w.Verifies()
		})
	}
}
