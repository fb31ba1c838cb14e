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

// The model of docs/rewards.md: two affiliates, budgets of both kinds that change, and all that changes
// what sales take of them. It keeps no counters: what is used is added up from the sales each time.
// Commissions are 10 %, and all amounts whole cents.

type budgetSale struct {
	id             affiliate.SaleID
	owner          int
	total, back    int64
	paid, recorded time.Time
	month          time.Time // in which it counts; zero: not decided yet
	draws          []budgetDraw
	hand           bool
	earned         int64
	declined, held bool // held: in a payout
}

type budgetDraw struct {
	of   affiliate.Budget
	key  string
	most int64 // -1: not cut
}

type budgetModel struct {
	w       *scene.World
	people  []affiliate.Affiliate
	budgets []affiliate.Budget
	sales   []*budgetSale
	closed  time.Time
	n       int
}

// takes returns what a sale takes of its budgets.
func (s *budgetSale) takes() int64 {
	if s.declined || s.back == s.total {
		return 0
	}
	return s.earned
}

// used adds up what other sales take of a budget.
func (m *budgetModel) used(key string, but *budgetSale) (sum, rewards int64) {
	for _, s := range m.sales {
		for _, d := range s.draws {
			if took := s.takes(); s != but && d.key == key && took > 0 {
				sum, rewards = sum+took, rewards+1
			}
		}
	}
	return sum, rewards
}

func monthOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// decide gives a sale the budgets of now.
func (m *budgetModel) decide(s *budgetSale) {
	periodic := slices.ContainsFunc(m.budgets, func(b affiliate.Budget) bool { return b.Per != "" })
	switch {
	case !periodic:
		s.month = time.Time{}
	case s.month.IsZero(): // it is the first budget of a month that counts it
		if s.month = monthOf(s.paid); s.paid != s.recorded && !m.closed.Before(s.paid) {
			s.month = monthOf(s.recorded)
		}
	}
	s.draws = nil
	for _, b := range m.budgets {
		key := fmt.Sprint(b.Of, b.Per)
		if b.Of == affiliate.BudgetOfAffiliate {
			key += fmt.Sprint(s.owner)
		}
		if b.Per != "" {
			key += s.month.Format("2006-01")
		}
		s.draws = append(s.draws, budgetDraw{b, key, -1})
	}
}

// earn computes what a sale earns, which was before what it is now.
func (m *budgetModel) earn(s *budgetSale, before budgetSale) {
	wants := (s.total - s.back) / 10
	for _, d := range s.draws {
		if d.most >= 0 {
			wants = min(wants, d.most)
		}
	}
	if s.declined || s.back == s.total {
		s.earned = wants
		return
	}
	for i := range s.draws {
		d := &s.draws[i]
		keeps := int64(0)
		for _, old := range before.draws {
			if old.key == d.key && old.of == d.of && !before.hand {
				keeps = before.takes()
			}
		}
		if wants <= keeps {
			continue
		}
		sum, rewards := m.used(d.key, s)
		may := wants
		if most := d.of.MaxCommission.Scaled() / 100; most > 0 && sum+wants > most {
			if may = max(most-sum, 0); d.of.Whole {
				may = 0
			}
		}
		if d.of.MaxRewards > 0 && rewards+1 > d.of.MaxRewards {
			may = 0
		}
		if may = max(may, keeps); may < wants {
			d.most, wants = may, may
		}
	}
	s.earned = wants
}

// change changes a sale, and computes what it earns unless that was set by hand.
func (m *budgetModel) change(s *budgetSale, do func()) {
	before := *s
	before.draws = slices.Clone(s.draws)
	if do(); !s.hand {
		m.earn(s, before)
	}
}

func cents(n int64) affiliate.Amount { return affiliate.AmountFromScaled(n * 100) }

func TestBudgetModel(t *testing.T) {
	for name, wrap := range map[string]func(record.Store) record.Store{
		"memstore": func(s record.Store) record.Store { return s }, "Rerun": conformance.Rerun,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { newBudgetModel(t, wrap(memstore.New())).run(rt) })
		})
	}
}

