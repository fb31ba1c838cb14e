package affiliate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Stored records are what a [Store] keeps: ids in place of expansions,
// microseconds in place of milliseconds, the zero value in place of null. The
// JSON objects of the wire ([Coupon], [Sale] …) are made from them.
//
// Instants are UTC and truncated to microseconds. A zero instant, id or text
// means "none".

// maxKey is the longest text a [Key] may hold, in bytes.
const maxKey = 767

// textKey is the key of a text that callers chose. What is longer than a key
// may be is replaced by its digest; the control character in front keeps the
// two kinds apart, since no such text contains one.
func textKey(ix Index, s string) Key {
	if len(s) > maxKey {
		sum := sha256.Sum256([]byte(s))
		s = "\x01" + hex.EncodeToString(sum[:])
	}
	return Key{Index: ix, Text: s}
}

// numberID is an integer id in the shape of a key: its eight bytes at the end
// of an otherwise empty UUID. It needs no memory, and its order is the
// number's.
func numberID(n int64) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

// appendID appends the key of a reference, when there is one.
func appendID(dst []Key, ix Index, id uuid.UUID) []Key {
	if id == uuid.Nil {
		return dst
	}
	return append(dst, Key{Index: ix, ID: id})
}

// appendText appends the key of a text, when there is one.
func appendText(dst []Key, ix Index, s string) []Key {
	if s == "" {
		return dst
	}
	return append(dst, textKey(ix, s))
}

// AffiliateRecord is a stored [Affiliate].
type AffiliateRecord struct {
	ID                  uuid.UUID
	FirstName, LastName string
	Email               string // canonical; empty once erased
	Status              AffiliateStatus
	Source              AffiliateSource
	Rate                Opt[Percent] `json:",omitzero"` // own rate; not given: inherited
	PlanID, TierID      uuid.UUID
	TierExempt          bool
	PayoutEmail         string
	PaymentMethod       PaymentMethod
	Answers             []Answer
	Revision            int64 // last event of this object
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// RecordID is the affiliate's id.
func (r AffiliateRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its answers.
func (r AffiliateRecord) Clone() AffiliateRecord {
	r.Answers = slices.Clone(r.Answers)
	return r
}

// AppendKeys appends ByEmail, OfPlan and OfTier.
func (r AffiliateRecord) AppendKeys(dst []Key) []Key {
	dst = appendText(dst, ByEmail, r.Email)
	dst = appendID(dst, OfPlan, r.PlanID)
	return appendID(dst, OfTier, r.TierID)
}

// LinkRecord is a stored [Link].
type LinkRecord struct {
	ID, AffiliateID uuid.UUID
	Slug            string // in the spelling given
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// RecordID is the link's id.
func (r LinkRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r LinkRecord) Clone() LinkRecord { return r }

// AppendKeys appends BySlug (folded) and OfAffiliate.
func (r LinkRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: BySlug, Text: foldSlug(r.Slug)}, Key{Index: OfAffiliate, ID: r.AffiliateID})
}

// ClickRecord is a stored [Click].
type ClickRecord struct {
	ID          uuid.UUID
	Number      int64 // the id on the wire
	AffiliateID uuid.UUID
	LinkID      uuid.UUID // zero once the link is deleted
	ReferralID  uuid.UUID // zero until the visitor becomes a referral
	DeviceID    string
	LandingURL  string
	Referrer    string
	UserAgent   string
	Unique      bool
	CreatedAt   time.Time
}

// RecordID is the click's identity in the store.
func (r ClickRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r ClickRecord) Clone() ClickRecord { return r }

// AppendKeys appends ByNumber, OfAffiliate, OfLink and OfReferral.
func (r ClickRecord) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: ByNumber, ID: numberID(r.Number)}, Key{Index: OfAffiliate, ID: r.AffiliateID})
	dst = appendID(dst, OfLink, r.LinkID)
	return appendID(dst, OfReferral, r.ReferralID)
}

