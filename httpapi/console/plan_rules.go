package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The page of a plan, and the form of its rules: a row is a rule. The buttons of the rows
// only show the form again, as those rows are then.

// maxRows is the number of rules that a plan may have.
const maxRows = 64

// planPage shows a plan.
func planPage(v *visit) (view, error) {
	p, err := v.plan()
	return view{title: "Plan " + page.Named(p.Name), template: "plan", Data: &p}, err
}

// planRules edits the rules of a plan.
var planRules = &action{
	name: "plans.rules", object: "plan", done: "The rules were saved.",
	form: rulesForm, check: lookAtRules,
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		rules, rows := in.rules()
		if err = errors.Join(err, in.err); err != nil {
			return "", err
		}
		up := affiliate.PlanUpdate{Rules: affiliate.Set(rules), MonthsFrom: affiliate.Set(affiliate.MonthsFrom(in.text("monthsFrom")))}
		_, err = p.UpdatePlan(v.ctx(), id, up)
		return "plans/" + id.String(), atRow(err, rows)
	},
}

// rulesForm has the rows that were sent, else those of the plan.
func rulesForm(v *visit) (form, error) {
	p, err := v.plan()
	if err != nil {
		return form{}, err
	}
	state, err := json.Marshal([]any{p.Rules, p.MonthsFrom, p.CommissionRate, p.CommissionType})
	if err != nil {
		return form{}, err
	}
	f := form{
		Title: "Rules of the plan " + page.Named(p.Name), Button: "Save", Check: "What would the last 90 days have cost?", Back: "plans/" + p.ID.String(),
		State: string(state), template: "rules",
		Effects: []string{rulesNow(v, &p), "Sales from now on earn by what is saved here. Sales that exist stay as they are."},
		Fields: []field{{Name: "monthsFrom", Label: "The months of a customer begin with", Required: true, Value: string(cmp.Or(p.MonthsFrom, affiliate.MonthsFromPayment)),
			Options: []option{{string(affiliate.MonthsFromPayment), "the first payment"}, {string(affiliate.MonthsFromReferral), "the referral"}}}},
	}
	if v.sent != nil {
		for n := 1; n <= v.sent.rows(); n++ {
			f.Fields = append(f.Fields, rowFields(n, ruleTyped{v.sent.Get(inRow("name", n)), v.sent.Get(inRow("when", n)), v.sent.Get(inRow("pay", n)), v.sent.Get(inRow("rate", n)), v.sent.Get(inRow("firm", n))})...)
		}
		return f, nil
	}
	for i, r := range p.Rules {
		t := ruleTyped{r.Name, strings.Join(conditionLines(&r.When), "\n"), string(r.Pay.Type), r.Pay.Rate.String(), ticked(r.Firm)}
		if r.Pay.Type == affiliate.RuleNone {
			t.rate = ""
		}
		f.Fields = append(f.Fields, rowFields(i+1, t)...)
	}
	return f, nil
}

// rulesNow says what the plan has at present.
func rulesNow(v *visit, p *affiliate.Plan) string {
	rate := v.PaysPlan(p)
	if len(p.Rules) == 0 {
		return "The plan has no rules now: it pays " + rate + " for everything."
	}
	var names []string
	for _, r := range p.Rules {
		names = append(names, "“"+page.Text(r.Name, page.InList)+"”")
	}
	return "For each line of a sale the first rule that holds decides, and without one the plan pays " + rate + ". The plan has " + several(len(names), "rule") + " now: " + strings.Join(names, ", ") + "."
}

// ruleTyped is a rule as it is typed.
type ruleTyped struct{ name, when, pay, rate, firm string }

var ruleTypes = []option{
	{string(affiliate.RulePercentage), "percent"}, {string(affiliate.RuleFlat), "an amount for the sale"},
	{string(affiliate.RuleUnit), "an amount for each piece"}, {string(affiliate.RuleNone), "nothing"},
}

// inRow is the name of a field in a row.
func inRow(field string, row int) string { return field + "-" + strconv.Itoa(row) }

