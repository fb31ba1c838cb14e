package record

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/mailbox"
)

// The records of money: sales, plans, tiers and totals.

// Sale is a stored [affiliate.Sale] with its commissions and refunds.
type Sale struct {
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
	TotalEarned  affiliate.Amount
	Subtotal     affiliate.Opt[affiliate.Amount] `json:",omitzero"` // the basket before the discount, when it was sent
	Tax          affiliate.Amount
	Shipping     affiliate.Amount
	Refunded     affiliate.Amount
	Rate         affiliate.Opt[affiliate.Percent] `json:",omitzero"` // rate applied
	ByHand       affiliate.Opt[HandSet]           `json:",omitzero"` // a commission set directly
	RateType     affiliate.Enum[affiliate.CommissionType]
	RateFixed    bool // Rate was given for this sale alone
	Status       affiliate.Enum[affiliate.SaleStatus]
	Trigger      affiliate.Enum[affiliate.PaymentTrigger]
	Source       affiliate.Enum[affiliate.SaleSource]
	Integration  affiliate.Enum[affiliate.Integration]
	DeletedFired bool   // sale.deleted was fired; no event follows while the sale is refunded
	Free         bool   `json:",omitzero"` // an order of nothing
	Offer        bool   `json:",omitzero"` // it redeemed what the link gives, without a code
	Past         bool   `json:",omitzero"` // imported, and no payment for Terms.MaxPayments
	HoldDays     int16  `json:",omitzero"` // of its terms when it was recorded
	Conversion   string `json:",omitzero"` // what it is when it is no payment; empty: a sale
	Commissions  []Commission
	Refunds      []Refund
	Products     []string
	Lines        []affiliate.StoredLine `json:",omitempty"`
	Clicks       int64
	Metadata     json.RawMessage `json:",omitempty"`
	Revision     int64
	RefundedAt   affiliate.Instant // zero: not in full
	PaidAt       affiliate.Instant `json:",omitzero"` // as it was reported; zero: it was not
	CreatedAt    affiliate.Instant
	UpdatedAt    affiliate.Instant
	Cap          affiliate.Opt[affiliate.Amount] `json:",omitzero"` // what it may earn at most, by the caps of its terms
	Budgets      []Draw                          `json:",omitempty"`
	Candidates   []Candidate                     `json:",omitempty"` // of everybody whom it could have credited; none: all lead to one affiliate
	Why          Why                             `json:",omitzero"`

	// Charged has the amounts in the currency that was charged, if that is not the
	// program's. Lines, Refunds, and what ByHand says of the kept part are in it too.
	Charged []affiliate.Charge `json:",omitempty"` // at most one
}

// HandSet is a commission that was set directly: the amount earned, and how much of
// the sale was kept and refunded at that time.
type HandSet struct {
	Earned, Kept affiliate.Amount
	Named        affiliate.Amount `json:",omitzero"` // refunded with its tax and shipping named, and how much of it these were
	Tax          affiliate.Amount `json:",omitzero"`
	Shipping     affiliate.Amount `json:",omitzero"`
}

// Commission is a stored [affiliate.Commission], part of its sale.
type Commission struct {
	Number       int64 // the id on the wire
	AffiliateID  uuid.UUID
	Earned       affiliate.Amount
	PayoutID     uuid.UUID // zero: in no payout
	BonusReason  string
	Approval     affiliate.Enum[affiliate.ApprovalStatus]
	HoldReason   affiliate.Enum[affiliate.HoldReason]
	ManuallyPaid bool
	Frozen       bool `json:",omitzero"` // a payout holds it or held it; false in records older than this field: see frozen
	ClawBack     bool `json:",omitzero"` // a further entry, beside one that is frozen
	CreatedAt    affiliate.Instant
	UpdatedAt    affiliate.Instant
	RiskReasons  []affiliate.RiskReason `json:",omitempty"` // the rules of Config.Review that held when the sale was recorded
}

// A Candidate is whom a sale would have credited, by one of the ways that its order had.
type Candidate struct {
	By          affiliate.Enum[affiliate.CreditedBy]
	AffiliateID uuid.UUID // may have been merged into another since, or be gone
}

// Refund is one refund of a sale.
type Refund struct {
	ID       string                          // refundId; empty when none was given
	Amount   affiliate.Amount                // negative: part of earlier refunds came back; only in a sale of a payment
	Tax      affiliate.Opt[affiliate.Amount] `json:",omitzero"` // of Amount; given together with Shipping
	Shipping affiliate.Opt[affiliate.Amount] `json:",omitzero"`
	At       affiliate.Instant
	Fact     bool `json:",omitzero"` // booked for the facts of a payment
}

