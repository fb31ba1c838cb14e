package router_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

func TestMain(m *testing.M) { atlength.Main(m) }

// A site is some stores in memory, and routers over them.
type site struct {
	t      testing.TB
	names  []string
	stores map[string]record.Store
}

func newSite(t testing.TB, names ...string) *site {
	s := &site{t, names, map[string]record.Store{}}
	for _, name := range names {
		s.stores[name] = memstore.New()
	}
	return s
}

// named returns the stores with names, each behind wrap.
func (s *site) named(wrap func(record.Store) record.Store, names ...string) (all []router.NamedStore) {
	for _, name := range names {
		all = append(all, router.NamedStore{Name: name, Store: wrap(s.stores[name])})
	}
	return all
}

func bare(s record.Store) record.Store { return s }

// router returns a new router over all stores, as a new process has.
func (s *site) router(change ...func(*router.Config)) *router.Store {
	cfg := router.Config{Stores: s.named(bare, s.names...), Patience: time.Second}
	for _, c := range change {
		c(&cfg)
	}
	return scene.Must(router.New(cfg))
}

// in places new programs in a store.
func in(name string) func(*router.Config) {
	return func(c *router.Config) { c.Place = func(uuid.UUID) string { return name } }
}

// only fails unless a program is in one store and no other has a record of it.
func (s *site) only(name string, id uuid.UUID) {
	s.t.Helper()
	if home, err := s.router().Home(s.t.Context(), id); home != name || err != nil {
		s.t.Errorf("Home is %q, error %v, want %q", home, err, name)
	}
	for other, store := range s.stores {
		if n := records(s.t, store, id); other != name && n > 0 {
			s.t.Errorf("%d records are in %s", n, other)
		}
	}
}

func records(t testing.TB, store record.Store, id uuid.UUID) (n int) {
	t.Helper()
	err := store.View(t.Context(), id, func(tx *record.Tx) error {
		n = 0
		for _, table := range record.Schema() {
			for _, err := range table.In(tx).List(record.Query{}) {
				if n++; err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// newShop makes a program whose clock and ids are the same in each test.
func newShop(t testing.TB, store record.Store) *tributary.Program {
	t.Helper()
	var seconds atomic.Int64
	return scene.Must(tributary.New(store, tributary.Config{
		ID: program, Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Rand: rand.NewChaCha8([32]byte{1}),
		Now: func() time.Time { return scene.Start.Add(time.Duration(seconds.Add(1)) * time.Second) },
	}))
}

// open makes the first records of a shop: an affiliate, a code with a limit, an endpoint.
func open(t testing.TB, p *tributary.Program, limit int64) {
	t.Helper()
	ctx := t.Context()
	ada := scene.Must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
	coupon := scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	scene.Must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "SAVE20", AffiliateID: ada.ID, MaxRedemptions: affiliate.Set(limit)}))
	scene.Must(p.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://a.example/x", Events: affiliate.EventTypes()}))
}

func sell(ctx context.Context, p *tributary.Program, n int) error {
	_, err := p.RecordSale(ctx, affiliate.SaleParams{
		PromoCode: "SAVE20", Email: fmt.Sprintf("b%d@example.net", n), Name: "B", TotalEarned: affiliate.MustAmount("10"), ExternalID: fmt.Sprint("order-", n),
	})
	return err
}

func TestStore(t *testing.T) {
	for place, names := range map[string]string{"first": "a", "others": "b"} {
		t.Run(place, func(t *testing.T) {
			conformance.TestStore(t, func(tb testing.TB) record.Store { return newSite(tb, "a", "b", "c").router(in(names)) })
		})
	}
}

// TestRerun: closures run twice. Nothing moves, because memory does not take sequences back.
func TestRerun(t *testing.T) {
	atlength.Only(t, "runs the suite a second time")
	conformance.TestStore(t, func(tb testing.TB) record.Store {
		s := newSite(tb, "a", "b")
		return s.router(func(c *router.Config) { c.Stores = s.named(conformance.Rerun, s.names...) })
	})
}

// TestMove: a program goes from store to store and back, with all its records, and every
// router finds it.
func TestMove(t *testing.T) {
	s, alone := newSite(t, "a", "b", "c"), memstore.New()
	r, other := s.router(), s.router()
	shop, elsewhere, control := newShop(t, r), newShop(t, other), newShop(t, alone)
	open(t, shop, 100)
	open(t, control, 100)
	for n, to := range []string{"a", "b", "c", "b", "b", "a", "c"} {
		if err := r.Move(t.Context(), program, to); err != nil {
			t.Fatalf("Move to %s: %v", to, err)
		}
		s.only(to, program)
		for _, p := range []*tributary.Program{shop, control} {
			if err := sell(t.Context(), p, n); err != nil {
				t.Fatal(err)
			}
		}
		sameIn(t, alone, s.stores[to], program)
		got, err := elsewhere.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})
		if len(got.Items) != n+1 || err != nil {
			t.Errorf("the other router sees %d sales, error %v, want %d", len(got.Items), err, n+1)
		}
	}
	if err := shop.Verify(t.Context()); err != nil {
		t.Errorf("Verify: %v", err)
	}
}

// TestBegin: a new program begins where Place says, or where it is moved to before.
func TestBegin(t *testing.T) {
	for _, place := range []string{"a", "b"} {
		s := newSite(t, "a", "b", "c")
		r := s.router(in(place))
		if _, err := r.Home(t.Context(), program); !errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("Home before: %v", err)
		}
		shop := newShop(t, r)
		if list, err := shop.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{}); len(list.Items) > 0 || err != nil {
			t.Errorf("before: %v, %v", list, err)
		}
		open(t, shop, 1)
		s.only(place, program)

		s = newSite(t, "a", "b", "c")
		r = s.router(in(place))
		for _, to := range s.names {
			id := uuid.UUID{1, 15: to[0]}
			if err := r.Move(t.Context(), id, to); err != nil {
				t.Errorf("Move to %s: %v", to, err)
			}
			s.only(to, id)
		}
	}
}