func newBudgetModel(t *testing.T, store record.Store) *budgetModel {
	m := &budgetModel{w: scene.NewOn(t, store)}
	scene.Must(m.w.SetTerms(t.Context(), affiliate.TermsUpdate{Rate: scene.Percent("10")}))
	for i, name := range []string{"ada", "bob"} {
		m.people = append(m.people, scene.Must(m.w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
			FirstName: name, LastName: "M", Email: name + "@example.org", AffiliateLink: name,
		})))
		m.sell(i, 100, 0) // so that there are books
	}
	return m
}

func (m *budgetModel) sell(owner int, total int64, monthsAgo int) {
	m.n++
	s := &budgetSale{owner: owner, total: total, recorded: m.w.Now, paid: m.w.Now}
	in := affiliate.SaleParams{ReferralID: m.people[owner].ID.String(), Email: fmt.Sprintf("c%d@example.net", m.n), Name: "N", TotalEarned: cents(total)}
	if monthsAgo > 0 {
		s.paid = m.w.Now.AddDate(0, -monthsAgo, 0)
		in.PaidAt = s.paid
	}
	result := scene.Must(m.w.RecordSale(m.w.T.Context(), in))
	s.id = result.Sale.Or(affiliate.Sale{}).ID
	m.decide(s)
	m.earn(s, budgetSale{})
	m.sales = append(m.sales, s)
}

func (m *budgetModel) run(rt *rapid.T) {
	ctx := m.w.T.Context()
	one := func(fits func(*budgetSale) bool) *budgetSale {
		all := slices.DeleteFunc(slices.Clone(m.sales), func(s *budgetSale) bool { return !fits(s) })
		if len(all) == 0 {
			rt.Skip("no sale")
		}
		return rapid.SampledFrom(all).Draw(rt, "sale")
	}
	open := func(s *budgetSale) bool { return s.back < s.total }
	update := func(s *budgetSale, up affiliate.SaleUpdate) {
		up.ClawBack = true
		scene.Must(m.w.UpdateSale(ctx, s.id, up))
	}
	amount := func(name string, from, to int64) int64 { return rapid.Int64Range(from, to).Draw(rt, name) * 10 }
	rt.Repeat(map[string]func(*rapid.T){
		"sell": func(rt *rapid.T) {
			m.sell(rapid.IntRange(0, 1).Draw(rt, "owner"), amount("total", 1, 2000), rapid.IntRange(0, 1).Draw(rt, "months ago"))
		},
		"refund": func(rt *rapid.T) {
			s := one(func(s *budgetSale) bool { return open(s) && !s.hand })
			part := min(amount("part", 1, 2000), s.total-s.back)
			scene.Must(m.w.RefundSale(ctx, affiliate.Refund{SaleID: s.id, Amount: affiliate.Set(cents(part)), ClawBack: true}))
			m.change(s, func() { s.back += part })
		},
		"decline": func(rt *rapid.T) {
			s := one(func(s *budgetSale) bool { return open(s) && !s.held && !s.declined })
			scene.Must(m.w.ReviewCommissions(ctx, affiliate.ApprovalDeclined, s.id))
			s.declined = true
		},
		"accept": func(rt *rapid.T) {
			s := one(func(s *budgetSale) bool { return open(s) && s.declined })
			scene.Must(m.w.ReviewCommissions(ctx, affiliate.ApprovalAccepted, s.id))
			m.change(s, func() { s.declined = false })
		},
		"delete": func(rt *rapid.T) {
			s := one(func(s *budgetSale) bool { return !s.held })
			scene.Must(0, m.w.DeleteSale(ctx, s.id))
			m.sales = slices.DeleteFunc(m.sales, func(o *budgetSale) bool { return o == s })
		},
		"by hand": func(rt *rapid.T) {
			s := one(func(s *budgetSale) bool { return open(s) && s.back == 0 })
			earned := amount("earned", 0, 300)
			if earned == s.earned {
				rt.Skip("it earns that already")
			}
			update(s, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(cents(earned))})
			s.hand, s.earned = true, earned
		},
		"by the terms": func(rt *rapid.T) {
			s := one(open)
			update(s, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()})
			m.change(s, func() { s.hand = false; m.decide(s) })
		},
		"another total": func(rt *rapid.T) {
			s := one(open)
			total := s.back + amount("more", 1, 2000)
			if total == s.total && s.hand {
				rt.Skip("nothing changes")
			}
			update(s, affiliate.SaleUpdate{TotalEarned: affiliate.Set(cents(total))})
			m.change(s, func() { s.total, s.hand = total, false })
		},
		"give": func(rt *rapid.T) {
			s := one(open)
			update(s, affiliate.SaleUpdate{AffiliateID: affiliate.Set(m.people[1-s.owner].ID)})
			m.change(s, func() { s.owner, s.hand, s.declined, s.held = 1-s.owner, false, false, false; m.decide(s) })
		},
		"recalculate": func(*rapid.T) {
			scene.Must(m.w.Run(ctx, affiliate.RecalculateJob{}))
			for _, s := range m.sales {
				if open(s) && !s.hand && !s.held {
					m.change(s, func() { m.decide(s) })
				}
			}
		},
		"pay": func(*rapid.T) {
			for i, of := range m.people {
				if _, err := m.w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: of.ID}); err != nil {
					continue // nothing is due
				}
				for _, s := range m.sales {
					s.held = s.held || s.owner == i && !s.declined && s.earned > 0
				}
			}
		},
		"close": func(*rapid.T) {
			m.closed = monthOf(m.w.Now)
			scene.Must(m.w.Run(ctx, affiliate.CloseBooksJob{Until: m.closed}))
		},
		"days": func(rt *rapid.T) { m.w.Now = m.w.Now.AddDate(0, 0, rapid.IntRange(1, 20).Draw(rt, "days")) },
		"budgets": func(rt *rapid.T) {
			m.budgets = nil
			for _, b := range []affiliate.Budget{{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalMonth}, {Of: affiliate.BudgetOfAll}, {Of: affiliate.BudgetOfAffiliate}} {
				if rapid.Bool().Draw(rt, "there") {
					b.MaxCommission, b.Whole = cents(rapid.Int64Range(0, 700).Draw(rt, "most")), rapid.Bool().Draw(rt, "whole")
					if b.MaxRewards = rapid.Int64Range(0, 4).Draw(rt, "rewards"); b.MaxRewards == 0 && b.MaxCommission.IsZero() {
						b.MaxRewards = 1
					}
					m.budgets = append(m.budgets, b)
				}
			}
			scene.Must(m.w.SetTerms(ctx, affiliate.TermsUpdate{Budgets: affiliate.Set(m.budgets)}))
		},
		"": m.check,
	})
	m.w.Verifies()
}

