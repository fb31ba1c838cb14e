package affiliate

// WaitingSale is a [Paid] that could not be credited yet. Its email and name
// are the payer's.
type WaitingSale struct {
	TotalEarned Amount
	Currency    Currency    `json:",omitzero"` // of the amounts; empty: the program's
	Subtotal    Opt[Amount] `json:",omitzero"`
	Tax         Amount
	Shipping    Amount
	ExternalID  string
	InvoiceID   string
	Rate        Opt[Percent] `json:",omitzero"`
	ProductID   string
	ProductName string
	Lines       []StoredLine `json:",omitempty"`
	Trigger     PaymentTrigger
	Free        bool
	Renewal     bool
	Nothing     bool   `json:",omitzero"` // a trial: its customer is referred, and there is no sale
	Untold      bool   `json:",omitzero"` // its amount is not known
	Payment     int64  `json:",omitzero"` // of [Paid]
	Awaits      string `json:",omitzero"` // of one that is Untold: what tells the amount; empty: nothing will
	PaidAt      Instant
	Tries       []Credit
}

// PaymentRefund is a stored [RefundFact].
type PaymentRefund struct {
	ID       string
	Amount   Amount
	Tax      Opt[Amount] `json:",omitzero"` // given together with Shipping, when it is known
	Shipping Opt[Amount] `json:",omitzero"`
	State    RefundState
	Late     bool `json:",omitzero"` // it succeeded after the refund window, and does not count
}

// PaymentDispute is a stored [DisputeFact].
type PaymentDispute struct {
	ID      string
	Amount  Amount
	State   DisputeState
	At      Instant // of State, by the provider's clock
	Warning bool    `json:",omitzero"` // it announces another one
	Late    bool    `json:",omitzero"` // its money went after the refund window, and does not count
}

// Subscription is the last known state of one subscription of a payer.
type Subscription struct {
	ID     string
	Status SubscriptionStatus
	At     Instant // by the provider's clock
}
