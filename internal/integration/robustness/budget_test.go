package robustness

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A spending is the trade of budgets: two affiliates, whose sales share what everybody may earn and
// have so many rewards each, and give back what they took.
type spending struct{ people [2]uuid.UUID }

const (
	budgetOrders = 12
	mostOfAll    = 45 // dollars that everybody may earn
	mostOfEach   = 4  // rewards of each
)

type spendVerb uint8

const (
	buy spendVerb = iota
	undo
	readSpent
	readOrder
)

// A spendIn is one call about an order, which is always of the same affiliate.
type spendIn struct {
	verb  spendVerb
	order int
	wants int64 // dollars
}

// A spendOut is its answer.
type spendOut struct {
	fate
	repeat  bool
	earned  int64
	spent   int64 // by everybody
	rewards [2]int64
}

func (*spending) name(order int) string { return fmt.Sprint("order-", order) }

func (s *spending) open(ctx context.Context, ops api.Operations) error {
	for i := range s.people {
		one, err := ops.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: emailText(i + 1), AffiliateLink: slugText(i+1, false)})
		if s.people[i] = one.ID; err != nil {
			return err
		}
	}
	_, err := ops.SetTerms(ctx, affiliate.TermsUpdate{
		Rate: affiliate.Set(affiliate.MustPercent("10")),
		Budgets: affiliate.Set([]affiliate.Budget{
			{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalYear, MaxRewards: mostOfEach},
			{Of: affiliate.BudgetOfAll, MaxCommission: dollars(mostOfAll)},
		}),
	})
	return err
}

func dollars(n int64) affiliate.Amount { return affiliate.AmountFromScaled(n * 10_000) }

func (s *spending) call(ctx context.Context, ops api.Operations, r *rand.Rand, _ turn) (any, outputOfCall, bool) {
	in := spendIn{order: r.IntN(budgetOrders), wants: 1 + r.Int64N(12)}
	for _, v := range []struct {
		verb  spendVerb
		share int
	}{{buy, 45}, {undo, 35}, {readSpent, 50}, {readOrder, 100}} {
		if in.verb = v.verb; r.IntN(100) < v.share {
			break
		}
	}
	return in, s.do(ctx, ops, in), in.verb >= readSpent
}

func (s *spending) do(ctx context.Context, ops api.Operations, in spendIn) (out spendOut) {
	order := s.name(in.order)
	switch in.verb {
	case buy:
		got, err := ops.RecordSale(ctx, affiliate.SaleParams{
			ReferralID: s.people[in.order%2].String(), ExternalID: order, Email: order + "@example.net", Name: "N", TotalEarned: dollars(10 * in.wants),
		})
		sale := got.Sale.Or(affiliate.Sale{})
		out.fate, out.repeat, out.earned = fateOf(err), got.Outcome == affiliate.SaleDuplicate, sale.CommissionEarned.Scaled()/10_000
		out.limit = err == nil && !out.repeat && out.earned < in.wants
	case undo:
		_, err := ops.ReverseSale(ctx, affiliate.SaleRef{ExternalID: order}, affiliate.Reversal{})
		out.fate = fateOf(err)
	case readSpent:
		got, err := ops.Budgets(ctx, affiliate.BudgetQuery{}, affiliate.Page{})
		out.fate = fateOf(err)
		for _, use := range got.Items {
			if use.AffiliateID.IsNull() {
				out.spent = use.Commission.Scaled() / 10_000
			}
			for i, id := range s.people {
				if use.AffiliateID == affiliate.Set(id) {
					out.rewards[i] = use.Rewards
				}
			}
		}
	case readOrder:
		got, err := ops.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set(order)}, affiliate.Page{})
		out.fate = fateOf(err)
		for _, sale := range got.Items {
			out.repeat, out.earned = true, sale.CommissionEarned.Scaled()/10_000
		}
	}
	return out
}

// A spendState has what each order earned; -1: there is none. It is compared with ==.
type spendState struct{ orders [budgetOrders]int64 }

func (*spending) initial() any {
	var s spendState
	for i := range s.orders {
		s.orders[i] = -1
	}
	return s
}

// used adds up what orders took.
func (s *spendState) used() (spent int64, rewards [2]int64) {
	for i, earned := range s.orders {
		if earned > 0 {
			spent += earned
			rewards[i%2]++
		}
	}
	return spent, rewards
}

func (*spending) step(state, input, output any) []any {
	return steps(state.(spendState), output.(spendOut), func(s *spendState, out *spendOut) bool {
		want := s.apply(input.(spendIn))
		if out == nil {
			return true
		}
		want.fate.limit = out.limit
		return *out == want
	})
}

// apply does a call to the state and returns its answer.
func (s *spendState) apply(in spendIn) (out spendOut) {
	at := &s.orders[in.order]
	spent, rewards := s.used()
	switch in.verb {
	case buy:
		if *at >= 0 {
			return spendOut{repeat: true}
		}
		if *at = min(in.wants, mostOfAll-spent); rewards[in.order%2] == mostOfEach {
			*at = 0
		}
		out.earned = *at
	case undo:
		if *at < 0 {
			return spendOut{fate: fate{why: notFound}}
		}
		*at = -1
	case readSpent:
		out.spent, out.rewards = spent, rewards
	case readOrder:
		if *at >= 0 {
			out.repeat, out.earned = true, *at
		}
	}
	return out
}
