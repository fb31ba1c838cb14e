package affiliate

import "github.com/google/uuid"

// SaleQuery selects the sales that match every field that is set. A field that is
// set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.5.
type SaleQuery struct {
	AffiliateID    Opt[uuid.UUID] `json:"affiliateId,omitzero"` // whom the sale credits
	ReferralID     Opt[string]    `json:"referralId,omitzero"`  // referral id, else customer email
	CodeID         Opt[uuid.UUID] `json:"promotionalCodeId,omitzero"`
	LinkID         Opt[uuid.UUID] `json:"linkId,omitzero"`         // by which the customer came
	Status         SaleStatus     `json:"status,omitzero"`         // empty: any
	ApprovalStatus ApprovalStatus `json:"approvalStatus,omitzero"` // of one of its commissions; empty: any
	Since          Opt[Date]      `json:"since,omitzero"`          // recorded then or later; a plain date is its first millisecond
	Until          Opt[Date]      `json:"until,omitzero"`          // recorded then or earlier; a plain date is its last millisecond
	Currency       Currency       `json:"currency,omitzero"`       // in which the customer was charged, in any letter case; empty: any
	OldestFirst    bool           `json:"oldestFirst,omitzero"`    // false: newest first
	Part           bool           `json:"part,omitzero"`           // Search is a part of one also where it names a sale exactly
	Search         Opt[string]    `json:"search,omitzero"`         // 1–100 characters: exactly a number, an order id, an invoice or a customer's email; else a part of one or of a customer's name
}
