package webhooks

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestEveryTypeHasItsFunction: an event of each type that the engine knows goes
// to the function of its name, and to no other.
func TestEveryTypeHasItsFunction(t *testing.T) {
	for _, typ := range affiliate.EventTypes() {
		family, action, _ := strings.Cut(string(typ), ".")
		name := strings.ToUpper(family[:1]) + family[1:] + strings.ToUpper(action[:1]) + action[1:]
		body := `{"id":"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"}`
		if family == "sale" {
			body = `{"id":1}`
		}
		var called []string
		r := &Receiver{}
		for f, v := range reflect.ValueOf(r).Elem().Fields() {
			if v.Kind() != reflect.Func || f.Name == "OnError" || f.Name == "Any" {
				continue
			}
			v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value {
				called = append(called, f.Name)
				return []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
			}))
		}
		run, err := r.function(Event{Type: typ, Body: []byte(body)})
		if err == nil {
			err = run(t.Context())
		}
		if err != nil || len(called) != 1 || called[0] != name {
			t.Errorf("%s is handled by %v, want %s: %v", typ, called, name, err)
		}
	}
}
