package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A counter is a shop whose code a test gives rules.
type counter struct {
	scene.CodeShop
	t *testing.T
}

func newCounter(t *testing.T, coupon affiliate.CouponUpdate, code affiliate.CodeUpdate, change ...func(*tributary.Config)) counter {
	s := counter{scene.NewCodeShop(t, change...), t}
	scene.Must(s.UpdateCoupon(t.Context(), s.Coupon20().ID, coupon))
	scene.Must(s.UpdateCode(t.Context(), s.ADA20.ID, code))
	return s
}

// Coupon20 is the coupon of the code.
func (s counter) Coupon20() affiliate.Coupon {
	return scene.Must(s.Program.Coupon(s.t.Context(), affiliate.CouponRef{ID: s.ADA20.CouponID}))
}

// buys reports a sale of 100 by the code, of a customer and a hold; both may be empty.
func (s counter) buys(email, hold string) (affiliate.SaleResult, error) {
	s.t.Helper()
	in := affiliate.SaleParams{PromoCode: "ADA20", Email: email, Name: "N", TotalEarned: scene.Sum("80"), Subtotal: scene.Amount("100"), HoldID: hold}
	if hold != "" {
		in.PromoCode, in.Subtotal = "", affiliate.Opt[affiliate.Amount]{}
	}
	return s.RecordSale(s.t.Context(), in)
}

// says fails the test unless a preview and a sale of a customer both have this result; empty: they work.
func (s counter) says(email string, want ...affiliate.Reason) {
	s.t.Helper()
	got := scene.Must(s.Evaluate(s.t.Context(), affiliate.Order{PromoCode: "ADA20", Email: email, Subtotal: scene.Amount("100")}))
	var reasons []affiliate.Reason
	for _, f := range got.Reasons {
		reasons = append(reasons, f.Reason)
	}
	if !slices.Equal(reasons, want) {
		s.t.Errorf("the preview says %q, want %q", reasons, want)
	}
	_, err := s.buys(email, "")
	if len(want) == 0 && err != nil {
		s.t.Error(err)
	}
	for _, reason := range want {
		scene.WantReason(s.t, "sale", reason, err)
	}
	s.Verifies()
}

// holds holds a place for half an hour.
func (s counter) holds(id, email string) (affiliate.Hold, error) {
	s.t.Helper()
	in := affiliate.HoldParams{ID: id, Until: s.Now.Add(30 * time.Minute), Order: affiliate.Order{PromoCode: "ADA20", Email: email, Subtotal: scene.Amount("100")}}
	return s.HoldRedemption(s.t.Context(), in)
}

// used: what is used of the code, the coupon, and its budget.
func (s counter) used() string {
	s.t.Helper()
	code, coupon := scene.Must(s.Code(s.t.Context(), affiliate.CodeRef{ID: s.ADA20.ID})), s.Coupon20()
	return fmt.Sprint(code.TimesRedeemed, " ", coupon.TimesRedeemed, " ", coupon.DiscountTotal.Or(affiliate.Amount{}))
}

func times(n int64) affiliate.Opt[int64] { return affiliate.Set(n) }

// TestCodeNotStarted: a code works from the first instant of a day in the program's zone, and so does its
// coupon; the later one counts, and a payment is judged by when it was made.
func TestCodeNotStarted(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{StartsAt: affiliate.Set(affiliate.Day(2026, 3, 13))}, affiliate.CodeUpdate{StartsAt: affiliate.Set(affiliate.Day(2026, 3, 12))}, scene.Zoned("America/New_York"))
	s.says("a@x.example", affiliate.CodeNotStarted)
	got := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20"}))
	scene.Equal(t, "2026-03-13T04:00:00.000Z", got.Reasons[0].At.Or(affiliate.Time{}).String())
	s.Now = time.Date(2026, 3, 13, 3, 59, 59, 999_999_000, time.UTC)
	s.says("a@x.example", affiliate.CodeNotStarted)
	s.Now = time.Date(2026, 3, 13, 4, 0, 0, 0, time.UTC)
	s.says("a@x.example")
	before := affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("5"), PaidAt: s.Now.Add(-time.Second)}
	scene.WantReason(t, "paid before", affiliate.CodeNotStarted, scene.ErrOf(s.RecordSale(t.Context(), before)))
	window := affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.Day(2026, 3, 11))}
	scene.WantReason(t, "ends before it begins", affiliate.InvalidField, scene.ErrOf(s.UpdateCode(t.Context(), s.ADA20.ID, window)))
}

