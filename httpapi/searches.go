package httpapi

import "github.com/tributary-go/tributary"

// Source: docs/contract.md 4.6.

// summaries lists coupons without their codes.
func summaries() lookup {
	l := filtered((*tributary.Program).CouponSummaries)
	l.parts = true
	return l
}