// TestOlder: a program that a store had before there was a router stays there, whatever
// Place says, and two of them are refused.
func TestOlder(t *testing.T) {
	for _, had := range []string{"a", "b"} {
		s := newSite(t, "a", "b", "c")
		open(t, newShop(t, s.stores[had]), 9)
		shop := newShop(t, s.router(in("c")))
		if list, err := shop.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}); len(list.Items) != 1 || err != nil {
			t.Errorf("in %s: %d affiliates, error %v", had, len(list.Items), err)
		}
		if err := sell(t.Context(), shop, 1); err != nil {
			t.Error(err)
		}
		s.only(had, program)
		if err := s.router().Move(t.Context(), program, "c"); err != nil {
			t.Error(err)
		}
		s.only("c", program)
		if err := shop.Verify(t.Context()); err != nil {
			t.Errorf("Verify: %v", err)
		}
	}
	s := newSite(t, "a", "b")
	open(t, newShop(t, s.stores["a"]), 9)
	open(t, newShop(t, s.stores["b"]), 9)
	r := s.router()
	nothing := func(*record.Tx) error { return nil }
	for what, err := range map[string]error{
		"View": r.View(t.Context(), program, nothing), "Update": r.Update(t.Context(), program, nothing), "Move": r.Move(t.Context(), program, "b"),
	} {
		if !errors.Is(err, router.ErrOccupied) {
			t.Errorf("%s of a program that is twice: %v", what, err)
		}
	}
}