// TestMaxDiscount: a percentage takes off no more than the cap, on lines too, and none in another currency.
func TestMaxDiscount(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxDiscount: scene.Amount("15")}, affiliate.CodeUpdate{})
	for basket, want := range map[string]string{"50": "10", "75": "15", "100": "15", "99999999999": "15"} {
		got := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount(basket)}))
		scene.Equal(t, want, got.Discount.Or(affiliate.Amount{}).String())
	}
	got := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Lines: []affiliate.Line{{ID: "a", Amount: scene.Sum("100")}, {ID: "b", Amount: scene.Sum("50")}}}))
	scene.Equal(t, "10 5", fmt.Sprint(got.Lines[0].CodeDiscount, " ", got.Lines[1].CodeDiscount))
	foreign := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount("100"), Currency: "EUR", ExchangeRate: affiliate.MustExchangeRate("1.1")}))
	scene.Equal(t, affiliate.CouponOtherCurrency, foreign.Reasons[0].Reason)
}

// TestMinimumQuantity: the pieces of the lines, or of the product, are counted; without both nobody knows.
func TestMinimumQuantity(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{MinimumQuantity: scene.Amount("3")})
	for name, tt := range map[string]struct {
		order affiliate.Order
		want  string
	}{
		"unknown":       {affiliate.Order{}, "[] [below_quantity]"},
		"no quantity":   {affiliate.Order{Product: affiliate.Set(affiliate.Product{ProductID: "p"})}, "[] [below_quantity]"},
		"product":       {affiliate.Order{Product: affiliate.Set(affiliate.Product{Quantity: scene.Amount("3")})}, "[] []"},
		"too few":       {affiliate.Order{Product: affiliate.Set(affiliate.Product{Quantity: scene.Amount("2.9")})}, "[below_quantity] []"},
		"lines":         {affiliate.Order{Lines: []affiliate.Line{{Amount: scene.Sum("1")}, {Amount: scene.Sum("1"), Quantity: scene.Amount("2")}}}, "[] []"},
		"too few lines": {affiliate.Order{Lines: []affiliate.Line{{Amount: scene.Sum("1")}}}, "[below_quantity] []"},
		"huge":          {affiliate.Order{Lines: []affiliate.Line{{Amount: scene.Sum("1"), Quantity: scene.Amount("900000000000000")}, {Amount: scene.Sum("1"), Quantity: scene.Amount("900000000000000")}}}, "[] []"},
		"one and huge":  {affiliate.Order{Lines: []affiliate.Line{{Amount: scene.Sum("1")}, {Amount: scene.Sum("1"), Quantity: scene.Amount("922337203685477.5807")}}}, "[] []"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.order.PromoCode = "ADA20"
			got := scene.Must(s.Evaluate(t.Context(), tt.order))
			reasons := []affiliate.Reason{}
			for _, f := range got.Reasons {
				reasons = append(reasons, f.Reason)
			}
			scene.Equal(t, tt.want, fmt.Sprint(reasons, " ", got.Unverified))
		})
	}
}

