package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

const (
	chaosLease    = 9 * time.Second // longer than the clocks are apart
	chaosSkew     = 4 * time.Second // how wrong the clocks are
	chaosPatience = 3 * time.Second // how long a call may take
)

// A chaos is a server and workers to which bad things happen.
type chaos struct {
	t     *testing.T
	srv   *pgtest.Cluster
	pool  *pgxpool.Pool // to the server, past the relay
	relay *relay
	crew  *crew
	heard map[int][]uuid.UUID // the events that each follower has printed
	done  map[string]int      // how often each fault happened
}

// faults are what happens, each as often as its number. Each reports whether it did:
// perhaps there is no session to end.
var faults = []struct {
	name   string
	weight int
	do     func(*chaos) bool
}{
	{"worker killed", 8, func(c *chaos) bool { c.rehire(rand.IntN(len(c.crew.roles))); return true }},
	{"worker stopped", 6, func(c *chaos) bool {
		worker := c.crew.members[rand.IntN(len(c.crew.roles))].Process
		return c.stop(worker.Signal, c.some(time.Second))
	}},
	{"backend ended", 8, func(c *chaos) (ended bool) {
		err := c.pool.QueryRow(c.t.Context(), "SELECT pg_terminate_backend($1)", c.backend()).Scan(&ended)
		return err == nil && ended
	}},
	{"backend killed", 1, func(c *chaos) bool { return c.signal(c.backend(), syscall.SIGKILL) == nil }},
	{"backend stopped", 5, func(c *chaos) bool {
		pid := c.backend()
		return c.stop(func(sig os.Signal) error { return c.signal(pid, sig.(syscall.Signal)) }, c.some(time.Second))
	}},
	{"server stopped", 2, func(c *chaos) bool { return c.stop(c.srv.Signal, c.some(time.Second)) }},
	{"server killed", 1, func(c *chaos) bool {
		if err := c.srv.Kill(); err != nil {
			c.t.Fatal(err)
		}
		if err := c.srv.Restart(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
		return true
	}},
	{"connections cut", 6, func(c *chaos) bool { return c.relay.cut() > 0 }},
	{"connections silenced", 3, func(c *chaos) bool { return c.relay.silence(c.some(1500*time.Millisecond)) > 0 }},
}

// some is a random time up to a longest.
func (c *chaos) some(longest time.Duration) time.Duration { return rand.N(longest) + time.Millisecond }

// stop stops a process for a time, and reports whether there was one.
func (c *chaos) stop(signal func(os.Signal) error, d time.Duration) bool {
	if signal(syscall.SIGSTOP) != nil {
		return false
	}
	<-time.After(d)
	_ = signal(syscall.SIGCONT) // it may have ended
	return true
}

// signal sends a signal to a backend; 0 is none.
func (c *chaos) signal(pid int, sig syscall.Signal) error {
	if pid == 0 {
		return syscall.ESRCH
	}
	return syscall.Kill(pid, sig)
}

// backend is the process of a worker's session, or 0 if there is none.
func (c *chaos) backend() (pid int) {
	_ = c.pool.QueryRow(c.t.Context(), "SELECT pid FROM pg_stat_activity WHERE application_name = 'chaos' ORDER BY random() LIMIT 1").Scan(&pid)
	return pid
}

// rehire kills a worker and starts another.
func (c *chaos) rehire(i int) {
	c.crew.kill(i)
	c.crew.hire(i)
}

// own is the environment of worker i: a follower goes on where it ended, and every
// clock is wrong in its own way.
func (c *chaos) own(i int) []string {
	env := []string{fmt.Sprint("TRIBUTARY_WORKER_SKEW=", chaosSkew*time.Duration(i%3-1))}
	if c.crew.roles[i] == "sell" {
		env = append(env, "TRIBUTARY_WORKER_PAUSE=100ms") // or there is more than two can deliver
	}
	c.crew.mu.Lock()
	defer c.crew.mu.Unlock()
	if heard := c.heard[i]; len(heard) > 0 {
		env = append(env, "TRIBUTARY_WORKER_POSITION="+heard[len(heard)-1].String())
	}
	return env
}

// TestChaos: workers with wrong clocks sell, sell inside transactions of a host,
// deliver and follow, while they, the server, its backends and the connections
// between them are killed, stopped, cut and silenced. Afterwards every acknowledged
// sale is stored, every committed event was delivered and nothing else, a sale
// in a host's transaction is stored exactly when its order is, and each follower
// has seen every event once and in the one order (G16).
//
// TRIBUTARY_CHAOS is how long it goes on, by default 10 s.
func TestChaos(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("TRIBUTARY_CHAOS"))
	if err != nil {
		long = 10 * time.Second
	}
	c := newChaos(t)
	for i := range c.crew.roles {
		c.crew.hire(i)
	}
	var bag []int
	for i, f := range faults {
		bag = append(bag, slices.Repeat([]int{i}, f.weight)...)
	}
	for end := time.Now().Add(long); time.Now().Before(end); {
		<-time.After(c.some(500 * time.Millisecond))
		f := faults[bag[rand.IntN(len(bag))]]
		if f.do(c) {
			c.done[f.name]++
		}
	}
	c.catchUp()
	for i := range c.crew.roles {
		c.crew.kill(i)
	}
	c.crew.reading.Wait()
	c.finish()
}

