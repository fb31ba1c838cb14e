package engine_test

import (
	"errors"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// look runs a call and returns how many records it read, and how many in its
// largest View.
func look(s *scene.Probe, call func()) (looked, most int64) {
	s.Looked.Store(0)
	s.Most.Store(0)
	call()
	return s.Looked.Load(), s.Most.Load()
}

// everyFailure runs fn with the store failing at its first operation, then at
// its second and so on until fn succeeds. Each failure must be returned and
// change nothing.
func everyFailure(w *scene.World, fn func() error) {
	w.T.Helper()
	for at := int64(1); ; at++ {
		before := w.Dump()
		w.Probe.Ops.Store(0)
		w.Probe.FailAt = at
		err := fn()
		w.Probe.FailAt = 0
		if w.Probe.Ops.Load() < at {
			if err != nil {
				w.T.Fatalf("without a failure: %v", err)
			}
			return
		}
		if !errors.Is(err, scene.ErrBoom) {
			w.T.Fatalf("operation %d failed and the call says %v", at, err)
		}
		if _, ok := errors.AsType[*affiliate.Error](err); ok {
			w.T.Fatalf("operation %d: a store failure became a refusal: %v", at, err)
		}
		if diff := cmp.Diff(before, w.Dump()); diff != "" {
			w.T.Fatalf("operation %d failed and something changed:\n%s", at, diff)
		}
	}
}
