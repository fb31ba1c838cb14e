package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// A gate is a tracer that counts commits. It delays the first transaction until
// all members of the next group wait, so that the test knows the group.
type gate struct{ commits atomic.Int64 }

func (g *gate) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (g *gate) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	if data.SQL == "COMMIT" && data.Err == nil {
		g.commits.Add(1)
	}
}

func (g *gate) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (g *gate) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, joinedWriteKey{}, strings.HasPrefix(data.SQL, "WITH guard"))
}

func (g *gate) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if ctx.Value(joinedWriteKey{}).(bool) && data.CommandTag.RowsAffected() == 1 {
		g.commits.Add(1)
	}
}

// joinedWriteKey is the key of a context: whether a statement writes and commits at once.
type joinedWriteKey struct{}

// together runs the closures as one group: a first Update waits until all of
// them are in the queue, where they form the next group.
func together(t *testing.T, s *pgstore.Store, program uuid.UUID, contexts map[int]context.Context, fns []func(tx *record.Tx) error) []error {
	t.Helper()
	return togetherThen(t, s, program, contexts, fns, func(int) {})
}

// togetherThen is together, and calls returned for each member that returns.
func togetherThen(t *testing.T, s *pgstore.Store, program uuid.UUID, contexts map[int]context.Context, fns []func(tx *record.Tx) error, returned func(i int)) []error {
	t.Helper()
	var wg sync.WaitGroup
	inside, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	wg.Go(func() {
		err := s.Update(t.Context(), program, func(*record.Tx) error {
			once.Do(func() { close(inside) })
			<-release
			return nil
		})
		if err != nil {
			t.Errorf("the one before: %v", err)
		}
	})
	<-inside
	errs := make([]error, len(fns))
	for i, fn := range fns {
		ctx := contexts[i]
		if ctx == nil {
			ctx = t.Context()
		}
		before := s.Waiting(program)
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					errs[i] = fmt.Errorf("panic: %v", r)
				}
			}()
			errs[i] = errGoexit
			errs[i] = s.Update(ctx, program, fn)
			returned(i)
		})
		for s.Waiting(program) == before {
			runtime.Gosched()
		}
	}
	close(release)
	wg.Wait()
	return errs
}

var (
	errGoexit  = errors.New("the goroutine ended")
	errRefused = errors.New("refused")
)

// count returns a closure that adds one to a counter and inserts a record.
func count(i int) func(tx *record.Tx) error {
	return func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(uuid.UUID{1})
		if err != nil {
			return err
		}
		rec.Clicks++
		return errors.Join(tx.Totals.Replace(rec), tx.Plans.Insert(record.Plan{ID: uuid.UUID{2, byte(i)}}))
	}
}

// TestGroup: a member that fails does not affect its neighbours. The group
// commits once, and every member gets its own result.
func TestGroup(t *testing.T) {
	const n = 5
	for _, c := range []struct {
		name    string
		third   func(t *testing.T, cancel context.CancelFunc) func(tx *record.Tx) error
		want    error // the error of the third closure; nil: it counts too
		commits int64
	}{
		{"all succeed", func(*testing.T, context.CancelFunc) func(tx *record.Tx) error { return count(2) }, nil, 1},
		{"one is refused", func(*testing.T, context.CancelFunc) func(tx *record.Tx) error {
			return func(tx *record.Tx) error { return errors.Join(count(2)(tx), errRefused) }
		}, errRefused, 1},
		{"one panics", func(*testing.T, context.CancelFunc) func(tx *record.Tx) error {
			return func(tx *record.Tx) error { _ = count(2)(tx); panic("at the disco") }
		}, errors.New("panic: at the disco"), 1},
		{"one ends its goroutine", func(*testing.T, context.CancelFunc) func(tx *record.Tx) error {
			return func(tx *record.Tx) error { _ = count(2)(tx); runtime.Goexit(); return nil }
		}, errGoexit, 1},
		{"one is cancelled while it runs", func(_ *testing.T, cancel context.CancelFunc) func(tx *record.Tx) error {
			return func(tx *record.Tx) error { cancel(); return count(2)(tx) }
		}, context.Canceled, 1},
		{"one is cancelled when it has run", func(_ *testing.T, cancel context.CancelFunc) func(tx *record.Tx) error {
			return func(tx *record.Tx) error { defer cancel(); return count(2)(tx) }
		}, context.Canceled, 1},
		{"the database refuses one", func(*testing.T, context.CancelFunc) func(tx *record.Tx) error {
			return func(tx *record.Tx) error {
				return errors.Join(count(2)(tx), tx.Tiers.Insert(record.Tier{ID: barred}))
			}
		}, errAny, n - 1},
		{"one does not encode", func(*testing.T, context.CancelFunc) func(tx *record.Tx) error {
			return func(tx *record.Tx) error {
				return errors.Join(count(2)(tx), tx.Referrals.Insert(record.Referral{ID: uuid.UUID{9}, Email: "a", AffiliateID: uuid.UUID{9}, Metadata: []byte("{")}))
			}
		}, errAny, n - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &gate{}
			pool := newPool(t, databaseURL(t), func(cfg *pgxpool.Config) { cfg.ConnConfig.Tracer = g })
			schema := newSchema(t, pool)
			exec(t, pool, "ALTER TABLE "+schema+".tiers ADD CHECK (id <> '"+barred.String()+"')")
			s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
			program := uuid.UUID{7}
			if err := s.Update(t.Context(), program, func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			fns := []func(tx *record.Tx) error{count(0), count(1), c.third(t, cancel), count(3), count(4)}
			g.commits.Store(0)
			errs := together(t, s, program, map[int]context.Context{2: ctx}, fns)

			want := int64(n)
			for i, err := range errs {
				if i != 2 && err != nil {
					t.Errorf("neighbour %d: %v", i, err)
				}
			}
			if c.want != nil {
				want--
			}
			if !same(errs[2], c.want) {
				t.Errorf("the third: error %v, want %v", errs[2], c.want)
			}
			if got := g.commits.Load(); got != c.commits {
				t.Errorf("%d commits, want %d", got, c.commits)
			}
			counted(t, s, program, want)
		})
	}
}

