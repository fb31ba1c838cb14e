package tributary_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// A hook gets the record as it was before, which an event does not have. Here a
// partner gets a warning at the old address when the payout address changes.
// The warning is lost if the process ends between the change and the hook. Use
// a follower ([tributary.Program.Follow]) for effects that must not be lost.
func ExampleConfig_hooks() {
	ctx := context.Background()
	program, err := tributary.New(memstore.New(), tributary.Config{
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("10")},
		Hooks: record.Hooks{
			Affiliate: func(_ context.Context, c record.Change[record.Affiliate]) {
				before, had := c.Before.Get()
				after, has := c.After.Get()
				if had && has && before.PayoutEmail != "" && before.PayoutEmail != after.PayoutEmail {
					fmt.Printf("mail to %s: you are paid at %s from now on\n", before.PayoutEmail, after.PayoutEmail)
				}
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	mara, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "Lindqvist", Email: "mara@example.org"})
	if err != nil {
		log.Fatal(err)
	}
	for _, email := range []string{"mara@bank.example", "thief@bank.example"} {
		if _, err := program.SetPayoutDetails(ctx, mara.ID, affiliate.PayoutDetails{Email: email, Method: "PAYPAL"}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// mail to mara@bank.example: you are paid at thief@bank.example from now on
}
