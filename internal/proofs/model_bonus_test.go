package proofs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// The model of docs/rewards.md 5: what everybody has of each bonus is counted from a list of sales and
// customers, and compared after each grant. Customers have no place in time but the day of their sign-up.

type bonusSale struct {
	id          affiliate.SaleID
	owner       int
	customer    int
	total, back int64
	paid        time.Time
	held, no    bool // in a payout, declined
}

type bonusModel struct {
	w         *scene.World
	people    []affiliate.Affiliate
	customers []*bonusCustomer
	sales     []*bonusSale
	bonuses   []affiliate.Bonus
}

type bonusCustomer struct {
	owner  int
	came   time.Time
	gone   bool
	friend int // the affiliate who the customer is; -1: none
}

// modelBonuses are of all kinds.
func modelBonuses(from affiliate.Date) []affiliate.Bonus {
	return []affiliate.Bonus{
		{Name: "a/1", From: from, Customers: 2, MinSpend: cents(1000), Amount: cents(100)},
		{Name: "a", From: from, Per: affiliate.IntervalMonth, Customers: 1, Times: 2, Amount: cents(30)},
		{Name: "revenue", From: from, Revenue: cents(2500), HoldDays: 7, Amount: cents(7)},
		{Name: "monthly", From: from, Per: affiliate.IntervalMonth, Revenue: cents(1500), Times: 3, Amount: cents(11)},
		{Name: "sign-ups", From: from, SignUps: 3, HoldDays: 2, Amount: cents(13)},
		{Name: "friend", To: affiliate.BonusToCustomer, From: from, Customers: 1, MinSpend: cents(500), HoldDays: 3, Amount: cents(500)},
	}
}

// due counts how often a bonus is due, by who gets it and for what.
func (m *bonusModel) due(b affiliate.Bonus) map[string]int64 {
	now, from := m.w.Now, b.From.FirstInstant(time.UTC)
	counts := func(at time.Time) bool {
		return !at.Before(from) && !at.Add(time.Duration(b.HoldDays)*24*time.Hour).After(now)
	}
	month := func(at time.Time) string {
		if b.Per == "" {
			return ""
		}
		return at.UTC().Format("2006-01")
	}
	sums := map[string]int64{}
	spent := make([]int64, len(m.customers))
	for _, s := range m.sales {
		if s.no || !counts(s.paid) {
			continue
		}
		if m.customers[s.customer].owner == s.owner {
			spent[s.customer] += s.total - s.back
		}
		if !b.Revenue.IsZero() {
			sums[fmt.Sprint(s.owner, month(s.paid))] += s.total - s.back
		}
	}
	for i, c := range m.customers {
		met := b.SignUps > 0 && counts(c.came)
		if b.Customers > 0 {
			met = !c.came.Before(from) && spent[i] > 0 && cents(spent[i]).Cmp(b.MinSpend) >= 0
		}
		switch {
		case c.gone || !met || !b.Revenue.IsZero():
		case b.To == "":
			sums[fmt.Sprint(c.owner, month(c.came))]++
		case c.friend >= 0 && c.friend != c.owner:
			sums[fmt.Sprint(c.friend, " by ", i)]++
		}
	}
	for key := range sums {
		each := max(b.SignUps, b.Customers, b.Revenue.Scaled()/100)
		if sums[key] /= each; b.Times > 0 {
			sums[key] = min(sums[key], b.Times)
		}
		if sums[key] <= 0 {
			delete(sums, key)
		}
	}
	return sums
}

func TestBonusModel(t *testing.T) {
	for name, wrap := range map[string]func(record.Store) record.Store{
		"memstore": func(s record.Store) record.Store { return s }, "Rerun": conformance.Rerun,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				m := &bonusModel{w: scene.NewOn(t, wrap(memstore.New()))}
				for _, name := range []string{"ada", "bob"} {
					m.people = append(m.people, scene.Must(m.w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
						FirstName: name, LastName: "M", Email: name + "@example.org", AffiliateLink: name, ExternalID: name,
					})))
				}
				m.bonuses = modelBonuses(affiliate.At(m.w.Now.AddDate(0, 0, 20)))
				scene.Must(m.w.SetTerms(t.Context(), affiliate.TermsUpdate{Rate: scene.Percent("10"), Bonuses: affiliate.Set(m.bonuses)}))
				m.run(rt)
			})
		})
	}
}

