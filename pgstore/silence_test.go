package pgstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// A line is a network that falls silent when a test wants: nothing arrives, and
// there is no error.
type line struct {
	left    atomic.Int64 // the number of writes until silence; 0: no silence
	arrives bool         // the last write still arrives
	silent  func()       // is called when the silence begins
	conns   sync.Map     // *silentConn -> nothing
}

// end closes the silent connections, which ends their sessions.
func (l *line) end() {
	l.left.Store(0)
	l.conns.Range(func(key, _ any) bool {
		if c := key.(*silentConn); c.silent.Load() {
			c.Conn.Close()
		}
		return true
	})
}

// pool returns a pool on the line.
func (l *line) pool(t *testing.T) *pgxpool.Pool {
	return newPool(t, databaseURL(t), func(c *pgxpool.Config) {
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			silent := &silentConn{Conn: conn, line: l}
			l.conns.Store(silent, nil)
			return silent, err
		}
	})
}

// A silentConn is one connection of a line.
type silentConn struct {
	net.Conn
	line   *line
	silent atomic.Bool
}

// Write sends, or drops the bytes without an error.
func (c *silentConn) Write(p []byte) (int, error) {
	if c.silent.Load() {
		return len(p), nil
	}
	if c.line.left.Load() == 0 || c.line.left.Add(-1) > 0 {
		return c.Conn.Write(p)
	}
	c.silent.Store(true)
	defer c.line.silent()
	if c.line.arrives {
		return c.Conn.Write(p)
	}
	return len(p), nil
}

// Read waits for its deadline once the line is silent.
func (c *silentConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.silent.Load() {
			return n, err
		}
	}
}

// patience is the longest that a call may take. Without CommitWait it would
// take 5 or 15 seconds.
const patience = 4 * time.Second

// TestSilence: when the network falls silent after anything that a sale sends,
// a caller whose context has ended does not wait. After the commit the outcome
// is unknown, and a repeat with the same key settles it.
func TestSilence(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable}} {
		for _, arrives := range []bool{false, true} {
			t.Run(fmt.Sprintf("mode %d, arrives %v", cfg.Mode, arrives), func(t *testing.T) {
				cfg := cfg
				s := newShop(t, pool, cfg)
				l := &line{arrives: arrives}
				cfg.Schema, cfg.CommitWait = "test_"+schemaID(), 20*time.Millisecond
				program := s.plain.With(newStore(t, l.pool(t), cfg))
				unknown := 0
				for n := 1; ; n++ {
					must(program.Coupons(t.Context(), affiliate.CouponQuery{WithCodes: true}, affiliate.Page{Limit: 1})) // opens a connection
					ctx, cancel := context.WithCancel(t.Context())
					l.silent = cancel
					l.left.Store(int64(n))
					start := time.Now()
					_, err := program.RecordSale(ctx, sale(n))
					took := time.Since(start)
					left := l.left.Load()
					l.end()
					cancel()
					if took > patience {
						t.Errorf("write %d: the caller gave up and waited %v", n, took)
					}
					if errors.Is(err, pgstore.ErrOutcomeUnknown) {
						unknown++
					} else if left == 0 && !errors.Is(err, context.Canceled) {
						t.Errorf("write %d: error %v", n, err)
					}
					must(s.plain.RecordSale(t.Context(), sale(n))) // the same key
					s.books(fmt.Sprint("write ", n), n)
					if left > 0 {
						break
					}
				}
				if unknown == 0 {
					t.Error("no outcome was unknown")
				}
			})
		}
	}
}

