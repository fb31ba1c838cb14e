package engine

import (
	"bytes"
	"reflect"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Same reports whether two states of a record are equal in every field. Nothing
// else decides whether a record has changed, and new fields are included
// automatically. An empty list equals a nil one, because a store may return
// either.
//
// It compares UpdatedAt and Revision too, so callers ask before they raise them.
func Same[R record.Record[R]](a, b R) bool {
	return SameValue(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem())
}

// SameValue compares as Same does, at any depth.
func SameValue(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		return sameStruct(a, b)
	case reflect.Slice, reflect.Array:
		return sameList(a, b)
	default:
		return a.Equal(b)
	}
}

func sameStruct(a, b reflect.Value) bool {
	for i := range a.NumField() {
		if !SameValue(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}

func sameList(a, b reflect.Value) bool {
	if a.Type().Elem().Kind() == reflect.Uint8 {
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !SameValue(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}
