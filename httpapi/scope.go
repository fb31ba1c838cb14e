package httpapi

// A Scope says which operations a key may call. The OpenAPI document lists the
// scopes of each operation as x-scopes.
//
// Source: docs/contract.md 1.2.
type Scope string

const (
	// ScopeFull allows every operation.
	ScopeFull Scope = "full"
	// ScopeIntegration allows what a shop needs: to read and write affiliates,
	// links, coupons, promotional codes, referrals and sales. It does not allow
	// webhooks, payouts and adjustments: a leaked key of a shop must not add an
	// endpoint or pay.
	ScopeIntegration Scope = "integration"
	// ScopeRead allows reading, and nothing that writes. Validating a code is a
	// POST and is not allowed.
	ScopeRead Scope = "read"
)

// grants are the scopes that may call a route.
type grants uint8

const (
	full grants = 1 << iota
	integration
	read

	ownerOnly = full
	owners    = full | read        // reading what a shop does not need
	shops     = full | integration // writing what a shop needs
	everybody = full | integration | read
)

// grant returns the bit of a scope; zero for a scope that does not exist.
func (s Scope) grant() grants {
	switch s {
	case ScopeFull, "":
		return full
	case ScopeIntegration:
		return integration
	case ScopeRead:
		return read
	}
	return 0
}

// scopes lists the scopes in words.
func (g grants) scopes() (list []Scope) {
	for _, s := range []Scope{ScopeFull, ScopeIntegration, ScopeRead} {
		if g&s.grant() != 0 {
			list = append(list, s)
		}
	}
	return list
}
