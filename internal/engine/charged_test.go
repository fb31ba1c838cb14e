package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A market says rates of exchange as a test wants them.
type market struct {
	asked int
	says  func(ctx context.Context, c affiliate.Currency) (affiliate.ExchangeRate, error)
}

func (m *market) rate(c *tributary.Config) {
	c.Rate = func(ctx context.Context, of affiliate.Currency, _ time.Time) (affiliate.ExchangeRate, error) {
		m.asked++
		return m.says(ctx, of)
	}
}

func at(rate string) func(context.Context, affiliate.Currency) (affiliate.ExchangeRate, error) {
	return func(context.Context, affiliate.Currency) (affiliate.ExchangeRate, error) {
		return affiliate.MustExchangeRate(rate), nil
	}
}

// A repeat is answered as the first, whatever Config.Rate says by then; and an error of
// Config.Rate is no answer that a repeat gets, too.
func TestRateUnderKeys(t *testing.T) {
	m := &market{says: at("1.1")}
	s, ctx := scene.NewShop(t, m.rate), t.Context()
	refunds := affiliate.Set(scene.Sum("100"))
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "10", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "EURO10", AffiliateID: s.Ada.Person.ID}))
	calls := map[string]func(key string) (string, error){
		"sale": func(key string) (string, error) {
			res, err := s.RecordSale(ctx, affiliate.SaleParams{
				ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), Currency: "EUR", Once: affiliate.Once{Key: key, Owner: "o"},
			})
			return scene.JSON(res), err
		},
		"preview": func(key string) (string, error) {
			e, err := s.Evaluate(ctx, affiliate.Order{PromoCode: "EURO10", TotalEarned: refunds, Currency: "EUR", Commission: true, Once: affiliate.Once{Key: key, Owner: "o"}})
			return scene.JSON(e), err
		},
	}
	down := errors.New("the bank is closed")
	for name, call := range calls {
		m.says = at("1.1")
		first := scene.Must(call(name + "1"))
		for what, says := range map[string]func(context.Context, affiliate.Currency) (affiliate.ExchangeRate, error){
			"another rate": at("2"),
			"no rate":      func(context.Context, affiliate.Currency) (r affiliate.ExchangeRate, _ error) { return r, nil },
			"an error":     func(context.Context, affiliate.Currency) (r affiliate.ExchangeRate, _ error) { return r, down },
			"a panic":      func(context.Context, affiliate.Currency) (r affiliate.ExchangeRate, _ error) { panic("the bank burns") },
		} {
			m.says = says
			if again, err := call(name + "1"); err != nil || again != first {
				t.Errorf("%s: with %s the repeat is %s, %v; the first was %s", name, what, again, err, first)
			}
		}
		m.says = func(context.Context, affiliate.Currency) (r affiliate.ExchangeRate, _ error) { return r, down }
		if answer, err := call(name + "2"); !errors.Is(err, down) {
			t.Errorf("%s: %s, %v", name, answer, err)
		}
		m.says = at("1.2")
		if answer, err := call(name + "2"); err != nil || !strings.Contains(answer, `"commission`) || answer == first {
			t.Errorf("%s: after an error of Config.Rate the repeat is %s, %v", name, answer, err)
		}
	}
	s.Verifies()
}

// What Config.Rate does besides answering: the call fails, nothing is written, and nobody
// waits for it.
func TestRateGoesWrong(t *testing.T) {
	m := &market{}
	s := scene.NewShop(t, m.rate)
	in := affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), Currency: "EUR"}
	before := s.Dump()
	for name, tt := range map[string]struct {
		says func(context.Context, affiliate.Currency) (affiliate.ExchangeRate, error)
		want string
	}{
		"negative": {func(context.Context, affiliate.Currency) (affiliate.ExchangeRate, error) {
			return affiliate.ExchangeRateFromScaled(-1), nil
		}, "the program has no rate for EUR"},
		"not found": {func(context.Context, affiliate.Currency) (r affiliate.ExchangeRate, _ error) {
			return r, affiliate.ErrNotFound
		}, "Config.Rate"},
		"panic": {func(context.Context, affiliate.Currency) (affiliate.ExchangeRate, error) { panic("the bank burns") }, "Config.Rate panicked"},
		"late": {func(ctx context.Context, _ affiliate.Currency) (r affiliate.ExchangeRate, _ error) {
			<-ctx.Done()
			return r, context.Cause(ctx)
		}, "gone home"},
	} {
		ctx, leave := context.WithCancelCause(t.Context())
		if name == "late" {
			leave(errors.New("gone home"))
		}
		m.says = tt.says
		_, err := s.RecordSale(ctx, in)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		leave(nil)
	}
	scene.Equal(t, before, s.Dump())
}