// check compares what each sale earns, and what is used of each budget.
func (m *budgetModel) check(rt *rapid.T) {
	ctx := m.w.T.Context()
	want, got := map[string]string{}, map[string]string{}
	for _, s := range m.sales {
		name := fmt.Sprint("sale ", s.id)
		want[name] = cents(s.earned).String()
		got[name] = scene.Must(m.w.Sale(ctx, s.id)).CommissionEarned.String()
		for _, d := range s.draws {
			if sum, rewards := m.used(d.key, nil); rewards > 0 {
				want[d.key] = fmt.Sprintf("%v in %d", cents(sum), rewards)
			}
		}
	}
	for use, err := range affiliate.All(ctx, m.w.Budgets, affiliate.BudgetQuery{}) {
		if err != nil {
			rt.Fatal(err)
		}
		key := fmt.Sprint(use.Of, use.Per)
		if id, one := use.AffiliateID.Get(); one {
			key += fmt.Sprint(slices.IndexFunc(m.people, func(a affiliate.Affiliate) bool { return a.ID == id }))
		}
		if from, has := use.From.Get(); has {
			key += from.Time().Format("2006-01")
		}
		got[key] = fmt.Sprintf("%v in %d", use.Commission, use.Rewards)
	}
	if diff := differing(want, got); diff != "" {
		rt.Fatal(diff)
	}
}

func differing(want, got map[string]string) string {
	var all []string
	for k, v := range want {
		if got[k] != v {
			all = append(all, fmt.Sprintf("%s is %q, the model says %q", k, got[k], v))
		}
	}
	for k, v := range got {
		if want[k] == "" {
			all = append(all, fmt.Sprintf("%s is %q, the model has none", k, v))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
