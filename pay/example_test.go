package pay_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
)

// An action, here one that a package of a provider would have read from an event, can be
// applied any number of times.
func ExampleApply() {
	ctx := context.Background()
	program, err := tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}); err != nil {
		log.Fatal(err)
	}
	total := affiliate.MustAmount("58")
	action := pay.Action{Kind: pay.KindSale, Payment: affiliate.PaymentFact{
		Provider: "acmepay", Keys: []string{"p_1"}, At: time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC), Currency: "USD",
		Payer: affiliate.PayerFact{ID: "c_1", Email: "tomas@example.net", Name: "Tomas"},
		Sale: affiliate.Set(affiliate.Paid{
			SaleParams: affiliate.SaleParams{TotalEarned: total, ExternalID: "order-7"}, Gross: total,
			Tries: []affiliate.Credit{{ReferralID: "ada"}},
		}),
	}}
	for range 2 {
		result, err := pay.Apply(ctx, program, action)
		if err != nil {
			log.Fatal(err) // the store failed, or pay.ErrLater: apply it again later
		}
		sale, _ := result.Sale.Get()
		fmt.Println(result.Done, result.Outcome, sale.CommissionEarned)
	}
	// Output:
	// true recorded 11.6
	// true duplicate 11.6
}
