package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Erasure says to whom a name leads that no record has any more: the email of somebody
// who was erased, so that a later payment with that email does not store it again, or an
// id or email of a customer or an affiliate who was merged into another one. Its id is a
// digest of the name under Config.ErasureKey, which cannot be reversed.
type Erasure struct {
	ID          uuid.UUID
	ReferralID  uuid.UUID // whom it leads to; zero: an affiliate, or nobody: no referral had the email, or it was deleted since
	AffiliateID uuid.UUID `json:",omitzero"` // whom it leads to; zero: a customer, or nobody
	Name        string    `json:",omitzero"` // of somebody who was merged; empty: it was erased
	CreatedAt   affiliate.Instant
}

// RecordID returns the digest of the name.
func (r Erasure) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Erasure) Clone() Erasure { return r }

// AppendKeys appends OfReferral and OfAffiliate.
func (r Erasure) AppendKeys(dst []Key) []Key {
	return AppendID(AppendID(dst, OfReferral, r.ReferralID), OfAffiliate, r.AffiliateID)
}
