package providers_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/pay"
)

// program is the program of every event, and carryKeys sign what its checkouts carry.
var (
	program   = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")
	carryKeys = pay.Keys{bytes.Repeat([]byte("k"), 32)}
)

// signed returns an event as it is when the host carried its marks: each object that has
// some names the program, and is signed.
func signed(t *testing.T, body []byte) []byte {
	t.Helper()
	var event any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&event); err != nil {
		t.Fatal(err)
	}
	sign(t, event)
	body, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func sign(t *testing.T, value any) {
	t.Helper()
	list, _ := value.([]any)
	for _, one := range list {
		sign(t, one)
	}
	object, _ := value.(map[string]any)
	for _, one := range object {
		sign(t, one)
	}
	text := func(key string) string { s, _ := object["tributary_"+key].(string); return s }
	c := pay.Carried{Program: program, Click: text("click"), Slug: text("slug"), Code: text("code"), Order: text("order"), Customer: text("customer")}
	if text("program") != "" || c == (pay.Carried{Program: program}) {
		return
	}
	signature, err := carryKeys.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	object["tributary_program"], object["tributary_signature"] = program.String(), signature
}
