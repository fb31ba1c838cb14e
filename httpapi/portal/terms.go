package portal

import (
	"fmt"
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
}

// terms shows by what terms the affiliate's sales earn, and what is to come.
func terms(v *visit) (view, error) {
	all, err := v.partner().Terms(v.Ctx())
	n := min(len(all), wholeTerms)
	return view{title: "Terms", template: "terms", Data: &termsSheet{all[:n], all[n:]}}, err
}

// From says from when terms hold.
func (v *visit) From(t affiliate.DatedTerms) string {
	if t.InForce {
		return "Now"
	}
	return "From " + v.When(t.From)
}

// PaysElse returns what terms pay where no rule decides.
func (v *visit) PaysElse(t affiliate.DatedTerms) string {
	pays := v.PaysRate(t.ProgramTerms)
	if len(t.Rules) > 0 {
		return pays + " of everything else"
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
		{"what your customers do without a payment: ", w.Conversions},
		{"products: ", w.Products}, {"plans: ", w.Plans}, {"categories: ", w.Categories},
		{"not the products: ", w.NotProducts}, {"not the plans: ", w.NotPlans},
		{"not the categories: ", w.NotCategories},
	} {
		if len(list.ids) > 0 {
			said = append(said, list.words+listed(list.ids))
		}
	}
	if words := between("payment", w.PaymentFrom, w.PaymentTo); words != "" {
		said = append(said, words+" of a customer")
	}
	if words := between("month", w.MonthFrom, w.MonthTo); words != "" {
		said = append(said, words+" of a customer")
	}
	switch w.Customer {
	case affiliate.CustomerNew:
		said = append(said, "customers who pay for the first time")
	case affiliate.CustomerReturning:
		said = append(said, "customers who have paid before")
	}
	if len(w.Triggers) > 0 {
		words := make([]string, len(w.Triggers))
		for i, trigger := range w.Triggers {
			words[i] = strings.ToLower(page.Words(trigger))
		}
		said = append(said, "when it is: "+strings.Join(words, ", "))
	}
	return said
}

// listed returns the first ids of a list.
func listed(ids []string) string {
	var shown []string
	for _, id := range ids[:min(len(ids), shownIDs)] {
		shown = append(shown, page.Text(id, page.InList))
	}
	text := strings.Join(shown, ", ")
	if rest := len(ids) - shownIDs; rest > 0 {
		text += fmt.Sprint(" and ", rest, " more")
	}
	return text
}

// between says a range of payments or months, of which zero is no bound; empty: it has none.
func between(noun string, from, to int64) string {
	switch {
	case from == 0 && to == 0:
		return ""
	case to == 0:
		return fmt.Sprint("from the ", noun, " no. ", from, " on")
	case from <= 1 && to == 1:
		return "the first " + noun
	case from <= 1:
		return fmt.Sprint("the first ", to, " ", noun, "s")
	case from == to:
		return fmt.Sprint("the ", noun, " no. ", from)
	}
	return fmt.Sprint("the ", noun, "s no. ", from, " to ", to)
}
