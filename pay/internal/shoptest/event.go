// Package shoptest has what the tests of the providers share: a shop with two
// affiliates, and events that a test changes and sends. It is for tests only.
package shoptest

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// An Event is the payload of a provider's event.
type Event map[string]any

// Load reads an event from a file.
func Load(t testing.TB, path string) Event {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Decode(t, raw)
}

// Decode reads an event.
func Decode(t testing.TB, raw []byte) Event {
	t.Helper()
	var e Event
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&e); err != nil {
		t.Fatal(err)
	}
	return e
}

// JSON is the body of the event.
func (e Event) JSON() []byte {
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return raw
}

// With returns the event with other fields: pairs of a dotted path and a value.
// The value Gone removes the field.
func (e Event) With(pairs ...any) Event {
	var changed Event
	d := json.NewDecoder(bytes.NewReader(e.JSON()))
	d.UseNumber()
	if err := d.Decode(&changed); err != nil {
		panic(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		set(map[string]any(changed), strings.Split(pairs[i].(string), "."), pairs[i+1])
	}
	return changed
}

// Gone is the value of a field that is removed.
var Gone = new(struct{ _ int })

// set changes a field of an object, and makes the objects around it.
func set(in any, path []string, value any) {
	if list, ok := in.([]any); ok {
		n, err := strconv.Atoi(path[0])
		if err != nil {
			panic(err)
		}
		set(list[n], path[1:], value)
		return
	}
	object := in.(map[string]any)
	if len(path) == 1 {
		if value == any(Gone) {
			delete(object, path[0])
			return
		}
		object[path[0]] = value
		return
	}
	if object[path[0]] == nil {
		object[path[0]] = map[string]any{}
	}
	set(object[path[0]], path[1:], value)
}
