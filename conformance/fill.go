package conformance

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Records are made by reflection. A field that is added to a record is tested
// from then on, and a field that cannot be filled panics.

// full returns the table's n-th record, n from 1 to 255, with a value in every
// field. The same n gives equal records that share no memory. The ids of
// different n sort by n, and all their keys differ.
func (t table) full(n int) record.AnyRecord {
	f := filler{n: n}
	rec := edit(t.Empty(), f.fill)
	switch rec := rec.(type) {
	case record.Sale:
		return payable(held(rec))
	case record.Hold:
		rec.State = affiliate.HoldHeld // only such a hold has the keys of its code and coupon
		return rec
	}
	return rec
}

// held puts the first commission of the sale on hold. Only such a sale has a key in
// OfState.
func held(sale record.Sale) record.Sale {
	sale.Commissions[0].Approval = affiliate.EnumOf(affiliate.ApprovalOnHold)
	return sale
}

// payable gives the sale a commission that a payout may take. Only such a sale
// has a key in OfPayable. It is the last one: the first gives the key in OfPayout.
func payable(sale record.Sale) record.Sale {
	free := &sale.Commissions[len(sale.Commissions)-1]
	free.PayoutID = uuid.Nil
	free.Approval = affiliate.EnumOf(affiliate.ApprovalAccepted)
	free.Earned = affiliate.AmountFromScaled(math.MaxInt64)
	return sale
}

// parked returns the full record; a payment has no sale in it and is in no conflict, and a
// redemption counts and was not seen. Only such ones have a key in OfPayer and in OfState.
func (t table) parked(n int) record.AnyRecord {
	switch rec := t.full(n).(type) {
	case record.Payment:
		rec.Sale, rec.Conflict = uuid.Nil, uuid.Nil
		return rec
	case record.Redemption:
		rec.SeenAt, rec.RestoredAt = affiliate.Instant{}, affiliate.Instant{}
		return rec
	default:
		return rec
	}
}

// nulls returns the full record with null in every Opt.
func (t table) nulls(n int) record.AnyRecord {
	return edit(t.full(n), func(p any) bool {
		switch p := p.(type) {
		case *affiliate.Opt[string]:
			*p = affiliate.Null[string]()
		case *affiliate.Opt[affiliate.Amount]:
			*p = affiliate.Null[affiliate.Amount]()
		case *affiliate.Opt[affiliate.Percent]:
			*p = affiliate.Null[affiliate.Percent]()
		case *affiliate.Opt[record.HandSet]:
			*p = affiliate.Null[record.HandSet]()
		}
		return false
	})
}

// numbers returns the full record with n in every integer.
func (t table) numbers(n int64) record.AnyRecord {
	return edit(t.full(1), func(p any) bool {
		v := reflect.ValueOf(p).Elem()
		if v.Kind() == reflect.Int64 {
			v.SetInt(n)
		}
		return false
	})
}

// sparse returns the table's n-th record with nothing but its id and the fields
// whose keys every record has.
func (t table) sparse(n int) record.AnyRecord {
	rec := t.full(n)
	for i := range reflect.TypeOf(rec).NumField() {
		without := withField(rec, i, func(v reflect.Value) {
			v.SetZero()
			if raw, ok := v.Addr().Interface().(*json.RawMessage); ok {
				*raw = json.RawMessage("{}")
			}
		})
		if complete(without) {
			rec = without
		}
	}
	return rec
}

// complete reports whether the record has an id and no empty key.
func complete(rec record.AnyRecord) bool {
	for _, key := range keysOf(rec) {
		if key.ID == uuid.Nil && key.Text == "" {
			return false
		}
	}
	return rec.RecordID() != uuid.Nil
}

// withID returns the record with another id.
func withID(rec record.AnyRecord, id uuid.UUID) record.AnyRecord {
	return edit(rec, func(p any) bool {
		v := reflect.ValueOf(p).Elem()
		if v.Type() == reflect.TypeOf(rec) {
			v.FieldByName("ID").Set(reflect.ValueOf(id))
		}
		return true
	})
}