// TestCustomerLimit: a customer is the same by mailbox, referral, or the host's id, for the code and for the
// other codes of its coupon; whoever is not known is not limited, unless the program asks for a customer.
func TestCustomerLimit(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxRedemptionsPerCustomer: times(2)}, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: times(1)})
	ctx := t.Context()
	s.says("jo.doe@gmail.com")
	for _, email := range []string{"jo.doe@gmail.com", "JoDoe+tea@googlemail.com", "j.o.d.o.e@gmail.com"} {
		s.says(email, affiliate.CustomerLimit)
	}
	other := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.ADA20.CouponID, Code: "SECOND", AffiliateID: s.Eve.ID}))
	sold := func(code, email string) error {
		return scene.ErrOf(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: code, Email: email, TotalEarned: scene.Sum("1")}))
	}
	scene.Must(0, sold(other.Code, "jodoe+2@gmail.com"))
	scene.WantReason(t, "third of the coupon", affiliate.CustomerLimit, sold(other.Code, "jodoe@gmail.com"))
	s.says("someone@x.example")
	s.says("")
	s.says("")

	ref := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: s.Ada.Person.ID.String(), Name: "A", Email: "one@x.example", ReferredUserExternalID: "u1"}))
	s.says("one@x.example")
	byHost := affiliate.SaleParams{PromoCode: "ADA20", ReferredUserExternalID: "u1", Email: "two@x.example", TotalEarned: scene.Sum("1")}
	scene.WantReason(t, "by the host's id", affiliate.CustomerLimit, scene.ErrOf(s.RecordSale(ctx, byHost)))
	byID := affiliate.SaleParams{PromoCode: "ADA20", ReferralID: ref.ID.String(), TotalEarned: scene.Sum("1")}
	scene.WantReason(t, "by referral", affiliate.CustomerLimit, scene.ErrOf(s.RecordSale(ctx, byID)))

	// Who changes the email is the same customer.
	s.says("before@x.example")
	moved := scene.Must(s.Referral(ctx, "before@x.example"))
	scene.Must(s.UpdateReferral(ctx, moved.ID.String(), affiliate.ReferralUpdate{Email: affiliate.Set("after@x.example")}))
	s.says("after@x.example", affiliate.CustomerLimit)
	s.says("before@x.example", affiliate.CustomerLimit)

	strict := newCounter(t, affiliate.CouponUpdate{MaxRedemptionsPerCustomer: times(1)}, affiliate.CodeUpdate{}, func(c *tributary.Config) { c.RequireCustomer = true })
	strict.says("", affiliate.CustomerRequired)
	strict.says("a@x.example")
}

// TestBudget: the last order within the budget gets its whole discount, and the next one is refused; a
// redemption that is given back gives its part back.
func TestBudget(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxDiscountTotal: scene.Amount("50")}, affiliate.CodeUpdate{})
	var last affiliate.SaleResult
	for range 3 {
		last = scene.Must(s.buys("", ""))
	}
	scene.Equal(t, "3 3 60", s.used())
	s.says("", affiliate.BudgetSpent)
	state := scene.Must(s.Codes(t.Context(), affiliate.CodeQuery{State: affiliate.CodeUsedUp}, affiliate.Page{}))
	scene.Equal(t, 1, len(state.Items))
	scene.Must(0, s.RestoreRedemption(t.Context(), affiliate.SaleRef{ID: last.Sale.Or(affiliate.Sale{}).ID}))
	scene.Equal(t, "2 2 40", s.used())
	s.says("")
}

// TestRestoreOnRefund: a full refund gives place, customer and budget back; a part does not.
func TestRestoreOnRefund(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{RestoreOnRefund: affiliate.Set(true), MaxDiscountTotal: scene.Amount("20")}, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: times(1), MaxRedemptions: times(1)})
	sale := scene.Must(s.buys("a@x.example", "")).Sale.Or(affiliate.Sale{})
	scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("79.99")}))
	s.says("a@x.example", affiliate.CodeExhausted, affiliate.BudgetSpent, affiliate.CustomerLimit)
	scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID}))
	scene.Equal(t, "0 0 0", s.used())
	s.Verifies()
	scene.WantReason(t, "by hand after it", affiliate.RedemptionRestored, s.RestoreRedemption(t.Context(), affiliate.SaleRef{ID: sale.ID}))
	s.says("a@x.example")
}

