package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// newProgram is the server of the examples: an engine in memory behind its
// handler.
func newProgram() http.Handler {
	engine := must(tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
	api := must(httpapi.New(engine, httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}}))
	return api
}

// In tests the fake server is the engine itself, with its real handler and
// without a port or a goroutine.
func ExampleNew() {
	ctx := context.Background()
	engine, err := tributary.New(memstore.New(), tributary.Config{})
	if err != nil {
		log.Fatal(err)
	}
	api, err := httpapi.New(engine, httpapi.Config{APIKeys: []string{"test-key-of-this-suite"}})
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.New("http://tributary.test", "test-key-of-this-suite", client.Config{Handler: api})
	if err != nil {
		log.Fatal(err)
	}
	ada, err := c.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	})
	fmt.Println(c, ada.Name, ada.Status, err)
	// Output: client.Client{http://tributary.test} Ada Lovelace ACTIVE <nil>
}

func Example() {
	ctx := context.Background()
	server := httptest.NewServer(newProgram())
	defer server.Close()
	c, err := client.New(server.URL, "test-key-of-this-suite", client.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.CloseIdleConnections()
	if _, err := c.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	}); err != nil {
		log.Fatal(err)
	}
	sale, err := c.RecordSale(ctx, affiliate.SaleParams{
		ReferralID: "ada", Email: "kim@example.com", Name: "Kim",
		TotalEarned: affiliate.MustAmount("49.90"), ExternalID: "order-1",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sale.Outcome, sale.Sale.Or(affiliate.Sale{}).CommissionEarned)
	// Output: recorded 9.98
}

// Reasons are those of the engine, and the error has the answer.
func ExampleError() {
	ctx := context.Background()
	c, err := client.New("http://tributary.test", "test-key-of-this-suite", client.Config{Handler: newProgram()})
	if err != nil {
		log.Fatal(err)
	}
	ada := affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}
	if _, err := c.CreateAffiliate(ctx, ada); err != nil {
		log.Fatal(err)
	}
	ada.Email = "countess@example.com"
	_, err = c.CreateAffiliate(ctx, ada)
	fmt.Println(errors.Is(err, affiliate.SlugTaken))
	if e, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(e.Status, e.Err.Field, e.Err.Message)
	}
	_, err = c.Affiliate(ctx, "nobody")
	fmt.Println(err == affiliate.ErrNotFound)
	// Output:
	// true
	// 400 affiliateLink The requested affiliate link is already in use
	// true
}

// All visits all pages of any list.
func ExampleClient_Links() {
	ctx := context.Background()
	c, err := client.New("http://tributary.test", "test-key-of-this-suite", client.Config{Handler: newProgram()})
	if err != nil {
		log.Fatal(err)
	}
	ada, err := c.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, slug := range []string{"ada-blog", "ada-talks"} {
		if _, err := c.CreateLink(ctx, affiliate.LinkParams{Link: slug, AffiliateID: ada.ID}); err != nil {
			log.Fatal(err)
		}
	}
	of := affiliate.LinkQuery{AffiliateID: affiliate.Set(ada.ID)}
	for link, err := range affiliate.All(ctx, c.Links, of) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(link.Link)
	}
	// Output:
	// ada-talks
	// ada-blog
	// ada
}

// With a key of your own you can repeat a create for a day, even from another
// process.
func ExampleClient_RecordSale() {
	ctx := context.Background()
	c, err := client.New("http://tributary.test", "test-key-of-this-suite", client.Config{Handler: newProgram()})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	}); err != nil {
		log.Fatal(err)
	}
	for range 2 {
		sale, err := c.RecordSale(ctx, affiliate.SaleParams{
			Once: affiliate.Once{
				Key:      "order-1",
				Replayed: func([]byte) { fmt.Println("reported before") },
			},
			ReferralID: "ada", TotalEarned: affiliate.MustAmount("49.90"), Email: "kim@example.com", Name: "Kim",
		})
		fmt.Println(sale.Outcome, err)
	}
	// Output:
	// recorded <nil>
	// reported before
	// recorded <nil>
}

// A delete by email is called again after its answer was lost, perhaps by
// another process. With the key of the first call it gets the first answer, and
// it does not delete a new affiliate who has the email now.
func ExampleClient_Keyed() {
	ctx := context.Background()
	c, err := client.New("http://tributary.test", "test-key-of-this-suite", client.Config{Handler: newProgram()})
	if err != nil {
		log.Fatal(err)
	}
	ada := affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"}
	if _, err := c.CreateAffiliate(ctx, ada); err != nil {
		log.Fatal(err)
	}
	closing := c.Keyed(affiliate.Once{Key: "close-account-17"})
	fmt.Println(closing.DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: "ada@example.com"}))
	if _, err := c.CreateAffiliate(ctx, ada); err != nil {
		log.Fatal(err)
	}
	fmt.Println(closing.DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: "ada@example.com"}))
	back, err := c.Affiliate(ctx, "ada@example.com")
	fmt.Println(back.Name, err)
	// Output:
	// <nil>
	// <nil>
	// Ada Lovelace <nil>
}
