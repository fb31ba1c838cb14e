package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Erasure says that somebody with an email was erased, so that a later payment
// with that email does not store it again. It does not hold the email: its id is
// a digest of the email under Config.ErasureKey, which cannot be reversed.
type Erasure struct {
	ID         uuid.UUID
	ReferralID uuid.UUID // the erased referral; zero: no referral had the email, or it was deleted since
	CreatedAt  affiliate.Instant
}

// RecordID returns the digest of the email.
func (r Erasure) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Erasure) Clone() Erasure { return r }

// AppendKeys appends OfReferral.
func (r Erasure) AppendKeys(dst []Key) []Key { return AppendID(dst, OfReferral, r.ReferralID) }
