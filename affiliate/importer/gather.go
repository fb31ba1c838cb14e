package importer

import (
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// paidSales collects the commissions that a service reports as paid, or as going
// to be, without a payout: they get one payout for each affiliate and calendar
// month. It keeps only their ids.
type paidSales struct {
	service string
	groups  map[paidGroup]*paidList
	listed  map[[16]byte]bool // in a payout of the service
}

// A paidGroup identifies one of these payouts.
type paidGroup struct {
	affiliate string // as the service names it
	month     string // such as 2026-05; empty: going to be paid
	payout    string // the service's id of the payout, if a row says it
	currency  affiliate.Currency
}

// A paidList holds the entries of a payout. The ids are in one text, each with
// its amount.
type paidList struct {
	ids  []byte
	last time.Time // when the last of them was paid
}

// add adds a commission. A zero time means that it is going to be paid.
func (p *paidSales) add(g paidGroup, ref string, amount affiliate.Amount, at time.Time, loc *time.Location) {
	if !at.IsZero() && g.payout == "" {
		g.month = at.In(loc).Format("2006-01")
	}
	if p.groups == nil {
		p.groups = make(map[paidGroup]*paidList)
	}
	list := p.groups[g]
	if list == nil {
		list = &paidList{}
		p.groups[g] = list
	}
	list.ids = append(list.ids, ref...)
	list.ids = append(list.ids, '\n')
	list.ids = append(list.ids, amount.String()...)
	list.ids = append(list.ids, '\n')
	if at.After(list.last) {
		list.last = at
	}
}

// list records that a payout of the service has a commission.
func (p *paidSales) list(ref string) {
	if p.listed == nil {
		p.listed = make(map[[16]byte]bool)
	}
	p.listed[shortOf(ref)] = true
}

// each yields the payouts, in the order of their refs.
func (p *paidSales) each(file string, give func(Row, error) bool) {
	groups := make([]paidGroup, 0, len(p.groups))
	for g := range p.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b paidGroup) int { return strings.Compare(a.ref(p.service), b.ref(p.service)) })
	for _, g := range groups {
		row := Row{File: file, Ref: g.ref(p.service)}
		payout, bad := p.payout(g)
		if len(payout.Sales) == 0 {
			continue
		}
		row.Item = payout
		var err error
		if bad != nil {
			err = bad
		}
		if !give(row, err) {
			return
		}
	}
}

// ref returns the ref of a payout.
func (g paidGroup) ref(service string) string {
	switch {
	case g.payout != "":
		return service + ":payout:" + g.payout
	case g.month == "":
		return service + ":pending:" + g.affiliate + ":" + string(g.currency)
	}
	return service + ":paid:" + g.affiliate + ":" + g.month + ":" + string(g.currency)
}

// payout returns a group as a payout.
func (p *paidSales) payout(g paidGroup) (Payout, *affiliate.Error) {
	list := p.groups[g]
	out := Payout{Currency: g.currency, Gathered: true}
	out.PaidAt = list.last
	out.ExternalID = g.payout
	lines := strings.Split(string(list.ids), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		if p.listed[shortOf(lines[i])] {
			continue
		}
		sum, err := out.Amount.Add(affiliate.MustAmount(lines[i+1]))
		if err != nil {
			return out, refusal.FieldTooLarge.Of("amount")
		}
		out.Amount = sum
		out.Sales = append(out.Sales, lines[i])
	}
	return out, nil
}
