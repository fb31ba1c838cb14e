package affiliate

import "time"

// Retention says how long a program keeps records that it needs only for a
// while. Each age counts from the time that its field names. Zero keeps the kind
// for ever. Payments without a sale, and payers without a referral, are kept for
// Config.PaymentMemory in any case; after that a payment with a sale stays as it is, whatever is
// told of its payer's email or first payment. Records of the books (sales, commissions,
// payouts, referrals, redemptions) are never deleted.
type Retention struct {
	Events     time.Duration // since the event; one with a delivery stays, and so do later ones of its object
	Receipts   time.Duration // since the answer to the idempotency key; at least 24 hours
	Deliveries time.Duration // since the delivery was settled; a pending one stays
	Clicks     time.Duration // since the click, of those without a referral; at least Config.CookieDays days

	// Holds counts from the time until which they held, whatever became of them; at least 24 hours. A sale
	// with the HoldID of one that was deleted is refused, so keep them as long as an order may be paid late.
	Holds time.Duration
}

// Retained is the number of records that were deleted, by kind.
type Retained struct {
	Events     int64 `json:"events"`
	Receipts   int64 `json:"receipts"`
	Deliveries int64 `json:"deliveries"`
	Clicks     int64 `json:"clicks"`
	Payments   int64 `json:"payments"` // those without a sale, and payers without a referral
	Holds      int64 `json:"holds,omitzero"`
}
