package pgstore_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

const (
	killBatch = 4                      // how many claims a deliverer holds
	killLease = 300 * time.Millisecond // after it, the claims of a dead deliverer are due again
)

// roles are what a worker does again and again until it is killed. It prints each
// thing that is done.
var roles = map[string]func(ctx context.Context, store *pgstore.Store, pool *pgxpool.Pool, p *tributary.Program){
	"sell": func(ctx context.Context, _ *pgstore.Store, _ *pgxpool.Pool, p *tributary.Program) { sellMany(ctx, p) },
	"deliver": func(ctx context.Context, _ *pgstore.Store, _ *pgxpool.Pool, p *tributary.Program) {
		deliverSome(ctx, p)
	},
	"follow":  func(ctx context.Context, _ *pgstore.Store, _ *pgxpool.Pool, p *tributary.Program) { followOn(ctx, p) },
	"host":    hostOne,
	"persist": persist,
}

// worker is the main function of a worker process. Its clock is wrong by
// TRIBUTARY_WORKER_SKEW, a call may take TRIBUTARY_WORKER_PATIENCE, and after each it
// rests for TRIBUTARY_WORKER_PAUSE.
func worker() {
	role, ctx := roles[os.Getenv("TRIBUTARY_WORKER")], context.Background()
	skew, _ := time.ParseDuration(os.Getenv("TRIBUTARY_WORKER_SKEW"))   // empty: right
	pause, _ := time.ParseDuration(os.Getenv("TRIBUTARY_WORKER_PAUSE")) // empty: none
	patience, err := time.ParseDuration(os.Getenv("TRIBUTARY_WORKER_PATIENCE"))
	if err != nil {
		patience = time.Hour
	}
	cfg, err := pgxpool.ParseConfig(os.Getenv("TRIBUTARY_WORKER_URL"))
	if err != nil {
		panic(err)
	}
	cfg.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		panic(err)
	}
	store, err := pgstore.New(pool, pgstore.Config{Schema: os.Getenv("TRIBUTARY_WORKER_SCHEMA"), Group: 4})
	if err != nil {
		panic(err)
	}
	var p *tributary.Program
	for p == nil { // the server may be down
		p, _ = tributary.New(store, tributary.Config{
			ID: uuid.MustParse(os.Getenv("TRIBUTARY_WORKER_PROGRAM")), Now: func() time.Time { return time.Now().Add(skew) },
		})
		<-time.After(10 * time.Millisecond)
	}
	for {
		call, cancel := context.WithTimeout(ctx, patience)
		role(call, store, pool, p)
		cancel()
		<-time.After(pause)
	}
}

// sellMany sells in several goroutines, so that groups form, and prints the
// acknowledged sales.
func sellMany(ctx context.Context, p *tributary.Program) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			id := uuid.NewString()
			got, err := p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "HOT20", ExternalID: id, TotalEarned: affiliate.MustAmount("10")})
			switch {
			case err != nil:
				<-time.After(10 * time.Millisecond)
			case got.Outcome == affiliate.SaleRecorded:
				fmt.Println("sold", id)
			}
		})
	}
	wg.Wait()
}

// deliverSome claims deliveries, prints what a receiver would get, and settles.
func deliverSome(ctx context.Context, p *tributary.Program) {
	lease, err := time.ParseDuration(os.Getenv("TRIBUTARY_WORKER_LEASE"))
	if err != nil {
		lease = killLease
	}
	claims, err := p.Webhooks().ClaimDeliveries(ctx, killBatch, lease)
	if err != nil || len(claims) == 0 {
		<-time.After(10 * time.Millisecond)
		return
	}
	var attempts []affiliate.Attempt
	for _, c := range claims {
		fmt.Println("delivered", c.MessageID)
		attempts = append(attempts, affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, Status: 200})
	}
	_ = p.Webhooks().SettleDeliveries(ctx, attempts) // a delivery that is not settled is claimed again
}

// A crew has the worker processes and counts what they printed.
type crew struct {
	t       *testing.T
	env     []string
	shop    *shop
	roles   []string // of the members
	own     func(i int) []string
	mu      sync.Mutex
	said    map[string]map[string]int // how often, by verb and object
	heard   func(i int, verb, object string)
	members []*osexec.Cmd
	silent  []chan struct{} // closed when everything that a member printed was read
	reading sync.WaitGroup
}

// newCrew hires a worker for each role, on a database, for a shop.
func newCrew(t *testing.T, database string, s *shop, roles ...string) *crew {
	t.Helper()
	return &crew{
		t: t, shop: s, said: map[string]map[string]int{}, roles: roles, members: make([]*osexec.Cmd, len(roles)), silent: make([]chan struct{}, len(roles)),
		env: append(os.Environ(), "TRIBUTARY_WORKER_URL="+database,
			"TRIBUTARY_WORKER_SCHEMA=test_"+schemaID(), "TRIBUTARY_WORKER_PROGRAM="+s.plain.Config().ID.String()),
	}
}

