package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
)

// TestRouter: programs that every call was made on move from memory to PostgreSQL, to
// another schema, and back to memory, in both modes, and are the same.
func TestRouter(t *testing.T) {
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		pool := newPool(t, databaseURL(t))
		one, two := memstore.New(), memstore.New()
		cfg := router.Config{Stores: []router.NamedStore{
			{Name: "one", Store: one}, {Name: "two", Store: two},
			{Name: "pg", Store: newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode})},
			{Name: "other", Store: newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode, Group: 8})},
		}}
		r := must(router.New(cfg))
		now := time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)
		for _, p := range twins.All(t, r, &now)[:1] {
			id, copied := p.Config().ID, memstore.New()
			n := must(router.Copy(t.Context(), one, copied, id))
			for _, to := range []string{"pg", "other", "pg", "two"} {
				if err := r.Move(t.Context(), id, to); err != nil {
					t.Fatalf("Move to %s: %v", to, err)
				}
				if same, err := router.Compare(t.Context(), copied, r, id); same != n || n < 50 || err != nil {
					t.Errorf("%s: %d records, %d are the same, error %v", to, n, same, err)
				}
			}
			if err := p.Verify(t.Context()); err != nil {
				t.Errorf("Verify: %v", err)
			}
		}
	}
}

// TestRouterTrips: a router adds no round trip to a sale, and at most one to a read.
func TestRouterTrips(t *testing.T) {
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		wire := &wireCount{}
		pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
		store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode})
		routed := must(router.New(router.Config{Stores: []router.NamedStore{{Name: "a", Store: store}, {Name: "b", Store: memstore.New()}}}))
		trips := func(s record.Store, id uuid.UUID) (counts [3]int64) {
			p := must(tributary.New(s, tributary.Config{ID: id, Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}}}))
			ada := must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
			coupon := must(p.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
			must(p.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "SAVE20", AffiliateID: ada.ID}))
			for n := range 4 {
				for i, call := range []func(){
					func() {
						must(p.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "SAVE20", Email: "b@example.net", Name: "B", TotalEarned: affiliate.MustAmount("10"), ExternalID: fmt.Sprint(n)}))
					},
					func() { must(p.Affiliate(t.Context(), ada.ID.String())) },
					func() { must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 5})) },
				} {
					before := wire.trips.Load()
					call()
					counts[i] = wire.trips.Load() - before
				}
			}
			return counts
		}
		bare, through := trips(store, uuid.Must(uuid.NewV7())), trips(routed, uuid.Must(uuid.NewV7()))
		t.Logf("a sale, a read, a list: %v round trips, with a router %v", bare, through)
		if through[0] > bare[0] || through[1] > bare[1]+1 || through[2] > bare[2]+1 {
			t.Errorf("%v round trips, with a router %v", bare, through)
		}
	}
}

// TestRouterTogether: a program is moved between two schemas all the time, while callers
// with two routers use the last of a code. Exactly as many sales are made as it allows.
func TestRouterTogether(t *testing.T) {
	for _, cfg := range []pgstore.Config{{}, {Group: 8}, {Mode: pgstore.Serializable}} {
		const limit, callers = 30, 6
		pool := newPool(t, databaseURL(t))
		one, two := cfg, cfg
		one.Schema, two.Schema = newSchema(t, pool), newSchema(t, pool)
		id := uuid.Must(uuid.NewV7())
		var programs []*tributary.Program
		var routers []*router.Store
		for range 2 {
			routers = append(routers, must(router.New(router.Config{Stores: []router.NamedStore{
				{Name: "one", Store: newStore(t, pool, one)}, {Name: "two", Store: newStore(t, pool, two)},
			}})))
			programs = append(programs, must(tributary.New(routers[len(routers)-1], tributary.Config{ID: id, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})))
		}
		ada := must(programs[0].CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: "ada@example.com"}))
		coupon := must(programs[0].CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
		must(programs[0].CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "SAVE20", AffiliateID: ada.ID, MaxRedemptions: affiliate.Set[int64](limit)}))
		var made, moves atomic.Int64
		var selling, moving sync.WaitGroup
		for c := range callers {
			selling.Go(func() {
				for n := range 10 {
					_, err := programs[n%2].RecordSale(t.Context(), affiliate.SaleParams{
						PromoCode: "SAVE20", TotalEarned: affiliate.MustAmount("10"), ExternalID: fmt.Sprint(c, "-", n),
						Email: fmt.Sprintf("b%d-%d@example.net", c, n), Name: "B",
					})
					if err == nil {
						made.Add(1)
					} else if !errors.Is(err, affiliate.CodeExhausted) {
						t.Errorf("sale: %v", err)
					}
				}
			})
		}
		done := make(chan struct{})
		moving.Go(func() {
			for n := 1; ; n++ {
				if err := routers[n%2].Move(t.Context(), id, []string{"one", "two"}[n%2]); err != nil {
					t.Errorf("Move: %v", err)
				}
				moves.Add(1)
				select {
				case <-done:
					return
				default:
				}
			}
		})
		selling.Wait()
		close(done)
		moving.Wait()
		if err := programs[0].Verify(t.Context()); err != nil {
			t.Errorf("Verify: %v", err)
		}
		stored := len(must(programs[1].Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items)
		if made.Load() != limit || stored != limit {
			t.Errorf("%+v: %d sales were answered and %d are stored, of %d", cfg, made.Load(), stored, limit)
		}
		t.Logf("%+v: %d moves", cfg, moves.Load())
	}
}

