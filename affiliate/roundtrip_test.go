package affiliate_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

// Decoding what was encoded gives the same again: a receipt answers with it, a
// client reads it. Objects are drawn completely filled, whatever their fields;
// one that the drawing does not know fails the test.
func TestRoundTrip(t *testing.T) {
	t.Run("Sale", roundTrips[affiliate.Sale])
	t.Run("Coupon", roundTrips[affiliate.Coupon])
	t.Run("Code", roundTrips[affiliate.Code])
	t.Run("Referral", roundTrips[affiliate.Referral])
	t.Run("Affiliate", roundTrips[affiliate.Affiliate])
	t.Run("Link", roundTrips[affiliate.Link])
	t.Run("Payout", roundTrips[affiliate.Payout])
	t.Run("Evaluation", roundTrips[affiliate.Evaluation])
	t.Run("Plan", roundTrips[affiliate.Plan])
	t.Run("Tier", roundTrips[affiliate.Tier])
	t.Run("Click", roundTrips[affiliate.Click])
	t.Run("Endpoint", roundTrips[affiliate.Endpoint])
	t.Run("AffiliateBody", roundTrips[affiliate.AffiliateBody])
	t.Run("ReferralBody", roundTrips[affiliate.ReferralBody])
	t.Run("Error", roundTrips[affiliate.Error])
}

func roundTrips[T any](t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var x, y T
		fill(rt, reflect.ValueOf(&x).Elem(), 0)
		raw, err := json.Marshal(x)
		if err != nil {
			rt.Fatalf("encode: %v", err)
		}
		if err := json.Unmarshal(raw, &y); err != nil {
			rt.Fatalf("decode %s: %v", raw, err)
		}
		if diff := cmp.Diff(x, y); diff != "" {
			rt.Fatalf("decode(encode(x)) (-x +decoded) of %s:\n%s", raw, diff)
		}
		again, err := json.Marshal(y)
		if err != nil || !bytes.Equal(raw, again) {
			rt.Fatalf("encoded again: %v\n%s\n%s", err, raw, again)
		}
	})
}

// fill draws a value of any type that answers are made of.
func fill(rt *rapid.T, v reflect.Value, depth int) {
	if fillLeaf(rt, v) || fillOpt(rt, v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag.Get("json")
			absent := tag == "-" || strings.Contains(tag, "omitzero") && rapid.Bool().Draw(rt, "absent")
			if field := v.Field(i); !absent && field.Type() != reflect.TypeFor[error]() {
				fill(rt, field, depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 2)) // an empty list is [], never null
		for range rapid.IntRange(0, max(0, 2-depth/2)).Draw(rt, "length") {
			one := reflect.New(v.Type().Elem()).Elem()
			fill(rt, one, depth+1)
			v.Set(reflect.Append(v, one))
		}
	default:
		rt.Fatalf("do not know how to draw a %s", v.Type())
	}
}

// fillLeaf draws texts, numbers and what encodes itself.
func fillLeaf(rt *rapid.T, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *affiliate.Amount:
		*p = affiliate.AmountFromScaled(rapid.Int64().Draw(rt, "amount"))
	case *affiliate.Percent:
		*p = affiliate.PercentFromScaled(rapid.Int64().Draw(rt, "percent"))
	case *affiliate.Time:
		*p = anyTime().Draw(rt, "time")
	case *uuid.UUID:
		*p = anyID().Draw(rt, "id")
	case *json.RawMessage:
		// In the spelling of encoding/json, which escapes <, > and & of any raw message.
		*p = json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"a":[1.50,"\u003cb\u003e\u2028"],"ü":null}`}).Draw(rt, "raw"))
	default:
		switch v.Kind() {
		case reflect.String:
			v.SetString(rapid.String().Draw(rt, "text"))
		case reflect.Int, reflect.Int64:
			v.SetInt(rapid.Int64().Draw(rt, "number"))
		case reflect.Uint8:
			v.SetUint(uint64(rapid.Uint8().Draw(rt, "number")))
		case reflect.Bool:
			v.SetBool(rapid.Bool().Draw(rt, "flag"))
		default:
			return false
		}
	}
	return true
}

// fillOpt draws null or a value. Reflection cannot name an instance of a generic
// function, so the types of values are listed.
func fillOpt(rt *rapid.T, v reflect.Value, depth int) bool {
	switch p := v.Addr().Interface().(type) {
	case *affiliate.Opt[string]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[int64]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[bool]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[uuid.UUID]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[json.RawMessage]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Amount]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Percent]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Time]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Currency]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.PaymentMethod]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Integration]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.IntegrationType]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.HoldReason]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.DisabledReason]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.AffiliateContact]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.CodeName]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Coupon]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Referral]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Plan]:
		nullOr(rt, p, depth)
	case *affiliate.Opt[affiliate.Tier]:
		nullOr(rt, p, depth)
	default:
		return false
	}
	return true
}

func nullOr[T any](rt *rapid.T, p *affiliate.Opt[T], depth int) {
	if *p = affiliate.Null[T](); rapid.Bool().Draw(rt, "null") {
		return
	}
	var v T
	fill(rt, reflect.ValueOf(&v).Elem(), depth+1)
	*p = affiliate.Set(v)
}