func newChaos(t *testing.T) *chaos {
	srv, err := pgtest.Start(t.Context(), true)
	if err != nil {
		absent(t, err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	c := &chaos{t: t, srv: srv, heard: map[int][]uuid.UUID{}, done: map[string]int{}, pool: newPool(t, srv.URL()), relay: newRelay(t, srv.URL())}
	exec(t, c.pool, "ALTER ROLE tributary SET idle_in_transaction_session_timeout = '2s'") // as pgstore/README.md advises
	s := newShop(t, c.pool, pgstore.Config{})
	exec(t, c.pool, "CREATE TABLE test_"+schemaID()+".orders (id text PRIMARY KEY)")
	c.crew = newCrew(t, c.relay.url()+"&application_name=chaos", s, "sell", "deliver", "host", "follow", "sell", "deliver", "host", "follow")
	c.crew.env = append(c.crew.env, fmt.Sprint("TRIBUTARY_WORKER_LEASE=", chaosLease), fmt.Sprint("TRIBUTARY_WORKER_PATIENCE=", chaosPatience))
	c.crew.own = c.own
	c.crew.heard = func(i int, verb, object string) {
		if id, err := uuid.Parse(object); verb == "event" && err == nil {
			c.heard[i] = append(c.heard[i], id)
		}
	}
	return c
}

// catchUp stops what makes events, and waits until the followers have seen the last.
func (c *chaos) catchUp() {
	c.t.Helper()
	c.pool.Reset()
	for i, role := range c.crew.roles {
		if role == "sell" || role == "host" {
			c.crew.kill(i)
		}
	}
	<-time.After(chaosPatience) // the sessions of killed workers end
	last := c.crew.shop.events(c.t.Context())
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		c.crew.mu.Lock()
		behind := false
		for i, role := range c.crew.roles {
			behind = behind || role == "follow" && len(c.heard[i]) < len(last)
		}
		c.crew.mu.Unlock()
		if !behind {
			break
		}
	}
	for i, role := range c.crew.roles {
		if role == "sell" || role == "host" {
			c.crew.hire(i) // so that all are killed in the same way
		}
	}
}

// finish compares everything.
func (c *chaos) finish() {
	t := c.t
	t.Helper()
	c.pool.Reset()
	all, n := []string{}, 0
	for _, name := range slices.Sorted(maps.Keys(c.done)) {
		all, n = append(all, fmt.Sprintf("%d × %s", c.done[name], name)), n+c.done[name]
	}
	deliverers := 2
	c.crew.finish(c.crew.shop, strings.Join(all, ", "), (n+deliverers)*deliverers*killBatch)
	events := c.crew.shop.events(t.Context())
	for i, role := range c.crew.roles {
		if heard := c.heard[i]; role == "follow" {
			t.Attr("server", fmt.Sprintf("a follower in a process of its own, meanwhile: %d of %d events, each once and in the one order", len(heard), len(events)))
			if len(heard) > len(events) || !slices.Equal(heard, events[:len(heard)]) {
				t.Errorf("follower %d has not seen the first %d events once and in order", i, len(heard))
			}
			if len(heard) < len(events)/2 {
				t.Errorf("follower %d has seen %d of %d events", i, len(heard), len(events))
			}
		}
	}
	c.checkOrders()
}

// checkOrders: orders and sales of the hosts were committed together, and what was
// undone is in neither.
func (c *chaos) checkOrders() {
	t := c.t
	t.Helper()
	orders := must(pgx.CollectRows(must(c.pool.Query(t.Context(), "SELECT id FROM test_"+schemaID()+".orders")), pgx.RowTo[string]))
	sold := map[string]bool{}
	for _, sale := range must(c.crew.shop.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
		id, _ := sale.ExternalID.Get()
		sold[id] = true
	}
	stored := map[string]bool{}
	for _, id := range orders {
		stored[id] = true
		if !sold[id] {
			t.Errorf("order %s has no sale", id)
		}
	}
	for id := range c.crew.said["ordered"] {
		if !stored[id] {
			t.Errorf("the acknowledged order %s is lost", id)
		}
	}
	for id := range c.crew.said["undone"] {
		if stored[id] || sold[id] {
			t.Errorf("order %s was rolled back: stored %v, sold %v", id, stored[id], sold[id])
		}
	}
	t.Attr("server", fmt.Sprintf("sales in transactions of hosts, meanwhile: %d orders committed, %d acknowledged, %d rolled back; each stored exactly when its order is",
		len(orders), len(c.crew.said["ordered"]), len(c.crew.said["undone"])))
	if len(orders) == 0 || len(c.crew.said["undone"]) == 0 {
		t.Error("hosts did not sell, or did not roll back")
	}
}

// events are the ids of all events, in the order of the commits.
func (s *shop) events(ctx context.Context) (ids []uuid.UUID) {
	after := uuid.Nil
	for {
		events := must(s.plain.EventsAfter(ctx, after, 1000))
		for _, e := range events {
			ids, after = append(ids, e.ID), e.ID
		}
		if len(events) == 0 {
			return ids
		}
	}
}

// A relay stands between workers and the server and breaks their connections when
// a test wants.
type relay struct {
	dir   string // has the socket
	to    string // the server's socket
	mu    sync.Mutex
	conns map[*relayedConn]bool
}

// A relayedConn is one connection through a relay.
type relayedConn struct {
	client, server net.Conn
	silent         sync.RWMutex // held for writing while nothing arrives
}

// newRelay starts a relay to a server, given by its connection string.
func newRelay(t *testing.T, database string) *relay {
	t.Helper()
	backend := must(url.Parse(database))
	dir := must(os.MkdirTemp("", "relay-")) // short, because the path of a socket must be
	r := &relay{dir: dir, to: filepath.Join(backend.Query().Get("host"), ".s.PGSQL.5432"), conns: map[*relayedConn]bool{}}
	listener := must(net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432")))
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { r.pass(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		r.each(func(c *relayedConn) { c.client.Close() })
		wg.Wait()
		os.RemoveAll(dir)
	})
	return r
}

// url is the connection string of the relay.
func (r *relay) url() string {
	return "postgres:///postgres?user=tributary&host=" + url.QueryEscape(r.dir)
}

// pass moves bytes both ways until one side closes.
func (r *relay) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", r.to)
	if err != nil {
		return // the server is down
	}
	defer server.Close()
	c := &relayedConn{client: client, server: server}
	r.mu.Lock()
	r.conns[c] = true
	r.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { c.move(server, client) })
	wg.Go(func() { c.move(client, server) })
	wg.Wait()
	r.mu.Lock()
	delete(r.conns, c)
	r.mu.Unlock()
}