// TestSilentRefusal: the caller gets a refusal although the rollback gets no
// answer.
func TestSilentRefusal(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	for mode := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		l := &line{silent: cancel}
		s := newStore(t, l.pool(t), pgstore.Config{Schema: schema, Mode: pgstore.Mode(mode), CommitWait: 20 * time.Millisecond})
		start := time.Now()
		err := s.Update(ctx, uuid.UUID{7}, func(tx *record.Tx) error {
			_, err := tx.Totals.Get(uuid.UUID{1})
			l.left.Store(1)
			return errors.Join(errRefused, err)
		})
		took := time.Since(start)
		l.end()
		// In Serializable mode, a refusal is certain only when the
		// transaction's reads were committed.
		if took > patience || errors.Is(err, pgstore.ErrOutcomeUnknown) || mode == 0 && !errors.Is(err, errRefused) || err == nil {
			t.Errorf("mode %d: %v, error %v", mode, took, err)
		}
	}
}

// TestSilentGroup: a member of a group whose context ends returns at once when
// it is not in the commit, and after CommitWait with ErrOutcomeUnknown when it
// is. The leader and the members whose context goes on wait longer.
func TestSilentGroup(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	l := &line{}
	s := newStore(t, l.pool(t), pgstore.Config{Schema: schema, Group: 8, CommitWait: 20 * time.Millisecond})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	for name, want := range map[string]error{"running": context.Canceled, "committing": pgstore.ErrOutcomeUnknown} {
		t.Run(name, func(t *testing.T) {
			impatient, cancel := context.WithCancel(t.Context())
			l.silent = cancel
			patient, end := context.WithTimeout(t.Context(), patience)
			silence := func(tx *record.Tx) error {
				_, err := tx.Totals.Get(uuid.UUID{1}) // before this call it is held
				l.left.Store(1)
				if name == "committing" {
					return err
				}
				_, err = tx.Tiers.Get(uuid.UUID{0xba})
				return err
			}
			errs := togetherThen(t, s, program, map[int]context.Context{0: patient, 1: impatient, 2: patient},
				[]func(tx *record.Tx) error{count(0), count(1), silence}, func(i int) {
					if i == 1 && patient.Err() != nil {
						t.Error("the impatient waited for the patient")
					}
					end()
				})
			if !errors.Is(errs[1], want) {
				t.Errorf("the impatient: error %v, want %v", errs[1], want)
			}
			l.end()
			for _, i := range []int{0, 2} {
				if !errors.Is(errs[i], context.Canceled) {
					t.Errorf("closure %d: error %v", i, errs[i])
				}
			}
		})
	}
}

// TestSilentLeader: the leader of a group whose context ends while the closure
// of another member reads leaves at once. The others go on without it.
func TestSilentLeader(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	impatient, cancel := context.WithCancel(t.Context())
	l := &line{silent: cancel}
	s := newStore(t, l.pool(t), pgstore.Config{Schema: schema, Group: 8, CommitWait: 20 * time.Millisecond})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	patient, end := context.WithTimeout(t.Context(), patience)
	defer end()
	var once sync.Once
	silence := func(tx *record.Tx) error {
		err := count(2)(tx)
		once.Do(func() { l.left.Store(1) })
		_, missing := tx.Tiers.Get(uuid.UUID{0xba})
		if !errors.Is(missing, affiliate.ErrNotFound) {
			return missing
		}
		return err
	}
	errs := togetherThen(t, s, program, map[int]context.Context{0: impatient, 1: patient, 2: patient},
		[]func(tx *record.Tx) error{count(0), count(1), silence}, func(i int) {
			if i == 0 && patient.Err() != nil {
				t.Error("the leader waited for another member")
			}
			l.end()
		})
	if !errors.Is(errs[0], context.Canceled) || errs[1] != nil || errs[2] != nil {
		t.Errorf("errors %v, want the leader cancelled alone", errs)
	}
	counted(t, s, program, 2)
}

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

// modes are the modes of a store, as the documentation calls them.
var modes = map[pgstore.Mode]string{pgstore.Queue: "queue", pgstore.Serializable: "serializable"}

