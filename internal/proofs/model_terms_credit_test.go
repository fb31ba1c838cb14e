package proofs_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Whom an order of the model credits: docs/rules.md 5.8.

// A termsClick is a click of a visitor.
type termsClick struct {
	id      affiliate.ClickID
	of      *termsPayee
	at      time.Time
	earlier *termsClick
}

// A termsOrder says whom an order names.
type termsOrder struct {
	code  *termsCode
	click *termsClick
	slug  *termsPayee
}

// visit lets a visitor follow a link. Not every page knows the click before.
func (m *termsModel) visit(rt *rapid.T) {
	i := rapid.IntRange(0, len(m.visitors)-1).Draw(rt, "visitor")
	c := &termsClick{of: choose(rt, "affiliate", m.people...), at: m.w.Now}
	in := affiliate.ClickParams{Slug: c.of.slug}
	if n := len(m.visitors[i]); n > 0 && !maybe(rt, "as if new", 5) {
		c.earlier = m.visitors[i][n-1]
		in.Earlier = c.earlier.id
	}
	c.id = scene.Must(m.w.TrackClick(rt.Context(), in)).ID
	m.visitors[i] = append(m.visitors[i], c)
}

// fresh says whether a click may credit an order of this time.
func (m *termsModel) fresh(c *termsClick, at time.Time) bool { return !at.After(c.at.Add(m.window)) }

// credits says whom an order of a customer credits, and by what; nil: nobody.
func (m *termsModel) credits(o *termsOrder, customer string, at time.Time) (*termsPayee, affiliate.CreditedBy) {
	var named *termsPayee
	var by affiliate.CreditedBy
	switch {
	case o.click != nil && m.fresh(o.click, at):
		first := o.click
		for m.credit.Touch == affiliate.TouchFirst && first.earlier != nil && m.fresh(first.earlier, at) {
			first = first.earlier
		}
		if named, by = first.of, affiliate.CreditClick; first != o.click {
			by = affiliate.CreditFirstClick
		}
	case o.slug != nil:
		named, by = o.slug, affiliate.CreditLink
	}
	known := m.customers[customer]
	if known != nil && (named == nil || m.credit.Customer == affiliate.CreditKeptCustomer) {
		if by = affiliate.CreditEmail; named != nil || o.code != nil {
			by = affiliate.CreditCustomer
		}
		if named = known.of; o.code == nil || m.credit.Customer == affiliate.CreditKeptCustomer || m.credit.Code == affiliate.CodeUnbrought {
			return named, by
		}
	}
	switch {
	case o.code == nil:
		return named, by
	case named != nil && m.credit.Code == affiliate.CodeUnbrought:
		return named, affiliate.CreditBrought
	}
	return o.code.owner, affiliate.CreditCode
}

// drawOrder draws whom an order names, so that somebody is credited.
func (m *termsModel) drawOrder(rt *rapid.T, customer string, at time.Time) (o termsOrder, referral string) {
	if customer == "" || rapid.Bool().Draw(rt, "by code") {
		o.code = choose(rt, "code", m.codes...)
	}
	switch choose(rt, "names", "nobody", "a slug", "a click") {
	case "a slug":
		o.slug = choose(rt, "affiliate", m.people...)
	case "a click":
		if clicks := m.visitors[rapid.IntRange(0, len(m.visitors)-1).Draw(rt, "visitor")]; len(clicks) > 0 {
			o.click = choose(rt, "click", clicks...)
		}
	}
	if customer == "" {
		o.slug, o.click = nil, nil
	}
	if who, _ := m.credits(&o, customer, at); who == nil {
		o.click, o.slug = nil, m.people[0]
	}
	switch {
	case o.click != nil:
		return o, fmt.Sprint(o.click.id)
	case o.slug != nil:
		return o, o.slug.slug
	}
	return o, ""
}

// drawAttribution draws the choices of a program.
func drawAttribution(rt *rapid.T) affiliate.Attribution {
	return affiliate.Attribution{
		Touch: choose(rt, "touch", "", affiliate.TouchFirst), Customer: choose(rt, "customer", "", affiliate.CreditKeptCustomer),
		Code: choose(rt, "code", "", affiliate.CodeUnbrought),
	}
}
