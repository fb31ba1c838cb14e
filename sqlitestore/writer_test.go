package sqlitestore_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// A lateContext has ended from its n-th question on.
type lateContext struct {
	context.Context
	left atomic.Int64
}

func late(n int64) *lateContext {
	c := &lateContext{Context: context.Background()}
	c.left.Store(n)
	return c
}

func (c *lateContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func newLink() record.Link {
	id := uuid.New()
	return record.Link{ID: id, Slug: id.String()}
}

// has reports whether the link is stored.
func has(tb testing.TB, store record.Store, program uuid.UUID, link record.Link) bool {
	tb.Helper()
	err := store.View(tb.Context(), program, func(tx *record.Tx) error {
		_, err := tx.Links.Get(link.ID)
		return err
	})
	return err == nil
}

// insertSlowly runs an Update that waits in its closure until others want their turn.
// The returned function waits for its end.
func insertSlowly(tb testing.TB, store record.Store, link record.Link) (wait func() error) {
	inside, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- store.Update(context.Background(), programID, func(tx *record.Tx) error {
			close(inside)
			time.Sleep(5 * time.Millisecond) // when nobody waits by then, it is alone
			return tx.Links.Insert(link)
		})
	}()
	<-inside
	return func() error {
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("it does not end")
		}
	}
}

// TestUpdateContext: wherever its context ends, alone or behind another one, an Update
// returns nil if it is stored, and the error of the context if nothing of it is.
func TestUpdateContext(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	for _, alone := range []bool{true, false} {
		failures, stored := 0, 0
		for n := range int64(20) {
			first, link, more := newLink(), newLink(), newLink()
			wait := func() error {
				return store.Update(t.Context(), programID, func(tx *record.Tx) error { return tx.Links.Insert(first) })
			}
			if !alone {
				wait = insertSlowly(t, store, first)
			}
			err := store.Update(late(n), programID, func(tx *record.Tx) error {
				return errors.Join(tx.Links.Insert(link), tx.Links.Insert(more))
			})
			if err := wait(); err != nil || !has(t, store, programID, first) {
				t.Errorf("ended at %d: the other one: %v", n, err)
			}
			one, two := has(t, store, programID, link), has(t, store, programID, more)
			switch {
			case err == nil && one && two:
				stored++
			case errors.Is(err, context.Canceled) && !one && !two:
				failures++
			default:
				t.Errorf("ended at %d: %v, but stored: %v and %v", n, err, one, two)
			}
		}
		if failures == 0 || stored == 0 {
			t.Errorf("alone %v: %d failures, %d stored", alone, failures, stored)
		}
	}
}

