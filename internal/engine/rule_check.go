package engine

import (
	"fmt"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The checks of the rules of terms. Source: docs/terms.md 3.

var (
	ruleTypes     = []affiliate.RuleType{affiliate.RulePercentage, affiliate.RuleFlat, affiliate.RuleUnit, affiliate.RuleNone}
	ruleCustomers = []affiliate.RuleCustomer{affiliate.CustomerNew, affiliate.CustomerReturning}
	monthOrigins  = []affiliate.MonthsFrom{affiliate.MonthsFromPayment, affiliate.MonthsFromReferral}
)

// normalizeRules checks rules, and refuses those that can never hold.
func normalizeRules(t *affiliate.Terms) error {
	if err := refusal.OneOfOrNone("monthsFrom", t.MonthsFrom, monthOrigins); err != nil {
		return err
	}
	if t.MonthsFrom == affiliate.MonthsFromPayment {
		t.MonthsFrom = ""
	}
	if len(t.Rules) == 0 {
		t.Rules = nil
		return nil
	}
	if len(t.Rules) > refusal.MaxRules {
		return refusal.FieldOver64Entries.Of("rules")
	}
	*t = t.Clone()
	for i := range t.Rules {
		rule, in := &t.Rules[i], fmt.Sprintf("rules[%d].", i)
		rule.Name = plaintext.Trim(rule.Name)
		if err := checkRule(rule, in); err != nil {
			return err
		}
		if slices.ContainsFunc(t.Rules[:i], func(q affiliate.Rule) bool { return q.Name == rule.Name }) {
			return refusal.FieldNotDistinct.Of("rules")
		}
	}
	for i := range t.Rules {
		if neverHolds(&t.Rules[i].When) {
			return refusal.RuleNeverHolds.On(fmt.Sprintf("rules[%d]", i))
		}
		for j := range t.Rules {
			if covers(&t.Rules[j], &t.Rules[i], j < i) {
				return refusal.RuleCovered(fmt.Sprintf("rules[%d]", i), t.Rules[i].Name, t.Rules[j].Name)
			}
		}
	}
	return nil
}

func checkRule(r *affiliate.Rule, in string) error {
	if err := refusal.First(
		refusal.FieldMissing.About(in+"name").When(r.Name == ""),
		refusal.CheckText(in+"name", r.Name, refusal.MaxPersonName, false),
	); err != nil {
		return err
	}
	w := &r.When
	for _, list := range [...]struct {
		name string
		ids  []string
	}{
		{"products", w.Products}, {"plans", w.Plans}, {"categories", w.Categories},
		{"notProducts", w.NotProducts}, {"notPlans", w.NotPlans}, {"notCategories", w.NotCategories},
	} {
		if err := checkIDs(in+"when."+list.name, list.ids, refusal.MaxRuleIDs, refusal.FieldOver100Entries); err != nil {
			return err
		}
	}
	if err := refusal.First(
		checkRange(in+"when.payment", w.PaymentFrom, w.PaymentTo),
		checkRange(in+"when.month", w.MonthFrom, w.MonthTo),
		refusal.OneOfOrNone(in+"when.customer", w.Customer, ruleCustomers),
	); err != nil {
		return err
	}
	for i, trigger := range w.Triggers {
		if err := refusal.OneOf(in+"when.paymentTriggers", trigger, paymentTriggers); err != nil {
			return err
		}
		if slices.Contains(w.Triggers[:i], trigger) {
			return refusal.FieldNotDistinct.Of(in + "when.paymentTriggers")
		}
	}
	if err := checkPay(&r.Pay, in+"pay."); err != nil {
		return err
	}
	return checkConversions(r, in)
}

// checkConversions checks a rule for conversions: it has nothing else to ask.
func checkConversions(r *affiliate.Rule, in string) error {
	w := r.When
	if len(w.Conversions) == 0 {
		return nil
	}
	if err := checkIDs(in+"when.conversions", w.Conversions, refusal.MaxRuleIDs, refusal.FieldOver100Entries); err != nil {
		return err
	}
	for i, name := range w.Conversions {
		if err := refusal.CheckText(fmt.Sprintf("%swhen.conversions[%d]", in, i), name, refusal.MaxPersonName, false); err != nil {
			return err
		}
	}
	w.Conversions = nil
	switch {
	case !asksNothing(&w):
		return refusal.RuleOfConversions.On(in + "when")
	case r.Firm:
		return refusal.RuleOfConversions.On(in + "firm")
	case r.Pay.Type != affiliate.RuleFlat && r.Pay.Type != affiliate.RuleNone:
		return refusal.RuleOfConversions.On(in + "pay.commissionType")
	}
	return nil
}

func checkPay(pay *affiliate.RulePay, in string) error {
	if err := refusal.OneOf(in+"commissionType", pay.Type, ruleTypes); err != nil {
		return err
	}
	field := in + "commissionRate"
	switch pay.Type {
	case affiliate.RuleNone:
		return refusal.First(refusal.FieldNotAllowed.About(field).When(pay.Rate.Sign() != 0))
	case affiliate.RulePercentage:
		return checkRateOf(field, pay.Rate, affiliate.CommissionPercentage)
	}
	return checkRateOf(field, pay.Rate, affiliate.CommissionFlat)
}

// asksNothing reports whether a rule has no condition.
func asksNothing(w *affiliate.RuleWhen) bool {
	longest := max(len(w.Products), len(w.Plans), len(w.Categories), len(w.NotProducts), len(w.NotPlans), len(w.NotCategories), len(w.Triggers), len(w.Conversions))
	return longest == 0 && w.PaymentFrom == 0 && w.PaymentTo == 0 && w.MonthFrom == 0 && w.MonthTo == 0 && w.Customer == ""
}

// checkRange checks the two bounds of a range; zero is no bound.
func checkRange(field string, from, to int64) *affiliate.Error {
	switch {
	case from < 0:
		return refusal.FieldNotAtLeastOne.Of(field + "From")
	case to < 0 || to > 0 && to < from:
		return refusal.FieldNotAfterFrom.Of(field + "To")
	}
	return nil
}

// neverHolds reports whether the conditions of a rule contradict each other.
func neverHolds(w *affiliate.RuleWhen) bool {
	from, to := paymentsOf(w)
	none := func(of, not []string) bool { return len(of) > 0 && contains(not, of) }
	return to > 0 && to < from || none(w.Products, w.NotProducts) || none(w.Plans, w.NotPlans) || none(w.Categories, w.NotCategories)
}

// covers reports whether a rule decides about every line for which another one holds, so
// that the other one never does. One that pays nothing comes first wherever it stands.
func covers(r, other *affiliate.Rule, earlier bool) bool {
	if r == other {
		return false
	}
	switch none := r.Pay.Type == affiliate.RuleNone; {
	case none && other.Pay.Type == affiliate.RuleNone && !earlier:
		return false
	case none:
	case other.Pay.Type == affiliate.RuleNone || !earlier || other.Firm && !r.Firm:
		return false
	}
	w, v := &r.When, &other.When
	if len(w.Conversions) > 0 || len(v.Conversions) > 0 {
		return len(v.Conversions) > 0 && contains(w.Conversions, v.Conversions)
	}
	from, to := paymentsOf(w)
	otherFrom, otherTo := paymentsOf(v)
	return oneOf(w.Products, w.NotProducts, v.Products, v.NotProducts) && oneOf(w.Plans, w.NotPlans, v.Plans, v.NotPlans) &&
		(len(w.Categories) == 0 || len(v.Categories) > 0 && contains(slices.Concat(w.Categories, v.NotCategories), v.Categories)) && contains(v.NotCategories, w.NotCategories) &&
		inside(otherFrom, otherTo, from, to) && inside(v.MonthFrom, v.MonthTo, w.MonthFrom, w.MonthTo) &&
		(len(w.Triggers) == 0 || contains(w.Triggers, triggersOf(v)))
}

// triggersOf returns the triggers for which a rule may hold.
func triggersOf(w *affiliate.RuleWhen) []affiliate.PaymentTrigger {
	if len(w.Triggers) == 0 {
		return paymentTriggers
	}
	return w.Triggers
}

// oneOf reports whether the lists of a rule let through every id that those of another
// one let through.
func oneOf(of, not, otherOf, otherNot []string) bool {
	through := func(id string) bool {
		return (len(of) == 0 || slices.Contains(of, id)) && !slices.Contains(not, id)
	}
	if len(otherOf) > 0 {
		return !slices.ContainsFunc(otherOf, func(id string) bool { return !slices.Contains(otherNot, id) && !through(id) })
	}
	return len(of) == 0 && contains(otherNot, not)
}

// contains reports whether a list has every entry of another one.
func contains[T comparable](list, other []T) bool {
	return !slices.ContainsFunc(other, func(v T) bool { return !slices.Contains(list, v) })
}

// inside reports whether a range lies in another one. Zero is no bound; two zeros are no
// condition, which also holds without a number.
func inside(from, to, otherFrom, otherTo int64) bool {
	if otherFrom == 0 && otherTo == 0 {
		return true
	}
	if from == 0 && to == 0 {
		return false
	}
	return max(from, 1) >= max(otherFrom, 1) && (otherTo == 0 || to > 0 && to <= otherTo)
}