// Config.Rate may call the program, and others go on while it thinks; it is asked once for
// each sale, and not for sales in the program's currency.
func TestRateIsAskedOutside(t *testing.T) {
	m := &market{}
	s := scene.NewShop(t, m.rate)
	m.says = func(ctx context.Context, _ affiliate.Currency) (affiliate.ExchangeRate, error) {
		_, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: scene.Sum("1")})
		return affiliate.MustExchangeRate("1.5"), err
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	sale, _ := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), Currency: "EUR"})).Sale.Get()
	scene.Equal(t, scene.Sum("150"), sale.TotalEarned)
	scene.Equal(t, 1, m.asked)
	s.Verifies()
}

// Refunds at the same time take no more than there is, and the last leaves nothing.
func TestChargedAtOnce(t *testing.T) {
	s, ctx := scene.NewShop(t, scene.Worth("EUR", "1.0842")), t.Context()
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), Currency: "EUR"})
	var wg sync.WaitGroup
	var kept sync.Map
	for i := range 20 {
		wg.Go(func() {
			_, err := s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("9.99")), Currency: "EUR"})
			kept.Store(i, err)
		})
		wg.Go(func() {
			res, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: scene.Sum("1.5"), Currency: "EUR", ExternalID: "one"})
			if err != nil || res.Outcome != affiliate.SaleRecorded && res.Outcome != affiliate.SaleDuplicate {
				t.Errorf("%v, %v", res.Outcome, err)
			}
		})
	}
	wg.Wait()
	refused := 0
	kept.Range(func(_, err any) bool {
		if err != nil {
			refused++
			scene.WantReason(t, "too much", affiliate.RefundExceedsSale, err.(error))
		}
		return true
	})
	scene.Equal(t, 10, refused)
	got := scene.Must(s.Sale(ctx, sale.ID))
	charged, _ := got.Charged.Get()
	scene.Equal(t, scene.Sum("99.9"), charged.RefundedAmount)
	scene.Equal(t, scene.Sum("0.02"), got.CommissionEarned) // 0.1 × 0.2 × 1.0842
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	got = scene.Must(s.Sale(ctx, sale.ID))
	scene.Equal(t, got.TotalEarned, got.RefundedAmount)
	scene.Equal(t, affiliate.Amount{}, got.CommissionEarned)
	s.Verifies()
}

// TestRateOfThatDay: a sale in another currency is worth what that currency was on the day on which it was paid.
func TestRateOfThatDay(t *testing.T) {
	var cut time.Time
	s := scene.NewShop(t, func(c *tributary.Config) {
		c.Rate = func(_ context.Context, _ affiliate.Currency, at time.Time) (affiliate.ExchangeRate, error) {
			if at.Before(cut) {
				return affiliate.MustExchangeRate("1.1"), nil
			}
			return affiliate.MustExchangeRate("1.5"), nil
		}
	})
	cut = s.Now
	for days, want := range map[int]string{-45: "110", 0: "150"} {
		sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Currency: "EUR", TotalEarned: affiliate.MustAmount("100"), PaidAt: cut.AddDate(0, 0, days)})
		scene.Equal(t, affiliate.MustAmount(want), sale.TotalEarned)
	}
}

// 20 % of EUR 100 at 1.0842 is 21.684: rounded once.
func TestSaleInAnotherCurrency(t *testing.T) {
	s, ctx := scene.NewShop(t, scene.Worth("EUR", "1.0842")), t.Context()
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("120"), Tax: scene.Sum("20"), Currency: "eur"})
	is := func(earned, revenue, refunded string) {
		t.Helper()
		got := scene.Must(s.Sale(ctx, sale.ID))
		ref := scene.Must(s.Referral(ctx, s.Tomas.ID.String()))
		scene.Equal(t, scene.Sum(earned), got.CommissionEarned)
		scene.Equal(t, scene.Sum(revenue), ref.TotalRevenue)
		scene.Equal(t, scene.Sum(refunded), got.RefundedAmount)
		s.Verifies()
	}
	is("21.68", "130.1", "0")
	charged, _ := sale.Charged.Get()
	scene.Equal(t, affiliate.Charge{
		Currency: "EUR", ExchangeRate: affiliate.MustExchangeRate("1.0842"), TotalEarned: scene.Sum("120"), TaxAmount: scene.Sum("20"), Subtotal: affiliate.Null[affiliate.Amount](),
	}, charged)
	scene.Equal(t, scene.Sum("21.68"), sale.TaxAmount)

	part := affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("30")), Currency: "EUR"}
	scene.Must(s.RefundSale(ctx, part))
	is("16.26", "97.57", "32.53") // 75 × 0.2 × 1.0842 = 16.263; 130.1 − 32.53
	for _, c := range []affiliate.Currency{"", "USD"} {
		part.Currency = c
		if _, err := s.RefundSale(ctx, part); !refusedAs(err, affiliate.InvalidField, "currency") {
			t.Errorf("a refund in %q: %v", c, err)
		}
	}
	e := scene.Must(s.ExplainSale(ctx, sale.ID))
	if e.Arithmetic.Exact != "16263/1000" || e.Base.Kept != scene.Sum("90") || e.Base.Currency != "EUR" || e.Base.ExchangeRate != charged.ExchangeRate {
		t.Errorf("explained: %+v %+v", e.Base, e.Arithmetic)
	}
	scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("220")), Currency: "EUR"}))
	is("37.45", "205.99", "32.53") // 200 × 190/220 × 0.2 × 1.0842 = 37.4542
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	is("0", "0", "238.52")
}

