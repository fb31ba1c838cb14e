package affiliate

import "time"

// Once makes a write repeatable: the same key with the same request gives the
// first answer again, without a second effect, for 24 hours. It is embedded in
// the input of every method that creates; the other writes take it from
// [Program.Keyed]. On the wire it is the Idempotency-Key header.
//
// Source: docs/rules.md 2, docs/contract.md 1.8.
type Once struct {
	Key      string              // 1–255 visible ASCII characters; empty: no receipt is kept
	Digest   [32]byte            // of method, path and body bytes; zero: the engine digests the input
	Replayed func(answer []byte) // called when the answer is a stored one, with its JSON; nil: not called

	// Refused is what an adapter found wrong with the request while it read it.
	// It is answered and kept like a refusal of the operation itself, in whose
	// place it stands. Nil: nothing.
	Refused *Error
}

// Keyed is the same program whose writes are repeatable under o: changes,
// deletes and every other write as well as creates. A Once in the input of a
// create comes before it. A key is for one call: a repeat of that call is
// answered with its first answer, and any other write under the key is refused
// as [IdempotencyKeyReused].
//
//	p.Keyed(affiliate.Once{Key: "cancel-1042"}).DeleteSale(ctx, id)
//
// Reads, and the dispatcher's [Program.ClaimDeliveries] and
// [Program.SettleDeliveries], which have a token of their own, take no notice.
// A write of several transactions ([Program.Prune]) keeps its receipt with the
// last one: a repeat of one that was cut off does the rest.
//
// Source: docs/contract.md 1.8.
func (p *Program) Keyed(o Once) *Program {
	q := *p
	q.once = o
	return &q
}

// receiptLife is how long an answer is kept.
const receiptLife = 24 * time.Hour

// A request is a write as its receipt sees it.
type request struct {
	once    Once   // of the input; without a key: the program's
	name    string // of the operation
	input   any    // digested as JSON when the caller gives no digest; fields without JSON stand beside it
	refused error  // what the preparation found wrong, or nil: with a key even that is kept
	secret  Secret // that the answer holds: kept apart from it, and sealed; empty: none
}
