package affiliate

// What an import says about payment providers: the ids of payments and of
// customers, by which later reports of the provider find what was imported.

// A ProviderID is an id that a payment provider gave to a payment or to a
// customer.
type ProviderID struct {
	Provider string // lower case letters and digits: stripe, paddle …
	ID       string // 1–255 characters
}
