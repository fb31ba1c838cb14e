package audit_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// newHolds returns a program with holds in every state, redemptions with and without a sale, one
// of a refunded sale, and limits of every kind.
func newHolds(t *testing.T) *scene.World {
	w := scene.New(t, func(c *tributary.Config) { c.HouseCodes = true })
	ctx, ada := t.Context(), w.Join("ada")
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{
		Name: "Launch", PercentOff: affiliate.Set(affiliate.MustPercent("20")), StartsAt: affiliate.Set(affiliate.At(scene.Began.Time())), RedeemBy: affiliate.Set(affiliate.At(scene.Began.Time().Add(48 * time.Hour))),
		MaxDiscount: scene.Amount("50"), MaxDiscountTotal: scene.Amount("1000"), MaxRedemptions: affiliate.Set[int64](20), MaxRedemptionsPerCustomer: affiliate.Set[int64](4), RestoreOnRefund: true,
	}))
	for _, code := range []affiliate.CodeParams{{Code: "ADA", AffiliateID: ada.ID, StartsAt: affiliate.Set(affiliate.At(scene.Began.Time()))}, {Code: "HOUSE"}} {
		code.CouponID, code.MaxRedemptionsPerCustomer, code.MinimumQuantity = coupon.ID, affiliate.Set[int64](3), scene.Amount("1")
		scene.Must(w.CreateCode(ctx, code))
	}
	hold := func(id, code, email string) {
		w.Pass(time.Second)
		scene.Must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Until: w.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: code, Email: email, Subtotal: scene.Amount("100")}}))
	}
	sell := func(in affiliate.SaleParams) affiliate.SaleResult {
		w.Pass(time.Second)
		in.TotalEarned = scene.Sum("80")
		return scene.Must(w.RecordSale(ctx, in))
	}
	hold("lapsed", "ADA", "a@example.net")
	w.Pass(2 * time.Hour)
	hold("open", "ADA", "a@example.net")
	hold("unknown", "HOUSE", "")
	hold("paid", "ADA", "b@example.net")
	sell(affiliate.SaleParams{HoldID: "paid", Email: "b@example.net", Name: "B"})
	hold("released", "ADA", "b@example.net")
	scene.Must(w.ReleaseHold(ctx, "released"))
	hold("alone", "HOUSE", "c@example.net")
	sell(affiliate.SaleParams{HoldID: "alone", ExternalID: "order-1", Email: "c@example.net"})
	sell(affiliate.SaleParams{PromoCode: "HOUSE", ExternalID: "order-2"})
	sell(affiliate.SaleParams{PromoCode: "ADA", Email: "b@example.net", Name: "B"})
	back, _ := sell(affiliate.SaleParams{PromoCode: "ADA", Email: "b@example.net", Name: "B"}).Sale.Get()
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: back.ID}))
	w.Verifies()
	return w
}

