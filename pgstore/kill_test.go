package pgstore_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

const (
	killBatch = 4                      // how many claims a deliverer holds
	killLease = 300 * time.Millisecond // after it, the claims of a dead deliverer are due again
)

// worker is the main function of a worker process: it sells or delivers until
// it is killed, and prints each thing that is done.
func worker() {
	role, ctx := os.Getenv("TRIBUTARY_WORKER"), context.Background()
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
	var p *affiliate.Program
	for p == nil { // the server may be down
		p, _ = affiliate.New(store, affiliate.Config{ID: uuid.MustParse(os.Getenv("TRIBUTARY_WORKER_PROGRAM"))})
		<-time.After(10 * time.Millisecond)
	}
	for {
		if role == "sell" {
			sellMany(ctx, p)
		} else {
			deliverSome(ctx, p)
		}
	}
}

// sellMany sells in several goroutines, so that groups form, and prints the
// acknowledged sales.
func sellMany(ctx context.Context, p *affiliate.Program) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			id := uuid.NewString()
			got, err := p.RecordSale(ctx, affiliate.NewSale{PromoCode: "HOT20", ExternalID: id, TotalEarned: affiliate.MustAmount("10")})
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
func deliverSome(ctx context.Context, p *affiliate.Program) {
	claims, err := p.ClaimDeliveries(ctx, killBatch, killLease)
	if err != nil || len(claims) == 0 {
		<-time.After(10 * time.Millisecond)
		return
	}
	var attempts []affiliate.Attempt
	for _, c := range claims {
		fmt.Println("delivered", c.MessageID)
		attempts = append(attempts, affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, Status: 200})
	}
	_ = p.SettleDeliveries(ctx, attempts) // a delivery that is not settled is claimed again
}

// A crew has the worker processes and counts what they printed.
type crew struct {
	t       *testing.T
	env     []string
	mu      sync.Mutex
	said    map[string]map[string]int // how often, by verb and object
	members [4]*osexec.Cmd
	reading sync.WaitGroup
}

// hire starts worker number i.
func (c *crew) hire(i int) {
	c.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	role := "TRIBUTARY_WORKER=sell"
	if i%2 == 1 {
		role = "TRIBUTARY_WORKER=deliver"
	}
	cmd := osexec.Command(exe)
	cmd.Env, cmd.Stderr = append(c.env, role), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.members[i] = cmd
	c.reading.Go(func() { c.listen(out) })
}

func (c *crew) listen(out io.Reader) {
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
		c.mu.Unlock()
	}
}

// kill ends a worker at once.
func (c *crew) kill(i int) {
	c.t.Helper()
	if err := c.members[i].Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	_ = c.members[i].Wait() // it was killed
}

// TestKill kills workers and the server at random times. Afterwards every
// acknowledged sale is stored, every committed event is delivered, and nothing
// else is (G16). TRIBUTARY_KILLS is the number of killed workers; the server is
// killed once for every ten of them.
func TestKill(t *testing.T) {
	kills := 30
	if testing.Short() {
		kills = 10
	}
	if n, err := strconv.Atoi(os.Getenv("TRIBUTARY_KILLS")); err == nil {
		kills = n
	}
	srv := server(t, true)
	pool := newPool(t, srv.URL())
	s := newShop(t, pool, pgstore.Config{})
	c := &crew{t: t, said: map[string]map[string]int{}, env: append(os.Environ(), "TRIBUTARY_WORKER_URL="+srv.URL(),
		"TRIBUTARY_WORKER_SCHEMA=test_"+schemaID(), "TRIBUTARY_WORKER_PROGRAM="+s.plain.Config().ID.String())}
	for i := range c.members {
		c.hire(i)
	}
	serverKills := 0
	for n := range kills {
		<-time.After(time.Duration(50+rand.IntN(150)) * time.Millisecond)
		if n%10 == 9 {
			serverKills++
			if err := srv.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := srv.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
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
	c.finish(s, kills+len(c.members), serverKills)
}

// finish delivers what is left, and compares it with what the workers printed.
func (c *crew) finish(s *shop, kills, serverKills int) {
	t := c.t
	t.Helper()
	received := c.said["delivered"]
	for pending := 1; pending > 0; <-time.After(10 * time.Millisecond) {
		claims, err := s.plain.ClaimDeliveries(t.Context(), 100, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var attempts []affiliate.Attempt
		for _, claim := range claims {
			received[claim.MessageID]++
			attempts = append(attempts, affiliate.Attempt{Delivery: claim.Delivery, Token: claim.Token, Status: 200})
		}
		if err := s.plain.SettleDeliveries(t.Context(), attempts); err != nil {
			t.Fatal(err)
		}
		pending = len(must(s.plain.Deliveries(t.Context(), affiliate.DeliveryFilter{State: affiliate.DeliveryPending}, affiliate.Page{})).Items)
	}

	committed := map[string]bool{}
	for _, sale := range must(s.plain.Sales(t.Context(), affiliate.SaleFilter{}, affiliate.Page{})).Items {
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
	for _, e := range must(s.plain.Events(t.Context(), affiliate.EventFilter{}, affiliate.Page{})).Items {
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
	t.Logf("%d workers and %d servers killed: %d sales committed, %d acknowledged, %d acknowledged but lost; %d events, %d not delivered, %d ghosts, %d repeats",
		kills, serverKills, len(committed), len(c.said["sold"]), lost, len(events), undelivered, ghosts, repeats)
	if lost+undelivered+ghosts > 0 || len(events) != len(committed) || len(committed) == 0 {
		t.Error("the counts do not agree")
	}
	if most := (kills + 2*serverKills) * killBatch; repeats > most {
		t.Errorf("%d repeats, more than kills × batch = %d", repeats, most)
	}
	if err := s.plain.Verify(t.Context()); err != nil {
		t.Errorf("Verify: %v", err)
	}
}
