package affiliate

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// The records of money: sales, plans, tiers and totals.

// SaleRecord is a stored [Sale] with its commissions and refunds.
type SaleRecord struct {
	ID           uuid.UUID
	Number       int64 // the id on the wire
	AffiliateID  uuid.UUID
	ReferralID   uuid.UUID
	LinkID       uuid.UUID
	CodeID       uuid.UUID // may outlive the code
	ExternalID   string
	InvoiceID    string
	Name         string
	Email        string
	TotalEarned  Amount
	Subtotal     Opt[Amount] `json:",omitzero"` // the basket before the discount, when it was sent
	Tax          Amount
	Shipping     Amount
	Refunded     Amount
	Rate         Opt[Percent] `json:",omitzero"` // rate applied
	ByHand       Opt[HandSet] `json:",omitzero"` // a commission set directly
	RateType     Enum[CommissionType]
	RateFixed    bool // Rate was given for this sale alone
	Status       Enum[SaleStatus]
	Trigger      Enum[PaymentTrigger]
	Source       Enum[SaleSource]
	Integration  Enum[Integration]
	DeletedFired bool // sale.deleted was fired; no event follows while the sale is refunded
	Free         bool `json:",omitzero"` // an order of nothing
	Past         bool `json:",omitzero"` // imported, and no payment for Terms.MaxPayments
	Commissions  []CommissionRecord
	Refunds      []RefundRecord
	Products     []string
	Clicks       int64
	Metadata     json.RawMessage `json:",omitempty"`
	Revision     int64
	RefundedAt   Instant // zero: not in full
	PaidAt       Instant `json:",omitzero"` // as it was reported; zero: it was not
	CreatedAt    Instant
	UpdatedAt    Instant
	HoldDays     int64 `json:",omitzero"` // of its terms when it was recorded
	Why          Why   `json:",omitzero"`
}

// HandSet is a commission that was set directly: the amount earned, and what was
// kept and refunded of the sale at that time.
type HandSet struct {
	Earned, Kept Amount
	Named        Amount `json:",omitzero"` // refunded with its tax and shipping named, and how much of it these were
	Tax          Amount `json:",omitzero"`
	Shipping     Amount `json:",omitzero"`
}

// CommissionRecord is a stored [Commission], part of its sale.
type CommissionRecord struct {
	Number       int64 // the id on the wire
	AffiliateID  uuid.UUID
	Earned       Amount
	PayoutID     uuid.UUID // zero: in no payout
	BonusReason  string
	Approval     Enum[ApprovalStatus]
	HoldReason   Enum[HoldReason]
	ManuallyPaid bool
	Frozen       bool `json:",omitzero"` // a payout holds it or held it; false in records older than this field: see frozen
	ClawBack     bool `json:",omitzero"` // a further entry, beside one that is frozen
	CreatedAt    Instant
	UpdatedAt    Instant
	RiskReasons  []RiskReason `json:",omitempty"` // the rules of Config.Review that held when the sale was recorded
}

// RefundRecord is one refund of a sale.
type RefundRecord struct {
	ID       string      // refundId; empty when none was given
	Amount   Amount      // below zero: so much of earlier refunds came back; only of a payment
	Tax      Opt[Amount] `json:",omitzero"` // of Amount; given together with Shipping
	Shipping Opt[Amount] `json:",omitzero"`
	At       Instant
	Fact     bool `json:",omitzero"` // booked for the facts of a payment
}

// RecordID is the sale's identity in the store.
func (r SaleRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with all its lists.
func (r SaleRecord) Clone() SaleRecord {
	r.Commissions = slices.Clone(r.Commissions)
	for i := range r.Commissions {
		c := &r.Commissions[i]
		c.RiskReasons = slices.Clone(c.RiskReasons)
	}
	r.Refunds = slices.Clone(r.Refunds)
	r.Products = slices.Clone(r.Products)
	r.Metadata = slices.Clone(r.Metadata)
	return r
}

// AppendKeys appends ByNumber, ByExternalID, ByInvoice, OfAffiliate,
// OfReferral, OfLink, OfCustomer, OfPayable, OfPayout, and OfState while a commission
// is on hold.
func (r SaleRecord) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: ByNumber, ID: numberID(r.Number)})
	dst = appendText(dst, ByExternalID, r.ExternalID)
	dst = appendText(dst, ByInvoice, r.InvoiceID)
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	dst = appendID(dst, OfReferral, r.ReferralID)
	dst = appendID(dst, OfLink, r.LinkID)
	dst = appendText(dst, OfCustomer, r.Email)
	if r.payable() {
		dst = append(dst, Key{Index: OfPayable, ID: r.AffiliateID})
	}
	dst = appendID(dst, OfPayout, r.firstPayout())
	if r.hasApproval(ApprovalOnHold) {
		dst = append(dst, Key{Index: OfState, Text: string(ApprovalOnHold)})
	}
	return dst
}

