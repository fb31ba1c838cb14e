package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
)

// Import is a row of the ledger of imports: which record a ref of another
// service became here, and the row's content. It stays when the record is
// renamed, erased or deleted, so that no later import creates the record again.
type Import struct {
	ID        uuid.UUID
	Ref       string // never names a person: ids of the service, or a digest
	Kind      imported.Kind
	Object    uuid.UUID        // the record; it may be gone
	Digest    string           `json:",omitzero"` // of the row; empty: of a link or a code, which are parts of a row
	Adopted   bool             `json:",omitzero"` // the record was there before
	Figures   imported.Figures `json:",omitzero"` // what the row said; of an adopted record what it had
	CreatedAt affiliate.Instant
	UpdatedAt affiliate.Instant
}

// The kinds of imported records.
const (
	ImportedAsAffiliate imported.Kind = "affiliate"
	ImportedAsLink      imported.Kind = "link"
	ImportedAsCoupon    imported.Kind = "coupon"
	ImportedAsCode      imported.Kind = "code"
	ImportedAsReferral  imported.Kind = "referral"
	ImportedAsCustomer  imported.Kind = "customer" // who has bought before the program began; no record, its ref is a digest
	ImportedAsSale      imported.Kind = "sale"
	ImportedAsBonus     imported.Kind = "bonus" // an adjustment
	ImportedAsPayout    imported.Kind = "payout"
)

// RecordID returns the row's own id.
func (r Import) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Import) Clone() Import { return r }

// AppendKeys appends ByRef.
func (r Import) AppendKeys(dst []Key) []Key { return AppendText(dst, ByRef, r.Ref) }
