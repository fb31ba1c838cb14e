package affiliate

import (
	"encoding/json"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/jsontext"
)

// A Usability says whether a code or a coupon works now, and why not. It is what
// [Program.Evaluate] says of every order, by the same rules.
//
// Source: docs/rules.md 3.9.
type Usability struct {
	Usable  bool            `json:"usable"`  // there are no Reasons: an order that names no customer, affiliate, product or amount can use it
	Reasons []Failure       `json:"reasons"` // every rule that fails, in the order of Evaluate; never nil
	Hold    Opt[HoldReason] `json:"hold"`    // why the commission of its sales is on hold: the status of its affiliate; null: it is not
}

// NewSales is why the commission of new sales of an affiliate with the status is on
// hold; null: it is not.
func (s AffiliateStatus) NewSales() Opt[HoldReason] {
	switch {
	case s == AffiliateDeactivated:
		return Set(HoldAffiliateDeactivated)
	case s == AffiliateBanned:
		return Set(HoldAffiliateBanned)
	case s.unapproved():
		return Set(HoldAffiliateNotApproved)
	}
	return Null[HoldReason]()
}

// checkAlways applies the rules that no order changes: rows 2–8, and a minimum in a
// currency in which no order is.
func (v *verdict) checkAlways(at Instant, c Currency) {
	v.checkState(at)
	if v.foreignMinimum(c) {
		v.fail(wrongCurrency, Failure{Currency: v.code.MinimumCurrency})
	}
}

// foreignMinimum reports whether the minimum is in another currency than orders are.
func (v *verdict) foreignMinimum(c Currency) bool {
	_, minimum := v.code.MinimumAmount.Get()
	return minimum && v.code.MinimumCurrency != c
}

// usabilityOf is the usability of a code whose affiliate has a hold.
func (o *op) usabilityOf(code *CodeRecord, coupon *CouponRecord, hold HoldReason) Usability {
	v := verdict{code: *code, coupon: *coupon}
	v.checkAlways(o.now, o.cfg.Currency)
	o.checkOwnerOf(&v, hold)
	return Usability{Usable: len(v.failures) == 0, Reasons: emptyNotNil(v.failures), Hold: orNull(hold)}
}

// usabilityOfCoupon is that of a code without rules of its own.
func (o *op) usabilityOfCoupon(coupon *CouponRecord) Usability {
	return o.usabilityOf(&CodeRecord{Active: true, AffiliateID: uuid.Max}, coupon, "")
}

// is reports whether a code is in a state.
func (u *Usability) is(s CodeState) bool {
	if s == CodeUsable {
		return u.Usable
	}
	for _, f := range u.Reasons {
		switch f.Reason {
		case CodeExhausted, CouponExhausted:
			if s == CodeUsedUp {
				return true
			}
		case CodeExpired, CouponExpired:
			if s == CodeOver {
				return true
			}
		}
	}
	return false
}

// appendUsability appends it as json.Marshal encodes it.
func appendUsability(dst []byte, u Usability) []byte {
	dst = strconv.AppendBool(append(dst, `{"usable":`...), u.Usable)
	dst = append(dst, `,"reasons":`...)
	if u.Reasons != nil && len(u.Reasons) == 0 {
		dst = append(dst, "[]"...)
	} else {
		raw, _ := json.Marshal(u.Reasons) // texts of the engine, amounts and times always can be
		dst = append(dst, raw...)
	}
	dst = appendOpt(append(dst, `,"hold":`...), u.Hold, jsontext.AppendString)
	return append(dst, '}')
}
