package affiliate_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A giftShop records free orders by the code GIFT of Ada, which takes off
// everything; limit is how often, 0 for no limit.
type giftShop struct {
	*world
	ada  affiliate.Affiliate
	code affiliate.Code
}

func newGiftShop(t *testing.T, limit int64, change ...func(*tributary.Config)) giftShop {
	w := newWorld(t, append(change, func(c *tributary.Config) { c.FreeOrders = true })...)
	ada := w.join("ada", func(in *affiliate.NewAffiliate) { in.AffiliateLink = "ada" })
	coupon := must(w.CreateCoupon(t.Context(), affiliate.NewCoupon{Name: "all", PercentOff: affiliate.Set(affiliate.MustPercent("100"))}))
	in := affiliate.NewCode{CouponID: coupon.ID, Code: "GIFT", AffiliateID: ada.ID}
	if limit > 0 {
		in.MaxRedemptions = affiliate.Set(limit)
	}
	return giftShop{w, ada, must(w.CreateCode(t.Context(), in))}
}

// gift is a free order of a customer.
func gift(email string) affiliate.NewSale {
	return affiliate.NewSale{PromoCode: "gift", Email: email, Free: true, Subtotal: affiliate.Set(sum("30"))}
}

func (s giftShop) give(email string) affiliate.Sale {
	s.t.Helper()
	sale, ok := must(s.RecordSale(s.t.Context(), gift(email))).Sale.Get()
	if !ok {
		s.t.Fatal("the free order is not recorded")
	}
	return sale
}

// uses is timesRedeemed of the code and its coupon.
func (s giftShop) uses() [2]int64 {
	code := must(s.Code(s.t.Context(), affiliate.CodeRef{ID: s.code.ID}))
	return [2]int64{code.TimesRedeemed, must(s.Coupon(s.t.Context(), affiliate.CouponRef{ID: s.code.CouponID})).TimesRedeemed}
}

// TestFreeOrder: check 35 of docs/money.md, M71 and M72.
func TestFreeOrder(t *testing.T) {
	required := fieldError(affiliate.MissingField, "totalEarned", "Total Amount Earned is required")
	earned := fieldError(affiliate.InvalidField, "free", "free must not be true when an amount was earned")
	for name, tt := range map[string]struct {
		off    bool
		change func(*affiliate.NewSale)
		want   *affiliate.Error
	}{
		"35 Off":         {off: true, want: &required},
		"35 On":          {},
		"35 NoCode":      {change: func(in *affiliate.NewSale) { in.PromoCode, in.ReferralID = "", "ada" }, want: &required},
		"35 NoSubtotal":  {change: func(in *affiliate.NewSale) { in.Subtotal = affiliate.Opt[affiliate.Amount]{} }, want: &required},
		"Null subtotal":  {change: func(in *affiliate.NewSale) { in.Subtotal = affiliate.Null[affiliate.Amount]() }, want: &required},
		"Zero subtotal":  {change: func(in *affiliate.NewSale) { in.Subtotal = affiliate.Set(affiliate.Amount{}) }, want: &required},
		"Tax":            {change: func(in *affiliate.NewSale) { in.Tax = sum("1") }, want: &required},
		"Shipping":       {change: func(in *affiliate.NewSale) { in.Shipping = sum("1") }, want: &required},
		"Not free":       {change: func(in *affiliate.NewSale) { in.Free = false }, want: &required},
		"Amount":         {change: func(in *affiliate.NewSale) { in.TotalEarned = sum("5") }, want: &earned},
		"Amount and off": {off: true, change: func(in *affiliate.NewSale) { in.TotalEarned = sum("5") }, want: &earned},
	} {
		t.Run(name, func(t *testing.T) {
			s := newGiftShop(t, 0, func(c *tributary.Config) {
				c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("5")}
			})
			if tt.off {
				cfg := s.Config()
				cfg.FreeOrders = false
				s.Program = must(tributary.New(s.probe, cfg))
			}
			in := gift("t@x.example")
			if tt.change != nil {
				tt.change(&in)
			}
			if tt.want != nil {
				s.refused(*tt.want, func() error { return errOf(s.RecordSale(t.Context(), in)) })
				return
			}
			var sale affiliate.Sale
			events := s.fired(func() { sale = must(s.RecordSale(t.Context(), in)).Sale.Or(affiliate.Sale{}) })
			equal(t, []affiliate.EventType{affiliate.ReferralCreated, affiliate.SaleCreated}, []affiliate.EventType{events[0].Type, events[1].Type})
			equal(t, []any{affiliate.Amount{}, affiliate.Set(sum("30")), affiliate.Amount{}, affiliate.SaleActive, []affiliate.Commission{}},
				[]any{sale.TotalEarned, sale.Subtotal, sale.CommissionEarned, sale.Status, sale.Commissions})
			equal(t, [2]int64{1, 1}, s.uses())
			equal(t, sale, must(s.Sale(t.Context(), sale.ID)))
			s.verify()
			if err := s.RestoreRedemption(t.Context(), sale.ID); err != nil {
				t.Error(err)
			}
			equal(t, [2]int64{}, s.uses())
			s.verify()
		})
	}
}