// TestNew refuses what cannot work.
func TestNew(t *testing.T) {
	for want, cfg := range map[string]router.Config{
		"Stores is empty": {}, "no name": {Stores: []router.NamedStore{{Store: memstore.New()}}}, "no store": {Stores: []router.NamedStore{{Name: "a"}}},
		"twice":    {Stores: []router.NamedStore{{"a", memstore.New()}, {"b", memstore.New()}, {"a", memstore.New()}}},
		"Patience": {Stores: []router.NamedStore{{"a", memstore.New()}}, Patience: -1},
	} {
		if _, err := router.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestFirst: hosts that take different stores as the first never both begin a program.
func TestFirst(t *testing.T) {
	s := newSite(t, "a", "b", "c")
	one := s.router(func(c *router.Config) { c.Stores = s.named(bare, "a", "b") })
	begin := func(r *router.Store, n byte) error {
		return r.Update(t.Context(), uuid.UUID{n}, func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{n}}) })
	}
	if err := begin(one, 1); err != nil {
		t.Fatal(err)
	}
	same := s.stores["a"]
	for what, stores := range map[string][]router.NamedStore{
		"another first": s.named(bare, "b", "a"), "a new first": s.named(bare, "c", "a", "b"),
		"a store twice": {{"a", same}, {"again", same}}, "under other names": {{"a", s.stores["b"]}, {"b", s.stores["a"]}},
	} {
		if err := begin(s.router(func(c *router.Config) { c.Stores = stores }), 2); !errors.Is(err, router.ErrFirst) {
			t.Errorf("%s: %v", what, err)
		}
	}
	more := s.router(in("c"))
	if err := begin(more, 2); err != nil {
		t.Errorf("one store more: %v", err)
	}
	s.only("c", uuid.UUID{2})
	if err := begin(one, 2); !errors.Is(err, router.ErrNowhere) {
		t.Errorf("a host without that store: %v", err)
	}
	if err := begin(one, 1); err == nil || errors.Is(err, router.ErrNowhere) {
		t.Errorf("its own program: %v, want a clash", err)
	}

	// Two that disagree from the start: one of them begins, whatever is between.
	fresh := newSite(t, "a", "b")
	left, right := fresh.router(), fresh.router(func(c *router.Config) { c.Stores = fresh.named(bare, "b", "a") })
	errs := [2]error{begin(left, 1), begin(right, 1)}
	if errs[0] != nil || !errors.Is(errs[1], router.ErrFirst) && !errors.Is(errs[1], record.ErrExists) {
		t.Errorf("errors %v", errs)
	}
}

// TestDown: a store that does not answer harms only its own programs and the beginning of
// new ones, at the start and in the middle.
func TestDown(t *testing.T) {
	s := newSite(t, "a", "b")
	for _, name := range s.names {
		if err := s.router().Move(t.Context(), uuid.UUID{name[0]}, name); err != nil {
			t.Fatal(err)
		}
	}
	down := map[string]*failingStore{"a": {Store: s.stores["a"]}, "b": {Store: s.stores["b"]}}
	running := s.router(func(c *router.Config) { c.Stores = []router.NamedStore{{"a", down["a"]}, {"b", down["b"]}} })
	for _, bad := range s.names {
		for what, r := range map[string]*router.Store{"running": running, "starting": s.router(func(c *router.Config) { c.Stores = []router.NamedStore{{"a", down["a"]}, {"b", down["b"]}} })} {
			down[bad].err = errBroken
			for _, name := range s.names {
				for method, err := range both(t.Context(), r, uuid.UUID{name[0]}) {
					if (name == bad) != errors.Is(err, errBroken) {
						t.Errorf("%s is down, %s: %s of a program of %s: %v", bad, what, method, name, err)
					}
				}
				to := map[string]string{"a": "b", "b": "a"}[name]
				if err := r.Move(t.Context(), uuid.UUID{name[0]}, to); !errors.Is(err, errBroken) {
					t.Errorf("%s is down: Move from %s: %v", bad, name, err)
				}
			}
			for method, err := range both(t.Context(), r, uuid.UUID{9}) {
				if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "store "+bad) {
					t.Errorf("%s is down, %s: %s of a new program: %v", bad, what, method, err)
				}
			}
			down[bad].err = nil
			for _, name := range s.names {
				for method, err := range both(t.Context(), r, uuid.UUID{name[0]}) {
					if err != nil {
						t.Errorf("%s is back, %s: %s of a program of %s: %v", bad, what, method, name, err)
					}
				}
			}
		}
	}
	for _, name := range s.names {
		s.only(name, uuid.UUID{name[0]})
	}
}

// failingStore is a store whose transactions fail while it has an error.
type failingStore struct {
	record.Store
	err error
}

func (f *failingStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.View(ctx, program, fn)
}

func (f *failingStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.Update(ctx, program, fn)
}

// both makes a View and an Update that do nothing.
func both(ctx context.Context, r *router.Store, id uuid.UUID) map[string]error {
	nothing := func(*record.Tx) error { return nil }
	return map[string]error{"View": r.View(ctx, id, nothing), "Update": r.Update(ctx, id, nothing)}
}

