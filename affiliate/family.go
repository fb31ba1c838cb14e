package affiliate

import (
	"slices"
	"strings"
)

// EventType is family.action, lower case, with exactly one dot (contract 7.1).
type EventType string

// The fifteen event types; there are no others.
const (
	AffiliateCreated EventType = "affiliate.created"
	AffiliateUpdated EventType = "affiliate.updated"
	AffiliateDeleted EventType = "affiliate.deleted"
	ReferralCreated  EventType = "referral.created"
	ReferralUpdated  EventType = "referral.updated"
	ReferralDeleted  EventType = "referral.deleted"
	SaleCreated      EventType = "sale.created"
	SaleUpdated      EventType = "sale.updated"
	SaleDeleted      EventType = "sale.deleted"
	CouponCreated    EventType = "coupon.created"
	CouponUpdated    EventType = "coupon.updated"
	CouponDeleted    EventType = "coupon.deleted"
	PromocodeCreated EventType = "promocode.created"
	PromocodeUpdated EventType = "promocode.updated"
	PromocodeDeleted EventType = "promocode.deleted"
)

// EventTypes lists the fifteen types in the order of docs/contract.md 7.1.
func EventTypes() []EventType {
	return []EventType{
		AffiliateCreated, AffiliateUpdated, AffiliateDeleted,
		ReferralCreated, ReferralUpdated, ReferralDeleted,
		SaleCreated, SaleUpdated, SaleDeleted,
		CouponCreated, CouponUpdated, CouponDeleted,
		PromocodeCreated, PromocodeUpdated, PromocodeDeleted,
	}
}

// Family returns the part before the dot: affiliate, referral, sale, coupon or
// promocode.
func (t EventType) Family() string {
	family, _, _ := strings.Cut(string(t), ".")
	return family
}

// Known reports whether t is one of the fifteen types.
func (t EventType) Known() bool { return slices.Contains(EventTypes(), t) }
