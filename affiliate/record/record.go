package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/mailbox"
)

// Stored records are the records of a [Store]: with ids instead of related
// objects, microseconds instead of milliseconds, and zero values instead of
// null. The JSON objects of the wire ([affiliate.Coupon], [affiliate.Sale] …) are made from them.
//
// A zero [affiliate.Instant], id or text means "none".

// maxKey is the longest text a [Key] may hold, in bytes.
const maxKey = 767

// TextKey returns the key for a text that callers chose. A text that is too long
// for a key is replaced by its digest with a control character in front. Texts
// of callers have no control characters, so the two kinds cannot be confused.
func TextKey(ix Index, s string) Key {
	if len(s) > maxKey {
		sum := sha256.Sum256([]byte(s))
		s = "\x01" + hex.EncodeToString(sum[:])
	}
	return Key{Index: ix, Text: s}
}

// NumberID returns an integer id as a key: its eight bytes at the end of an
// otherwise empty UUID. It needs no memory, and it sorts like the number.
func NumberID(n int64) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

// AppendID appends the key of a reference, when there is one.
func AppendID(dst []Key, ix Index, id uuid.UUID) []Key {
	if id == uuid.Nil {
		return dst
	}
	return append(dst, Key{Index: ix, ID: id})
}

// AppendText appends the key of a text, when there is one.
func AppendText(dst []Key, ix Index, s string) []Key {
	if s == "" {
		return dst
	}
	return append(dst, TextKey(ix, s))
}

// Settings say what the program is, in its only record: the id is uuid.Max. A program that
// was not written yet has none.
type Settings struct {
	ID        uuid.UUID
	Name      string
	Currency  affiliate.Currency // of the books, balances and payouts
	TimeZone  string             // where a plain date ends: the name of its time.Location
	Set       json.RawMessage    `json:",omitzero"` // the others that somebody set: the JSON of an [affiliate.SettingsUpdate]; nil: none
	Revision  int64              // how often they were written
	UpdatedBy string             // who set them last; empty: nobody said
	CreatedAt affiliate.Instant
	UpdatedAt affiliate.Instant
}

// RecordID returns the id, which is uuid.Max.
func (r Settings) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its JSON.
func (r Settings) Clone() Settings {
	r.Set = bytes.Clone(r.Set)
	return r
}

// AppendKeys appends nothing.
func (r Settings) AppendKeys(dst []Key) []Key { return dst }

// Value is a stored [affiliate.HostValue].
type Value struct {
	ID        uuid.UUID
	Kind      string // of the name
	Name      string // one of its kind
	Value     []byte // JSON, or what Seal made of it
	Sealed    bool
	CreatedAt affiliate.Instant
	UpdatedAt affiliate.Instant
}

// RecordID returns the identity of the value in the store.
func (r Value) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its value.
func (r Value) Clone() Value {
	r.Value = bytes.Clone(r.Value)
	return r
}

// AppendKeys appends ByName and OfKind.
func (r Value) AppendKeys(dst []Key) []Key {
	return append(dst, ValueKey(r.Kind, r.Name), Key{Index: OfKind, Text: r.Kind})
}

// ValueKey returns the key of the value of a kind with a name.
func ValueKey(kind, name string) Key { return Key{Index: ByName, Text: kind + "/" + name} }

// Affiliate is a stored [affiliate.Affiliate].
type Affiliate struct {
	ID                  uuid.UUID
	FirstName, LastName string
	Email               string // canonical; empty once erased
	ExternalID          string `json:",omitzero"` // the host's own id of the user, account or tenant; empty: none, or erased
	Language            string `json:",omitzero"` // a tag of BCP 47 in the spelling given, such as pt-BR; empty: not known, or erased
	Status              affiliate.AffiliateStatus
	Source              affiliate.AffiliateSource
	Rate                affiliate.Opt[affiliate.Percent] `json:",omitzero"` // own rate; not given: inherited
	RateType            affiliate.CommissionType         `json:",omitzero"` // the type for which Rate was set; empty: no rate, or a rate that was stored without a type
	PlanID, TierID      uuid.UUID
	TierExempt          bool
	OfferCouponID       uuid.UUID `json:",omitzero"` // what its links give customers; zero: the offer of its terms
	Note                string    `json:",omitzero"` // what the people of the program wrote of it; empty: nothing, or erased
	PayoutEmail         string
	Payee               string `json:",omitzero"` // what all addresses of the mailbox of PayoutEmail share; empty: there is none
	PayeeShared         bool   `json:",omitzero"` // another affiliate was paid there when PayoutEmail was set
	PaymentMethod       affiliate.PaymentMethod
	Answers             []affiliate.Answer
	OpeningClicks       int64 `json:",omitzero"` // visits through its links that another service had counted, also of links that were deleted since
	Merged              bool  `json:",omitzero"` // others were merged into it: names in erasures lead to it
	Revision            int64 // last event of this object
	CreatedAt           affiliate.Instant
	UpdatedAt           affiliate.Instant
}

// RecordID returns the affiliate's id.
func (r Affiliate) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its answers.
func (r Affiliate) Clone() Affiliate {
	r.Answers = slices.Clone(r.Answers)
	return r
}

// SharedPayee is the key of affiliates where another one was paid when their payout address was set.
var SharedPayee = Key{Index: OfShared, Text: "payee"}

