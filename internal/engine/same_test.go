package engine_test

import (
	"reflect"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/leaf"
)

// TestSameEveryField: a record with one changed field is not the same, for
// every field of every record at any depth; a copy is the same. A new field is
// tested automatically.
func TestSameEveryField(t *testing.T) {
	for _, table := range record.Schema() {
		t.Run(table.Name, func(t *testing.T) { everyField(t, table) })
	}
}

func everyField(t *testing.T, table record.TableSchema) {
	of := func(rec record.AnyRecord) reflect.Value {
		v := reflect.New(reflect.TypeOf(rec)).Elem()
		v.Set(reflect.ValueOf(rec))
		return v
	}
	full := func() reflect.Value {
		v := of(table.Empty())
		for field := range leaf.Of(v, "") {
			field.Set(1)
		}
		return v
	}
	if !engine.SameValue(full(), of(table.Clone(full().Interface().(record.AnyRecord)))) {
		t.Error("a copy is not the same")
	}
	for i := 0; ; i++ {
		changed, n := full(), 0
		for field := range leaf.Of(changed, "") {
			if n++; n == i+1 {
				field.Set(2)
				if engine.SameValue(full(), changed) || engine.SameValue(changed, full()) {
					t.Errorf("%s alone makes no difference", field.Name)
				}
			}
		}
		if n <= i {
			return
		}
	}
}
