package affiliate

import "github.com/google/uuid"

// Attention lists what waits for somebody who runs the program: see Program.Attention.
//
// Source: docs/contract.md 4.6.
type Attention struct {
	PendingAffiliates Waiting[PendingAffiliate] `json:"pendingAffiliates"` // they are INACTIVE until somebody approves or declines them
	HeldSales         Waiting[HeldSale]         `json:"heldSales"`         // with a commission that is on hold
	FailingWebhooks   Waiting[FailingWebhook]   `json:"failingWebhooks"`   // disabled because they fail or are gone, or every attempt has failed for a while
	FailedDeliveries  Waiting[FailedDelivery]   `json:"failedDeliveries"`  // given up in the last 14 days
	FailedPayouts     Waiting[FailedPayout]     `json:"failedPayouts"`
	PaymentConflicts  Waiting[ConflictPayment]  `json:"paymentConflicts"` // they brought money and have no sale, or one that may be wrong, until Program.DecidePayment
	OldestPaymentAt   Opt[Time]                 `json:"oldestPaymentAt"`  // when the oldest of those was reported; null: none waits

	// Overdrawn are redemptions over a limit, until Program.AcceptRedemption. Not there: none waits.
	Overdrawn Waiting[OverdrawnRedemption] `json:"overdrawn,omitzero"`

	// SharedPayees are payout addresses of several affiliates, which may be one person, as long as they are. Not there: there is none.
	SharedPayees Waiting[SharedPayee] `json:"sharedPayees,omitzero"`
}

// Empty reports whether nothing waits.
func (a *Attention) Empty() bool {
	return a.PendingAffiliates.Count+a.HeldSales.Count+a.FailingWebhooks.Count+a.FailedDeliveries.Count+a.FailedPayouts.Count+a.PaymentConflicts.Count+a.Overdrawn.Count+a.SharedPayees.Count == 0
}

// Waiting is one list of [Attention]: the newest of what waits.
type Waiting[T any] struct {
	Count int  `json:"count"` // how many wait; at most 100
	More  bool `json:"more"`  // more than 100 wait
	Items []T  `json:"items"` // the newest first; never nil
}

// A PendingAffiliate waits for approval.
type PendingAffiliate struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// A SharedPayee is a mailbox at which two affiliates or more are paid: their payout emails are
// the same, or are alike as [SameMailbox] says.
type SharedPayee struct {
	Affiliates []Payee `json:"affiliates"` // two at least and 20 at most, by their ids
}

// A Payee is an affiliate with the address to which payouts go.
type Payee struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	PayoutEmail string    `json:"payoutEmail"`
}

// A HeldSale has a commission that is on hold.
type HeldSale struct {
	ID               SaleID          `json:"id"`
	AffiliateID      uuid.UUID       `json:"affiliateId"`
	CommissionEarned Amount          `json:"commissionEarned"`
	HoldReason       Opt[HoldReason] `json:"holdReason"` // of its first commission on hold
}

// A FailingWebhook is an endpoint that receives nothing.
type FailingWebhook struct {
	ID             uuid.UUID           `json:"id"`
	URL            string              `json:"url"`
	Status         EndpointStatus      `json:"status"`
	DisabledReason Opt[DisabledReason] `json:"disabledReason"`
	FirstFailureAt Opt[Time]           `json:"firstFailureAt"` // since when every attempt has failed
}

// A FailedDelivery was given up after its last attempt.
type FailedDelivery struct {
	ID        uuid.UUID `json:"id"`
	WebhookID uuid.UUID `json:"webhookId"`
	Event     EventType `json:"event"`
	CreatedAt Time      `json:"createdAt"`
}

// A FailedPayout did not reach the affiliate.
type FailedPayout struct {
	ID           uuid.UUID   `json:"id"`
	AffiliateID  uuid.UUID   `json:"affiliateId"`
	Amount       Amount      `json:"amount"`
	FailedReason Opt[string] `json:"failedReason"`
}

// A ConflictPayment is a payment that brought money and has no sale, although an affiliate
// may have earned a commission, or one whose sale may be wrong. Outcome says why: it names a sale, but its payer or
// amounts differ from it ([SaleConflict]); its code was refused ([SaleRefused]); it names
// nobody who exists ([SaleUnattributed]); nothing says whom to credit, or how much was paid
// ([SaleParked]); nobody knows in which unit it is counted ([SaleUnknownUnit]) or who paid
// ([SaleNoCustomer]); it is a renewal by a code, and its first payment was not told ([SaleNoFirst]); or there is no rate for its currency ([SaleOtherCurrency]).
// Its sale may be wrong because it is cancelled or failed ([SaleRevoked]), or was told again with
// other contents ([SaleDiffers]).
type ConflictPayment struct {
	ID        uuid.UUID   `json:"id"`
	Provider  string      `json:"provider"`
	Keys      []string    `json:"keys"`    // the provider's ids of the payment, sorted
	PayerID   Opt[string] `json:"payerId"` // the provider's id of its customer; null: not known
	Outcome   SaleOutcome `json:"outcome"`
	SaleID    SaleID      `json:"saleId"` // the sale that it names, or that may be wrong; 0 when that was deleted, and when it names none
	Amount    Amount      `json:"amount"` // of the payment; 0: not known
	Currency  Currency    `json:"currency"`
	Told      Opt[Amount] `json:"told,omitzero"`   // what it was told to be besides, of one that differs
	Awaits    string      `json:"awaits,omitzero"` // the event that has not come and tells the amount
	CreatedAt Time        `json:"createdAt"`
}

// An OverdrawnRedemption was made over a limit of its code or coupon: the customer paid after the
// hold of the order had lapsed, when the place was gone, and has the discount.
type OverdrawnRedemption struct {
	SaleID          Opt[SaleID]   `json:"saleId"`          // null: the order was redeemed without a sale
	ExternalID      Opt[string]   `json:"externalId"`      // of the sale or the order; null: it has none, or the sale was deleted
	PromotionalCode Opt[CodeName] `json:"promotionalCode"` // null: an offer, or the code was deleted
	CouponID        uuid.UUID     `json:"couponId"`        // which may be deleted
	HoldID          string        `json:"holdId"`          // the caller's id of the hold
	Email           Opt[string]   `json:"email"`           // of the customer; null: not known, or the sale was deleted
	Discount        Amount        `json:"discount"`        // what the code took off
	CreatedAt       Time          `json:"createdAt"`
}
