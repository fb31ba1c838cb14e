package portal

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
)

// The codes of an affiliate, in the affiliate's words.

// codes lists the codes.
func codes(v *visit) (view, error) {
	list, err := v.partner().Codes(v.Ctx(), v.Page50())
	return view{title: v.T("Codes"), template: "codes", next: list.Next, Data: list.Items}, err
}

// Gets says what customers get by a code.
func (v *visit) Gets(c partner.Code) string {
	text := v.Off(c.AmountOff, c.Currency, c.PercentOff)
	if most := v.Money(c.MaxDiscount); most != "" {
		text += ", " + v.T("at most %s", most)
	}
	return text
}

// For says for which orders a code is, each with its "for"; empty: for all.
func (v *visit) For(c partner.Code) (said []string) {
	if c.FirstTimeOrder {
		said = append(said, v.T("for first orders"))
	}
	if least := v.MoneyIn(c.MinimumAmount, c.MinimumAmountCurrency); least != "" {
		said = append(said, v.T("for orders of %s or more", least))
	}
	if pieces, there := c.MinimumQuantity.Get(); there {
		said = append(said, v.T("for %s pieces or more", v.Number(pieces.String())))
	}
	if most, there := c.MaxRedemptionsPerCustomer.Get(); there {
		said = append(said, v.Several(most, "for %s order of each customer|for %s orders of each customer"))
	}
	return said
}

// Left says how much of a code is left; empty: it has no limit.
func (v *visit) Left(c partner.Code) (said []string) {
	if uses, limited := c.Left().Get(); limited {
		said = append(said, v.Several(uses, "%s use|%s uses"))
	}
	if c.Held > 0 {
		said = append(said, v.T("%s kept for who pays just now", v.Count(c.Held)))
	}
	if budget := v.Money(c.BudgetLeft); budget != "" {
		said = append(said, v.T("%s of its budget", budget))
	}
	return said
}

// Later reports whether nothing is wrong with a code but that it begins later.
func (v *visit) Later(c partner.Code) bool {
	return len(c.Reasons) == 1 && c.Reasons[0] == affiliate.CodeNotStarted
}

// WhyNotCode says why a code does not work, with what its affiliate may know.
func (v *visit) WhyNotCode(c partner.Code) (said []string) {
	for _, reason := range c.Reasons {
		said = append(said, v.whyNot(c, reason))
	}
	return said
}

func (v *visit) whyNot(c partner.Code, reason affiliate.Reason) string {
	switch reason {
	case affiliate.CodeInactive:
		return v.T("the program has switched it off")
	case affiliate.CouponInvalid:
		return v.T("the program does not give this discount now")
	case affiliate.CodeExpired, affiliate.CouponExpired:
		return v.T("its time is over")
	case affiliate.CodeNotStarted:
		return v.T("it works from %s", v.When(c.StartsAt))
	case affiliate.CodeExhausted:
		return v.T("it was used as often as it may be")
	case affiliate.CouponExhausted:
		return v.T("this discount was used as often as the program gives it")
	case affiliate.BudgetSpent:
		return v.T("what the program gives for this discount is spent")
	case affiliate.AffiliateSuspended:
		return v.T("your account is not active")
	case affiliate.CouponOtherCurrency, affiliate.WrongCurrency:
		return v.T("it is for another currency")
	}
	return v.T(v.Why(affiliate.Failure{Reason: reason}))
}
