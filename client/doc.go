// Package client calls a Tributary server, or any server of the same published
// contract. A [Client] has the methods of [affiliate.Program] that the wire
// carries, with the same names, types and errors:
//
//	c, err := client.New("https://partners.example.com", key, client.Config{})
//	if err != nil {
//		return err
//	}
//	_, err = c.CreateAffiliate(ctx, affiliate.NewAffiliate{
//		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
//	})
//	if errors.Is(err, affiliate.SlugTaken) {
//		return askForAnotherSlug()
//	}
//	return err
//
// What a method does, and why it may refuse, is written on the method of
// affiliate.Program that has its name.
//
// # Answers
//
// A look-up that misses is [affiliate.ErrNotFound]. A sale that is not recorded
// is no error: [affiliate.SaleResult] says why. A list is whole, or with an
// [affiliate.Page] a page of it; [affiliate.Each] walks all pages.
//
// Fields that the client does not know are ignored, values of an enumeration
// that it does not know are kept, a field that is missing or null is zero, and
// money is read to four decimals. Anything else that is not of the contract's
// shape, such as a number in quotes, is an error, although the server may have
// carried the call out: see [Error.Status].
//
// # Errors
//
// Everything else that goes wrong is an [*Error] that wraps an
// [*affiliate.Error], so that errors.Is works with an [affiliate.Reason] as it
// does on the engine. It holds the last answer's status, headers and body and
// counts the attempts. The end of a context is in it for errors.Is.
//
// # Repeats
//
// Failed attempts are repeated, twice by default, where no repeat can have a
// second effect:
//
//	                            GET, and every   every write
//	                            write            under NoRepeat
//	not sent, 429,
//	503 with Retry-After        repeated         repeated
//	connection lost, timeout,
//	any other 5xx               repeated         –
//
// Every write (POST, PUT, PATCH, DELETE) carries an Idempotency-Key, the same on
// each attempt: that of [affiliate.Once] or [Client.Keyed], or one made for the
// call. With it a repeat is answered as the first attempt was and does nothing,
// whatever another caller has done in between. Without it a repeated PUT undoes
// that, and a repeated DELETE by email or slug takes the successor of what was
// deleted. So for a server that does not know the header set [Config.NoRepeat],
// and give sales an ExternalID.
//
// A call that ends without an answer may have been carried out. Calling a method
// again is another call, with another key: whoever means to do that gives the
// key, the same each time, in Once.Key of an input or with [Client.Keyed].
//
// Waits are random and grow from [Config.MinWait] to [Config.MaxWait]. A
// Retry-After is obeyed; one that is longer than the longest wait, and a wait
// that would outlast the context, end the call at once. An unknown certificate
// authority and other TLS faults are never tried again. Redirects are never
// followed.
//
// # Tests
//
// With [Config.Handler] calls go straight to a handler, without a port or a
// goroutine: the code under test takes a *Client and the fake is the engine on a
// memory store. It works inside a testing/synctest bubble.
package client