// ReferralRecord is a stored [Referral].
type ReferralRecord struct {
	ID             uuid.UUID
	AffiliateID    uuid.UUID
	LinkID         uuid.UUID
	PlanID         uuid.UUID // commission plan: the affiliate's at creation, or one set for this customer
	PlanFixed      bool      // PlanID was set for this customer and wins over the affiliate's
	Name           string
	Email          string // canonical; empty once erased
	CustomerID     string // the host's own id of the customer (referredUserExternalId)
	Plan           string // the customer's subscription plan
	Status         SubscriptionStatus
	SubmissionType SubmissionType
	Medium         ReferralMedium
	Source         ReferralSource
	Integration    Integration
	LandingPage    string
	Notes          Opt[string]     `json:",omitzero"`
	Metadata       json.RawMessage `json:",omitempty"`
	Revision       int64
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// RecordID is the referral's id.
func (r ReferralRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its metadata.
func (r ReferralRecord) Clone() ReferralRecord {
	r.Metadata = slices.Clone(r.Metadata)
	return r
}

// AppendKeys appends ByEmail, OfAffiliate, OfLink, OfCustomer and OfPlan.
func (r ReferralRecord) AppendKeys(dst []Key) []Key {
	dst = appendText(dst, ByEmail, r.Email)
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	dst = appendID(dst, OfLink, r.LinkID)
	dst = appendText(dst, OfCustomer, r.CustomerID)
	return appendID(dst, OfPlan, r.PlanID)
}

// CouponRecord is a stored [Coupon].
type CouponRecord struct {
	ID               uuid.UUID
	Name             string
	Type             CouponType
	PercentOff       Percent
	AmountOff        Amount
	Currency         Currency
	Duration         Duration
	DurationInMonths int64 // 0 unless repeating
	MaxRedemptions   int64 // 0: no limit
	TimesRedeemed    int64
	LimitToProducts  bool
	ProductIDs       []string
	Valid            bool
	RedeemBy         time.Time // zero: never
	ExternalID       string
	IntegrationType  IntegrationType
	Revision         int64
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// RecordID is the coupon's id.
func (r CouponRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its product ids.
func (r CouponRecord) Clone() CouponRecord {
	r.ProductIDs = slices.Clone(r.ProductIDs)
	return r
}

// AppendKeys appends ByExternalID and OfName.
func (r CouponRecord) AppendKeys(dst []Key) []Key {
	dst = appendText(dst, ByExternalID, r.ExternalID)
	return append(dst, textKey(OfName, r.Name))
}

// CodeRecord is a stored [Code].
type CodeRecord struct {
	ID, CouponID    uuid.UUID
	AffiliateID     uuid.UUID // zero: nobody
	Code            string    // in the spelling given
	ExternalID      string
	Active          bool
	ExpiresAt       time.Time // zero: never
	MaxRedemptions  int64     // 0: no limit
	TimesRedeemed   int64
	FirstTimeOrder  bool
	MinimumAmount   Opt[Amount] `json:",omitzero"`
	MinimumCurrency Currency    // set exactly when MinimumAmount is

	LimitToCustomers   bool
	CustomerID         string
	LimitToAffiliate   bool
	AutoGenerated      bool
	AffiliateGenerated bool
	Revision           int64
	CreatedAt          time.Time
	UpdatedAt          time.Time
}

// RecordID is the code's id.
func (r CodeRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r CodeRecord) Clone() CodeRecord { return r }

// AppendKeys appends ByCode (folded), ByExternalID, OfCoupon and OfAffiliate.
func (r CodeRecord) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: ByCode, Text: foldCode(r.Code)})
	dst = appendText(dst, ByExternalID, r.ExternalID)
	dst = append(dst, Key{Index: OfCoupon, ID: r.CouponID})
	return appendID(dst, OfAffiliate, r.AffiliateID)
}

// RedemptionRecord is a row of the ledger behind timesRedeemed: one for each
// sale by code, kept for ever. Its id is the number of the sale, so that it is
// found by that number when the sale itself is gone.
type RedemptionRecord struct {
	ID               uuid.UUID
	CodeID, CouponID uuid.UUID
	RestoredAt       time.Time // zero: it counts
	CreatedAt        time.Time
}

// RecordID is the number of the sale as an id.
func (r RedemptionRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r RedemptionRecord) Clone() RedemptionRecord { return r }

// AppendKeys appends OfCode and OfCoupon.
func (r RedemptionRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfCode, ID: r.CodeID}, Key{Index: OfCoupon, ID: r.CouponID})
}

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
	Tax          Amount
	Shipping     Amount
	Refunded     Amount
	Rate         Opt[Percent] `json:",omitzero"` // rate applied
	RateType     CommissionType
	RateFixed    bool         // Rate was given for this sale alone
	ByHand       Opt[HandSet] `json:",omitzero"` // a commission set directly
	Commissions  []CommissionRecord
	Refunds      []RefundRecord
	Products     []string
	Clicks       int64
	Status       SaleStatus
	RefundedAt   time.Time // zero: not in full
	Trigger      PaymentTrigger
	Source       SaleSource
	Integration  Integration
	Metadata     json.RawMessage `json:",omitempty"`
	Revision     int64
	DeletedFired bool // sale.deleted went out; nothing is fired any more
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// HandSet is a commission that was set directly: what was earned on what was
// kept of the sale at that time.
type HandSet struct{ Earned, Kept Amount }