// TestFreeOrderCounts: M73. It is an order for firstTimeOrder and no payment for
// the limit of a plan.
func TestFreeOrderCounts(t *testing.T) {
	s := newGiftShop(t, 0, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	ctx := t.Context()
	must(s.UpdateCode(ctx, s.code.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
	s.give("t@x.example")
	s.refused(stateError(affiliate.NotFirstOrder, "", "Promo code is only valid for a first order"), func() error {
		return errOf(s.RecordSale(ctx, gift("t@x.example")))
	})
	equal(t, sum("20"), s.sale("t@x.example", "100").CommissionEarned) // the first payment
	equal(t, sum("0"), s.sale("t@x.example", "100").CommissionEarned)  // the second
	s.verify()
}

// TestFreeOrderIsPaid: M73. A total makes an ordinary sale of it, and nothing
// else changes what it is.
func TestFreeOrderIsPaid(t *testing.T) {
	s := newGiftShop(t, 0)
	ctx := t.Context()
	sale := s.give("t@x.example")
	update := func(id affiliate.SaleID, up affiliate.SaleUpdate) (affiliate.Sale, error) {
		return s.UpdateSale(ctx, id, up)
	}
	set := affiliate.Set[affiliate.Amount]

	s.refused(fieldError(affiliate.InvalidField, "subtotal", "subtotal must not be null"), func() error {
		return errOf(update(sale.ID, affiliate.SaleUpdate{Subtotal: affiliate.Null[affiliate.Amount]()}))
	})
	s.refused(fieldError(affiliate.MissingField, "totalEarned", "Total Amount Earned is required"), func() error {
		return errOf(update(sale.ID, affiliate.SaleUpdate{CommissionEarned: set(sum("5"))}))
	})
	s.refused(fieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must be greater than zero"), func() error {
		return errOf(update(sale.ID, affiliate.SaleUpdate{TotalEarned: set(affiliate.Amount{})}))
	})
	s.fires(func() error {
		return errOf(update(sale.ID, affiliate.SaleUpdate{CommissionEarned: set(affiliate.Amount{})}))
	})
	s.fires(func() error {
		return errOf(update(sale.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("10")), Subtotal: set(sum("40"))}))
	}, affiliate.SaleUpdated)
	equal(t, 0, must(s.RecalculateSales(ctx, affiliate.SaleFilter{})))
	equal(t, affiliate.SaleActive, must(s.Sale(ctx, sale.ID)).Status)
	s.verify()

	paid := must(update(sale.ID, affiliate.SaleUpdate{TotalEarned: set(sum("40"))}))
	equal(t, []any{sum("40"), sum("4"), 1}, []any{paid.TotalEarned, paid.CommissionEarned, len(paid.Commissions)})
	s.verify()
	paid = must(update(sale.ID, affiliate.SaleUpdate{Subtotal: affiliate.Null[affiliate.Amount]()}))
	equal(t, affiliate.Null[affiliate.Amount](), paid.Subtotal)
	s.verify()

	byHand := s.give("t@x.example")
	byHand = must(update(byHand.ID, affiliate.SaleUpdate{TotalEarned: set(sum("30")), CommissionEarned: set(sum("7"))}))
	equal(t, sum("7"), byHand.CommissionEarned)
	s.verify()
}

