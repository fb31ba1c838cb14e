package memstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate/record"
)

// TestWaitEnds: a call that waits for a program returns when its context ends,
// and its closure has not run.
func TestWaitEnds(t *testing.T) {
	calls := map[string]func(*Store) func(context.Context, func(*record.Tx) error) error{
		"View": func(s *Store) func(context.Context, func(*record.Tx) error) error {
			return func(ctx context.Context, fn func(*record.Tx) error) error { return s.View(ctx, benchProgram, fn) }
		},
		"Update": func(s *Store) func(context.Context, func(*record.Tx) error) error {
			return func(ctx context.Context, fn func(*record.Tx) error) error { return s.Update(ctx, benchProgram, fn) }
		},
	}
	for held, hold := range calls {
		for waits, wait := range calls {
			if held == "View" && waits == "View" {
				continue // Views do not wait for each other
			}
			t.Run(waits+" behind "+held, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, done := New(), make(chan struct{})
					update(t, s, func(*record.Tx) error { return nil }) // creates the program
					var holding sync.WaitGroup
					holding.Go(func() {
						if err := hold(s)(t.Context(), func(*record.Tx) error { <-done; return nil }); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait()
					start := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
					defer cancel()
					err := wait(s)(ctx, func(*record.Tx) error { t.Error("ran"); return nil })
					if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 100*time.Millisecond {
						t.Errorf("error %v after %v", err, took)
					}
					close(done)
					holding.Wait()
					if err := wait(s)(t.Context(), func(*record.Tx) error { return nil }); err != nil {
						t.Errorf("afterwards: %v", err)
					}
				})
			})
		}
	}
}

// A holder is a goroutine that holds the lock or waits for it.
type holder struct {
	got, release chan struct{}
	cancel       context.CancelFunc
}

// hold takes the lock in a goroutine of its own.
func hold(t *testing.T, l *lock, writer bool) holder {
	ctx, cancel := context.WithCancel(t.Context())
	h := holder{make(chan struct{}), make(chan struct{}), cancel}
	take, leave := l.rlock, l.runlock
	if writer {
		take, leave = l.lock, l.unlock
	}
	go func() {
		if take(ctx) == nil {
			close(h.got)
			<-h.release
			leave()
		}
	}()
	synctest.Wait()
	return h
}

func (h holder) has() bool {
	synctest.Wait()
	select {
	case <-h.got:
		return true
	default:
		return false
	}
}

// TestLine: readers that come after a waiting writer wait behind it, and get
// the lock together. A waiter that gives up does not delay the others.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lock
		first := hold(t, &l, false)
		writer, late := hold(t, &l, true), []holder{hold(t, &l, false), hold(t, &l, false)}
		second := hold(t, &l, true)
		if !first.has() || writer.has() || late[0].has() {
			t.Fatal("a reader passed a writer that waits, or the writer did not wait")
		}
		close(first.release)
		if !writer.has() || late[0].has() || second.has() {
			t.Fatal("the writer was not next, or not alone")
		}
		close(writer.release)
		if !late[0].has() || !late[1].has() || second.has() {
			t.Fatal("the readers did not go in together, before the second writer")
		}
		behind := hold(t, &l, false)
		if behind.has() {
			t.Fatal("a reader passed the second writer")
		}
		second.cancel()
		if !behind.has() {
			t.Fatal("a writer that gave up holds up the reader behind it")
		}
		for _, h := range append(late, behind) {
			close(h.release)
		}
		synctest.Wait()
		if l.state.Load() != 0 || len(l.line) != 0 {
			t.Errorf("state %x, %d in line", l.state.Load(), len(l.line))
		}
	})
}

// TestNobodyStarves: however busy the readers are, a writer gets the lock, and
// the other way round. Otherwise the test does not end.
func TestNobodyStarves(t *testing.T) {
	for _, busy := range []string{"readers", "writers"} {
		for _, wanted := range []string{"reader", "writer"} {
			t.Run(wanted+" among "+busy, func(t *testing.T) {
				var l lock
				var over atomic.Bool
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						for !over.Load() {
							turn(&l, busy == "writers", 200)
						}
					})
				}
				for range 20 {
					turn(&l, wanted == "writer", 0)
				}
				over.Store(true)
				wg.Wait()
			})
		}
	}
}

// turn takes the lock and leaves it after some work.
func turn(l *lock, writer bool, work int) {
	take, leave := l.rlock, l.runlock
	if writer {
		take, leave = l.lock, l.unlock
	}
	if take(context.Background()) == nil {
		for range work {
			l.state.Load()
		}
		leave()
	}
}

// TestLockTraffic: many readers and writers take the lock, wait for it and give
// up. A writer is always alone, no write is lost, and in the end the lock is
// free.
func TestLockTraffic(t *testing.T) {
	var l lock
	var inside struct{ readers, writers atomic.Int32 }
	written := 0 // the race detector watches it
	var gotten atomic.Int64
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for range 500 {
				ctx, cancel := context.WithCancel(t.Context())
				switch random.IntN(3) {
				case 0:
					cancel() // gives up unless the lock is free
				case 1:
					stop := time.AfterFunc(time.Duration(random.IntN(100))*time.Microsecond, cancel)
					defer stop.Stop()
				}
				if random.IntN(2) == 0 {
					if l.lock(ctx) == nil {
						if inside.writers.Add(1) != 1 || inside.readers.Load() != 0 {
							t.Error("a writer is not alone")
						}
						written++
						gotten.Add(1)
						inside.writers.Add(-1)
						l.unlock()
					}
				} else if l.rlock(ctx) == nil {
					inside.readers.Add(1)
					if inside.writers.Load() != 0 {
						t.Error("a reader beside a writer")
					}
					_ = written
					inside.readers.Add(-1)
					l.runlock()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if int64(written) != gotten.Load() || l.state.Load() != 0 || len(l.line) != 0 {
		t.Errorf("%d of %d writes, state %x, %d in line", written, gotten.Load(), l.state.Load(), len(l.line))
	}
}
