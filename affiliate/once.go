package affiliate

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

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

// onceOf is the idempotency of a write: its input's, or else the program's.
func (p *Program) onceOf(given Once) Once {
	if given.Key == "" && given.Refused == nil {
		return p.once
	}
	return given
}

// write runs a write in one transaction, under an idempotency key if there is
// one.
func write[T any](o *op, rq request, fn func() (T, error)) (T, error) {
	rq.once = o.onceOf(rq.once)
	if rq.once.Refused != nil {
		rq.refused = rq.once.Refused
	}
	if rq.once.Key != "" {
		return writeOnce(o, rq, fn)
	}
	if rq.refused != nil {
		var zero T
		return zero, rq.refused
	}
	return update(o, fn)
}

// writeAround is write for what cannot be one transaction: fn runs outside of
// any, unless the key has a receipt, and its answer is kept after it. look is
// the part that a transaction can do before; nil: nothing.
func writeAround[T any](o *op, rq request, look func() error, fn func() (T, error)) (T, error) {
	keyed := o.onceOf(rq.once).Key != ""
	if !keyed && look == nil {
		return fn()
	}
	known, err := write(o, rq, func() (answer T, err error) {
		if look != nil {
			err = look()
		}
		if err == nil {
			err = errUnanswered
		}
		return answer, err
	})
	if !errors.Is(err, errUnanswered) {
		return known, err
	}
	answer, err := fn()
	if err != nil || !keyed {
		return answer, err
	}
	return write(o.Program.op(o.ctx), rq, func() (T, error) { return answer, nil })
}

// beforehand runs fn before a write that has too much to do for one transaction: what
// comes before the last one, which is the write itself. Where the write has an
// answer without it, because its key has a receipt or it is refused, fn does not
// run.
func beforehand(o *op, rq request, fn func() error) error {
	rq.once = o.onceOf(rq.once)
	rq.once.Replayed = nil // the write tells of it
	if rq.refused != nil || rq.once.Refused != nil {
		return nil
	}
	if rq.once.Key != "" {
		_, err := write(o, rq, func() (struct{}, error) { return struct{}{}, errUnanswered })
		if !errors.Is(err, errUnanswered) {
			return nil
		}
	}
	return fn()
}

// errUnanswered ends the look for an earlier answer: there is none.
var errUnanswered = errors.New("affiliate: not answered before")

// reply is what a write with a key answers: an answer or a refusal, or the
// receipt of an earlier one.
type reply[T any] struct {
	answer  T
	err     error
	receipt *ReceiptRecord
}

// writeOnce runs fn unless the key has a receipt. The receipt of an answer
// commits with its change. A refusal rolls back whatever fn did and its receipt
// follows in a transaction of its own: there is no change it would have to be
// atomic with.
func writeOnce[T any](o *op, rq request, fn func() (T, error)) (T, error) {
	var zero T
	if !validRequestKey(rq.once.Key) {
		return zero, idempotencyKeyInvalid.err()
	}
	digest, err := rq.digest()
	if err != nil && rq.refused != nil {
		return zero, rq.refused // an input without JSON cannot be told from another: nothing is kept
	}
	if err != nil {
		return zero, internal("digest request", err)
	}
	fresh, err := o.newReceipt(rq, digest)
	if err != nil {
		return zero, internal("seal receipt", err)
	}
	run := func(refused error) (reply[T], error) {
		return update(o, func() (reply[T], error) {
			old, err := o.tx.Receipts.Find(Key{Index: ByRequest, Text: rq.once.Key})
			if err == nil && !o.now.After(old.CreatedAt.Add(receiptLife)) {
				if old.Digest != digest {
					return reply[T]{}, idempotencyKeyReused.err()
				}
				return reply[T]{receipt: &old}, nil
			}
			if err != nil && !errors.Is(err, ErrNotFound) {
				return reply[T]{}, internal("read receipt", err)
			}
			if refused != nil {
				return reply[T]{err: refused}, keep(o, fresh, old.ID, zero, refused)
			}
			answer, err := fn()
			if err != nil {
				return reply[T]{}, err
			}
			return reply[T]{answer: answer}, keep(o, fresh, old.ID, answer, nil)
		})
	}
	got, err := run(rq.refused)
	if err != nil && worthKeeping(err) {
		got, err = run(err)
	}
	if err != nil {
		return zero, err
	}
	if got.receipt != nil {
		return replay[T](o, rq, got.receipt)
	}
	return got.answer, got.err
}

// worthKeeping reports whether a failed write has an answer to repeat: a refusal
// of the operation, or a look-up that found nobody. A refusal of the key itself
// is not one.
func worthKeeping(err error) bool {
	refusal, ok := errors.AsType[*Error](err)
	if ok {
		return refusal.Kind != KindInternal && refusal.Reason != IdempotencyKeyReused
	}
	return err == ErrNotFound
}

// validRequestKey: 1–255 visible ASCII characters.
func validRequestKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return len(key) <= 255
}