func rowFields(row int, t ruleTyped) []field {
	of := " of rule " + strconv.Itoa(row)
	return []field{
		{Row: row, Name: inRow("name", row), Label: "Name" + of, Value: t.name},
		{Row: row, Name: inRow("when", row), Label: "Conditions" + of, Type: "textarea", Value: t.when},
		{Row: row, Name: inRow("pay", row), Label: "What it pays" + of, Value: cmp.Or(t.pay, string(affiliate.RulePercentage)), Options: ruleTypes},
		{Row: row, Name: inRow("rate", row), Label: "Percent or amount" + of, Value: t.rate},
		{Row: row, Name: inRow("firm", row), Label: "Firm" + of, Type: "checkbox", Value: t.firm},
	}
}

// rows returns how many rows were sent.
func (in *input) rows() (n int) {
	for n <= maxRows && in.Has(inRow("name", n+1)) {
		n++
	}
	return n
}

// rules reads the rules that were typed, and the row of each. An empty row is none.
func (in *input) rules() (rules []affiliate.Rule, rows []int) {
	for n := 1; n <= in.rows(); n++ {
		name, when, rate := inRow("name", n), inRow("when", n), inRow("rate", n)
		if in.text(name)+in.text(when)+in.text(rate) == "" {
			continue
		}
		r := affiliate.Rule{
			Name: in.text(name), Firm: in.yes(inRow("firm", n)),
			Pay: affiliate.RulePay{Type: affiliate.RuleType(in.text(inRow("pay", n))), Rate: in.percent(rate).Or(affiliate.Percent{})},
		}
		var wrong string
		if r.When, wrong = parseConditions(in.text(when)); wrong != "" {
			in.wrong(when, wrong)
		}
		if r.Pay.Type != affiliate.RuleNone && in.text(rate) == "" {
			in.wrong(rate, "Enter a number, such as 12.5.")
		}
		if slices.ContainsFunc(rules, func(q affiliate.Rule) bool { return q.Name == r.Name }) {
			in.wrong(name, "Another rule has this name.")
		}
		rules, rows = append(rules, r), append(rows, n)
	}
	if len(rules) > maxRows {
		in.wrong(inRow("name", maxRows+1), "A plan has at most "+strconv.Itoa(maxRows)+" rules.")
	}
	return rules, rows
}

var ruleField = regexp.MustCompile(`^rules\[(\d+)\](?:\.(name|when|pay\.commissionType|pay\.commissionRate)\b)?`)

// atRow puts a refusal of the engine at the field of the row that it is about.
func atRow(err error, rows []int) error {
	why, refused := page.Refusal(err)
	if !refused {
		return err
	}
	m := ruleField.FindStringSubmatch(why.Field)
	if m == nil {
		return err
	}
	i, tooLarge := strconv.Atoi(m[1])
	if tooLarge != nil || i >= len(rows) {
		return err
	}
	field := map[string]string{"": "name", "name": "name", "when": "when", "pay.commissionType": "pay", "pay.commissionRate": "rate"}[m[2]]
	at := *why
	at.Field, at.Message = inRow(field, rows[i]), strings.Replace(why.Message, "rules["+m[1]+"].", "", 1)
	return &at
}

// lookAtRules says what the rules would have cost, or moves rows: the button that was
// pressed is "add", or "up", "down" or "remove" with the number of a row.
func lookAtRules(v *visit, in *input) ([]string, error) {
	f, err := rulesForm(v)
	if err != nil {
		return nil, err
	}
	if f.digest() != in.Get(fieldSeen) {
		return nil, stalePage("Somebody else has changed the plan meanwhile. What you have typed is still here: look at what the plan has now, and save again if this is still right.", "")
	}
	pressed, number, _ := strings.Cut(in.Get(fieldCheck), "-")
	if pressed == "1" {
		return whatRulesCost(v, in)
	}
	row, err := strconv.Atoi(number)
	switch last := in.rows(); {
	case pressed == "add" && last < maxRows:
		in.Set(inRow("name", last+1), "")
	case err != nil || row < 1 || row > last:
	case pressed == "up" && row > 1:
		in.swapRows(row-1, row)
	case pressed == "down" && row < last:
		in.swapRows(row, row+1)
	case pressed == "remove":
		for ; row < last; row++ {
			in.swapRows(row, row+1)
		}
		for _, f := range rowFields(last, ruleTyped{}) {
			in.Del(f.Name)
		}
	}
	return nil, nil
}

// swapRows swaps what was typed into two rows.
func (in *input) swapRows(a, b int) {
	other := rowFields(b, ruleTyped{})
	for i, f := range rowFields(a, ruleTyped{}) {
		in.Values[f.Name], in.Values[other[i].Name] = in.Values[other[i].Name], in.Values[f.Name]
	}
}

