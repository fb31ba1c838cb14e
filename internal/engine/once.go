package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Keyed implements tributary.Program.Keyed.
func (p *Program) Keyed(o affiliate.Once) *Program {
	q := *p
	q.Once = o
	return &q
}

// ReceiptLife is the time for which an answer is kept.
const ReceiptLife = 24 * time.Hour

// A Request describes a write for its receipt.
type Request struct {
	Once    affiliate.Once   // from the input; without a key the program's is used
	Name    string           // of the operation
	Input   any              // digested as JSON when the caller gives no digest, together with its fields that are not in the JSON
	Refused error            // the error of the preparation, or nil; with a key it is stored too
	Secret  affiliate.Secret // a secret in the answer, which is stored separately and sealed; empty: none
	Part    int              // of a write in several transactions, from 0; each has a receipt
}

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

// Keeper is an answer that is stored in another form than its JSON, such as a
// sale with its outcome. It is found by its methods, so each says that it is one:
// var _ keeper = (*saleReply)(nil).
type Keeper interface {
	KeepAnswer() (answer record.Payload, outcome string)
	RestoreAnswer(answer []byte, outcome string) error
}

// newReceipt returns the receipt of a request without its answer. It seals the
// secret outside of the transaction, because the host's Seal may call a
// service.
func (o *Op) newReceipt(rq Request, digest [32]byte) (rec record.Receipt, err error) {
	rec = record.Receipt{Key: OwnedKey(rq.Once), Digest: digest, CreatedAt: o.Now}
	if rq.Part > 0 { // no key of a caller has two spaces
		rec.Key = fmt.Sprint(rec.Key, "  ", rq.Part)
	}
	if rq.Secret != "" {
		rec.ID, rec.Sealed = o.Program.IDs.Next(o.Now.Time()), true
		rec.Secret, err = o.Seal([]byte(rq.Secret), rec.ID)
	}
	return rec, err
}

// OwnedKey returns the key in its stored form. Neither keys nor owners contain spaces,
// so the keys of two owners always differ.
func OwnedKey(once affiliate.Once) string {
	if once.Owner == "" {
		return once.Key
	}
	return once.Owner + " " + once.Key
}

// receipt finds the receipt of an earlier request under the key of fresh. When there is
// only an expired one, found is false and old is that one.
func (o *Op) receipt(fresh record.Receipt) (old record.Receipt, found bool, err error) {
	old, expired, err := o.ReceiptOf(fresh.Key)
	switch {
	case err == nil && expired:
		return old, false, nil
	case err == nil && old.Digest != fresh.Digest:
		return record.Receipt{}, false, refusal.IdempotencyKeyReused.Err()
	case errors.Is(err, affiliate.ErrNotFound):
		return o.unowned(fresh)
	}
	return old, err == nil, err
}

// unowned finds the receipt that the same request left before keys had owners. A receipt
// of another request under this key belongs to somebody else, and the key is free.
func (o *Op) unowned(fresh record.Receipt) (old record.Receipt, found bool, err error) {
	_, key, owned := strings.Cut(fresh.Key, " ")
	if !owned {
		return record.Receipt{}, false, nil
	}
	old, expired, err := o.ReceiptOf(key)
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		return record.Receipt{}, false, nil
	case err != nil:
		return record.Receipt{}, false, err
	case expired || old.Digest != fresh.Digest:
		return record.Receipt{}, false, nil
	}
	return old, true, nil
}

// ReceiptOf returns the receipt under a stored key, and whether it has expired.
func (o *Op) ReceiptOf(key string) (rec record.Receipt, expired bool, err error) {
	rec, err = o.Tx.Receipts.Find(record.Key{Index: record.ByRequest, Text: key})
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return rec, false, refusal.Internal("read receipt", err)
	}
	return rec, o.Now.After(rec.CreatedAt.Add(ReceiptLife)), err
}

