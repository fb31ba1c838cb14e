package pgstore

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate/record"
)

// admit refuses keys of unknown indexes, and texts that the database cannot
// store.
func (tab *table[T]) admit(keys []record.Key) error {
	for _, key := range keys {
		if !slices.Contains(tab.sql.Indexes, key.Index) {
			return fmt.Errorf("pgstore: record of %s: no index %q", tab.sql.Name, key.Index)
		}
		if !storable(key) {
			return fmt.Errorf("pgstore: record of %s: the key of %s cannot be stored", tab.sql.Name, key.Index)
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

// checkIndex refuses an index that the table does not have, or that is not
// unique or shared as wanted.
func (tab *table[T]) checkIndex(ix record.Index, unique bool) error {
	if ix.Unique() == unique && slices.Contains(tab.sql.Indexes, ix) {
		return nil
	}
	if unique {
		return fmt.Errorf("pgstore: find in %s: no unique index %q", tab.sql.Name, ix)
	}
	return fmt.Errorf("pgstore: list of %s: no shared index %q", tab.sql.Name, ix)
}
