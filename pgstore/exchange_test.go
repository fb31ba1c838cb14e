package pgstore_test

import (
	"cmp"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// TestExchange: records that pass their unique keys on in one Update, also those of a
// deleted one and to a new one, and around in a ring.
func TestExchange(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		s := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Mode: mode})
		program := uuid.UUID{7}
		code := func(i byte, text string) record.Code {
			return record.Code{ID: uuid.UUID{1, i}, CouponID: uuid.UUID{9}, Code: text}
		}
		steps := []func(tx *record.Tx) error{
			func(tx *record.Tx) (err error) {
				for i := range byte(7) {
					err = cmp.Or(err, tx.Codes.Insert(code(i, fmt.Sprint("C", i))))
				}
				return err
			},
			func(tx *record.Tx) error { // a ring of three, and a chain: 3 is gone, 4 takes its key, a new one takes that of 4
				return cmp.Or(tx.Codes.Replace(code(0, "for a moment")), tx.Codes.Replace(code(2, "C0")), tx.Codes.Replace(code(1, "C2")), tx.Codes.Replace(code(0, "C1")),
					tx.Codes.Delete(code(3, "").ID), tx.Codes.Replace(code(4, "C3")), tx.Codes.Insert(code(9, "C4")))
			},
			func(tx *record.Tx) error { // one alone
				return cmp.Or(tx.Codes.Delete(code(5, "").ID), tx.Codes.Replace(code(6, "C5")), tx.Codes.Insert(code(8, "C6")))
			},
		}
		for i, step := range steps {
			if err := s.Update(t.Context(), program, step); err != nil {
				t.Fatalf("mode %d, step %d: %v", mode, i, err)
			}
		}
		err := s.View(t.Context(), program, func(tx *record.Tx) (err error) {
			for text, want := range map[string]byte{"C0": 2, "C1": 0, "C2": 1, "C3": 4, "C4": 9, "C5": 6, "C6": 8} {
				rec, missing := tx.Codes.Find(record.Key{Index: record.ByCode, Text: text})
				if missing != nil || rec.ID != (uuid.UUID{1, want}) || rec.Code != text {
					err = errors.Join(err, fmt.Errorf("%s is that of %v, error %v", text, rec.ID, missing))
				}
			}
			return err
		})
		if err != nil {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
}
