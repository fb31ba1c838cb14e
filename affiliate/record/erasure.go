package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Erasure says that somebody with an email was erased, so that a later payment
// with that email does not store it again. An alias says that a customer is known by
// another name too: the email, the host's id or the referral id of one that was merged
// into it. It does not hold the name: its id is a digest of the name under
// Config.ErasureKey, which cannot be reversed.
type Erasure struct {
	ID         uuid.UUID
	ReferralID uuid.UUID // the referral; zero: no referral had the email, or it was deleted since
	Alias      bool      `json:",omitzero"` // the referral was not erased
	CreatedAt  affiliate.Instant
}

// RecordID returns the digest of the name.
func (r Erasure) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Erasure) Clone() Erasure { return r }

// AppendKeys appends OfReferral.
func (r Erasure) AppendKeys(dst []Key) []Key { return AppendID(dst, OfReferral, r.ReferralID) }
