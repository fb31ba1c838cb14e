package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The naive model of what is owed after the sales, in cents.

// Terms are how a sale earns: rate is in hundredths of a percent, flat in cents.
type terms struct {
	rate, flat, months, days int
	hold                     bool
	monthly, friend, welcome int
}

func termsOf(v map[string]string) terms {
	return terms{cents(v["percent"]), cents(v["amount"]), whole(v["months"]), whole(v["days"]), v["hold"] == "yes",
		cents(v["monthly"]), cents(v["friend"]), cents(v["welcome"])}
}

// An entry is an amount that is owed for a sale, or an adjustment.
type entry struct {
	at, matures time.Time
	cents       int
	held, taken bool // taken: by a payout, also by one that was canceled
	in          *payout
}

type payout struct {
	of      *person
	cents   int
	state   string
	entries []*entry
}

// A payoutLot is a run, or one payout beside the runs.
type payoutLot struct {
	id      string
	at      time.Time
	payouts []*payout
	skipped map[string]int
}

// A line is a line of a person's statement.
type line struct {
	at          time.Time
	what, order string
	cents       int
}

// note notes what changed what is owed.
func (p *person) note(at time.Time, what, order string, cents int) {
	if cents != 0 {
		p.lines = append(p.lines, line{at, what, order, cents})
	}
}

// reward gives a new sale its commission.
func (c *counter) reward(sale *payment, own int) {
	sale.terms = c.plans[sale.of.plan]
	switch {
	case sale.terms.flat == 0 && own > 0:
		sale.terms.rate = own
	case sale.terms.flat == 0 && sale.of.rate > 0:
		sale.terms.rate = sale.of.rate
	case sale.terms.flat == 0 && sale.of.tier > 0:
		sale.terms.rate = sale.of.tier
	case own > 0:
		sale.terms.flat = own
	}
	c.rule(sale, own > 0 || sale.of.rate > 0 || sale.of.tier > 0)
	sale.most = sale.due()
	if buyer := c.customers[sale.email]; buyer != nil && sale.terms.months > 0 && sale.at.After(later(buyer.since, sale.terms.months)) {
		return // the plan pays nothing more for this customer
	}
	if most := sale.terms.monthly; most > 0 {
		earned, _ := c.inMonth(sale.of, sale.at)
		sale.most = min(sale.due(), most-earned)
	}
	e := &entry{at: sale.at, matures: sale.at.AddDate(0, 0, sale.terms.days), cents: sale.most}
	e.held = sale.terms.hold || sale.of.status == "DEACTIVATED" || sale.of.status == "BANNED"
	sale.entries = []*entry{e}
	sale.of.note(sale.at, "sale", sale.id, e.cents)
}

// rule lets the rules of the program decide about the lines of a new sale: special says that
// a rate of its own, or of the affiliate, is above them.
func (c *counter) rule(sale *payment, special bool) {
	nth := 1
	for _, other := range c.sales {
		if other.email == sale.email && other.refunded < other.cents {
			nth++
		}
	}
	for i := range sale.lines {
		line := &sale.lines[i]
		line.rate = sale.terms.rate
		switch {
		case sale.of.plan != "":
		case line.product == "gift-card":
			line.rule, line.rate = "gift cards", 0
		case special:
		case line.product == "grinder":
			line.rule, line.rate = "grinders", 600
		case line.product == "subscription" && nth >= 5:
			line.rule, line.rate = "later renewals", 800
		}
	}
}

