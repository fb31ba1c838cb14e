package client_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/api"
)

// operations names what a type does over the wire: its methods that take a
// context.
func operations[T any]() []string {
	var names []string
	for m := range reflect.TypeFor[T]().Methods() {
		for in := range m.Type.Ins() {
			if in == reflect.TypeFor[context.Context]() {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestOperations: every method of the client that takes a context is an
// operation of the wire.
func TestOperations(t *testing.T) {
	if diff := cmp.Diff(operations[api.Operations](), operations[*client.Client]()); diff != "" {
		t.Errorf("methods of the interface, and of the client (-want +got):\n%s", diff)
	}
}

// TestInvocations: the tests that call every operation really call all of them.
func TestInvocations(t *testing.T) {
	var called []string
	for _, inv := range invocations() {
		called = append(called, inv.name)
	}
	slices.Sort(called)
	if diff := cmp.Diff(operations[api.Operations](), called); diff != "" {
		t.Errorf("operations, and those that are called (-want +got):\n%s", diff)
	}
}
