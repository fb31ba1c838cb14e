package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate/demo"
)

// TestTotals counts the year again, from the CSV alone and with rules in their
// simplest form, and compares the report with its totals.
func TestTotals(t *testing.T) {
	c := newCounter()
	c.read(t)
	year := report(t)

	got := map[string]string{}
	for name := range c.want() {
		if m := regexp.MustCompile(`(?m)^` + name.pattern + `$`).FindStringSubmatch(year); m != nil {
			got[name.what] = strings.Join(m[1:], " ")
		}
	}
	want := map[string]string{}
	for name, value := range c.want() {
		want[name.what] = value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the report differs from the file (-file +report):\n%s", diff)
	}
}

// A counter is a naive model of the shop. It counts cents and searches lists
// from end to end.
type counter struct {
	affiliates []*person
	customers  map[string]*buyer // by email
	links      map[string]*person
	coupons    map[string]*discount
	codes      map[string]*voucher
	sales      []*payment
	results    map[string]int // "order recorded", "code_expired"
	plans      map[string]terms
	runs       []*payoutLot
	changes    []string // claw-backs and adjustments as the report prints them
	tiers      []tier
	welcomed   map[string]*person // who got a welcome, by their own id
	last       time.Time
}

type person struct {
	name, email, status, plan string
	id                        string // as a customer
	clicks, rate, tier        int
	friends                   int // for whom there is a bonus
	payee                     bool
	volume                    []line // what was sold and what went back, when
	adjustments               []*entry
	lines                     []line
}

type buyer struct {
	of       *person
	id       string
	since    time.Time
	declined bool
}

type discount struct {
	until       string
	products    []string
	limit, used int
	stopped     bool
}

type voucher struct {
	text, until, currency, customer string
	of                              *discount
	owner                           *person
	limit, used, minimum            int
	first, own, stopped             bool
}

type payment struct {
	at                    time.Time
	id, email             string
	of                    *person
	cents, base, refunded int
	lines                 []soldLine
	terms                 terms
	most                  int // what a budget left of its commission
	refunds               []string
	entries               []*entry
}

// A soldLine is a line of a sale, and what decides about it.
type soldLine struct {
	product, rule string
	cents, rate   int
}

// linesOf are the lines of an order. One without is a line of all that it sells.
func linesOf(v map[string]string, base int) (all []soldLine) {
	if v["lines"] == "" {
		return []soldLine{{product: v["product"], cents: base}}
	}
	for part := range strings.SplitSeq(v["lines"], "|") {
		product, amount, _ := strings.Cut(part, ":")
		all = append(all, soldLine{product: product, cents: cents(amount)})
	}
	return all
}

func newCounter() *counter {
	return &counter{
		customers: map[string]*buyer{}, links: map[string]*person{}, coupons: map[string]*discount{},
		codes: map[string]*voucher{}, results: map[string]int{}, welcomed: map[string]*person{},
		plans: map[string]terms{"": {rate: 1200, days: 30}},
	}
}

func (c *counter) read(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(demo.Year)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		v := map[string]string{}
		for i, name := range rows[0] {
			v[name] = row[i]
		}
		for option := range strings.FieldsSeq(v["options"]) {
			name, value, _ := strings.Cut(option, "=")
			v[name] = value
		}
		at, err := time.Parse(time.RFC3339, v["at"])
		if err != nil || strings.Contains(v["amount"], ",") {
			continue
		}
		c.last = at
		if result := c.row(v["kind"], v, at); result != "" {
			c.results[v["kind"]+" "+result]++
		}
	}
}