func TestVerifyHolds(t *testing.T) {
	type change = func(w *scene.World, tx *record.Tx) error
	named := func(id string) func(record.Hold) bool {
		return func(r record.Hold) bool { return r.HoldID == id }
	}
	hold := func(id string, fn func(*record.Hold)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Holds, named(id), fn) }
	}
	coupon := func(fn func(*record.Coupon)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Coupons, nil, fn) }
	}
	code := func(fn func(*record.Code)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Codes, nil, fn) }
	}
	ofHold := func(u record.Use) bool { return !u.Until.IsZero() }
	ofSale := func(u record.Use) bool { return u.Until.IsZero() }
	use := func(fits func(record.Use) bool, fn func(*record.Use)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Uses, fits, fn) }
	}
	redemption := func(fits func(record.Redemption) bool, fn func(*record.Redemption)) change {
		return func(_ *scene.World, tx *record.Tx) error { return scene.Edit(tx.Redemptions, fits, fn) }
	}
	counts := func(r record.Redemption) bool { return r.RestoredAt.IsZero() && r.ExternalID == "" }
	alone := func(r record.Redemption) bool { return r.ExternalID != "" }
	back := func(r record.Redemption) bool { return r.Refunded }
	for name, c := range map[string]struct {
		change change
		want   string
	}{
		"a place of a code that no hold keeps":   {code(func(r *record.Code) { r.Held++ }), "I86: places of it are held"},
		"a place of a coupon that no hold keeps": {coupon(func(r *record.Coupon) { r.Held-- }), "I86: places of it are held"},
		"a budget that no hold keeps":            {coupon(func(r *record.Coupon) { r.HeldDiscount = scene.Sum("1") }), "I86: places of it are held for 1,"},
		"a hold that is not counted":             {hold("released", func(r *record.Hold) { r.State = affiliate.HoldHeld }), "I86: places of it are held"},
		"a hold of another worth":                {hold("open", func(r *record.Hold) { r.Worth, r.Discount = scene.Sum("3"), scene.Amount("3") }), "I86: places of it are held"},
		"a discount that nobody got":             {coupon(func(r *record.Coupon) { r.DiscountTotal = scene.Sum("1") }), "I87: it took off 1, its redemptions"},
		"a discount that is not counted":         {redemption(counts, func(r *record.Redemption) { r.Discount = scene.Sum("7") }), "I87: it took off"},
		"a discount below nothing":               {redemption(counts, func(r *record.Redemption) { r.Discount = scene.Sum("-7") }), "I90: it took off -7"},
		"a use of nothing":                       {use(ofSale, func(r *record.Use) { r.RedemptionID = uuid.Max }), "I88: no redemption and no hold keeps"},
		"a use of another code":                  {use(ofSale, func(r *record.Use) { r.CodeID = uuid.Max }), "I88: no redemption and no hold keeps"},
		"a use of another coupon":                {use(ofHold, func(r *record.Use) { r.CouponID = uuid.Max }), "I88: no redemption and no hold keeps"},
		"a use for longer than the hold":         {use(ofHold, func(r *record.Use) { r.Until = r.Until.Add(time.Millisecond) }), "I88: no redemption and no hold keeps"},
		"a use of a hold for ever":               {use(ofHold, func(r *record.Use) { r.Until = affiliate.Instant{} }), "I88: no redemption and no hold keeps"},
		"a use of a redemption that was restored": {func(w *scene.World, tx *record.Tx) error {
			gone := scene.OnlyValues(tx.Redemptions.List(record.Query{}))
			i := slices.IndexFunc(slices.Collect(gone), func(r record.Redemption) bool { return r.Refunded })
			r := slices.Collect(scene.OnlyValues(tx.Redemptions.List(record.Query{})))[i]
			return scene.Edit(tx.Uses, ofSale, func(u *record.Use) { u.RedemptionID, u.CodeID, u.CouponID = r.ID, r.CodeID, r.CouponID })
		}, "I88: no redemption and no hold keeps"},
		"a use twice": {func(_ *scene.World, tx *record.Tx) error {
			for u := range scene.OnlyValues(tx.Uses.List(record.Query{})) {
				u.ID = uuid.Max
				return tx.Uses.Insert(u)
			}
			return errors.New("no use")
		}, "I88: says the same"},
		"a hold in no state":                     {hold("open", func(r *record.Hold) { r.State = "OPEN" }), `I81: state "OPEN"`},
		"an open hold with a sale":               {hold("open", func(r *record.Hold) { r.Number = 1 }), `I89: "open" is HELD of sale 1`},
		"a hold without the caller's id":         {hold("open", func(r *record.Hold) { r.HoldID = " " }), `I89: " " is HELD`},
		"a hold of more than the basket":         {hold("paid", func(r *record.Hold) { r.Worth, r.Discount = scene.Sum("101"), scene.Amount("101") }), "I89: takes 101"},
		"a hold of less than nothing":            {hold("paid", func(r *record.Hold) { r.Total = scene.Amount("-1") }), "I89: leaves -1"},
		"a hold with another worth":              {hold("paid", func(r *record.Hold) { r.Worth = scene.Sum("1") }), "I89: it takes off 20, worth 1"},
		"a hold out of order":                    {hold("paid", func(r *record.Hold) { r.Until = r.Until.Add(time.Millisecond) }), "I89: its id is not of"},
		"a hold that was changed before":         {hold("paid", func(r *record.Hold) { r.UpdatedAt = r.CreatedAt.Add(-time.Microsecond) }), "I54: created"},
		"a hold of a sale that redeemed nothing": {hold("paid", func(r *record.Hold) { r.Number = 99 }), "I89: sale 99 did not redeem its code"},
		"a hold of another code than its sale":   {hold("paid", func(r *record.Hold) { r.CodeID = uuid.Max }), "I89: sale 1 did not redeem its code"},
		"two holds of a sale":                    {hold("alone", func(r *record.Hold) { r.Number = 1 }), "I89: sale 1 confirmed"},
		"an order without a sale and its id":     {redemption(alone, func(r *record.Redemption) { r.ExternalID = "" }), `I90: it is of the order ""`},
		"a sale with an order's id":              {redemption(counts, func(r *record.Redemption) { r.ExternalID = "o" }), `I90: it is of the order "o"`},
		"given back, and yet it counts":          {redemption(counts, func(r *record.Redemption) { r.Refunded = true }), "I90: for a refund: true"},
		"given back, and the sale is active": {func(w *scene.World, tx *record.Tx) error {
			return scene.Edit(tx.Sales, func(r record.Sale) bool { return r.Status.Is(affiliate.SaleRefunded) }, func(r *record.Sale) {
				r.Status = affiliate.EnumOf(affiliate.SaleActive)
			})
		}, "I90: its redemption was given back as if it was refunded"},
		"a most of a flat coupon": {coupon(func(r *record.Coupon) {
			r.Type, r.PercentOff, r.AmountOff, r.Currency = affiliate.CouponFlat, affiliate.Percent{}, scene.Sum("5"), "USD"
		}), "I17: maxDiscount 50"},
		"a most below nothing":              {coupon(func(r *record.Coupon) { r.MaxDiscount = scene.Sum("-1") }), "I17: maxDiscount -1"},
		"a budget below nothing":            {coupon(func(r *record.Coupon) { r.MaxDiscountTotal = scene.Sum("-1") }), "I17: maxDiscountTotal -1"},
		"a coupon's limit below nothing":    {coupon(func(r *record.Coupon) { r.MaxPerCustomer = -1 }), "I19: -1 per customer"},
		"a code's limit below nothing":      {code(func(r *record.Code) { r.MaxPerCustomer = -1 }), "I19: -1 per customer"},
		"a minimum of pieces below nothing": {code(func(r *record.Code) { r.MinimumQuantity = scene.Sum("-1") }), "I24: minimumQuantity -1"},
		"a coupon that ends before":         {coupon(func(r *record.Coupon) { r.StartsAt = r.RedeemBy.Add(time.Microsecond) }), "I19: it starts at"},
		"a code that ends before":           {code(func(r *record.Code) { r.StartsAt, r.ExpiresAt = r.CreatedAt, r.CreatedAt.Add(-time.Microsecond) }), "I19: it starts at"},
		"back was back": {func(_ *scene.World, tx *record.Tx) error {
			return scene.Edit(tx.Redemptions, back, func(r *record.Redemption) { r.RestoredAt = affiliate.Instant{} })
		}, "I90: for a refund: true"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHolds(t)
			w.Raw(func(tx *record.Tx) error { return c.change(w, tx) })
			if err := w.Verify(t.Context()); !scene.Says(err, c.want) {
				t.Errorf("nothing says %q: %v", c.want, err)
			}
		})
	}
}

