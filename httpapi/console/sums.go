package console

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// A sumSheet says how many rows of a list fit, and what they add up to.
type sumSheet struct {
	Noun  string
	Count int64
	Sums  []columnSum
}

// A columnSum is the sum of a column.
type columnSum struct {
	Name   string
	Amount affiliate.Amount
}

// A state is one of a list: its tab, the parameter that chooses it, and what it adds up to.
type state[S any] struct {
	name, param, value string // without a parameter: all
	sheet              func(*S) *sumSheet
}

// A tab is a state as the list shows it.
type tab struct {
	Name, To string
	Current  bool
	Sheet    *sumSheet // nil: it is not known
}

// Last is what a tab says beside the count: the last sum.
func (s *sumSheet) Last() affiliate.Amount { return s.Sums[len(s.Sums)-1].Amount }

// stated gives a list its tabs, and the sum of what fits. sums adds up what is in the states
// that the parameters choose, none: in all; nil: that would read it all. Only the state with the
// name of just is added up; empty: all are.
func stated[S any](v *view, states []state[S], just string, sums func(in url.Values) (S, error)) (err error) {
	var all S
	added := sums != nil && just == ""
	if added {
		if all, err = sums(nil); err != nil {
			return err
		}
	}
	asked, chosen := v.asked(), url.Values{}
	for _, st := range states {
		if asked.Get(st.param) != "" {
			chosen.Set(st.param, asked.Get(st.param))
		}
		asked.Del(st.param)
	}
	for _, st := range states {
		t, only := tab{Name: st.name}, url.Values{}
		if st.param != "" {
			only.Set(st.param, st.value)
		}
		switch {
		case added:
			t.Sheet = st.sheet(&all)
		case sums != nil && st.name == just:
			some, err := sums(only)
			if err != nil {
				return err
			}
			t.Sheet = st.sheet(&some)
		}
		if t.Current = only.Encode() == chosen.Encode(); t.Current {
			v.total = t.Sheet
		}
		maps.Copy(only, asked)
		t.To = "?" + only.Encode()
		v.Tabs = append(v.Tabs, t)
	}
	if v.total != nil || !added {
		return nil
	}
	fit, err := sums(chosen) // in several states at once
	v.total = states[0].sheet(&fit)
	return err
}

// Total is the sum of what fits; nil: it is not known.
func (v *view) Total() *sumSheet { return v.total }

// saleStates are the states of sales.
var saleStates = []state[affiliate.SaleSums]{
	{"All", "", "", func(s *affiliate.SaleSums) *sumSheet { return soldSheet(&s.All) }},
	{"On hold", paramApproval, "ON_HOLD", func(s *affiliate.SaleSums) *sumSheet { return soldSheet(&s.OnHold) }},
	{"Accepted", paramApproval, "ACCEPTED", func(s *affiliate.SaleSums) *sumSheet { return soldSheet(&s.Accepted) }},
	{"Declined", paramApproval, "DECLINED", func(s *affiliate.SaleSums) *sumSheet { return soldSheet(&s.Declined) }},
	{"Active", "status", "ACTIVE", func(s *affiliate.SaleSums) *sumSheet { return soldSheet(&s.Active) }},
	{"Refunded", "status", "REFUNDED", func(s *affiliate.SaleSums) *sumSheet { return soldSheet(&s.Refunded) }},
}

// payoutStates are the states of payouts.
var payoutStates = []state[affiliate.PayoutSums]{
	{"All", "", "", func(s *affiliate.PayoutSums) *sumSheet { return paidSheet(&s.All) }},
	{"Pending", "status", "PENDING", func(s *affiliate.PayoutSums) *sumSheet { return paidSheet(&s.Pending) }},
	{"Processing", "status", "PROCESSING", func(s *affiliate.PayoutSums) *sumSheet { return paidSheet(&s.Processing) }},
	{"Paid", "status", "PAID", func(s *affiliate.PayoutSums) *sumSheet { return paidSheet(&s.Paid) }},
	{"Failed", "status", "FAILED", func(s *affiliate.PayoutSums) *sumSheet { return paidSheet(&s.Failed) }},
	{"Canceled", "status", "CANCELED", func(s *affiliate.PayoutSums) *sumSheet { return paidSheet(&s.Canceled) }},
	{"Returned", "status", "RETURNED", func(s *affiliate.PayoutSums) *sumSheet { return paidSheet(&s.Returned) }},
}

func paidSheet(s *affiliate.PayoutSum) *sumSheet {
	return &sumSheet{"payout", s.Count, []columnSum{{"Amount", s.Amount}}}
}

func soldSheet(s *affiliate.SaleSum) *sumSheet {
	return &sumSheet{"sale", s.Count, []columnSum{{"Total", s.TotalEarned}, {"Refunded", s.RefundedAmount},
		{"Commission", s.CommissionEarned}}}
}

// addUp returns a page that reads all rows that fit what a list was asked, in pieces, as its file does.
func addUp[T any](noun string, names []string, list listing[T],
	amounts func(T) []affiliate.Amount) func(*visit) (view, error) {
	return func(v *visit) (view, error) {
		_ = http.NewResponseController(v.W).SetWriteDeadline(time.Time{}) // not every server can, and a long list takes long
		next, err := list(v)
		if err != nil {
			return view{}, err
		}
		d := sumSheet{Noun: noun}
		for _, name := range names {
			d.Sums = append(d.Sums, columnSum{Name: name})
		}
		for item, err := range affiliate.Each(page.FilePage, next) {
			if err != nil {
				return view{}, err
			}
			d.Count++
			for i, amount := range amounts(item) {
				if d.Sums[i].Amount, err = d.Sums[i].Amount.Add(amount); err != nil {
					return view{}, err
				}
			}
		}
		return view{title: "Totals", template: "sum", Data: &d}, nil
	}
}

// List returns where the list is that was added up.
func (v *view) List() string { return v.Root + strings.TrimSuffix(v.Path, "/sum") + v.question() }

// Sum returns where what fits is counted and added up.
func (v *view) Sum() string { return v.Path + "/sum" + v.question() }

// The lists that are added up.
var (
	affiliatesSum = addUp("affiliate", []string{"Revenue", "Commission"}, listedAffiliates, func(a affiliate.Affiliate) []affiliate.Amount {
		return []affiliate.Amount{a.TotalRevenue, a.TotalCommissionEarned}
	})
	customersSum = addUp("customer", []string{"Revenue", "Commission"}, listedCustomers, func(r affiliate.Referral) []affiliate.Amount {
		return []affiliate.Amount{r.TotalRevenue, r.TotalCommission}
	})
	codesSum = addUp("code", nil, listedCodes, func(affiliate.Code) []affiliate.Amount { return nil })
)
