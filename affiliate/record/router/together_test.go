package router_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

// distant is a store in memory that has a use for Soon, as one behind a network: there a
// closure runs before the fence is looked at.
func distant(s record.Store) record.Store { return farStore{s} }

type farStore struct{ record.Store }

func (f farStore) View(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	return f.Store.View(ctx, id, hinted(fn))
}

func (f farStore) Update(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	return f.Store.Update(ctx, id, hinted(fn))
}

func hinted(fn func(tx *record.Tx) error) func(tx *record.Tx) error {
	return func(tx *record.Tx) error {
		far := *tx
		far.Soon = func(string, record.Key) {}
		return fn(&far)
	}
}

func TestStoreDistant(t *testing.T) {
	atlength.Only(t, "runs the suite another time")
	conformance.TestStore(t, func(tb testing.TB) record.Store {
		s := newSite(tb, "a", "b")
		return s.router(in("b"), func(c *router.Config) { c.Stores = s.named(distant, s.names...) })
	})
}

// TestTogether: a program is moved to and fro all the time, by two movers, one of whom
// gives up now and then, while callers in three processes use the last of a code, others
// read, follow the events, and deliver them. Exactly as many sales are made as the code
// allows, nothing is lost, doubled or seen in another order, and the audit agrees.
func TestTogether(t *testing.T) {
	for name, wrap := range map[string]func(record.Store) record.Store{"near": bare, "distant": distant} {
		t.Run(name, func(t *testing.T) { together(t, wrap) })
	}
}

func together(t *testing.T, wrap func(record.Store) record.Store) {
	const writers, limit = 8, 120
	sales := 25 // of each writer; more than the limit together
	s := newSite(t, "a", "b", "c")
	var processes []*tributary.Program
	for range 3 {
		r := s.router(in("b"), func(c *router.Config) { c.Stores = s.named(wrap, s.names...) })
		processes = append(processes, scene.Must(tributary.New(r, tributary.Config{
			ID: program, Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}}, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		})))
	}
	open(t, processes[0], limit)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var selling, rest sync.WaitGroup
	var made, moves atomic.Int64
	for w := range writers {
		selling.Go(func() {
			for i := range sales {
				err := sell(ctx, processes[(w+i)%3], w*sales+i)
				switch {
				case err == nil:
					made.Add(1)
				case !errors.Is(err, affiliate.CodeExhausted):
					t.Errorf("sale: %v", err)
				}
			}
		})
	}
	for m := range 2 {
		rest.Go(func() {
			for n := m; ctx.Err() == nil; n++ {
				within, stop := ctx, func() {}
				if m == 1 && n%3 == 0 { // gives up somewhere
					within, stop = context.WithTimeout(ctx, time.Duration(rand.N(3_000))*time.Microsecond)
				}
				err := s.router(func(c *router.Config) { c.Stores = s.named(wrap, s.names...) }).Move(within, program, s.names[n%3])
				if stop(); err == nil {
					moves.Add(1)
				} else if within.Err() == nil {
					t.Errorf("Move: %v", err)
				}
			}
		})
	}
	rest.Go(func() { // what was answered is seen by every process
		for n := 0; ctx.Err() == nil; n++ {
			before := made.Load()
			code, err := processes[n%3].Code(ctx, affiliate.CodeRef{Code: "SAVE20"})
			if err == nil && code.TimesRedeemed < before {
				t.Errorf("a reader sees %d redemptions after %d", code.TimesRedeemed, before)
			} else if err != nil && ctx.Err() == nil {
				t.Errorf("read: %v", err)
			}
		}
	})
	rest.Go(func() {
		for ctx.Err() == nil {
			if err := deliver(ctx, processes[1]); err != nil && ctx.Err() == nil {
				t.Errorf("deliver: %v", err)
			}
		}
	})
	var followed []uuid.UUID
	rest.Go(func() {
		for event, err := range processes[2].Follow(ctx, uuid.Nil) {
			if err != nil {
				if ctx.Err() == nil {
					t.Errorf("Follow: %v", err)
				}
				return
			}
			followed = append(followed, event.ID)
		}
	})
	selling.Wait()
	for moves.Load() < 20 && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	rest.Wait()
	t.Log(moves.Load(), "moves")

	agree(t, s, processes[0], int(made.Load()), limit, followed)
}

// deliver makes the first attempts of some deliveries, all with success.
func deliver(ctx context.Context, p *tributary.Program) error {
	claims, err := p.Webhooks().ClaimDeliveries(ctx, 10, time.Minute)
	if err != nil {
		return err
	}
	var done []affiliate.Attempt
	for _, c := range claims {
		done = append(done, affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, Status: 200})
	}
	return p.Webhooks().SettleDeliveries(context.WithoutCancel(ctx), done)
}

