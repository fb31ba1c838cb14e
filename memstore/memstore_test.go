package memstore

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// update runs an Update that must commit.
func update(t testing.TB, s *Store, fn func(tx *record.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), benchProgram, fn); err != nil {
		t.Fatal(err)
	}
}

// view runs a View whose closure must succeed.
func view(t testing.TB, s *Store, fn func(tx *record.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), benchProgram, fn); err != nil {
		t.Fatal(err)
	}
}

// linkNumbers returns the numbers of the links in a list.
func linkNumbers(t *testing.T, seq iter.Seq2[record.Link, error], each func(n int)) []int {
	t.Helper()
	var got []int
	for rec, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rowID(n) != rec.ID {
			n++
		}
		got = append(got, n)
		each(n)
	}
	return got
}

func TestTxIsComplete(t *testing.T) {
	view(t, New(), func(tx *record.Tx) error {
		v := reflect.ValueOf(tx).Elem()
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "Soon" && name != "Sum" && v.Field(i).IsNil() {
				t.Errorf("Tx.%s is nil", name)
			}
		}
		return nil
	})
}

func TestZeroStore(t *testing.T) {
	var s Store
	for range 2 {
		view(t, &s, func(tx *record.Tx) error {
			if _, err := tx.Links.Get(rowID(1)); !errors.Is(err, affiliate.ErrNotFound) {
				t.Errorf("get: %v", err)
			}
			return nil
		})
	}
	if len(s.programs) != 0 {
		t.Error("a View made a program")
	}
	update(t, &s, func(tx *record.Tx) error { return tx.Links.Insert(linkOf(1)) })
	view(t, &s, func(tx *record.Tx) error {
		_, err := tx.Links.Get(rowID(1))
		return err
	})
}