// barred is an id that the database refuses.
var barred = uuid.UUID{0xba, 15: 1}

var errAny = errors.New("any error")

func same(got, want error) bool {
	if want == errAny {
		return got != nil
	}
	return errors.Is(got, want) || got != nil && want != nil && got.Error() == want.Error()
}

// counted compares the counter and the number of records with want.
func counted(t *testing.T, s *pgstore.Store, program uuid.UUID, want int64) {
	t.Helper()
	err := s.View(t.Context(), program, func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(uuid.UUID{1})
		var plans int64
		for range tx.Plans.List(record.Query{}) {
			plans++
		}
		if rec.Clicks != want || plans != want {
			t.Errorf("the counter says %d and there are %d records, want %d", rec.Clicks, plans, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRaceLimit: of many clients in several processes that redeem at once,
// exactly as many succeed as the limit allows (G03).
func TestRaceLimit(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Group: 32}, {Mode: pgstore.Serializable, Retries: 50}} {
		t.Run(fmt.Sprintf("mode %d, group %d", cfg.Mode, cfg.Group), func(t *testing.T) {
			const clients, limit = 60, 7
			s := newShop(t, pool, cfg)
			cfg.Schema = "test_" + schemaID()
			code := must(s.plain.Code(t.Context(), affiliate.CodeRef{Code: "HOT20"}))
			must(s.plain.UpdateCode(t.Context(), code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](limit)}))
			two := &turnabout{stores: [2]record.Store{s.store, newStore(t, pool, cfg)}}
			program := s.plain.With(two)
			var sold, exhausted atomic.Int64
			var wg sync.WaitGroup
			for range clients {
				wg.Go(func() {
					_, err := program.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("10")})
					switch {
					case err == nil:
						sold.Add(1)
					case errors.Is(err, affiliate.CodeExhausted):
						exhausted.Add(1)
					default:
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if sold.Load() != limit || exhausted.Load() != clients-limit {
				t.Errorf("%d sold and %d refused, want %d and %d", sold.Load(), exhausted.Load(), limit, clients-limit)
			}
			s.books("after the race", limit)
		})
	}
}

// TestSerializableDuplicate: a serializable transaction loses by a row that its snapshot
// does not show, again and again, as beside a busy process. It runs until it wins.
func TestSerializableDuplicate(t *testing.T) {
	for _, group := range []int{0, 16} {
		t.Run(fmt.Sprint("group ", group), func(t *testing.T) {
			pool := newPool(t, databaseURL(t))
			cfg := pgstore.Config{Schema: newSchema(t, pool), Mode: pgstore.Serializable, Group: group}
			s, program, runs := newStore(t, pool, cfg), uuid.New(), 0
			const losses = 4
			err := s.Update(t.Context(), program, func(tx *record.Tx) error {
				runs++
				id := uuid.UUID{15: byte(runs)}
				if _, err := tx.Plans.Get(id); !errors.Is(err, affiliate.ErrNotFound) {
					return fmt.Errorf("plan %v: %w", id, err)
				}
				if runs <= losses {
					foreignPlan(t, pool, cfg.Schema, program, id)
				}
				return tx.Plans.Insert(record.Plan{ID: id, Name: "ours"})
			})
			if err != nil || runs != losses+1 {
				t.Errorf("after %d runs: %v, want %d runs and no error", runs, err, losses+1)
			}
		})
	}
}

// TestGroupReadsTogether: a group of closures that read records of their own
// takes one round trip for all first reads, and one for all writes.
func TestGroupReadsTogether(t *testing.T) {
	const n = 6
	wire := &wireCount{}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
	s := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 16})
	program := uuid.UUID{7}
	plan := func(i int) record.Plan {
		return record.Plan{ID: uuid.UUID{1, byte(i)}, Name: fmt.Sprint("plan ", i)}
	}
	code := func(i int) record.Code {
		return record.Code{ID: uuid.UUID{2, byte(i)}, CouponID: uuid.UUID{9}, Code: fmt.Sprint("C", i)}
	}
	err := s.Update(t.Context(), program, func(tx *record.Tx) error {
		for i := range n {
			if err := errors.Join(tx.Plans.Insert(plan(i)), tx.Codes.Insert(code(i))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	byCode := func(text string) record.Key { return record.Key{Index: record.ByCode, Text: text} }
	get := func(i int) func(tx *record.Tx) error {
		return func(tx *record.Tx) error {
			tx.Soon("plans", record.Key{ID: plan(i).ID})
			tx.Soon("codes", byCode("C0"))
			if _, err := tx.Codes.Find(byCode(fmt.Sprint("none ", i))); !errors.Is(err, affiliate.ErrNotFound) {
				return fmt.Errorf("closure %d: a missing code: error %v", i, err)
			}
			rec, err := tx.Plans.Get(plan(i).ID)
			if err != nil || rec.Name != plan(i).Name {
				return fmt.Errorf("closure %d: plan %q, error %v", i, rec.Name, err)
			}
			hot, err := tx.Codes.Find(byCode("C0"))
			if err != nil || hot.TimesRedeemed != int64(i) {
				return fmt.Errorf("closure %d: %d redemptions, error %v", i, hot.TimesRedeemed, err)
			}
			hot.TimesRedeemed++
			rec.Name += " done"
			return errors.Join(tx.Codes.Replace(hot), tx.Plans.Replace(rec))
		}
	}
	list := func(tx *record.Tx) error {
		codes := 0
		for _, err := range tx.Codes.List(record.Query{Key: record.Key{Index: record.OfCoupon, ID: uuid.UUID{9}}}) {
			if err != nil {
				return err
			}
			codes++
		}
		if codes != n {
			return fmt.Errorf("%d codes", codes)
		}
		return nil
	}
	var fns []func(tx *record.Tx) error
	for i := range n {
		fns = append(fns, get(i))
	}
	fns = append(fns, list)
	wire.trips.Store(0)
	for i, err := range together(t, s, program, nil, fns) {
		if err != nil {
			t.Errorf("closure %d: %v", i, err)
		}
	}
	if trips := wire.trips.Load(); trips != 2 {
		t.Errorf("%d round trips, want one to read and one to write", trips)
	}
}

// TestHeldMemberLeaves: a member whose context ends while its closure is held
// leaves at once. Its closure gets an error from then on, and the others go on.
func TestHeldMemberLeaves(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	var later error
	// The leader waits until the held member has returned.
	leads := func(tx *record.Tx) error {
		cancel()
		<-left
		return count(0)(tx)
	}
	leaves := func(tx *record.Tx) error {
		_, err := tx.Totals.Get(uuid.UUID{1})
		later = tx.Plans.Insert(record.Plan{ID: uuid.UUID{2, 99}})
		return err
	}
	errs := togetherThen(t, s, program, map[int]context.Context{1: ctx}, []func(tx *record.Tx) error{leads, leaves, count(2)}, func(i int) {
		if i == 1 {
			close(left)
		}
	})
	if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || errs[2] != nil || !errors.Is(later, context.Canceled) {
		t.Errorf("errors %v, and later %v, want the second cancelled alone", errs, later)
	}
	counted(t, s, program, 2)
}

// TestLeaderPanics: when the leader's closure panics, those that it held run
// again under another leader.
func TestLeaderPanics(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	before := func(tx *record.Tx) error { panic("before its first call") }
	after := func(tx *record.Tx) error { _ = count(9)(tx); panic("after its writes") }
	for i, leads := range []func(tx *record.Tx) error{before, after} {
		errs := together(t, s, program, nil, []func(tx *record.Tx) error{leads, count(2 * i), count(2*i + 1)})
		if errs[0] == nil || errs[1] != nil || errs[2] != nil {
			t.Errorf("errors %v, want a panic of the first alone", errs)
		}
		counted(t, s, program, int64(2*i+2))
	}
}

// TestNewest: an Update that asks for the newest record of a table finds what
// is stored, what it wrote, and what its group wrote before.
func TestNewest(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 16})
	program := uuid.UUID{7}
	id := func(i byte) uuid.UUID { return uuid.UUID{5, i} }
	newest := func(tx *record.Tx, want uuid.UUID) error {
		var got uuid.UUID
		for rec, err := range tx.Plans.List(record.Query{Desc: true, Limit: 1}) {
			if err != nil {
				return err
			}
			got = rec.ID
		}
		if got != want {
			return fmt.Errorf("the newest is %s, want %s", got, want)
		}
		return nil
	}
	insert := func(tx *record.Tx, i byte) error { return tx.Plans.Insert(record.Plan{ID: id(i)}) }
	fns := []func(tx *record.Tx) error{
		func(tx *record.Tx) error {
			return errors.Join(newest(tx, uuid.Nil), insert(tx, 3), newest(tx, id(3)))
		},
		func(tx *record.Tx) error { return errors.Join(newest(tx, id(3)), insert(tx, 1), newest(tx, id(3))) },
		func(tx *record.Tx) error {
			return errors.Join(insert(tx, 7), newest(tx, id(7)), errRefused)
		},
		func(tx *record.Tx) error { return errors.Join(newest(tx, id(3)), insert(tx, 5), newest(tx, id(5))) },
		func(tx *record.Tx) error { return errors.Join(tx.Plans.Delete(id(5)), newest(tx, id(3))) },
	}
	want := []error{nil, nil, errRefused, nil, nil}
	for i, err := range together(t, s, program, nil, fns) {
		if !errors.Is(err, want[i]) || want[i] != nil && err.Error() != errRefused.Error() {
			t.Errorf("closure %d: error %v, want %v", i, err, want[i])
		}
	}
	for _, fn := range []func(tx *record.Tx) error{
		func(tx *record.Tx) error { return errors.Join(tx.Plans.Delete(id(3)), newest(tx, id(1))) },
		func(tx *record.Tx) error {
			return errors.Join(newest(tx, id(1)), tx.Plans.Delete(id(1)), newest(tx, uuid.Nil))
		},
		func(tx *record.Tx) error { return newest(tx, uuid.Nil) },
	} {
		if err := s.Update(t.Context(), program, fn); err != nil {
			t.Error(err)
		}
	}
}

// TestSoon: what a closure says that it will need changes no answer, in any
// kind of transaction, and costs no round trip of its own.
func TestSoon(t *testing.T) {
	wire := &wireCount{}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
	schema := newSchema(t, pool)
	program, plan := uuid.UUID{7}, record.Plan{ID: uuid.UUID{1}, Name: "a"}
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		s := newStore(t, pool, pgstore.Config{Schema: schema, Mode: mode})
		_ = s.Update(t.Context(), program, func(tx *record.Tx) error { return tx.Plans.Insert(plan) })
		look := func(tx *record.Tx) error {
			tx.Soon("no such table", record.Key{ID: uuid.UUID{1}})
			tx.Soon("plans", record.Key{Index: record.ByCode, Text: "no such index"})
			tx.Soon("codes", record.Key{Index: record.ByCode, Text: "a\x00b"})
			tx.Soon("codes", record.Key{Index: record.ByCode, Text: "none"})
			tx.Soon("codes", record.Key{Index: record.OfCoupon, ID: uuid.UUID{3}})
			tx.Soon("plans", record.Key{})
			tx.Soon("plans", record.Key{ID: plan.ID})
			tx.Soon("plans", record.Key{ID: plan.ID})
			if got, err := tx.Plans.Get(plan.ID); err != nil || got.Name != plan.Name {
				return fmt.Errorf("plan %q, error %v", got.Name, err)
			}
			if _, err := tx.Codes.Find(record.Key{Index: record.ByCode, Text: "none"}); !errors.Is(err, affiliate.ErrNotFound) {
				return fmt.Errorf("code: error %v", err)
			}
			return nil
		}
		for name, run := range map[string]func(context.Context, uuid.UUID, func(*record.Tx) error) error{"Update": s.Update, "View": s.View} {
			wire.trips.Store(0)
			if err := run(t.Context(), program, look); err != nil {
				t.Errorf("mode %d: %s: %v", mode, name, err)
			}
			want := int64(2) // and the end of the transaction
			if mode == pgstore.Queue && name == "Update" {
				want = 1 // it needs no transaction to read
			}
			if trips := wire.trips.Load(); trips != want {
				t.Errorf("mode %d: %s: %d round trips, want %d", mode, name, trips, want)
			}
		}
	}
}