// hire starts worker number i.
func (c *crew) hire(i int) {
	c.t.Helper()
	exe := must(os.Executable())
	cmd := osexec.Command(exe)
	cmd.Env, cmd.Stderr = append(slices.Clone(c.env), "TRIBUTARY_WORKER="+c.roles[i]), os.Stderr
	if c.own != nil {
		cmd.Env = append(cmd.Env, c.own(i)...)
	}
	out := must(cmd.StdoutPipe())
	must(0, cmd.Start())
	c.members[i] = cmd
	silent := make(chan struct{})
	c.silent[i] = silent
	c.reading.Go(func() { c.listen(i, out); close(silent) })
}

func (c *crew) listen(i int, out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		verb, object, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			continue
		}
		c.mu.Lock()
		if c.said[verb] == nil {
			c.said[verb] = map[string]int{}
		}
		c.said[verb][object]++
		if c.heard != nil {
			c.heard(i, verb, object)
		}
		c.mu.Unlock()
	}
}

// kill ends a worker at once.
func (c *crew) kill(i int) {
	c.t.Helper()
	must(0, c.members[i].Process.Kill())
	_ = c.members[i].Wait() // it was killed
	<-c.silent[i]
}

// TestKill kills workers and the server at random times. Afterwards every
// acknowledged sale is stored, every committed event is delivered, and nothing
// else is (G16). TRIBUTARY_KILLS is the number of killed workers; the server is
// killed once for every ten of them.
func TestKill(t *testing.T) {
	kills := 30
	if n, err := strconv.Atoi(os.Getenv("TRIBUTARY_KILLS")); err == nil {
		kills = n
	}
	srv := server(t, true)
	pool := newPool(t, srv.URL())
	s := newShop(t, pool, pgstore.Config{})
	c := newCrew(t, srv.URL(), s, "sell", "deliver", "sell", "deliver")
	for i := range c.members {
		c.hire(i)
	}
	serverKills := 0
	for n := range kills {
		<-time.After(time.Duration(50+rand.IntN(150)) * time.Millisecond)
		if n%10 == 9 {
			serverKills++
			must(0, srv.Kill())
			must(0, srv.Restart(t.Context()))
		}
		i := rand.IntN(len(c.members))
		c.kill(i)
		c.hire(i)
	}
	for i := range c.members {
		c.kill(i)
	}
	c.reading.Wait()
	pool.Reset() // its connections were to a killed server
	c.finish(s, fmt.Sprintf("%d workers and %d servers killed", kills+len(c.members), serverKills), (kills+len(c.members)+2*serverKills)*killBatch)
}

// finish delivers what is left, and compares it with what the workers printed. Of
// the deliveries, at most so many may be repeats.
func (c *crew) finish(s *shop, what string, most int) {
	t := c.t
	t.Helper()
	received := c.said["delivered"]
	for pending := 1; pending > 0; <-time.After(10 * time.Millisecond) {
		claims := must(s.plain.Webhooks().ClaimDeliveries(t.Context(), 100, time.Minute))
		var attempts []affiliate.Attempt
		for _, claim := range claims {
			received[claim.MessageID]++
			attempts = append(attempts, affiliate.Attempt{Delivery: claim.Delivery, Token: claim.Token, Status: 200})
		}
		must(0, s.plain.Webhooks().SettleDeliveries(t.Context(), attempts))
		pending = len(must(s.plain.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{State: affiliate.DeliveryPending}, affiliate.Page{})).Items)
	}

	committed := map[string]bool{}
	for _, sale := range must(s.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
		id, _ := sale.ExternalID.Get()
		committed[id] = true
	}
	lost := 0
	for id := range c.said["sold"] {
		if !committed[id] {
			lost++
		}
	}
	events := map[string]bool{}
	undelivered, ghosts, repeats := 0, 0, 0
	for _, e := range must(s.plain.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		if e.Type != affiliate.SaleCreated {
			continue // this event is older than the endpoint
		}
		events[e.MessageID()] = true
		if received[e.MessageID()] == 0 {
			undelivered++
		}
	}
	for id, n := range received {
		repeats += n - 1
		if !events[id] {
			ghosts++
		}
	}
	t.Attr("server", fmt.Sprintf("%s: %d sales committed, %d acknowledged, %d acknowledged but lost; %d events, %d not delivered, %d of nothing, %d repeats that receivers know by their id",
		what, len(committed), len(c.said["sold"]), lost, len(events), undelivered, ghosts, repeats))
	if lost+undelivered+ghosts > 0 || len(events) != len(committed) || len(committed) == 0 {
		t.Error("the counts do not agree")
	}
	if repeats > most {
		t.Errorf("%d repeats, more than faults × batch = %d", repeats, most)
	}
	if err := s.plain.Verify(t.Context()); err != nil {
		t.Errorf("Verify: %v", err)
	}
}