// The sales that are looked at, and for how long.
const (
	simulatedDays = 90
	simulatedFor  = 20 * time.Second
	namedMost     = 5
)

// whatRulesCost says what the sales of the last days would have earned by the rules that
// were typed.
func whatRulesCost(v *visit, in *input) ([]string, error) {
	p, err := v.plan()
	if err != nil {
		return nil, err
	}
	rules, rows := in.rules()
	if in.err != nil {
		return nil, in.err
	}
	q := affiliate.SimulateQuery{From: v.now().AddDate(0, 0, -simulatedDays), PlanID: p.ID, Terms: affiliate.Terms{
		Type: p.CommissionType, Rate: p.CommissionRate, MaxPayments: p.NumberOfPayments.Or(0), MaxMonths: p.NumberOfMonths.Or(0), HoldDays: p.HoldDays,
		Rules: rules, MonthsFrom: affiliate.MonthsFrom(in.text("monthsFrom")), MaxPerSale: p.MaxPerSale, MaxPerCustomer: p.MaxPerCustomer,
	}}
	ctx, done := context.WithTimeout(v.ctx(), simulatedFor)
	defer done()
	sum, all := affiliate.Difference{}, []affiliate.Difference{}
	for d, err := range v.program.Simulate(ctx, q) {
		if ctx.Err() != nil && v.ctx().Err() == nil {
			return nil, notAllowed("The plan has too many sales to look at on a page. Call Simulate for them.")
		}
		if err != nil {
			return nil, atRow(err, rows)
		}
		if err := addDifference(&sum, &d); err != nil {
			return nil, err
		}
		if !d.Difference.IsZero() {
			all = append(all, d)
		}
	}
	if sum.Sales == 0 {
		return []string{"The plan had no sales in the last 90 days. Nothing was saved."}, nil
	}
	said := []string{fmt.Sprintf("The last 90 days: %s earned %s, and would have earned %s by these rules%s. %s would have earned another amount. Nothing was saved.",
		several(int(sum.Sales), "sale"), v.Money(sum.Was), v.Money(sum.Would), v.moreOrLess(sum.Difference), several(int(sum.Changed), "sale"))}
	if sum.Kept > 0 {
		said = append(said, several(int(sum.Kept), "sale")+" would stay as they are whatever the rules say, such as those whose commission was set by hand.")
	}
	slices.SortStableFunc(all, func(a, b affiliate.Difference) int {
		return cmp.Compare(abs(b.Difference.Scaled()), abs(a.Difference.Scaled()))
	})
	for _, d := range all[:min(len(all), namedMost)] {
		name, err := v.nameOf(d.AffiliateID)
		if err != nil {
			return nil, err
		}
		said = append(said, name+": "+v.Money(d.Would)+" instead of "+v.Money(d.Was)+v.moreOrLess(d.Difference)+".")
	}
	if rest := len(all) - namedMost; rest > 0 {
		said = append(said, "And smaller differences of "+several(rest, "affiliate")+".")
	}
	return said, nil
}

// nameOf returns the name of an affiliate; of one who was deleted meanwhile, the id.
func (v *visit) nameOf(id uuid.UUID) (string, error) {
	who, err := v.program.Affiliate(v.ctx(), id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return id.String(), nil
	}
	return page.Text(who.Name, page.InList), err
}

func addDifference(sum, d *affiliate.Difference) (err error) {
	sum.Sales, sum.Changed, sum.Kept = sum.Sales+d.Sales, sum.Changed+d.Changed, sum.Kept+d.Kept
	if sum.Was, err = sum.Was.Add(d.Was); err != nil {
		return err
	}
	if sum.Would, err = sum.Would.Add(d.Would); err != nil {
		return err
	}
	sum.Difference, err = sum.Would.Sub(sum.Was)
	return err
}

func (v *visit) moreOrLess(d affiliate.Amount) string {
	switch {
	case d.Sign() > 0:
		return ", " + v.Money(d) + " more"
	case d.Sign() < 0:
		return ", " + v.Money(affiliate.AmountFromScaled(-d.Scaled())) + " less"
	}
	return ", the same"
}

func abs(n int64) int64 { return max(n, -n) }