// AppendKeys appends ByEmail, ByExternalID, OfPlan, OfTier, OfCoupon, OfState (the status),
// OfPayee, and OfShared.
func (r Affiliate) AppendKeys(dst []Key) []Key {
	dst = AppendText(dst, ByEmail, r.Email)
	dst = AppendText(dst, ByExternalID, r.ExternalID)
	dst = AppendID(dst, OfPlan, r.PlanID)
	dst = AppendID(dst, OfTier, r.TierID)
	dst = AppendID(dst, OfCoupon, r.OfferCouponID)
	dst = AppendText(dst, OfState, string(r.Status))
	dst = AppendText(dst, OfPayee, r.Payee)
	if r.PayeeShared {
		dst = append(dst, SharedPayee)
	}
	return dst
}

// Link is a stored [affiliate.Link].
type Link struct {
	ID, AffiliateID uuid.UUID
	Slug            string   // in the spelling given
	Aliases         []string `json:",omitempty"` // slugs that it had before, here or at another service, and that lead to it too; each has an Alias
	OpeningClicks   int64    `json:",omitzero"`  // visits that another service had counted
	CreatedAt       affiliate.Instant
	UpdatedAt       affiliate.Instant
}

// RecordID returns the link's id.
func (r Link) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its aliases.
func (r Link) Clone() Link {
	r.Aliases = slices.Clone(r.Aliases)
	return r
}

// AppendKeys appends BySlug (folded) and OfAffiliate.
func (r Link) AppendKeys(dst []Key) []Key {
	return append(dst, Key{Index: BySlug, Text: FoldSlug(r.Slug)}, Key{Index: OfAffiliate, ID: r.AffiliateID})
}

// Alias is another text that leads to a link: a slug that the link had before, or the one
// that it had at another service, which need not have the form of a slug. It is a record of
// its own because a record can have only one key in an index. Without a link it is a slug
// that leads to nobody and that nobody else may have: then only the digest of it is kept.
type Alias struct {
	ID          uuid.UUID // the digest of the slug, when it leads to nobody
	LinkID      uuid.UUID // zero: it leads to nobody
	AffiliateID uuid.UUID // whose it was, when it leads to nobody; the affiliate may be gone
	Alias       string    // in the spelling given; empty: it leads to nobody
}

// RecordID returns the alias's identity in the store.
func (r Alias) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Alias) Clone() Alias { return r }

// AppendKeys appends BySlug (folded), OfLink and OfAffiliate.
func (r Alias) AppendKeys(dst []Key) []Key {
	return AppendID(AppendID(AppendText(dst, BySlug, FoldSlug(r.Alias)), OfLink, r.LinkID), OfAffiliate, r.AffiliateID)
}

// Click is a stored [affiliate.Click].
type Click struct {
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
	Earlier     int64 `json:",omitzero"` // the number of the visitor's click before this one; 0: none is known
	CreatedAt   affiliate.Instant
}

// RecordID returns the click's identity in the store.
func (r Click) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Click) Clone() Click { return r }

// AppendKeys appends ByNumber, OfAffiliate, OfLink and OfReferral.
func (r Click) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: ByNumber, ID: NumberID(r.Number)}, Key{Index: OfAffiliate, ID: r.AffiliateID})
	dst = AppendID(dst, OfLink, r.LinkID)
	return AppendID(dst, OfReferral, r.ReferralID)
}

// Referral is a stored [affiliate.Referral].
type Referral struct {
	ID             uuid.UUID
	AffiliateID    uuid.UUID
	LinkID         uuid.UUID
	PlanID         uuid.UUID // commission plan: the affiliate's at creation, or one set for this customer
	PlanFixed      bool      // PlanID was set for this customer and wins over the affiliate's
	Name           string
	Email          string // canonical; empty once erased
	CustomerID     string // the host's own id of the customer (referredUserExternalId)
	Plan           string // the customer's subscription plan
	Status         affiliate.SubscriptionStatus
	SubmissionType affiliate.SubmissionType
	Medium         affiliate.ReferralMedium
	Source         affiliate.ReferralSource
	Integration    affiliate.Integration
	LandingPage    string
	Notes          affiliate.Opt[string] `json:",omitzero"`
	Metadata       json.RawMessage       `json:",omitempty"`
	Erased         affiliate.Instant     `json:",omitzero"` // since then nothing is stored that shows the customer; zero: not erased
	Merged         bool                  `json:",omitzero"` // others were merged into it: names in erasures lead to it
	Revision       int64
	CreatedAt      affiliate.Instant
	UpdatedAt      affiliate.Instant
}

// RecordID returns the referral's id.
func (r Referral) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its metadata.
func (r Referral) Clone() Referral {
	r.Metadata = slices.Clone(r.Metadata)
	return r
}

// AppendKeys appends ByEmail (the mailbox), OfAffiliate, OfLink, OfCustomer and OfPlan.
func (r Referral) AppendKeys(dst []Key) []Key {
	dst = AppendText(dst, ByEmail, mailbox.Of(r.Email))
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	dst = AppendID(dst, OfLink, r.LinkID)
	dst = AppendText(dst, OfCustomer, r.CustomerID)
	return AppendID(dst, OfPlan, r.PlanID)
}
