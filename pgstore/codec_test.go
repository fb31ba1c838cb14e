package pgstore_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// TestCompact: every compact record comes back as it was, whatever is in its
// fields, and the same record gives the same bytes.
func TestCompact(t *testing.T) {
	t.Run("sales", compactRoundTrips[record.Sale])
	t.Run("redemptions", compactRoundTrips[record.Redemption])
	t.Run("clicks", compactRoundTrips[record.Click])
	t.Run("events", compactRoundTrips[record.Event])
	t.Run("deliveries", compactRoundTrips[record.Delivery])
	t.Run("receipts", compactRoundTrips[record.Receipt])
}

func compactRoundTrips[T any](t *testing.T) {
	table := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
	checkLayout(t, reflect.TypeFor[T]())
	roundTrip := func(tb rapid.TB, rec T) {
		raw := pgstore.Pack(table, rec)
		back, err := pgstore.Unpack[T](table, raw)
		if err != nil {
			tb.Fatalf("%+v: %v", rec, err)
		}
		if d := cmp.Diff(rec, back); d != "" {
			tb.Fatalf("(-stored +read):\n%s", d)
		}
		if again := pgstore.Pack(table, back); !bytes.Equal(raw, again) {
			tb.Fatalf("stored again:\n%x\n%x", raw, again)
		}
	}
	var none T
	roundTrip(t, none)
	for i := range reflect.TypeFor[T]().NumField() { // each field by itself
		rec := reflect.New(reflect.TypeFor[T]()).Elem()
		rapid.Check(t, func(rt *rapid.T) {
			drawInto(rt, rec.Field(i))
			roundTrip(rt, rec.Interface().(T))
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		rec := reflect.New(reflect.TypeFor[T]()).Elem()
		drawInto(rt, rec)
		roundTrip(rt, rec.Interface().(T))
	})
}

// checkLayout: the layout of a type, and of the types in it, has every field
// once.
func checkLayout(t *testing.T, typ reflect.Type) {
	t.Helper()
	var fields []string
	for f := range typ.Fields() {
		fields = append(fields, f.Name)
		elem := f.Type
		if elem.Kind() == reflect.Slice {
			elem = elem.Elem()
		}
		if pgstore.Layout(elem) != nil {
			checkLayout(t, elem)
		}
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(fields)), slices.Sorted(slices.Values(pgstore.Layout(typ)))); d != "" {
		t.Errorf("%s: a field has no number, or two (-struct +layout):\n%s", typ, d)
	}
}