// digest identifies the request. The operation is part of it, so that a key
// never answers one operation with what another one said.
func (rq request) digest() ([32]byte, error) {
	input := rq.once.Digest[:]
	if rq.once.Digest == ([32]byte{}) {
		var err error
		if input, err = json.Marshal(rq.input); err != nil {
			return [32]byte{}, err
		}
	}
	return sha256.Sum256(append([]byte(rq.name+"\x00"), input...)), nil
}

// An answer that is not its own JSON (a sale's outcome stands beside it) says
// how it is kept.
type kept interface {
	keep() (answer any, outcome string)
	restore(answer []byte, outcome string) error
}

// newReceipt is the receipt of a request before there is an answer. What is to
// be sealed is sealed here, outside of the transaction: the host's Seal may ask
// a service.
func (o *op) newReceipt(rq request, digest [32]byte) (rec ReceiptRecord, err error) {
	rec = ReceiptRecord{Key: rq.once.Key, Digest: digest, CreatedAt: o.now}
	if rq.secret != "" {
		rec.ID, rec.Sealed = o.Program.ids.next(o.now), true
		rec.Secret, err = o.seal([]byte(rq.secret), rec.ID)
	}
	return rec, err
}

// keep writes the receipt of a first answer, in the place of an expired one.
func keep[T any](o *op, rec ReceiptRecord, old uuid.UUID, answer T, refused error) error {
	if rec.ID == uuid.Nil {
		rec.ID = o.newID()
	}
	var err error
	if refusal, ok := errors.AsType[*Error](refused); ok {
		rec.Refusal, err = json.Marshal(refusal)
	} else if rec.Answer = []byte("null"); refused == nil {
		rec.Answer, rec.Outcome, err = encodeAnswer(answer)
	}
	if err != nil {
		return internal("write receipt", err)
	}
	if rec.Sealed {
		rec.maskSecret()
	}
	if old != uuid.Nil {
		if err := o.tx.Receipts.Delete(old); err != nil {
			return internal("write receipt", err)
		}
	}
	return o.tx.Receipts.Insert(rec)
}

// encodeAnswer is the JSON of an answer and, for a sale, its outcome.
func encodeAnswer[T any](answer T) (raw []byte, outcome string, err error) {
	var v any = &answer
	if k, ok := v.(kept); ok {
		v, outcome = k.keep()
	}
	raw, err = marshalAnswer(v)
	return raw, outcome, err
}

// marshalAnswer is json.Marshal, in a part of its time: a receipt is written while
// the program is held, and its answer may be a coupon with all its codes.
func marshalAnswer(v any) ([]byte, error) {
	switch v := v.(type) {
	case interface{ AppendJSON([]byte) []byte }:
		return v.AppendJSON(nil), nil
	case Opt[Sale]:
		if v.state == optGiven {
			return v.v.AppendJSON(nil), nil
		}
	}
	return json.Marshal(v)
}

// replay gives the answer of a receipt, once more.
func replay[T any](o *op, rq request, rec *ReceiptRecord) (answer T, err error) {
	var stored []byte
	if rec.Refusal != nil {
		refusal := new(Error)
		if err := json.Unmarshal(rec.Refusal, refusal); err != nil {
			return answer, internal("read receipt", err)
		}
		stored, err = []byte("null"), refusal
	} else if stored, err = o.fullAnswer(rec); err == nil {
		err = decodeAnswer(&answer, stored, rec.Outcome)
	}
	if err != nil && !worthKeeping(err) {
		return answer, internal("read receipt", err)
	}
	if rq.once.Replayed != nil {
		rq.once.Replayed(stored)
	}
	return answer, err
}

func decodeAnswer[T any](answer *T, raw []byte, outcome string) error {
	if k, ok := any(answer).(kept); ok {
		return k.restore(raw, outcome)
	}
	if string(raw) == "null" {
		return ErrNotFound
	}
	return json.Unmarshal(raw, answer)
}

// The JSON of a secret in an answer. Nothing else can hold it: inside a text,
// quotation marks are escaped.
const (
	secretBefore = `"secret":"`
	maskedSecret = secretBefore + secretMask + `"`
)

// maskSecret takes the secret out of the answer.
func (r *ReceiptRecord) maskSecret() {
	before, rest, found := bytes.Cut(r.Answer, []byte(secretBefore))
	_, after, closed := bytes.Cut(rest, []byte(`"`))
	if !found || !closed { // a refusal, or an answer of nothing
		r.Sealed, r.Secret = false, nil
		return
	}
	r.Answer = slices.Concat(before, []byte(maskedSecret), after)
}

// fullAnswer is the JSON of an answer with its secret.
func (o *op) fullAnswer(rec *ReceiptRecord) ([]byte, error) {
	if !rec.Sealed {
		return rec.Answer, nil
	}
	secret, err := o.unseal(o.ctx, rec.Secret, rec.ID)
	if err != nil {
		return nil, err
	}
	return bytes.Replace(rec.Answer, []byte(maskedSecret), slices.Concat([]byte(secretBefore), secret, []byte(`"`)), 1), nil
}
