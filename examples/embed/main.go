// Embed is the shortest host: a program in memory, an affiliate, and a sale that she
// referred. It is the program of the README.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

func main() {
	ctx := context.Background()
	program, err := tributary.New(memstore.New(), tributary.Config{
		Name:         "Acme partners",
		Destinations: []affiliate.Destination{{URL: "https://acme.example/pricing"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Review:       []affiliate.ReviewRule{affiliate.SelfReferral(), affiliate.Unnamed()},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	}); err != nil {
		log.Fatal(err)
	}
	res, err := program.RecordSale(ctx, affiliate.SaleParams{
		ReferralID: "ada", Email: "tomas@example.net", Name: "Tomas Berg",
		TotalEarned: affiliate.MustAmount("49.90"), ExternalID: "order-1042",
	})
	if err != nil {
		log.Fatal(err) // the store failed, or an input is wrong: errors.Is(err, affiliate.…) says which
	}
	if sale, ok := res.Sale.Get(); ok { // not ok: res.Outcome says why
		fmt.Println(sale.Affiliate.Name, "earns", sale.CommissionEarned)
	}
}
