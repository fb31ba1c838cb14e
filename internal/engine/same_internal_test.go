package engine

import (
	"encoding"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// TestSameEveryField: a record with one changed field is not the same, for
// every field of every record at any depth; a copy is the same. A new field is
// tested automatically.
func TestSameEveryField(t *testing.T) {
	t.Run("AffiliateRecord", everyField[record.Affiliate])
	t.Run("LinkRecord", everyField[record.Link])
	t.Run("ClickRecord", everyField[record.Click])
	t.Run("ReferralRecord", everyField[record.Referral])
	t.Run("CouponRecord", everyField[record.Coupon])
	t.Run("CodeRecord", everyField[record.Code])
	t.Run("RedemptionRecord", everyField[record.Redemption])
	t.Run("SaleRecord", everyField[record.Sale])
	t.Run("PlanRecord", everyField[record.Plan])
	t.Run("TierRecord", everyField[record.Tier])
	t.Run("PayoutRecord", everyField[record.Payout])
	t.Run("AdjustmentRecord", everyField[record.Adjustment])
	t.Run("MovementRecord", everyField[record.Movement])
	t.Run("RunRecord", everyField[record.Run])
	t.Run("LineRecord", everyField[record.Line])
	t.Run("TotalsRecord", everyField[record.Totals])
	t.Run("ReceiptRecord", everyField[record.Receipt])
	t.Run("EndpointRecord", everyField[record.Endpoint])
	t.Run("EventRecord", everyField[record.Event])
	t.Run("DeliveryRecord", everyField[record.Delivery])
	t.Run("QueueRecord", everyField[record.Queue])
	t.Run("ImportRecord", everyField[record.Import])
	t.Run("PaymentRecord", everyField[record.Payment])
	t.Run("PaymentKeyRecord", everyField[record.PaymentKey])
	t.Run("PayerRecord", everyField[record.Payer])
	t.Run("ErasureRecord", everyField[record.Erasure])
	t.Run("AliasRecord", everyField[record.Alias])
	if records := len(record.Schema()); records != 27 {
		t.Errorf("%d records, 27 are tested", records)
	}
}

func everyField[R record.Record[R]](t *testing.T) {
	full := func() R {
		var rec R
		for path := range Leaves(reflect.ValueOf(&rec).Elem(), "") {
			path.Set(1)
		}
		return rec
	}
	if !Same(full(), full().Clone()) {
		t.Error("a copy is not the same")
	}
	for i := 0; ; i++ {
		changed, n := full(), 0
		for leaf := range Leaves(reflect.ValueOf(&changed).Elem(), "") {
			if n++; n == i+1 {
				leaf.Set(2)
				if Same(full(), changed) || Same(changed, full()) {
					t.Errorf("%s alone makes no difference", leaf.Name)
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
	Name string
	V    reflect.Value
}

// Leaves walks the leaves of a record, and gives each list one entry.
func Leaves(v reflect.Value, name string) func(yield func(leaf) bool) {
	return func(yield func(leaf) bool) {
		switch {
		case !holdsPlaces(v.Type()):
			yield(leaf{name, v})
		case v.Kind() == reflect.Slice:
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			}
			for l := range Leaves(v.Index(0), name+"[0]") {
				if !yield(l) {
					return
				}
			}
		default:
			for i := range v.NumField() {
				for l := range Leaves(v.Field(i), name+"."+v.Type().Field(i).Name) {
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
func (l leaf) Set(n int) {
	switch p := l.V.Addr().Interface().(type) {
	case *uuid.UUID:
		p[0] = byte(n)
	case *affiliate.Instant:
		*p = affiliate.InstantOf(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC))
	case encoding.TextUnmarshaler:
		l.setEnum(p, n)
	case *affiliate.Amount:
		*p = affiliate.AmountFromScaled(int64(n))
	case *affiliate.Percent:
		*p = affiliate.PercentFromScaled(int64(n))
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
	case *record.StoredAnswer:
		*p = record.StoredAnswerOf(make([]byte, n))
	case *[32]byte:
		p[0] = byte(n)
	default:
		l.setKind(n)
	}
}

// setEnum gives an enumeration one of its values for n = 1, and none for others.
func (l leaf) setEnum(p encoding.TextUnmarshaler, n int) {
	l.V.SetZero()
	for _, text := range []string{"FLAT", "REFUNDED", "BONUS", "API", "POLAR", "ON_HOLD", "AFFILIATE_BANNED", "PAID", "OPENING", "EMAIL", "TIER", "CUSTOMER", "MONTHS", "TAX"} {
		if n == 1 && p.UnmarshalText([]byte(text)) == nil {
			return
		}
	}
}

func (l leaf) setKind(n int) {
	switch l.V.Kind() {
	case reflect.String:
		l.V.SetString(fmt.Sprint(n))
	case reflect.Bool:
		l.V.SetBool(n == 1)
	case reflect.Int, reflect.Int64:
		l.V.SetInt(int64(n))
	case reflect.Slice:
		l.V.Set(reflect.MakeSlice(l.V.Type(), n, n))
	default:
		panic("a record has a " + l.V.Type().String())
	}
}
