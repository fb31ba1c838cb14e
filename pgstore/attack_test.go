package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// TestGroupPanicsOnAnError: when a closure panics because the database failed,
// only its own caller gets the panic. The members that ran before it are
// committed.
func TestGroupPanicsOnAnError(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
	program, unreadable := uuid.UUID{7}, uuid.UUID{0xba, 15: 1}
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	// The server refuses to read a tier.
	exec(t, pool, "ALTER TABLE "+schema+".tiers RENAME TO hidden")
	t.Cleanup(func() { exec(t, pool, "ALTER TABLE "+schema+".hidden RENAME TO tiers") })
	swallows := func(tx *record.Tx) error {
		_, err := tx.Totals.Get(uuid.UUID{1})
		_, _ = tx.Tiers.Get(unreadable)
		return err
	}
	panics := func(tx *record.Tx) error {
		_ = swallows(tx)
		panic("no tier")
	}
	for _, c := range []struct {
		name string
		fns  []func(tx *record.Tx) error
		want []error
		n    int64
	}{
		{"with others", []func(tx *record.Tx) error{count(0), panics, count(1)}, []error{nil, errors.New("panic: no tier"), nil}, 2},
		{"last of all", []func(tx *record.Tx) error{count(2), count(3), panics}, []error{nil, nil, errors.New("panic: no tier")}, 4},
		{"one by one", []func(tx *record.Tx) error{count(4), swallows, panics}, []error{nil, errAny, errors.New("panic: no tier")}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, err := range together(t, s, program, nil, c.fns) {
				if !same(err, c.want[i]) {
					t.Errorf("closure %d: error %v, want %v", i, err, c.want[i])
				}
			}
			counted(t, s, program, c.n)
		})
	}
}

// TestCutRefusal: a refused closure has written nothing, so a connection that
// breaks afterwards does not make the outcome unknown. In Queue mode the caller
// gets the refusal.
func TestCutRefusal(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	var cut atomic.Int64
	wired := wiredPool(t, &cut)
	refuse := func(tx *record.Tx) error {
		if _, err := tx.Totals.Get(uuid.UUID{1}); !errors.Is(err, affiliate.ErrNotFound) {
			return err
		}
		cut.Store(1) // the connection breaks after the next write
		return errRefused
	}
	for mode, want := range []error{pgstore.Queue: errRefused, pgstore.Serializable: errAny} {
		s := newStore(t, wired, pgstore.Config{Schema: schema, Mode: pgstore.Mode(mode)})
		err := s.Update(t.Context(), uuid.UUID{7}, refuse)
		if !same(err, want) || errors.Is(err, pgstore.ErrOutcomeUnknown) {
			t.Errorf("mode %d: error %v, want %v", mode, err, want)
		}
		if cut.Load() != 0 {
			t.Errorf("mode %d: the connection was not cut", mode)
		}
	}
}

// TestCommitUnknown: an error that leaves the outcome of a commit open is not
// reported as a rollback.
func TestCommitUnknown(t *testing.T) {
	for _, c := range []struct {
		name             string
		err              error
		atCommit, broken bool
		want             bool
	}{
		{"a statement was refused", &pgconn.PgError{Severity: "ERROR", Code: "23505"}, false, false, false},
		{"the commit was refused", &pgconn.PgError{Severity: "ERROR", Code: "40001"}, true, false, false},
		{"the server ended the session before", &pgconn.PgError{Severity: "FATAL", Code: "57P01"}, false, true, false},
		{"the server ended the session at the commit", &pgconn.PgError{Severity: "FATAL", Code: "57P01"}, true, true, true},
		{"the server does not know", &pgconn.PgError{Severity: "ERROR", Code: "40003"}, false, false, true},
		{"a coordinator lost a server at the commit", &pgconn.PgError{Severity: "ERROR", Code: "XX000", Message: "connection to the remote node failed"}, true, false, true},
		{"a coordinator lost a server before", &pgconn.PgError{Severity: "ERROR", Code: "XX000", Message: "connection to the remote node failed"}, false, false, false},
		{"a coordinator relayed a conflict", &pgconn.PgError{Severity: "ERROR", Code: "XX000", Message: "could not serialize access due to concurrent update"}, true, false, false},
		{"the disk failed at the commit", &pgconn.PgError{Severity: "ERROR", Code: "58030"}, true, false, true},
		{"the disk was full at the commit", &pgconn.PgError{Severity: "ERROR", Code: "53100"}, true, false, false},
		{"the commit was canceled", &pgconn.PgError{Severity: "ERROR", Code: "57014"}, true, false, false},
		{"a proxy lost the server", &pgconn.PgError{Severity: "FATAL", Code: "08P01"}, false, true, true},
		{"a message was malformed", &pgconn.PgError{Severity: "ERROR", Code: "08P01"}, false, false, false},
		{"the connection broke", io.ErrUnexpectedEOF, false, true, true},
		{"nothing was sent", errAny, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := pgstore.CommitUnknown(c.err, c.atCommit, c.broken); got != c.want {
				t.Errorf("unknown: %v, want %v", got, c.want)
			}
		})
	}
}