// TestFenceIn: a transaction of the host writes to the program while it is in that
// database, and nothing at all when it is not.
func TestFenceIn(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	store := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool)})
	r := must(router.New(router.Config{Stores: []router.NamedStore{{Name: "pg", Store: store}, {Name: "mem", Store: memstore.New()}}}))
	id := uuid.Must(uuid.NewV7())
	p := must(tributary.New(r, tributary.Config{ID: id}))
	join := func(email string) error {
		tx := must(pool.Begin(t.Context()))
		_, err := p.With(router.Fence(store.In(tx))).CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: email})
		return errors.Join(err, tx.Commit(t.Context()))
	}
	if err := join("new@example.com"); !errors.Is(err, router.ErrElsewhere) {
		t.Errorf("a program that has not begun: %v", err)
	}
	for n, to := range []string{"pg", "mem", "pg"} {
		must(0, r.Move(t.Context(), id, to))
		if err := join(fmt.Sprintf("a%d@example.com", n)); errors.Is(err, router.ErrElsewhere) != (to == "mem") || to == "pg" && err != nil {
			t.Errorf("a program in %s: %v", to, err)
		}
	}
	if list := must(p.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})); len(list.Items) != 2 {
		t.Errorf("%d affiliates", len(list.Items))
	}
}

// withoutProgram are the tables that belong to no program, and why. Where tables
// are distributed by the program, each of them is on one server.
var withoutProgram = map[string]string{
	"dedup":      "a receiver gets the webhooks of several programs",
	"migrations": "which migrations were applied, a row for each",

	"migrations_lock": "who migrates, one row",
}

