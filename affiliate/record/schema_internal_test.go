package record

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func (f field[T]) place() int { return PlaceOf[T]() }

// TestSchema: every table of Tx has its row, in the order of the fields, and the
// row knows its place, its field, and whether its records are flat.
func TestSchema(t *testing.T) {
	var names, want []string
	for f := range reflect.TypeFor[Tx]().Fields() {
		if f.Type.Kind() == reflect.Interface {
			want = append(want, strings.ToLower(f.Name))
		}
	}
	for i, s := range Schema() {
		names = append(names, s.Name)
		if place := s.kind.(interface{ place() int }).place(); place != i {
			t.Errorf("%s: place %d, want %d", s.Name, place, i)
		}
		if s.Flat == changeable(reflect.TypeOf(s.Empty())) {
			t.Errorf("%s: flat is %v", s.Name, s.Flat)
		}
		var tx Tx
		if s.Table(&tx) != nil || s.In(&tx) != nil {
			t.Errorf("%s: an empty Tx has the table", s.Name)
		}
		s.Set(&tx, emptyTable{})
		for f, v := range reflect.ValueOf(tx).Fields() {
			if v.IsNil() == (strings.ToLower(f.Name) == s.Name) {
				t.Errorf("%s: Set changes %s: %v", s.Name, f.Name, !v.IsNil())
			}
		}
		if s.Table(&tx) == nil || s.In(&tx) != (Table[AnyRecord])(emptyTable{}) {
			t.Errorf("%s: In is another table than was set", s.Name)
		}
		s.Set(&tx, nil)
		if s.Table(&tx) != nil {
			t.Errorf("%s: it is not taken away", s.Name)
		}
	}
	if got := strings.Join(names, " "); got != strings.Join(want, " ") {
		t.Errorf("schema %s\nfields %s", got, want)
	}
}

// emptyTable is a table without records.
type emptyTable struct{ Table[AnyRecord] }

// changeable reports whether values of the type share memory with their copies
// that somebody may change.
func changeable(typ reflect.Type) bool {
	switch typ {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[Payload]():
		return false
	}
	switch typ.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan:
		return true
	case reflect.Array:
		return changeable(typ.Elem())
	case reflect.Struct:
		for f := range typ.Fields() {
			if changeable(f.Type) {
				return true
			}
		}
	}
	return false
}
