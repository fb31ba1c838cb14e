package affiliate

import (
	"encoding/json"
	"strconv"

	"github.com/tributary-go/tributary/internal/jsontext"
)

// A Usability says whether a code or a coupon works now, and why not, by the rules
// with which Program.Evaluate checks an order.
//
// Source: docs/rules.md 3.9.
type Usability struct {
	Usable  bool            `json:"usable"`  // there are no Reasons: an order that names no customer, affiliate, product or amount can use it
	Reasons []Failure       `json:"reasons"` // every rule that fails, in the order of Evaluate; never nil
	Hold    Opt[HoldReason] `json:"hold"`    // why the commission of its sales would be on hold, by the status of its affiliate; null: it would not
}

// NewSales returns the reason why new commissions of an affiliate with this status
// are on hold; null: they are not.
func (s AffiliateStatus) NewSales() Opt[HoldReason] {
	switch {
	case s == AffiliateDeactivated:
		return Set(HoldAffiliateDeactivated)
	case s == AffiliateBanned:
		return Set(HoldAffiliateBanned)
	case s.Unapproved():
		return Set(HoldAffiliateNotApproved)
	}
	return Null[HoldReason]()
}

// appendUsability appends the usability as json.Marshal encodes it.
func appendUsability(dst []byte, u Usability) []byte {
	dst = strconv.AppendBool(append(dst, `{"usable":`...), u.Usable)
	dst = append(dst, `,"reasons":`...)
	if u.Reasons != nil && len(u.Reasons) == 0 {
		dst = append(dst, "[]"...)
	} else {
		raw, _ := json.Marshal(u.Reasons) // cannot fail: texts of the engine, amounts and times
		dst = append(dst, raw...)
	}
	dst = appendOpt(append(dst, `,"hold":`...), u.Hold, jsontext.AppendString)
	return append(dst, '}')
}
