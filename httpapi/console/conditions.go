package console

import (
	"errors"
	"fmt"
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
			return w, fmt.Sprintf("Line %d: “%s” is no condition, such as Product: SEAT or Months: 1-12.", i+1, page.Text(line, page.InList))
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

// shownIDs is how many ids of a condition a table shows.
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
