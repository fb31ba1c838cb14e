package console

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The rules of terms as a table that can be edited: a row is a rule. The buttons of the rows
// only show the form again, as those rows are then.

// maxRows is the number of rules that terms may have.
const maxRows = 64

// ruleRows returns the fields of the rows that were sent, else of the rules.
func (v *visit) ruleRows(rules []affiliate.Rule) (fields []field) {
	if v.sent != nil {
		for n := 1; n <= v.sent.rows(); n++ {
			fields = append(fields, rowFields(n, ruleTyped{v.sent.Get(inRow("name", n)), v.sent.Get(inRow("when", n)), v.sent.Get(inRow("pay", n)), v.sent.Get(inRow("rate", n)), v.sent.Get(inRow("firm", n))})...)
		}
		return fields
	}
	for i, r := range rules {
		t := ruleTyped{r.Name, strings.Join(conditionLines(&r.When), "\n"), string(r.Pay.Type), r.Pay.Rate.String(), ticked(r.Firm)}
		if r.Pay.Type == affiliate.RuleNone {
			t.rate = ""
		}
		fields = append(fields, rowFields(i+1, t)...)
	}
	return fields
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
		in.wrong(inRow("name", maxRows+1), "Terms have at most "+strconv.Itoa(maxRows)+" rules.")
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

// pressRow moves rows: the button that was pressed is "add", or "up", "down" or "remove" with
// the number of a row.
func (in *input) pressRow() {
	pressed, number, _ := strings.Cut(in.Get(fieldCheck), "-")
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
}

// swapRows swaps what was typed into two rows.
func (in *input) swapRows(a, b int) {
	other := rowFields(b, ruleTyped{})
	for i, f := range rowFields(a, ruleTyped{}) {
		in.Values[f.Name], in.Values[other[i].Name] = in.Values[other[i].Name], in.Values[f.Name]
	}
}
