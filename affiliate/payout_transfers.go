package affiliate

import "github.com/google/uuid"

// A Transfer is what somebody who pays needs of a payout. Package payfile writes
// transfers into the files of payment providers.
//
// Source: docs/money.md 7.
type Transfer struct {
	PayoutID uuid.UUID
	Status   PayoutStatus
	Amount   Amount
	Currency Currency
	Method   PaymentMethod // with Name and Email: of the affiliate when the payout was created; may be empty
	Name     string
	Email    string
	Note     string // to the payee; empty here, the caller's to fill
}