// TestPgBouncer: the pool modes and exec modes of the README work with a real
// PgBouncer that has fewer connections to the server than there are clients.
func TestPgBouncer(t *testing.T) {
	program, err := osexec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("SKIPPED: no pgbouncer in PATH (on Debian and Ubuntu: apt-get install pgbouncer)")
	}
	for _, tt := range []struct {
		pooling string
		mode    pgx.QueryExecMode
		conns   int32
		cfg     pgstore.Config
	}{
		{"session", pgx.QueryExecModeCacheStatement, bouncerConns, pgstore.Config{}},
		{"transaction", pgx.QueryExecModeExec, 16, pgstore.Config{Group: 4}},
		{"transaction", pgx.QueryExecModeExec, 16, pgstore.Config{Mode: pgstore.Serializable, Retries: 100}},
		{"transaction", pgx.QueryExecModeCacheDescribe, 16, pgstore.Config{}},
		{"transaction", pgx.QueryExecModeSimpleProtocol, 16, pgstore.Config{}},
	} {
		t.Run(fmt.Sprintf("%s, %v, mode %d", tt.pooling, tt.mode, tt.cfg.Mode), func(t *testing.T) {
			pool := newPool(t, bouncer(t, program, tt.pooling), func(c *pgxpool.Config) {
				c.MaxConns, c.ConnConfig.DefaultQueryExecMode = tt.conns, tt.mode
			})
			s := newShop(t, pool, tt.cfg)
			const clients, sales = 6, 8
			var wg sync.WaitGroup
			for c := range clients {
				wg.Go(func() {
					for i := range sales {
						if _, err := s.plain.RecordSale(t.Context(), sale(1+c*sales+i)); err != nil {
							t.Error(err)
						}
						if _, err := s.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 3}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			t.Attr("server", fmt.Sprintf("PgBouncer, %s mode, %v, %s: %d sales over fewer connections than clients, no error", tt.pooling, tt.mode, modes[tt.cfg.Mode], clients*sales))
			options := pgx.TxOptions{}
			if tt.cfg.Mode == pgstore.Serializable {
				options.IsoLevel = pgx.Serializable
			}
			err := pgx.BeginTxFunc(t.Context(), pool, options, func(tx pgx.Tx) error {
				_, err := s.plain.With(s.store.In(tx)).RecordSale(t.Context(), sale(0))
				return err
			})
			if err != nil {
				t.Errorf("in the host's transaction: %v", err)
			}
			s.books("behind PgBouncer", clients*sales+1)
		})
	}
}

// bouncerConns is the number of PgBouncer's connections to the server.
const bouncerConns = 4

// bouncer starts a PgBouncer in front of the tests' server, as the user that
// the server runs as, and returns its connection string.
func bouncer(t *testing.T, program, pooling string) string {
	t.Helper()
	backend := must(url.Parse(server(t, false).URL()))
	socket := backend.Query().Get("host")
	free := must(net.Listen("tcp", "127.0.0.1:0"))
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	conf := filepath.Join(t.TempDir(), "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
postgres = host=%s user=tributary dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = %d
`, socket, port, pooling, bouncerConns)
	must(0, os.WriteFile(conf, []byte(text), 0o644))
	cmd := osexec.Command(program, "-q", conf)
	info := must(os.Stat(socket))
	if owner := info.Sys().(*syscall.Stat_t); os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
		for dir := filepath.Dir(conf); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			_ = os.Chmod(dir, 0o755)
		}
	}
	cmd.Stderr = os.Stderr
	must(0, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address := fmt.Sprintf("postgres://tributary@127.0.0.1:%d/postgres?sslmode=disable", port)
	for deadline := time.Now().Add(20 * time.Second); ; {
		conn, err := pgx.Connect(t.Context(), address+"&default_query_exec_mode=exec")
		if err == nil {
			_ = conn.Close(t.Context())
			return address
		}
		if time.Now().After(deadline) {
			t.Fatalf("PgBouncer does not answer: %v", err)
		}
	}
}
