package pgstore

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tributary-go/tributary/affiliate/record"
)

// admit refuses keys of unknown indexes, and texts that the database cannot
// store.
func (tab *table[T]) admit(keys []record.Key) error {
	for _, key := range keys {
		if !slices.Contains(tab.sql.indexes, key.Index) {
			return fmt.Errorf("pgstore: record of %s: no index %q", tab.sql.name, key.Index)
		}
		if !storable(key) {
			return fmt.Errorf("pgstore: record of %s: the key of %s cannot be stored", tab.sql.name, key.Index)
		}
	}
	return nil
}

// storable reports whether a text can be a key.
func storable(key record.Key) bool {
	if key.Index.IsID() {
		return true
	}
	return key.Text != "" && utf8.ValidString(key.Text) && strings.IndexByte(key.Text, 0) < 0
}

// scanRecord reads the columns id and record.
func scanRecord(rows pgx.Rows) (id uuid.UUID, raw []byte, err error) {
	err = rows.Scan((*[16]byte)(&id), &raw)
	return id, raw, err
}

// idArg returns an id as a parameter.
func idArg(id uuid.UUID) any { return pgtype.UUID{Bytes: id, Valid: true} }

// keyArg returns the value of a key as a parameter.
func keyArg(key record.Key) any {
	if key.Index.IsID() {
		return idArg(key.ID)
	}
	return key.Text
}

// checkIndex refuses an index that the table does not have, or that is not
// unique or shared as wanted.
func (tab *table[T]) checkIndex(ix record.Index, unique bool) error {
	if ix.Unique() == unique && slices.Contains(tab.sql.indexes, ix) {
		return nil
	}
	if unique {
		return fmt.Errorf("pgstore: find in %s: no unique index %q", tab.sql.name, ix)
	}
	return fmt.Errorf("pgstore: list of %s: no shared index %q", tab.sql.name, ix)
}
