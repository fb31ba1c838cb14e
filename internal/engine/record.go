package engine

import (
	"encoding/binary"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
)

// NumberIn returns the number in an id that record.NumberID made.
func NumberIn(id uuid.UUID) int64 { return int64(binary.BigEndian.Uint64(id[8:])) }

var ImportKinds = []imported.Kind{
	record.ImportedAsAffiliate, record.ImportedAsLink, record.ImportedAsCoupon, record.ImportedAsCode,
	record.ImportedAsReferral, record.ImportedAsCustomer, record.ImportedAsSale, record.ImportedAsBonus, record.ImportedAsPayout,
}

// CommissionFrozen reports whether a payout holds the entry or ever held it. Its amount
// never changes then. Records from versions without cancelable payouts have only
// PayoutID.
func CommissionFrozen(c *record.Commission) bool { return c.Frozen || c.PayoutID != uuid.Nil }

// SaleFrozen reports whether an entry of the sale is frozen.
func SaleFrozen(r *record.Sale) bool {
	return slices.ContainsFunc(r.Commissions, func(c record.Commission) bool { return CommissionFrozen(&c) })
}

// inPayout reports whether a payout holds an entry of the sale.
func inPayout(r *record.Sale) bool {
	return slices.ContainsFunc(r.Commissions, func(c record.Commission) bool { return c.PayoutID != uuid.Nil })
}
