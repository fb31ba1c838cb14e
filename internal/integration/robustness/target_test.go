package robustness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/sqlitestore"
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

// A database is the server of this test binary: that of the variable
// TRIBUTARY_TEST_DATABASE_URL, or one that pgstore's command serve starts. It
// waits for the disk at a commit; pools ask it not to.
type database struct {
	url  string
	stop func()
	err  error
}

const schema = "tributary_robustness"

var errNoServer = errors.New("no PostgreSQL server programs: install PostgreSQL 14 or later, or set TRIBUTARY_TEST_DATABASE_URL")

// server is started when the first test needs it; TestMain stops it.
var server = sync.OnceValue(func() (d database) {
	d.stop = func() {}
	if d.url = os.Getenv("TRIBUTARY_TEST_DATABASE_URL"); d.url == "" {
		if d = startServer(); d.err != nil {
			return d
		}
	}
	d.err = migrate(d.url)
	return d
})

var serverUsed bool

func TestMain(m *testing.M) {
	if os.Getenv("TRIBUTARY_WORKER") != "" {
		if err := worker(); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	code := m.Run()
	if serverUsed {
		server().stop()
	}
	os.Exit(code)
}

func startServer() (d database) {
	cmd := exec.Command("go", "run", "github.com/tributary-go/tributary/pgstore/pgtest/serve")
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err == nil {
		var out *bufio.Reader
		if pipe, failed := cmd.StdoutPipe(); failed == nil {
			out = bufio.NewReader(pipe)
		}
		if err = cmd.Start(); err == nil {
			d.url, err = out.ReadString('\n')
		}
	}
	d.url = strings.TrimSpace(d.url)
	d.stop = func() {
		hold.Close()
		_ = cmd.Wait() // go run says what was wrong
	}
	if err != nil {
		d.stop()
		d.err = fmt.Errorf("%w (%w)", errNoServer, err)
	}
	return d
}

// migrate makes the tables anew.
func migrate(url string) error {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
		return err
	}
	s, err := pgstore.New(pool, pgstore.Config{Schema: schema})
	if err != nil {
		return err
	}
	return s.Migrate(ctx)
}

// databaseURL is the connection string of the server. Without one the test is
// skipped, but not in CI, where nobody reads skips.
func databaseURL(t *testing.T) string {
	t.Helper()
	serverUsed = true
	d := server()
	if errors.Is(d.err, errNoServer) && os.Getenv("CI") != "true" {
		t.Skip("SKIPPED: ", d.err)
	}
	if d.err != nil {
		t.Fatal(d.err)
	}
	return d.url
}

// openPool connects to a server. A commit of a hasty pool does not wait for the
// disk.
func openPool(url string, hasty bool) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 12
	if hasty {
		cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	}
	return pgxpool.NewWithConfig(context.Background(), cfg)
}

