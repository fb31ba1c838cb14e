package robustness

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pgstore"
)

// within is how many histories may pass until a planted bug is caught.
const within = 200

// caught plants each bug on a target, which must be caught by a history that is
// not linearizable or by books that Verify refuses. Under -short each bug is planted on
// one target, the next bug on the next one.
func caught(t *testing.T, targets ...target) {
	for i, pl := range plants() {
		fit := slices.DeleteFunc(slices.Clone(targets), func(tg target) bool { return pl.lost != tg.loses })
		if testing.Short() && len(fit) > 0 {
			fit = fit[i%len(fit):][:1]
		}
		for _, tg := range fit {
			t.Run(pl.name+" on "+tg.name, func(t *testing.T) {
				var y tally
				for i := 0; i < within && y.illegal+y.unverified == 0; i++ {
					y.run(t, tg, pl, trades[pl.trade](), 6, 40, seedOf(t.Name(), i))
				}
				by := "Verify"
				if y.illegal > 0 {
					by = "history"
				}
				if y.illegal+y.unverified == 0 {
					t.Fatalf("not caught: %s", &y)
				}
				t.Logf("caught by %s, after %d histories", by, y.histories)
				t.Attr("planted", fmt.Sprintf("by=%s histories=%d", by, y.histories))
			})
		}
	}
}

// TestPlantedInMemory is G06 on the stores in memory.
func TestPlantedInMemory(t *testing.T) {
	caught(t, inMemory(), inMemoryRerun(), inMemoryLosing(), inMemoryApart())
}

// TestPlantedOverHTTP is G06 over HTTP.
func TestPlantedOverHTTP(t *testing.T) {
	caught(t, overHTTP("HTTP", &line{}, -1), overHTTP("HTTP, lost answers", &line{every: 20}, -1))
}

// TestPlantedOnPostgres is G06 on PostgreSQL.
func TestPlantedOnPostgres(t *testing.T) {
	shaky, _ := behindProxy(t, pgstore.Config{Group: 4})
	caught(t, append(ways(t), inHosts(t), shaky, twoProcesses(t, wayOf{}, 4*time.Second))...)
}