func (c *counter) row(kind string, v map[string]string, at time.Time) (result string) {
	switch kind {
	case "plan":
		c.plans[v["name"]] = termsOf(v)
	case "tier":
		c.tiers = append(c.tiers, tier{v["name"], cents(v["amount"]), cents(v["percent"])})
	case "rewards":
		c.assign(at)
		c.grant(at)
	case "affiliate":
		c.join(v)
	case "affiliate-payee":
		c.person(v["email"]).payee = true
	case "affiliate-plan":
		c.person(v["email"]).plan = v["name"]
	case "affiliate-status":
		c.person(v["email"]).status = strings.ToUpper(strings.Replace(v["status"], "approved", "active", 1))
	case "affiliate-delete":
		c.leave(c.person(v["email"]), at)
	case "link":
		c.links[v["link"]] = c.person(v["email"])
	case "link-delete":
		delete(c.links, v["link"])
	case "coupon":
		c.coupons[v["name"]] = &discount{until: v["until"], limit: whole(v["limit"])}
		if v["products"] != "" {
			c.coupons[v["name"]].products = strings.Split(v["products"], "|")
		}
	case "coupon-change":
		c.coupons[v["name"]].stopped = v["valid"] == "no"
	case "coupon-delete":
		for key, code := range c.codes {
			if code.of == c.coupons[v["name"]] {
				delete(c.codes, key)
			}
		}
		delete(c.coupons, v["name"])
	case "code":
		if key := strings.ToUpper(v["code"]); c.codes[key] == nil {
			c.codes[key] = &voucher{
				text: v["code"], until: v["until"], currency: v["currency"], customer: v["customer"], of: c.coupons[v["name"]],
				owner: c.person(v["email"]), limit: whole(v["limit"]), minimum: cents(v["minimum"]),
				first: v["first"] == "yes", own: v["own"] == "yes",
			}
		}
	case "code-change":
		code := c.codes[v["code"]]
		code.stopped = code.stopped || v["active"] == "no"
		code.limit = max(code.limit, whole(v["limit"]))
	case "code-delete":
		delete(c.codes, v["code"])
	case "click":
		owner := c.links[v["link"]]
		if owner == nil {
			return "unknown link"
		}
		owner.clicks++
		return "recorded"
	case "referral":
		c.know(v["email"], v["id"], c.links[v["link"]], at)
		return "recorded"
	case "customer-status":
		if buyer := c.customers[v["email"]]; buyer != nil {
			buyer.declined = v["status"] == "DECLINED"
		}
	case "referral-delete":
		c.forget(v["email"], at)
	case "hold":
		return "recorded" // it changes no total
	case "order", "renewal":
		return c.buy(v, at)
	case "refund", "chargeback":
		return c.refund(v, at, kind == "chargeback")
	case "chargeback-won":
		return c.winBack(v["id"], at)
	case "cancel":
		return c.cancel(v["id"], at)
	case "bonus":
		c.adjust(c.person(v["email"]), at, cents(v["amount"]), "bonus", "", v["name"])
	case "payout":
		return c.payOne(v, at)
	case "payout-run":
		c.payAll(v, at)
	case "payout-paid", "payout-failed", "payout-canceled":
		c.settle(strings.TrimPrefix(kind, "payout-"), v, at)
	}
	return ""
}

func (c *counter) join(v map[string]string) {
	slug := v["link"]
	if slug == "" {
		slug, _, _ = strings.Cut(v["email"], "@")
	}
	taken := c.links[strings.ToLower(slug)] != nil || c.person(strings.ToLower(v["email"])) != nil
	if taken || strings.Contains(slug, "_") {
		return
	}
	p := &person{id: v["id"], name: v["name"], email: v["email"], status: "ACTIVE", rate: cents(v["percent"])}
	if v["status"] == "pending" {
		p.status = "INACTIVE"
	}
	c.affiliates = append(c.affiliates, p)
	c.links[slug] = p
}

// leave removes an affiliate with everything that belongs to it, unless a part
// of it is in a payout.
func (c *counter) leave(p *person, at time.Time) {
	if !c.drop(func(sale *payment) bool { return sale.of == p }, at) {
		return
	}
	c.affiliates = slices.DeleteFunc(c.affiliates, func(q *person) bool { return p == q })
	for email, buyer := range c.customers {
		if buyer.of == p {
			delete(c.customers, email)
		}
	}
	for slug, owner := range c.links {
		if owner == p {
			delete(c.links, slug)
		}
	}
	for _, code := range c.codes {
		if code.owner == p {
			code.owner = nil
		}
	}
}

func (c *counter) forget(email string, at time.Time) {
	if c.drop(func(sale *payment) bool { return sale.email == email }, at) {
		delete(c.customers, email)
	}
}

// drop removes sales, unless one of them is in a payout.
func (c *counter) drop(which func(*payment) bool, at time.Time) bool {
	for _, sale := range c.sales {
		if which(sale) && sale.gathered() {
			return false
		}
	}
	c.sales = slices.DeleteFunc(c.sales, func(sale *payment) bool {
		if which(sale) {
			sale.of.note(at, "deletion", sale.id, -sale.earned())
			sale.of.volume = append(sale.of.volume, line{at: at, cents: sale.refunded - sale.cents})
		}
		return which(sale)
	})
	return true
}

func (c *counter) person(email string) *person {
	for _, p := range c.affiliates {
		if p.email == email {
			return p
		}
	}
	return nil
}

func (c *counter) know(email, id string, of *person, at time.Time) {
	if email != "" && c.customers[email] == nil {
		c.customers[email] = &buyer{of: of, id: id, since: at}
	}
}

func (c *counter) sale(id string) *payment {
	for _, sale := range c.sales {
		if sale.id == id {
			return sale
		}
	}
	return nil
}

func (c *counter) buy(v map[string]string, at time.Time) string {
	if c.sale(v["id"]) != nil {
		return "duplicate"
	}
	buyer, owner := c.customers[v["email"]], c.links[v["link"]]
	code := c.codes[strings.ToUpper(v["code"])]
	if v["code"] != "" {
		if why := c.refusal(code, v, at); why != "" {
			c.results[why]++
			return "refused"
		}
		owner = code.owner
	}
	if owner == nil && buyer != nil {
		owner = buyer.of
	}
	if owner == nil {
		return "unattributed"
	}
	if buyer != nil && buyer.declined {
		return "inactive-customer"
	}
	if code != nil {
		code.used++
		code.of.used++
	}
	c.know(v["email"], "", owner, at)
	sale := &payment{
		at: at, id: v["id"], email: v["email"], of: owner, cents: cents(v["amount"]),
		base: cents(v["amount"]) - cents(v["tax"]) - cents(v["shipping"]),
	}
	sale.lines = linesOf(v, sale.base)
	c.reward(sale, cents(v["percent"]))
	owner.volume = append(owner.volume, line{at: at, cents: sale.cents})
	c.sales = append(c.sales, sale)
	return "recorded"
}

