package scene

import (
	"reflect"

	"github.com/tributary-go/tributary"
)

// Methods are the methods of a program and of its parts, by their names. Those of Imports begin
// with Import.
func Methods(p *tributary.Program) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for prefix, parts := range map[string][]any{"": {p, p.Webhooks(), p.Payments()}, "Import": {p.Imports()}} {
		for _, part := range parts {
			for m, bound := range reflect.ValueOf(part).Methods() {
				all[prefix+m.Name] = bound
			}
		}
	}
	return all
}