// TestFreeOrderIsPaidLate: the terms of a customer whose payments are used up
// give a paid order nothing.
func TestFreeOrderIsPaidLate(t *testing.T) {
	s := newGiftShop(t, 0, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	sale := s.give("t@x.example")
	s.sale("t@x.example", "100")
	paid := must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("30"))}))
	equal(t, []any{sum("30"), sum("0"), []affiliate.Commission{}}, []any{paid.TotalEarned, paid.CommissionEarned, paid.Commissions})
	s.verify()
}

// TestFreeOrderEnds: check 37, M74.
func TestFreeOrderEnds(t *testing.T) {
	s := newGiftShop(t, 0, func(c *tributary.Config) { c.RefundWindow = time.Hour })
	ctx := t.Context()
	sale := s.give("t@x.example")
	s.refused(fieldError(affiliate.RefundExceedsSale, "amount", "Refund amount exceeds the amount left on the sale"), func() error {
		return errOf(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(sum("1"))}))
	})
	var got affiliate.RefundResult
	s.fires(func() (err error) {
		got, err = s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, RefundID: "r1"})
		return err
	}, affiliate.SaleDeleted)
	equal(t, affiliate.RefundResult{Success: true, Reason: affiliate.RefundedInFull}, got)
	sale = must(s.Sale(ctx, sale.ID))
	equal(t, []any{affiliate.SaleRefunded, affiliate.Amount{}}, []any{sale.Status, sale.RefundedAmount})
	memos := must(s.Movements(ctx, affiliate.MovementFilter{Cause: affiliate.CauseRefund}, affiliate.Page{})).Items // M46
	if len(memos) != 1 || memos[0].Number != 2 || memos[0].SaleID.Or(0) != sale.ID || memos[0].To != affiliate.AccountAccrual {
		t.Errorf("the refund left %+v", memos)
	}
	s.verify()
	s.fires(func() (err error) {
		got, err = s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID})
		return err
	})
	equal(t, affiliate.RefundedAlready, got.Reason)
	if err := errOf(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("5"))})); !errors.Is(err, affiliate.SaleHasBeenRefunded) {
		t.Errorf("a total of an ended order: %v", err)
	}
	s.verify()
	other := s.give("t@x.example")
	s.fires(func() error {
		return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: other.ID}, affiliate.Reversal{ClawBack: true}))
	}, affiliate.SaleDeleted)
	equal(t, [2]int64{2, 2}, s.uses())
	s.verify()
}

// TestFreeOrdersAtOnce: check 36. The limit of a code holds for free orders.
func TestFreeOrdersAtOnce(t *testing.T) {
	s := newGiftShop(t, 1)
	results := make(chan error, 8)
	for i := range 8 {
		go func() {
			_, err := s.RecordSale(t.Context(), gift(string(rune('a'+i))+"@x.example"))
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
	equal(t, 1, recorded)
	equal(t, [2]int64{1, 1}, s.uses())
	s.verify()
}

// A free order that is paid is a payment of its customer, also when its
// commission is set by hand.
func TestFreeOrderIsPaidByHand(t *testing.T) {
	s := newGiftShop(t, 0)
	sale := s.give("t@x.example")
	must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("30")), CommissionEarned: affiliate.Set(sum("5"))}))
	if n, ok := must(s.ExplainSale(t.Context(), sale.ID)).Terms.Payment.Get(); !ok || n != 1 {
		t.Errorf("payment %d, %v", n, ok)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
