package engine

import (
	"reflect"
	"testing"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/leaf"
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
		for field := range leaf.Of(reflect.ValueOf(&rec).Elem(), "") {
			field.Set(1)
		}
		return rec
	}
	if !Same(full(), full().Clone()) {
		t.Error("a copy is not the same")
	}
	for i := 0; ; i++ {
		changed, n := full(), 0
		for field := range leaf.Of(reflect.ValueOf(&changed).Elem(), "") {
			if n++; n == i+1 {
				field.Set(2)
				if Same(full(), changed) || Same(changed, full()) {
					t.Errorf("%s alone makes no difference", field.Name)
				}
			}
		}
		if n <= i {
			return
		}
	}
}
