package affiliate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// Stored records are the records of a [Store]: with ids instead of related
// objects, microseconds instead of milliseconds, and zero values instead of
// null. The JSON objects of the wire ([Coupon], [Sale] …) are made from them.
//
// A zero [Instant], id or text means "none".

// maxKey is the longest text a [Key] may hold, in bytes.
const maxKey = 767

// textKey is the key of a text that callers chose. A text that is too long for
// a key is replaced by its digest with a control character in front. Texts of
// callers have no control characters, so the two kinds cannot be confused.
func textKey(ix Index, s string) Key {
	if len(s) > maxKey {
		sum := sha256.Sum256([]byte(s))
		s = "\x01" + hex.EncodeToString(sum[:])
	}
	return Key{Index: ix, Text: s}
}

// numberID is an integer id as a key: its eight bytes at the end of an
// otherwise empty UUID. It needs no memory, and it sorts like the number.
func numberID(n int64) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

// numberIn is the number in an id of numberID.
func numberIn(id uuid.UUID) int64 { return int64(binary.BigEndian.Uint64(id[8:])) }

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
	Rate                Opt[Percent]   `json:",omitzero"` // own rate; not given: inherited
	RateType            CommissionType `json:",omitzero"` // the type for which Rate was set; empty: no rate, or a rate that was stored without a type
	PlanID, TierID      uuid.UUID
	TierExempt          bool
	PayoutEmail         string
	PaymentMethod       PaymentMethod
	Answers             []Answer
	OpeningClicks       int64 `json:",omitzero"` // visits through its links that another service had counted, also of links that were deleted since
	Revision            int64 // last event of this object
	CreatedAt           Instant
	UpdatedAt           Instant
}

// RecordID is the affiliate's id.
func (r AffiliateRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its answers.
func (r AffiliateRecord) Clone() AffiliateRecord {
	r.Answers = slices.Clone(r.Answers)
	return r
}

// AppendKeys appends ByEmail, OfPlan, OfTier and OfState (the status).
func (r AffiliateRecord) AppendKeys(dst []Key) []Key {
	dst = appendText(dst, ByEmail, r.Email)
	dst = appendID(dst, OfPlan, r.PlanID)
	dst = appendID(dst, OfTier, r.TierID)
	return appendText(dst, OfState, string(r.Status))
}

// LinkRecord is a stored [Link].
type LinkRecord struct {
	ID, AffiliateID uuid.UUID
	Slug            string   // in the spelling given
	Aliases         []string `json:",omitempty"` // texts of another service that lead to it too; each has an AliasRecord
	OpeningClicks   int64    `json:",omitzero"`  // visits that another service had counted
	CreatedAt       Instant
	UpdatedAt       Instant
}

// RecordID is the link's id.
func (r LinkRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its aliases.
func (r LinkRecord) Clone() LinkRecord {
	r.Aliases = slices.Clone(r.Aliases)
	return r
}

// AppendKeys appends BySlug (folded) and OfAffiliate.
func (r LinkRecord) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: BySlug, Text: foldSlug(r.Slug)}, Key{Index: OfAffiliate, ID: r.AffiliateID})
}

// AliasRecord is a text that is no slug and leads to a link: the slug that the link
// had at another service. A record has one key in an index, so it is no field of
// the link alone.
type AliasRecord struct {
	ID     uuid.UUID
	LinkID uuid.UUID
	Alias  string // in the spelling given
}

// RecordID is the alias's identity in the store.
func (r AliasRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r AliasRecord) Clone() AliasRecord { return r }

// AppendKeys appends BySlug (folded) and OfLink.
func (r AliasRecord) AppendKeys(dst []Key) []Key {
	return append(dst, textKey(BySlug, foldSlug(r.Alias)), Key{Index: OfLink, ID: r.LinkID})
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
	CreatedAt   Instant
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
	Erased         Instant         `json:",omitzero"` // since then nothing is stored that shows the customer; zero: not erased
	Revision       int64
	CreatedAt      Instant
	UpdatedAt      Instant
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
