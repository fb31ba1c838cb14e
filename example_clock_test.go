package tributary_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// A test owns the time: a code that works on one day is refused on the next.
func ExampleConfig_now() {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	program, err := tributary.New(memstore.New(), tributary.Config{Now: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	ada, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"})
	if err != nil {
		log.Fatal(err)
	}
	coupon, err := program.CreateCoupon(ctx, affiliate.CouponParams{Name: "Friday", PercentOff: affiliate.Set(affiliate.MustPercent("30"))})
	if err != nil {
		log.Fatal(err)
	}
	_, err = program.CreateCode(ctx, affiliate.CodeParams{
		CouponID: coupon.ID, AffiliateID: ada.ID, Code: "FRIDAY",
		ExpiresAt: affiliate.Set(affiliate.Day(2026, 11, 27)), // that whole day
	})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		e, err := program.Evaluate(ctx, affiliate.Order{PromoCode: "friday"})
		fmt.Println(now.Format(time.DateOnly), e.Valid, err)
		now = now.Add(12 * time.Hour)
	}
	// Output:
	// 2026-11-27 true <nil>
	// 2026-11-28 false <nil>
}

// A run pays everybody to whom enough is due.
func ExampleProgram_RunPayouts() {
	program, _, _ := newShop()
	ctx := context.Background()
	_, err := program.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("100")})
	if err != nil {
		log.Fatal(err)
	}
	march := affiliate.PayoutRun{ExternalID: "2026-03", Minimum: affiliate.MustAmount("5"), NoDetails: true}
	for line, err := range affiliate.All(ctx, program.PreviewPayouts, march) {
		fmt.Println("would pay", line.Amount, err)
	}
	for range 2 { // a run that is repeated pays nobody twice
		run, err := program.RunPayouts(ctx, march)
		fmt.Println(run.Status, run.Created, run.Total, err)
	}
	// Output:
	// would pay 10 <nil>
	// DONE 1 10 <nil>
	// DONE 1 10 <nil>
}
