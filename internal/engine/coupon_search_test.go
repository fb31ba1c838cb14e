package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// Check 20, the second half: a coupon of 100,000 codes is one record among the
// summaries.
func TestCouponSummaries(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	coupon := func(name string, valid bool) affiliate.Coupon {
		return scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: name, PercentOff: affiliate.Set(affiliate.MustPercent("10")), Valid: affiliate.Set(valid)}))
	}
	large := coupon("Large", true)
	coupon("Off", false)
	w.Raw(func(tx *record.Tx) error {
		for i := range 100_000 {
			if err := tx.Codes.Insert(record.Code{ID: scene.ScaleID(2, i), CouponID: large.ID, Code: fmt.Sprint("K", i), Active: true}); err != nil {
				return err
			}
		}
		return nil
	})
	for name, tt := range map[string]struct {
		q    affiliate.CouponQuery
		want []string
	}{
		"all":        {affiliate.CouponQuery{}, []string{"Off", "Large"}},
		"valid":      {affiliate.CouponQuery{Valid: affiliate.Set(true)}, []string{"Large"}},
		"not valid":  {affiliate.CouponQuery{Valid: affiliate.Set(false)}, []string{"Off"}},
		"by id":      {affiliate.CouponQuery{ID: affiliate.Set(large.ID)}, []string{"Large"}},
		"by id, not": {affiliate.CouponQuery{ID: affiliate.Set(large.ID), Valid: affiliate.Set(false)}, nil},
		"no id":      {affiliate.CouponQuery{ID: affiliate.Set(uuid.Nil)}, nil},
		"null":       {affiliate.CouponQuery{Valid: affiliate.Null[bool]()}, nil},
	} {
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
			return w.Coupons(ctx, tt.q, pg)
		},
			func(c affiliate.Coupon) string { return c.Name }, tt.want...)
	}
	for i := range 98 {
		coupon(fmt.Sprint("c", i), true)
	}
	var page affiliate.List[affiliate.Coupon]
	looked, _ := look(w.Probe, func() { page = scene.Must(w.Coupons(ctx, affiliate.CouponQuery{}, affiliate.Page{})) })
	if raw := scene.JSON(page.Items); looked != 100 || len(page.Items) != 100 || len(raw) > 64<<10 {
		t.Errorf("%d coupons in %d bytes look at %d records", len(page.Items), len(raw), looked)
	}
	if last := page.Items[99]; last.ID != large.ID || last.PromotionalCodes != nil {
		t.Errorf("the large coupon is %v", last)
	}
}