// TestRelayedConflict: a conflict whose code was lost on the way from another server is one.
func TestRelayedConflict(t *testing.T) {
	for text, want := range map[string]bool{
		"could not serialize access due to concurrent update": true,
		"connection to the remote node failed":                false,
	} {
		if got := pgstore.Overtaken(&pgconn.PgError{Severity: "ERROR", Code: "XX000", Message: text}); got != want {
			t.Errorf("%s: run again: %v, want %v", text, got, want)
		}
	}
}

// TestSerializableView: the writers of a program come one after another, so a View
// that sees a later transaction sees every earlier one. One transaction reads a code
// and writes its coupon. Meanwhile another process wants to write the code, and a View
// does not wait for either.
func TestSerializableView(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	cfg := pgstore.Config{Schema: newSchema(t, pool), Mode: pgstore.Serializable}
	s, other, reader := newStore(t, pool, cfg), newStore(t, pool, cfg), newStore(t, pool, cfg)
	program, coupon := uuid.UUID{7}, record.Coupon{ID: uuid.UUID{1}, Name: "old"}
	code := record.Code{ID: uuid.UUID{2}, Code: "A", CouponID: coupon.ID}
	err := s.Update(t.Context(), program, func(tx *record.Tx) error {
		return errors.Join(tx.Coupons.Insert(coupon), tx.Codes.Insert(code))
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func(wantRedeemed int64, wantName string) {
		t.Helper()
		err := reader.View(t.Context(), program, func(tx *record.Tx) error {
			code, err := tx.Codes.Get(code.ID)
			if err != nil {
				return err
			}
			coupon, err := tx.Coupons.Get(code.CouponID)
			if code.TimesRedeemed != wantRedeemed || coupon.Name != wantName {
				t.Errorf("the View saw %d and %q, want %d and %q", code.TimesRedeemed, coupon.Name, wantRedeemed, wantName)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look(0, "old")
	var wg sync.WaitGroup
	var seen []string
	later := func() {
		err := other.Update(t.Context(), program, func(tx *record.Tx) error {
			rec, err := tx.Coupons.Get(coupon.ID)
			seen = append(seen, rec.Name)
			code.TimesRedeemed = 5
			return errors.Join(err, tx.Codes.Replace(code))
		})
		if err != nil {
			t.Error(err)
		}
	}
	runs := 0
	err = s.Update(t.Context(), program, func(tx *record.Tx) error {
		if _, err := tx.Codes.Get(code.ID); err != nil {
			return err
		}
		if runs++; runs == 1 {
			wg.Go(later)
			look(0, "old")
		}
		renamed := coupon
		renamed.Name = "new"
		return tx.Coupons.Replace(renamed)
	})
	wg.Wait()
	if err != nil || runs != 1 || len(seen) == 0 || seen[len(seen)-1] != "new" {
		t.Errorf("%d runs, error %v; the later one saw %q", runs, err, seen)
	}
	look(5, "new")
}

// TestCutGroup: when the connection breaks after the commit of a group was
// sent, every member gets ErrOutcomeUnknown, and none runs again.
func TestCutGroup(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	var cut, runs atomic.Int64
	s := newStore(t, wiredPool(t, &cut), pgstore.Config{Schema: schema, Group: 16})
	program := uuid.UUID{7}
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	warm := func(i int) { // prepares the statements of a group
		for j, err := range together(t, s, program, nil, []func(tx *record.Tx) error{count(i), count(i + 1), count(i + 2)}) {
			if err != nil {
				t.Fatalf("closure %d: %v", j, err)
			}
		}
	}
	warm(0)
	warm(3)
	counting := func(i int) func(tx *record.Tx) error {
		return func(tx *record.Tx) error { runs.Add(1); return count(i)(tx) }
	}
	last := func(tx *record.Tx) error { defer cut.Store(1); return counting(8)(tx) }
	errs := together(t, s, program, nil, []func(tx *record.Tx) error{counting(6), counting(7), last})
	for i, err := range errs {
		if !errors.Is(err, pgstore.ErrOutcomeUnknown) {
			t.Errorf("closure %d: error %v, want that the outcome is unknown", i, err)
		}
	}
	if runs.Load() != 3 {
		t.Errorf("%d closures were run, want each once", runs.Load())
	}
	rec := record.Totals{}
	err := newStore(t, pool, pgstore.Config{Schema: schema}).View(t.Context(), program, func(tx *record.Tx) (err error) {
		rec, err = tx.Totals.Get(uuid.UUID{1})
		return err
	})
	if err != nil || rec.Clicks != 6 && rec.Clicks != 9 {
		t.Errorf("the counter says %d, error %v, want all of the group or nothing", rec.Clicks, err)
	}
}

// TestForeignRecords: a record that the store did not write may have an id
// above the marks. A closure finds it although a closure before it in the group
// took the id for a new one and was rolled back.
func TestForeignRecords(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
	program, foreign := uuid.UUID{7}, uuid.UUID{0xee, 15: 1}
	insert := func(tx *record.Tx) error { return tx.Plans.Insert(record.Plan{ID: foreign, Name: "ours"}) }
	foreignPlan(t, pool, schema, program, foreign)
	list := func(tx *record.Tx) ([]string, error) {
		var names []string
		for rec, err := range tx.Plans.List(record.Query{}) {
			if err != nil {
				return nil, err
			}
			names = append(names, rec.Name)
		}
		return names, nil
	}
	var found []string
	errs := together(t, s, program, nil, []func(tx *record.Tx) error{
		func(tx *record.Tx) error {
			_, err := list(tx)
			return errors.Join(insert(tx), err, errRefused)
		},
		func(tx *record.Tx) (err error) { found, err = list(tx); return err },
		func(tx *record.Tx) error {
			if err := insert(tx); err != nil {
				return err
			}
			_, err := list(tx)
			return errors.Join(err, errRefused)
		},
		func(tx *record.Tx) (err error) { found, err = list(tx); return err },
		insert,
	})
	wants := []error{errRefused, nil, record.ErrExists, nil, record.ErrExists}
	for i, err := range errs {
		if !errors.Is(err, wants[i]) {
			t.Errorf("closure %d: error %v, want %v", i, err, wants[i])
		}
	}
	if len(found) != 1 || found[0] != "theirs" {
		t.Errorf("found %q", found)
	}

	other := uuid.UUID{8}
	foreignPlan(t, pool, schema, other, foreign)
	errs = together(t, s, other, nil, []func(tx *record.Tx) error{
		func(tx *record.Tx) error {
			tx.Next(record.SaleSequence) // reads the marks without reading a list
			if err := insert(tx); err != nil {
				return err
			}
			_, err := list(tx)
			return errors.Join(err, errRefused)
		},
		func(tx *record.Tx) (err error) { found, err = list(tx); return err },
	})
	if !errors.Is(errs[0], errRefused) || errs[1] != nil || len(found) != 1 || found[0] != "theirs" {
		t.Errorf("errors %v, found %q", errs, found)
	}
}

// TestSmallPool: more programs and writers than connections, and each View
// finds what was acknowledged before.
func TestSmallPool(t *testing.T) {
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.MaxConns = 2 })
	schema := newSchema(t, pool)
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 4})
	const programs, writers, writes = 4, 4, 5
	errs := make(chan error, programs*writers)
	for p := range programs {
		program := uuid.UUID{7, byte(p)}
		insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
		must(0, s.Update(t.Context(), program, insert))
		for w := range writers {
			go func() { errs <- writeAndRead(t.Context(), s, program, w*writes, writes) }()
		}
	}
	for range programs * writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for p := range programs {
		counted(t, s, uuid.UUID{7, byte(p)}, writers*writes)
	}
}

// writeAndRead writes n records, and reads each one after its Update has
// returned.
func writeAndRead(ctx context.Context, s *pgstore.Store, program uuid.UUID, first, n int) error {
	for i := first; i < first+n; i++ {
		if err := s.Update(ctx, program, count(i)); err != nil {
			return err
		}
		err := s.View(ctx, program, func(tx *record.Tx) error {
			_, err := tx.Plans.Get(uuid.UUID{2, byte(i)})
			return err
		})
		if err != nil {
			return fmt.Errorf("write %d was acknowledged: %w", i, err)
		}
	}
	return nil
}

// TestCancelledWhileItWaits: an Update whose context ends while another process
// holds the lock writes nothing. The other members of its group are committed.
func TestCancelledWhileItWaits(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 4})
	program := uuid.UUID{7}
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	ctx, cancel := context.WithCancel(t.Context())
	host, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	must(0, s.In(host).Update(t.Context(), program, count(0)))
	var watch sync.WaitGroup
	commit := sync.OnceFunc(func() {
		for n := 0; n == 0 && t.Context().Err() == nil; { // until the leader waits for the host's lock
			n = must(queued(t.Context(), pool))
		}
		cancel()
		if err := host.Commit(t.Context()); err != nil {
			t.Error(err)
		}
	})
	waiting := func(tx *record.Tx) error {
		watch.Go(commit)
		return count(1)(tx)
	}
	defer watch.Wait()
	errs := together(t, s, program, map[int]context.Context{0: ctx}, []func(tx *record.Tx) error{waiting, count(2), count(3)})
	if !errors.Is(errs[0], context.Canceled) || errs[1] != nil || errs[2] != nil {
		t.Errorf("errors %v, want the first cancelled alone", errs)
	}
	counted(t, s, program, 3)
}

