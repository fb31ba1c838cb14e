package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// uses is timesRedeemed of the code and its coupon.
func uses(s scene.GiftShop) [2]int64 {
	code := scene.Must(s.Code(s.T.Context(), affiliate.CodeRef{ID: s.Gift.ID}))
	return [2]int64{code.TimesRedeemed, scene.Must(s.Coupon(s.T.Context(), affiliate.CouponRef{ID: s.Gift.CouponID})).TimesRedeemed}
}

// TestFreeOrder: money check 35, M71 and M72.
func TestFreeOrder(t *testing.T) {
	required := scene.FieldError(affiliate.MissingField, "totalEarned", "Total Amount Earned is required")
	earned := scene.FieldError(affiliate.InvalidField, "free", "free must not be true when an amount was earned")
	for name, tt := range map[string]struct {
		off    bool
		change func(*affiliate.SaleParams)
		want   *affiliate.Error
	}{
		"35 Off":         {off: true, want: &required},
		"35 On":          {},
		"35 NoCode":      {change: func(in *affiliate.SaleParams) { in.PromoCode, in.ReferralID = "", "ada" }, want: &required},
		"35 NoSubtotal":  {change: func(in *affiliate.SaleParams) { in.Subtotal = affiliate.Opt[affiliate.Amount]{} }, want: &required},
		"Null subtotal":  {change: func(in *affiliate.SaleParams) { in.Subtotal = affiliate.Null[affiliate.Amount]() }, want: &required},
		"Zero subtotal":  {change: func(in *affiliate.SaleParams) { in.Subtotal = affiliate.Set(affiliate.Amount{}) }, want: &required},
		"Tax":            {change: func(in *affiliate.SaleParams) { in.Tax = scene.Sum("1") }, want: &required},
		"Shipping":       {change: func(in *affiliate.SaleParams) { in.Shipping = scene.Sum("1") }, want: &required},
		"Not free":       {change: func(in *affiliate.SaleParams) { in.Free = false }, want: &required},
		"Amount":         {change: func(in *affiliate.SaleParams) { in.TotalEarned = scene.Sum("5") }, want: &earned},
		"Amount and off": {off: true, change: func(in *affiliate.SaleParams) { in.TotalEarned = scene.Sum("5") }, want: &earned},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewGiftShop(t, 0, func(c *tributary.Config) {
				c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("5")}
			})
			if tt.off {
				cfg := s.Config()
				cfg.FreeOrders = false
				s.Program = scene.Must(tributary.New(s.Probe, cfg))
			}
			in := scene.GiftOrder("t@x.example")
			if tt.change != nil {
				tt.change(&in)
			}
			if tt.want != nil {
				s.Refused(*tt.want, func() error { return scene.ErrOf(s.RecordSale(t.Context(), in)) })
				return
			}
			var sale affiliate.Sale
			events := s.Fired(func() { sale = scene.Must(s.RecordSale(t.Context(), in)).Sale.Or(affiliate.Sale{}) })
			scene.Equal(t, []affiliate.EventType{affiliate.ReferralCreated, affiliate.SaleCreated}, []affiliate.EventType{events[0].Type, events[1].Type})
			scene.Equal(t, []any{affiliate.Amount{}, affiliate.Set(scene.Sum("30")), affiliate.Amount{}, affiliate.SaleActive, []affiliate.Commission{}},
				[]any{sale.TotalEarned, sale.Subtotal, sale.CommissionEarned, sale.Status, sale.Commissions})
			scene.Equal(t, [2]int64{1, 1}, uses(s))
			scene.Equal(t, sale, scene.Must(s.Sale(t.Context(), sale.ID)))
			s.Verifies()
			if err := s.RestoreRedemption(t.Context(), affiliate.SaleRef{ID: sale.ID}); err != nil {
				t.Error(err)
			}
			scene.Equal(t, [2]int64{}, uses(s))
			s.Verifies()
		})
	}
}