// CommissionRecord is a stored [Commission], part of its sale.
type CommissionRecord struct {
	Number       int64 // the id on the wire
	AffiliateID  uuid.UUID
	Earned       Amount
	Approval     ApprovalStatus
	HoldReason   HoldReason
	PayoutID     uuid.UUID // zero: in no payout
	ManuallyPaid bool
	BonusReason  string
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// RefundRecord is one refund of a sale.
type RefundRecord struct {
	ID     string // refundId; empty when none was given
	Amount Amount
	At     time.Time
}

// RecordID is the sale's identity in the store.
func (r SaleRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with all its lists.
func (r SaleRecord) Clone() SaleRecord {
	r.Commissions = slices.Clone(r.Commissions)
	r.Refunds = slices.Clone(r.Refunds)
	r.Products = slices.Clone(r.Products)
	r.Metadata = slices.Clone(r.Metadata)
	return r
}

// AppendKeys appends ByNumber, ByExternalID, ByInvoice, OfAffiliate,
// OfReferral, OfLink, OfCustomer, OfPayable and OfPayout.
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
	return appendID(dst, OfPayout, r.payoutID())
}

// payable tells whether the sale has a commission that a payout may take.
func (r SaleRecord) payable() bool {
	for i := range r.Commissions {
		if r.Commissions[i].payable() {
			return true
		}
	}
	return false
}

func (c *CommissionRecord) payable() bool {
	return c.PayoutID == uuid.Nil && c.Approval == ApprovalAccepted && c.Earned.Sign() > 0
}

// payoutID is the payout that holds the sale's commissions, or zero. All
// commissions of a sale enter the same payout.
func (r SaleRecord) payoutID() uuid.UUID {
	for i := range r.Commissions {
		if id := r.Commissions[i].PayoutID; id != uuid.Nil {
			return id
		}
	}
	return uuid.Nil
}

// PlanRecord is a stored [Plan].
type PlanRecord struct {
	ID          uuid.UUID
	Name        string
	Terms       Terms
	Trigger     PaymentTrigger
	HoldRewards bool
	CreatedAt   time.Time
	UpdatedAt   time.Time
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
	Rate         Opt[Percent] `json:",omitzero"`
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// RecordID is the tier's id.
func (r TierRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r TierRecord) Clone() TierRecord { return r }

// AppendKeys appends nothing: tiers are found by id.
func (r TierRecord) AppendKeys(dst []Key) []Key { return dst }

// PayoutRecord is a stored [Payout].
type PayoutRecord struct {
	ID            uuid.UUID
	AffiliateID   uuid.UUID
	Amount        Amount
	Status        PayoutStatus
	PaymentMethod PaymentMethod
	PeriodStart   time.Time
	PeriodEnd     time.Time
	ExternalID    string
	ManuallyPaid  bool
	PaidAt        time.Time
	FailedReason  string
	Commissions   []int64 // numbers, oldest first
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// RecordID is the payout's id.
func (r PayoutRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its commission numbers.
func (r PayoutRecord) Clone() PayoutRecord {
	r.Commissions = slices.Clone(r.Commissions)
	return r
}

// AppendKeys appends OfAffiliate.
func (r PayoutRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
}

// TotalsRecord is the running totals of a link, an affiliate or a referral,
// under the owner's id. No record means that all are zero.
type TotalsRecord struct {
	ID         uuid.UUID
	Clicks     int64
	Referrals  int64  // live ones
	Sales      int64  // live ones
	Revenue    Amount // sum of totalEarned of live sales
	Commission Amount // sum of their commissions, declined ones excluded
}

// RecordID is the owner's id.
func (r TotalsRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r TotalsRecord) Clone() TotalsRecord { return r }

// AppendKeys appends nothing: totals are found by their owner.
func (r TotalsRecord) AppendKeys(dst []Key) []Key { return dst }

// ReceiptRecord is the first answer to a request that carried a [Once] key.
type ReceiptRecord struct {
	ID        uuid.UUID
	Key       string
	Digest    [32]byte
	Answer    []byte // JSON of the answer; null where the answer was nothing
	Sealed    bool   // Answer went through Config.Seal
	Outcome   string // of a sale
	Refusal   []byte // JSON of the error; nil: the answer was not a refusal
	CreatedAt time.Time
}

// RecordID is the receipt's id.
func (r ReceiptRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its bytes.
func (r ReceiptRecord) Clone() ReceiptRecord {
	r.Answer = slices.Clone(r.Answer)
	r.Refusal = slices.Clone(r.Refusal)
	return r
}

// AppendKeys appends ByRequest.
func (r ReceiptRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: ByRequest, Text: r.Key})
}

// EndpointRecord is a stored [Endpoint] with its secrets.
type EndpointRecord struct {
	ID             uuid.UUID
	URL            string
	Description    string
	Events         []EventType
	Active         bool
	SvixHeaders    bool
	Secrets        []SecretRecord // newest first
	DisabledReason DisabledReason
	DisabledAt     time.Time
	FirstFailureAt time.Time
	LastSuccessAt  time.Time
	PausedUntil    time.Time
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// SecretRecord is one signing secret of an endpoint.
type SecretRecord struct {
	Value     []byte    // as Config.Seal gave it
	Hint      string    // last four characters
	ExpiresAt time.Time // zero: the newest one
}

// RecordID is the endpoint's id.
func (r EndpointRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its event list and secrets.
func (r EndpointRecord) Clone() EndpointRecord {
	r.Events = slices.Clone(r.Events)
	r.Secrets = slices.Clone(r.Secrets)
	for i := range r.Secrets {
		r.Secrets[i].Value = slices.Clone(r.Secrets[i].Value)
	}
	return r
}

// AppendKeys appends nothing: endpoints are found by id.
func (r EndpointRecord) AppendKeys(dst []Key) []Key { return dst }

// EventRecord is a stored [Event].
type EventRecord struct {
	ID         uuid.UUID
	Type       EventType
	ObjectID   uuid.UUID // identity of the object in the store
	Number     int64     // of a sale; otherwise 0
	Revision   int64
	OccurredAt time.Time
	Payload    Payload // frozen; empty once a person in it was erased
}

// RecordID is the event's id.
func (r EventRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: a payload never changes.
func (r EventRecord) Clone() EventRecord { return r }

// AppendKeys appends OfObject.
func (r EventRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfObject, ID: r.ObjectID})
}

// DeliveryRecord is a stored [Delivery].
type DeliveryRecord struct {
	ID            uuid.UUID
	EventID       uuid.UUID
	EndpointID    uuid.UUID
	Type          EventType
	State         DeliveryState
	Attempts      []AttemptRecord // oldest first
	NextAttemptAt time.Time       // while pending
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// AttemptRecord is one attempt of a delivery.
type AttemptRecord struct {
	At       time.Time
	Manual   bool
	URL      string
	Status   int           // 0: no answer
	Took     time.Duration // from the request to the end of the answer
	Err      string        // class
	Response string        // start of the answer's body
}

// RecordID is the delivery's id.
func (r DeliveryRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its attempts.
func (r DeliveryRecord) Clone() DeliveryRecord {
	r.Attempts = slices.Clone(r.Attempts)
	return r
}

// AppendKeys appends OfEvent, OfEndpoint and OfState.
func (r DeliveryRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: OfEvent, ID: r.EventID}, Key{Index: OfEndpoint, ID: r.EndpointID},
		Key{Index: OfState, Text: string(r.State)})
}

// QueueRecord is a delivery that waits for an attempt. Its id is the due time
// in 48 bits of milliseconds and random bits, so that the head of the table is
// what is due.
type QueueRecord struct {
	ID                     uuid.UUID
	DeliveryID, EndpointID uuid.UUID
	Token                  uuid.UUID // of the claim that holds it; zero: none
	Manual                 bool
}

// RecordID is the due time as an id.
func (r QueueRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r QueueRecord) Clone() QueueRecord { return r }

// AppendKeys appends ByDelivery and OfEndpoint.
func (r QueueRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: ByDelivery, ID: r.DeliveryID}, Key{Index: OfEndpoint, ID: r.EndpointID})
}
