package affiliate

import "github.com/google/uuid"

// ErasureRecord says that somebody with an email was erased, so that a later
// payment with the email does not store it again. It does not hold the email: its
// id is what Config.ErasureKey makes of the email, which nobody can turn back.
type ErasureRecord struct {
	ID         uuid.UUID
	ReferralID uuid.UUID // the erased referral; zero: no referral had the email, or it was deleted since
	CreatedAt  Instant
}

// RecordID is what is kept of the email.
func (r ErasureRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r ErasureRecord) Clone() ErasureRecord { return r }

// AppendKeys appends OfReferral.
func (r ErasureRecord) AppendKeys(dst []Key) []Key { return appendID(dst, OfReferral, r.ReferralID) }