// TestMoveRefuses: a Move that cannot be made leaves the program where it is, in use.
func TestMoveRefuses(t *testing.T) {
	synctest.Test(t, moveRefuses)
}

func moveRefuses(t *testing.T) {
	s, start := newSite(t, "a", "b"), time.Now()
	r := s.router()
	shop := newShop(t, r)
	open(t, shop, 100)
	if err := r.Move(t.Context(), program, "x"); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("an unknown store: %v", err)
	}
	stray := newShop(t, s.stores["b"]) // nobody knows how it came there
	open(t, stray, 1)
	scene.Must(0, sell(t.Context(), stray, 1))
	if err := r.Move(t.Context(), program, "b"); !errors.Is(err, router.ErrOccupied) {
		t.Errorf("a target with such a program: %v", err)
	}
	if err := r.Move(t.Context(), program, "a"); !errors.Is(err, router.ErrRemains) || !errors.Is(err, router.ErrOccupied) {
		t.Errorf("such a program in another store: %v", err)
	}
	if err := router.Remove(t.Context(), s.stores["b"], program); err != nil {
		t.Fatal(err)
	}

	// Even the numbers of such a program are in the way.
	if err := r.Move(t.Context(), program, "b"); !errors.Is(err, router.ErrOccupied) {
		t.Errorf("a target with numbers: %v", err)
	}
	if err := sell(t.Context(), shop, 1); err != nil {
		t.Error(err)
	}
	s.only("a", program)
	if took := time.Since(start); took > 100*time.Millisecond {
		t.Errorf("the sale waited: %v", took)
	}
}

// TestMoveFindsAChange: somebody writes behind the back of a move. The copy differs, and
// the program stays.
func TestMoveFindsAChange(t *testing.T) {
	s := newSite(t, "a", "b")
	shop := newShop(t, s.router())
	open(t, shop, 100)
	meddling := &updateHook{Store: s.stores["b"], do: func() {
		err := s.stores["a"].Update(t.Context(), program, func(tx *record.Tx) error {
			return tx.Totals.Insert(record.Totals{ID: uuid.UUID{7}})
		})
		if err != nil && !errors.Is(err, record.ErrExists) {
			t.Error(err)
		}
	}, at: 3}
	r := s.router(func(c *router.Config) { c.Stores[1].Store = meddling })
	if err := r.Move(t.Context(), program, "b"); !errors.Is(err, router.ErrDiffer) || !strings.Contains(err.Error(), "totals 07") {
		t.Errorf("Move: %v", err)
	}
	if err := sell(t.Context(), shop, 1); err != nil {
		t.Error(err)
	}
	if err := r.Move(t.Context(), program, "b"); err != nil {
		t.Errorf("Move again: %v", err)
	}
	s.only("b", program)
}

// updateHook calls do after the at-th Update and later ones.
type updateHook struct {
	record.Store
	do    func()
	n, at int
}

func (o *updateHook) Update(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	err := o.Store.Update(ctx, id, fn)
	if o.n++; o.n >= o.at {
		o.do()
	}
	return err
}

// TestKilled: the process that moves a program ends at any of its transactions, before or
// after the commit, or that one alone fails. Others read at once, write when their
// patience has ended, and move the program; every record is there once.
func TestKilled(t *testing.T) {
	moved := map[string]int{} // moves that went on after one failure
	for _, begun := range []bool{true, false} {
		for _, k := range []kill{{}, {commits: true}, {once: true}, {commits: true, once: true}} {
			name := fmt.Sprintf("begun %t, commits %t, once %t", begun, k.commits, k.once)
			t.Run(name, func(t *testing.T) {
				for k.at = 1; ; k.at++ {
					reached, err := killedAt(t, begun, k)
					if !reached {
						break
					}
					if err == nil {
						moved[name]++
					}
				}
				if t.Log(k.at, "steps"); k.at < 8 {
					t.Errorf("%d steps", k.at)
				}
			})
		}
	}
	answered, lost := moved["begun true, commits false, once true"], moved["begun true, commits true, once true"]
	if lost != answered+1 { // when the answer of the switch is lost, the source is asked
		t.Errorf("%d moves went on after a failure, and %d after a lost answer", answered, lost)
	}
}