// TestFreeOrderCounts: M73. It is an order for firstTimeOrder and no payment for
// the limit of a plan.
func TestFreeOrderCounts(t *testing.T) {
	s := scene.NewGiftShop(t, 0, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	ctx := t.Context()
	scene.Must(s.UpdateCode(ctx, s.Gift.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
	s.Give("t@x.example")
	s.Refused(scene.StateError(affiliate.NotFirstOrder, "", "Promo code is only valid for a first order"), func() error {
		return scene.ErrOf(s.RecordSale(ctx, scene.GiftOrder("t@x.example")))
	})
	scene.Equal(t, scene.Sum("20"), s.SellTo("t@x.example", "100").CommissionEarned) // the first payment
	scene.Equal(t, scene.Sum("0"), s.SellTo("t@x.example", "100").CommissionEarned)  // the second
	s.Verifies()
}

// TestFreeOrderIsPaid: M73. A total makes an ordinary sale of it, and nothing
// else changes what it is.
func TestFreeOrderIsPaid(t *testing.T) {
	s := scene.NewGiftShop(t, 0)
	ctx := t.Context()
	sale := s.Give("t@x.example")
	update := func(id affiliate.SaleID, up affiliate.SaleUpdate) (affiliate.Sale, error) {
		return s.UpdateSale(ctx, id, up)
	}
	set := affiliate.Set[affiliate.Amount]

	s.Refused(scene.FieldError(affiliate.InvalidField, "subtotal", "subtotal must not be null"), func() error {
		return scene.ErrOf(update(sale.ID, affiliate.SaleUpdate{Subtotal: affiliate.Null[affiliate.Amount]()}))
	})
	s.Refused(scene.FieldError(affiliate.MissingField, "totalEarned", "Total Amount Earned is required"), func() error {
		return scene.ErrOf(update(sale.ID, affiliate.SaleUpdate{CommissionEarned: set(scene.Sum("5"))}))
	})
	s.Refused(scene.FieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must be greater than zero"), func() error {
		return scene.ErrOf(update(sale.ID, affiliate.SaleUpdate{TotalEarned: set(affiliate.Amount{})}))
	})
	s.Fires(func() error {
		return scene.ErrOf(update(sale.ID, affiliate.SaleUpdate{CommissionEarned: set(affiliate.Amount{})}))
	})
	s.Fires(func() error {
		return scene.ErrOf(update(sale.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("10")), Subtotal: set(scene.Sum("40"))}))
	}, affiliate.SaleUpdated)
	scene.Equal(t, 0, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
	scene.Equal(t, affiliate.SaleActive, scene.Must(s.Sale(ctx, sale.ID)).Status)
	s.Verifies()

	paid := scene.Must(update(sale.ID, affiliate.SaleUpdate{TotalEarned: set(scene.Sum("40"))}))
	scene.Equal(t, []any{scene.Sum("40"), scene.Sum("4"), 1}, []any{paid.TotalEarned, paid.CommissionEarned, len(paid.Commissions)})
	s.Verifies()
	paid = scene.Must(update(sale.ID, affiliate.SaleUpdate{Subtotal: affiliate.Null[affiliate.Amount]()}))
	scene.Equal(t, affiliate.Null[affiliate.Amount](), paid.Subtotal)
	s.Verifies()

	byHand := s.Give("t@x.example")
	byHand = scene.Must(update(byHand.ID, affiliate.SaleUpdate{TotalEarned: set(scene.Sum("30")), CommissionEarned: set(scene.Sum("7"))}))
	scene.Equal(t, scene.Sum("7"), byHand.CommissionEarned)
	s.Verifies()
}

// TestFreeOrderIsPaidLate: the terms of a customer whose payments are used up
// give a paid order nothing.
func TestFreeOrderIsPaidLate(t *testing.T) {
	s := scene.NewGiftShop(t, 0, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	sale := s.Give("t@x.example")
	s.SellTo("t@x.example", "100")
	paid := scene.Must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("30"))}))
	scene.Equal(t, []any{scene.Sum("30"), scene.Sum("0"), []affiliate.Commission{}}, []any{paid.TotalEarned, paid.CommissionEarned, paid.Commissions})
	s.Verifies()
}

// A limit ends the payments of a customer. An order of nobody any more is paid.
func TestFreeOrderIsPaidWithoutCustomer(t *testing.T) {
	s, ctx := scene.NewGiftShop(t, 0, func(c *tributary.Config) { c.Terms.MaxPayments = 1 }), t.Context()
	bob := s.Join("bob", func(in *affiliate.AffiliateParams) { in.AffiliateLink = "bob" })
	s.Refer("bob", "t@x.example")
	s.SellTo("t@x.example", "100")
	sale := s.Give("t@x.example")
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: bob.ID}))
	sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("30")}))
	scene.Equal(t, scene.Sum("6"), sale.CommissionEarned)
	s.Verifies()
}