// payable reports whether the sale has a commission that a payout may take.
func (r SaleRecord) payable() bool {
	for i := range r.Commissions {
		if r.Commissions[i].payable() {
			return true
		}
	}
	return false
}

func (c *CommissionRecord) payable() bool {
	return c.PayoutID == uuid.Nil && c.Approval.Is(ApprovalAccepted) && !c.Earned.IsZero()
}

// frozen reports whether a payout holds the entry or held it. Its amount never
// changes then. Records older than the canceling of payouts do not say so.
func (c *CommissionRecord) frozen() bool { return c.Frozen || c.PayoutID != uuid.Nil }

// frozen reports whether an entry of the sale is frozen.
func (r *SaleRecord) frozen() bool {
	return slices.ContainsFunc(r.Commissions, func(c CommissionRecord) bool { return c.frozen() })
}

// inPayout reports whether a payout holds an entry of the sale.
func (r *SaleRecord) inPayout() bool {
	return slices.ContainsFunc(r.Commissions, func(c CommissionRecord) bool { return c.PayoutID != uuid.Nil })
}

// firstPayout is the payout that holds the first entry, or zero. Other entries
// may be in others.
func (r *SaleRecord) firstPayout() uuid.UUID {
	if len(r.Commissions) == 0 {
		return uuid.Nil
	}
	return r.Commissions[0].PayoutID
}

// PlanRecord is a stored [Plan].
type PlanRecord struct {
	ID          uuid.UUID
	Name        string
	Terms       Terms
	Trigger     PaymentTrigger
	HoldRewards bool
	CreatedAt   Instant
	UpdatedAt   Instant
}

// RecordID is the plan's id.
func (r PlanRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r PlanRecord) Clone() PlanRecord { return r }

// AppendKeys appends nothing: plans are found by id.
func (r PlanRecord) AppendKeys(dst []Key) []Key { return dst }

// TierRecord is a stored [Tier].
type TierRecord struct {
	ID           uuid.UUID
	Tier         int64
	Name         string
	Emoji        string
	MinReferrals int64
	MinRevenue   Amount
	Condition    ConditionType
	Rate         Opt[Percent]   `json:",omitzero"`
	RateType     CommissionType `json:",omitzero"` // as of an [AffiliateRecord]
	CreatedAt    Instant
	UpdatedAt    Instant
}

// RecordID is the tier's id.
func (r TierRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r TierRecord) Clone() TierRecord { return r }

// AppendKeys appends nothing: tiers are found by id.
func (r TierRecord) AppendKeys(dst []Key) []Key { return dst }

// TotalsRecord is the running totals of a link, an affiliate or a referral,
// under the owner's id. No record means that all are zero.
type TotalsRecord struct {
	ID           uuid.UUID
	Clicks       int64
	PrunedClicks int64  `json:",omitzero"` // those of Clicks whose records were deleted by age
	Referrals    int64  // live ones
	Sales        int64  // live ones that are not refunded in full
	Revenue      Amount // of live sales, less refunds
	Commission   Amount // of live sales, without declined commissions
	Free         int64  `json:",omitzero"` // those of Sales that are no payments: free orders, and imported sales that do not count
	Books        Books  `json:",omitzero"` // of an affiliate
}

// RecordID is the owner's id.
func (r TotalsRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r TotalsRecord) Clone() TotalsRecord { return r }

// AppendKeys appends nothing: totals are found by their owner.
func (r TotalsRecord) AppendKeys(dst []Key) []Key { return dst }