// TestDistributionColumn: every other table has the program in each row, as the
// first column of its key and of each index. So a server that distributes tables by
// the program, as Citus does, finds every row and every duplicate in one place.
func TestDistributionColumn(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	rows := must(pool.Query(t.Context(), `SELECT c.relname, coalesce(i.relname, ''), coalesce(a.attname, ''), coalesce(x.indisunique, false), p.attnotnull IS TRUE
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		LEFT JOIN pg_index x ON x.indrelid = c.oid LEFT JOIN pg_class i ON i.oid = x.indexrelid
		LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
		LEFT JOIN pg_attribute p ON p.attrelid = c.oid AND p.attname = 'program'
		WHERE n.nspname = $1 AND c.relkind = 'r'`, schema))
	found := map[string]bool{}
	for rows.Next() {
		var table, index, first string
		var unique, filled bool
		must(0, rows.Scan(&table, &index, &first, &unique, &filled))
		found[table] = true
		if withoutProgram[table] != "" {
			continue
		}
		if index == "" || first != "program" || !filled {
			t.Errorf("table %s, index %s: begins with %q, unique %v; program is never null: %v", table, index, first, unique, filled)
		}
	}
	for _, table := range append(record.Schema(), record.TableSchema{Name: "programs"}) {
		if !found[table.Name] {
			t.Errorf("table %s has no row in the catalog", table.Name)
		}
	}
	for table := range withoutProgram {
		if !found[table] {
			t.Errorf("table %s is not there: its exception is out of date", table)
		}
	}
	var keys int
	err := pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace WHERE n.nspname = $1 AND k.contype = 'f'`, schema).Scan(&keys)
	if err != nil || keys > 0 {
		t.Errorf("%d foreign keys, error %v: they may cross servers", keys, err)
	}
	t.Attr("server", fmt.Sprintf("tables whose keys and indexes begin with the program: %d of %d; the others have a reason each", len(found)-len(withoutProgram), len(found)))
}

// ofNoProgram are the statements that name no program, and why. SCHEMA stands for
// the schema.
var ofNoProgram = map[string]string{
	"SELECT pg_advisory_xact_lock($1::bigint)":                                      "no table; the number is made from one program",
	"SELECT current_setting('transaction_isolation')":                               "no table",
	"SELECT pg_try_advisory_xact_lock($1::bigint)":                                  "no table; the number is made from the id of a webhook",
	"INSERT INTO SCHEMA.dedup (id, done_at) VALUES ($1, $2) ON CONFLICT DO NOTHING": withoutProgram["dedup"],
	"DELETE FROM SCHEMA.dedup WHERE done_at < $1":                                   withoutProgram["dedup"],
}

// control are the statements that begin and end transactions.
var control = []string{"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"}

// TestOneProgram: in the server's own plan, every scan of a table is bound to the
// program that the first parameter names, for every statement that the Store may
// send and for those that it sent while everything was done to two programs. No
// transaction concerns two programs. Migrations, which only an operator runs, go
// over all.
//
// TRIBUTARY_STATEMENTS names a file that the statements are written to.
func TestOneProgram(t *testing.T) {
	plain := newPool(t, databaseURL(t))
	schema := newSchema(t, plain)
	// A server that has analyzed a table of a few rows may read them all; it plans anew
	// when there are fifty more.
	must(plain.Exec(t.Context(), `DO $$ DECLARE t regclass; BEGIN
		FOR t IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = '`+schema+`'::regnamespace LOOP
			EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t);
		END LOOP; END $$`))
	w := &watcher{seen: map[string]bool{}, programs: map[*pgx.Conn]pgtype.UUID{}, begun: map[*pgx.Conn]bool{}}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = w })
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable}} {
		cfg.Schema = schema
		useAll(t, pool, cfg)
	}
	for _, text := range w.mixed {
		t.Errorf("a transaction concerns two programs: %s", text)
	}
	sent := len(w.seen)
	lookUps := map[string]bool{}
	for _, sql := range newStore(t, plain, pgstore.Config{Schema: schema}).Statements() {
		w.seen[sql], lookUps[sql] = true, true
	}
	var all []string
	place := regexp.MustCompile(`"` + schema + `"\."?(\w+)"?`)
	known := map[string]bool{}
	conn := must(plain.Acquire(t.Context()))
	defer conn.Release()
	must(conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off"))
	// Of a few rows it does not matter which index is read: the server shall believe that they are many.
	must(conn.Exec(t.Context(), `UPDATE pg_class SET relpages = 1, reltuples = 1000000 WHERE relkind IN ('r', 'i') AND relnamespace = '`+schema+`'::regnamespace`))
	for _, sql := range slices.Sorted(maps.Keys(w.seen)) {
		general := place.ReplaceAllString(sql, "SCHEMA.$1")
		known[general] = true
		if slices.ContainsFunc(control, func(word string) bool { return strings.HasPrefix(strings.ToUpper(sql), word) }) {
			continue
		}
		all = append(all, strings.ReplaceAll(general, "SCHEMA", "tributary"))
		if ofNoProgram[general] == "" {
			checkPlan(t, conn.Conn(), sql, lookUps)
		}
	}
	for general := range ofNoProgram {
		if !known[general] {
			t.Errorf("nobody sends %q: its exception is out of date", general)
		}
	}
	t.Attr("server", fmt.Sprintf("statements that concern one program, by the plans of the server: %d, %d of them sent while everything was done; %d are excused, each with its reason", len(all), sent, len(ofNoProgram)))
	if sent < 150 {
		t.Errorf("only %d statements were sent", sent)
	}
	if file := os.Getenv("TRIBUTARY_STATEMENTS"); file != "" {
		write(t, file, []byte(strings.Join(all, "\n")+"\n"))
	}
}

// useAll does everything to two programs of a store.
func useAll(t *testing.T, pool *pgxpool.Pool, cfg pgstore.Config) {
	ctx := context.Background()
	now := time.Date(2026, 3, 11, 9, 24, 18, 0, time.UTC)
	store := newStore(t, pool, cfg)
	both := twins.All(t, store, &now)
	for _, w := range both {
		var options pgx.TxOptions
		if cfg.Mode == pgstore.Serializable {
			options.IsoLevel = pgx.Serializable
		}
		err := pgx.BeginTxFunc(ctx, pool, options, func(tx pgx.Tx) error {
			_, err := w.With(store.In(tx)).CreateCoupon(ctx, affiliate.CouponParams{Name: "In the host's transaction", PercentOff: affiliate.Set(affiliate.MustPercent("5"))})
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if err := w.Verify(ctx); err != nil {
			t.Error(err)
		}
	}
	must(store.Dedup().Do(ctx, fmt.Sprint("id of mode ", cfg.Mode), func(context.Context) error { return nil }))
	must(store.Dedup().Prune(ctx, now))
}

// ofProgram is the condition of a scan that is bound to the program: not to the
// twelfth parameter.
var ofProgram = regexp.MustCompile(`\bprogram = \$1\b`)

// checkPlan fails the test unless each scan in the plan of a statement is bound to
// the program, and a look-up reads what it looks up: also the plan that was made before
// the tables were analyzed. An INSERT has to give the program.
func checkPlan(t *testing.T, conn *pgx.Conn, sql string, lookUps map[string]bool) {
	t.Helper()
	ctx := t.Context()
	about, err := conn.Prepare(ctx, "checked", sql)
	if err != nil {
		t.Errorf("%v in %s", err, sql)
		return
	}
	defer func() { must(0, conn.Deallocate(ctx, "checked")) }()
	nulls := strings.TrimSuffix(strings.Repeat("NULL,", len(about.ParamOIDs)), ",")
	var raw []byte
	if err := conn.QueryRow(ctx, "EXPLAIN (FORMAT JSON) EXECUTE checked("+nulls+")", pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		t.Errorf("%v in %s", err, sql)
		return
	}
	var plans []struct{ Plan planNode }
	must(0, json.Unmarshal(raw, &plans))
	scans := 0
	for _, plan := range plans {
		plan.Plan.walk(func(n planNode) {
			switch {
			case n.Relation == "":
				return
			case n.Type == "ModifyTable" && n.Operation == "Insert":
				if !strings.Contains(sql, "(program, ") {
					t.Errorf("a row without a program in %s", sql)
				}
			case n.Type != "ModifyTable" && !ofProgram.MatchString(n.IndexCond+n.Recheck+n.Filter):
				t.Errorf("%s of %s is not bound to the program: %q %q in %s", n.Type, n.Relation, n.IndexCond, n.Filter, sql)
			case n.Filter != "" && lookUps[sql] && !strings.Contains(sql, " AND id "): // a page of a list may
				t.Errorf("%s reads all %s of the program that it need not: %q %q in %s", n.Type, n.Relation, n.IndexCond, n.Filter, sql)
			}
			scans++
		})
	}
	if scans == 0 {
		t.Errorf("no table in the plan of %s", sql)
	}
}

// A planNode is a node of the plan that the server explains.
type planNode struct {
	Type      string     `json:"Node Type"`
	Operation string     `json:"Operation"`
	Relation  string     `json:"Relation Name"`
	IndexCond string     `json:"Index Cond"`
	Recheck   string     `json:"Recheck Cond"`
	Filter    string     `json:"Filter"`
	Plans     []planNode `json:"Plans"`
}

func (n planNode) walk(see func(planNode)) {
	see(n)
	for _, below := range n.Plans {
		below.walk(see)
	}
}

// A watcher remembers the statements of a pool, and the transactions that name two
// programs.
type watcher struct {
	mu       sync.Mutex
	seen     map[string]bool
	programs map[*pgx.Conn]pgtype.UUID // of the transaction that a connection is in
	begun    map[*pgx.Conn]bool        // by a statement that was seen: perhaps in the same batch, before the server knows
	mixed    []string
}

func (w *watcher) see(conn *pgx.Conn, sql string, args []any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.HasPrefix(sql, "DELETE FROM") && !strings.Contains(sql, "$1") {
		return // the test's own
	}
	w.seen[sql] = true
	if upper := strings.ToUpper(sql); strings.HasPrefix(upper, "BEGIN") || upper == "COMMIT" || upper == "ROLLBACK" {
		delete(w.programs, conn)
		w.begun[conn] = strings.HasPrefix(upper, "BEGIN")
		return
	}
	if len(args) == 0 {
		return
	}
	program, ok := args[0].(pgtype.UUID)
	if !ok || !strings.Contains(sql, "program") {
		return
	}
	if before, named := w.programs[conn]; named && before != program && (w.begun[conn] || conn.PgConn().TxStatus() == 'T') {
		w.mixed = append(w.mixed, sql)
	}
	w.programs[conn] = program
}

// TraceQueryStart is called with each query.
func (w *watcher) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	w.see(conn, data.SQL, data.Args)
	return ctx
}

// TraceQueryEnd is called after each query.
func (w *watcher) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart is called with each batch.
func (w *watcher) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, q := range data.Batch.QueuedQueries {
		w.see(conn, q.SQL, q.Arguments)
	}
	return ctx
}

// TraceBatchQuery is called with each answer of a batch.
func (w *watcher) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is called after each batch.
func (w *watcher) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
