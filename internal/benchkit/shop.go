package benchkit

import (
	"context"
	"strconv"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Shop is [ShopOf] with the default configuration.
func Shop(tb testing.TB, store record.Store, codes int) (*tributary.Program, []affiliate.Affiliate) {
	tb.Helper()
	return ShopOf(tb, store, codes, func(*tributary.Config) {})
}

// ShopOf creates a program on a store: codes CODE0, CODE1 … of one coupon named
// All, each with its own affiliate, who has the link slug-0, slug-1 … and earns
// 20 percent. It returns the affiliates in the order of their numbers. The
// configuration returns the default one as adjust changed it.
func ShopOf(tb testing.TB, store record.Store, codes int,
	adjust func(*tributary.Config)) (*tributary.Program, []affiliate.Affiliate) {
	tb.Helper()
	ctx := context.Background()
	cfg := tributary.Config{
		Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
	}
	adjust(&cfg)
	p, err := tributary.New(store, cfg)
	check(tb, err)
	coupon, err := p.CreateCoupon(ctx,
		affiliate.CouponParams{Name: "All", PercentOff: affiliate.Set(affiliate.MustPercent("20"))})
	check(tb, err)
	owners := make([]affiliate.Affiliate, codes)
	for i := range codes {
		n := strconv.Itoa(i)
		owners[i], err = p.CreateAffiliate(ctx, affiliate.AffiliateParams{
			FirstName: "A", LastName: n, Email: "a" + n + "@example.com", AffiliateLink: "slug-" + n,
		})
		check(tb, err)
		_, err = p.CreateCode(ctx,
			affiliate.CodeParams{CouponID: coupon.ID, Code: "CODE" + n, AffiliateID: owners[i].ID})
		check(tb, err)
	}
	return p, owners
}

// Audit ends a benchmark on a [Shop]: Verify must pass, and there must be
// exactly as many sales by its codes.
func Audit(tb testing.TB, p *tributary.Program, sales int64) {
	tb.Helper()
	ctx := context.Background()
	if err := p.Verify(ctx); err != nil {
		tb.Errorf("Verify: %v", err)
	}
	coupon, err := p.Coupon(ctx, affiliate.CouponRef{Name: "All"})
	check(tb, err)
	if coupon.TimesRedeemed != sales {
		tb.Errorf("timesRedeemed = %d after %d sales", coupon.TimesRedeemed, sales)
	}
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
