package tributary_test

import (
	"context"
	"expvar"
	"fmt"
	"log"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// counters counts what a program does in variables that expvar serves at
// /debug/vars.
func counters(vars *expvar.Map) affiliate.Observer {
	types := affiliate.EventTypes()
	return affiliate.Observer{
		End: func(_ context.Context, op affiliate.Operation, res affiliate.Result) {
			vars.Add(op.Name+" "+string(res.Outcome), 1)
			for i, n := range res.Events {
				if n > 0 {
					vars.Add(string(types[i]), int64(n))
				}
			}
		},
		Delivery: func(_ context.Context, d affiliate.DeliverySeen) {
			vars.Add("deliveries "+string(d.State), 1)
			vars.Add("deliveries lag ms", d.Lag.Milliseconds())
		},
	}
}

// An Observer of a few lines counts operations by outcome, events, and
// deliveries by state.
func ExampleConfig_observer() {
	ctx := context.Background()
	vars := new(expvar.Map) // a program takes expvar.NewMap("tributary")
	program, err := tributary.New(memstore.New(), tributary.Config{
		Terms:    affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Observer: counters(vars),
	})
	if err != nil {
		log.Fatal(err)
	}
	ada := affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}
	if _, err := program.CreateAffiliate(ctx, ada); err != nil {
		log.Fatal(err)
	}
	sale := affiliate.SaleParams{ReferralID: "ada", Email: "tim@example.com", Name: "Tim", TotalEarned: affiliate.MustAmount("100"), ExternalID: "order-1"}
	for range 2 { // a webhook of the payment provider often comes twice
		if _, err := program.RecordSale(ctx, sale); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(vars)
	// Output:
	// {"CreateAffiliate ok": 1, "RecordSale duplicate": 1, "RecordSale recorded": 1, "affiliate.created": 1, "referral.created": 1, "sale.created": 1}
}