// withKey returns the record with another record's key in an index. It copies
// the one field, or the two, that the key is made of.
func withKey(rec, from record.AnyRecord, ix record.Index) record.AnyRecord {
	fields := reflect.TypeOf(rec).NumField()
	copied := func(rec record.AnyRecord, i int) record.AnyRecord {
		return withField(rec, i, func(v reflect.Value) { v.Set(reflect.ValueOf(from).Field(i)) })
	}
	for apart := range fields { // 0: one field
		for i := range fields - apart {
			other := copied(copied(rec, i), i+apart)
			if other.RecordID() == rec.RecordID() && keyOf(other, ix) == keyOf(from, ix) {
				return other
			}
		}
	}
	panic(fmt.Sprintf("conformance: no field of %T makes %s", rec, ix))
}

// withField returns a copy of the record in which set has changed the i-th
// field.
func withField(rec record.AnyRecord, i int, set func(v reflect.Value)) record.AnyRecord {
	v := reflect.New(reflect.TypeOf(rec)).Elem()
	v.Set(reflect.ValueOf(rec))
	set(v.Field(i))
	return v.Interface().(record.AnyRecord)
}

// edit returns a copy of the record that visit has changed. The copy shares its
// slices with the record.
func edit(rec record.AnyRecord, visit func(p any) (done bool)) record.AnyRecord {
	v := reflect.New(reflect.TypeOf(rec)).Elem()
	v.Set(reflect.ValueOf(rec))
	visitAll(v, visit)
	return v.Interface().(record.AnyRecord)
}

// visitAll calls visit with a pointer to v. Unless visit returns true, it then
// visits each exported field and each element.
func visitAll(v reflect.Value, visit func(p any) (done bool)) {
	if visit(v.Addr().Interface()) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				visitAll(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			visitAll(v.Index(i), visit)
		}
	}
}

// scribble overwrites the memory behind every slice of the record.
func scribble(rec record.AnyRecord) {
	edit(rec, func(p any) bool {
		v := reflect.ValueOf(p).Elem()
		if v.Kind() != reflect.Slice {
			return false
		}
		for i := range v.Len() {
			visitAll(v.Index(i), func(p any) bool {
				inner := reflect.ValueOf(p).Elem()
				if inner.Kind() == reflect.Slice {
					reflect.Copy(inner, reflect.MakeSlice(inner.Type(), inner.Len(), inner.Len()))
				}
				return false
			})
			v.Index(i).SetZero()
		}
		return true
	})
}

// A filler gives every field a value of its own.
type filler struct {
	n int // of the record
	k int // of the value in the record
}

// fill returns a visit function. It sets what p points to.
func (f *filler) fill(p any) bool {
	f.k++
	switch p := p.(type) {
	case *uuid.UUID:
		*p = uuid.UUID{byte(f.n), 4: byte(f.k), 6: 0x70, 8: 0x80, 15: 0xff}
	case *affiliate.Instant:
		*p = affiliate.InstantOf(time.Date(2026, 3, 11, 9, 24, 18, 442_001_000, time.UTC).Add(f.micros()))
	case *json.RawMessage:
		*p = fmt.Appendf(nil, `{"a":[null,true,{"é":-9223372036854775808}],"n":%d.25,"t":"<&\u2028\\>%d"}`, f.n, f.k)
	case *[]byte:
		*p = f.bytes()
	case *[32]byte:
		copy(p[:], f.bytes())
	case *record.Payload:
		*p = record.PayloadOf(fmt.Appendf(nil, `{ "z":1, "a" : 1.50, "z":2, "n":"%d/%d" }`, f.n, f.k))
	case *affiliate.Date:
		*p = affiliate.Day(2000+f.k%100, 1, 1+f.n%28)
	case *affiliate.Amount:
		*p = affiliate.AmountFromScaled(f.int())
	case *affiliate.Percent:
		*p = affiliate.PercentFromScaled(f.int())
	case *affiliate.ExchangeRate:
		*p = affiliate.ExchangeRateFromScaled(f.int())
	case *affiliate.Opt[string]:
		*p = affiliate.Set(f.text())
	case *affiliate.Opt[affiliate.Amount]:
		*p = affiliate.Set(affiliate.AmountFromScaled(f.int()))
	case *affiliate.Opt[affiliate.Percent]:
		*p = affiliate.Set(affiliate.PercentFromScaled(f.int()))
	case *affiliate.Opt[record.HandSet]:
		*p = affiliate.Set(record.HandSet{Earned: affiliate.AmountFromScaled(f.int()),
			Kept: affiliate.AmountFromScaled(-int64(f.k))})
	case encoding.TextUnmarshaler:
		f.fillEnum(p)
	default:
		return f.fillKind(reflect.ValueOf(p).Elem())
	}
	return true
}

