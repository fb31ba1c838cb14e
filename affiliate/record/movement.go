package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The records of the ledger: movements, and the books, which are their sums.

// Movement is a stored [affiliate.Movement]. It never changes. It holds no name
// and no text, so it stays when its affiliate is erased or deleted.
type Movement struct {
	ID           uuid.UUID // carries At and Number, see movementID
	AffiliateID  uuid.UUID
	Number       int64 // 1, 2, 3 … of the affiliate
	At           affiliate.Instant
	From, To     affiliate.Enum[affiliate.Account]
	Cause        affiliate.Enum[affiliate.Cause]
	Amount       affiliate.Amount // > 0; 0 in a memo
	Sale         int64            // the number of its sale; zero: none
	Commission   int64            // zero: none, or several
	PayoutID     uuid.UUID
	AdjustmentID uuid.UUID
	LinkID       uuid.UUID // of the sale, as CodeID is
	CodeID       uuid.UUID
	Sales        int64            // change of the number of sales
	Conversions  int64            `json:",omitzero"` // and of conversions
	Revenue      affiliate.Amount // change of their totals
	Refunds      affiliate.Amount // change of what was refunded
	Held         affiliate.Amount // the accounts after the movement
	Payable      affiliate.Amount
	InPayout     affiliate.Amount
	Paid         affiliate.Amount
	Actor        string `json:",omitzero"` // who moved it, as [tributary.Program.By] says; empty: nobody says
}

// RecordID returns the movement's id.
func (r Movement) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Movement) Clone() Movement { return r }

// AppendKeys appends OfAffiliate and OfSale.
func (r Movement) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	if r.Sale == 0 {
		return dst
	}
	return append(dst, Key{Index: OfSale, ID: NumberID(r.Sale)})
}

// Books are the accounts of one affiliate. They are fields of its [Totals], which
// a sale writes anyway, so a sale writes no extra record. ACCRUAL is the negative
// sum of the four.
type Books struct {
	Held        affiliate.Amount  `json:",omitzero"`
	Payable     affiliate.Amount  `json:",omitzero"` // less than zero: the affiliate owes it
	InPayout    affiliate.Amount  `json:",omitzero"`
	Paid        affiliate.Amount  `json:",omitzero"`
	Number      int64             `json:",omitzero"` // of the last movement
	LastAt      affiliate.Instant `json:",omitzero"` // its time
	ClosedUntil affiliate.Instant `json:",omitzero"` // no later movement has this time or an earlier one
	MaxHold     int64             `json:",omitzero"` // the longest HoldDays of a sale
	Unbooked    bool              `json:",omitzero"` // an import stored something without movements; the opening books it
	Opened      affiliate.Instant `json:",omitzero"` // the books are complete from then on; zero: they are not open
}