// TestHouseCode: a code without an affiliate discounts and counts; the credit goes on to the referral and the
// customer, and an order that nobody is credited with is redeemed once under its external id.
func TestHouseCode(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxRedemptionsPerCustomer: times(1)}, affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()}, func(c *tributary.Config) { c.HouseCodes = true })
	ctx := t.Context()
	order := affiliate.SaleParams{PromoCode: "ADA20", Email: "new@x.example", Name: "N", TotalEarned: scene.Sum("80"), Subtotal: scene.Amount("100")}
	scene.WantReason(t, "without an id", affiliate.MissingField, scene.ErrOf(s.RecordSale(ctx, order)))
	order.ExternalID = "o1"
	for i, want := range []affiliate.SaleOutcome{affiliate.SaleRedeemed, affiliate.SaleDuplicate, affiliate.SaleDuplicate} {
		got := scene.Must(s.RecordSale(ctx, order))
		if got.Outcome != want || !got.Sale.IsNull() {
			t.Errorf("%d: %+v", i, got)
		}
		scene.Equal(t, "1 1 0", s.used())
	}
	order.ExternalID = "o2"
	scene.WantReason(t, "a second time", affiliate.CustomerLimit, scene.ErrOf(s.RecordSale(ctx, order)))
	scene.Must(0, s.RestoreRedemption(ctx, affiliate.SaleRef{ExternalID: "o1"}))
	scene.WantReason(t, "again", affiliate.RedemptionRestored, s.RestoreRedemption(ctx, affiliate.SaleRef{ExternalID: "o1"}))
	order.ReferralID = "ada"
	got := scene.Must(s.RecordSale(ctx, order)).Sale.Or(affiliate.Sale{})
	scene.Equal(t, s.Ada.Person.ID, got.AffiliateID)
	scene.Equal(t, affiliate.Set(s.ADA20.ID), got.PromotionalCodeID)
	scene.WantReason(t, "a referral", affiliate.CodeUnassigned, scene.ErrOf(s.CreateReferral(ctx, affiliate.ReferralParams{PromoCode: "ADA20", Name: "X", Email: "x@x.example", ReferredUserExternalID: "x"})))
	s.Verifies()
}

// TestHold: a hold keeps a place, and a sale takes it, whatever has passed since.
func TestHold(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxDiscountTotal: scene.Amount("30")}, affiliate.CodeUpdate{MaxRedemptions: times(1), MaxRedemptionsPerCustomer: times(1), ExpiresAt: affiliate.Set(affiliate.At(scene.Start.Add(time.Minute)))})
	first := scene.Must(s.holds("c1", "a@x.example"))
	scene.Equal(t, `HELD 20 80 {"id":"`+s.ADA20.ID.String()+`","code":"ADA20"}`, fmt.Sprint(first.State, " ", first.Discount.Or(affiliate.Amount{}), " ", first.Total.Or(affiliate.Amount{}), " ", scene.JSON(first.PromotionalCode)))
	scene.Equal(t, "0 0 0", s.used())
	s.says("b@x.example", affiliate.CodeExhausted)
	scene.WantReason(t, "another hold", affiliate.CodeExhausted, scene.ErrOf(s.holds("c2", "b@x.example")))
	scene.Equal(t, scene.JSON(first), scene.JSON(scene.Must(s.holds("c1", "a@x.example"))))
	s.Pass(2 * time.Minute) // the code has expired
	scene.Must(s.UpdateCoupon(t.Context(), s.ADA20.CouponID, affiliate.CouponUpdate{PercentOff: scene.Percent("50"), MaxDiscountTotal: scene.Amount("1")}))
	sale := scene.Must(s.buys("a@x.example", "c1")).Sale.Or(affiliate.Sale{})
	scene.Equal(t, affiliate.Set(s.ADA20.ID), sale.PromotionalCodeID)
	scene.Equal(t, scene.Amount("100"), sale.Subtotal)
	scene.Equal(t, "1 1 20", s.used())
	scene.Equal(t, 0, scene.Must(s.Attention(t.Context(), 5)).Overdrawn.Count)
	s.Verifies()
	done := scene.Must(s.Program.Hold(t.Context(), "c1"))
	scene.Equal(t, fmt.Sprint("CONFIRMED ", sale.ID), fmt.Sprint(done.State, " ", done.SaleID.Or(0)))
	for name, err := range map[string]error{
		"hold": scene.ErrOf(s.holds("c1", "a@x.example")), "release": scene.ErrOf(s.ReleaseHold(t.Context(), "c1")), "sale": scene.ErrOf(s.buys("a@x.example", "c1")),
	} {
		scene.WantReason(t, name, affiliate.HoldIsConfirmed, err)
	}
	scene.WantReason(t, "unknown", affiliate.HoldNotFound, scene.ErrOf(s.buys("a@x.example", "c9")))
}