// refusal returns the first rule of the code that the order fails.
func (c *counter) refusal(code *voucher, v map[string]string, at time.Time) string {
	if code == nil {
		return "code_not_found"
	}
	known, link := c.customers[v["email"]], c.links[v["link"]]
	ordered := slices.ContainsFunc(c.sales, func(sale *payment) bool {
		return sale.email == v["email"] && (sale.refunded == 0 || sale.refunded < sale.cents) // what went back whole was no order
	})
	over := func(day string) bool { return day != "" && at.Format(time.DateOnly) > day }
	for _, rule := range []struct {
		name  string
		fails bool
	}{
		{"code_inactive", code.stopped},
		{"coupon_invalid", code.of.stopped},
		{"code_expired", over(code.until)},
		{"coupon_expired", over(code.of.until)},
		{"code_exhausted", code.limit > 0 && code.used >= code.limit},
		{"coupon_exhausted", code.of.limit > 0 && code.of.used >= code.of.limit},
		{"code_unassigned", code.owner == nil},
		{"not_first_order", code.first && v["email"] != "" && ordered},
		{"below_minimum", code.currency == "" && cents(v["amount"]) < code.minimum},
		{"wrong_currency", code.currency != ""},
		{"wrong_affiliate", code.own && link != nil && link != code.owner},
		{"wrong_customer", code.customer != "" && v["email"] != "" && code.customer != v["email"] && (known == nil || known.id != code.customer)},
		{"wrong_product", code.of.products != nil && v["product"] != "" && !slices.Contains(code.of.products, v["product"])},
	} {
		if rule.fails {
			return rule.name
		}
	}
	return ""
}

// A claim is a line of the report: its subject and its pattern.
type claim struct{ what, pattern string }

// want returns the expected lines of the report.
func (c *counter) want() map[claim]string {
	want := map[claim]string{}
	var clicks, referrals, sales, revenue, refunded, commission int
	for _, p := range c.affiliates {
		var known, count, sum, back, earned int
		for _, buyer := range c.customers {
			if buyer.of == p {
				known++
			}
		}
		for _, sale := range c.sales {
			if sale.of == p {
				count, sum, back, earned = count+1, sum+sale.cents, back+sale.refunded, earned+sale.earned()
			}
		}
		want[claim{p.name, p.name + ` +(\w+) +(\d+) +(\d+) +(\d+) +(\S+) +(\S+) +(\S+)`}] =
			fmt.Sprintf("%s %d %d %d %s %s %s", p.status, p.clicks, known, count, dollars(sum), dollars(back), dollars(earned))
		clicks, referrals, sales = clicks+p.clicks, referrals+known, sales+count
		revenue, refunded, commission = revenue+sum, refunded+back, commission+earned
	}
	want[claim{"all", `all +(\d+) +(\d+) +(\d+) +(\S+) +(\S+) +(\S+)`}] =
		fmt.Sprintf("%d %d %d %s %s %s", clicks, referrals, sales, dollars(revenue), dollars(refunded), dollars(commission))
	for _, rule := range []string{"gift cards", "grinders", "later renewals"} {
		lines, amount := 0, 0
		for _, sale := range c.sales {
			for _, line := range sale.lines {
				if line.rule == rule {
					lines, amount = lines+1, amount+line.cents
				}
			}
		}
		want[claim{rule, rule + ` +(?:nothing|\d+ %) +(\d+) +(\S+)`}] = fmt.Sprintf("%d %s", lines, dollars(amount))
	}
	for name, coupon := range c.coupons {
		want[claim{name, name + ` +(?:\d+ %|\d+\.\d\d) +\d+ +(\d+) +(\S+)  .*`}] = fmt.Sprintf("%d %s", coupon.used, orDash(coupon.limit))
	}
	for _, code := range c.codes {
		want[claim{code.text, code.text + ` .* (\d+) +(\d+|-)  (?:open|stopped|expired|used up)`}] = fmt.Sprintf("%d %s", code.used, orDash(code.limit))
	}
	c.wantMoney(want)
	c.wantRewards(want)
	for result, n := range c.results {
		kind, outcome, found := strings.Cut(result, " ")
		if pattern := kind + ` +` + outcome + ` +(\d+)`; found {
			want[claim{result, pattern}] = strconv.Itoa(n)
			continue
		}
		want[claim{result, result + ` +(\d+) .*`}] = strconv.Itoa(n)
	}
	return want
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// cents reads 42.50, 42.5 and 42. An empty text is 0.
func cents(s string) int {
	units, rest, _ := strings.Cut(s, ".")
	return whole(units)*100 + whole((rest + "00")[:2])
}

func dollars(cents int) string {
	if cents < 0 {
		return "-" + dollars(-cents)
	}
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

func whole(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
