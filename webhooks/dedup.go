package webhooks

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrInProgress means that another call is handling the id.
var ErrInProgress = errors.New("webhooks: the event is being handled")

// A Dedup remembers the ids of the events that are done.
//
// An implementation MUST do the following:
//
//  1. Do runs f unless the id is done, and reports whether it did. For an id
//     that is done it returns false and nil.
//  2. When f and Do have returned nil, the id is done, for longer than senders
//     repeat: this sender repeats for 75 h 35 min, so keep ids for 7 days. A
//     replay by hand goes back 14 days: keep them for 15 where that happens.
//  3. When f fails or panics, or the process ends in f, the id stays open. Do
//     returns the error of f.
//  4. Two calls with one id never run f at the same time. The second call
//     waits for the first, or returns [ErrInProgress].
//  5. It is safe for concurrent use.
//
// With a database, keep ids and effects in one transaction: insert the id under
// a unique key, run f with the transaction in its context, and commit. When
// that is not possible, claim the id for a limited time, run f, and mark the id
// as done.
type Dedup interface {
	Do(ctx context.Context, id string, f func(context.Context) error) (ran bool, err error)
}

const (
	defaultDedupMax = 100_000
	defaultDedupTTL = 7 * 24 * time.Hour // longer than any sender's schedule
)

// NewMemoryDedup returns a Dedup for one process. It remembers the last max
// events (zero: 100,000, about 20 MB) for ttl (zero: 7 days), and forgets them
// when the process ends. While an id is being handled, a second call for it
// returns [ErrInProgress].
//
// When it only has to stop replayed requests, a ttl of twice the Verifier's
// tolerance is enough.
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
	done := false // still false when f panics
	defer func() { d.settle(id, done) }()
	err := f(ctx)
	done = err == nil
	return true, err
}

// claim reports whether the caller must run f for the id.
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

// forget drops the ids that are too old or more than max.
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