// TestHoldEnds: a place is free again when its hold is released or has lapsed, and nothing else has to run.
func TestHoldEnds(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxRedemptions: times(2)}, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: times(1)})
	scene.Must(s.holds("c1", "a@x.example"))
	scene.Must(s.holds("c2", "b@x.example"))
	s.says("c@x.example", affiliate.CouponExhausted)
	for range 2 {
		scene.Equal(t, affiliate.HoldReleased, scene.Must(s.ReleaseHold(t.Context(), "c1")).State)
	}
	s.says("a@x.example")
	s.says("c@x.example", affiliate.CouponExhausted)
	s.Pass(30*time.Minute + time.Microsecond)
	scene.Equal(t, affiliate.HoldLapsed, scene.Must(s.Program.Hold(t.Context(), "c2")).State)
	again := scene.Must(s.holds("c2", "b@x.example"))
	scene.Equal(t, affiliate.HoldHeld, again.State)
	s.says("c@x.example", affiliate.CouponExhausted)
	s.Pass(31 * time.Minute)
	s.says("c@x.example")
	scene.Equal(t, affiliate.HoldLapsed, scene.Must(s.Program.Hold(t.Context(), "c2")).State)

	// Paid after the lapse, when somebody else has the place: the customer has the discount.
	late := scene.Must(s.buys("b@x.example", "c2"))
	scene.Equal(t, affiliate.SaleRecorded, late.Outcome)
	scene.Equal(t, "3 3 0", s.used())
	s.Verifies()
}

// TestHoldLapsedAndExpired: who pays after the hold has lapsed, and after the code has expired, has the
// discount: the sale is recorded, and marked.
func TestHoldLapsedAndExpired(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(scene.Start.Add(time.Minute)))})
	scene.Must(s.holds("c1", "a@x.example"))
	s.Pass(31 * time.Minute)
	scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.buys("a@x.example", "c1")).Outcome)
	scene.Equal(t, 1, scene.Must(s.Attention(t.Context(), 5)).Overdrawn.Count)
	s.Verifies()
}

// TestExhaustedSaysHowMany: a limit that is reached says how many uses there are; with the places that
// are held, when only these reach it.
func TestExhaustedSaysHowMany(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{})
	scene.Must(s.buys("a@x.example", ""))
	scene.Must(s.holds("c1", "b@x.example"))
	for limit, used := range map[int64]int64{2: 2, 1: 1} {
		scene.Must(s.UpdateCode(t.Context(), s.ADA20.ID, affiliate.CodeUpdate{MaxRedemptions: times(limit)}))
		scene.Must(s.UpdateCoupon(t.Context(), s.ADA20.CouponID, affiliate.CouponUpdate{MaxRedemptions: times(limit)}))
		said := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", Email: "c@x.example", Subtotal: scene.Amount("100")}))
		scene.Equal(t, 2, len(said.Reasons))
		for _, why := range said.Reasons {
			scene.Equal(t, fmt.Sprint(limit, " ", used), fmt.Sprint(why.Limit.Or(0), " ", why.Used.Or(0)))
		}
	}
}

