package memstore

import (
	"context"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// freeze returns a side with the state of the model now.
func (s *side[T]) freeze() player {
	frozen := *s
	frozen.model = maps.Clone(s.model)
	return &frozen
}

// A pulledList has been begun.
type pulledList struct {
	next func(t *rapid.T) bool // compares the next record, and reports whether there is one
	stop func()
}

// pull begins a list.
func (s *side[T]) pull(t *rapid.T, tx *record.Tx) *pulledList {
	rec := s.gen.Draw(t, "listed")
	q := record.Query{Desc: rapid.Bool().Draw(t, "desc"), Limit: rapid.IntRange(0, 30).Draw(t, "limit")}
	for _, key := range rec.AppendKeys(nil) {
		if !key.Index.Unique() && rapid.Bool().Draw(t, "by key") {
			q.Key = key
		}
	}
	want := s.model.list(q)
	next, stop := iter.Pull2(s.of(tx).List(q))
	return &pulledList{stop: stop, next: func(t *rapid.T) bool {
		got, err, ok := next()
		if err != nil || ok != (len(want) > 0) || ok && !reflect.DeepEqual(want[0], got) {
			t.Fatalf("list %+v goes on with %v, %v, error %v; %d were left", q, got, ok, err, len(want))
		}
		want = want[min(1, len(want)):]
		return ok
	}}
}

// A snapshot is a View that goes on while the game does.
type snapshot struct {
	*txn
	players []player // the state at its start
	lists   []*pulledList
}

// TestSnapshotModel compares snapshots with copies of the whole state, while
// Updates are committed and undone. It frees what closed snapshots leave in
// small steps, with everything else in between.
func TestSnapshotModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newGame()
		var open []*snapshot
		some := func(t *rapid.T) *snapshot {
			if len(open) == 0 {
				t.Skip("no snapshot")
			}
			return rapid.SampledFrom(open).Draw(t, "snapshot")
		}
		end := func(s *snapshot) {
			for _, l := range s.lists {
				l.stop()
			}
			g.p.history.leave(s.moment)
			open = slices.DeleteFunc(open, func(o *snapshot) bool { return o == s })
		}

		moves := g.moves()
		moves["open"] = func(t *rapid.T) {
			s := &snapshot{txn: begin(g.p)}
			s.ctx, s.moment = context.Background(), g.p.history.hold()
			for _, p := range g.players {
				s.players = append(s.players, p.freeze())
			}
			open = append(open, s)
		}
		moves["begin list"] = func(t *rapid.T) {
			s := some(t)
			s.lists = append(s.lists, rapid.SampledFrom(s.players).Draw(t, "table").pull(t, &s.tx))
		}
		moves["go on with lists"] = func(t *rapid.T) {
			for _, l := range some(t).lists {
				for range rapid.IntRange(1, 20).Draw(t, "records") {
					l.next(t)
				}
			}
		}
		moves["look"] = func(t *rapid.T) {
			s := some(t)
			for _, p := range s.players {
				p.check(t, &s.tx)
			}
		}
		moves["close"] = func(t *rapid.T) { end(some(t)) }
		moves["free"] = func(t *rapid.T) { g.p.forget(uint32(rapid.IntRange(1, 8).Draw(t, "step"))) }
		t.Repeat(moves)

		for len(open) > 0 {
			s := open[len(open)/2]
			for _, p := range s.players {
				p.check(t, &s.tx)
			}
			end(s)
			g.p.forget(3)
		}
		for !g.p.forget(3) {
		}
		pasts := len(tableOf[record.Link](g.p.tables).pasts) + len(tableOf[record.Code](g.p.tables).pasts) + len(tableOf[record.Delivery](g.p.tables).pasts)
		if pasts+len(g.p.history.moments) > 0 {
			t.Fatal("pasts are left")
		}
	})
}
