package paytest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// A story lists the events of a provider, in their order, an hour between two steps.
type story struct {
	Suite
	steps  []Step
	bodies [][]byte
	now    time.Time
	every  time.Duration           // between two steps; zero: an hour
	data   map[string]string       // what the checkouts carry
	of     map[string]*toldPayment // by payment

	email  string // of the payer; empty: Tomas'
	silent bool   // payments are told without it
}

// toldPayment holds the events that can still follow of a payment.
type toldPayment struct {
	refunds, disputes map[string]affiliate.Amount
	sum               affiliate.Amount
	made              int // refunds
}

func (s Suite) story(t testing.TB) *story {
	t.Helper()
	shop := shoptest.New(t)
	data, err := shop.AdapterConfig().Carry(shop.Program, nil, pay.Carried{Slug: "mara"})
	if err != nil {
		t.Fatal(err)
	}
	return &story{Suite: s, now: shoptest.Start, data: data, of: map[string]*toldPayment{}}
}

func dollars(n int64) affiliate.Amount { return affiliate.AmountFromScaled(n * 10_000) }

// tell adds a step, if the provider tells of it.
func (s *story) tell(step Step) bool {
	step.ID, step.At, step.Payer = fmt.Sprintf("e%d", len(s.steps)+1), s.now, "c1"
	if !s.silent {
		step.Email, step.Name = cmp.Or(s.email, "tomas@customers.example"), "Tomas"
	}
	body := s.Tell(step)
	if body == nil {
		return false
	}
	s.steps, s.bodies, s.now = append(s.steps, step), append(s.bodies, body), s.now.Add(cmp.Or(s.every, time.Hour))
	return true
}

func (s *story) customer() { s.tell(Step{Kind: Customer}) }

func (s *story) paid(n int64) {
	id := fmt.Sprintf("p%d", len(s.of)+1)
	if s.tell(Step{Kind: Paid, Payment: id, Amount: dollars(n), Renewal: len(s.of) > 0, Data: s.data}) {
		s.of[id] = &toldPayment{refunds: map[string]affiliate.Amount{}, disputes: map[string]affiliate.Amount{}}
	}
}

func (s *story) refund(payment string, n int64) {
	of := s.of[payment]
	id, sum := fmt.Sprintf("r%d-%s", of.made+1, payment), shoptest.Must(of.sum.Add(dollars(n)))
	if sum.Cmp(dollars(100)) <= 0 &&
		s.tell(Step{Kind: Refund, Payment: payment, Of: id, Amount: dollars(n), Sum: sum,
			Gross: dollars(100)}) {
		of.refunds[id], of.sum, of.made = dollars(n), sum, of.made+1
	}
}

func (s *story) refundFailed(payment, id string) {
	of := s.of[payment]
	amount := of.refunds[id]
	if sum := shoptest.Must(of.sum.Sub(amount)); s.tell(Step{Kind: RefundFailed, Payment: payment, Of: id, Amount: amount, Sum: sum, Gross: dollars(100)}) {
		of.sum = sum
		delete(of.refunds, id)
	}
}

func (s *story) dispute(payment string, n int64) {
	of := s.of[payment]
	id := fmt.Sprintf("d%d-%s", n, payment)
	if s.tell(Step{Kind: Dispute, Payment: payment, Of: id, Amount: dollars(n), Gross: dollars(100)}) {
		of.disputes[id] = dollars(n)
	}
}

func (s *story) won(payment, id string) {
	of := s.of[payment]
	if s.tell(Step{Kind: DisputeWon, Payment: payment, Of: id, Amount: of.disputes[id], Gross: dollars(100)}) {
		delete(of.disputes, id)
	}
}

func (s *story) status(status affiliate.SubscriptionStatus) {
	s.tell(Step{Kind: Status, Payment: "s1", Status: status})
}

// whole is a story with one step of each kind.
func (s Suite) whole(t testing.TB) *story {
	story := s.story(t)
	story.customer()
	story.paid(100)
	story.refund("p1", 10)
	story.status(affiliate.SubscriptionCancelled)
	story.dispute("p1", 60)
	story.won("p1", "d60-p1")
	story.refund("p1", 25)
	story.refundFailed("p1", "r1-p1")
	story.status(affiliate.SubscriptionPastDue)
	return story
}

// random tells a story of some payments.
func (s Suite) random(t testing.TB, rt *rapid.T) *story {
	story := s.story(t)
	story.customer()
	for range rapid.IntRange(1, 12).Draw(rt, "steps") {
		if len(story.of) == 0 || rapid.IntRange(0, 4).Draw(rt, "new") == 0 {
			story.paid(100)
			continue
		}
		payment := rapid.SampledFrom(slices.Sorted(maps.Keys(story.of))).Draw(rt, "payment")
		n, of := rapid.SampledFrom([]int64{10, 25, 60}).Draw(rt, "dollars"), story.of[payment]
		switch rapid.IntRange(0, 4).Draw(rt, "what") {
		case 0:
			story.refund(payment, n)
		case 1:
			if len(of.refunds) > 0 {
				story.refundFailed(payment, rapid.SampledFrom(slices.Sorted(maps.Keys(of.refunds))).Draw(rt, "refund"))
			}
		case 2:
			if _, open := of.disputes[fmt.Sprintf("d%d-%s", n, payment)]; !open {
				story.dispute(payment, n)
			}
		case 3:
			if len(of.disputes) > 0 {
				story.won(payment, rapid.SampledFrom(slices.Sorted(maps.Keys(of.disputes))).Draw(rt, "dispute"))
			}
		case 4:
			story.status(rapid.SampledFrom([]affiliate.SubscriptionStatus{
				affiliate.SubscriptionActive, affiliate.SubscriptionPastDue, affiliate.SubscriptionCancelled,
			}).Draw(rt, "status"))
		}
	}
	return story
}

// earned is the model: what the affiliate must have of some steps of a story, which are told in
// their order. It is 20 per cent of what was paid and neither refunded nor away.
func (s Suite) earned(steps []Step) string {
	paid, away := map[string]bool{}, map[string]map[string]int64{}
	for _, step := range steps {
		if away[step.Payment] == nil {
			away[step.Payment] = map[string]int64{}
		}
		switch step.Kind {
		case Paid:
			paid[step.Payment] = true
		case Refund, Dispute:
			if s.Sums && step.Kind == Refund {
				step.Of, step.Amount = "sum", step.Sum
			}
			away[step.Payment][step.Of] = step.Amount.Scaled()
		case RefundFailed, DisputeWon:
			away[step.Payment][step.Of] = 0
		}
	}
	sum := int64(0)
	for payment := range paid {
		kept := dollars(100).Scaled()
		for _, lost := range away[payment] {
			kept -= lost
		}
		sum += max(kept, 0) / 5
	}
	return affiliate.AmountFromScaled(sum).Format("USD")
}

// statusAfter is the state of the customer after some steps; empty: nobody is a customer.
func (s Suite) statusAfter(steps []Step) affiliate.SubscriptionStatus {
	paid, status := false, affiliate.SubscriptionActive
	for _, step := range steps {
		paid = paid || step.Kind == Paid
		if step.Kind == Status {
			status = step.Status
		}
	}
	if !paid {
		return ""
	}
	return status
}
