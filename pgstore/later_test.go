package pgstore_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLaterRecord: a record of a version that this one does not know is an
// error, and never an empty record.
func TestLaterRecord(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	b := newBefore(t, pool, versions[0])
	if err := b.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(b.store.Convert(t.Context()))
	for _, c := range []struct{ name, change, want string }{
		{"version", "set_byte(packed, 0, 2)", "a stored record was written by a later version of pgstore"},
		{"field", `set_byte(packed, 1, 99)`, "a stored record was written by a later version of pgstore"},
		{"cut off", "substring(packed FOR 20)", "a stored record cannot be read"},
		{"longer", `packed || '\x00'`, "a stored record cannot be read"},
		{"empty", `''`, "a stored record cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := fmt.Sprintf(`"%s".sales`, b.schema)
			exec(t, pool, "CREATE TABLE kept AS SELECT program, id, packed FROM "+table)
			exec(t, pool, "UPDATE "+table+" SET packed = "+c.change)
			_, err := b.Sale(t.Context(), 1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			exec(t, pool, "UPDATE "+table+" AS t SET packed = k.packed FROM kept k WHERE k.program = t.program AND k.id = t.id; DROP TABLE kept")
		})
	}
	b.verify(t)
}
