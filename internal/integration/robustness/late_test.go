package robustness

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
)

// lateThings are the things that planted bugs do after they answered.
type lateThings struct{ wg sync.WaitGroup }

func newLate() *lateThings { return &lateThings{} }

func (l *lateThings) do(fn func()) { l.wg.Go(fn) }

func (l *lateThings) wait() { l.wg.Wait() }

// losing returns a store in which every n-th Update has no answer: by turns it
// committed, and it did not. An Update that fails by itself has an answer, and
// is not counted.
func losing(s record.Store, n int64) record.Store { return &loser{Store: s, n: n} }

type loser struct {
	record.Store
	n, updates int64
}

// Update commits or not, and forgets to say so now and then.
func (l *loser) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	turn := int64(0)
	err := l.Store.Update(ctx, program, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if turn == 0 { // the first run of the closure
			turn = atomic.AddInt64(&l.updates, 1)
		}
		if turn%l.n == 0 && turn/l.n%2 == 0 {
			return conformance.ErrInjected
		}
		return nil
	})
	if err == nil && turn%l.n == 0 {
		return conformance.ErrInjected
	}
	return err
}