// enums are values of the enumerations of records, the last of each first.
var enums = []string{
	"FLAT", "REFUNDED", "CONTENT_REWARD", "UNKNOWN", "ZYLVIE", "DECLINED", "AFFILIATE_BANNED",
	"PAID", "OPENING",
	"PERCENTAGE", "ACTIVE", "SIGNUP", "API", "JAVASCRIPT", "ACCEPTED", "PROGRAM_SETTINGS",
	"EMAIL", "CUSTOMER", "PROGRAM", "MONTHS", "TAX_AND_SHIPPING",
}

// fillEnum sets an enumeration to one of its values.
func (f *filler) fillEnum(p encoding.TextUnmarshaler) {
	for _, text := range enums {
		if p.UnmarshalText([]byte(text)) == nil {
			return
		}
	}
	panic(fmt.Sprintf("conformance: no value of %T is known", p))
}

func (f *filler) fillKind(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(f.int())
	case reflect.Int, reflect.Int16:
		v.SetInt(int64(f.n*100 + f.k)) // an int has 32 bits on some machines
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		return false
	case reflect.Struct:
		if v.NumField() == 0 || !v.Type().Field(0).IsExported() {
			panic(fmt.Sprintf("conformance: cannot fill a %s", v.Type()))
		}
		return false
	default:
		panic(fmt.Sprintf("conformance: cannot fill a %s", v.Type()))
	}
	return true
}

// int returns a number near one end of int64, where a float64 is not exact.
func (f *filler) int() int64 {
	if f.k%2 == 0 {
		return math.MaxInt64 - int64(f.n*1000+f.k)
	}
	return math.MinInt64 + int64(f.n*1000+f.k)
}

// text returns a text with characters that encoders get wrong. No two texts are
// equal, even when letter case is ignored.
func (f *filler) text() string {
	return fmt.Sprintf("Ünï \"%d/%d\" \\ <&> 'x';-- \u2028\U0001f9ff\n\t%% e\u0301 ", f.n, f.k)
}

// bytes returns all 256 bytes, beginning anywhere.
func (f *filler) bytes() []byte {
	raw := make([]byte, 256)
	for i := range raw {
		raw[i] = byte(i + f.n*16 + f.k)
	}
	return raw
}

func (f *filler) micros() time.Duration {
	return time.Duration(f.n*1_000_003+f.k) * time.Microsecond
}

// diff compares records or lists of records. JSON is compared by value, because a database may
// store it so. An empty list
// equals nil. Everything else must be identical.
func diff(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return "" // cmp takes ten times as long, over hundreds of thousands of records
	}
	return cmp.Diff(want, got,
		cmp.FilterPath(isJSON, cmp.Comparer(sameJSON)),
		cmp.FilterPath(func(p cmp.Path) bool { return !isJSON(p) }, cmpopts.EquateEmpty()))
}

// isJSON reports whether a value is JSON. A []byte is not: it has to come back
// byte for byte.
func isJSON(p cmp.Path) bool { return p.Last().Type() == reflect.TypeFor[json.RawMessage]() }

func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// decode reads JSON and keeps numbers as they are written.
func decode(raw json.RawMessage) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
