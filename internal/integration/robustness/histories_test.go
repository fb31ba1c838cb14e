package robustness

import (
	"testing"

	"github.com/tributary-go/tributary/internal/atlength"
)

// A goal is how many histories a target gets of each trade, and of what size.
type goal struct {
	target         target
	short, long    int
	clients, calls int
}

// trades makes a trade by its name.
var trades = map[string]func() trade{
	"redemption": func() trade { return new(redemption) },
	"signup":     func() trade { return new(signup) },
	"treasury":   func() trade { return new(treasury) },
}

// histories takes the histories of a goal: none may be illegal or undecided, every
// call has an answer unless the target loses some, and all but one in twenty must show
// contention.
func histories(t *testing.T, goals ...goal) {
	for _, g := range goals {
		for name, fresh := range trades {
			t.Run(g.target.name+"/"+name, func(t *testing.T) {
				n := g.short
				if atlength.On() && !testing.Short() {
					n = g.long
				}
				var y tally
				calls := g.calls
				if name == "treasury" { // its states are large, and the check of a long history takes long
					calls = calls / 2
				}
				for i := range n {
					y.run(t, g.target, plant{}, fresh(), g.clients, calls, seedOf(t.Name(), i))
				}
				t.Log(&y)
				t.Attr("histories", y.String())
				if y.illegal+y.undecided+y.unverified > 0 {
					t.Errorf("%s", y.first)
				}
				if most := g.target.unanswered(y.operations); y.unknown > most {
					t.Errorf("%d calls had no answer, want at most %d; the last: %s", y.unknown, most, y.said)
				}
				if y.leastOverlaps < leastOverlaps {
					t.Errorf("a history has %d pairs of calls at once, want %d", y.leastOverlaps, leastOverlaps)
				}
				if y.dull > 1+y.histories/20 { // what a history asks for is drawn: now and then nothing is used up
					t.Errorf("%d histories show no contention", y.dull)
				}
			})
		}
	}
}

// unanswered is how many of so many calls may have no answer.
func (tg target) unanswered(calls int) int {
	if tg.loses {
		return calls / 10
	}
	return 0
}

// TestHistoriesInMemory is G01 and G04.
func TestHistoriesInMemory(t *testing.T) {
	histories(t,
		goal{target: inMemory(), short: 60, long: 6_700, clients: 8, calls: 100},
		goal{target: inMemoryRerun(), short: 30, long: 700, clients: 8, calls: 100},
		goal{target: inMemoryLosing(), short: 30, long: 700, clients: 8, calls: 60},
		goal{target: inMemoryApart(), short: 30, long: 700, clients: 8, calls: 100},
	)
}
