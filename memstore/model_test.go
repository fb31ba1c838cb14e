package memstore

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A model is a table as a map. It finds everything by a look at all records.
type model[T record.Record[T]] map[uuid.UUID]T

func (m model[T]) clash(rec T) error {
	for _, key := range rec.AppendKeys(nil) {
		for id, other := range m {
			if key.Index.Unique() && id != rec.RecordID() && slices.Contains(other.AppendKeys(nil), key) {
				return &record.ExistsError{Index: key.Index}
			}
		}
	}
	return nil
}

// has reports whether any record holds the key.
func (m model[T]) has(key record.Key) bool {
	for _, rec := range m {
		if slices.Contains(rec.AppendKeys(nil), key) {
			return true
		}
	}
	return false
}

func (m model[T]) insert(rec T) error {
	if _, taken := m[rec.RecordID()]; taken {
		return &record.ExistsError{}
	}
	if err := m.clash(rec); err != nil {
		return err
	}
	m[rec.RecordID()] = rec
	return nil
}

func (m model[T]) replace(rec T) error {
	if _, ok := m[rec.RecordID()]; !ok {
		return affiliate.ErrNotFound
	}
	if err := m.clash(rec); err != nil {
		return err
	}
	m[rec.RecordID()] = rec
	return nil
}

func (m model[T]) remove(id uuid.UUID) error {
	if _, ok := m[id]; !ok {
		return affiliate.ErrNotFound
	}
	delete(m, id)
	return nil
}

// list is the result of a List.
func (m model[T]) list(q record.Query) []T {
	recs := []T{}
	ids := slices.SortedFunc(maps.Keys(m), func(x, y uuid.UUID) int { return bytes.Compare(x[:], y[:]) })
	if q.Desc {
		slices.Reverse(ids)
	}
	for _, id := range ids {
		past := bytes.Compare(id[:], q.After[:])
		switch {
		case q.After != uuid.Nil && (past == 0 || past < 0 != q.Desc):
		case q.Key.Index != "" && !slices.Contains(m[id].AppendKeys(nil), q.Key):
		case q.Limit > 0 && len(recs) == q.Limit:
		default:
			recs = append(recs, m[id])
		}
	}
	return recs
}

// A side is one table of a store and its model.
type side[T record.Record[T]] struct {
	model model[T]
	saved model[T]
	of    func(*record.Tx) record.Table[T]
	gen   *rapid.Generator[T]
	tab   *table[T]
}

// A player is a side of any record type.
type player interface {
	save()
	restore()
	play(t *rapid.T, tx *record.Tx)
	check(t *rapid.T, tx *record.Tx)
	checkRoom(t *rapid.T)
	freeze() player
	pull(t *rapid.T, tx *record.Tx) *pulledList
}

func (s *side[T]) save()    { s.saved = maps.Clone(s.model) }
func (s *side[T]) restore() { s.model = s.saved }

// play makes the same random change to the table and to the model.
func (s *side[T]) play(t *rapid.T, tx *record.Tx) {
	tab, rec := s.of(tx), s.gen.Draw(t, "record")
	var got, want error
	switch rapid.SampledFrom([]string{"insert", "insert", "replace", "delete"}).Draw(t, "op") {
	case "insert":
		got, want = tab.Insert(rec), s.model.insert(rec)
	case "replace":
		got, want = tab.Replace(rec), s.model.replace(rec)
	case "delete":
		got, want = tab.Delete(rec.RecordID()), s.model.remove(rec.RecordID())
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("error %v, want %v", got, want)
	}
}

