package proofs_test

import (
	"cmp"
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A paymentModel is the program beside a naive fold of the facts.
type paymentModel struct {
	*scene.PayShop
	facts    map[string]*naivePayment // by their key, until a link joins two
	subs     map[string]naiveSub
	customer bool // a sale made Tomas a customer
	mirror   mirror
}

// A naivePayment is every fact of one payment, in no order.
type naivePayment struct {
	sold     bool
	refunds  map[string]int // id → highest state: 1 pending, 2 succeeded, 3 failed
	disputes map[string]naiveDispute
	sum      int64 // cents
	host     int64
}

type naiveDispute struct {
	at   int
	rank int // in disputeStates
}

type naiveSub struct{ at, rank int }

var (
	refundStates  = []affiliate.RefundState{"", affiliate.RefundPending, affiliate.RefundSucceeded, affiliate.RefundFailed}
	disputeStates = []affiliate.DisputeState{"", affiliate.DisputeInquiry, affiliate.DisputeWithdrawn, affiliate.DisputeReleased, affiliate.DisputeLost, affiliate.DisputeWon}
	subStates     = []affiliate.SubscriptionStatus{"", affiliate.SubscriptionPastDue, affiliate.SubscriptionActive, affiliate.SubscriptionCancelled}
	partsOfGross  = map[string]int64{"a": 3333, "b": 12000, "c": 1, "d": 4999}
)

const grossCents, taxCents = 12000, 2000

func ofCents(n int64) affiliate.Amount { return affiliate.AmountFromScaled(n * 100) }

func newNaive() *naivePayment {
	return &naivePayment{refunds: map[string]int{}, disputes: map[string]naiveDispute{}}
}

// of is the fold that has a key.
func (m *paymentModel) of(key string) *naivePayment {
	if m.facts[key] == nil {
		m.facts[key] = newNaive()
	}
	return m.facts[key]
}

// worth is what a payment gives, by exact fractions.
func (n *naivePayment) worth() affiliate.Amount {
	var succeeded, failed, away int64
	for id, state := range n.refunds {
		if state == 2 {
			succeeded += partsOfGross[id]
		}
		if state == 3 {
			failed += partsOfGross[id]
		}
	}
	for id, d := range n.disputes {
		if s := disputeStates[d.rank]; s == affiliate.DisputeWithdrawn || s == affiliate.DisputeLost {
			away += partsOfGross[id]
		}
	}
	lost := min(grossCents, max(succeeded, n.sum-failed, 0)+away) // of a sale of the same total
	kept := max(0, grossCents-lost-n.host)
	return ofCents(roundRat(big.NewRat((grossCents-taxCents)*kept, 5*grossCents)))
}

// roundRat rounds half away from zero; v is not negative.
func roundRat(v *big.Rat) int64 {
	v.Add(v, big.NewRat(1, 2))
	return new(big.Int).Quo(v.Num(), v.Denom()).Int64()
}

// join makes one fold of two.
func (m *paymentModel) join(a, b string) {
	to, from := m.of(a), m.of(b)
	if to == from {
		return
	}
	to.sold, to.host, to.sum = to.sold || from.sold, to.host+from.host, max(to.sum, from.sum)
	for id, state := range from.refunds {
		to.refunds[id] = max(to.refunds[id], state)
	}
	for id, d := range from.disputes {
		to.dispute(id, d)
	}
	for key, n := range m.facts {
		if n == from {
			m.facts[key] = to
		}
	}
}

func (n *naivePayment) dispute(id string, d naiveDispute) {
	if was, known := n.disputes[id]; !known || cmp.Or(d.at-was.at, d.rank-was.rank) > 0 {
		n.disputes[id] = d
	}
}

// TestModelPayments compares the engine with the fold after any sequence of
// facts, links, payouts and refunds by the host.
func TestModelPayments(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := scene.NewPayShop(t)
		s.Program = s.With(s.Store)
		m := &paymentModel{PayShop: s, facts: map[string]*naivePayment{}, subs: map[string]naiveSub{}}
		begin := s.Now.Add(-24 * time.Hour)
		number := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, name) }
		key := func(kind string) string { return fmt.Sprint(kind, "_", number("payment", 3)) }
		id := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		rt.Repeat(map[string]func(*rapid.T){
			"sale": func(*rapid.T) {
				f := m.Paid(key("in"), "120", "20", "1")
				if number("renewal", 2) == 1 {
					f = scene.Renewal(f)
				}
				m.Reports(f)
				m.of(f.Keys[0]).sold, m.customer = true, true
			},
			"link": func(rt *rapid.T) {
				n := number("payment", 3)
				a, b := fmt.Sprint("in_", n), fmt.Sprint("pi_", n)
				m.Reports(m.Fact(a + " " + b))
				m.join(a, b)
			},
			"refund": func(rt *rapid.T) {
				f := m.Fact(key("pi"))
				which, state := id.Draw(rt, "id"), 1+number("state", 3)
				f.Refunds = []affiliate.RefundFact{{ID: "re_" + which, Amount: ofCents(partsOfGross[which]), State: refundStates[state]}}
				m.Reports(f)
				n := m.of(f.Keys[0])
				n.refunds[which] = max(n.refunds[which], state)
			},
			"sum": func(*rapid.T) {
				f := m.Fact(key("in"))
				sum := int64(number("sum", 14000))
				f.Refunded = affiliate.Set(ofCents(sum))
				m.Reports(f)
				m.of(f.Keys[0]).sum = max(m.of(f.Keys[0]).sum, sum)
			},
			"dispute": func(rt *rapid.T) {
				f := m.Fact(key("in"))
				which, d := id.Draw(rt, "id"), naiveDispute{at: number("at", 5), rank: 1 + number("state", 5)}
				f.At = begin.Add(time.Duration(d.at) * time.Minute)
				f.Disputes = []affiliate.DisputeFact{{ID: "dp_" + which, Amount: ofCents(partsOfGross[which]), State: disputeStates[d.rank]}}
				m.Reports(f)
				m.of(f.Keys[0]).dispute(which, d)
			},
			"host": func(*rapid.T) {
				k := key("in")
				if !m.of(k).sold {
					return
				}
				amount := int64(1 + number("amount", 6000))
				res, err := m.RefundSale(t.Context(), affiliate.Refund{SaleID: m.SaleOf(k).ID, Amount: affiliate.Set(ofCents(amount)), ClawBack: true})
				if err == nil && !res.AlreadyRefunded {
					m.of(k).host += amount
				}
			},
			"payout": func(*rapid.T) {
				made, err := m.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: m.Mara.ID})
				if err == nil && number("paid", 2) == 1 {
					scene.Must(m.SetPayoutStatus(t.Context(), made.ID, affiliate.PayoutPaid))
				}
			},
			"status": func(*rapid.T) {
				m.status(begin, fmt.Sprint("sub_", number("sub", 3)), number("at", 5), 1+number("state", 3))
			},
			"later": func(*rapid.T) { m.Pass(time.Hour) },
			"":      func(rt *rapid.T) { m.check(rt) },
		})
	})
}

