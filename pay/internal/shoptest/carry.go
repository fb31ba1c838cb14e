package shoptest

import (
	"bytes"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/pay"
)

// CarryKeys sign what the checkouts of the shop carry.
var CarryKeys = pay.Keys{bytes.Repeat([]byte("k"), 32)}

// Carried returns the event as it is when the host carried its data: each object with
// data of ours names the program, and is signed. An object that names a program stays.
func (e Event) Carried(program uuid.UUID) Event {
	e = e.With()
	carry(map[string]any(e), program)
	return e
}

func carry(in any, program uuid.UUID) {
	switch in := in.(type) {
	case []any:
		for _, one := range in {
			carry(one, program)
		}
	case map[string]any:
		for _, one := range in {
			carry(one, program)
		}
		text := func(key string) string {
			switch v := in["tributary_"+key].(type) {
			case string:
				return v
			case json.Number:
				return v.String()
			}
			return ""
		}
		c := pay.Carried{Program: program, Click: text("click"), Slug: text("slug"),
			Code: text("code"), Order: text("order"), Customer: text("customer")}
		if text("program") != "" || c == (pay.Carried{Program: program}) {
			return
		}
		in["tributary_program"], in["tributary_signature"] = program.String(), Must(CarryKeys.Sign(c))
	}
}