// check compares everything that can be read.
func (s *side[T]) check(t *rapid.T, tx *record.Tx) {
	tab, rec := s.of(tx), s.gen.Draw(t, "probe")
	queries := []record.Query{{}, {Desc: true}, {
		After: rec.RecordID(), Desc: rapid.Bool().Draw(t, "desc"), Limit: rapid.IntRange(0, 3).Draw(t, "limit"),
	}}
	for _, key := range rec.AppendKeys(nil) {
		if !key.Index.Unique() {
			q := queries[2]
			q.Key = key
			queries = append(queries, q, record.Query{Key: key})
		}
	}
	for _, q := range queries {
		if want, got := s.model.list(q), collect(t, tab, q); !reflect.DeepEqual(want, got) {
			t.Fatalf("list %+v: %s", q, cmp.Diff(want, got))
		}
	}

	for id, want := range s.model {
		if got, err := tab.Get(id); err != nil || !reflect.DeepEqual(want, got) {
			t.Fatalf("get: %v: %s", err, cmp.Diff(want, got))
		}
		for _, key := range want.AppendKeys(nil) {
			if !key.Index.Unique() {
				continue
			}
			if got, err := tab.Find(key); err != nil || !reflect.DeepEqual(want, got) {
				t.Fatalf("find %v: %v: %s", key, err, cmp.Diff(want, got))
			}
		}
	}

	if _, there := s.model[rec.RecordID()]; !there {
		if got, err := tab.Get(rec.RecordID()); err != affiliate.ErrNotFound {
			t.Fatalf("get of nothing: %v, %v", got, err)
		}
	}
	for _, key := range rec.AppendKeys(nil) {
		if key.Index.Unique() && !s.model.has(key) {
			if got, err := tab.Find(key); err != affiliate.ErrNotFound {
				t.Fatalf("find of nothing: %v, %v", got, err)
			}
		}
	}
}

// checkRoom checks that no unused key, slot, list or record is left.
func (s *side[T]) checkRoom(t *rapid.T) {
	distinct := make(map[record.Key]bool)
	for _, rec := range s.model {
		for _, key := range rec.AppendKeys(nil) {
			distinct[key] = true
		}
	}
	keys, held, lists := len(distinct), 0, 0
	for i := range s.tab.indexes {
		ix := &s.tab.indexes[i]
		held += ix.count()
		for _, block := range ix.lists.blocks {
			lists += len(block)
		}
		lists -= len(ix.free)
		for _, block := range ix.refs.blocks {
			for _, ref := range block {
				lists -= int(ref >> 31)
			}
		}
		for _, ref := range ix.texts {
			lists -= int(ref >> 31)
		}
		if int(ix.refs.len()) != ix.numbers.count()+len(ix.unused) {
			t.Fatalf("%d numbers and %d not in use for %d keys", ix.refs.len(), len(ix.unused), ix.numbers.count())
		}
	}
	if held != keys || lists != 0 {
		t.Fatalf("indexes hold %d keys, want %d; %d lists are lost", held, keys, lists)
	}

	slots := 0
	for _, block := range s.tab.rows.blocks {
		slots += len(block)
	}
	if slots != len(s.model)+len(s.tab.free) || s.tab.byID.count() != len(s.model) {
		t.Fatalf("%d slots and %d free for %d records", slots, len(s.tab.free), len(s.model))
	}
	var none T
	for _, slot := range s.tab.free {
		if !reflect.DeepEqual(none, *s.tab.rows.at(slot)) {
			t.Fatalf("free slot %d holds a record", slot)
		}
	}
}