// keep writes the receipt of a first answer, and replaces an expired one.
func keep[T any](o *Op, rec record.Receipt, old uuid.UUID, r *reply[T]) error {
	if rec.ID == uuid.Nil {
		rec.ID = o.NewID()
	}
	var err error
	if refusal, ok := errors.AsType[*affiliate.Error](r.err); ok {
		rec.Refusal, err = json.Marshal(refusal)
	} else if rec.Answer = noAnswer; r.err == nil {
		rec.Answer, rec.Outcome, err = encodeAnswer(&r.answer)
	}
	if err != nil {
		return refusal.Internal("write receipt", err)
	}
	if rec.Sealed {
		maskSecret(&rec)
	}
	if old != uuid.Nil {
		if err := o.Tx.Receipts.Delete(old); err != nil {
			return refusal.Internal("write receipt", err)
		}
	}
	return o.Tx.Receipts.Insert(rec)
}

// noAnswer is the stored form of an empty answer.
var noAnswer = record.RawPayload([]byte("null"))

// encodeAnswer returns the stored form of an answer and, for a sale, its outcome.
func encodeAnswer[T any](answer *T) (kept record.Payload, outcome string, err error) {
	switch v := any(answer).(type) {
	case Keeper:
		kept, outcome = v.KeepAnswer()
	case interface{ AppendJSON([]byte) []byte }: // faster
		kept = record.RawPayload(v.AppendJSON(nil))
	default:
		var raw []byte
		raw, err = json.Marshal(v)
		kept = record.RawPayload(raw)
	}
	return kept, outcome, err
}

// replay returns the stored answer of a receipt.
func replay[T any](o *Op, rq Request, rec *record.Receipt) (answer T, err error) {
	var stored []byte
	if rec.Refusal != nil {
		denied := new(affiliate.Error)
		if err := json.Unmarshal(rec.Refusal, denied); err != nil {
			return answer, refusal.Internal("read receipt", err)
		}
		stored, err = []byte("null"), denied
	} else if stored, err = o.fullAnswer(rec); err == nil {
		err = decodeAnswer(&answer, stored, rec.Outcome)
	}
	if err != nil && !WorthKeeping(err) {
		return answer, refusal.Internal("read receipt", err)
	}
	o.Seen.answered()
	if rq.Once.Replayed != nil {
		rq.Once.Replayed(stored)
	}
	return answer, err
}

func decodeAnswer[T any](answer *T, raw []byte, outcome string) error {
	if k, ok := any(answer).(Keeper); ok {
		return k.RestoreAnswer(raw, outcome)
	}
	if string(raw) == "null" {
		return affiliate.ErrNotFound
	}
	return json.Unmarshal(raw, answer)
}

// The JSON around a secret in an answer. It cannot occur inside a text, because
// quotation marks are escaped there.
const (
	secretBefore = `"secret":"`
	maskedSecret = secretBefore + affiliate.SecretPrefix + `***"`
)

// maskSecret removes the secret from the answer.
func maskSecret(r *record.Receipt) {
	before, rest, found := bytes.Cut(r.Answer.Bytes(), []byte(secretBefore))
	_, after, closed := bytes.Cut(rest, []byte(`"`))
	if !found || !closed { // a refusal, or an empty answer
		r.Sealed, r.Secret = false, nil
		return
	}
	r.Answer = record.RawPayload(slices.Concat(before, []byte(maskedSecret), after))
}

// fullAnswer returns the JSON of an answer with its secret.
func (o *Op) fullAnswer(rec *record.Receipt) ([]byte, error) {
	if !rec.Sealed {
		return rec.Answer.Bytes(), nil
	}
	secret, err := o.Unseal(o.Ctx, rec.Secret, rec.ID)
	if err != nil {
		return nil, err
	}
	return bytes.Replace(rec.Answer.Bytes(), []byte(maskedSecret),
		slices.Concat([]byte(secretBefore), secret, []byte(`"`)), 1), nil
}
