package tributary_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"expvar"
	"fmt"
	"log"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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
	march := affiliate.PayoutRun{ExternalID: "2026-03", Minimum: affiliate.Set(affiliate.MustAmount("5")), NoDetails: true}
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

// The secrets of endpoints are encrypted with AES-GCM. To change the key, let
// Open try the new key and then the old one.
func ExampleConfig_seal() {
	key := []byte("32 bytes from a secrets manager.") // do not write it into the source
	block, err := aes.NewCipher(key)
	if err != nil {
		log.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		log.Fatal(err)
	}
	cfg := tributary.Config{
		Seal: func(data, boundTo []byte) ([]byte, error) { return aead.Seal(nil, nil, data, boundTo), nil },
		Open: func(data, boundTo []byte) ([]byte, error) { return aead.Open(nil, nil, data, boundTo) },
	}
	program, err := tributary.New(memstore.New(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	endpoint, err := program.Webhooks().CreateEndpoint(context.Background(), affiliate.EndpointParams{
		URL: "https://hooks.beans.example/", Events: []affiliate.EventType{affiliate.SaleCreated},
	})
	if err != nil {
		log.Fatal(err)
	}
	kept, _ := cfg.Seal([]byte(endpoint.Secret.Reveal()), endpoint.ID[:]) // as it is stored
	opened, _ := cfg.Open(kept, endpoint.ID[:])
	fmt.Println(affiliate.Secret(opened) == endpoint.Secret)
	_, err = cfg.Open(kept, uuid.Max[:]) // copied to another endpoint
	fmt.Println(err)
	// Output:
	// true
	// cipher: message authentication failed
}