// later is the same day so many months later, or the last one of that month.
func later(t time.Time, months int) time.Time {
	moved := t.AddDate(0, months, 0)
	if moved.Day() < t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// due is the commission on what is kept of a sale.
func (s *payment) due() int {
	kept := s.cents - s.refunded
	if s.terms.flat > 0 {
		return rounded(s.terms.flat*kept, s.cents)
	}
	earns := 0
	for _, line := range s.lines {
		earns += line.cents * line.rate
	}
	return rounded(earns*kept, 10_000*s.cents)
}

func rounded(a, b int) int { return (2*a + b) / (2 * b) }

func (s *payment) earned() (sum int) {
	for _, e := range s.entries {
		sum += e.cents
	}
	return sum
}

// gathered: a payout that was not canceled has a part of the commission.
func (s *payment) gathered() bool {
	return slices.ContainsFunc(s.entries, func(e *entry) bool { return e.in != nil })
}

// refund refunds a sale. A chargeback is a refund of all that is left, and has a
// fee.
func (c *counter) refund(v map[string]string, at time.Time, bank bool) string {
	sale := c.sale(v["id"])
	if sale == nil {
		return "no sale"
	}
	left := sale.cents - sale.refunded
	amount, fee := cents(v["amount"]), 0
	if v["amount"] == "" || bank {
		amount, fee = left, amount
	}
	refused := ""
	switch inPayout := sale.gathered() && v["clawback"] != "yes" && !bank; {
	case left == 0 || slices.Contains(sale.refunds, v["refund"]):
		if bank {
			c.results["adjustment_external_id_taken"]++
			c.results["chargeback refused"]++
		}
		return "already_refunded"
	case at.Sub(sale.at) > 60*24*time.Hour:
		refused = "outside_refund_window"
	case inPayout && slices.ContainsFunc(sale.entries, func(e *entry) bool { return e.in != nil && e.in.state == "paid" }):
		refused = "already_paid"
	case inPayout:
		refused = "included_in_payout_batch"
	case amount > left:
		refused = "refund_exceeds_sale"
	}
	if refused != "" {
		c.results[refused]++
		return "refused"
	}
	sale.refunded += amount
	sale.of.volume = append(sale.of.volume, line{at: at, cents: -amount})
	sale.refunds = append(sale.refunds, v["refund"])
	c.recount(sale, at)
	if fee > 0 {
		c.adjust(sale.of, at, -fee, "chargeback fee", sale.id, "The bank's fee")
	}
	if amount == left {
		return "refunded"
	}
	return "partially_refunded"
}

// recount changes the commission of a sale after a refund: what was taken by a
// payout stays, and a further entry makes up the difference.
func (c *counter) recount(sale *payment, at time.Time) {
	change := min(sale.due(), sale.most) - sale.earned()
	if len(sale.entries) == 0 || change == 0 {
		return
	}
	if slices.ContainsFunc(sale.entries, func(e *entry) bool { return e.taken }) {
		sale.entries = append(sale.entries, &entry{at: at, matures: at, cents: change, held: sale.entries[0].held})
		sale.of.note(at, "claw back", sale.id, change)
		c.changed(sale.of, at, change, "claw back", sale.id, "")
		return
	}
	sale.entries[0].cents += change
	sale.of.note(at, "refund", sale.id, change)
}

// winBack gives back what the last refund of a sale took, and its fee.
func (c *counter) winBack(id string, at time.Time) string {
	sale := c.sale(id)
	lost, fee := 0, 0
	for _, line := range sale.of.lines {
		switch {
		case line.order == id && line.what == "chargeback fee":
			fee = -line.cents
		case line.order == id && line.cents < 0:
			lost = -line.cents
		}
	}
	c.adjust(sale.of, at, lost, "dispute won", id, "The bank decided for us")
	c.adjust(sale.of, at, fee, "chargeback fee", id, "The bank gives its fee back")
	return "recorded"
}

func (c *counter) adjust(p *person, at time.Time, cents int, what, order, why string) {
	p.adjustments = append(p.adjustments, &entry{at: at, matures: at, cents: cents})
	p.note(at, what, order, cents)
	c.changed(p, at, cents, what, order, why)
}

// changed notes a row of the table of changes.
func (c *counter) changed(p *person, at time.Time, cents int, what, order, why string) {
	row := strings.Join([]string{what, at.UTC().Format(time.DateOnly), p.name, order, dollars(cents), why}, " ")
	c.changes = append(c.changes, strings.Join(strings.Fields(row), " "))
}

func (c *counter) cancel(id string, at time.Time) string {
	sale := c.sale(id)
	switch {
	case sale == nil:
		return "no sale"
	case !c.drop(func(s *payment) bool { return s == sale }, at):
		return "refused"
	}
	return "recorded"
}

// open returns what no payout has, accepted or held.
func (c *counter) open(p *person, held bool) (open []*entry) {
	for _, sale := range c.sales {
		if sale.of == p {
			open = append(open, sale.entries...)
		}
	}
	return slices.DeleteFunc(append(open, p.adjustments...), func(e *entry) bool { return e.in != nil || e.held != held || e.cents == 0 })
}

// due returns what a payout takes, and its sum: what has matured, and every debt.
func due(open []*entry, at time.Time) (taken []*entry, sum int) {
	for _, e := range open {
		if e.cents < 0 || !e.matures.After(at) {
			taken, sum = append(taken, e), sum+e.cents
		}
	}
	return taken, sum
}

func (r *payoutLot) pay(p *person, taken []*entry, sum int) {
	payout := &payout{of: p, cents: sum, state: "open", entries: taken}
	for _, e := range taken {
		e.in, e.taken = payout, true
	}
	r.payouts = append(r.payouts, payout)
}

func (c *counter) payOne(v map[string]string, at time.Time) string {
	p := c.person(v["email"])
	taken, sum := due(c.open(p, false), at)
	if sum <= 0 {
		c.results["nothing_payable"]++
		return "refused"
	}
	c.runs = append(c.runs, &payoutLot{id: v["id"], at: at})
	c.runs[len(c.runs)-1].pay(p, taken, sum)
	return ""
}

func (c *counter) payAll(v map[string]string, at time.Time) {
	r := &payoutLot{id: v["id"], at: at, skipped: map[string]int{}}
	c.runs = append(c.runs, r)
	for _, p := range c.affiliates {
		open, held := c.open(p, false), c.open(p, true)
		if len(open)+len(held) == 0 {
			continue
		}
		taken, sum := due(open, at)
		switch {
		case p.status == "BANNED":
			r.skipped["banned"]++
		case len(open) == 0:
			r.skipped["on hold"]++
		case len(taken) == 0:
			r.skipped["nothing matured"]++
		case sum <= 0:
			r.skipped["negative"]++
		case !p.payee:
			r.skipped["no payout method"]++
		case sum < cents(v["minimum"]):
			r.skipped["below minimum"]++
		default:
			r.pay(p, taken, sum)
		}
	}
}

// settle gives payouts a new state. Without an email these are the open ones.
func (c *counter) settle(state string, v map[string]string, at time.Time) {
	for _, r := range c.runs {
		for _, p := range r.payouts {
			if r.id != v["id"] || v["email"] != "" && v["email"] != p.of.email || v["email"] == "" && p.state != "open" {
				continue
			}
			p.state = state
			if state == "paid" {
				p.of.note(at, "payout paid", "", -p.cents)
			}
			if state == "canceled" {
				for _, e := range p.entries {
					e.in = nil
				}
			}
		}
	}
}

// wantMoney adds the lines of the report about what is owed and was paid.
func (c *counter) wantMoney(want map[claim]string) {
	const amount = ` +(-?\d+\.\d\d)`
	var all [6]int
	for _, p := range c.affiliates {
		b := c.balance(p)
		for i := range all {
			all[i] += b[i]
		}
		if len(p.lines) > 0 {
			want[claim{"balance of " + p.name, p.name + strings.Repeat(amount, 6)}] = inDollars(b[:])
		}
	}
	want[claim{"all balances", "sum" + strings.Repeat(amount, 6)}] = inDollars(all[:])
	for _, r := range c.runs {
		sums, reasons := map[string]int{}, []string{}
		for _, p := range r.payouts {
			sums[strings.Replace(p.state, "failed", "open", 1)] += p.cents
		}
		for why, n := range r.skipped {
			reasons = append(reasons, why+" "+fmt.Sprint(n))
		}
		slices.Sort(reasons)
		for i, reason := range reasons {
			cut := strings.LastIndex(reason, " ")
			reasons[i] = reason[cut+1:] + " " + reason[:cut]
		}
		want[claim{r.id, r.id + ` +(\S+) +(\d+)` + strings.Repeat(amount, 4) + ` *(.*)`}] = fmt.Sprintf("%s %d %s %s", r.at.UTC().Format(time.DateOnly), len(r.payouts),
			inDollars([]int{sums["paid"] + sums["open"] + sums["canceled"], sums["paid"], sums["open"], sums["canceled"]}), strings.Join(reasons, ", "))
	}
	c.wantStatements(want, "Felix Haas")
}

// balance is what is held, maturing, payable, in a payout, paid, and the sum.
func (c *counter) balance(p *person) (b [6]int) {
	for _, e := range c.open(p, true) {
		b[0] += e.cents
	}
	for _, e := range c.open(p, false) {
		if e.matures.After(c.last) {
			b[1] += e.cents
		} else {
			b[2] += e.cents
		}
	}
	for _, r := range c.runs {
		for _, payout := range r.payouts {
			switch {
			case payout.of == p && payout.state == "paid":
				b[4] += payout.cents
			case payout.of == p && payout.state != "canceled":
				b[3] += payout.cents
			}
		}
	}
	b[5] = b[0] + b[1] + b[2] + b[3] + b[4]
	return b
}

func inDollars(cents []int) string {
	var texts []string
	for _, n := range cents {
		texts = append(texts, dollars(n))
	}
	return strings.Join(texts, " ")
}

// wantStatements adds the months of an affiliate.
func (c *counter) wantStatements(want map[claim]string, name string) {
	want[claim{"statements", `Statements of (.*?)\. .*`}] = name
	owed := 0
	for month := time.January; month <= time.December; month++ {
		opening, sold, back, adjusted, paid := owed, 0, 0, 0, 0
		for _, l := range c.statement(name, month) {
			switch l.what {
			case "sale":
				sold += l.cents
			case "payout paid":
				paid += l.cents
			case "refund", "claw back", "deletion":
				back += l.cents
			default:
				adjusted += l.cents
			}
			owed += l.cents
		}
		label := fmt.Sprint(month, " 2025")
		want[claim{label, label + strings.Repeat(` +(-?\d+\.\d\d)`, 6)}] = inDollars([]int{opening, sold, back, adjusted, paid, owed})
	}
}

// statement is what happened to an affiliate in a month.
func (c *counter) statement(name string, month time.Month) (lines []line) {
	for _, p := range c.affiliates {
		for _, l := range p.lines {
			if p.name == name && l.at.UTC().Month() == month {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// tableOf returns the rows under a heading, with one space between the cells.
func tableOf(t *testing.T, report, heading string) (rows []string) {
	t.Helper()
	_, rest, found := strings.Cut(report, "\n"+heading+" ")
	if !found {
		t.Fatalf("the report has no table %s", heading)
	}
	body, _, _ := strings.Cut(rest, "\n\n")
	for _, row := range strings.Split(body, "\n")[1:] {
		rows = append(rows, strings.Join(strings.Fields(row), " "))
	}
	return rows
}

// TestChanges: every claw-back and every adjustment is in the report, with the
// amount that the file gives it.
func TestChanges(t *testing.T) {
	c := newCounter()
	c.read(t)
	got := tableOf(t, report(t), "Change")
	days := regexp.MustCompile(`\d{4}-\d\d-\d\d`).FindAllString(strings.Join(got, " "), -1)
	if !slices.IsSorted(days) || len(days) != len(got) {
		t.Errorf("the changes are not in the order of their days: %q", days)
	}
	slices.Sort(c.changes) // those of one moment have no order
	slices.Sort(got)
	if diff := cmp.Diff(c.changes, got); diff != "" || len(got) < 5 {
		t.Errorf("changes (-file +report):\n%s", diff)
	}
}

// TestStatementLines: the month that is printed line by line has the lines of the
// file, and they lead from the opening to the closing.
func TestStatementLines(t *testing.T) {
	c := newCounter()
	c.read(t)
	year := report(t)
	found := regexp.MustCompile(`The statement of (\w+) 2025, line by line`).FindStringSubmatch(year)
	if found == nil {
		t.Fatal("no statement is printed")
	}
	begin, err := time.Parse("January 2006", found[1]+" 2025")
	if err != nil {
		t.Fatal(err)
	}
	owed := 0
	for month := time.January; month < begin.Month(); month++ {
		for _, l := range c.statement("Felix Haas", month) {
			owed += l.cents
		}
	}
	want := []string{"opening " + begin.Format(time.DateOnly) + " " + dollars(owed)}
	kinds := map[string]bool{}
	for _, l := range c.statement("Felix Haas", begin.Month()) {
		owed += l.cents
		kinds[l.what] = true
		if c.sale(l.order) == nil {
			l.order = "" // deleted since
		}
		row := strings.Join([]string{l.what, l.at.UTC().Format(time.DateOnly), l.order, dollars(l.cents), dollars(owed)}, " ")
		want = append(want, strings.Join(strings.Fields(row), " "))
	}
	want = append(want, "closing "+begin.AddDate(0, 1, 0).Format(time.DateOnly)+" "+dollars(owed))
	if diff := cmp.Diff(want, tableOf(t, year, "Line")); diff != "" {
		t.Errorf("statement (-file +report):\n%s", diff)
	}
	for _, kind := range []string{"sale", "claw back", "bonus", "payout paid"} {
		if !kinds[kind] {
			t.Errorf("the month has no %s", kind)
		}
	}
}