func newPool(t *testing.T, url string, hasty bool) *pgxpool.Pool {
	t.Helper()
	pool, err := openPool(url, hasty)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func newStore(t *testing.T, pool *pgxpool.Pool, cfg pgstore.Config) *pgstore.Store {
	t.Helper()
	cfg.Schema = schema
	s, err := pgstore.New(pool, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// onPostgres is a target on PostgreSQL.
func onPostgres(t *testing.T, name string, cfg pgstore.Config, hasty bool) target {
	pool := newPool(t, databaseURL(t), hasty)
	return onStores(name, 0, func(t *testing.T) (record.Store, []record.Store) {
		s := newStore(t, pool, cfg)
		return s, []record.Store{s}
	})
}

// inHosts is a target whose every call is in a transaction of the host.
func inHosts(t *testing.T) target {
	pool := newPool(t, databaseURL(t), true)
	return onStores("PostgreSQL, the host's transactions", 0, func(t *testing.T) (record.Store, []record.Store) {
		s := newStore(t, pool, pgstore.Config{})
		return s, []record.Store{hostStore{pool, s}}
	})
}

type hostStore struct {
	pool  *pgxpool.Pool
	store *pgstore.Store
}

// View runs fn in a transaction of the host.
func (h hostStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error { return h.store.In(tx).View(ctx, program, fn) })
}

// Update runs fn in a transaction of the host.
func (h hostStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error { return h.store.In(tx).Update(ctx, program, fn) })
}

// behindProxy is a target whose connections break all the time.
func behindProxy(t *testing.T, cfg pgstore.Config) (target, *proxy) {
	pr := newProxy(t, databaseURL(t))
	clean, shaky := newPool(t, databaseURL(t), true), newPool(t, pr.url(), true)
	tg := onStores("PostgreSQL, connections break", 0, func(t *testing.T) (record.Store, []record.Store) {
		return newStore(t, clean, cfg), []record.Store{newStore(t, shaky, cfg)}
	})
	tg.loses = true
	return tg, pr
}

// ways are the ways to run pgstore that histories are taken on.
func ways(t *testing.T) []target {
	return []target{
		onPostgres(t, "PostgreSQL, queue", pgstore.Config{}, true),
		onPostgres(t, "PostgreSQL, queue, groups", pgstore.Config{Group: 16}, true),
		onPostgres(t, "PostgreSQL, serializable", pgstore.Config{Mode: pgstore.Serializable, Retries: 100}, true),
		onPostgres(t, "PostgreSQL, serializable, groups", pgstore.Config{Mode: pgstore.Serializable, Group: 16, Retries: 100}, true),
	}
}

// TestHistoriesOnPostgres is G03.
func TestHistoriesOnPostgres(t *testing.T) {
	for _, tg := range ways(t) {
		histories(t, goal{target: tg, short: 3, long: 42, clients: 8, calls: 50})
	}
	histories(t,
		goal{target: onPostgres(t, "PostgreSQL, commits wait for the disk", pgstore.Config{Group: 16}, false), short: 2, long: 21, clients: 8, calls: 50},
		goal{target: inHosts(t), short: 2, long: 21, clients: 8, calls: 50},
	)
	shaky, pr := behindProxy(t, pgstore.Config{Group: 4})
	// Half as long and twice as many: each call without an answer may double what the check has to try.
	histories(t, goal{target: shaky, short: 6, long: 84, clients: 8, calls: 25})
	t.Logf("%d connections were broken", pr.broken.Load())
	if pr.broken.Load() == 0 {
		t.Error("no connection was broken")
	}
}

// TestHistoriesOfProcesses: two processes with their clocks 4 s apart, each a
// server of the HTTP API.
func TestHistoriesOfProcesses(t *testing.T) {
	for _, way := range []wayOf{{}, {serializable: true, group: 16}} {
		histories(t, goal{target: twoProcesses(t, way, 4*time.Second), short: 3, long: 42, clients: 8, calls: 50})
	}
}

// inFile is a target on a SQLite file that has been opened so many times, as by
// processes beside each other, whose clocks are apart.
func inFile(name string, opened int, apart time.Duration) target {
	return onStores(name, apart, func(t *testing.T) (record.Store, []record.Store) {
		path := filepath.Join(t.TempDir(), "program.db")
		var used []record.Store
		for range opened + 1 {
			s, err := sqlitestore.Open(t.Context(), path, sqlitestore.Config{Sync: sqlitestore.Normal})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			used = append(used, s)
		}
		return used[0], used[1:]
	})
}

// TestHistoriesInFile takes histories on one SQLite file.
func TestHistoriesInFile(t *testing.T) {
	histories(t,
		goal{target: inFile("SQLite", 1, 0), short: 5, long: 100, clients: 8, calls: 50},
		goal{target: inFile("SQLite, opened twice, clocks 4 s apart", 2, 4*time.Second), short: 3, long: 60, clients: 8, calls: 50},
	)
}

// TestExactlyInFile is TestExactly on SQLite.
func TestExactlyInFile(t *testing.T) {
	exactlyOn(t, inFile("SQLite", 1, 0), inFile("SQLite, opened twice, clocks 4 s apart", 2, 4*time.Second))
}

// A proxy stands between pgstore and the server. It breaks each connection
// after some bytes, also in the middle of a message.
type proxy struct {
	dir      string
	network  string
	to       string
	mu       sync.Mutex
	open     map[net.Conn]bool
	database *url.URL
	broken   atomic.Int64
}

// leastBytes and moreBytes are how much a connection carries before it breaks.
const leastBytes, moreBytes = 20_000, 400_000

func newProxy(t *testing.T, database string) *proxy {
	t.Helper()
	cfg, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "proxy-") // short, because the path of a socket must be
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{dir: dir, open: map[net.Conn]bool{}, database: u}
	p.network, p.to = pgNetwork(cfg.Host, cfg.Port)
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.carry(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.mu.Lock()
		for conn := range p.open {
			conn.Close()
		}
		p.mu.Unlock()
		wg.Wait()
		os.RemoveAll(dir)
	})
	return p
}

// pgNetwork is where a server listens.
func pgNetwork(host string, port uint16) (network, address string) {
	if filepath.IsAbs(host) {
		return "unix", filepath.Join(host, fmt.Sprint(".s.PGSQL.", port))
	}
	return "tcp", net.JoinHostPort(host, fmt.Sprint(port))
}

// url is the connection string of the proxy.
func (p *proxy) url() string {
	u := *p.database
	u.Host = ""
	q := u.Query()
	q.Set("host", p.dir)
	q.Set("port", "5432")
	u.RawQuery = q.Encode()
	return u.String()
}

