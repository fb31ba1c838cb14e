package paytest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
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
				if dice.Float64() < lost && !s.kept(&story.steps[i]) {
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
	t.Run("anywhere", s.anywhere)
	t.Run("compared", func(t *testing.T) { s.compared(t, api.URL, story) })
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

// anywhere: a provider lives, tells what it likes of that, in any order and again, and is read at any moment: from
// whatever state, the books are then those of a program that heard everything until that moment, and nothing differs.
func (s Suite) anywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		life := s.random(t, rt)
		shop := shoptest.New(t)
		h, err := s.Handler(shop.Program, shop.AdapterConfig())
		if err != nil {
			rt.Fatal(err)
		}
		for lived := 0; lived < len(life.steps); {
			lived += rapid.IntRange(1, len(life.steps)-lived).Draw(rt, "lives")
			shop.Now = life.steps[lived-1].At.Add(30 * time.Minute)
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, lived-1), 0, 6).Draw(rt, "told") {
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, s.request(life.bodies[i], shop.Now)); w.Code/100 != 2 && w.Code != http.StatusServiceUnavailable { // it waits for another one
					rt.Fatalf("%s: %d", life.steps[i].ID, w.Code)
				}
			}
			if s.Unmarked { // the API does not tell whom the first payment credits
				for i := range life.steps[:lived] {
					if s.kept(&life.steps[i]) {
						h.ServeHTTP(httptest.NewRecorder(), s.request(life.bodies[i], shop.Now))
					}
				}
			}
			api := httptest.NewServer(s.Serve(life.bodies[:lived]))
			src := s.Source(api.URL, shop.AdapterConfig())
			_, err := src.CatchUp(t.Context(), shop.Program, shoptest.Start.Add(-time.Hour))
			if err == nil {
				err = life.settled(shop, life.steps[:lived])
			}
			if err == nil {
				err = shop.Verify(t.Context())
			}
			var c adapter.Comparison
			if err == nil {
				c, err = src.Compare(t.Context(), shop.Program, shoptest.Start.Add(-time.Hour))
			}
			api.Close()
			if c.Differences = slices.DeleteFunc(c.Differences, revoked); err != nil || len(c.Differences) > 0 {
				rt.Fatalf("after %d steps: %+v, %v", lived, c.Differences, err)
			}
		}
	})
}

// kept reports whether the event of a step is never lost, because the API does not tell whom it credits.
func (s Suite) kept(step *Step) bool { return s.Unmarked && step.Kind == Paid && !step.Renewal }

