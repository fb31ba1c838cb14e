package importer_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/memstore"
)

// The exports of another service, here two small ones, become affiliates, referrals and
// sales. A second run creates nothing.
func ExampleRun() {
	ctx := context.Background()
	program, err := tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		source := importer.Dub(importer.Files{
			Affiliates: strings.NewReader("ID,Name,Email,Country,Status,Enrolled at,Clicks\n" +
				"pn_mara,Mara Holm,mara@example.com,DE,approved,2025-01-02T08:00:00.000Z,120\n"),
			Commissions: strings.NewReader("ID,Type,Amount,Earnings,Currency,Status,Invoice ID,Quantity,Created at,Paid at,Partner ID,Partner email,Customer ID,Customer name,Customer email,Customer external ID\n" +
				"cm_1,sale,$29.00,$5.80,usd,pending,in_1,1,2025-04-01T10:00:00.000Z,,pn_mara,mara@example.com,cus_1,Tomas,tomas@example.net,user-1\n"),
		})
		report, err := importer.Run(ctx, program, source, importer.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.SplitN(report.String(), "\n", 2)[0])
	}
	fmt.Println(program.Verify(ctx))
	// Output:
	// created: affiliates 1 referrals 1 sales 1
	// created:
	// <nil>
}
