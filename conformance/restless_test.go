package conformance

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

// errOutOfDate is how a restless store asks to run again.
var errOutOfDate = errors.New("what was read is out of date")

// A restlessStore finds in the first run of every closure, at its n-th call, that what
// was read is out of date, answers all later calls of that run with an error, and runs the
// closure again, as a store does whose file or server has other writers.
type restlessStore struct {
	store record.Store
	n     int
}

func (r restlessStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return r.again(ctx, r.store.View, program, fn)
}

func (r restlessStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return r.again(ctx, r.store.Update, program, fn)
}

func (r restlessStore) again(ctx context.Context, run method, program uuid.UUID, fn func(tx *record.Tx) error) error {
	moved := false
	err := run(ctx, program, func(tx *record.Tx) error {
		calls, over := 0, false
		defer func() { over = true }()
		err := fn(watch(tx, func() error {
			if calls++; calls >= r.n && !over {
				moved = true
				return errOutOfDate
			}
			return nil
		}))
		if moved {
			return errOutOfDate // whatever fn said
		}
		return err
	})
	if !moved {
		return err
	}
	return run(ctx, program, fn)
}

// TestRestlessStore: a store may ask to run again at any call, and passes: what a closure saw in
// a run that did not count is no failure.
func TestRestlessStore(t *testing.T) {
	ns := []int{3, 170}
	if atlength.On() {
		ns = []int{1, 2, 3, 8, 40, 170, 1000}
	}
	for _, n := range ns {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			TestStore(t, func(testing.TB) record.Store { return restlessStore{memstore.New(), n} })
		})
	}
}
