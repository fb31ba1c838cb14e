package affiliate

// A PaymentDecision is a person's decision about a payment that brought money and has
// no sale: it is in conflict with a sale ([SaleConflict]), or credits nobody.
type PaymentDecision string

// The decisions.
const (
	PaymentIsSameSale PaymentDecision = "same"    // it is the payment of that sale
	PaymentIsOwnSale  PaymentDecision = "own"     // it is another payment, and becomes a sale of its own; one that credits nobody is tried again
	PaymentDismissed  PaymentDecision = "dismiss" // it is kept, and earns nothing
)