// TestHoldOfNobody: a place that was held for nobody is taken by a customer who has none left: the sale is
// recorded, and marked.
func TestHoldOfNobody(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: times(1)})
	s.says("a@x.example")
	scene.Must(s.holds("c1", ""))
	scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.buys("a@x.example", "c1")).Outcome)
	scene.Equal(t, 1, scene.Must(s.Attention(t.Context(), 5)).Overdrawn.Count)
	s.Verifies()
}

// TestHoldsOfOne: a customer has so many open holds, and no more.
func TestHoldsOfOne(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{}, func(c *tributary.Config) { c.Limits.Holds = 2 })
	scene.Must(s.holds("c1", "a.b@gmail.com"))
	scene.Must(s.holds("c2", "ab@gmail.com"))
	scene.WantReason(t, "third", affiliate.HoldLimitReached, scene.ErrOf(s.holds("c3", "ab+1@gmail.com")))
	scene.Must(s.holds("c1", "ab@gmail.com"))
	scene.Must(s.ReleaseHold(t.Context(), "c2"))
	scene.Must(s.holds("c3", "ab@gmail.com"))
	s.Pass(31 * time.Minute)
	scene.Must(s.holds("c4", "ab@gmail.com"))
	for _, until := range []time.Duration{0, -time.Second, 24*time.Hour + time.Microsecond} {
		in := affiliate.HoldParams{ID: "x", Until: s.Now.Add(until), Order: affiliate.Order{PromoCode: "ADA20"}}
		scene.WantReason(t, until.String(), affiliate.InvalidField, scene.ErrOf(s.HoldRedemption(t.Context(), in)))
	}
	s.Verifies()
}

// TestDeleteWithHolds: a code or a coupon with open holds can be deleted. Its holds stay and say so, a sale with one
// of them is refused, and the places that they keep of the coupon are free when they lapse or are released.
func TestDeleteWithHolds(t *testing.T) {
	for _, what := range []string{"code", "coupon"} {
		t.Run(what, func(t *testing.T) {
			s := scene.NewCodeShop(t)
			ctx := t.Context()
			coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Few", PercentOff: scene.Percent("10"), MaxRedemptions: affiliate.Set[int64](2)}))
			code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "GOES", AffiliateID: s.Eve.ID}))
			other := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "STAYS", AffiliateID: s.Eve.ID}))
			for _, id := range []string{"lapses", "released"} {
				scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Order: affiliate.Order{PromoCode: "GOES", Subtotal: scene.Amount("50")}, Until: s.Now.Add(time.Hour)}))
			}
			if what == "code" {
				scene.Must(s.DeleteCode(ctx, code.ID))
			} else {
				scene.Must(s.DeleteCoupon(ctx, coupon.ID))
			}
			s.Verifies()
			h := scene.Must(s.Hold(ctx, "lapses"))
			if h.State != affiliate.HoldHeld || !h.PromotionalCode.IsNull() || h.CouponID != coupon.ID || h.Discount != scene.Amount("5") {
				t.Errorf("%+v", h)
			}
			_, err := s.RecordSale(ctx, affiliate.SaleParams{HoldID: "lapses", TotalEarned: affiliate.MustAmount("45"), Email: "a@b.co", Name: "A"})
			scene.RefusedAs(t, "RecordSale", affiliate.CodeNotFound, err)
			if what == "code" { // another code of the coupon waits for the places
				order := affiliate.Order{PromoCode: other.Code, Subtotal: scene.Amount("50")}
				if got := scene.Must(s.Evaluate(ctx, order)); got.Valid || got.Reasons[0].Reason != affiliate.CouponExhausted {
					t.Errorf("the places are kept: %+v", got)
				}
				scene.Must(s.ReleaseHold(ctx, "released"))
				if got := scene.Must(s.Evaluate(ctx, order)); !got.Valid {
					t.Errorf("one place was released: %+v", got)
				}
				s.Pass(2 * time.Hour)
				for range 2 {
					scene.Must(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: other.Code, TotalEarned: affiliate.MustAmount("45")}))
				}
				scene.Equal(t, affiliate.HoldLapsed, scene.Must(s.Hold(ctx, "lapses")).State)
				s.Raw(func(tx *record.Tx) error {
					c, err := tx.Coupons.Get(coupon.ID)
					if c.Held != 0 || !c.HeldDiscount.IsZero() || c.TimesRedeemed != 2 {
						t.Errorf("%+v", c)
					}
					return err
				})
			}
			scene.Must(s.ReleaseHold(ctx, "released"))
			s.Pass(2 * time.Hour)
			scene.Must(s.ReleaseHold(ctx, "lapses"))
			s.Verifies()
			again := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Again", PercentOff: scene.Percent("20")}))
			scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: again.ID, Code: "GOES", AffiliateID: s.Eve.ID}))
			_, err = s.RecordSale(ctx, affiliate.SaleParams{HoldID: "lapses", TotalEarned: affiliate.MustAmount("45"), Email: "a@b.co", Name: "A"})
			scene.RefusedAs(t, "RecordSale with a new code of that text", affiliate.CodeNotFound, err)
			scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: "lapses", Order: affiliate.Order{PromoCode: "GOES"}, Until: s.Now.Add(time.Hour)}))
			s.Verifies()
		})
	}
}

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
			scene.Must(0, s.Verify(ctx))
		})
	}
}

