package paytest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// catchUp: of a long history some events are lost, some come twice, and all in any order. Afterwards the
// provider's API, which is busy now and then, tells the rest: the books are those of a program that
// heard everything, and catching up once more changes nothing.
func (s Suite) catchUp(t *testing.T) {
	payments := 1_000
	if testing.Short() {
		payments = 150
	}
	story := s.history(t, payments)
	api := httptest.NewServer(busy(s.Serve(story.bodies)))
	defer api.Close()
	for name, lost := range map[string]float64{"a tenth": 0.1, "most": 0.9, "all": 1} {
		t.Run(name, func(t *testing.T) {
			shop, dice := shoptest.New(t), rand.New(rand.NewPCG(1, uint64(100*lost)))
			shop.Now = story.now
			h, err := s.Handler(shop.Program, shop.AdapterConfig())
			if err != nil {
				t.Fatal(err)
			}
			order := dice.Perm(len(story.bodies))
			order = append(order, order[:len(order)/10]...)
			for _, i := range order {
				if dice.Float64() < lost {
					continue
				}
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, s.request(story.bodies[i], shop.Now)); w.Code/100 != 2 {
					t.Fatalf("%s: %d", story.steps[i].ID, w.Code)
				}
			}
			if story.settled(shop, story.steps) == nil {
				t.Error("nothing is missing before the catch-up")
			}
			src := s.Source(api.URL, shop.AdapterConfig())
			for again := range 2 {
				before := shop.Money()
				done, err := src.CatchUp(t.Context(), shop.Program, shoptest.Start.Add(-time.Hour))
				if err != nil || done.Unreadable > 0 || done.Read == 0 || len(done.Refused) > 0 {
					t.Fatalf("%+v, %v", done, err)
				}
				if err := story.settled(shop, story.steps); err != nil {
					t.Fatal(err)
				}
				if done.Sales == 0 != (again == 1) || again == 1 && shop.Money() != before {
					t.Errorf("time %d: %d sales", again+1, done.Sales)
				}
			}
			if err := shop.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		shop := shoptest.New(t)
		src := s.Source(httptest.NewServer(http.NotFoundHandler()).URL, shop.AdapterConfig())
		if _, err := src.CatchUp(t.Context(), shop.Program, shoptest.Start); err == nil {
			t.Error("no API, and no error")
		}
		src.CarryKeys = pay.Keys{[]byte("short")}
		if _, err := src.CatchUp(t.Context(), shop.Program, shoptest.Start); err == nil {
			t.Error("a short key, and no error")
		}
	})
}

// history tells of many payments, with what may become of each.
func (s Suite) history(t testing.TB, payments int) *story {
	story, dice := s.story(t), rand.New(rand.NewPCG(7, 7))
	story.every = 10 * time.Minute
	story.customer()
	for n := range payments {
		id := fmt.Sprintf("p%d", n+1)
		story.paid(100)
		switch dice.IntN(8) {
		case 0:
			story.refund(id, 25)
		case 1:
			story.refund(id, 10)
			story.refund(id, 60)
		case 2:
			story.refund(id, 25)
			if refund := fmt.Sprintf("r1-%s", id); !story.Sums {
				story.refundFailed(id, refund)
			}
		case 3:
			story.dispute(id, 60)
		case 4:
			story.dispute(id, 60)
			story.won(id, fmt.Sprintf("d60-%s", id))
		case 5:
			story.status([]affiliate.SubscriptionStatus{affiliate.SubscriptionActive, affiliate.SubscriptionPastDue}[dice.IntN(2)])
		}
	}
	story.status(affiliate.SubscriptionCancelled)
	return story
}

// busy refuses some requests, as a provider does when it is asked too often.
func busy(h http.Handler) http.Handler {
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n++; {
		case n%5 == 2:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			h.ServeHTTP(w, r)
		}
	})
}
