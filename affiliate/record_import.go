package affiliate

import "github.com/google/uuid"

// ImportRecord is a row of the ledger of imports: which record a ref of another
// service became here, and what it said. It is kept when the record is renamed,
// erased or deleted, so that no later import makes it again.
type ImportRecord struct {
	ID        uuid.UUID
	Ref       string // it names no person: ids of the service, or a digest
	Kind      ImportKind
	Object    uuid.UUID     // the record; it may be gone
	Digest    string        `json:",omitzero"` // of the row; empty: of a link or a code, which are parts of a row
	Adopted   bool          `json:",omitzero"` // the record was there before
	Figures   ImportFigures `json:",omitzero"` // what the row said; of an adopted record what it had
	CreatedAt Instant
	UpdatedAt Instant
}

// ImportKind says what an [ImportRecord] names.
type ImportKind string

// The kinds of imported records.
const (
	ImportedAsAffiliate ImportKind = "affiliate"
	ImportedAsLink      ImportKind = "link"
	ImportedAsCoupon    ImportKind = "coupon"
	ImportedAsCode      ImportKind = "code"
	ImportedAsReferral  ImportKind = "referral"
	ImportedAsSale      ImportKind = "sale"
	ImportedAsBonus     ImportKind = "bonus" // an adjustment
	ImportedAsPayout    ImportKind = "payout"
)

var importKinds = []ImportKind{
	ImportedAsAffiliate, ImportedAsLink, ImportedAsCoupon, ImportedAsCode,
	ImportedAsReferral, ImportedAsSale, ImportedAsBonus, ImportedAsPayout,
}

// ImportFigures are the amounts of imported rows, in the program's currency.
type ImportFigures struct {
	Sales      Amount `json:",omitzero"` // totals of sales
	Refunds    Amount `json:",omitzero"` // of these sales
	Commission Amount `json:",omitzero"` // of these sales, declined ones too, and bonuses
	Payouts    Amount `json:",omitzero"`
}

// RecordID is the row's own id.
func (r ImportRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r ImportRecord) Clone() ImportRecord { return r }

// AppendKeys appends ByRef.
func (r ImportRecord) AppendKeys(dst []Key) []Key { return appendText(dst, ByRef, r.Ref) }
