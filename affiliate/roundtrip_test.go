package affiliate_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

// Decoding an encoded object returns an equal object; receipts and clients need
// this. All fields of the objects are drawn.
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
		x := drawn[T](rt, false)
		var y T
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
