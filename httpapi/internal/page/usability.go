package page

import (
	"fmt"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// A Usable shows on a page whether a code or a coupon works.
type Usable struct {
	Works bool
	Later []string // it does not yet: from when it does
	Why   []string // it does not, each with what the rule knows
	Hold  string   // why the commission of its sales is on hold; empty: it is not
}

// Usable returns a usability for people.
func (s Show) Usable(u affiliate.Opt[affiliate.Usability]) Usable {
	is, _ := u.Get()
	shown := Usable{Works: is.Usable, Hold: s.Hold(is.Hold)}
	for _, f := range is.Reasons {
		if f.Reason == affiliate.CodeNotStarted {
			shown.Later = append(shown.Later, s.Why(f))
			continue
		}
		shown.Why = append(shown.Why, s.Why(f))
	}
	return shown
}

// Why says why a code or a coupon does not work. For an unknown reason it shows
// the reason itself.
func (s Show) Why(f affiliate.Failure) string {
	switch f.Reason {
	case affiliate.CodeInactive:
		return "Switched off"
	case affiliate.CouponInvalid:
		return "Coupon switched off"
	case affiliate.CodeExpired:
		return strings.TrimSpace("Expired " + s.Day(f.At))
	case affiliate.CouponExpired:
		return strings.TrimSpace("Coupon expired " + s.Day(f.At))
	case affiliate.CodeExhausted:
		return "Used up" + usedOf(f)
	case affiliate.CouponExhausted:
		return "Coupon used up" + usedOf(f)
	case affiliate.CodeUnassigned:
		return "Has no affiliate"
	case affiliate.AffiliateSuspended:
		return "Its affiliate is banned or deactivated"
	case affiliate.CodeNotStarted:
		return strings.TrimSpace("From " + s.Day(f.At))
	case affiliate.BudgetSpent:
		return "Budget spent" + added("of", s.Money(f.Amount))
	case affiliate.CouponOtherCurrency:
		return strings.TrimSpace("Takes off an amount in another currency " + string(f.Currency))
	case affiliate.WrongCurrency:
		return strings.TrimSpace("Smallest order in another currency " + string(f.Currency))
	}
	return s.whyNotOrder(f)
}

// whyNotOrder says why a code does not work for an order.
func (s Show) whyNotOrder(f affiliate.Failure) string {
	switch f.Reason {
	case affiliate.NotFirstOrder:
		return "Only for first orders"
	case affiliate.BelowMinimum:
		return "Order too small" + added("at least", s.MoneyIn(f.Amount, f.Currency))
	case affiliate.BelowQuantity:
		text := ""
		if pieces, known := f.Amount.Get(); known {
			text = pieces.String()
		}
		return "Too few pieces" + added("at least", text)
	case affiliate.CustomerLimit:
		return "The customer has used it as often as one may" + usedOf(f)
	case affiliate.CustomerRequired:
		return "Needs to know the customer"
	case affiliate.WrongAffiliate:
		return "Only for customers of its affiliate"
	case affiliate.WrongCustomer:
		return "Only for another customer"
	case affiliate.WrongProduct:
		return "Only for other products"
	}
	return Words(f.Reason)
}

// added adds a limit to a reason, if it is known.
func added(word, limit string) string {
	if limit == "" {
		return ""
	}
	return ", " + word + " " + limit
}

func usedOf(f affiliate.Failure) string {
	limit, known := f.Limit.Get()
	if !known {
		return ""
	}
	return fmt.Sprintf(", %s of %s", Count(f.Used.Or(0)), Count(limit))
}

// Hold says why commissions are on hold; without a reason it is empty.
func (Show) Hold(reason affiliate.Opt[affiliate.HoldReason]) string {
	r, held := reason.Get()
	if !held {
		return ""
	}
	switch r {
	case affiliate.HoldProgramSettings:
		return "somebody has to accept it"
	case affiliate.HoldFraudPrevention:
		return "a rule of the program wants it looked at"
	case affiliate.HoldAffiliateDeactivated:
		return "the affiliate is deactivated"
	case affiliate.HoldAffiliateBanned:
		return "the affiliate is banned"
	case affiliate.HoldAffiliateNotApproved:
		return "the affiliate is not approved"
	}
	return strings.ToLower(Words(r))
}