// status reports the state of a subscription.
func (m *paymentModel) status(begin time.Time, sub string, at, rank int) {
	_, err := m.Payments().ReportSubscription(m.T.Context(), affiliate.SubscriptionFact{
		Provider: "stripe", Payer: scene.Tomas, Subscription: sub, Status: subStates[rank], At: begin.Add(time.Duration(at) * time.Minute),
	})
	if (err == nil) != m.customer {
		m.T.Fatalf("ReportSubscription: %v", err)
	}
	if was, known := m.subs[sub]; m.customer && (!known || cmp.Or(at-was.at, rank-was.rank) > 0) {
		m.subs[sub] = naiveSub{at, rank}
	}
}

// wantedStatus is the status of the customer.
func (m *paymentModel) wantedStatus() affiliate.SubscriptionStatus {
	has := map[affiliate.SubscriptionStatus]bool{}
	for _, s := range m.subs {
		has[subStates[s.rank]] = true
	}
	for _, s := range []affiliate.SubscriptionStatus{affiliate.SubscriptionActive, affiliate.SubscriptionPastDue, affiliate.SubscriptionCancelled} {
		if has[s] {
			return s
		}
	}
	return affiliate.SubscriptionActive
}

func (m *paymentModel) check(rt *rapid.T) {
	var all affiliate.Amount
	seen := map[*naivePayment]bool{}
	for key, n := range m.facts {
		if !n.sold || seen[n] {
			continue
		}
		seen[n] = true
		got := m.PayShop.Worth(m.SaleOf(key).ID)
		if want := n.worth(); got != want {
			rt.Fatalf("%s gives %v, want %v of %+v", key, got, want, *n)
		}
		all = scene.Must(all.Add(got))
	}
	if len(seen) > 0 {
		if balance := scene.Must(m.Balance(m.T.Context(), affiliate.AffiliateRef{ID: m.Mara.ID})); balance.Earned != all {
			rt.Fatalf("earned %v, want %v", balance.Earned, all)
		}
	}
	if m.customer {
		if ref := scene.Must(m.Payments().Payer(m.T.Context(), "stripe", scene.Tomas)).Referral.Or(affiliate.Referral{}); ref.Status != m.wantedStatus() {
			rt.Fatalf("status %s, want %s of %+v", ref.Status, m.wantedStatus(), m.subs)
		}
	}
	scene.Must(0, m.Verify(m.T.Context()))
	m.mirror.check(m.World, m.Mara.ID)
}