// compared: the difference between the books of a provider and of a program that missed some events, and was
// told something that the provider does not have, and something else of a payment, is those payments and no other, to
// the cent; after a catch-up at most the latter two are left.
func (s Suite) compared(t *testing.T, base string, story *story) {
	shop, dice := shoptest.New(t), rand.New(rand.NewPCG(2, 2))
	shop.Now = story.now
	tell := func(a pay.Action) {
		t.Helper()
		a.Wait = false
		if result, err := pay.Apply(t.Context(), shop.Program, a); err != nil || result.Refusal != nil {
			t.Fatal(err, result.Refusal)
		}
	}
	actions, lost, planted := story.actions(t), map[string]bool{}, map[string]bool{}
	for len(lost) < 20 {
		if step := &story.steps[dice.IntN(len(story.steps))]; step.Kind != Customer && step.Kind != Status && step.Payment != "p1" && !planted[step.Payment] {
			lost[step.ID], planted[step.Payment] = true, true
		}
	}
	wrong := ""
	for i, step := range story.steps {
		a := actions[i]
		if wrong == "" && step.Kind == Paid && step.Renewal && !planted[step.Payment] { // somebody reports it before, as of less
			wrong = step.Payment
			paid, _ := a.Payment.Sale.Get()
			paid.Gross, paid.TotalEarned, paid.Subtotal, paid.PaidAt, paid.Lines = dollars(91), dollars(91), affiliate.Set(dollars(91)), time.Time{}, nil
			a.Payment.Sale, a.Payment.At = affiliate.Set(paid), a.Payment.At.Add(-time.Hour)
		}
		if !lost[step.ID] {
			tell(a)
		}
	}
	extra := s.story(t)
	extra.now = story.now.Add(-2 * time.Hour)
	extra.of = map[string]*toldPayment{}
	for n := range len(story.of) {
		extra.of[fmt.Sprint("known", n)] = nil
	}
	extra.paid(100)
	for _, a := range extra.actions(t) {
		tell(a)
	}
	src := s.Source(base, shop.AdapterConfig())
	from := shoptest.Start.Add(-time.Hour)
	before := shop.Money()
	c, err := src.Compare(t.Context(), shop.Program, from)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for payment := range planted {
		if s.differs(story, payment, lost) {
			want[payment] = true
		}
	}
	if len(want) < 8 || c.Payments != len(story.of) || c.Nobodys+c.Foreign > 0 {
		t.Fatalf("%d planted, %d compared of %d, %d nobody's", len(want), c.Payments, len(story.of), c.Nobodys)
	}
	kinds := map[adapter.DifferenceKind]int{}
	var sums [4]int64
	for _, d := range c.Differences {
		kinds[d.Kind]++
		switch id := story.named(d.Keys); {
		case want[id]:
			delete(want, id)
		case d.Kind == adapter.DifferentUnknown, d.Kind == adapter.DifferentPaid && id == wrong, revoked(d):
		default:
			t.Errorf("%s differs: %+v", id, d)
		}
		for i, part := range []affiliate.Amount{d.Sums.TheirPaid, d.Sums.TheirLost, d.Sums.OurPaid, d.Sums.OurLost} {
			sums[i] += part.Scaled()
		}
	}
	all := c.Sums["USD"]
	if len(want) > 0 || kinds[adapter.DifferentUnknown] != 1 || kinds[adapter.DifferentPaid] != 1 {
		t.Errorf("not found: %v; %v", want, kinds)
	}
	if all.TheirPaid.Scaled()-all.OurPaid.Scaled() != sums[0]-sums[2] || all.TheirLost.Scaled()-all.OurLost.Scaled() != sums[1]-sums[3] || sums == [4]int64{} {
		t.Errorf("the differences do not explain the sums: %+v, %v", all, sums)
	}
	if want := dollars(int64(100 * len(story.of))); all.TheirPaid != want {
		t.Errorf("the provider has %v, want %v", all.TheirPaid, want)
	}
	if shop.Money() != before {
		t.Error("comparing has changed something")
	}
	if _, err := src.CatchUp(t.Context(), shop.Program, from); err != nil {
		t.Fatal(err)
	}
	c, err = src.Compare(t.Context(), shop.Program, from)
	c.Differences = slices.DeleteFunc(c.Differences, func(d adapter.Difference) bool { return revoked(d) || story.named(d.Keys) == wrong })
	if err != nil || len(c.Differences) != 1 || c.Differences[0].Kind != adapter.DifferentUnknown {
		t.Errorf("after the catch-up: %+v, %v", c.Differences, err)
	}
}

// revoked reports whether a payment waits because its order was cancelled, as some providers tell of a refund in a suite.
func revoked(d adapter.Difference) bool { return d.Waits == affiliate.SaleRevoked }

// differs reports whether a payment is another one without some steps.
func (s Suite) differs(story *story, payment string, lost map[string]bool) bool {
	var all, told []Step
	for _, step := range story.steps {
		if step.Payment == payment {
			if all = append(all, step); !lost[step.ID] {
				told = append(told, step)
			}
		}
	}
	return s.earned(all) != s.earned(told)
}

// named returns the payment that has one of some ids of the provider.
func (s *story) named(keys []string) string {
	for payment := range s.of {
		for _, key := range keys {
			if key == payment || "p"+key == payment || strings.HasSuffix(key, "_"+payment) {
				return payment
			}
		}
	}
	return ""
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
