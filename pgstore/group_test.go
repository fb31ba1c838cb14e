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