func (m *bonusModel) run(rt *rapid.T) {
	ctx := m.w.T.Context()
	sale := func(fits func(*bonusSale) bool) *bonusSale {
		all := slices.DeleteFunc(slices.Clone(m.sales), func(s *bonusSale) bool { return !fits(s) })
		if len(all) == 0 {
			rt.Skip("no sale")
		}
		return rapid.SampledFrom(all).Draw(rt, "sale")
	}
	customer := func() int {
		var all []int
		for i, c := range m.customers {
			if !c.gone {
				all = append(all, i)
			}
		}
		if len(all) == 0 {
			rt.Skip("no customer")
		}
		return rapid.SampledFrom(all).Draw(rt, "customer")
	}
	rt.Repeat(map[string]func(*rapid.T){
		"sign-up": func(rt *rapid.T) {
			c := &bonusCustomer{owner: rapid.IntRange(0, 1).Draw(rt, "owner"), came: m.w.Now, friend: rapid.IntRange(-1, 1).Draw(rt, "friend")}
			for _, other := range m.customers {
				if other.friend == c.friend {
					c.friend = -1 // an id is one customer's
				}
			}
			in := affiliate.ReferralParams{AffiliateID: m.people[c.owner].ID.String(), ReferredUserExternalID: fmt.Sprint("c", len(m.customers)), Email: fmt.Sprintf("c%d@example.net", len(m.customers)), Name: "N"}
			if c.friend >= 0 {
				in.ReferredUserExternalID = []string{"ada", "bob"}[c.friend]
			}
			scene.Must(m.w.CreateReferral(ctx, in))
			m.customers = append(m.customers, c)
		},
		"sale": func(rt *rapid.T) {
			i := customer()
			s := &bonusSale{owner: m.customers[i].owner, customer: i, total: rapid.Int64Range(1, 300).Draw(rt, "total") * 10, paid: m.w.Now}
			result := scene.Must(m.w.RecordSale(ctx, affiliate.SaleParams{Email: fmt.Sprintf("c%d@example.net", i), TotalEarned: cents(s.total)}))
			s.id = result.Sale.Or(affiliate.Sale{}).ID
			m.sales = append(m.sales, s)
		},
		"refund": func(rt *rapid.T) {
			s := sale(func(s *bonusSale) bool { return s.back < s.total })
			back := rapid.Int64Range(1, (s.total-s.back)/10).Draw(rt, "back") * 10
			scene.Must(m.w.RefundSale(ctx, affiliate.Refund{SaleID: s.id, Amount: affiliate.Set(cents(back)), ClawBack: true}))
			s.back += back
		},
		"decline": func(rt *rapid.T) {
			s := sale(func(s *bonusSale) bool { return !s.held && !s.no && s.back < s.total })
			scene.Must(m.w.ReviewCommissions(ctx, affiliate.ApprovalDeclined, s.id))
			s.no = true
		},
		"accept": func(rt *rapid.T) {
			s := sale(func(s *bonusSale) bool { return s.no && s.back < s.total })
			scene.Must(m.w.ReviewCommissions(ctx, affiliate.ApprovalAccepted, s.id))
			s.no = false
		},
		"move": func(rt *rapid.T) {
			s := sale(func(s *bonusSale) bool { return s.back == 0 })
			s.owner, s.no, s.held = 1-s.owner, false, false // what it earns the other is decided anew
			scene.Must(m.w.UpdateSale(ctx, s.id, affiliate.SaleUpdate{AffiliateID: affiliate.Set(m.people[s.owner].ID), ClawBack: true}))
		},
		"delete a sale": func(rt *rapid.T) {
			s := sale(func(s *bonusSale) bool { return !s.held })
			scene.Must(0, m.w.Forfeiting().DeleteSale(ctx, s.id))
			m.sales = slices.DeleteFunc(m.sales, func(o *bonusSale) bool { return o == s })
		},
		"pay": func(rt *rapid.T) {
			for i, p := range m.people {
				if _, err := m.w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: p.ID}); err != nil {
					continue // nothing is payable
				}
				for _, s := range m.sales {
					s.held = s.held || s.owner == i && !s.no
				}
			}
		},
		"days pass": func(rt *rapid.T) {
			m.w.Now = m.w.Now.Add(time.Duration(rapid.IntRange(1, 25*24).Draw(rt, "hours")) * time.Hour)
		},
		"": func(rt *rapid.T) { m.check(rt) },
	})
	scene.Must(0, m.w.Verify(ctx))
}

// check grants bonuses, and compares what everybody has.
func (m *bonusModel) check(rt *rapid.T) {
	ctx := m.w.T.Context()
	scene.Must(m.w.Run(ctx, affiliate.GrantBonusesJob{}))
	if again := scene.Must(m.w.Run(ctx, affiliate.GrantBonusesJob{})); again.Changed != 0 {
		rt.Fatalf("once more %d changed", again.Changed)
	}
	want, got := map[string]string{}, map[string]string{}
	for i, p := range m.people {
		sums := map[string]int64{}
		for a, err := range affiliate.All(ctx, m.w.Adjustments, affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(p.ID)}) {
			if err != nil {
				rt.Fatal(err)
			}
			if strings.HasPrefix(a.ExternalID.Or(""), "bonus/") {
				sums[a.Reason] += a.Amount.Scaled() / 100
			}
		}
		for reason, sum := range sums {
			if sum != 0 {
				got[fmt.Sprint(i, reason)] = cents(sum).String()
			}
		}
		for _, b := range m.bonuses {
			sum := int64(0)
			for key, times := range m.due(b) {
				if strings.HasPrefix(key, fmt.Sprint(i)) {
					sum += times * b.Amount.Scaled() / 100
				}
			}
			if sum != 0 {
				want[fmt.Sprint(i, b.Name)] = cents(sum).String()
			}
		}
	}
	if diff := differing(want, got); diff != "" {
		rt.Fatal(diff)
	}
}
