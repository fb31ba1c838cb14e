// Package webhooks has both ends of a webhook request: it signs and sends
// requests, and it verifies, reads and handles those that arrive.
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
// An event without a function, or of an unknown type, is acknowledged.
// Deliveries repeat and arrive in any order. [Event.ID] is the same on every
// attempt, so a [Dedup] recognises a repeat; [Event.Revision] shows which of
// two events of an object is newer.
//
// Without net/http, do the three steps yourself: [Verifier.Verify] on the raw
// bytes, then [Parse], then [Decode]. A test makes a delivery with [Sign].
//
// # Sending
//
// A [Sender] delivers the events of a program: continuously while Run runs, or
// once with Drain. The sender and the program refer to each other:
//
//	sender := &webhooks.Sender{}
//	program, err := tributary.New(store, tributary.Config{
//		OnEvents: sender.Wake,
//		Send:     sender.Send,
//	})
//	if err != nil {
//		return err
//	}
//	sender.Outbox = program.Webhooks()
//	go sender.Run(ctx) // settles what is under way when ctx ends: wait for it, as the example of Sender does
//
// A committed event arrives at least once, also when a sender is stopped at any
// point. Any number of senders may work on one store. Requests go to public
// addresses only ([affiliate.AddressPolicy]); the dialer checks the address of
// every connection.
//
// # Secrets
//
// A [Verifier] has up to ten secrets. To replace a secret without losing a
// request, first add the new one to the receiver. Then let the sender sign with
// both, or with the new one. Remove the old one when [Proof.Secret] shows that
// it is not used any more.
//
// # The wire
//
// Requests follow Standard Webhooks 1.0, scheme v1, and any library for it can
// verify them: HMAC-SHA256 over id, time and body, in the headers webhook-id,
// webhook-timestamp and webhook-signature. The same headers under svix-* names
// are accepted too. Where published libraries read a header differently, this
// package reads it strictly.
//
// # Errors
//
// Each reason for a refusal has an error of its own. errors.Is also matches it
// with its class: [ErrHeader], [ErrTimestamp], [ErrSignature] or [ErrPayload].
// No error holds a part of a secret or of a body.
package webhooks
