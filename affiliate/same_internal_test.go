package affiliate

import (
	"encoding"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestSameEveryField: a record with one changed field is not the same, for
// every field of every record at any depth; a copy is the same. A new field is
// tested automatically.
func TestSameEveryField(t *testing.T) {
	t.Run("AffiliateRecord", everyField[AffiliateRecord])
	t.Run("LinkRecord", everyField[LinkRecord])
	t.Run("ClickRecord", everyField[ClickRecord])
	t.Run("ReferralRecord", everyField[ReferralRecord])
	t.Run("CouponRecord", everyField[CouponRecord])
	t.Run("CodeRecord", everyField[CodeRecord])
	t.Run("RedemptionRecord", everyField[RedemptionRecord])
	t.Run("SaleRecord", everyField[SaleRecord])
	t.Run("PlanRecord", everyField[PlanRecord])
	t.Run("TierRecord", everyField[TierRecord])
	t.Run("PayoutRecord", everyField[PayoutRecord])
	t.Run("AdjustmentRecord", everyField[AdjustmentRecord])
	t.Run("MovementRecord", everyField[MovementRecord])
	t.Run("RunRecord", everyField[RunRecord])
	t.Run("LineRecord", everyField[LineRecord])
	t.Run("TotalsRecord", everyField[TotalsRecord])
	t.Run("ReceiptRecord", everyField[ReceiptRecord])
	t.Run("EndpointRecord", everyField[EndpointRecord])
	t.Run("EventRecord", everyField[EventRecord])
	t.Run("DeliveryRecord", everyField[DeliveryRecord])
	t.Run("QueueRecord", everyField[QueueRecord])
	t.Run("ImportRecord", everyField[ImportRecord])
	t.Run("PaymentRecord", everyField[PaymentRecord])
	t.Run("PaymentKeyRecord", everyField[PaymentKeyRecord])
	t.Run("PayerRecord", everyField[PayerRecord])
	t.Run("ErasureRecord", everyField[ErasureRecord])
	t.Run("AliasRecord", everyField[AliasRecord])
	if records := len(Schema()); records != 27 {
		t.Errorf("%d records, 27 are tested", records)
	}
}

func everyField[R Record[R]](t *testing.T) {
	full := func() R {
		var rec R
		for path := range leaves(reflect.ValueOf(&rec).Elem(), "") {
			path.set(1)
		}
		return rec
	}
	if !same(full(), full().Clone()) {
		t.Error("a copy is not the same")
	}
	for i := 0; ; i++ {
		changed, n := full(), 0
		for leaf := range leaves(reflect.ValueOf(&changed).Elem(), "") {
			if n++; n == i+1 {
				leaf.set(2)
				if same(full(), changed) || same(changed, full()) {
					t.Errorf("%s alone makes no difference", leaf.name)
				}
			}
		}
		if n <= i {
			return
		}
	}
}

// A leaf is a field in a record without fields of its own.
type leaf struct {
	name string
	v    reflect.Value
}

// leaves walks the leaves of a record, and gives each list one entry.
func leaves(v reflect.Value, name string) func(yield func(leaf) bool) {
	return func(yield func(leaf) bool) {
		switch {
		case !holdsPlaces(v.Type()):
			yield(leaf{name, v})
		case v.Kind() == reflect.Slice:
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			}
			for l := range leaves(v.Index(0), name+"[0]") {
				if !yield(l) {
					return
				}
			}
		default:
			for i := range v.NumField() {
				for l := range leaves(v.Field(i), name+"."+v.Type().Field(i).Name) {
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

// set sets the leaf to the n-th value of its type.
func (l leaf) set(n int) {
	switch p := l.v.Addr().Interface().(type) {
	case *uuid.UUID:
		p[0] = byte(n)
	case *Instant:
		*p = InstantOf(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC))
	case encoding.TextUnmarshaler:
		l.setEnum(p, n)
	case *Amount:
		*p = AmountFromScaled(int64(n))
	case *Percent:
		*p = PercentFromScaled(int64(n))
	case *Opt[Percent]:
		*p = Set(PercentFromScaled(int64(n)))
	case *Opt[Amount]:
		*p = Set(AmountFromScaled(int64(n)))
	case *Opt[HandSet]:
		*p = Set(HandSet{Kept: AmountFromScaled(int64(n))})
	case *Opt[string]:
		*p = Set(fmt.Sprint(n))
	case *Payload:
		*p = PayloadOf(make([]byte, n))
	case *StoredAnswer:
		*p = StoredAnswerOf(make([]byte, n))
	case *[32]byte:
		p[0] = byte(n)
	default:
		l.setKind(n)
	}
}

// setEnum gives an enumeration one of its values for n = 1, and none for others.
func (l leaf) setEnum(p encoding.TextUnmarshaler, n int) {
	l.v.SetZero()
	for _, text := range []string{"FLAT", "REFUNDED", "BONUS", "API", "POLAR", "ON_HOLD", "AFFILIATE_BANNED", "PAID", "OPENING", "EMAIL", "TIER", "CUSTOMER", "MONTHS", "TAX"} {
		if n == 1 && p.UnmarshalText([]byte(text)) == nil {
			return
		}
	}
}

func (l leaf) setKind(n int) {
	switch l.v.Kind() {
	case reflect.String:
		l.v.SetString(fmt.Sprint(n))
	case reflect.Bool:
		l.v.SetBool(n == 1)
	case reflect.Int, reflect.Int64:
		l.v.SetInt(int64(n))
	case reflect.Slice:
		l.v.Set(reflect.MakeSlice(l.v.Type(), n, n))
	default:
		panic("a record has a " + l.v.Type().String())
	}
}
