package memstore

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A lock is held by any number of readers or by one writer, and waiting for it
// ends with a context. The zero lock is free.
//
// Taking and leaving a lock that nobody waits for is one atomic operation. Who
// finds it taken stands in line. A writer that comes when the lock is free may
// pass the line, because handing it to a goroutine that sleeps is dear; but not
// for longer than patience, and readers never pass. So nobody starves: neither a
// writer among readers nor the other way round.
type lock struct {
	state atomic.Int64
	mu    sync.Mutex // over what follows
	line  []*waiter  // first come, first served
	spare []*waiter
}

// What the state of a lock is made of; below writing it counts the readers.
const (
	writing = 1 << (32 + iota) // a writer has it
	waiting                    // somebody stands in line
	handing                    // the first in line gets it next, and nobody passes
)

const (
	readers    = writing - 1
	patience   = time.Millisecond // of the first in line with those who pass
	maxWaiters = 64               // that are kept for later
)

// A waiter is a place in the line.
type waiter struct {
	writer bool
	had    bool          // it was given the lock
	woken  bool          // it is to look at the lock, and has not yet
	wake   chan struct{} // holds one token: the lock was given, or seems free
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

// pass takes the lock for a writer if it is free, whoever stands in line.
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

// rwait stands in line with a reader that went in where it must not.
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

// settle sees to the line after the lock has become free.
func (l *lock) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next()
}

// next gives the lock to those whose turn it is, or wakes the first in line to
// take it. The caller holds mu.
func (l *lock) next() {
	for len(l.line) > 0 {
		w, s := l.line[0], l.state.Load()
		switch {
		case s&writing != 0:
			if !w.writer { // it joins as soon as the writer is gone
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
			continue // a writer passed, or a reader left
		}
		w.had = true
		w.nudge()
		l.leave(w)
	}
}

// nudge makes a waiter look.
func (w *waiter) nudge() {
	if !w.woken {
		w.woken = true
		w.wake <- struct{}{}
	}
}

// wait stands in line until the lock is given or ctx ends.
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

// look reports whether a waiter that was woken has the lock now. One that was
// passed for too long is next.
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
	l.next() // it may have become free
	return false
}

// giveUp takes a waiter out of the line, and gives back what it had got at the
// same moment.
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

// leave takes a waiter out of the line. What was promised to the first in line
// was promised to it alone.
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

// keep puts a waiter aside for reuse.
func (l *lock) keep(w *waiter) {
	if len(l.spare) < maxWaiters {
		l.spare = append(l.spare, w)
	}
}