// RecordID returns the sale's identity in the store.
func (r Sale) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with all its lists.
func (r Sale) Clone() Sale {
	r.Commissions = slices.Clone(r.Commissions)
	for i := range r.Commissions {
		c := &r.Commissions[i]
		c.RiskReasons = slices.Clone(c.RiskReasons)
	}
	r.Refunds = slices.Clone(r.Refunds)
	r.Lines = affiliate.CloneLines(r.Lines)
	r.Products = slices.Clone(r.Products)
	r.Metadata = slices.Clone(r.Metadata)
	r.Charged, r.Budgets, r.Candidates = slices.Clone(r.Charged), slices.Clone(r.Budgets), slices.Clone(r.Candidates)
	return r
}

// AppendKeys appends ByNumber, ByExternalID, ByInvoice, ByConversion, OfAffiliate,
// OfReferral, OfLink, OfCustomer (the mailbox), OfPayable, OfPayout, and OfState while a commission
// is on hold.
func (r Sale) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: ByNumber, ID: NumberID(r.Number)})
	if r.ExternalID != "" {
		dst = append(dst, ExternalKey(r.Conversion, r.ExternalID))
	}
	dst = AppendText(dst, ByInvoice, r.InvoiceID)
	if r.Conversion != "" && r.ReferralID != uuid.Nil {
		dst = append(dst, ConversionKey(r.ReferralID, r.Conversion))
	}
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	dst = AppendID(dst, OfReferral, r.ReferralID)
	dst = AppendID(dst, OfLink, r.LinkID)
	dst = AppendText(dst, OfCustomer, mailbox.Of(r.Email))
	if r.payable() {
		dst = append(dst, Key{Index: OfPayable, ID: r.AffiliateID})
	}
	dst = AppendID(dst, OfPayout, r.firstPayout())
	if r.HasApproval(affiliate.ApprovalOnHold) {
		dst = append(dst, Key{Index: OfState, Text: string(affiliate.ApprovalOnHold)})
	}
	return dst
}

// ExternalKey is the key of a sale by its external id; the ids of conversions are apart
// from those of sales, so that a payment with the id of a sign-up is no repeat of it.
func ExternalKey(conversion, id string) Key {
	if conversion != "" {
		id = "\x02" + id // no text has this character
	}
	return TextKey(ByExternalID, id)
}

// ConversionKey is the key of a conversion of a customer, who has each once.
func ConversionKey(referral uuid.UUID, conversion string) Key {
	return TextKey(ByConversion, referral.String()+" "+conversion)
}

// payable reports whether the sale has a commission that a payout may take.
func (r Sale) payable() bool {
	for i := range r.Commissions {
		if r.Commissions[i].Payable() {
			return true
		}
	}
	return false
}

// Payable reports whether a payout may take the entry.
func (c *Commission) Payable() bool {
	return c.PayoutID == uuid.Nil && c.Approval.Is(affiliate.ApprovalAccepted) && !c.Earned.IsZero()
}

// MaturesAt returns the end of the holding period.
func (r *Sale) MaturesAt() affiliate.Instant {
	return r.CreatedAt.Add(time.Duration(r.HoldDays) * 24 * time.Hour)
}

// Maturing returns what a payout may take from the end of the holding period on: the entries
// that are accepted, in no payout, and neither negative nor further ones, which it may take at
// any time.
func (r *Sale) Maturing() (sum affiliate.Amount) {
	for i := range r.Commissions {
		if c := &r.Commissions[i]; c.Payable() && !c.ClawBack && c.Earned.Sign() > 0 {
			sum = affiliate.AmountFromScaled(sum.Scaled() + c.Earned.Scaled())
		}
	}
	return sum
}

// Product returns the product of a sale of one, as its line names it, or else the host's id or
// name of the only one bought; empty: none is known. Not one: several lines share it.
func (r *Sale) Product() (id, name string, one bool) {
	switch {
	case len(r.Lines) == 0 || r.Lines[0].Whole:
		if len(r.Products) == 1 {
			id = r.Products[0]
		}
		return id, "", true
	case len(r.Lines) == 1:
		return r.Lines[0].ProductID, r.Lines[0].Name, true
	}
	return "", "", false
}

// firstPayout returns the payout that holds the first entry, or zero. Other entries
// may be in other payouts.
func (r *Sale) firstPayout() uuid.UUID {
	if len(r.Commissions) == 0 {
		return uuid.Nil
	}
	return r.Commissions[0].PayoutID
}

