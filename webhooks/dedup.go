package webhooks

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrInProgress says that an id is being handled by another call.
var ErrInProgress = errors.New("webhooks: the event is being handled")

// A Dedup remembers which events are done, by their ids.
//
// Its MUSTs:
//
//  1. Do runs f unless the id is done, and returns whether it did. An id that
//     is done gives false and nil.
//  2. Once f has returned nil and Do too, the id is done, for longer than
//     senders repeat: 75 h 35 min here, 7 days to be safe.
//  3. When f fails or panics, or the process ends in it, the id stays open. Do
//     returns the error of f.
//  4. Two calls with one id never run f at the same time; the one that comes
//     second waits for the first, or returns [ErrInProgress].
//  5. It is safe for concurrent use.
//
// A database keeps ids and effects in one transaction: insert the id under a
// unique key, run f with the transaction in its context, commit. Where that
// cannot be, the id is claimed for a time, f is run, and the id marked as done.
type Dedup interface {
	Do(ctx context.Context, id string, f func(context.Context) error) (ran bool, err error)
}

const (
	defaultDedupMax = 100_000
	defaultDedupTTL = 7 * 24 * time.Hour // longer than any sender's schedule
)

// NewMemoryDedup returns a Dedup for one process: it remembers the last max
// events (zero: 100,000, about 20 MB) for ttl (zero: 7 days), and forgets them
// when the process ends. A second call for an id that is being handled gets
// [ErrInProgress].
//
// Against replay alone it must remember for twice the Verifier's tolerance.
func NewMemoryDedup(max int, ttl time.Duration) Dedup {
	if max <= 0 {
		max = defaultDedupMax
	}
	if ttl <= 0 {
		ttl = defaultDedupTTL
	}
	return &memoryDedup{max: max, ttl: ttl, ids: map[string]bool{}, done: list.New()}
}

type memoryDedup struct {
	max int
	ttl time.Duration

	mu   sync.Mutex
	ids  map[string]bool // false while f runs, true when done
	done *list.List      // of doneID, oldest first
}

type doneID struct {
	id string
	at time.Time
}

func (d *memoryDedup) Do(ctx context.Context, id string, f func(context.Context) error) (bool, error) {
	if ran, err := d.claim(id); !ran {
		return false, err
	}
	done := false // stays so when f panics
	defer func() { d.settle(id, done) }()
	err := f(ctx)
	done = err == nil
	return true, err
}

// claim reports whether the caller is to run the id.
func (d *memoryDedup) claim(id string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(time.Now())
	switch done, known := d.ids[id]; {
	case done:
		return false, nil
	case known:
		return false, ErrInProgress
	}
	d.ids[id] = false
	return true, nil
}

// settle marks a claimed id as done or open.
func (d *memoryDedup) settle(id string, done bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !done {
		delete(d.ids, id)
		return
	}
	now := time.Now()
	d.ids[id] = true
	d.done.PushBack(doneID{id, now})
	d.forget(now)
}

// forget drops what is too old or too many.
func (d *memoryDedup) forget(now time.Time) {
	for front := d.done.Front(); front != nil; front = d.done.Front() {
		oldest := front.Value.(doneID)
		if d.done.Len() <= d.max && now.Sub(oldest.at) < d.ttl {
			return
		}
		d.done.Remove(front)
		delete(d.ids, oldest.id)
	}
}