// TestManyPrograms uses more programs than the cache holds, and some with the
// same place in it.
func TestManyPrograms(t *testing.T) {
	s := New()
	const n = 3 * recentPrograms
	for round := range 2 {
		for i := range n {
			id := uuid.UUID{0: byte(i), 15: byte(i / 2)}
			err := s.Update(t.Context(), id, func(tx *record.Tx) error { return tx.Links.Insert(linkOf(round*n + i)) })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range n {
		id := uuid.UUID{0: byte(i), 15: byte(i / 2)}
		err := s.View(t.Context(), id, func(tx *record.Tx) error {
			got := linkNumbers(t, tx.Links.List(record.Query{}), func(int) {})
			if !slices.Equal(got, []int{i, n + i}) {
				t.Errorf("program %d has links %v", i, got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestConcurrent(t *testing.T) {
	s := New()
	var wg sync.WaitGroup
	for g := range 8 {
		id := uuid.UUID{0: byte(g % 2)}
		wg.Go(func() {
			for i := range 200 {
				err := s.Update(t.Context(), id, func(tx *record.Tx) error {
					n, err := tx.Next(record.SaleSequence)
					if err != nil {
						return err
					}
					return tx.Links.Insert(linkOf(int(n)))
				})
				if err != nil {
					t.Error(i, err)
				}
			}
		})
		wg.Go(func() {
			for range 200 {
				err := s.View(t.Context(), id, func(tx *record.Tx) error {
					last := uuid.Nil
					for rec, err := range tx.Links.List(record.Query{}) {
						if err != nil || !before(&last, &rec.ID) {
							return errors.Join(err, errRefused)
						}
						last = rec.ID
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestGoexit(t *testing.T) {
	s := New()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		_ = s.Update(context.Background(), benchProgram, func(tx *record.Tx) error {
			if err := tx.Links.Insert(linkOf(1)); err != nil {
				t.Error(err)
			}
			runtime.Goexit()
			return nil
		})
	}()
	<-ended
	go func() {
		_ = s.View(context.Background(), benchProgram, func(*record.Tx) error { runtime.Goexit(); return nil })
	}()
	update(t, s, func(tx *record.Tx) error {
		if _, err := tx.Links.Get(rowID(1)); !errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("get: %v", err)
		}
		return nil
	})
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := New()
	run := func(*record.Tx) error { t.Error("the closure ran"); return nil }
	if err := s.View(ctx, benchProgram, run); !errors.Is(err, context.Canceled) {
		t.Errorf("view: %v", err)
	}
	if err := s.Update(ctx, benchProgram, run); !errors.Is(err, context.Canceled) {
		t.Errorf("update: %v", err)
	}
	if len(s.programs) != 0 {
		t.Error("an ended context made a program")
	}
}

// TestOver uses everything that a transaction handed out after it has ended.
func TestOver(t *testing.T) {
	s := New()
	update(t, s, func(tx *record.Tx) error {
		return errors.Join(tx.Links.Insert(linkOf(1)), tx.Links.Insert(linkOf(2)))
	})
	for name, run := range map[string]func(context.Context, uuid.UUID, func(*record.Tx) error) error{"View": s.View, "Update": s.Update} {
		t.Run(name, func(t *testing.T) {
			var kept record.Tx
			var next func() (record.Link, error, bool)
			err := run(t.Context(), benchProgram, func(tx *record.Tx) error {
				var stop func()
				kept = *tx
				next, stop = iter.Pull2(tx.Links.List(record.Query{}))
				t.Cleanup(stop)
				_, err, _ := next()
				return err
			})
			if err != nil {
				t.Fatal(err)
			}

			update(t, s, func(*record.Tx) error {
				_, running, _ := next()
				_, more, ok := next()
				_, get := kept.Links.Get(rowID(1))
				_, find := kept.Links.Find(record.Key{Index: record.BySlug, Text: "partner-1"})
				_, number := kept.Next(record.SaleSequence)
				errs := []error{running, get, find, number, kept.Links.Insert(linkOf(3)), kept.Links.Replace(linkOf(1)), kept.Links.Delete(rowID(1))}
				for _, err := range kept.Links.List(record.Query{}) {
					errs = append(errs, err)
				}
				for i, err := range errs {
					if !errors.Is(err, record.ErrTxDone) {
						t.Errorf("call %d: %v", i, err)
					}
				}
				if ok || more != nil || len(errs) != 8 {
					t.Errorf("the list went on: %v, %v; %d errors", ok, more, len(errs))
				}
				return nil
			})
		})
	}
}

func TestReadOnly(t *testing.T) {
	view(t, New(), func(tx *record.Tx) error {
		_, number := tx.Next(record.SaleSequence)
		for i, err := range []error{number, tx.Links.Insert(linkOf(3)), tx.Links.Replace(linkOf(1)), tx.Links.Delete(rowID(1))} {
			if !errors.Is(err, record.ErrReadOnly) {
				t.Errorf("call %d: %v", i, err)
			}
		}
		return nil
	})
}

// TestBadCalls: a store returns an error for each of these mistakes.
func TestBadCalls(t *testing.T) {
	update(t, New(), func(tx *record.Tx) error {
		list := func(ix record.Index) error {
			for _, err := range tx.Links.List(record.Query{Key: record.Key{Index: ix, Text: "x"}}) {
				return err
			}
			return nil
		}
		find := func(ix record.Index) error {
			_, err := tx.Links.Find(record.Key{Index: ix, Text: "x"})
			return err
		}
		for name, err := range map[string]error{
			"insert without an id": tx.Links.Insert(record.Link{}),
			"list by unique":       list(record.BySlug),
			"list by another's":    list(record.OfCoupon),
			"list by nothing":      list(""),
			"find by shared":       find(record.OfAffiliate),
			"find by another's":    find(record.ByCode),
			"find by nothing":      find(""),
		} {
			if err == nil || errors.Is(err, affiliate.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		return nil
	})
}

// An oddRecord names any keys that a test sets.
type oddRecord struct {
	id   uuid.UUID
	keys *[]record.Key
}

func (r oddRecord) RecordID() uuid.UUID                      { return r.id }
func (r oddRecord) Clone() oddRecord                         { return r }
func (r oddRecord) AppendKeys(dst []record.Key) []record.Key { return append(dst, *r.keys...) }

func TestKeysOutOfPlace(t *testing.T) {
	slug := record.Key{Index: record.BySlug, Text: "a"}
	owner := record.Key{Index: record.OfAffiliate, ID: rowID(1)}
	good := []record.Key{slug, owner}
	var tab table[oddRecord]
	tab.open(newProgram(benchProgram), record.TableSchema{Name: "odd", Indexes: []record.Index{slug.Index, owner.Index}})
	if err := tab.insert(oddRecord{rowID(1), &good}); err != nil {
		t.Fatal(err)
	}

	for name, keys := range map[string][]record.Key{
		"order":   {owner, slug},
		"twice":   {slug, slug},
		"foreign": {slug, {Index: record.OfCoupon, ID: rowID(1)}},
	} {
		if err := tab.insert(oddRecord{rowID(2), &keys}); err == nil {
			t.Errorf("insert %s: no error", name)
		}
		if err := tab.replace(oddRecord{rowID(1), &keys}); err == nil {
			t.Errorf("replace %s: no error", name)
		}
	}

	changed := []record.Key{owner, slug}
	held := oddRecord{rowID(1), &good}
	good = changed
	other := []record.Key{slug}
	if err := tab.replace(oddRecord{rowID(1), &other}); err == nil {
		t.Error("replace of a record that changed its keys: no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("delete of a record that changed its keys: no panic")
		}
	}()
	_ = tab.delete(held.id)
}

// TestListWhileWriting: which records a List gives when its table changes
// during the walk.
func TestListWhileWriting(t *testing.T) {
	for _, tc := range []struct {
		name string
		q    record.Query
		each func(tx *record.Tx, n int) error
		want []int
	}{
		{"DeleteGiven", record.Query{}, func(tx *record.Tx, n int) error { return tx.Links.Delete(rowID(n)) }, []int{10, 20, 30, 40}},
		{"DeleteGivenDesc", record.Query{Desc: true}, func(tx *record.Tx, n int) error { return tx.Links.Delete(rowID(n)) }, []int{40, 30, 20, 10}},
		{"DeleteNext", record.Query{}, func(tx *record.Tx, n int) error { return tx.Links.Delete(rowID(n + 10)) }, []int{10, 30}},
		{"Insert", record.Query{}, func(tx *record.Tx, n int) error { return tx.Links.Insert(linkOf(n + 25)) }, []int{10, 20, 30, 35, 40}},
		{"InsertDesc", record.Query{Desc: true}, func(tx *record.Tx, n int) error { return tx.Links.Insert(linkOf(n - 5)) }, []int{40, 35, 30, 25, 20, 15, 10}},
		{"Move", record.Query{Key: record.Key{Index: record.OfAffiliate, ID: rowID(1)}}, func(tx *record.Tx, n int) error {
			rec := linkOf(n)
			rec.AffiliateID = rowID(2)
			return tx.Links.Replace(rec)
		}, []int{10, 20, 30, 40}},
		{"Single", record.Query{Key: record.Key{Index: record.OfAffiliate, ID: rowID(7)}}, func(tx *record.Tx, n int) error {
			rec := linkOf(n + 5)
			rec.AffiliateID = rowID(7)
			return tx.Links.Insert(rec)
		}, []int{70}},
		{"SingleGone", record.Query{Key: record.Key{Index: record.OfAffiliate, ID: rowID(7)}}, func(tx *record.Tx, n int) error {
			return tx.Links.Delete(rowID(n))
		}, []int{70}},
		{"SingleStays", record.Query{Key: record.Key{Index: record.OfAffiliate, ID: rowID(7)}}, func(tx *record.Tx, n int) error {
			return tx.Links.Delete(rowID(10))
		}, []int{70}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			update(t, New(), func(tx *record.Tx) error {
				numbers := []int{10, 20, 30, 40}
				if tc.q.Key.ID == rowID(7) {
					numbers = append(numbers, 70)
				}
				for _, n := range numbers {
					rec := linkOf(n)
					rec.AffiliateID = rowID(1 + n/70*6)
					if err := tx.Links.Insert(rec); err != nil {
						return err
					}
				}
				got := linkNumbers(t, tx.Links.List(tc.q), func(n int) {
					if err := tc.each(tx, n); err != nil && !errors.Is(err, affiliate.ErrNotFound) && !errors.Is(err, record.ErrExists) {
						t.Error(err)
					}
				})
				if !slices.Equal(got, tc.want) {
					t.Errorf("got %v, want %v", got, tc.want)
				}
				return nil
			})
		})
	}
}

// TestSlots deletes and inserts many times in the same few slots.
func TestSlots(t *testing.T) {
	s := New()
	for i := range 2000 {
		update(t, s, func(tx *record.Tx) error {
			if i >= 10 {
				if err := tx.Links.Delete(rowID(i - 10)); err != nil {
					return err
				}
			}
			return tx.Links.Insert(linkOf(i))
		})
	}
	tab := tableOf[record.Link](s.open(benchProgram).tables)
	if n := len(tab.rows.blocks[0]); len(tab.rows.blocks) != 1 || n > 11 {
		t.Errorf("%d slots for 10 records", n)
	}
}

// TestLogIsEmptied: a log keeps no record alive after its transaction.
func TestLogIsEmptied(t *testing.T) {
	s := New()
	fill(t, s, 10_000, func(tx *record.Tx, i int) error { return tx.Links.Insert(linkOf(i)) })
	replaceSome := func(n int) {
		update(t, s, func(tx *record.Tx) error {
			for i := range n {
				if err := tx.Links.Replace(linkOf(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	log := &tableOf[record.Link](s.open(benchProgram).tables).log
	if cap(log.changes) != 0 {
		t.Errorf("room for %d changes is kept", cap(log.changes))
	}
	replaceSome(2 * keepOlds)
	if cap(log.olds) != 0 {
		t.Errorf("room for %d records is kept", cap(log.olds))
	}
	replaceSome(5)
	for _, old := range log.olds[:5] {
		if !reflect.DeepEqual(old, record.Link{}) {
			t.Errorf("record %s is kept", old.ID)
		}
	}
}

func TestAllocations(t *testing.T) {
	s := New()
	fill(t, s, 1000, func(tx *record.Tx, i int) error { return tx.Codes.Insert(codeOf(i)) })
	for _, tc := range []struct {
		name string
		most float64
		run  func()
	}{
		{"ViewGet", 2, func() {
			view(t, s, func(tx *record.Tx) error { _, err := tx.Codes.Get(rowID(500)); return err })
		}},
		{"ViewFind", 2, func() {
			view(t, s, func(tx *record.Tx) error {
				_, err := tx.Codes.Find(record.Key{Index: record.ByCode, Text: "SPRING-500"})
				return err
			})
		}},
		{"UpdateReplace", 2, func() {
			update(t, s, func(tx *record.Tx) error {
				rec, err := tx.Codes.Get(rowID(500))
				if err != nil {
					return err
				}
				rec.Code = "SPRING-500"
				rec.TimesRedeemed++
				return tx.Codes.Replace(rec)
			})
		}},
		{"UpdateDeleteInsert", 2, func() {
			update(t, s, func(tx *record.Tx) error {
				rec, err := tx.Codes.Get(rowID(500))
				if err != nil {
					return err
				}
				if err := tx.Codes.Delete(rec.ID); err != nil {
					return err
				}
				return tx.Codes.Insert(rec)
			})
		}},
		{"ListOfNothing", 3, func() { // the Tx, its Next, and what List returns
			view(t, s, func(tx *record.Tx) error {
				list := tx.Links.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: rowID(1)}})
				list(func(record.Link, error) bool { return true })
				return nil
			})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, tc.run); got > tc.most {
				t.Errorf("%v allocations, want at most %v", got, tc.most)
			}
		})
	}
}

// numbered is the id of a number. These ids sort in the order of the numbers.
func numbered(n uint64) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], n>>8)
	binary.BigEndian.PutUint64(id[8:], n<<56)
	return id
}

// An orderModel is an order beside a sorted slice of the same numbers.
type orderModel struct {
	of    ids
	o     order
	slots map[uint64]uint32
	want  []uint64
}

func newListing() *orderModel { return &orderModel{slots: make(map[uint64]uint32)} }

func (l *orderModel) insert(n uint64) {
	at, found := slices.BinarySearch(l.want, n)
	if found {
		return
	}
	l.want = slices.Insert(l.want, at, n)
	slot := l.of.grow()
	*l.of.at(slot) = numbered(n)
	l.slots[n] = slot
	l.o.insert(&l.of, slot)
}

func (l *orderModel) remove(at int) {
	l.o.remove(&l.of, l.slots[l.want[at]])
	delete(l.slots, l.want[at])
	l.want = slices.Delete(l.want, at, at+1)
}

// check compares the whole order, its shape, and every place around n.
func (l *orderModel) check(t interface{ Fatalf(string, ...any) }, n uint64) {
	var got []uint64
	for _, run := range l.o.runs {
		if len(run) == 0 || len(run) > maxRun {
			t.Fatalf("a run has %d entries", len(run))
		}
		for _, slot := range run {
			id := l.of.at(slot)
			got = append(got, binary.BigEndian.Uint64(id[:8])<<8|binary.BigEndian.Uint64(id[8:])>>56)
		}
	}
	if !slices.Equal(got, l.want) {
		t.Fatalf("order has %d entries, want %d, or they differ", len(got), len(l.want))
	}
	if len(l.want) > 4*maxRun && len(l.o.runs) > 1+2*len(l.want)/(joinRun/2) {
		t.Fatalf("%d runs for %d entries", len(l.o.runs), len(l.want))
	}
	if len(l.want) == 0 {
		return
	}

	if highest := numbered(l.want[len(l.want)-1]); l.o.last != highest {
		t.Fatalf("the highest id is %v, want %v", l.o.last, highest)
	}
	id := numbered(n)
	run, at := l.o.seek(&l.of, &id)
	place := at
	for _, r := range l.o.runs[:run] {
		place += len(r)
	}
	if want, _ := slices.BinarySearch(l.want, n); place != want {
		t.Fatalf("seek %d: place %d, want %d", n, place, want)
	}
}

func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newListing()
		number := rapid.Uint64Range(0, 1<<16)
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				next := uint64(1)
				if len(l.want) > 0 {
					next = l.want[len(l.want)-1] + 1
				}
				for n := range uint64(rapid.IntRange(1, 3*maxRun).Draw(t, "n")) {
					l.insert(next + 3*n)
				}
			},
			"insert": func(t *rapid.T) {
				from, step := number.Draw(t, "from"), rapid.Uint64Range(1, 7).Draw(t, "step")
				for n := range uint64(rapid.IntRange(1, 2*maxRun).Draw(t, "n")) {
					l.insert(from + step*n)
				}
			},
			"remove": func(t *rapid.T) {
				at := rapid.IntRange(0, len(l.want)).Draw(t, "at")
				n := rapid.IntRange(0, 3*maxRun).Draw(t, "n")
				for ; n > 0 && at < len(l.want); n-- {
					l.remove(at)
				}
			},
			"thin out": func(*rapid.T) {
				for at := 0; at < len(l.want); at += 2 {
					l.remove(at)
				}
			},
			"": func(t *rapid.T) { l.check(t, number.Draw(t, "seek")) },
		})
	})
}

func TestOrderLarge(t *testing.T) {
	l := newListing()
	for n := range uint64(20_000) {
		l.insert(n * 7919 % 20_011)
	}
	l.check(t, 10_000)
	for len(l.want) > 30 {
		l.remove(len(l.want) * 2 / 3)
		if len(l.want)%997 == 0 {
			l.check(t, uint64(len(l.want)))
		}
	}
	l.check(t, 10_000)
	if len(l.o.runs) != 1 {
		t.Errorf("%d runs are left for 30 entries", len(l.o.runs))
	}
}

func TestOrderHead(t *testing.T) {
	l := newListing()
	for n := range uint64(10_000) {
		l.insert(n)
	}
	for n := range uint64(30_000) {
		l.remove(0)
		l.insert(10_000 + n)
	}
	l.check(t, 35_000)
}

// TestSlotsOfIDs compares a table of slots with a map. The ids are few and
// similar, so that they collide, and have all the shapes that ids of records
// have.
func TestSlotsOfIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			of    ids
			table slots
			model = map[uuid.UUID]uint32{}
		)
		draw := rapid.Custom(func(t *rapid.T) (id uuid.UUID) {
			n := rapid.Uint64Range(0, 400).Draw(t, "n")
			if rapid.Bool().Draw(t, "high") {
				binary.BigEndian.PutUint64(id[:8], n<<20)
			}
			binary.BigEndian.PutUint64(id[8:], n)
			return id
		})
		for range rapid.IntRange(1, 600).Draw(t, "steps") {
			id := draw.Draw(t, "id")
			slot, known := model[id]
			switch {
			case !known:
				slot = of.grow()
				*of.at(slot) = id
				table.add(&of, slot)
				model[id] = slot
			case rapid.Bool().Draw(t, "remove"):
				table.remove(&of, slot)
				delete(model, id)
			}
			probe := draw.Draw(t, "probe")
			want, there := model[probe]
			if got, ok := table.get(&of, &probe); ok != there || ok && got != want {
				t.Fatalf("get(%v) = %d, %v; want %d, %v", probe, got, ok, want, there)
			}
		}
		for id, want := range model {
			if got, ok := table.get(&of, &id); !ok || got != want {
				t.Fatalf("get(%v) = %d, %v; want %d", id, got, ok, want)
			}
		}
		if table.count() != len(model) {
			t.Fatalf("count = %d, want %d", table.count(), len(model))
		}
	})
}
