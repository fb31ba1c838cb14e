package agentic

import "github.com/tributary-go/tributary/affiliate"

// A Rejected code is one of the object discounts.rejected of the discount extension.
type Rejected struct {
	Code    string `json:"code"`
	Reason  Reason `json:"reason"`
	Message string `json:"message,omitempty"` // for the buyer
}

// A Reason says why a code takes nothing off.
type Reason string

// The reasons of the extension that a program has.
const (
	Expired      Reason = "discount_code_expired"
	Invalid      Reason = "discount_code_invalid"
	BelowMinimum Reason = "discount_code_minimum_not_met"
	Ineligible   Reason = "discount_code_user_ineligible"
	NotSignedIn  Reason = "discount_code_user_not_logged_in"
	LimitReached Reason = "discount_code_usage_limit_reached"
)

// Rejects returns why a code takes nothing off, by the first rule of an evaluation that fails; ok is false when it is valid.
func Rejects(code string, e affiliate.Evaluation) (r Rejected, ok bool) {
	if e.Valid || len(e.Reasons) == 0 {
		return r, false
	}
	first := e.Reasons[0]
	return Rejected{code, reasonOf(first.Reason), first.Message}, true
}

// reasonOf says a reason of a program in those of the extension.
func reasonOf(r affiliate.Reason) Reason {
	switch r {
	case affiliate.CodeExpired, affiliate.CouponExpired:
		return Expired
	case affiliate.BelowMinimum, affiliate.BelowQuantity:
		return BelowMinimum
	case affiliate.CodeExhausted, affiliate.CouponExhausted, affiliate.BudgetSpent, affiliate.CustomerLimit:
		return LimitReached
	case affiliate.NotFirstOrder, affiliate.WrongCustomer, affiliate.WrongAffiliate:
		return Ineligible
	case affiliate.CustomerRequired:
		return NotSignedIn
	}
	return Invalid // not found, switched off, not begun, of another product or currency
}
