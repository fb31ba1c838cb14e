package engine_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

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

// What a charged sale earns is computed in its currency and rounded once, whatever its lines,
// its rate and the order of its refunds; the last refund ends at nothing.
func TestChargedInFractions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, ctx := scene.NewShop(t), t.Context()
		s.Program = s.With(s.Store)
		currency := rapid.SampledFrom([]affiliate.Currency{"EUR", "JPY", "KWD"}).Draw(rt, "currency")
		unit := currency.Unit().Scaled()
		sum := func(from, to int64, name string) affiliate.Amount {
			return affiliate.AmountFromScaled(rapid.Int64Range(from, to).Draw(rt, name) * unit)
		}
		total := sum(2, 1_000_000, "total")
		tax := affiliate.AmountFromScaled(rapid.Int64Range(0, total.Scaled()/unit-1).Draw(rt, "tax") * unit)
		rate := affiliate.ExchangeRateFromScaled(rapid.Int64Range(1_000_000_000, 5_000_000_000_000).Draw(rt, "rate"))
		res, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: total, Tax: tax, Currency: currency, ExchangeRate: rate})
		if refusedAs(err, affiliate.InvalidField, "totalEarned") {
			return // worth less than a cent
		}
		if err != nil {
			rt.Fatal(err)
		}
		id, kept := res.Sale.Or(affiliate.Sale{}).ID, total.Scaled()/unit
		worth := func(x *big.Rat) affiliate.Amount {
			cents := new(big.Rat).Mul(x, big.NewRat(rate.Scaled(), 1_000_000_000_000))
			cents.Add(cents.Mul(cents, big.NewRat(100, 1)), big.NewRat(1, 2))
			return affiliate.AmountFromScaled(100 * new(big.Int).Quo(cents.Num(), cents.Denom()).Int64())
		}
		for {
			got := scene.Must(s.Sale(ctx, id))
			share := big.NewRat(kept, total.Scaled()/unit)
			base := new(big.Rat).Mul(share, big.NewRat(total.Scaled()-tax.Scaled(), 10_000))
			refunded := big.NewRat(total.Scaled()-kept*unit, 10_000)
			if want := worth(base.Mul(base, big.NewRat(1, 5))); got.CommissionEarned != want || got.RefundedAmount != worth(refunded) {
				rt.Fatalf("%d of %v %s kept at %v: earns %v and has %v refunded, want %v and %v", kept, total, currency, rate, got.CommissionEarned, got.RefundedAmount, want, worth(refunded))
			}
			s.Verifies()
			if kept == 0 {
				return
			}
			part := rapid.Int64Range(1, kept).Draw(rt, "refund")
			kept -= part
			scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: id, Amount: affiliate.Set(affiliate.AmountFromScaled(part * unit)), Currency: currency}))
		}
	})
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
