package portal

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The codes of an affiliate, in the affiliate's words.

// codes lists the codes.
func codes(v *visit) (view, error) {
	list, err := v.partner().Codes(v.Ctx(), v.Page50())
	return view{title: "Codes", template: "codes", next: list.Next, Data: list.Items}, err
}

// Gets says what customers get by a code.
func (v *visit) Gets(c partner.Code) string {
	text := v.Off(c.AmountOff, c.Currency, c.PercentOff)
	if most := v.Money(c.MaxDiscount); most != "" {
		text += ", at most " + most
	}
	return text
}

// For says for which orders a code is; empty: for all.
func (v *visit) For(c partner.Code) (said []string) {
	if c.FirstTimeOrder {
		said = append(said, "first orders")
	}
	if least := v.MoneyIn(c.MinimumAmount, c.MinimumAmountCurrency); least != "" {
		said = append(said, "orders of "+least+" or more")
	}
	if pieces, there := c.MinimumQuantity.Get(); there {
		said = append(said, pieces.String()+" pieces or more")
	}
	if most, there := c.MaxRedemptionsPerCustomer.Get(); there {
		said = append(said, page.Several(most, "order")+" of each customer")
	}
	return said
}

// Left says how much of a code is left; empty: it has no limit.
func (v *visit) Left(c partner.Code) (said []string) {
	if uses, limited := c.Left().Get(); limited {
		said = append(said, page.Several(uses, "use"))
	}
	if c.Held > 0 {
		said = append(said, page.Count(c.Held)+" kept for who pays just now")
	}
	if budget := v.Money(c.BudgetLeft); budget != "" {
		said = append(said, budget+" of its budget")
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
		return "the program has switched it off"
	case affiliate.CouponInvalid:
		return "the program does not give this discount now"
	case affiliate.CodeExpired, affiliate.CouponExpired:
		return "its time is over"
	case affiliate.CodeNotStarted:
		return "it works from " + v.When(c.StartsAt)
	case affiliate.CodeExhausted:
		return "it was used as often as it may be"
	case affiliate.CouponExhausted:
		return "this discount was used as often as the program gives it"
	case affiliate.BudgetSpent:
		return "what the program gives for this discount is spent"
	case affiliate.AffiliateSuspended:
		return "your account is not active"
	case affiliate.CouponOtherCurrency, affiliate.WrongCurrency:
		return "it is for another currency"
	}
	return v.Why(affiliate.Failure{Reason: reason})
}
