package robustness

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/memstore"
)

// A target is a place where histories are taken.
type target struct {
	name string
	// open makes a world whose clocks stand still, if they are stopped.
	open  func(t *testing.T, pl plant, stopped bool) world
	loses bool // answers
}

// A world is a new program on a target.
type world struct {
	program *tributary.Program // without faults and planted bugs
	client  func(i int) api.Operations
	settle  func() // waits for what planted bugs still do
	ahead   bool   // the clock of every second client is ahead
}

func newProgram(t *testing.T, s record.Store, change ...func(*tributary.Config)) *tributary.Program {
	t.Helper()
	p, err := tributary.New(s, configured(change...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// configured is the configuration of every program, with an id of its own.
func configured(change ...func(*tributary.Config)) tributary.Config {
	cfg := tributary.Config{
		ID: uuid.New(), Name: "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")}, FreeOrders: true, HouseCodes: true,
	}
	for _, c := range change {
		c(&cfg)
	}
	return cfg
}

// onStores is a target whose clients call programs of the same id, one for each
// store of stores, as processes beside each other would: the clock of the n-th
// is n × apart ahead.
func onStores(name string, apart time.Duration, stores func(t *testing.T) (clean record.Store, used []record.Store)) target {
	return target{name: name, open: func(t *testing.T, pl plant, stopped bool) world {
		clean, used := stores(t)
		p := newProgram(t, clean, func(c *tributary.Config) { c.Now = clock(stopped, 0) })
		late := newLate()
		var programs []api.Operations
		for i, s := range used {
			ahead := time.Duration(i) * apart
			prog := newProgram(t, pl.inStore(s, late), func(c *tributary.Config) {
				c.ID, c.Now = p.Config().ID, clock(stopped, ahead)
			})
			programs = append(programs, pl.inClient(api.Of(prog), p, clean, late))
		}
		return world{p, func(i int) api.Operations { return programs[i%len(programs)] }, late.wait, apart > 0}
	}}
}

// clock returns a clock that is ahead, and may be stopped.
func clock(stopped bool, ahead time.Duration) func() time.Time {
	if stopped {
		noon := time.Date(2026, 3, 11, 12, 0, 0, 0, time.UTC).Add(ahead)
		return func() time.Time { return noon }
	}
	return func() time.Time { return time.Now().Add(ahead) }
}

func inMemory() target {
	return onStores("memstore", 0, func(*testing.T) (record.Store, []record.Store) {
		s := memstore.New()
		return s, []record.Store{crowdedStore{s}}
	})
}

func inMemoryRerun() target {
	return onStores("conformance.Rerun", 0, func(*testing.T) (record.Store, []record.Store) {
		s := memstore.New()
		return s, []record.Store{crowdedStore{conformance.Rerun(s)}}
	})
}

// inMemoryLosing loses 2 % of the answers: half of the calls committed, half did
// not.
func inMemoryLosing() target {
	tg := onStores("lost answers", 0, func(*testing.T) (record.Store, []record.Store) {
		s := memstore.New()
		return s, []record.Store{crowdedStore{losing(s, 50)}}
	})
	tg.loses = true
	return tg
}

func inMemoryApart() target {
	return onStores("memstore, two programs, clocks 4 s apart", 4*time.Second, func(*testing.T) (record.Store, []record.Store) {
		s := memstore.New()
		return s, []record.Store{crowdedStore{s}, crowdedStore{s}}
	})
}

// crowdedStore lets other goroutines run before and after each transaction. A store in
// memory answers so fast that calls would hardly overlap.
type crowdedStore struct{ record.Store }

// View runs fn between two pauses.
func (c crowdedStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	runtime.Gosched()
	defer runtime.Gosched()
	return c.Store.View(ctx, program, fn)
}

// Update runs fn between two pauses.
func (c crowdedStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	runtime.Gosched()
	defer runtime.Gosched()
	return c.Store.Update(ctx, program, fn)
}

// seedOf gives each target and trade its own seeds.
func seedOf(name string, n int) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(fmt.Sprint(name, n)) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
