package memstore

import (
	"encoding/binary"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

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
