package affiliate_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The same key with any other field of the request is refused (B428, B429,
// B433), and nothing is written.
func TestOnceReused(t *testing.T) {
	eachCreate(t, func(t *testing.T, s onceShop, c onceCreate) {
		o := affiliate.Once{Key: "k"}
		must(c.run(s.Program, c.input, o))
		want := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyReused, Message: "Idempotency-Key was already used with a different request"}
		for _, field := range variants(t, c.input) {
			t.Run(field.name, func(t *testing.T) {
				s.refused(want, func() error { _, err := c.run(s.Program, field.input, o); return err })
			})
		}
		for _, other := range s.creates() {
			if !reflect.DeepEqual(other.input, c.input) {
				s.refused(want, func() error { _, err := other.run(s.Program, other.input, o); return err })
			}
		}
	})
}

// A variant is an input with one field changed.
type variant struct {
	name  string
	input any
}

// variants changes every field of an input in turn, also the fields that are
// not on the wire.
func variants(t *testing.T, input any) (out []variant) {
	v := reflect.ValueOf(input)
	for _, field := range reflect.VisibleFields(v.Type()) {
		if _, ofOnce := reflect.TypeFor[affiliate.Once]().FieldByName(field.Name); ofOnce || field.Anonymous {
			continue
		}
		changed := reflect.New(v.Type()).Elem()
		changed.Set(v)
		if !alter(changed.FieldByIndex(field.Index)) {
			t.Fatalf("do not know how to change %s %s", field.Name, field.Type)
		}
		out = append(out, variant{field.Name, changed.Interface()})
	}
	return out
}

// alter gives a field another value.
func alter(f reflect.Value) bool {
	if id, ok := f.Addr().Interface().(*uuid.UUID); ok {
		id[3]++
		return true
	}
	if opt, ok := f.Addr().Interface().(json.Unmarshaler); ok {
		before := string(must(json.Marshal(f.Interface())))
		for _, sample := range []string{`true`, `false`, `7`, `"USD"`, `"2026-01-01"`, `{"productId":"x"}`, `{"firstName":true}`, `{"X-Key":"k"}`, `{"Type":"FLAT"}`, `["sale.deleted"]`, `"2026-01-01T00:00:00Z"`, `"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"`} {
			if opt.UnmarshalJSON([]byte(sample)) == nil && string(must(json.Marshal(f.Interface()))) != before && !f.IsZero() {
				return true
			}
		}
		return false
	}
	switch f.Kind() {
	case reflect.String:
		f.SetString(f.String() + "x")
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Int, reflect.Int64:
		f.SetInt(f.Int() + 1)
	case reflect.Slice:
		f.Set(reflect.Append(f, reflect.Zero(f.Type().Elem())))
	case reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
		f.SetMapIndex(reflect.ValueOf("X-Key"), reflect.ValueOf("k"))
	case reflect.Struct:
		return alter(f.Field(0))
	default:
		return false
	}
	return true
}

// A digest from the caller stands for the request: the engine ignores the
// input.
func TestOnceDigest(t *testing.T) {
	eachCreate(t, func(t *testing.T, s onceShop, c onceCreate) {
		o := affiliate.Once{Key: "k", Digest: [32]byte{1}}
		first := must(c.run(s.Program, c.input, o))
		for _, field := range variants(t, c.input) {
			c.input = field.input
			s.replayed(t, c, o, first, nil)
		}
		if _, err := c.run(s.Program, c.input, affiliate.Once{Key: "k", Digest: [32]byte{2}}); !errors.Is(err, affiliate.IdempotencyKeyReused) {
			t.Errorf("another digest: %v", err)
		}
	})
}