// agree checks what all the callers have made.
func agree(t *testing.T, s *site, p *tributary.Program, made, limit int, followed []uuid.UUID) {
	t.Helper()
	ctx := t.Context()
	if err := s.router().Move(ctx, program, "a"); err != nil {
		t.Fatal(err)
	}
	s.only("a", program)
	if err := p.Verify(ctx); err != nil {
		t.Errorf("Verify: %v", err)
	}
	recorded := scene.Must(p.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items
	if made != limit || len(recorded) != limit {
		t.Errorf("%d sales were answered and %d are stored, of %d", made, len(recorded), limit)
	}
	seen := map[uuid.UUID]bool{}
	for i, id := range followed {
		if seen[id] || i > 0 && bytes.Compare(followed[i-1][:], id[:]) >= 0 {
			t.Errorf("event %d of %d was followed twice or out of order", i, len(followed))
		}
		seen[id] = true
	}
	events := scene.Must(p.EventsAfter(ctx, uuid.Nil, 1000))
	for i, event := range events {
		if i < len(followed) && followed[i] != event.ID {
			t.Fatalf("event %d is %s, and was followed as %s", i, event.ID, followed[i])
		}
	}
	for range 200 { // the rest
		if err := deliver(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	delivered := map[string]int{}
	for _, d := range scene.Must(p.Webhooks().Deliveries(ctx, affiliate.DeliveryQuery{}, affiliate.Page{})).Items {
		if delivered[d.EventID]++; d.State != affiliate.DeliveryDelivered || len(d.Attempts) != 1 {
			t.Errorf("delivery %s is %s after %d attempts", d.ID, d.State, len(d.Attempts))
		}
	}
	for _, event := range events {
		if n := delivered[event.MessageID()]; n > 1 || n == 0 && event.Type == affiliate.SaleCreated {
			t.Errorf("event %s %s has %d deliveries", event.Type, event.ID, n)
		}
	}
}

// TestPanicOnHalfAProgram: where a closure runs before the fence is looked at, one that
// panics over what it sees of a program that is not there is run again where it is, and
// one that panics where the program is, panics.
func TestPanicOnHalfAProgram(t *testing.T) {
	s := newSite(t, "a", "b")
	stores := func(c *router.Config) { c.Stores = s.named(distant, s.names...) }
	r := s.router(stores)
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	scene.Must(0, r.Update(t.Context(), program, insert))
	if home := scene.Must(r.Home(t.Context(), program)); home != "a" { // which it remembers
		t.Errorf("Home is %q", home)
	}
	scene.Must(0, s.router(stores).Move(t.Context(), program, "b"))
	runs := 0
	read := func(tx *record.Tx) error {
		if _, err := tx.Totals.Get(uuid.UUID{1}); err != nil {
			runs++
			panic(err)
		}
		return nil
	}
	if err := r.Update(t.Context(), program, read); err != nil || runs != 1 {
		t.Errorf("error %v after %d panics", err, runs)
	}
	scene.Must(0, s.router(stores).Move(t.Context(), program, "a"))
	err := r.Update(t.Context(), program, func(tx *record.Tx) error {
		_, err := tx.Totals.Get(uuid.UUID{1})
		return err
	})
	if err != nil {
		t.Errorf("error %v, which is of the store where the program was", err)
	}
	for name, method := range map[string]func(context.Context, uuid.UUID, func(*record.Tx) error) error{"View": r.View, "Update": r.Update} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != "mine" {
					t.Errorf("recovered %v", got)
				}
			}()
			_ = method(t.Context(), program, func(*record.Tx) error { panic("mine") })
			t.Error("no panic")
		})
	}
}

// TestFence: a transaction of the host in one of the databases works while the program is
// there.
func TestFence(t *testing.T) {
	s := newSite(t, "a", "b")
	r, fenced := s.router(), router.Fence(s.stores["a"])
	nothing := func(*record.Tx) error { return nil }
	for _, tt := range []struct {
		at   string
		want error
	}{{"", router.ErrElsewhere}, {"a", nil}, {"b", router.ErrElsewhere}, {"a", nil}} {
		if tt.at != "" {
			scene.Must(0, r.Move(t.Context(), program, tt.at))
		}
		for name, err := range map[string]error{"View": fenced.View(t.Context(), program, nothing), "Update": fenced.Update(t.Context(), program, nothing)} {
			if !errors.Is(err, tt.want) {
				t.Errorf("%s with the program at %q: %v, want %v", name, tt.at, err, tt.want)
			}
		}
		err := router.Fence(distant(s.stores["a"])).Update(t.Context(), program, func(*record.Tx) error { return errBroken })
		if tt.want != nil && err != tt.want || tt.want == nil && err != errBroken {
			t.Errorf("a closure that fails, with the program at %q: %v", tt.at, err)
		}
	}
}

// TestWaitEnds: a writer that waits for a move ends with its context, and one whose move
// does not go on writes after the patience.
func TestWaitEnds(t *testing.T) {
	s := newSite(t, "a", "b")
	shop := newShop(t, s.router())
	open(t, shop, 9)
	reached, release := make(chan struct{}), make(chan struct{})
	slow := s.router(func(c *router.Config) {
		c.Stores[1].Store = &updateHook{Store: s.stores["b"], at: 1, do: sync.OnceFunc(func() { close(reached); <-release })}
	})
	moved := make(chan error)
	go func() { moved <- slow.Move(t.Context(), program, "b") }()
	<-reached
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := sell(ctx, shop, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a sale during the move: %v", err)
	}
	var wg sync.WaitGroup
	for n := range 4 { // after a second
		wg.Go(func() {
			if err := sell(t.Context(), shop, n+2); err != nil {
				t.Errorf("a sale after the patience: %v", err)
			}
		})
	}
	wg.Wait()
	close(release)
	if err := <-moved; err == nil {
		t.Error("a move that was given up has no error")
	}
	if err := s.router().Move(t.Context(), program, "b"); err != nil {
		t.Error(err)
	}
	s.only("b", program)
	if n := len(scene.Must(shop.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items); n != 4 {
		t.Errorf("%d sales", n)
	}
}
