package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
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

// used is what is used of the code, the coupon, and its budget.
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
	if err := sold(other.Code, "jodoe+2@gmail.com"); err != nil {
		t.Error(err)
	}
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
	if err := s.RestoreRedemption(t.Context(), affiliate.SaleRef{ID: last.Sale.Or(affiliate.Sale{}).ID}); err != nil {
		t.Error(err)
	}
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
	if err := s.RestoreRedemption(ctx, affiliate.SaleRef{ExternalID: "o1"}); err != nil {
		t.Error(err)
	}
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

// TestHoldAnew: the same id with another basket is priced anew and keeps its place; with another code it takes a
// place of that.
func TestHoldAnew(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{MaxRedemptions: times(1)})
	ctx := t.Context()
	scene.Must(s.holds("c1", "a@x.example"))
	in := affiliate.HoldParams{ID: "c1", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "ada20", Email: "a@x.example", Subtotal: scene.Amount("10")}}
	scene.Equal(t, scene.Amount("2"), scene.Must(s.HoldRedemption(ctx, in)).Discount)
	s.says("b@x.example", affiliate.CodeExhausted)
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "summer20"})).CouponID, Code: "SPRING", AffiliateID: s.Eve.ID}))
	in.PromoCode = "spring"
	other := scene.Must(s.HoldRedemption(ctx, in))
	scene.Equal(t, scene.Amount("0.5"), other.Discount)
	s.Verifies()
	s.says("b@x.example")
	in.PromoCode = "ADA20"
	scene.WantReason(t, "back", affiliate.CodeExhausted, scene.ErrOf(s.HoldRedemption(ctx, in)))
	scene.Equal(t, scene.JSON(other), scene.JSON(scene.Must(s.Program.Hold(ctx, "c1"))))
	_, err := s.RecordSale(ctx, affiliate.SaleParams{HoldID: "c1", PromoCode: "ADA20", TotalEarned: scene.Sum("1")})
	scene.WantReason(t, "another code", affiliate.HoldOfAnotherCode, err)
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
