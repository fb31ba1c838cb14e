package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestManyLapsed: what an order costs does not grow with the holds that have lapsed, whichever limit they
// would have used up, and what is said of it is right.
func TestManyLapsed(t *testing.T) {
	const n, most = 400, 60
	each := func(i int) string { return fmt.Sprintf("c%d@example.net", i) }
	for name, tt := range map[string]struct {
		coupon affiliate.CouponUpdate
		code   affiliate.CodeUpdate
		then   affiliate.CodeUpdate // after they have lapsed
		email  func(int) string
		fills  string // the discount of an open hold, which uses the budget up; empty: there is room
		full   bool
	}{
		"customer":     {coupon: affiliate.CouponUpdate{MaxRedemptionsPerCustomer: times(9)}, email: func(int) string { return "a@example.net" }},
		"code":         {code: affiliate.CodeUpdate{MaxRedemptions: times(n)}},
		"coupon":       {coupon: affiliate.CouponUpdate{MaxRedemptions: times(n)}},
		"fewer":        {code: affiliate.CodeUpdate{MaxRedemptions: times(n)}, then: affiliate.CodeUpdate{MaxRedemptions: times(2)}},
		"far fewer":    {code: affiliate.CodeUpdate{MaxRedemptions: times(n)}, then: affiliate.CodeUpdate{MaxRedemptions: times(1)}, full: true, fills: "1"},
		"budget":       {coupon: affiliate.CouponUpdate{MaxDiscountTotal: scene.Amount("4.01")}},
		"spent budget": {coupon: affiliate.CouponUpdate{MaxDiscountTotal: scene.Amount("4.01")}, fills: "100", full: true},
	} {
		t.Run(name, func(t *testing.T) {
			now := scene.Start
			store := &scene.Probe{Store: memstore.New()}
			s := scene.Must(tributary.New(store, tributary.Config{Now: func() time.Time { return now }}))
			ctx := t.Context()
			ada := scene.Must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"}))
			coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Autumn 20", PercentOff: scene.Percent("20")}))
			code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID}))
			scene.Must(s.UpdateCoupon(ctx, coupon.ID, tt.coupon))
			scene.Must(s.UpdateCode(ctx, code.ID, tt.code))
			if tt.email == nil {
				tt.email = each
			}
			order := affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount("0.05")}
			hold := func(id string, d time.Duration) (affiliate.Hold, error) {
				return s.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Until: now.Add(d), Order: order})
			}
			for i := range n {
				order.Email = tt.email(i)
				scene.Must(hold(fmt.Sprint(i), time.Second))
				if name == "customer" {
					now = now.Add(2 * time.Second)
				}
			}
			now = now.Add(time.Minute)
			if order.Email = tt.email(n); tt.fills != "" {
				order.Subtotal = affiliate.Set(affiliate.MustAmount(tt.fills))
				scene.Must(hold("open", time.Hour))
			}
			scene.Must(s.UpdateCode(ctx, code.ID, tt.then))
			order.Email, order.Subtotal = tt.email(0), scene.Amount("0.05")
			for what, call := range map[string]func() (bool, error){
				"preview": func() (bool, error) { e, err := s.Evaluate(ctx, order); return e.Valid, err },
				"search": func() (bool, error) {
					l, err := s.Codes(ctx, affiliate.CodeQuery{State: affiliate.CodeUsable}, affiliate.Page{})
					return len(l.Items) == 1, err
				},
				"sale": func() (bool, error) {
					_, err := s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", Email: order.Email, TotalEarned: scene.Sum("0.04"), Subtotal: order.Subtotal})
					return err == nil, nil
				},
			} {
				store.Looked.Store(0)
				valid, err := call()
				if got := store.Looked.Load(); err != nil || valid == tt.full || got > most {
					t.Errorf("%s: works: %v (%v), and %d records were read", what, valid, err, got)
				}
			}
			if err := s.Verify(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}
