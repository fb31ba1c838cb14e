package engine

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// IsMemo reports whether the movement moves nothing between the accounts.
func IsMemo(r *record.Movement) bool { return r.From == r.To }

// MovementID returns the id of a movement: 48 bits of milliseconds, 10 of
// microseconds, 32 of the number and 32 of the affiliate, besides version and
// variant. So ids are in the order of time, the ids of an affiliate are in the order
// of their numbers, and a range of time is a range of ids.
func MovementID(at affiliate.Instant, number int64, affiliate uuid.UUID) uuid.UUID {
	hash := uint64(14695981039346656037) // FNV-1a
	for _, b := range affiliate {
		hash = (hash ^ uint64(b)) * 1099511628211
	}
	low := uint64(uint32(number))<<32 | (hash^hash>>32)&(1<<32-1) // 64 bits, of which two are before the variant
	id := FirstMovement(at)
	id[7] |= byte(low >> 62)
	binary.BigEndian.PutUint64(id[8:], 1<<63|low&(1<<62-1))
	return id
}

// FirstMovement returns an id below those of all movements at this time, and above
// those of earlier ones.
func FirstMovement(at affiliate.Instant) uuid.UUID {
	id := uuid7.Stamp(uuid.UUID{}, at.Time())
	var micros uint16
	if at.Time().UnixMilli() >= 0 { // earlier times have one stamp
		micros = uint16(at.Time().UnixMicro() % 1000)
	}
	binary.BigEndian.PutUint16(id[6:], 0x7000|micros<<2)
	id[8] = 1 << 7
	return id
}

// Ever is the value of Opened for an affiliate whose books began with its first
// movement.
var Ever = affiliate.Instant{}.Add(time.Microsecond)

// AccountOf returns the field of an account; nil for ACCRUAL.
func AccountOf(b *record.Books, name affiliate.Account) *affiliate.Amount {
	switch name {
	case affiliate.AccountHeld:
		return &b.Held
	case affiliate.AccountPayable:
		return &b.Payable
	case affiliate.AccountInPayout:
		return &b.InPayout
	case affiliate.AccountPaid:
		return &b.Paid
	}
	return nil
}

// MoveBetween moves an amount between two accounts.
func MoveBetween(b *record.Books, from, to affiliate.Account, amount affiliate.Amount) (err error) {
	if account := AccountOf(b, from); account != nil {
		if *account, err = account.Sub(amount); err != nil {
			return TooLargeFor("commissionEarned", err)
		}
	}
	if account := AccountOf(b, to); account != nil {
		if *account, err = account.Add(amount); err != nil {
			return TooLargeFor("commissionEarned", err)
		}
	}
	return nil
}

// next returns the time of the next movement. It never goes back, whatever the clock
// does, and is after the time until which the books are closed.
func next(b *record.Books, now affiliate.Instant) affiliate.Instant {
	return Later(Later(now, b.LastAt), b.ClosedUntil.Add(time.Microsecond))
}

// AccruedBy returns what a movement adds to the total of everything owed and paid.
func AccruedBy(r *record.Movement) affiliate.Amount {
	switch {
	case IsMemo(r):
		return affiliate.Amount{}
	case r.From.Is(affiliate.AccountAccrual):
		return r.Amount
	case r.To.Is(affiliate.AccountAccrual):
		return r.Amount.Neg()
	}
	return affiliate.Amount{}
}