func (c *relayedConn) move(to, from net.Conn) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		c.silent.RLock() // waits while the line is silent
		_, failed := to.Write(buffer[:n])
		c.silent.RUnlock()
		if err != nil || failed != nil {
			if err != io.EOF || failed != nil {
				from.Close()
			}
			to.Close()
			return
		}
	}
}

// each does something to every connection, and counts them.
func (r *relay) each(do func(*relayedConn)) int {
	r.mu.Lock()
	all := make([]*relayedConn, 0, len(r.conns))
	for c := range r.conns {
		all = append(all, c)
	}
	r.mu.Unlock()
	for _, c := range all {
		do(c)
	}
	return len(all)
}

// cut closes every connection, and counts them.
func (r *relay) cut() int {
	return r.each(func(c *relayedConn) { c.client.Close(); c.server.Close() })
}

// silence lets nothing through the present connections for a time, and then cuts
// them. It counts them.
func (r *relay) silence(d time.Duration) int {
	n := r.each(func(c *relayedConn) { c.silent.Lock() })
	<-time.After(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		if c.silent.TryRLock() { // a new connection is not silent
			c.silent.RUnlock()
			continue
		}
		c.client.Close()
		c.server.Close()
		c.silent.Unlock()
	}
	return n
}

// errChanged is why a host rolls back after the sale.
var errChanged = errors.New("the host changed its mind")

// hostOne stores an order and its sale in one transaction of the host, and rolls
// back one of four.
func hostOne(ctx context.Context, store *pgstore.Store, pool *pgxpool.Pool, p *tributary.Program) {
	id := uuid.NewString()
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		table := pgx.Identifier{os.Getenv("TRIBUTARY_WORKER_SCHEMA"), "orders"}.Sanitize()
		if _, err := tx.Exec(ctx, "INSERT INTO "+table+" (id) VALUES ($1)", id); err != nil {
			return err
		}
		if _, err := p.With(store.In(tx)).RecordSale(ctx, affiliate.SaleParams{PromoCode: "HOT20", ExternalID: id, TotalEarned: affiliate.MustAmount("10")}); err != nil {
			return err
		}
		if rand.IntN(4) == 0 {
			fmt.Println("undone", id)
			return errChanged
		}
		return nil
	})
	if err == nil {
		fmt.Println("sold", id)
		fmt.Println("ordered", id)
	}
}

// followOn follows the events from a position, and prints each.
func followOn(ctx context.Context, p *tributary.Program) {
	if following == uuid.Nil {
		following, _ = uuid.Parse(os.Getenv("TRIBUTARY_WORKER_POSITION")) // empty: from the first
	}
	for event, err := range p.Follow(ctx, following) {
		if err != nil {
			return // and go on from the position
		}
		fmt.Println("event", event.ID)
		following = event.ID
	}
}

// following is the position of a follower's process.
var following uuid.UUID
