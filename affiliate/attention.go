package affiliate

import "github.com/google/uuid"

// Attention lists what waits for somebody who runs the program.
//
// See Program.Attention.
//
// Source: docs/contract.md 4.6.
type Attention struct {
	// Affiliates who are INACTIVE until somebody approves or declines them.
	PendingAffiliates Waiting[PendingAffiliate] `json:"pendingAffiliates"`
	// Sales with a commission on hold.
	HeldSales Waiting[HeldSale] `json:"heldSales"`
	// Endpoints that were disabled because they fail or are gone, or to which every attempt has
	// failed for a while.
	FailingWebhooks Waiting[FailingWebhook] `json:"failingWebhooks"`
	// Deliveries of the last 14 days that were given up.
	FailedDeliveries Waiting[FailedDelivery] `json:"failedDeliveries"`
	// Payouts that failed.
	FailedPayouts Waiting[FailedPayout] `json:"failedPayouts"`
	// Payments that brought money and have no sale, though somebody may be owed, or one that may
	// be wrong, until a person decides.
	//
	// See Program.DecidePayment.
	PaymentConflicts Waiting[ConflictPayment] `json:"paymentConflicts"`
	// When the oldest of these payments was reported; null when none waits.
	OldestPaymentAt Opt[Time] `json:"oldestPaymentAt"`

	// Redemptions over a limit that nobody has accepted; not there: none waits.
	//
	// See Program.AcceptRedemption.
	Overdrawn Waiting[OverdrawnRedemption] `json:"overdrawn,omitzero"`

	// Payout addresses of several affiliates, who may be one person, as long as they are; not
	// there: there is none.
	SharedPayees Waiting[SharedPayee] `json:"sharedPayees,omitzero"`

	// Budgets that everybody shares of which four fifths are used in their present period, or all; not
	// there: there is none.
	//
	// See [Budget].
	Budgets Waiting[BudgetUse] `json:"budgets,omitzero"`
}

// Empty reports whether nothing waits.
func (a *Attention) Empty() bool {
	return a.PendingAffiliates.Count+a.HeldSales.Count+a.FailingWebhooks.Count+
		a.FailedDeliveries.Count+a.FailedPayouts.Count+a.PaymentConflicts.Count+
		a.Overdrawn.Count+a.SharedPayees.Count+a.Budgets.Count == 0
}

// Waiting is one list of what waits: the newest of it.
//
// See [Attention].
type Waiting[T any] struct {
	Count int  `json:"count"` // How many; at most 100.
	More  bool `json:"more"`  // True: more than 100.
	Items []T  `json:"items"` // The newest first.
}

// A PendingAffiliate waits for approval.
type PendingAffiliate struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"` // Of the affiliate.
}

// A SharedPayee is a mailbox at which two affiliates or more are paid: their payout emails
// are the same, or alike.
//
// See [SameMailbox].
type SharedPayee struct {
	// Who is paid there: two at least and 20 at most, by their ids.
	Affiliates []Payee `json:"affiliates"`
}

// A Payee is an affiliate with the address to which payouts go.
type Payee struct {
	ID          uuid.UUID `json:"id"`          // Of the affiliate.
	Name        string    `json:"name"`        // Of the affiliate.
	PayoutEmail string    `json:"payoutEmail"` // Where payouts go, as it was given.
}

// A HeldSale has a commission that is on hold.
type HeldSale struct {
	ID               SaleID          `json:"id"`               // Of the sale.
	AffiliateID      uuid.UUID       `json:"affiliateId"`      // Whom it credits.
	CommissionEarned Amount          `json:"commissionEarned"` // Of the sale.
	HoldReason       Opt[HoldReason] `json:"holdReason"`       // Of its first commission on hold.
}

// A FailingWebhook is an endpoint that receives nothing.
type FailingWebhook struct {
	ID             uuid.UUID           `json:"id"`             // Of the endpoint.
	URL            string              `json:"url"`            // Of the receiver.
	Status         EndpointStatus      `json:"status"`         // Whether it is enabled.
	DisabledReason Opt[DisabledReason] `json:"disabledReason"` // Why it is disabled.
	// Since when every attempt has failed.
	FirstFailureAt Opt[Time] `json:"firstFailureAt"`
}

