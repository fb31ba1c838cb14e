package memstore

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

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
