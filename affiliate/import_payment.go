package affiliate

// The ids that payment providers gave to imported payments and customers. Later
// reports of the provider find the imported records by them.

// A ProviderID is an id that a payment provider gave to a payment or to a
// customer.
type ProviderID struct {
	Provider string // lower case letters and digits: stripe, paddle …
	ID       string // 1–255 characters
}
