package console

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The conditions of rules as people type them: one in a line, such as "Product: SEAT" or
// "Months: 1-12". Several products are several lines.

// idLists are the conditions that are lists of ids.
func idLists(w *affiliate.RuleWhen) []idList {
	return []idList{
		{"Product", &w.Products}, {"Plan", &w.Plans}, {"Category", &w.Categories},
		{"Not product", &w.NotProducts}, {"Not plan", &w.NotPlans}, {"Not category", &w.NotCategories},
		{"Conversion", &w.Conversions},
	}
}

type idList struct {
	word string
	ids  *[]string
}

// conditionLines returns conditions as they are typed.
func conditionLines(w *affiliate.RuleWhen) (lines []string) {
	for _, list := range idLists(w) {
		for _, id := range *list.ids {
			if strings.TrimSpace(id) != id || strings.HasPrefix(id, `"`) {
				id = strconv.Quote(id)
			}
			lines = append(lines, list.word+": "+id)
		}
	}
	return append(lines, otherLines(w)...)
}

// otherLines are the conditions that are no lists of ids.
func otherLines(w *affiliate.RuleWhen) (lines []string) {
	if w.PaymentFrom != 0 || w.PaymentTo != 0 {
		lines = append(lines, "Payments: "+rangeOf(w.PaymentFrom, w.PaymentTo))
	}
	if w.MonthFrom != 0 || w.MonthTo != 0 {
		lines = append(lines, "Months: "+rangeOf(w.MonthFrom, w.MonthTo))
	}
	if w.Customer != "" {
		lines = append(lines, "Customer: "+strings.ToLower(string(w.Customer)))
	}
	for _, trigger := range w.Triggers {
		lines = append(lines, "Trigger: "+strings.ToLower(string(trigger)))
	}
	return lines
}

