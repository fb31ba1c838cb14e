package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// neighbours are two processes on one program of one database, and what the first
// sends. Both have written to the program, and the first remembers it.
func neighbours(t *testing.T, change ...func(*pgxpool.Config)) (ours, theirs *pgstore.Store, program uuid.UUID, wire *wireCount) {
	t.Helper()
	wire, program = &wireCount{}, uuid.UUID{7}
	schema := newSchema(t, newPool(t, databaseURL(t)))
	pool := newPool(t, databaseURL(t), append(change, func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })...)
	ours = newStore(t, pool, pgstore.Config{Schema: schema, Group: 8})
	theirs = newStore(t, newPool(t, databaseURL(t)), pgstore.Config{Schema: schema, Group: 8})
	mustUpdate(t, theirs, program, func(tx *record.Tx) error { return tx.Plans.Insert(record.Plan{ID: uuid.UUID{1}, Name: "old"}) })
	mustUpdate(t, ours, program, rename("known"))
	return ours, theirs, program, wire
}

func mustUpdate(t *testing.T, s *pgstore.Store, program uuid.UUID, fn func(tx *record.Tx) error) {
	t.Helper()
	must(0, s.Update(t.Context(), program, fn))
}

// rename gives the plan another name.
func rename(name string) func(tx *record.Tx) error {
	return func(tx *record.Tx) error {
		plan, err := tx.Plans.Get(uuid.UUID{1})
		if err != nil {
			return err
		}
		plan.Name = name
		return tx.Plans.Replace(plan)
	}
}

// TestRemembered: an Update that needs what the one before had takes one round trip, a
// refusal too, and one that reads something else takes two.
func TestRemembered(t *testing.T) {
	ours, _, program, wire := neighbours(t)
	mustUpdate(t, ours, program, rename("warm")) // prepares the statement
	for _, c := range []struct {
		name  string
		trips int64
		fn    func(tx *record.Tx) error
	}{
		{"a write", 1, rename("new")},
		{"a refusal", 1, func(tx *record.Tx) error { return errors.Join(rename("never")(tx), errRefused) }},
		{"nothing", 0, func(*record.Tx) error { return nil }},
		{"a read before the write", 2, func(tx *record.Tx) error {
			_, err := tx.Sales.Get(uuid.UUID{2})
			return errors.Join(expect(err, affiliate.ErrNotFound), rename("newer")(tx))
		}},
		{"rows in order", 1, func(tx *record.Tx) error {
			return errors.Join(tx.Plans.Delete(uuid.UUID{1}), tx.Plans.Insert(record.Plan{ID: uuid.UUID{1}, Name: "again"}))
		}},
		{"a row that is deleted", 1, func(tx *record.Tx) error { return tx.Plans.Delete(uuid.UUID{1}) }},
		{"its absence", 1, func(tx *record.Tx) error {
			_, err := tx.Plans.Get(uuid.UUID{1})
			return expect(err, affiliate.ErrNotFound)
		}},
	} {
		wire.trips.Store(0)
		if err := ours.Update(t.Context(), program, c.fn); err != nil && !errors.Is(err, errRefused) {
			t.Errorf("%s: %v", c.name, err)
		}
		if trips := wire.trips.Load(); trips != c.trips {
			t.Errorf("%s: %d round trips, want %d", c.name, trips, c.trips)
		}
	}
}

func expect(err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("error %v, want %v", err, want)
	}
	return nil
}

// TestOutOfDate: what another process, a host's transaction or a person has written since
// is seen by a read, a refusal and a write, whatever is remembered.
func TestOutOfDate(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(t *testing.T, theirs *pgstore.Store, program uuid.UUID, name string)
	}{
		{"another process", func(t *testing.T, theirs *pgstore.Store, program uuid.UUID, name string) {
			mustUpdate(t, theirs, program, rename(name))
		}},
		{"a host", func(t *testing.T, theirs *pgstore.Store, program uuid.UUID, name string) {
			if err := pgx.BeginFunc(t.Context(), theirs.Pool(), func(tx pgx.Tx) error {
				return theirs.In(tx).Update(t.Context(), program, rename(name))
			}); err != nil {
				t.Fatal(err)
			}
		}},
		{"a person", func(t *testing.T, theirs *pgstore.Store, program uuid.UUID, name string) {
			exec(t, theirs.Pool(), fmt.Sprintf("WITH p AS (UPDATE %s.programs SET version = gen_random_uuid()) UPDATE %[1]s.plans SET name = '%s'", theirs.Schema(), name))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours, theirs, program, _ := neighbours(t)
			look := func(want string, then func(tx *record.Tx) error) func(tx *record.Tx) error {
				return func(tx *record.Tx) error {
					plan, err := tx.Plans.Get(uuid.UUID{1})
					if err != nil || plan.Name != want {
						err = errors.Join(err, fmt.Errorf("%w: the plan is %q", errRefused, plan.Name))
					}
					return errors.Join(err, then(tx))
				}
			}
			nothing := func(*record.Tx) error { return nil }
			for i, then := range []func(tx *record.Tx) error{nothing, rename("ours"), func(tx *record.Tx) error { return tx.Plans.Delete(uuid.UUID{1}) }} {
				for range 80 { // more often than the penalty has it lock the program
					mustUpdate(t, ours, program, rename("known"))
				}
				name := fmt.Sprint("theirs ", i)
				c.write(t, theirs, program, name)
				if err := ours.Update(t.Context(), program, look(name, then)); err != nil {
					t.Errorf("%d: %v", i, err)
				}
			}
		})
	}
}