// drawInto draws a value. A kind that it does not know fails the test.
func drawInto(rt *rapid.T, v reflect.Value) {
	set := func(x any) { v.Set(reflect.ValueOf(x).Convert(v.Type())) }
	amount := func() affiliate.Amount { return affiliate.AmountFromScaled(drawInt(rt)) }
	switch v.Interface().(type) {
	case uuid.UUID:
		set(drawID(rt))
	case affiliate.Instant:
		set(drawTime(rt))
	case json.RawMessage:
		set(rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{"a":[1.50,null]}`), json.RawMessage(`{ "z":1, "a" : "<&\u2028>" }`)}).Draw(rt, "json"))
	case []byte:
		set(drawBytes(rt))
	case record.Payload:
		set(record.PayloadOf(drawBytes(rt)))
	case record.StoredAnswer:
		set(record.StoredAnswerOf(drawBytes(rt)))
	case affiliate.Amount:
		set(amount())
	case affiliate.Opt[affiliate.Amount]:
		set(rapid.SampledFrom([]affiliate.Opt[affiliate.Amount]{{}, affiliate.Null[affiliate.Amount](), affiliate.Set(amount())}).Draw(rt, "opt"))
	case interface{ MarshalText() ([]byte, error) }:
		drawEnum(rt, v)
	case affiliate.Opt[affiliate.Percent]:
		set(rapid.SampledFrom([]affiliate.Opt[affiliate.Percent]{{}, affiliate.Null[affiliate.Percent](), affiliate.Set(affiliate.PercentFromScaled(drawInt(rt)))}).Draw(rt, "opt"))
	case affiliate.Opt[record.HandSet]:
		set(rapid.SampledFrom([]affiliate.Opt[record.HandSet]{{}, affiliate.Null[record.HandSet](), affiliate.Set(record.HandSet{Earned: amount()})}).Draw(rt, "opt"))
	default:
		drawKind(rt, v)
	}
}

func drawKind(rt *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(rt, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(drawInt(rt))
	case reflect.String:
		word := rapid.SampledFrom(append(pgstore.Words(), "", "x", "Ünï \x00 \xff <&>"))
		v.SetString(rapid.OneOf(word, rapid.String()).Draw(rt, "text"))
	case reflect.Array:
		reflect.Copy(v, reflect.ValueOf(rapid.SliceOfN(rapid.Byte(), v.Len(), v.Len()).Draw(rt, "array")))
	case reflect.Slice:
		v.SetZero()
		if n := rapid.IntRange(-1, 3).Draw(rt, "length"); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			drawInto(rt, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			drawInto(rt, v.Field(i))
		}
	default:
		rt.Fatalf("cannot draw a %s", v.Type())
	}
}

func drawInt(rt *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(-3, 300), rapid.Int64Range(math.MinInt64+1, math.MaxInt64)).Draw(rt, "int")
}

// drawID draws few ids, so that records repeat them.
func drawID(rt *rapid.T) uuid.UUID {
	return rapid.SampledFrom([]uuid.UUID{{}, {1: 1}, {15: 2}, uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")}).Draw(rt, "id")
}

func drawTime(rt *rapid.T) affiliate.Instant {
	const farthest = 9e18 // that an Instant holds
	micros := rapid.OneOf(rapid.Int64Range(-farthest, farthest), rapid.Int64Range(1_760_000_000_000_000, 1_760_000_000_000_100)).Draw(rt, "time")
	return rapid.SampledFrom([]affiliate.Instant{{}, at(micros)}).Draw(rt, "instant")
}

func at(micros int64) affiliate.Instant { return affiliate.InstantOf(time.UnixMicro(micros)) }

// drawEnum draws one of the words that the enumeration has.
func drawEnum(rt *rapid.T, v reflect.Value) {
	for {
		word := rapid.SampledFrom(append(pgstore.Words(), "")).Draw(rt, "word")
		if v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(word)) == nil {
			return
		}
	}
}

func drawBytes(rt *rapid.T) []byte {
	text := rapid.SampledFrom([]string{"null", "{}", `{"event":"sale.created"`, strings.Repeat(`{"id":1},`, 200), strings.Repeat("x", 1024)}).Draw(rt, "text")
	return []byte(text + rapid.StringN(1, 80, -1).Draw(rt, "end"))
}

// TestCompactNumbers: the numbers of fields and the words that rows were stored
// with. A change here is a change of rows that exist.
func TestCompactNumbers(t *testing.T) {
	rec := record.Delivery{
		ID: uuid.UUID{1}, EventID: uuid.UUID{2}, EndpointID: uuid.UUID{2}, Type: affiliate.SaleCreated, State: affiliate.DeliveryFailed,
		Attempts:  []record.Attempt{{At: at(5), Manual: true, URL: "u", Status: 200, Took: 3, Err: "timeout", Response: "r"}},
		CreatedAt: at(1), UpdatedAt: at(2), NextAttemptAt: at(4),
	}
	const want = "01" + "01" + "00" + "01000000000000000000000000000000" + "02" + "00" + "02000000000000000000000000000000" + "03" + "02" +
		"04" + "41" + "05" + "2f" + "06" + "02" + "07" + "02" + "08" + "04" +
		"09" + "01" + "01" + "02" + "02" + "03" + "0275" + "04" + "9003" + "05" + "06" + "06" + "0e" + "74696d656f7574" + "07" + "0272" + "00" + "00"
	if got := fmt.Sprintf("%x", pgstore.Pack("deliveries", rec)); got != want {
		t.Errorf("stored as\n%s, want\n%s", got, want)
	}
}
