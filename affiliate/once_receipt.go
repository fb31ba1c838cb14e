package affiliate

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// keeper is an answer that is stored in another form than its JSON, such as a
// sale with its outcome. It is found by its methods, so each says that it is one:
// var _ keeper = (*saleReply)(nil).
type keeper interface {
	KeepAnswer() (answer StoredAnswer, outcome string)
	RestoreAnswer(answer []byte, outcome string) error
}

// newReceipt is the receipt of a request without its answer. It seals the
// secret outside of the transaction, because the host's Seal may call a
// service.
func (o *op) newReceipt(rq request, digest [32]byte) (rec ReceiptRecord, err error) {
	rec = ReceiptRecord{Key: rq.once.owned(), Digest: digest, CreatedAt: o.now}
	if rq.secret != "" {
		rec.ID, rec.Sealed = o.Program.ids.Next(o.now.Time()), true
		rec.Secret, err = o.seal([]byte(rq.secret), rec.ID)
	}
	return rec, err
}

// owned is the key as it is stored. No key and no owner has a space, so those of
// two owners differ.
func (once Once) owned() string {
	if once.Owner == "" {
		return once.Key
	}
	return once.Owner + " " + once.Key
}

// receipt finds the receipt of an earlier request under the key of fresh; old is
// one that has expired, if it is not found.
func (o *op) receipt(fresh ReceiptRecord) (old ReceiptRecord, found bool, err error) {
	old, expired, err := o.receiptOf(fresh.Key)
	switch {
	case err == nil && expired:
		return old, false, nil
	case err == nil && old.Digest != fresh.Digest:
		return ReceiptRecord{}, false, idempotencyKeyReused.Err()
	case errors.Is(err, ErrNotFound):
		return o.unowned(fresh)
	}
	return old, err == nil, err
}

// unowned finds the receipt that the same request left before keys had owners.
// Under any other one the key is free: it is somebody else's.
func (o *op) unowned(fresh ReceiptRecord) (old ReceiptRecord, found bool, err error) {
	_, key, owned := strings.Cut(fresh.Key, " ")
	if !owned {
		return ReceiptRecord{}, false, nil
	}
	old, expired, err := o.receiptOf(key)
	switch {
	case errors.Is(err, ErrNotFound):
		return ReceiptRecord{}, false, nil
	case err != nil:
		return ReceiptRecord{}, false, err
	case expired || old.Digest != fresh.Digest:
		return ReceiptRecord{}, false, nil
	}
	return old, true, nil
}

// receiptOf is the receipt under a key as it is stored, and whether it has
// expired.
func (o *op) receiptOf(key string) (rec ReceiptRecord, expired bool, err error) {
	rec, err = o.tx.Receipts.Find(Key{Index: ByRequest, Text: key})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return rec, false, internal("read receipt", err)
	}
	return rec, o.now.After(rec.CreatedAt.Add(receiptLife)), err
}

// keep writes the receipt of a first answer, and replaces an expired one.
func keep[T any](o *op, rec ReceiptRecord, old uuid.UUID, r *reply[T]) error {
	if rec.ID == uuid.Nil {
		rec.ID = o.newID()
	}
	var err error
	if refusal, ok := errors.AsType[*Error](r.err); ok {
		rec.Refusal, err = json.Marshal(refusal)
	} else if rec.Answer = noAnswer; r.err == nil {
		rec.Answer, rec.Outcome, err = encodeAnswer(&r.answer)
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

// noAnswer is the stored form of an empty answer.
var noAnswer = answerOf([]byte("null"))

// encodeAnswer is the stored form of an answer and, for a sale, its outcome.
func encodeAnswer[T any](answer *T) (kept StoredAnswer, outcome string, err error) {
	switch v := any(answer).(type) {
	case keeper:
		kept, outcome = v.KeepAnswer()
	case interface{ AppendJSON([]byte) []byte }: // faster
		kept = answerOf(v.AppendJSON(nil))
	default:
		var raw []byte
		raw, err = json.Marshal(v)
		kept = answerOf(raw)
	}
	return kept, outcome, err
}

// replay returns the stored answer of a receipt.
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
	o.seen.answered()
	if rq.once.Replayed != nil {
		rq.once.Replayed(stored)
	}
	return answer, err
}

func decodeAnswer[T any](answer *T, raw []byte, outcome string) error {
	if k, ok := any(answer).(keeper); ok {
		return k.RestoreAnswer(raw, outcome)
	}
	if string(raw) == "null" {
		return ErrNotFound
	}
	return json.Unmarshal(raw, answer)
}

// The JSON around a secret in an answer. It cannot occur inside a text, because
// quotation marks are escaped there.
const (
	secretBefore = `"secret":"`
	maskedSecret = secretBefore + SecretPrefix + `***"`
)

// maskSecret removes the secret from the answer.
func (r *ReceiptRecord) maskSecret() {
	before, rest, found := bytes.Cut(r.Answer.Bytes(), []byte(secretBefore))
	_, after, closed := bytes.Cut(rest, []byte(`"`))
	if !found || !closed { // a refusal, or an empty answer
		r.Sealed, r.Secret = false, nil
		return
	}
	r.Answer = answerOf(slices.Concat(before, []byte(maskedSecret), after))
}

// fullAnswer is the JSON of an answer with its secret.
func (o *op) fullAnswer(rec *ReceiptRecord) ([]byte, error) {
	if !rec.Sealed {
		return rec.Answer.Bytes(), nil
	}
	secret, err := o.unseal(o.ctx, rec.Secret, rec.ID)
	if err != nil {
		return nil, err
	}
	return bytes.Replace(rec.Answer.Bytes(), []byte(maskedSecret), slices.Concat([]byte(secretBefore), secret, []byte(`"`)), 1), nil
}
