package pgstore

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// stored is the SQL of a record as the database has it. t is the alias of the
// table in the statement, with its dot, or empty.
func (s *tableSQL) stored(t string) string { return t + "record" }

// decode reads what stored gives.
func decode[T any](_ *tableSQL, raw []byte) (rec T, err error) {
	err = json.Unmarshal(raw, &rec)
	return rec, err
}

// encode is the stored JSON of a record. It does not escape characters for
// HTML, so metadata comes back byte for byte.
func (b *flushBatch) encode(rec any) (string, error) {
	b.buf.Reset()
	enc := json.NewEncoder(&b.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rec); err != nil {
		return "", fmt.Errorf("pgstore: encode record: %w", err)
	}
	return string(bytes.TrimSuffix(b.buf.Bytes(), []byte("\n"))), nil
}