// TestUpdateEnds: closures that panic or end their goroutine, beside others, in programs
// that are new, leave nothing and hold nobody up.
func TestUpdateEnds(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	programs := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	var links [60]record.Link
	var wg sync.WaitGroup
	for i := range links {
		links[i] = newLink()
		wg.Go(func() {
			defer func() { _ = recover() }()
			err := store.Update(context.Background(), programs[i/3%3], func(tx *record.Tx) error {
				if err := tx.Links.Insert(links[i]); err != nil {
					return err
				}
				switch i % 3 {
				case 0:
					panic("broken")
				case 1:
					runtime.Goexit()
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, link := range links {
		if got := has(t, store, programs[i/3%3], link); got != (i%3 == 2) {
			t.Errorf("closure %d: stored %v", i, got)
		}
	}
}

// TestNoContext: a call that panics because it has no context holds nobody up.
func TestNoContext(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	var none context.Context
	func() {
		defer func() { _ = recover() }()
		_ = store.Update(none, programID, func(*record.Tx) error { return nil })
	}()
	link := newLink()
	if err := insertSlowly(t, store, link)(); err != nil {
		t.Error(err)
	}
}

// TestListFromZero: a List that goes back from the newest record ends at the id of
// zeros, also when it is the last of a page.
func TestListFromZero(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	const page = 256
	err := store.Update(t.Context(), programID, func(tx *record.Tx) error {
		for i := range page {
			link := newLink()
			link.ID = uuid.UUID{15: byte(i)}
			if err := tx.Links.Insert(link); err != nil {
				return err
			}
		}
		n := 0
		for _, err := range tx.Links.List(record.Query{Desc: true}) {
			if n++; err != nil || n > page {
				return errors.Join(err, errors.New("it does not end"))
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestInInterrupted: a closure that fails leaves nothing in the host's transaction, also
// when the host's statements are interrupted.
func TestInInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	conn := must(sqlite3.Open("file:" + path))
	defer conn.Close()
	tx := must(conn.BeginImmediate())
	ctx, cancel := context.WithCancel(t.Context())
	conn.SetInterrupt(ctx)
	link := newLink()
	err := sqlitestore.In(conn).Update(ctx, programID, func(tx *record.Tx) error {
		defer cancel()
		return errors.Join(tx.Links.Insert(link), errors.New("refused"))
	})
	if err == nil {
		t.Error("no error")
	}
	if conn.SetInterrupt(context.Background()) != ctx {
		t.Error("the host's interrupt is not the same")
	}
	must(0, tx.Commit())
	if has(t, store, programID, link) {
		t.Error("the closure failed, and its record is there")
	}
}

// TestLongLists: lists of several pages, whatever their order, start, end and key, and
// also when each record is deleted as it comes.
func TestLongLists(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	owner, other := uuid.New(), uuid.New()
	var ids []uuid.UUID
	update := func(fn func(tx *record.Tx) error) {
		t.Helper()
		must(0, store.Update(t.Context(), programID, fn))
	}
	update(func(tx *record.Tx) error {
		ids = nil
		for i := range 1200 {
			link := newLink()
			link.ID = uuid.UUID{0: 1, 14: byte(i >> 8), 15: byte(i)}
			if link.AffiliateID = other; i%2 == 0 {
				link.AffiliateID = owner
				ids = append(ids, link.ID)
			}
			if err := tx.Links.Insert(link); err != nil {
				return err
			}
		}
		return nil
	})
	for _, q := range []record.Query{
		{}, {Limit: 256}, {Limit: 257}, {Limit: 512}, {Limit: 599}, {Limit: 1000}, {After: ids[255]}, {After: ids[300], Limit: 256},
		{After: uuid.UUID{0: 1, 15: 1}}, {After: uuid.UUID{15: 1}}, {After: uuid.Max},
	} {
		for _, desc := range []bool{false, true} {
			q.Key, q.Desc = record.Key{Index: record.OfAffiliate, ID: owner}, desc
			var want []uuid.UUID
			for _, id := range ids {
				if c := bytes.Compare(id[:], q.After[:]); q.After == uuid.Nil || c > 0 && !desc || c < 0 && desc {
					want = append(want, id)
				}
			}
			if desc {
				slices.Reverse(want)
			}
			if q.Limit > 0 {
				want = want[:min(q.Limit, len(want))]
			}
			update(func(tx *record.Tx) error {
				var got []uuid.UUID
				for link, err := range tx.Links.List(q) {
					if err != nil {
						return err
					}
					got = append(got, link.ID)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%+v: %d records, want %d", q, len(got), len(want))
				}
				return nil
			})
			deleted := errors.New("each was deleted")
			err := store.Update(t.Context(), programID, func(tx *record.Tx) error {
				n := 0
				for link, err := range tx.Links.List(q) {
					if err := errors.Join(err, tx.Links.Delete(link.ID)); err != nil {
						return err
					}
					n++
				}
				if n != len(want) {
					t.Errorf("%+v: %d deleted, want %d", q, n, len(want))
				}
				return deleted
			})
			if !errors.Is(err, deleted) {
				t.Error(err)
			}
		}
	}
}

// TestCloseBusy: Close beside calls that run and wait: each of them ends, what returned
// nil is stored, and the rest returns ErrClosed.
func TestCloseBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store, err := sqlitestore.Open(t.Context(), path, sqlitestore.Config{Sync: sqlitestore.Normal})
	if err != nil {
		t.Fatal(err)
	}
	var stored [6][]record.Link
	var begun, wg sync.WaitGroup
	begun.Add(len(stored))
	until := func(call func() error) {
		err := call()
		begun.Done()
		for err == nil {
			err = call()
		}
		if !errors.Is(err, sqlitestore.ErrClosed) {
			t.Error(err)
		}
	}
	for i := range stored {
		wg.Go(func() {
			until(func() error {
				link := newLink()
				switch i {
				case 0:
					return store.View(context.Background(), programID, func(*record.Tx) error { return nil })
				case 1:
					_, err := store.Dedup().Do(context.Background(), link.Slug, func(context.Context) error { return nil })
					return err
				}
				err := store.Update(context.Background(), programID, func(tx *record.Tx) error { return tx.Links.Insert(link) })
				if err == nil {
					stored[i] = append(stored[i], link)
				}
				return err
			})
		})
	}
	begun.Wait()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	store = open(t, path, sqlitestore.Config{})
	for _, link := range slices.Concat(stored[:]...) {
		if !has(t, store, programID, link) {
			t.Errorf("%s is lost", link.Slug)
		}
	}
}