// killedAt reports whether the move had so many transactions.
func killedAt(t *testing.T, begun bool, k kill) (reached bool, moved error) {
	synctest.Test(t, func(t *testing.T) {
		s, alone := newSite(t, "a", "b", "c"), memstore.New()
		shop, control := newShop(t, s.router(in("c"))), newShop(t, alone)
		fill := func(p *tributary.Program) {
			open(t, p, 100)
			scene.Must(0, sell(t.Context(), p, 0))
		}
		fill(control)
		if begun {
			fill(shop)
		}
		dying := s.router(func(c *router.Config) { c.Stores = s.named(k.store, s.names...) })
		moved = dying.Move(t.Context(), program, "b")
		if reached = k.calls >= k.at; !reached && moved != nil {
			t.Fatalf("Move: %v", moved)
		}
		k.at = 0

		start := time.Now()
		seen, err := newShop(t, s.router()).Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})
		if took := time.Since(start); (len(seen.Items) == 1) != begun || err != nil || took > 100*time.Millisecond {
			t.Errorf("step %d: a reader sees %d sales, error %v, in %v", k.calls, len(seen.Items), err, took)
		}
		if !begun {
			fill(shop)
		}
		for n, to := range []string{"b", "c"} {
			for _, p := range []*tributary.Program{shop, control} {
				if err := sell(t.Context(), p, n+1); err != nil {
					t.Fatalf("step %d: %v", k.calls, err)
				}
			}
			if err := s.router().Move(t.Context(), program, to); err != nil {
				t.Fatalf("step %d: Move again: %v", k.calls, err)
			}
			s.only(to, program)
			sameIn(t, alone, s.stores[to], program)
		}
	})
	return reached, moved
}

// A kill ends the process of a router: from the at-th transaction on, all of its stores
// fail.
type kill struct {
	at, calls int  // at 0: never
	commits   bool // the at-th transaction is committed
	once      bool // later ones work
}

func (k *kill) store(s record.Store) record.Store { return &killedStore{s, k} }

// fails counts a transaction and reports whether it is the one, or a later one that fails.
func (k *kill) fails() (now, later bool) {
	k.calls++
	return k.at > 0 && k.calls == k.at, k.at > 0 && k.calls > k.at && !k.once
}

type killedStore struct {
	record.Store
	k *kill
}

func (s *killedStore) View(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	if now, later := s.k.fails(); now || later {
		return errBroken
	}
	return s.Store.View(ctx, id, fn)
}

func (s *killedStore) Update(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	now, later := s.k.fails()
	if later || now && !s.k.commits {
		return errBroken
	}
	if err := s.Store.Update(ctx, id, fn); err != nil || !now {
		return err
	}
	return errBroken
}

// TestRestored: a store goes back to a backup. A program that has left it since stays
// where it is. One that left and came back is as it was, and can move again.
func TestRestored(t *testing.T) {
	s := newSite(t, "a", "b")
	stays, returns := uuid.UUID{1}, uuid.UUID{2}
	insert := func(id uuid.UUID, rec byte) {
		scene.Must(0, s.router().Update(t.Context(), id, func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{rec}}) }))
	}
	insert(stays, 1)
	insert(returns, 1)
	backup := memstore.New()
	for _, id := range []uuid.UUID{stays, returns} {
		scene.Must(router.Copy(t.Context(), s.stores["a"], backup, id))
		scene.Must(0, backup.Update(t.Context(), id, func(tx *record.Tx) error {
			_, err := tx.Raise(record.FenceSequence, 0, 1<<32)
			return err
		}))
		scene.Must(0, s.router().Move(t.Context(), id, "b"))
		insert(id, 2)
	}
	scene.Must(0, s.router().Move(t.Context(), returns, "a"))
	s.stores["a"] = backup
	for id, want := range map[uuid.UUID]struct {
		home    string
		records int
	}{stays: {"b", 2}, returns: {"a", 1}} {
		home := scene.Must(s.router().Home(t.Context(), id))
		if n := records(t, s.router(), id); home != want.home || n != want.records {
			t.Errorf("%d records in %s, want %d in %s", n, home, want.records, want.home)
		}
	}
	for _, to := range []string{"b", "a"} {
		if err := s.router().Move(t.Context(), returns, to); err != nil {
			t.Errorf("Move to %s: %v", to, err)
		}
		s.only(to, returns)
	}
	if err := s.router().Move(t.Context(), stays, "b"); !errors.Is(err, router.ErrOccupied) {
		t.Errorf("Move where it is: %v", err) // the old records in a are somebody's to delete
	}
}

