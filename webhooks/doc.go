// Package webhooks holds both ends of a webhook request: it signs what is sent,
// and verifies, reads and handles what arrives.
//
// # Receiving
//
// A [Receiver] is an http.Handler with a field for each type of event:
//
//	secret, err := webhooks.ParseSecret(os.Getenv("TRIBUTARY_WEBHOOK_SECRET"))
//	if err != nil {
//		return err
//	}
//	mux.Handle("POST /hooks/affiliate", &webhooks.Receiver{
//		Verifier: &webhooks.Verifier{Secrets: []affiliate.Secret{secret}},
//		SaleCreated: func(ctx context.Context, e webhooks.Event, s affiliate.Sale) error {
//			return credit(ctx, e.ID, s.AffiliateID, s.CommissionEarned)
//		},
//	})
//
// Events that have no function, and types that are not known yet, are
// acknowledged. Deliveries repeat and come in any order: [Event.ID] is the same
// on every attempt, which a [Dedup] uses, and [Event.Revision] tells old from
// new.
//
// Elsewhere than in net/http the three steps stand alone: [Verifier.Verify] on
// the raw bytes, then [Parse], then [Decode]. A test makes a delivery with
// [Sign].
//
// # Sending
//
// A [Sender] delivers what a program has to tell, as long as Run runs or once
// by Drain. The two are given each other:
//
//	sender := &webhooks.Sender{}
//	program, err := affiliate.New(store, affiliate.Config{
//		OnEvents: sender.Wake,
//		Send:     sender.Send,
//	})
//	if err != nil {
//		return err
//	}
//	sender.Outbox = program
//	go sender.Run(ctx)
//
// What is committed arrives at least once: a sender may be stopped at any
// point, and any number may work on one store. Requests go to public addresses
// only ([affiliate.AddressPolicy]), which the dialer checks for every
// connection.
//
// # Secrets
//
// A [Verifier] knows up to ten secrets. To change one without losing a request,
// let the receiver know both, let the sender sign with both or change over, and
// take the old one away when [Proof.Secret] no longer shows it in use.
//
// # The wire
//
// Requests follow Standard Webhooks 1.0, scheme v1, and verify with any library
// for it: HMAC-SHA256 over id, time and body, in the headers webhook-id,
// webhook-timestamp and webhook-signature. The same under svix-* names is read
// too. Where published libraries read one header in different ways, this one
// takes the strict reading.
//
// # Errors
//
// Each refusal is an error of its own and matches its class by errors.Is:
// [ErrHeader], [ErrTimestamp], [ErrSignature], [ErrPayload]. None of them holds
// anything of a secret or of a body.
package webhooks
