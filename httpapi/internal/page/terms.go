package page

import (
	"fmt"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// Pays returns what a rule pays.
func (s Show) Pays(pay affiliate.RulePay) string {
	switch sum := s.Money(affiliate.AmountFromScaled(pay.Rate.Scaled())); pay.Type {
	case affiliate.RuleNone:
		return "nothing"
	case affiliate.RuleFlat:
		return sum + " for the sale"
	case affiliate.RuleUnit:
		return sum + " for each piece"
	}
	return pay.Rate.String() + " %"
}

// PaysRate returns what terms pay where no rule decides.
func (s Show) PaysRate(t affiliate.ProgramTerms) string {
	return s.Pays(affiliate.RulePay{Type: affiliate.RuleType(t.CommissionType), Rate: t.CommissionRate})
}

// TermsSaid returns terms in one sentence, but for what their rules say.
func (s Show) TermsSaid(t affiliate.ProgramTerms) string {
	said := []string{s.PaysRate(t)}
	if n := len(t.Rules); n > 0 {
		said = append(said, "with "+Several(int64(n), "rule"))
	}
	return strings.Join(append(said, s.Limits(t)...), ", ")
}

// Limits returns the limits of terms, their caps, and when what they pay is payable.
func (s Show) Limits(t affiliate.ProgramTerms) (all []string) {
	if n, ok := t.NumberOfPayments.Get(); ok {
		all = append(all, "for the first "+strings.TrimPrefix(Several(n, "payment"), "1 ")+" of a customer")
	}
	if n, ok := t.NumberOfMonths.Get(); ok {
		from := "first payment"
		if t.MonthsFrom == affiliate.MonthsFromReferral {
			from = "referral"
		}
		all = append(all, "for "+Several(n, "month")+" from the "+from+" of a customer")
	}
	if !t.MaxPerSale.IsZero() {
		all = append(all, "at most "+s.Money(t.MaxPerSale)+" for a sale")
	}
	if !t.MaxPerCustomer.IsZero() {
		all = append(all, "at most "+s.Money(t.MaxPerCustomer)+" for all sales of a customer")
	}
	if t.HoldDays > 0 {
		all = append(all, "payable after "+Several(t.HoldDays, "day"))
	}
	return all
}

// Several says how many there are of something: 1 day, 2 days.
func Several(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprint(Count(n), " ", noun, "s")
}
