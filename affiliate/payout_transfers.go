package affiliate

import "github.com/google/uuid"

// A Transfer is what a payer needs to know of a payout. Package payfile writes
// transfers into the files of payment providers.
//
// Source: docs/money.md 7.
type Transfer struct {
	PayoutID uuid.UUID
	Status   PayoutStatus
	Amount   Amount
	Currency Currency
	Method   PaymentMethod // as Name and Email, the affiliate's when the payout was created; may be empty
	Name     string
	Email    string
	Note     string // to the payee; empty here, for the caller to fill
}