// A FailedDelivery was given up after its last attempt.
type FailedDelivery struct {
	ID        uuid.UUID `json:"id"`
	WebhookID uuid.UUID `json:"webhookId"` // Its endpoint.
	Event     EventType `json:"event"`     // Its type.
	CreatedAt Time      `json:"createdAt"` // When the event was.
}

// A FailedPayout did not reach the affiliate.
type FailedPayout struct {
	ID           uuid.UUID   `json:"id"`
	AffiliateID  uuid.UUID   `json:"affiliateId"`  // Whose it is.
	Amount       Amount      `json:"amount"`       // Of the payout.
	FailedReason Opt[string] `json:"failedReason"` // What the provider said.
}

// A ConflictPayment is a payment that brought money and has no sale, although an affiliate
// may have earned a commission, or one whose sale may be wrong.
//
// Outcome says why: it names a sale, but its payer or amounts differ from it
// ([SaleConflict]); its code was refused ([SaleRefused]); it names nobody who exists
// ([SaleUnattributed]); nothing says whom to credit, or how much was paid ([SaleParked]);
// nobody knows in which unit it is counted ([SaleUnknownUnit]) or who paid
// ([SaleNoCustomer]); it is a renewal by a code, and its first payment was not told
// ([SaleNoFirst]); or there is no rate for its currency ([SaleOtherCurrency]). Its sale
// may be wrong because it is cancelled or failed ([SaleRevoked]), or was told again with
// other contents ([SaleDiffers]).
type ConflictPayment struct {
	// Of the payment.
	ID uuid.UUID `json:"id"`
	// Who reported it.
	Provider string `json:"provider"`
	// The provider's ids of the payment, sorted.
	Keys []string `json:"keys"`
	// The provider's id of its customer; null: not known.
	PayerID Opt[string] `json:"payerId"`
	// Why: it names a sale of which it is not (payment_conflict), its code was refused
	// (refused), it names whom nobody is (unattributed), nothing told whom it may credit or how
	// much was paid (parked), its provider counts its currency in a unit that nobody knows
	// (unit), it does not say who paid (no_customer), it is a renewal that names a code alone
	// and its first payment was not told (no_first_payment), or there is no rate for its
	// currency (other_currency). Its sale may be wrong: it is cancelled or failed without a
	// refund (revoked), or was told again as of more or of another day (differs).
	Outcome SaleOutcome `json:"outcome"`
	// The sale that it names, or that may be wrong; 0 when that was deleted, and when it names
	// none.
	SaleID SaleID `json:"saleId"`
	// Of the payment; 0: not known.
	Amount Amount `json:"amount"`
	// Of the amount.
	Currency Currency `json:"currency"`
	// What it was told to be besides, of one that differs. Absent: of others.
	Told Opt[Amount] `json:"told,omitzero"`
	// The event that has not come and tells the amount. Absent: none is missing.
	Awaits string `json:"awaits,omitzero"`
	// When it was reported.
	CreatedAt Time `json:"createdAt"`
}

// An OverdrawnRedemption was made over a limit of its code or coupon: the customer paid after the
// hold of the order had lapsed, when the place was gone, and has the discount.
type OverdrawnRedemption struct {
	// The sale, which may be gone; null: the order was redeemed without one.
	SaleID Opt[SaleID] `json:"saleId"`
	// Of the sale or the order; null: it has none, or the sale was deleted.
	ExternalID Opt[string] `json:"externalId"`
	// The code; null: an offer, or it was deleted.
	PromotionalCode Opt[CodeName] `json:"promotionalCode"`
	// The coupon, which may be gone.
	CouponID uuid.UUID `json:"couponId"`
	// The caller's id of the hold.
	HoldID string `json:"holdId"`
	// Of the customer; null: not known, or the sale was deleted.
	Email Opt[string] `json:"email"`
	// What the code took off, in the program's currency.
	Discount Amount `json:"discount"`
	// When it was redeemed.
	CreatedAt Time `json:"createdAt"`
}
