package webhooks_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"net/netip"
	"sync"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// A host that sends: a program and its sender, an endpoint, and an end in good order.
func ExampleSender() {
	// Only here: the receiver is on this machine. Production leaves the policy zero.
	policy := affiliate.AddressPolicy{AllowHTTP: true, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()

	program, wait, err := startSending(ctx, memstore.New(), policy)
	if err != nil {
		log.Fatal(err)
	}

	delivered, verifier := make(chan string), &webhooks.Verifier{}
	receiver := httptest.NewServer(&webhooks.Receiver{
		Verifier: verifier,
		AffiliateCreated: func(_ context.Context, e webhooks.Event, a affiliate.AffiliateBody) error {
			delivered <- fmt.Sprint(e.Type, " ", a.Email)
			return nil
		},
	})
	defer receiver.Close()
	endpoint, err := program.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{
		URL: receiver.URL, Events: []affiliate.EventType{affiliate.AffiliateCreated},
	})
	if err != nil {
		log.Fatal(err)
	}
	verifier.Secrets = []affiliate.Secret{endpoint.Secret} // it is answered this once: give it to the receiver

	_, err = program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-delivered)

	stop() // when the server has answered its last request
	wait()
	// Output: affiliate.created ada@example.com
}

// startSending returns a program whose webhooks are delivered until ctx ends, and a
// function that waits until the attempts under way are settled.
func startSending(ctx context.Context, store record.Store, policy affiliate.AddressPolicy) (*tributary.Program, func(), error) {
	sender := &webhooks.Sender{Addresses: policy}
	program, err := tributary.New(store, tributary.Config{
		Addresses: policy,
		OnEvents:  sender.Wake, // deliver at once; without it within seconds
		Send:      sender.Send, // tests of endpoints
	})
	if err != nil {
		return nil, nil, err
	}
	sender.Outbox = program.Webhooks()
	var sending sync.WaitGroup
	sending.Go(func() {
		if err := sender.Run(ctx); err != nil {
			log.Print("webhooks: ", err)
		}
	})
	return program, sending.Wait, nil
}
