package robustness

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/tributary-go/tributary/internal/api"
)

// TestModels takes one call after the other: the engine and each model agree on
// every answer. It says what differs, which a history does not.
func TestModels(t *testing.T) {
	for _, tg := range []target{inMemory(), overHTTP("HTTP", &line{}, -1)} {
		for name, fresh := range trades {
			t.Run(name+" on "+tg.name, func(t *testing.T) {
				for n := range 10 {
					tr, w := fresh(), tg.open(t, plant{}, true)
					if err := tr.open(context.Background(), api.Of(w.program)); err != nil {
						t.Fatal(err)
					}
					r := rand.New(rand.NewPCG(uint64(n), 0))
					state := tr.initial()
					for i := range 300 {
						in, out, _ := tr.call(context.Background(), w.client(0), r, turn{late: i >= 200})
						next := tr.step(state, in, out)
						if len(next) == 0 {
							t.Fatalf("call %d of history %d: %+v\nanswer %+v\nstate %+v", i, n, in, out, state)
						}
						state = next[0]
					}
					w.settle()
					if err := w.program.Verify(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}
