package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Case is a stored [affiliate.Case].
type Case struct {
	ID          uuid.UUID
	AffiliateID uuid.UUID
	Kind        affiliate.CaseKind
	Sale        int64  // the number of its sale, which may be deleted before it; zero: none
	ExternalID  string // the number of an order, not checked
	Text        string
	Status      affiliate.CaseStatus
	Answer      string
	Actor       string            // who answered
	AnsweredAt  affiliate.Instant // zero: it is OPEN
	CreatedAt   affiliate.Instant
}

// RecordID returns the case's id.
func (r Case) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Case) Clone() Case { return r }

// AppendKeys appends OfAffiliate and OfState.
func (r Case) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	return AppendText(dst, OfState, string(r.Status))
}
