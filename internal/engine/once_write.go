package engine

import (
	"crypto/sha256"
	"encoding/json"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// OnceOf returns the idempotency of a write: that of its input, else that of the
// program.
func (p *Program) OnceOf(given affiliate.Once) affiliate.Once {
	if given.Key == "" && given.Refused == nil {
		return p.Once
	}
	return given
}

// digests reports whether the engine digests the input of the call.
func digests(once affiliate.Once) bool { return once.Key != "" && once.Digest == ([32]byte{}) }

// digested adds a later field of an input to its digest. Without a value, the digest
// is the same as before the field existed.
func digested[T interface{ IsZero() bool }](v T) []any {
	if v.IsZero() {
		return nil
	}
	return []any{v}
}

// Write runs a write in one transaction, with an idempotency key if there is
// one.
func Write[T any](o *Op, rq Request, fn func() (T, error)) (T, error) {
	rq.Once = o.OnceOf(rq.Once)
	if rq.Once.Refused != nil {
		rq.Refused = rq.Once.Refused
	}
	if rq.Once.Key != "" {
		return writeOnce(o, rq, fn)
	}
	if rq.Refused != nil {
		var zero T
		return zero, rq.Refused
	}
	return Update(o, fn)
}

// WriteAround is write for work that cannot be one transaction: unless the key has a
// receipt, fn runs outside of transactions, and its answer is stored afterwards. look
// runs in a transaction before; nil: nothing to look at.
func WriteAround[T any](o *Op, rq Request, look func() error, fn func() (T, error)) (T, error) {
	keyed := o.OnceOf(rq.Once).Key != ""
	if !keyed && look == nil && rq.Refused == nil {
		return fn()
	}
	known, err := Write(o, rq, func() (answer T, err error) {
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
	return Write(o.Program.Op(o.Ctx), rq, func() (T, error) { return answer, nil })
}

// Beforehand runs fn before a write that is too much for one transaction. fn does all
// but the last transaction, which is the write itself. fn does not run when the key
// has a receipt or the write is refused.
func Beforehand(o *Op, rq Request, fn func() error) error {
	rq.Once = o.OnceOf(rq.Once)
	rq.Once.Replayed = nil // the write itself calls it
	if rq.Refused != nil || rq.Once.Refused != nil {
		return nil
	}
	if rq.Once.Key != "" {
		_, err := Write(o, rq, func() (json.RawMessage, error) { return nil, errUnanswered })
		if _, refused := errors.AsType[*affiliate.Error](err); err == nil || err == affiliate.ErrNotFound || refused {
			return nil // the write itself repeats it
		}
		if !errors.Is(err, errUnanswered) {
			return err // whether there is a receipt is not known
		}
	}
	return fn()
}

// errUnanswered means that no earlier answer exists.
var errUnanswered = errors.New("affiliate: not answered before")

// reply is the result of a write with a key: an answer or a refusal, or the
// receipt of an earlier one.
type reply[T any] struct {
	answer  T
	err     error
	receipt *record.Receipt
}

// writeOnce runs fn unless the key has a receipt. The receipt of an answer is
// committed together with its change. A refusal rolls back the writes of fn,
// and its receipt is written in a transaction of its own, because there is no
// change to commit with it.
func writeOnce[T any](o *Op, rq Request, fn func() (T, error)) (T, error) {
	var zero T
	if !validRequestKey(rq.Once.Key) || !validRequestKey(rq.Once.Owner) {
		return zero, refusal.RefuseKey.Err()
	}
	digest, err := rq.digest()
	if err != nil && rq.Refused != nil {
		return zero, rq.Refused // an input that has no JSON cannot be compared, so nothing is stored
	}
	if err != nil {
		return zero, refusal.Internal("digest request", err)
	}
	fresh, err := o.newReceipt(rq, digest)
	if err != nil {
		return zero, refusal.Internal("seal receipt", err)
	}
	got, err := underKey(o, rq.Refused, fresh, fn)
	if err != nil && WorthKeeping(err) {
		got, err = underKey(o, err, fresh, fn)
	}
	if err != nil {
		return zero, err
	}
	if got.receipt != nil {
		return replay[T](o, rq, got.receipt)
	}
	return got.answer, got.err
}

// underKey is one transaction of a write with a key: it finds the receipt of an
// earlier answer, or runs fn and stores its answer. A refusal that is known already is
// stored in its place.
func underKey[T any](o *Op, refused error, fresh record.Receipt, fn func() (T, error)) (reply[T], error) {
	return Update(o, func() (reply[T], error) {
		old, found, err := o.receipt(fresh)
		if err != nil {
			return reply[T]{}, err
		}
		if found {
			receipt := old // only a repeat pays for the allocation
			return reply[T]{receipt: &receipt}, nil
		}
		if refused != nil && !WorthKeeping(refused) { // a function of the host failed; a repeat may do better
			return reply[T]{}, refused
		}
		r := reply[T]{err: refused}
		if refused == nil {
			if r.answer, err = fn(); err != nil {
				return reply[T]{}, err
			}
		}
		return r, keep(o, fresh, old.ID, &r)
	})
}

// WorthKeeping reports whether the error of a write is an answer to repeat: a
// refusal of the operation, or a failed look-up, but not a refusal of the key
// itself.
func WorthKeeping(err error) bool {
	refusal, ok := errors.AsType[*affiliate.Error](err)
	if ok {
		return refusal.Kind != affiliate.KindInternal && refusal.Reason != affiliate.IdempotencyKeyReused
	}
	return err == affiliate.ErrNotFound
}

// validRequestKey: at most 255 visible ASCII characters.
func validRequestKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return len(key) <= 255
}

// digest identifies the request. The operation is part of it, so that a key
// never answers one operation with the answer of another.
func (rq Request) digest() ([32]byte, error) {
	var room [96]byte
	text := append(append(room[:0], rq.Name...), 0)
	if rq.Once.Digest != ([32]byte{}) {
		return sha256.Sum256(append(text, rq.Once.Digest[:]...)), nil
	}
	input, err := json.Marshal(rq.Input)
	if err != nil {
		return [32]byte{}, err
	}
	return sha256.Sum256(append(text, input...)), nil
}
