package affiliate

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/uuid7"
)

// The records of the ledger: movements, and the books that they add up to.

// MovementRecord is a stored [Movement]. It is never changed. It holds no name
// and no text, so it stays when its affiliate is erased or deleted.
type MovementRecord struct {
	ID           uuid.UUID // carries At and Number, see movementID
	AffiliateID  uuid.UUID
	Number       int64 // 1, 2, 3 … of the affiliate
	At           Instant
	From, To     Enum[Account]
	Cause        Enum[Cause]
	Amount       Amount // > 0; 0 in a memo
	Sale         int64  // the number of its sale; zero: none
	Commission   int64  // zero: none, or several
	PayoutID     uuid.UUID
	AdjustmentID uuid.UUID
	LinkID       uuid.UUID // of the sale, as CodeID is
	CodeID       uuid.UUID
	Sales        int64  // change of the number of sales
	Revenue      Amount // change of their totals
	Refunds      Amount // change of what was refunded
	Held         Amount // the accounts after the movement
	Payable      Amount
	InPayout     Amount
	Paid         Amount
}

// RecordID is the movement's id.
func (r MovementRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r MovementRecord) Clone() MovementRecord { return r }

// AppendKeys appends OfAffiliate and OfSale.
func (r MovementRecord) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	if r.Sale == 0 {
		return dst
	}
	return append(dst, Key{Index: OfSale, ID: numberID(r.Sale)})
}

// memo reports whether the movement moves nothing between the accounts.
func (r *MovementRecord) memo() bool { return r.From == r.To }

// movementID is the id of a movement: 48 bits of milliseconds, 10 of
// microseconds, 32 of the number and 32 of the affiliate, beside version and
// variant. So ids are in the order of time, those of an affiliate in the order of
// their numbers, and a range of time is a range of ids.
func movementID(at Instant, number int64, affiliate uuid.UUID) uuid.UUID {
	hash := uint64(14695981039346656037) // FNV-1a
	for _, b := range affiliate {
		hash = (hash ^ uint64(b)) * 1099511628211
	}
	low := uint64(uint32(number))<<32 | (hash^hash>>32)&(1<<32-1) // 64 bits, of which two are before the variant
	id := firstMovement(at)
	id[7] |= byte(low >> 62)
	binary.BigEndian.PutUint64(id[8:], 1<<63|low&(1<<62-1))
	return id
}

// firstMovement is below the ids of the movements of a moment, and above those
// of earlier ones.
func firstMovement(at Instant) uuid.UUID {
	id := uuid7.Stamp(uuid.UUID{}, at.Time())
	var micros uint16
	if at.Time().UnixMilli() >= 0 { // earlier times have one stamp
		micros = uint16(at.Time().UnixMicro() % 1000)
	}
	binary.BigEndian.PutUint16(id[6:], 0x7000|micros<<2)
	id[8] = 1 << 7
	return id
}

// Books are the accounts of one affiliate: fields of its [TotalsRecord], so that
// a sale, which writes the totals, writes no further record. ACCRUAL is the
// negative sum of the four.
type Books struct {
	Held        Amount  `json:",omitzero"`
	Payable     Amount  `json:",omitzero"` // less than zero: the affiliate owes it
	InPayout    Amount  `json:",omitzero"`
	Paid        Amount  `json:",omitzero"`
	Number      int64   `json:",omitzero"` // of the last movement
	LastAt      Instant `json:",omitzero"` // its time
	ClosedUntil Instant `json:",omitzero"` // no later movement has this time or an earlier one
	MaxHold     int64   `json:",omitzero"` // the longest HoldDays of a sale
	Unbooked    bool    `json:",omitzero"` // an import stored something without movements; the opening books it
	Opened      Instant `json:",omitzero"` // the books are complete from then on; zero: they are not open
}

// ever is Opened of an affiliate whose books have its first movement.
var ever = Instant{}.Add(time.Microsecond)

// account is the field of an account; nil for ACCRUAL.
func (b *Books) account(name Account) *Amount {
	switch name {
	case AccountHeld:
		return &b.Held
	case AccountPayable:
		return &b.Payable
	case AccountInPayout:
		return &b.InPayout
	case AccountPaid:
		return &b.Paid
	}
	return nil
}

// move moves an amount between two accounts.
func (b *Books) move(from, to Account, amount Amount) (err error) {
	if account := b.account(from); account != nil {
		if *account, err = account.Sub(amount); err != nil {
			return tooLargeFor("commissionEarned", err)
		}
	}
	if account := b.account(to); account != nil {
		if *account, err = account.Add(amount); err != nil {
			return tooLargeFor("commissionEarned", err)
		}
	}
	return nil
}

// next is the time of the next movement. It never goes back, whatever the clock
// does, and is after the time until which the books are closed.
func (b *Books) next(now Instant) Instant {
	return later(later(now, b.LastAt), b.ClosedUntil.Add(time.Microsecond))
}