func collect[T record.Record[T]](t interface{ Fatal(...any) }, tab record.Table[T], q record.Query) []T {
	recs := []T{}
	for rec, err := range tab.List(q) {
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// few draws one of n ids.
func few(n int) *rapid.Generator[uuid.UUID] {
	return rapid.Map(rapid.IntRange(1, n), func(i int) uuid.UUID { return rowID(i) })
}

// maybe draws from g, or the zero value.
func maybe[T any](g *rapid.Generator[T]) *rapid.Generator[T] {
	return rapid.OneOf(rapid.Map(rapid.Bool(), func(bool) (zero T) { return zero }), g)
}

var (
	word = rapid.StringMatching("[a-c]")

	someLink = rapid.Custom(func(t *rapid.T) record.Link {
		return record.Link{
			ID: few(30).Draw(t, "id"), AffiliateID: few(3).Draw(t, "affiliate"),
			Slug: rapid.StringMatching("[a-e][a-e]").Draw(t, "slug"),
		}
	})
	someCode = rapid.Custom(func(t *rapid.T) record.Code {
		return record.Code{
			ID: few(20).Draw(t, "id"), CouponID: few(2).Draw(t, "coupon"), AffiliateID: maybe(few(2)).Draw(t, "affiliate"),
			Code:       rapid.StringMatching("[a-e][a-e]").Draw(t, "code"),
			ExternalID: maybe(rapid.StringMatching("[x-z][x-z]")).Draw(t, "external id"),
		}
	})
	someDelivery = rapid.Custom(func(t *rapid.T) record.Delivery {
		return record.Delivery{
			ID: few(40).Draw(t, "id"), EventID: few(20).Draw(t, "event"), EndpointID: few(2).Draw(t, "endpoint"),
			State:    affiliate.DeliveryState(word.Draw(t, "state")),
			Attempts: []record.Attempt{{URL: word.Draw(t, "url")}},
		}
	})
)

var errRefused = errors.New("refused")

// players are the sides of the tables that the models cover.
func players(p *program) []player {
	return []player{
		&side[record.Link]{model[record.Link]{}, nil,
			func(tx *record.Tx) record.Table[record.Link] { return tx.Links }, someLink, tableOf[record.Link](p.tables)},
		&side[record.Code]{model[record.Code]{}, nil,
			func(tx *record.Tx) record.Table[record.Code] { return tx.Codes }, someCode, tableOf[record.Code](p.tables)},
		&side[record.Delivery]{model[record.Delivery]{}, nil,
			func(tx *record.Tx) record.Table[record.Delivery] { return tx.Deliveries }, someDelivery, tableOf[record.Delivery](p.tables)},
	}
}

// A game plays random Updates on a store and on the models of its tables.
type game struct {
	s       *Store
	p       *program
	players []player
}

func newGame() *game {
	s := New()
	p := s.open(benchProgram)
	return &game{s, p, players(p)}
}

// moves are the actions of a state machine.
func (g *game) moves() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"commit": func(t *rapid.T) {
			if err := g.update(t, func() error { return nil }); err != nil {
				t.Fatal(err)
			}
		},
		"error": func(t *rapid.T) {
			g.undone(func() {
				if err := g.update(t, func() error { return errRefused }); !errors.Is(err, errRefused) {
					t.Fatal(err)
				}
			})
		},
		"panic": func(t *rapid.T) {
			g.undone(func() {
				defer func() {
					if r := recover(); r != errRefused {
						panic(r)
					}
				}()
				_ = g.update(t, func() error { panic(errRefused) })
			})
		},
		"context": func(t *rapid.T) {
			g.undone(func() {
				ctx, cancel := context.WithCancel(context.Background())
				err := g.s.Update(ctx, benchProgram, func(tx *record.Tx) error {
					g.players[0].play(t, tx)
					g.players[1].play(t, tx)
					cancel()
					return nil
				})
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			})
		},
		"": g.check,
	}
}

// update plays up to 20 writes in one Update.
func (g *game) update(t *rapid.T, end func() error) error {
	return g.s.Update(context.Background(), benchProgram, func(tx *record.Tx) error {
		for range rapid.IntRange(1, 20).Draw(t, "ops") {
			rapid.SampledFrom(g.players).Draw(t, "table").play(t, tx)
		}
		return end()
	})
}

// undone runs an Update that must change nothing.
func (g *game) undone(run func()) {
	for _, p := range g.players {
		p.save()
	}
	run()
	for _, p := range g.players {
		p.restore()
	}
}

// check compares the store with the models.
func (g *game) check(t *rapid.T) {
	err := g.s.View(context.Background(), benchProgram, func(tx *record.Tx) error {
		for _, p := range g.players {
			p.check(t, tx)
			p.checkRoom(t)
		}
		return nil
	})
	if err != nil || len(g.p.changed) != 0 || g.p.writer != nil {
		t.Fatal(err, g.p.changed, g.p.writer)
	}
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		t.Repeat(newGame().moves())
	})
}

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
