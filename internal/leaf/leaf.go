// Package leaf fills every field of a record, for tests that must know each of them.
package leaf

import (
	"encoding"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A Leaf is a field in a record without fields of its own.
type Leaf struct {
	Name string
	V    reflect.Value
}

// Of walks the leaves of a record, and gives each list one entry.
func Of(v reflect.Value, name string) func(yield func(Leaf) bool) {
	return func(yield func(Leaf) bool) {
		switch {
		case !holdsPlaces(v.Type()):
			yield(Leaf{name, v})
		case v.Kind() == reflect.Slice:
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			}
			for l := range Of(v.Index(0), name+"[0]") {
				if !yield(l) {
					return
				}
			}
		default:
			for i := range v.NumField() {
				for l := range Of(v.Field(i), name+"."+v.Type().Field(i).Name) {
					if !yield(l) {
						return
					}
				}
			}
		}
	}
}

// holdsPlaces reports whether a type is a struct with exported fields, or a
// list of such structs.
func holdsPlaces(t reflect.Type) bool {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t.Field(0).IsExported()
}

// Set sets the leaf to the n-th value of its type.
func (l Leaf) Set(n int) {
	switch p := l.V.Addr().Interface().(type) {
	case *uuid.UUID:
		p[0] = byte(n)
	case *affiliate.Instant:
		*p = affiliate.InstantOf(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC))
	case *affiliate.Date:
		*p = affiliate.Day(2026, 1, n)
	case encoding.TextUnmarshaler:
		l.setEnum(p, n)
	case *affiliate.Amount:
		*p = affiliate.AmountFromScaled(int64(n))
	case *affiliate.Percent:
		*p = affiliate.PercentFromScaled(int64(n))
	case *affiliate.ExchangeRate:
		*p = affiliate.ExchangeRateFromScaled(int64(n))
	case *affiliate.Opt[affiliate.Percent]:
		*p = affiliate.Set(affiliate.PercentFromScaled(int64(n)))
	case *affiliate.Opt[affiliate.Amount]:
		*p = affiliate.Set(affiliate.AmountFromScaled(int64(n)))
	case *affiliate.Opt[record.HandSet]:
		*p = affiliate.Set(record.HandSet{Kept: affiliate.AmountFromScaled(int64(n))})
	case *affiliate.Opt[string]:
		*p = affiliate.Set(fmt.Sprint(n))
	case *record.Payload:
		*p = record.PayloadOf(make([]byte, n))
	case *[32]byte:
		p[0] = byte(n)
	default:
		l.setKind(n)
	}
}

// setEnum gives an enumeration one of its values for n = 1, and none for others.
func (l Leaf) setEnum(p encoding.TextUnmarshaler, n int) {
	l.V.SetZero()
	for _, text := range []string{"FLAT", "REFUNDED", "BONUS", "API", "POLAR", "ON_HOLD",
		"AFFILIATE_BANNED", "PAID", "OPENING", "EMAIL", "TIER", "CUSTOMER", "MONTHS", "TAX"} {
		if n == 1 && p.UnmarshalText([]byte(text)) == nil {
			return
		}
	}
}

func (l Leaf) setKind(n int) {
	switch l.V.Kind() {
	case reflect.String:
		l.V.SetString(fmt.Sprint(n))
	case reflect.Bool:
		l.V.SetBool(n == 1)
	case reflect.Int, reflect.Int16, reflect.Int64:
		l.V.SetInt(int64(n))
	case reflect.Slice:
		l.V.Set(reflect.MakeSlice(l.V.Type(), n, n))
	default:
		panic("a record has a " + l.V.Type().String())
	}
}