// TestWrittenMeanwhile: another process writes while a closure runs. The closure runs
// again, and no write is lost, also when its rows have to be written in order.
func TestWrittenMeanwhile(t *testing.T) {
	for name, ends := range map[string]func(tx *record.Tx) error{
		"joined": func(*record.Tx) error { return nil },
		"apart": func(tx *record.Tx) error {
			return errors.Join(tx.Tiers.Insert(record.Tier{ID: uuid.UUID{5}}), tx.Plans.Delete(uuid.UUID{1}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs, program, _ := neighbours(t)
			runs := 0
			mustUpdate(t, ours, program, func(tx *record.Tx) error {
				_, err := tx.Plans.Get(uuid.UUID{1})
				if runs++; runs == 1 {
					mustUpdate(t, theirs, program, rename("theirs"))
				}
				return errors.Join(err, tx.Tiers.Insert(record.Tier{ID: uuid.UUID{6}}), ends(tx))
			})
			var plan record.Plan
			var found, tier error
			err := theirs.View(t.Context(), program, func(tx *record.Tx) error {
				plan, found = tx.Plans.Get(uuid.UUID{1})
				_, tier = tx.Tiers.Get(uuid.UUID{6})
				return nil
			})
			if name == "joined" && (found != nil || plan.Name != "theirs") || name == "apart" && found == nil {
				t.Errorf("plan %+v, error %v", plan, found)
			}
			if runs != 2 || err != nil || tier != nil {
				t.Errorf("%d runs, want 2; errors %v, %v", runs, err, tier)
			}
		})
	}
}

// TestTurns: two processes that write to one program in turn seldom run a closure twice.
func TestTurns(t *testing.T) {
	ours, theirs, program, _ := neighbours(t)
	runs := 0
	for i := range 200 {
		s := ours
		if i%2 == 1 {
			s = theirs
		}
		mustUpdate(t, s, program, func(tx *record.Tx) error { runs++; return rename(fmt.Sprint(i))(tx) })
	}
	if runs > 220 {
		t.Errorf("200 Updates of two processes in turn ran %d times", runs)
	}
}

// TestReadOnlySessions: sessions that only read unless a transaction says otherwise can
// write.
func TestReadOnlySessions(t *testing.T) {
	ours, _, program, _ := neighbours(t, func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	})
	for i := range 3 {
		mustUpdate(t, ours, program, rename(fmt.Sprint(i)))
	}
}

// TestMostRemembered: a Store forgets when it remembers too much, of one program and of
// many.
func TestMostRemembered(t *testing.T) {
	ours, _, program, _ := neighbours(t)
	insert := func(program uuid.UUID, from, n int) {
		mustUpdate(t, ours, program, func(tx *record.Tx) error {
			for i := range n {
				if err := tx.Plans.Insert(record.Plan{ID: uuid.UUID{9, 14: byte((from + i) >> 8), 15: byte(from + i)}}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for from := 0; from < 6000; from += 1000 {
		insert(program, from, 1000)
	}
	if n := ours.Remembered(); n == 0 || n > 4096 {
		t.Errorf("%d records of one program are remembered", n)
	}
	for p := range 8 {
		insert(uuid.UUID{8, byte(p)}, 0, 4000)
	}
	if n := ours.Remembered(); n < 8192 || n > 16384 {
		t.Errorf("%d records of all programs are remembered", n)
	}
	mustUpdate(t, ours, program, rename("still right"))
}

// TestHeldByHost: an Update whose context ends while a host has the program locked has
// written nothing, and says so.
func TestHeldByHost(t *testing.T) {
	ours, theirs, program, _ := neighbours(t)
	host := must(theirs.Pool().Begin(t.Context()))
	defer func() { _ = host.Rollback(context.Background()) }()
	must(0, theirs.In(host).Update(t.Context(), program, rename("the host's")))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for n := 0; n == 0 && t.Context().Err() == nil; {
			n, _ = queued(t.Context(), theirs.Pool())
		}
		cancel()
	}()
	if err := ours.Update(ctx, program, rename("ours")); !errors.Is(err, context.Canceled) || errors.Is(err, pgstore.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
}