// TestHoldOfWhom: a sale that names nobody takes the place of the customer whom it was held for, and so does a hold
// that is made anew; a customer who has none left gets none by the hold of somebody else.
func TestHoldOfWhom(t *testing.T) {
	once := affiliate.CodeUpdate{MaxRedemptionsPerCustomer: times(1)}
	t.Run("sale", func(t *testing.T) {
		s := newCounter(t, affiliate.CouponUpdate{}, once, func(c *tributary.Config) { c.RequireCustomer = true })
		scene.Must(s.holds("c1", "a@x.example"))
		scene.Must(s.holds("c1", "")) // the basket changed, and nobody said the email again
		scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.buys("", "c1")).Outcome)
		s.says("a@x.example", affiliate.CustomerLimit)
		scene.Equal(t, 0, scene.Must(s.Attention(t.Context(), 5)).Overdrawn.Count)
	})
	t.Run("hold", func(t *testing.T) {
		s := newCounter(t, affiliate.CouponUpdate{}, once)
		s.says("a@x.example")
		for _, first := range []string{"", "b@x.example"} {
			scene.Must(s.holds("c1", first))
			scene.WantReason(t, "anew for another than "+first, affiliate.CustomerLimit, scene.ErrOf(s.holds("c1", "a@x.example")))
		}
		scene.Must(s.holds("c1", "c@x.example"))
		s.says("b@x.example")
		s.says("c@x.example", affiliate.CustomerLimit)
		scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.buys("c@x.example", "c1")).Outcome)
		s.Verifies()
	})
}

// TestHoldOfFreeOrder: the hold of a free order says its code and its basket, as that of any other.
func TestHoldOfFreeOrder(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{PercentOff: scene.Percent("100")}, affiliate.CodeUpdate{}, func(c *tributary.Config) { c.FreeOrders = true })
	scene.Must(s.holds("c1", "a@x.example"))
	sale := scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{HoldID: "c1", Free: true})).Sale.Or(affiliate.Sale{})
	scene.Equal(t, scene.Amount("100"), sale.Subtotal)
	scene.Equal(t, "1 1 0", s.used())
	in := affiliate.HoldParams{ID: "c2", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "ADA20"}}
	scene.Must(s.HoldRedemption(t.Context(), in))
	scene.WantReason(t, "of no basket", affiliate.MissingField, scene.ErrOf(s.RecordSale(t.Context(), affiliate.SaleParams{HoldID: "c2", Free: true})))
	scene.WantReason(t, "not free", affiliate.MissingField, scene.ErrOf(s.RecordSale(t.Context(), affiliate.SaleParams{HoldID: "c1"})))
	s.Verifies()
}

