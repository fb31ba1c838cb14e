package console

import (
	"net/http"
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
		return view{title: "What fits", template: "sum", Data: &d}, nil
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
	salesSum = addUp("sale", []string{"Total", "Refunded", "Commission"}, listedSales, func(s affiliate.Sale) []affiliate.Amount {
		return []affiliate.Amount{s.TotalEarned, s.RefundedAmount, s.CommissionEarned}
	})
	codesSum   = addUp("code", nil, listedCodes, func(affiliate.Code) []affiliate.Amount { return nil })
	payoutsSum = addUp("payout", []string{"Amount"}, listedPayouts,
		func(p affiliate.Payout) []affiliate.Amount { return []affiliate.Amount{p.Amount} })
)