// rangeOf writes a range; a bound of zero is none.
func rangeOf(from, to int64) string {
	switch {
	case to == 0:
		return fmt.Sprint(from, "-")
	case from == 0:
		return fmt.Sprint("-", to)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

// parseConditions reads conditions, and says for people what cannot be read. The engine
// checks what they say.
func parseConditions(text string) (w affiliate.RuleWhen, wrong string) {
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		word, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if err := parseCondition(&w, strings.Join(strings.Fields(strings.ToLower(word)), " "), value); value == "" || err != nil {
			return w, fmt.Sprintf("Line %d: “%s” is no condition, such as Product: SEAT or Months: 1-12.", i+1,
				page.Text(line, page.InList))
		}
	}
	return w, ""
}

var errNoCondition = errors.New("no condition")

func parseCondition(w *affiliate.RuleWhen, word, value string) (err error) {
	for _, list := range idLists(w) {
		if word != strings.ToLower(list.word) {
			continue
		}
		if strings.HasPrefix(value, `"`) {
			value, err = strconv.Unquote(value)
		}
		*list.ids = append(*list.ids, value)
		return err
	}
	switch word {
	case "payments":
		w.PaymentFrom, w.PaymentTo, err = parseRange(value)
	case "months":
		w.MonthFrom, w.MonthTo, err = parseRange(value)
	case "customer":
		w.Customer = affiliate.RuleCustomer(strings.ToUpper(value))
	case "trigger":
		w.Triggers = append(w.Triggers, affiliate.PaymentTrigger(strings.ToUpper(value)))
	default:
		return errNoCondition
	}
	return err
}

// parseRange reads 1-12, 3- and -2, and 1 as 1-1.
func parseRange(text string) (from, to int64, err error) {
	first, last, isRange := strings.Cut(strings.ReplaceAll(text, "–", "-"), "-")
	if !isRange {
		last = first
	}
	bound := func(s string) (n int64) {
		if s = strings.TrimSpace(s); s != "" && err == nil {
			if n, err = strconv.ParseInt(s, 10, 64); n < 1 && err == nil {
				err = errNoCondition
			}
		}
		return n
	}
	from, to = bound(first), bound(last)
	if from == 0 && to == 0 && err == nil {
		err = errNoCondition
	}
	return from, to, err
}

// shownIDs is the number of ids of a condition that a table shows.
const shownIDs = 10

// Conditions returns conditions for a table; empty: it holds always.
func (v *visit) Conditions(w affiliate.RuleWhen) (lines []string) {
	for _, list := range idLists(&w) {
		ids := *list.ids
		if len(ids) == 0 {
			continue
		}
		var shown []string
		for _, id := range ids[:min(len(ids), shownIDs)] {
			shown = append(shown, page.Text(id, page.InList))
		}
		line := list.word + ": " + strings.Join(shown, ", ")
		if rest := len(ids) - shownIDs; rest > 0 {
			line += fmt.Sprintf(" and %d more", rest)
		}
		lines = append(lines, line)
	}
	return append(lines, otherLines(&w)...)
}

// PaysLine returns what decides about a line of a sale pays.
func (v *visit) PaysLine(l *affiliate.ExplainedLine) string {
	return v.Pays(affiliate.RulePay{Type: l.Type, Rate: l.Rate.Or(affiliate.Percent{})})
}

// The rules of terms as a table that can be edited: a row is a rule. The buttons of the rows
// only show the form again, as those rows are then.

// maxRows is the number of rules that terms may have.
const maxRows = 64

// ruleRows returns the fields of the rows that were sent, else of the rules.
func (v *visit) ruleRows(rules []affiliate.Rule) (fields []field) {
	if v.sent != nil {
		for n := 1; n <= v.sent.rows(); n++ {
			fields = append(fields,
				rowFields(n,
					ruleInput{v.sent.Get(inRow("name", n)), v.sent.Get(inRow("when", n)),
						v.sent.Get(inRow("pay", n)), v.sent.Get(inRow("rate", n)),
						v.sent.Get(inRow("firm", n))})...)
		}
		return fields
	}
	for i, r := range rules {
		t := ruleInput{r.Name, strings.Join(conditionLines(&r.When), "\n"), string(r.Pay.Type),
			r.Pay.Rate.String(), ticked(r.Firm)}
		if r.Pay.Type == affiliate.RuleNone {
			t.rate = ""
		}
		fields = append(fields, rowFields(i+1, t)...)
	}
	return fields
}

// ruleInput is a rule as it is typed.
type ruleInput struct{ name, when, pay, rate, firm string }

var ruleTypes = []option{
	{string(affiliate.RulePercentage), "percent"}, {string(affiliate.RuleFlat), "an amount for the sale"},
	{string(affiliate.RuleUnit), "an amount for each piece"}, {string(affiliate.RuleNone), "nothing"},
}

// inRow is the name of a field in a row.
func inRow(field string, row int) string { return field + "-" + strconv.Itoa(row) }

func rowFields(row int, t ruleInput) []field {
	of := " of rule " + strconv.Itoa(row)
	return []field{
		{Row: row, Name: inRow("name", row), Label: "Name" + of, Value: t.name},
		{Row: row, Name: inRow("when", row), Label: "Conditions" + of, Type: "textarea", Value: t.when},
		{Row: row, Name: inRow("pay", row), Label: "What it pays" + of,
			Value: cmp.Or(t.pay, string(affiliate.RulePercentage)), Options: ruleTypes},
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
			Pay: affiliate.RulePay{Type: affiliate.RuleType(in.text(inRow("pay", n))),
				Rate: in.percent(rate).Or(affiliate.Percent{})},
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

// atRow puts a refusal of the engine at the field of the row that it is about; those of budgets and
// of bonuses are in one field each.
func atRow(err error, rows []int) error {
	why, refused := page.Refusal(err)
	if !refused {
		return err
	}
	if list, _, in := strings.Cut(why.Field, "["); in && list != "rules" {
		at := *why
		at.Field = list
		return &at
	}
	m := ruleField.FindStringSubmatch(why.Field)
	if m == nil {
		return err
	}
	i, tooLarge := strconv.Atoi(m[1])
	if tooLarge != nil || i >= len(rows) {
		return err
	}
	field := map[string]string{"": "name", "name": "name", "when": "when",
		"pay.commissionType": "pay", "pay.commissionRate": "rate"}[m[2]]
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
		for _, f := range rowFields(last, ruleInput{}) {
			in.Del(f.Name)
		}
	}
}

// swapRows swaps what was typed into two rows.
func (in *input) swapRows(a, b int) {
	other := rowFields(b, ruleInput{})
	for i, f := range rowFields(a, ruleInput{}) {
		in.Values[f.Name], in.Values[other[i].Name] = in.Values[other[i].Name], in.Values[f.Name]
	}
}
