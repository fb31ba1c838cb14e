package affiliate

import "time"

// Once makes a write repeatable: for 24 hours the same key with the same
// request gives the first answer again, without a second effect. It is embedded
// in the input of every method that creates; for other writes use
// [Program.Keyed]. On the wire it is the Idempotency-Key header.
//
// Source: docs/rules.md 2, docs/contract.md 1.8.
type Once struct {
	Key      string              // 1–255 visible ASCII characters; empty: no receipt is stored
	Owner    string              // whose key it is, 0–255 visible ASCII characters: keys of two owners never meet; empty: the host's own code
	Digest   [32]byte            // the digest of method, path and body bytes; zero: the engine digests the input
	Replayed func(answer []byte) // called with the JSON of a stored answer when the call is a repeat; nil: not called

	// Refused is an error that an adapter found while it read the request. It
	// is answered and stored like a refusal of the operation. Nil: no error.
	Refused *Error
}

// Keyed returns the same program, and every write of it is repeatable with o. A
// Once in the input of a create is used instead of o. A key is for one call: a
// repeat of that call gets its first answer, and any other write with the key
// is refused as [IdempotencyKeyReused].
//
//	p.Keyed(affiliate.Once{Key: "cancel-1042"}).DeleteSale(ctx, id)
//
// Reads ignore the key, and so do [Program.ClaimDeliveries] and
// [Program.SettleDeliveries], which have a token of their own. A write with
// several transactions ([Program.Prune]) stores its receipt with the last one,
// so a repeat after an interruption does the rest.
//
// Source: docs/contract.md 1.8.
func (p *Program) Keyed(o Once) *Program {
	q := *p
	q.once = o
	return &q
}

// receiptLife is how long an answer is kept.
const receiptLife = 24 * time.Hour

// A request describes a write for its receipt.
type request struct {
	once    Once   // from the input; without a key the program's is used
	name    string // of the operation
	input   any    // digested as JSON when the caller gives no digest; fields without JSON are added beside it
	refused error  // the error of the preparation, or nil; with a key it is stored too
	secret  Secret // a secret in the answer, which is stored separately and sealed; empty: none
}
