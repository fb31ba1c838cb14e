package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/demo"
)

// The part of the report about sales: who brought them, by which codes, and what
// was refused.

// An account is the sum of an affiliate's sales.
type account struct {
	sales                         int
	revenue, refunded, commission affiliate.Amount
}

func (a *account) add(sale affiliate.Sale) error {
	a.sales++
	return errors.Join(
		sum(&a.revenue, sale.TotalEarned), sum(&a.refunded, sale.RefundedAmount),
		sum(&a.commission, sale.CommissionEarned),
	)
}

// cells returns the account as it is printed.
func (a *account) cells() []string {
	return []string{fmt.Sprint(a.sales), money(a.revenue), money(a.refunded), money(a.commission)}
}

// accounts reads every sale once. It returns an account for each affiliate, and
// one for all of them under the zero id.
func (s *books) accounts(ctx context.Context) (map[uuid.UUID]*account, error) {
	accounts := map[uuid.UUID]*account{uuid.Nil: {}}
	for sale, err := range affiliate.All(ctx, s.Sales, affiliate.SaleQuery{}) {
		if err != nil {
			return nil, err
		}
		if accounts[sale.AffiliateID] == nil {
			accounts[sale.AffiliateID] = new(account)
		}
		if err := errors.Join(accounts[sale.AffiliateID].add(sale), accounts[uuid.Nil].add(sale)); err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// printAffiliates prints the affiliates with what they brought, largest kept
// revenue first. The column of revenue is gross; the commission follows the kept
// revenue.
func (s *books) printAffiliates(ctx context.Context, w io.Writer) error {
	accounts, err := s.accounts(ctx)
	if err != nil {
		return err
	}
	all, err := s.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{})
	if err != nil {
		return err
	}
	slices.SortFunc(all.Items, func(a, b affiliate.Affiliate) int {
		return cmp.Or(b.TotalRevenue.Cmp(a.TotalRevenue), strings.Compare(a.Name, b.Name))
	})
	rows := [][]string{{"Affiliate", "Status", ">Clicks", ">Referrals", ">Sales", ">Revenue",
		">Refunded", ">Commission"}}
	var clicks, referrals int64
	for _, aff := range all.Items {
		acc := cmp.Or(accounts[aff.ID], new(account))
		clicks, referrals = clicks+aff.NumberOfClicks, referrals+aff.NumberOfReferredUsers
		rows = append(rows, append([]string{
			aff.Name, string(aff.Status), fmt.Sprint(aff.NumberOfClicks), fmt.Sprint(aff.NumberOfReferredUsers),
		}, acc.cells()...))
	}
	last := []string{"all", "", fmt.Sprint(clicks), fmt.Sprint(referrals)}
	table(w, "What the affiliates brought. Commission is earned on what was not refunded.",
		append(rows, append(last, accounts[uuid.Nil].cells()...)))
	return nil
}

// printRules prints what the rules of the program decided about lines of sales. A sale that
// names one product is one line.
func (s *books) printRules(ctx context.Context, w io.Writer) error {
	lines, amounts := map[string]int{}, map[string]affiliate.Amount{}
	for sale, err := range affiliate.All(ctx, s.Sales, affiliate.SaleQuery{}) {
		if err != nil {
			return err
		}
		for _, line := range sale.Lines {
			rule := line.Rule.Or("")
			amount := amounts[rule]
			if err := sum(&amount, line.Amount); err != nil {
				return err
			}
			lines[rule]++
			amounts[rule] = amount
		}
	}
	rows := [][]string{{"Rule", "Pays", ">Lines", ">Amount"}}
	for _, rule := range s.Config().Terms.Rules {
		pays := rule.Pay.Rate.String() + " %"
		if rule.Pay.Type == affiliate.RuleNone {
			pays = "nothing"
		}
		rows = append(rows, []string{rule.Name, pays, fmt.Sprint(lines[rule.Name]), money(amounts[rule.Name])})
	}
	table(w,
		"Rules: which lines earn another commission than the rate of the affiliate, the plan or the program.",
		rows)
	return nil
}

func (s *books) printCoupons(ctx context.Context, w io.Writer) error {
	all, err := s.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})
	if err != nil {
		return err
	}
	rows := [][]string{{"Coupon", ">Discount", ">Codes", ">Redeemed", ">Limit", "State"}}
	for _, c := range slices.Backward(all.Items) {
		discount := c.PercentOff.Or(affiliate.Percent{}).String() + " %"
		if off, flat := c.AmountOff.Get(); flat {
			discount = money(off)
		}
		rows = append(rows, []string{
			c.Name, discount, fmt.Sprint(len(c.PromotionalCodes)), fmt.Sprint(c.TimesRedeemed),
			limit(c.MaxRedemptions), s.state(c.Valid, c.RedeemBy, c.MaxRedemptions, c.TimesRedeemed),
		})
	}
	table(w, "Coupons: the discounts, each with the limit that its codes share.", rows)
	return nil
}

