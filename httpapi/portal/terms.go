package portal

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// wholeTerms is the number of versions of terms that the page shows with their rules; of those
// after them it has a sentence each.
const wholeTerms = 2

type termsSheet struct {
	Whole []affiliate.DatedTerms // those in force, and the next ones
	Later []affiliate.DatedTerms

	Bonuses []affiliate.BonusProgress
}

// terms shows by what terms the affiliate's sales earn, and what is to come.
func terms(v *visit) (view, error) {
	all, err := v.partner().Terms(v.Ctx())
	if err != nil {
		return view{}, err
	}
	bonuses, err := v.partner().Bonuses(v.Ctx())
	n := min(len(all), wholeTerms)
	return view{title: v.T("Terms"), template: "terms", Data: &termsSheet{all[:n], all[n:], bonuses}}, err
}

// From says from when terms hold.
func (v *visit) From(t affiliate.DatedTerms) string {
	if t.InForce {
		return v.T("Now")
	}
	return v.T("From %s", v.When(t.From))
}

// PaysElse returns what terms pay where no rule decides.
func (v *visit) PaysElse(t affiliate.DatedTerms) string {
	pays := v.PaysRate(t.ProgramTerms)
	if len(t.Rules) > 0 {
		return v.T("%s of everything else", pays)
	}
	return pays
}

// shownIDs is the number of ids of a condition that are shown.
const shownIDs = 10

// Holds says in words for what a rule holds; empty: for everything.
func (v *visit) Holds(w affiliate.RuleWhen) (said []string) {
	for _, list := range []struct {
		words string
		ids   []string
	}{
		{"what your customers do without a payment: %s", w.Conversions},
		{"products: %s", w.Products}, {"plans: %s", w.Plans}, {"categories: %s", w.Categories},
		{"not the products: %s", w.NotProducts}, {"not the plans: %s", w.NotPlans},
		{"not the categories: %s", w.NotCategories},
	} {
		if len(list.ids) > 0 {
			said = append(said, v.T(list.words, v.listed(list.ids)))
		}
	}
	for _, words := range []string{v.between(ofPayments, w.PaymentFrom, w.PaymentTo),
		v.between(ofMonths, w.MonthFrom, w.MonthTo)} {
		if words != "" {
			said = append(said, words)
		}
	}
	switch w.Customer {
	case affiliate.CustomerNew:
		said = append(said, v.T("customers who pay for the first time"))
	case affiliate.CustomerReturning:
		said = append(said, v.T("customers who have paid before"))
	}
	if len(w.Triggers) > 0 {
		words := make([]string, len(w.Triggers))
		for i, trigger := range w.Triggers {
			words[i] = v.T(strings.ToLower(page.Words(trigger)))
		}
		said = append(said, v.T("when it is: %s", strings.Join(words, ", ")))
	}
	return said
}

// listed returns the first ids of a list.
func (v *visit) listed(ids []string) string {
	var shown []string
	for _, id := range ids[:min(len(ids), shownIDs)] {
		shown = append(shown, v.Short(id))
	}
	text := strings.Join(shown, ", ")
	if rest := len(ids) - shownIDs; rest > 0 {
		return v.T("%s and %d more", text, rest)
	}
	return text
}

// A span says a range of the payments of a customer, or of their months: from one on, the first,
// one, or several.
type span struct{ on, first, one, several string }

var (
	ofPayments = span{"from the payment no. %d on of a customer",
		"the first payment of a customer|the first %s payments of a customer",
		"the payment no. %d of a customer", "the payments no. %d to %d of a customer"}
	ofMonths = span{"from the month no. %d on of a customer",
		"the first month of a customer|the first %s months of a customer",
		"the month no. %d of a customer", "the months no. %d to %d of a customer"}
)

// between says a range, of which zero is no bound; empty: it has none.
func (v *visit) between(s span, from, to int64) string {
	switch {
	case from == 0 && to == 0:
		return ""
	case to == 0:
		return v.T(s.on, from)
	case from <= 1:
		return v.Several(to, s.first)
	case from == to:
		return v.T(s.one, from)
	}
	return v.T(s.several, from, to)
}