// TestVerifyHeldAgain: a hold that is made again after the clock went back is in order.
func TestVerifyHeldAgain(t *testing.T) {
	w := newHolds(t)
	w.Pass(-time.Minute)
	again := affiliate.HoldParams{ID: "open", Until: w.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "ADA", Email: "a@example.net", Subtotal: scene.Amount("50")}}
	scene.Must(w.HoldRedemption(t.Context(), again))
	w.Verifies()
}

// TestVerifyGivenBackOfNoCoupon: a refund that fails takes the redemption again, also when its coupon is gone.
func TestVerifyGivenBackOfNoCoupon(t *testing.T) {
	s, ctx := scene.NewPayShop(t), t.Context()
	code := scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "MARA20"}))
	scene.Must(s.UpdateCoupon(ctx, code.CouponID, affiliate.CouponUpdate{RestoreOnRefund: affiliate.Set(true)}))
	s.Reports(s.Paid("pi_1", "100", "0", "code:MARA20"), s.Refund("re_1", "100", affiliate.RefundSucceeded, "pi_1"))
	scene.Must(s.DeleteCoupon(ctx, code.CouponID))
	s.Reports(s.Refund("re_1", "100", affiliate.RefundFailed, "pi_1"))
	s.Verifies()
	var given int
	s.Raw(func(tx *record.Tx) error {
		for r := range scene.OnlyValues(tx.Redemptions.List(record.Query{})) {
			if r.Refunded || !r.RestoredAt.IsZero() {
				given++
			}
		}
		return nil
	})
	if given > 0 {
		t.Error("the redemption stays given back")
	}
}
