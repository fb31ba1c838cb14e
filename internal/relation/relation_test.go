package relation_test

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/leaf"
	"github.com/tributary-go/tributary/internal/relation"
)

// TestEveryField: a value in any field of a record, alone or beside all others, is in
// the row and comes back. A field that is added to a record fails until a column has it.
func TestEveryField(t *testing.T) {
	for _, table := range relation.Tables() {
		t.Run(table.Name, func(t *testing.T) {
			full := reflect.New(reflect.TypeOf(table.Empty())).Elem()
			returns(t, table, full.Interface().(record.AnyRecord), "nothing")
			for l := range leaf.Of(full, "") {
				l.Set(1)
			}
			returns(t, table, full.Interface().(record.AnyRecord), "everything")
			for n := 0; ; n++ {
				one, i, name := reflect.New(full.Type()).Elem(), 0, ""
				for l := range leaf.Of(one, "") {
					if i == n {
						l.Set(2)
						name = l.Name
					}
					i++
				}
				if n == i {
					return
				}
				returns(t, table, one.Interface().(record.AnyRecord), name)
			}
		})
	}
}

// returns writes a record and reads it again. Keys stand in their columns.
func returns(t *testing.T, table relation.Table, rec record.AnyRecord, what string) {
	t.Helper()
	row := make([]relation.Cell, len(table.Columns))
	if err := table.Write(rec, row); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got, err := table.Read(row)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(rec, got); diff != "" {
		t.Errorf("%s (-written +read):\n%s", what, diff)
	}
	keys := map[record.Index]record.Key{}
	for _, key := range rec.AppendKeys(nil) {
		keys[key.Index] = key
	}
	for i, ix := range table.Indexes {
		at := table.Keys[i]
		key, ok := keys[ix]
		switch {
		case table.Columns[at].Key != ix:
			t.Errorf("%s is the key of %s", table.Columns[at].Name, ix)
		case !ok && !row[at].Null:
			t.Errorf("%s: %s is %+v without a key", what, table.Columns[at].Name, row[at])
		case ok && !reflect.DeepEqual(table.KeyCell(key), row[at]):
			t.Errorf("%s: %s is %+v for the key %+v", what, table.Columns[at].Name, row[at], key)
		}
	}
}

// TestColumns: a name stands once in its table, and everything says what it holds.
func TestColumns(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for i, table := range relation.Tables() {
		if table.Name != record.Schema()[i].Name || table.Doc == "" {
			t.Errorf("table %d is %s, %q", i, table.Name, table.Doc)
		}
		var seen []string
		for _, c := range table.Columns {
			if !name.MatchString(c.Name) || slices.Contains(seen, c.Name) || c.Doc == "" && (c.Key == "" || !c.Null) {
				t.Errorf("column %s.%+v", table.Name, c)
			}
			seen = append(seen, c.Name)
		}
		if c := table.Columns[0]; c.Name != "id" || c.Kind != relation.ID || c.Null {
			t.Errorf("%s begins with %+v", table.Name, c)
		}
	}
}