// carry moves bytes both ways until it breaks the connection, or one side ends
// it.
func (p *proxy) carry(client net.Conn) {
	server, err := net.Dial(p.network, p.to)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.open[client], p.open[server] = true, true
	p.mu.Unlock()
	var left atomic.Int64
	left.Store(leastBytes + rand.Int64N(moreBytes))
	var wg sync.WaitGroup
	for to, from := range map[net.Conn]net.Conn{client: server, server: client} {
		wg.Go(func() {
			defer client.Close()
			defer server.Close()
			buffer := make([]byte, 4<<10)
			for {
				n, err := from.Read(buffer)
				rest := left.Add(-int64(n))
				if rest <= 0 {
					_, _ = to.Write(buffer[:max(0, int64(n)+rest)])
					p.broken.Add(1)
					return
				}
				if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	p.mu.Lock()
	delete(p.open, client)
	delete(p.open, server)
	p.mu.Unlock()
}

// A wayOf is how a process uses PostgreSQL.
type wayOf struct {
	serializable bool
	group        int
}

func (w wayOf) config() pgstore.Config {
	cfg := pgstore.Config{Schema: schema, Group: w.group}
	if w.serializable {
		cfg.Mode, cfg.Retries = pgstore.Serializable, 100
	}
	return cfg
}

// An order is what a process is told: it is in its environment.
type order struct {
	URL          string
	Serializable bool
	Group        int
	Ahead        time.Duration
	Plant        string
}

// twoProcesses is a target of two processes that serve the HTTP API. The clock
// of the second is ahead.
func twoProcesses(t *testing.T, way wayOf, apart time.Duration) target {
	pool := newPool(t, databaseURL(t), true)
	name := fmt.Sprintf("two processes, clocks %s apart", apart)
	if way.serializable {
		name += ", serializable, groups"
	}
	running := map[string][]*process{} // by the planted bug
	return target{name: name, open: func(sub *testing.T, pl plant, stopped bool) world {
		if running[pl.name] == nil {
			for i := range 2 {
				o := order{databaseURL(t), way.serializable, way.group, time.Duration(i) * apart, ""}
				if pl.store != nil {
					o.Plant = pl.name
				}
				running[pl.name] = append(running[pl.name], startProcess(t, o))
			}
		}
		clean := newStore(sub, pool, way.config())
		p := newProgram(sub, clean, func(c *tributary.Config) { c.Now = clock(stopped, 0) })
		key := p.Config().ID.String()
		if stopped {
			key = "stopped-" + key
		}
		late := newLate()
		var ops []api.Operations
		for _, proc := range running[pl.name] {
			ops = append(ops, pl.inClient(api.Of(newClient(sub, proc.url, key, proc.transport, -1)), p, clean, late))
		}
		settle := func() {
			late.wait()
			for _, proc := range running[pl.name] {
				if resp, err := http.Get(proc.url + "/settle"); err == nil {
					resp.Body.Close()
				}
			}
		}
		return world{p, func(i int) api.Operations { return ops[i%2] }, settle, true}
	}}
}

// A process is a worker and where it serves.
type process struct {
	url       string
	transport *http.Transport
}

func startProcess(t *testing.T, o order) *process {
	t.Helper()
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TRIBUTARY_WORKER="+string(raw))
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	t.Cleanup(func() {
		p.transport.CloseIdleConnections()
		hold.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("worker: %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("worker: %v", err)
	}
	p.url = "http://" + strings.TrimSpace(address)
	return p
}

// worker serves the programs whose ids are the keys of requests, until its input
// ends.
func worker() error {
	var o order
	if err := json.Unmarshal([]byte(os.Getenv("TRIBUTARY_WORKER")), &o); err != nil {
		return err
	}
	pool, err := openPool(o.URL, true)
	if err != nil {
		return err
	}
	defer pool.Close()
	store, err := pgstore.New(pool, wayOf{o.Serializable, o.Group}.config())
	if err != nil {
		return err
	}
	late := newLate()
	planted := plantNamed(o.Plant).inStore(store, late)
	var programs sync.Map
	h, err := httpapi.NewMulti(func(_ context.Context, key string) (httpapi.Access, error) {
		if p, ok := programs.Load(key); ok {
			return httpapi.Access{Program: p.(*tributary.Program)}, nil
		}
		id, stopped := strings.CutPrefix(key, "stopped-")
		p, err := tributary.New(planted, configured(func(c *tributary.Config) {
			c.ID, c.Now = uuid.MustParse(id), clock(stopped, o.Ahead)
		}))
		if err != nil {
			return httpapi.Access{}, err
		}
		actual, _ := programs.LoadOrStore(key, p)
		return httpapi.Access{Program: actual.(*tributary.Program)}, nil
	}, httpapi.Config{Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", h)
	mux.HandleFunc("/settle", func(http.ResponseWriter, *http.Request) { late.wait() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	srv := &http.Server{Handler: mux}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		srv.Close()
	}()
	if err := srv.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