// TestLate: the process that moves a program stands still before any of its transactions.
// Others give the move up, write, and move the program on, at last to the one or the other
// of its stores. Then the first one goes on, and does no harm.
func TestLate(t *testing.T) {
	for _, last := range []string{"a", "b"} {
		step := 1
		for lateAt(t, step, last) {
			step++
		}
		if t.Log(step, "steps"); step < 15 {
			t.Errorf("%d steps", step)
		}
	}
}

// lateAt reports whether the move had so many transactions.
func lateAt(t *testing.T, at int, last string) (reached bool) {
	synctest.Test(t, func(t *testing.T) {
		s, alone := newSite(t, "a", "b", "c"), memstore.New()
		shop, control := newShop(t, s.router()), newShop(t, alone)
		sellBoth := func(n int) {
			for _, p := range []*tributary.Program{shop, control} {
				if err := sell(t.Context(), p, n); err != nil {
					t.Fatalf("step %d: %v", at, err)
				}
			}
		}
		open(t, shop, 100)
		open(t, control, 100)
		sellBoth(0)

		p := &pauses{at: at, release: make(chan struct{})}
		slow := s.router(func(c *router.Config) { c.Stores = s.named(p.store, s.names...) })
		moved := make(chan error, 1)
		go func() { moved <- slow.Move(t.Context(), program, "b") }()
		synctest.Wait()
		reached = p.paused

		sellBoth(1)
		for n, to := range []string{"b", "c", last} {
			if err := s.router().Move(t.Context(), program, to); err != nil {
				t.Fatalf("step %d: Move: %v", at, err)
			}
			sellBoth(n + 2)
		}
		close(p.release)
		if err := <-moved; !reached && err != nil {
			t.Errorf("Move: %v", err)
		}
		sellBoth(9)
		if err := s.router().Move(t.Context(), program, "b"); err != nil {
			t.Fatalf("step %d: Move again: %v", at, err)
		}
		s.only("b", program)
		sameIn(t, alone, s.stores["b"], program)
	})
	return reached
}

// pauses stops a router before its at-th transaction.
type pauses struct {
	at, calls int
	paused    bool
	release   chan struct{}
}

func (p *pauses) store(s record.Store) record.Store { return &pausedStore{s, p} }

func (p *pauses) call() {
	if p.calls++; p.calls == p.at {
		p.paused = true
		<-p.release
	}
}

type pausedStore struct {
	record.Store
	p *pauses
}

func (s *pausedStore) View(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	s.p.call()
	return s.Store.View(ctx, id, fn)
}

func (s *pausedStore) Update(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	s.p.call()
	return s.Store.Update(ctx, id, fn)
}

// TestSlow: a move that takes long is not given up while it goes on.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, "a", "b")
		shop := newShop(t, s.router())
		open(t, shop, 9)
		scene.Must(0, s.router().Update(t.Context(), program, func(tx *record.Tx) error {
			for n := range 3000 {
				if err := tx.Totals.Insert(record.Totals{ID: record.NumberID(int64(n + 1))}); err != nil {
					return err
				}
			}
			return nil
		}))
		slow := s.router(func(c *router.Config) {
			c.Stores[1].Store = &updateHook{Store: s.stores["b"], at: 1, do: func() { time.Sleep(400 * time.Millisecond) }}
		})
		moved, start := make(chan error, 1), time.Now()
		go func() { moved <- slow.Move(t.Context(), program, "b") }()
		time.Sleep(100 * time.Millisecond)
		if err := sell(t.Context(), shop, 1); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took < 3*time.Second {
			t.Errorf("the sale waited %v", took)
		}
		if err := <-moved; err != nil {
			t.Errorf("Move: %v", err)
		}
		s.only("b", program)
	})
}