func (s *books) printCodes(ctx context.Context, w io.Writer) error {
	all, err := s.Codes(ctx, affiliate.CodeQuery{}, affiliate.Page{})
	if err != nil {
		return err
	}
	rows := [][]string{{"Code", "Coupon", "Affiliate", ">Redeemed", ">Limit", "State"}}
	for _, c := range slices.Backward(all.Items) {
		var coupon, owner string
		if parent, ok := c.Coupon.Get(); ok {
			coupon = parent.Name
		}
		if aff, ok := c.Affiliate.Get(); ok {
			owner = aff.FirstName + " " + aff.LastName
		}
		rows = append(rows, []string{
			c.Code, coupon, owner, fmt.Sprint(c.TimesRedeemed), limit(c.MaxRedemptions),
			s.state(c.Active, c.ExpiresAt, c.MaxRedemptions, c.TimesRedeemed),
		})
	}
	table(w, "Codes: what customers type. A sale by a code is credited to its affiliate.", rows)
	return nil
}

// state returns why a coupon or a code cannot be redeemed.
func (s *books) state(on bool, until affiliate.Opt[affiliate.Time], limit affiliate.Opt[int64], used int64) string {
	if !on {
		return "stopped"
	}
	if t, ok := until.Get(); ok && s.Now.After(t.Time()) {
		return "expired"
	}
	if n, ok := limit.Get(); ok && used >= n {
		return "used up"
	}
	return "open"
}

func limit(n affiliate.Opt[int64]) string {
	if max, ok := n.Get(); ok {
		return fmt.Sprint(max)
	}
	return "-"
}

// printOutcomes prints the results of the rows that customers caused.
func (s *books) printOutcomes(_ context.Context, w io.Writer) error {
	rows := [][]string{{"Row", "Outcome", ">Rows"}}
	for _, k := range demo.Kinds() {
		for _, o := range slices.SortedFunc(maps.Keys(s.Outcomes), byResult) {
			if o.Kind == k.Name {
				rows = append(rows, []string{o.Kind, o.Result, fmt.Sprint(s.Outcomes[o])})
			}
		}
	}
	table(w, "What became of the rows that customers caused.", rows)
	return nil
}

// byResult sorts recorded rows first and refused rows last.
func byResult(a, b demo.Outcome) int {
	rank := map[string]int{"recorded": -1, "refused": 1}
	return cmp.Or(cmp.Compare(rank[a.Result], rank[b.Result]), strings.Compare(a.Result, b.Result))
}

// printRefused prints the rules that refused rows, in the order in which the
// rules of a code are checked.
func (s *books) printRefused(_ context.Context, w io.Writer) error {
	texts := tributary.Refusals()
	rank := func(rule demo.Refusal) uint { // of a rule that is not in the table: the highest
		return uint(slices.IndexFunc(texts, func(e *affiliate.Error) bool { return e.Reason == rule.Reason }))
	}
	rules := slices.SortedFunc(maps.Keys(s.Refused), func(a, b demo.Refusal) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Text, b.Text))
	})
	rows := [][]string{{"Refused", ">Rows", "Text"}}
	for _, rule := range rules {
		rows = append(rows, []string{string(rule.Reason), fmt.Sprint(s.Refused[rule]), rule.Text})
	}
	table(w, "Why rows were refused. A refused row changes nothing.", rows)
	return nil
}

func (s *books) printEvents(ctx context.Context, w io.Writer) error {
	counts, total := map[affiliate.EventType]int{}, 0
	for e, err := range affiliate.All(ctx, s.Events, affiliate.EventQuery{}) {
		if err != nil {
			return err
		}
		counts[e.Type]++
		total++
	}
	rows := [][]string{{"Event", ">Fired"}}
	for _, typ := range affiliate.EventTypes() {
		rows = append(rows, []string{string(typ), fmt.Sprint(counts[typ])})
	}
	table(w, "Events: what a webhook endpoint would have received.", append(rows, []string{"all", fmt.Sprint(total)}))
	return nil
}
