package affiliate_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A valueFiller fills values of all types of answers. It finds the fields by
// reflection, so that a new field is drawn too. A field of a kind that it does
// not know fails the test.
type valueFiller struct {
	rt *rapid.T

	// odd also draws values that only an encoder must accept: bytes that are
	// not UTF-8, JSON in another spelling, nil lists, an Opt that is not given.
	// Without it a value equals what decoding its JSON gives.
	odd bool
}

// drawn returns a drawn T.
func drawn[T any](rt *rapid.T, odd bool) (v T) {
	valueFiller{rt, odd}.fill(reflect.ValueOf(&v).Elem(), 0)
	return v
}

func (d valueFiller) fill(v reflect.Value, depth int) {
	switch {
	case d.fillLeaf(v):
	case strings.HasPrefix(v.Type().Name(), "Opt["):
		d.fillOpt(v, depth)
	case v.Kind() == reflect.Struct:
		d.fillStruct(v, depth)
	case v.Kind() == reflect.Slice:
		d.fillSlice(v, depth)
	default:
		d.rt.Fatalf("do not know how to draw a %s", v.Type())
	}
}

func (d valueFiller) fillStruct(v reflect.Value, depth int) {
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("json")
		absent := tag == "-" || strings.Contains(tag, "omitzero") && rapid.Bool().Draw(d.rt, "absent")
		if field := v.Field(i); !absent && field.Type() != reflect.TypeFor[error]() {
			d.fill(field, depth+1)
			if strings.Contains(tag, "omitempty") && field.Len() == 0 {
				field.SetZero() // not there when it is empty
			}
		}
	}
}

func (d valueFiller) fillSlice(v reflect.Value, depth int) {
	if d.odd && rapid.Bool().Draw(d.rt, "nil") {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 2)) // an empty list is [], never null
	for range rapid.IntRange(0, max(0, 2-depth/2)).Draw(d.rt, "length") {
		one := reflect.New(v.Type().Elem()).Elem()
		d.fill(one, depth+1)
		v.Set(reflect.Append(v, one))
	}
}

// fillOpt draws null or a value. It writes the two fields of the Opt, because
// reflection cannot call a generic function.
func (d valueFiller) fillOpt(v reflect.Value, depth int) {
	const null, given = 1, 2
	state := rapid.Uint8Range(null, given)
	if d.odd {
		state = rapid.Uint8Range(0, given)
	}
	field := func(name string) reflect.Value {
		f := v.FieldByName(name)
		return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
	}
	field("state").SetUint(uint64(state.Draw(d.rt, "state")))
	if field("state").Uint() == given {
		d.fill(field("v"), depth+1)
	}
}

// fillLeaf draws texts, numbers and types that encode themselves.
func (d valueFiller) fillLeaf(v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *affiliate.Amount:
		*p = affiliate.AmountFromScaled(rapid.Int64().Draw(d.rt, "amount"))
	case *affiliate.Percent:
		*p = affiliate.PercentFromScaled(rapid.Int64().Draw(d.rt, "percent"))
	case *affiliate.ExchangeRate:
		*p = affiliate.ExchangeRateFromScaled(rapid.Int64Min(1).Draw(d.rt, "rate"))
	case *affiliate.Date:
		at := anyTime().Draw(d.rt, "date").Time()
		if *p = affiliate.At(at); at.Second()%2 == 0 {
			*p = affiliate.Day(at.Date())
		}
	case *affiliate.Time:
		*p = anyTime().Draw(d.rt, "time")
	case *uuid.UUID:
		*p = anyID().Draw(d.rt, "id")
	case *json.RawMessage:
		*p = d.raw()
	default:
		return d.fillKind(v)
	}
	return true
}

func (d valueFiller) fillKind(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.text().Draw(d.rt, "text"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(d.rt, "number"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Uint8().Draw(d.rt, "number")))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(d.rt, "flag"))
	default:
		return false
	}
	return true
}

func (d valueFiller) text() *rapid.Generator[string] {
	if d.odd {
		return anyText()
	}
	return rapid.String()
}

// raw draws JSON. encoding/json compacts a raw message and escapes <, > and &
// in it, so only a document in that spelling is the same after decoding.
func (d valueFiller) raw() json.RawMessage {
	if d.odd {
		return anyDocument().Draw(d.rt, "document")
	}
	return json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"a":[1.50,"\u003cb\u003e\u2028"],"ü":null}`}).Draw(d.rt, "raw"))
}

// anyText draws texts that need every kind of escape, also bad UTF-8.
func anyText() *rapid.Generator[string] {
	odd := rapid.SampledFrom([]string{"<", ">", "&", `"`, `\`, "\b", "\f", "\n", "\r", "\t", "\x00", "\x1f", "\x7f", "\u0080", "\u2028", "\u2029", "\u2027",
		"\ufffd", "\xff", "\xe2\x80", "\xed\xa0\x80", "é", "名", "🎉", "abc"})
	pieces := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(odd, 0, 6).Draw(t, "pieces"), "")
	})
	return rapid.OneOf(pieces, rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
}

// anyDocument draws valid JSON that is neither compact nor escaped.
func anyDocument() *rapid.Generator[json.RawMessage] {
	fixed := rapid.SampledFrom([]string{`null`, ` 7 `, `"<&>"`, "{ \"a\" : [ 1.50, \"\u2028\u2029\" ] }"})
	object := rapid.Custom(func(t *rapid.T) string {
		doc := map[string]any{anyText().Draw(t, "name"): anyText().Draw(t, "text"), "n": rapid.Float64Range(-1e9, 1e9).Draw(t, "n"), "l": []any{nil, true}}
		return " " + string(scene.Must(json.Marshal(doc))) + "\n"
	})
	return rapid.Map(rapid.OneOf(fixed, object), func(s string) json.RawMessage { return json.RawMessage(s) })
}

func anyID() *rapid.Generator[uuid.UUID] {
	return rapid.Map(rapid.SliceOfN(rapid.Byte(), 16, 16), func(b []byte) uuid.UUID { return uuid.UUID(b) })
}

func anyTime() *rapid.Generator[affiliate.Time] {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli()
	return rapid.Map(rapid.OneOf(rapid.Int64Range(first, last), rapid.SampledFrom([]int64{first, last, 0, -1})), func(ms int64) affiliate.Time {
		return affiliate.TimeOf(time.UnixMilli(ms))
	})
}
