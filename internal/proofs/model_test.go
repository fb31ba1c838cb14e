package proofs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// Helpers of the state machines: the stores that they run on, the drawing of
// values, and the comparison of a model with the engine. The models are written
// from the documents and not from the engine's code.

// onModelStores runs a machine on the reference store, and on a store that runs
// every closure twice.
func onModelStores(t *testing.T, play func(rt *rapid.T, w *scene.World), change ...func(*tributary.Config)) {
	for name, wrap := range map[string]func(record.Store) record.Store{
		"memstore":        func(s record.Store) record.Store { return s },
		"Rerun(memstore)": conformance.Rerun,
	} {
		t.Run(name, func(t *testing.T) {
			if name != "memstore" {
				atlength.Only(t, "plays on a second store")
			}
			rapid.Check(t, func(rt *rapid.T) { play(rt, scene.NewOn(t, wrap(memstore.New()), change...)) })
		})
	}
}

// An expectedEvent is an event that a model expects.
type expectedEvent struct {
	typ    affiliate.EventType
	object string // the id in the body
}

// A chronicle compares the events of each step with those that the model
// expects, in order.
type chronicle struct {
	w    *scene.World
	last uuid.UUID
	want []expectedEvent
}

func (c *chronicle) foretell(typ affiliate.EventType, object any) {
	c.want = append(c.want, expectedEvent{typ, fmt.Sprint(object)})
}

func (c *chronicle) check(rt *rapid.T) {
	var got []expectedEvent
	err := c.w.Store.View(context.Background(), c.w.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{After: c.last}) {
			if err != nil {
				return err
			}
			var payload struct {
				Event affiliate.EventType
				Body  struct{ ID json.RawMessage }
			}
			scene.Must(0, json.Unmarshal(rec.Payload.Bytes(), &payload))
			if payload.Event != rec.Type {
				rt.Errorf("event of type %s has the payload of a %s", rec.Type, payload.Event)
			}
			got = append(got, expectedEvent{rec.Type, strings.Trim(string(payload.Body.ID), `"`)})
			c.last = rec.ID
		}
		return nil
	})
	if err != nil {
		rt.Fatalf("read events: %v", err)
	}
	if !slices.Equal(got, c.want) {
		rt.Errorf("events of this step: got %v, want %v", got, c.want)
	}
	c.want = nil
}

// sameLines compares the records of the model with those of the engine.
func sameLines(rt *rapid.T, what string, want, got []string) {
	if !slices.Equal(want, got) {
		rt.Errorf("%s (-model +engine):\n%s", what, cmp.Diff(want, got))
	}
}

// choose draws one of some values.
func choose[T any](rt *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(rt, label)
}

// anyFrom draws one of a list. It skips a step when the list is empty.
func anyFrom[T any](rt *rapid.T, label string, from []T) T {
	if len(from) == 0 {
		rt.Skip("none yet")
	}
	return rapid.SampledFrom(from).Draw(rt, label)
}

// maybe returns true once in n times.
func maybe(rt *rapid.T, label string, n int) bool {
	odds := make([]bool, n)
	odds[n-1] = true
	return rapid.SampledFrom(odds).Draw(rt, label) // rapid prefers small numbers
}

// optionally draws a value that is sometimes not given.
func optionally[T any](rt *rapid.T, label string, from ...T) affiliate.Opt[T] {
	if rapid.Bool().Draw(rt, label+"?") {
		return affiliate.Set(choose(rt, label, from...))
	}
	return affiliate.Opt[T]{}
}

// misspelt changes the letter case of an ASCII text.
func misspelt(rt *rapid.T, s string) string {
	flips := rapid.Uint32().Draw(rt, "letter case")
	out := []byte(s)
	for i, c := range out {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if letter && flips>>(i%32)&1 == 1 {
			out[i] ^= 'a' ^ 'A'
		}
	}
	return string(out)
}

// typed is misspelt with spaces around the text.
func typed(rt *rapid.T, s string) string {
	return choose(rt, "blanks before", "", "", " ", "\t ") + misspelt(rt, s) + choose(rt, "blanks behind", "", "", "  ", "\n")
}

// folded returns an ASCII text in lower case.
func folded(s string) string {
	out := []byte(s)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// Amounts of a model are exact rationals.

// timeLine writes a time that may be missing.
func timeLine(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// orDash writes a value that may be missing.
func orDash[T any](o affiliate.Opt[T]) string {
	if v, ok := o.Get(); ok {
		return fmt.Sprint(v)
	}
	return "-"
}

// idLine writes an id that may be missing.
func idLine(id uuid.UUID) string {
	if id == uuid.Nil {
		return "-"
	}
	return id.String()
}
