// Partners is the program of a team that talks to a server: it subscribes an endpoint,
// reports a sale, and waits for the event. Its arguments are the URL and the key.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/webhooks"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	partners, err := client.New(os.Args[1], os.Args[2], client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	verifier, came := new(webhooks.Verifier), make(chan affiliate.Sale, 1)
	endpoint := httptest.NewServer(http.Handler(&webhooks.Receiver{
		Verifier: verifier,
		Dedup:    webhooks.NewMemoryDedup(0, 0),
		SaleCreated: func(_ context.Context, _ webhooks.Event, s affiliate.Sale) error {
			came <- s
			return nil
		},
	}))
	defer endpoint.Close()
	issued, err := partners.CreateEndpoint(ctx,
		affiliate.EndpointParams{URL: endpoint.URL,
			Events: []affiliate.EventType{affiliate.SaleCreated}})
	if err != nil {
		log.Fatal(err)
	}
	verifier.Secrets = []affiliate.Secret{issued.Secret}
	res, err := partners.RecordSale(ctx, affiliate.SaleParams{
		PromoCode: "ines15", Email: "tomas@example.net", Name: "Tomas Berg", ExternalID: "order-1042",
		TotalEarned: affiliate.MustAmount("34"), Subtotal: affiliate.Set(affiliate.MustAmount("40")),
	})
	if err != nil {
		log.Fatal(err)
	}
	select {
	case sale := <-came:
		fmt.Println(res.Outcome, "and received:", sale.CommissionEarned, "for",
			sale.AffiliateID == res.Sale.Or(affiliate.Sale{}).AffiliateID)
	case <-ctx.Done():
		log.Fatal("no event came")
	}
}
