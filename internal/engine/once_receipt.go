package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

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
	return bytes.Replace(rec.Answer.Bytes(), []byte(maskedSecret), slices.Concat([]byte(secretBefore), secret, []byte(`"`)), 1), nil
}