// The lines of a free order that is paid earn by their rules.
func TestFreeOrderOfLinesIsPaid(t *testing.T) {
	s := scene.NewGiftShop(t, 0, pays(ruled("half", "50", "dear")))
	in := scene.GiftOrder("t@x.example")
	in.Lines = []affiliate.Line{line("d", "dear", "20"), line("c", "cheap", "10")}
	sale, _ := scene.Must(s.RecordSale(t.Context(), in)).Sale.Get()
	sale = scene.Must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("30")}))
	scene.Equal(t, scene.Sum("11"), sale.CommissionEarned)
	s.Verifies()
}

// TestFreeOrderEnds: check 37, M74.
func TestFreeOrderEnds(t *testing.T) {
	s := scene.NewGiftShop(t, 0, func(c *tributary.Config) { c.RefundWindow = time.Hour })
	ctx := t.Context()
	sale := s.Give("t@x.example")
	s.Refused(scene.FieldError(affiliate.RefundExceedsSale, "amount", "Refund amount exceeds the amount left on the sale"), func() error {
		return scene.ErrOf(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("1"))}))
	})
	var got affiliate.RefundResult
	s.Fires(func() (err error) {
		got, err = s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, RefundID: "r1"})
		return err
	}, affiliate.SaleDeleted)
	scene.Equal(t, affiliate.RefundResult{Success: true, Reason: affiliate.RefundedInFull}, got)
	sale = scene.Must(s.Sale(ctx, sale.ID))
	scene.Equal(t, []any{affiliate.SaleRefunded, affiliate.Amount{}}, []any{sale.Status, sale.RefundedAmount})
	memos := scene.Must(s.Movements(ctx, affiliate.MovementQuery{Cause: affiliate.CauseRefund}, affiliate.Page{})).Items // M46
	if len(memos) != 1 || memos[0].Number != 2 || memos[0].SaleID.Or(0) != sale.ID || memos[0].To != affiliate.AccountAccrual {
		t.Errorf("the refund left %+v", memos)
	}
	s.Verifies()
	s.Fires(func() (err error) {
		got, err = s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID})
		return err
	})
	scene.Equal(t, affiliate.RefundedAlready, got.Reason)
	if err := scene.ErrOf(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("5"))})); !errors.Is(err, affiliate.SaleHasBeenRefunded) {
		t.Errorf("a total of an ended order: %v", err)
	}
	s.Verifies()
	other := s.Give("t@x.example")
	s.Fires(func() error {
		return scene.ErrOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: other.ID}, affiliate.Reversal{ClawBack: true}))
	}, affiliate.SaleDeleted)
	scene.Equal(t, [2]int64{2, 2}, uses(s))
	s.Verifies()
}

// TestFreeOrdersAtOnce: check 36. The limit of a code holds for free orders.
func TestFreeOrdersAtOnce(t *testing.T) {
	s := scene.NewGiftShop(t, 1)
	results := make(chan error, 8)
	for i := range 8 {
		go func() {
			_, err := s.RecordSale(t.Context(), scene.GiftOrder(string(rune('a'+i))+"@x.example"))
			results <- err
		}()
	}
	recorded := 0
	for range 8 {
		switch err := <-results; {
		case err == nil:
			recorded++
		case !errors.Is(err, affiliate.CodeExhausted):
			t.Error(err)
		}
	}
	scene.Equal(t, 1, recorded)
	scene.Equal(t, [2]int64{1, 1}, uses(s))
	s.Verifies()
}

// A free order that is paid is a payment of its customer, also when its
// commission is set by hand.
func TestFreeOrderIsPaidByHand(t *testing.T) {
	s := scene.NewGiftShop(t, 0)
	sale := s.Give("t@x.example")
	scene.Must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("30")), CommissionEarned: affiliate.Set(scene.Sum("5"))}))
	if n, ok := scene.Must(s.ExplainSale(t.Context(), sale.ID)).Terms.Payment.Get(); !ok || n != 1 {
		t.Errorf("payment %d, %v", n, ok)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