// TestHeldPrice: a sale that does not say the basket, or its lines, has the price that was held.
func TestHeldPrice(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{MaxDiscountTotal: scene.Amount("1000"), LimitToProducts: affiliate.Set(true), ProductIDs: affiliate.Set([]string{"p"})}, affiliate.CodeUpdate{})
	in := affiliate.HoldParams{Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "ADA20", Lines: []affiliate.Line{
		{ID: "1", ProductID: "p", Amount: scene.Sum("50")}, {ID: "2", ProductID: "q", Amount: scene.Sum("50")},
	}}}
	for id, sale := range map[string]affiliate.SaleParams{
		"nothing": {}, "null": {Subtotal: affiliate.Null[affiliate.Amount]()}, "basket": {Subtotal: scene.Amount("100")}, "lines": {Lines: in.Lines},
	} {
		in.ID = id
		scene.Equal(t, scene.Amount("10"), scene.Must(s.HoldRedemption(t.Context(), in)).Discount)
		sale.HoldID, sale.TotalEarned = id, scene.Sum("90")
		sold := scene.Must(s.RecordSale(t.Context(), sale)).Sale.Or(affiliate.Sale{})
		scene.Equal(t, scene.Amount("10"), affiliate.Set(scene.Must(s.ExplainSale(t.Context(), sold.ID)).Redemption.Or(affiliate.ExplainedRedemption{}).Discount))
	}
	scene.Equal(t, "4 4 40", s.used())
	s.Verifies()
}

// TestHoldsOfNobody: who names nobody cannot keep all places of a coupon; who names a customer
// still gets one, a hold that lapsed, was released or took a name makes room, and the same
// order may hold anew.
func TestHoldsOfNobody(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Limits.Nobody = 3 })
	ada := w.Join("ada")
	coupon := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("20"), MaxRedemptions: affiliate.Set[int64](50)}))
	other := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "d", PercentOff: scene.Percent("20")}))
	for code, of := range map[string]affiliate.Coupon{"ADA20": coupon, "ADA21": coupon, "EVE20": other} {
		scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: of.ID, Code: code, AffiliateID: ada.ID}))
	}
	hold := func(id, code, email string, d time.Duration) error {
		_, err := w.HoldRedemption(t.Context(), affiliate.HoldParams{ID: id, Until: w.Now.Add(d), Order: affiliate.Order{PromoCode: code, Email: email, Subtotal: scene.Amount("10")}})
		return err
	}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	full := func(what string) {
		t.Helper()
		w.Refused(affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.HoldLimitReached, Message: "Too many open holds name no customer"}, func() error {
			return hold("more "+what, "ADA21", "", time.Hour)
		})
	}
	for i := range 3 {
		must("nobody", hold(fmt.Sprint(i), []string{"ADA20", "ADA21"}[i%2], "", time.Hour))
	}
	full("three are open")
	must("a customer", hold("kim", "ADA20", "kim@buyer.example", time.Hour))
	must("another coupon", hold("other", "EVE20", "", time.Hour))
	must("the same order", hold("0", "ADA20", "", 2*time.Hour))
	full("the same order")
	must("a name", hold("1", "ADA21", "lee@buyer.example", time.Hour))
	must("room", hold("4", "ADA20", "", time.Minute))
	full("again")
	scene.Must(w.ReleaseHold(t.Context(), "2"))
	must("after a release", hold("5", "ADA20", "", time.Hour))
	full("once more")
	w.Pass(2 * time.Minute)
	must("after one has lapsed", hold("6", "ADA20", "", time.Hour))
	full("at last")
	w.Verifies()
}
