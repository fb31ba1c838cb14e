package record

import (
	"bytes"
	"encoding/json"
)

// A StoredAnswer is the JSON of the answer to a request with a key. Answers to
// frequent or long requests are kept as values and encoded for each reader,
// because most of them are never read again. The bytes depend only on the
// values, so every reader gets the same bytes. A store that writes to disk
// stores [StoredAnswer.Bytes].
//
// The zero StoredAnswer is empty. A StoredAnswer is immutable and safe for
// concurrent use.
type StoredAnswer struct {
	raw  []byte
	body Encoder
}

// StoredAnswerOf returns an answer with stored bytes, which it copies.
func StoredAnswerOf(raw []byte) StoredAnswer { return AnswerOf(bytes.Clone(raw)) }

// AnswerOf returns an answer with bytes that nobody may change afterwards.
func AnswerOf(raw []byte) StoredAnswer { return StoredAnswer{raw: raw} }

// LateAnswer returns an answer that each reader encodes from body. The body shares no
// memory with values that callers hold.
func LateAnswer(body Encoder) StoredAnswer { return StoredAnswer{body: body} }

// Bytes returns the JSON; the caller may keep and change it. It is nil for an
// empty answer.
func (a StoredAnswer) Bytes() []byte {
	if a.body != nil {
		return a.body.Encode()
	}
	if len(a.raw) == 0 {
		return nil
	}
	return bytes.Clone(a.raw)
}

// IsZero reports whether the answer is empty.
func (a StoredAnswer) IsZero() bool { return a.body == nil && len(a.raw) == 0 }

// Equal compares the bytes.
func (a StoredAnswer) Equal(b StoredAnswer) bool { return bytes.Equal(a.Bytes(), b.Bytes()) }

// MarshalJSON writes the bytes in base64, so that they come back byte for byte.
func (a StoredAnswer) MarshalJSON() ([]byte, error) { return inBase64(a.Bytes()), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *StoredAnswer) UnmarshalJSON(data []byte) error {
	var raw []byte
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*a = StoredAnswer{raw: raw}
	return nil
}