func refusedAs(err error, reason affiliate.Reason, field string) bool {
	refused, ok := errors.AsType[*affiliate.Error](err)
	return ok && refused.Reason == reason && refused.Field == field
}

func TestRateOfSale(t *testing.T) {
	s, ctx := scene.NewShop(t, scene.Worth("EUR", "1.0842")), t.Context()
	in := affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100")}
	for _, tt := range []struct {
		name   string
		c      affiliate.Currency
		rate   string
		total  string
		reason affiliate.Reason
		field  string
	}{
		{"no rate", "GBP", "", "100", affiliate.MissingField, "exchangeRate"},
		{"no currency", "XQX", "1", "100", affiliate.InvalidField, "currency"},
		{"a rate of the program's", "USD", "1", "100", affiliate.InvalidField, "exchangeRate"},
		{"a rate without a currency", "", "1", "100", affiliate.InvalidField, "exchangeRate"},
		{"nothing in the program's", "JPY", "0.0001", "1", affiliate.InvalidField, "totalEarned"},
		{"too much in the program's", "KWD", "3000000", "1000000", affiliate.InvalidField, "totalEarned"},
	} {
		in := in
		in.Currency, in.TotalEarned = tt.c, scene.Sum(tt.total)
		if tt.rate != "" {
			in.ExchangeRate = affiliate.MustExchangeRate(tt.rate)
		}
		_, err := s.RecordSale(ctx, in)
		if !refusedAs(err, tt.reason, tt.field) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	in.Currency, in.ExchangeRate = "EUR", affiliate.MustExchangeRate("1.1")
	scene.Equal(t, scene.Sum("22"), s.Sell(in).CommissionEarned)
	s.Verifies()
}

// A FLAT coupon takes its amount off orders of its currency. Where there is no order, as with
// a referral, it refuses nothing.
func TestFlatCouponOfAnotherCurrency(t *testing.T) {
	s, ctx := scene.NewShop(t, scene.Worth("EUR", "1.0842")), t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "5", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(scene.Sum("5")), Currency: affiliate.Set(affiliate.Currency("EUR"))}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "FIVE", AffiliateID: s.Person.ID}))
	sale := affiliate.SaleParams{PromoCode: "FIVE", TotalEarned: scene.Sum("45"), Subtotal: affiliate.Set(scene.Sum("50")), Currency: "EUR"}
	order := affiliate.Order{PromoCode: "FIVE", Subtotal: sale.Subtotal, Currency: "EUR"}
	if e := scene.Must(s.Evaluate(ctx, order)); !e.Valid || e.Discount != affiliate.Set(scene.Sum("5")) || e.Total != affiliate.Set(scene.Sum("45")) {
		t.Errorf("in euros: %+v", e)
	}
	s.Sell(sale)
	order.Currency, sale.Currency = "", ""
	if e := scene.Must(s.Evaluate(ctx, order)); e.Valid || e.Reasons[0].Reason != affiliate.CouponOtherCurrency || e.Reasons[0].Currency != "EUR" || !e.Discount.IsNull() {
		t.Errorf("in dollars: %+v", e)
	}
	if _, err := s.RecordSale(ctx, sale); !refusedAs(err, affiliate.CouponOtherCurrency, "") {
		t.Errorf("a sale in dollars: %v", err)
	}
	if e := scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "FIVE"})); !e.Valid || len(e.Unverified) != 1 || e.Unverified[0] != affiliate.CouponOtherCurrency {
		t.Errorf("without an amount: %+v", e)
	}
	scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{PromoCode: "FIVE", Email: "leo@example.net", Name: "Leo", ReferredUserExternalID: "leo"}))
	s.Verifies()
}

// A preview of an order that is worth nothing in the program's currency answers its discount;
// what its sale would earn is not known, because that is refused.
func TestPreviewWorthNothing(t *testing.T) {
	s := scene.NewShop(t)
	got, err := s.Evaluate(t.Context(), affiliate.Order{
		PromoCode: "ADA20", Subtotal: scene.Amount("1"), Currency: "JPY", ExchangeRate: affiliate.MustExchangeRate("0.0001"), Commission: true,
	})
	if err != nil || !got.Valid || got.Total != scene.Amount("1") || !got.Commission.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
}

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
			scene.Must(0, s.RestoreRedemption(t.Context(), affiliate.SaleRef{ID: sale.ID}))
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
	s.Verifies()
}