// queued returns how many sessions of the database wait for an advisory lock.
func queued(ctx context.Context, pool *pgxpool.Pool) (n int, err error) {
	const sql = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
	err = pool.QueryRow(ctx, sql).Scan(&n)
	return n, err
}

// TestManyRows: a transaction writes any number of rows: in statements of a bounded size, and in
// a time that grows with their number. A commit that took longer than it may would fail each
// time, whatever it was for.
func TestManyRows(t *testing.T) {
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		pool := newPool(t, databaseURL(t))
		s := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode})
		s.SetCommitPatience(time.Millisecond)
		program, n := uuid.UUID{7}, pgstore.MostRows+1
		write := func(change func(tx *record.Tx, i int) error) {
			t.Helper()
			must(0, s.Update(t.Context(), program, func(tx *record.Tx) error {
				for i := range n {
					if err := change(tx, i); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		click := func(i int, from string) record.Click {
			return record.Click{ID: uuid.UUID{1, 14: byte(i >> 8), 15: byte(i)}, Number: int64(i + 1), Referrer: from, CreatedAt: affiliate.InstantOf(time.Now())}
		}
		write(func(tx *record.Tx, i int) error { return tx.Clicks.Insert(click(i, "a")) })
		write(func(tx *record.Tx, i int) error { return tx.Clicks.Replace(click(i, fmt.Sprint(i))) })
		seen := 0
		must(0, s.View(t.Context(), program, func(tx *record.Tx) error {
			for c, err := range tx.Clicks.List(record.Query{}) {
				if err != nil || c.Referrer != fmt.Sprint(seen) {
					t.Fatalf("click %d: %q, %v", seen, c.Referrer, err)
				}
				seen++
			}
			return nil
		}))
		if seen != n {
			t.Errorf("mode %v: %d of %d rows", mode, seen, n)
		}
		write(func(tx *record.Tx, i int) error { return tx.Clicks.Delete(click(i, "").ID) })
	}
}
