package memstore

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A lock is held by any number of readers or by one writer. Waiting for it ends
// with a context. The zero lock is free.
//
// When nobody waits, taking the lock is one atomic operation, and so is leaving
// it. Otherwise a goroutine waits in line. A writer that comes when the lock is
// free may overtake the line, because it is slow to wake a sleeping goroutine
// first. But the first in line is overtaken for at most the time patience, and
// readers never overtake. So neither readers nor writers wait forever.
type lock struct {
	state atomic.Int64
	mu    sync.Mutex // guards line and spare
	line  []*waiter  // those who wait, in the order in which they came
	spare []*waiter  // for reuse
}

// The flags in the state of a lock. The bits below writing count the readers.
const (
	writing = 1 << (32 + iota) // a writer has the lock
	waiting                    // the line is not empty
	handing                    // the first in line gets the lock next, and nobody overtakes
)

const (
	readers    = writing - 1
	patience   = time.Millisecond // how long the first in line may be overtaken
	maxWaiters = 64               // how many are kept for reuse
)

// A waiter is a goroutine in the line.
type waiter struct {
	writer bool
	had    bool          // the lock was given to it
	woken  bool          // it was told to look at the lock, and has not done so yet
	wake   chan struct{} // gets a value when the lock was given to it or seems free
	since  time.Time
}

// lock takes the lock for a writer.
//
// Errors: that of ctx, which then has ended; the lock is not taken.
func (l *lock) lock(ctx context.Context) error {
	if l.pass() {
		return nil
	}
	return l.wait(ctx, true)
}

// pass takes the lock for a writer if it is free, even when others wait.
func (l *lock) pass() bool {
	s := l.state.Load()
	return s&(readers|writing|handing) == 0 && l.state.CompareAndSwap(s, s|writing)
}

// unlock is the reverse of lock.
func (l *lock) unlock() {
	if l.state.Add(-writing)&waiting != 0 {
		l.settle()
	}
}

// rlock takes the lock for a reader.
//
// Errors: that of ctx, which then has ended; the lock is not taken.
func (l *lock) rlock(ctx context.Context) error {
	if l.state.Add(1)&(writing|waiting) == 0 {
		return nil
	}
	return l.rwait(ctx)
}

// rwait waits in line for a reader. rlock has counted the reader although the
// lock was not free, so rwait first takes that back.
func (l *lock) rwait(ctx context.Context) error {
	l.runlock()
	return l.wait(ctx, false)
}

// runlock is the reverse of rlock.
func (l *lock) runlock() {
	if l.state.Add(-1)&(waiting|readers) == waiting { // the last reader
		l.settle()
	}
}

// settle serves the line after the lock has become free.
func (l *lock) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next()
}

// next gives the lock to the first waiters in line, or wakes the first one to
// try to take it. The caller holds mu.
func (l *lock) next() {
	for len(l.line) > 0 {
		w, s := l.line[0], l.state.Load()
		switch {
		case s&writing != 0:
			if !w.writer { // it gets the lock as soon as the writer leaves
				l.state.Or(handing)
			}
			return
		case w.writer && s&readers != 0:
			return
		case w.writer && s&handing == 0:
			w.nudge()
			return
		}
		held := int64(1)
		if w.writer {
			held = writing
		}
		if !l.state.CompareAndSwap(s, s+held) {
			continue // a writer overtook, or a reader left
		}
		w.had = true
		w.nudge()
		l.leave(w)
	}
}

// nudge wakes a waiter to look at the lock.
func (w *waiter) nudge() {
	if !w.woken {
		w.woken = true
		w.wake <- struct{}{}
	}
}

// wait waits in line until the goroutine has the lock or ctx ends.
func (l *lock) wait(ctx context.Context, writer bool) error {
	w := l.join(writer)
	for {
		select {
		case <-w.wake:
			if l.look(w) {
				return nil
			}
		case <-ctx.Done():
			l.giveUp(w)
			return ctx.Err()
		}
	}
}

// join puts a new waiter in line.
func (l *lock) join(writer bool) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	var w *waiter
	if n := len(l.spare); n > 0 {
		w, l.spare = l.spare[n-1], l.spare[:n-1]
	} else {
		w = &waiter{wake: make(chan struct{}, 1)}
	}
	w.writer, w.had, w.woken = writer, false, false
	if writer {
		w.since = time.Now()
	}
	l.line = append(l.line, w)
	l.state.Or(waiting)
	l.next()
	return w
}

// look reports whether a woken waiter has the lock. A waiter that was overtaken
// for too long gets the lock next.
func (l *lock) look(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.woken = false
	if w.had {
		l.keep(w)
		return true
	}
	if l.pass() {
		l.leave(w)
		l.keep(w)
		return true
	}
	if time.Since(w.since) > patience {
		l.state.Or(handing)
	}
	l.next() // the lock may have become free
	return false
}

// giveUp removes a waiter from the line. When the waiter has just got the lock,
// giveUp gives it back.
func (l *lock) giveUp(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case w.had && w.writer:
		l.state.Add(-writing)
	case w.had:
		l.state.Add(-1)
	default:
		l.leave(w)
	}
	select {
	case <-w.wake:
	default:
	}
	l.keep(w)
	l.next()
}

// leave removes a waiter from the line. The flag handing is for the first in
// line only, so it ends when that waiter leaves.
func (l *lock) leave(w *waiter) {
	if l.line[0] == w {
		l.state.And(^int64(handing))
	}
	i := slices.Index(l.line, w)
	l.line = slices.Delete(l.line, i, i+1)
	if len(l.line) == 0 {
		l.state.And(^int64(waiting))
	}
}

// keep stores a waiter for reuse.
func (l *lock) keep(w *waiter) {
	if len(l.spare) < maxWaiters {
		l.spare = append(l.spare, w)
	}
}
