package memstore_test

import (
	"reflect"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/leaf"
)

// TestClone: the Clone of a record, by which the store keeps it, shares none of its lists, nor a
// list in an entry of one.
func TestClone(t *testing.T) {
	for _, table := range record.Schema() {
		whole := reflect.New(reflect.TypeOf(table.Empty())).Elem()
		for l := range leaf.Of(whole, "") {
			l.Set(1)
		}
		lists := map[uintptr]string{}
		eachList(whole, "", func(name string, list reflect.Value) { lists[list.Pointer()] = name })
		clone := reflect.ValueOf(table.Clone(whole.Interface().(record.AnyRecord)))
		eachList(clone, "", func(name string, list reflect.Value) {
			if shared, is := lists[list.Pointer()]; is {
				t.Errorf("%s: the Clone shares %s", table.Name, shared)
			}
		})
	}
}

// eachList calls fn with every list in a value.
func eachList(v reflect.Value, name string, fn func(name string, list reflect.Value)) {
	switch v.Kind() {
	case reflect.Slice:
		fn(name, v)
		for i := range v.Len() {
			eachList(v.Index(i), name+"[0]", fn)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[record.Payload]() {
			return // nobody changes one
		}
		for f, v := range v.Fields() {
			eachList(v, name+"."+f.Name, fn)
		}
	}
}