// Plan is a stored [affiliate.Plan]. The one with the id uuid.Max has the program's own
// terms, once they were set; it has no name, and no trigger.
type Plan struct {
	ID          uuid.UUID
	Name        string
	Terms       affiliate.Terms         // the first version, which holds since always
	Versions    []affiliate.StoredTerms // the later ones, by their beginnings, which differ
	Trigger     affiliate.PaymentTrigger
	HoldRewards bool
	CreatedAt   affiliate.Instant
	UpdatedAt   affiliate.Instant
}

// RecordID returns the plan's id.
func (r Plan) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its versions and their rules.
func (r Plan) Clone() Plan {
	r.Terms, r.Versions = r.Terms.Clone(), slices.Clone(r.Versions)
	for i := range r.Versions {
		r.Versions[i].Terms = r.Versions[i].Terms.Clone()
	}
	return r
}

// AppendKeys appends nothing: plans are found by id.
func (r Plan) AppendKeys(dst []Key) []Key { return dst }

// Tier is a stored [affiliate.Tier].
type Tier struct {
	ID           uuid.UUID
	Tier         int64
	Name         string
	Emoji        string
	MinReferrals int64
	MinRevenue   affiliate.Amount
	Per          affiliate.Interval `json:",omitzero"` // of which periods the minimums are; empty: of all time
	Grace        int64              `json:",omitzero"` // periods
	AtEnd        bool               `json:",omitzero"` // the present period does not count yet
	Condition    affiliate.ConditionType
	Rate         affiliate.Opt[affiliate.Percent] `json:",omitzero"`
	RateType     affiliate.CommissionType         `json:",omitzero"` // as of an [Affiliate]
	CreatedAt    affiliate.Instant
	UpdatedAt    affiliate.Instant
}

// RecordID returns the tier's id.
func (r Tier) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Tier) Clone() Tier { return r }

// AppendKeys appends nothing: tiers are found by id.
func (r Tier) AppendKeys(dst []Key) []Key { return dst }

// Totals holds the running totals of a link, an affiliate or a referral, under the
// owner's id. No record means that all are zero.
type Totals struct {
	ID           uuid.UUID
	Clicks       int64
	PrunedClicks int64            `json:",omitzero"` // those of Clicks whose records were deleted by age
	Referrals    int64            // live ones
	Sales        int64            // live ones that are not refunded in full
	Revenue      affiliate.Amount // of live sales, less refunds
	Commission   affiliate.Amount // of live sales, without declined commissions
	Conversions  int64            `json:",omitzero"` // live ones that are not refunded; they are not among Sales
	Free         int64            `json:",omitzero"` // those of Sales that are no payments: free orders, and imported sales that do not count
	Books        Books            `json:",omitzero"` // of an affiliate
}

// RecordID returns the owner's id.
func (r Totals) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Totals) Clone() Totals { return r }

// AppendKeys appends nothing: totals are found by their owner.
func (r Totals) AppendKeys(dst []Key) []Key { return dst }

// HasApproval reports whether a commission of the sale has an approval status.
func (r *Sale) HasApproval(status affiliate.ApprovalStatus) bool {
	for i := range r.Commissions {
		if r.Commissions[i].Approval.Is(status) {
			return true
		}
	}
	return false
}

// Why holds what decided a sale when it was recorded, as far as its other fields
// do not say it. Sales that are older than this field have the zero Why.
//
// Source: docs/money.md 10.
type Why struct {
	By       affiliate.Enum[affiliate.CreditedBy]
	RateFrom affiliate.Enum[affiliate.RateSource]
	PlanFrom affiliate.Enum[affiliate.PlanSource]
	Over     affiliate.Enum[affiliate.OverLimit] // that stops the commission; empty: none
	Deduct   affiliate.Enum[affiliate.Deduction]
	Referred bool  `json:",omitzero"` // Month is counted from the referral, and not from the first payment
	Month    int16 `json:",omitzero"` // this was the customer's n-th month; 0: the terms did not ask
	Click    int64 `json:",omitzero"` // the number of the click that credited the affiliate
	Payment  int64 `json:",omitzero"` // this was the customer's n-th payment; 0: nobody's, or no payment
	// What the other sales of the customer earned then; not given: the terms did not ask.
	Earlier affiliate.Opt[affiliate.Amount] `json:",omitzero"`

	PlanID uuid.UUID // zero: the program's terms
	TierID uuid.UUID // the tier that gave the rate; zero: none did
}
