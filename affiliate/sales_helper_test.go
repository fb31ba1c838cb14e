package affiliate_test

import (
	"encoding/json"
	"iter"
	"testing"
)

// onlyValues drops the errors of a sequence, or panics.
func onlyValues[T any](seq iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v, err := range seq {
			if !yield(must(v, err)) {
				return
			}
		}
	}
}

// on makes a subtest the one that fails.
func (w *world) on(t testing.TB) {
	outer := w.t
	w.t = t
	t.Cleanup(func() { w.t = outer })
}

func jsonInto(text string, v any) error { return json.Unmarshal([]byte(text), v) }
