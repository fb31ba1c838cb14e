package affiliate

// Once makes a write repeatable: for 24 hours, the same request with the same
// key gets the first answer again and has no second effect. It is embedded in
// the input of every method that creates; for other writes use Program.Keyed.
// On the wire it is the Idempotency-Key header.
//
// Source: docs/rules.md 2, docs/contract.md 1.8.
type Once struct {
	Key      string              // 1–255 visible ASCII characters; empty: no receipt is stored
	Owner    string              // whose key it is, 0–255 visible ASCII characters: keys of two owners never meet; empty: the host's own code
	Digest   [32]byte            // the digest of method, path and body bytes; zero: the engine digests the input
	Replayed func(answer []byte) // called with the JSON of a stored answer when the call is a repeat; nil: not called

	// Refused is an error that an adapter found while reading the request. It
	// is answered and stored like a refusal by the operation. Nil: no error.
	Refused *Error
}
