// Package client calls a Tributary server, or any server of the same published
// contract. A [Client] has the methods of [affiliate.Program] that the wire
// carries, with the same names, types and errors:
//
//	c, err := client.New("https://partners.example.com", key, client.Config{})
//	if err != nil {
//		return err
//	}
//	ada, err := c.CreateAffiliate(ctx, affiliate.NewAffiliate{
//		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
//	})
//	if errors.Is(err, affiliate.SlugTaken) {
//		return err // choose another slug
//	}
//
// # Answers
//
// A look-up that misses is [affiliate.ErrNotFound]. Fields that the client does
// not know are ignored, values of an enumeration that it does not know are
// kept, and a field that is missing is zero. Lists come in pages; walk all of
// them with [affiliate.Each].
//
// # Errors
//
// Everything else that goes wrong is an [*Error] that wraps an
// [*affiliate.Error], so that errors.Is works with a [affiliate.Reason] as it
// does on the engine. It holds the last answer's status, headers and body and
// counts the attempts. The end of a context is in it for errors.Is.
//
// # Repeats
//
// Failed attempts are repeated, twice by default, where no repeat can have a
// second effect:
//
//	                             GET, POST   PUT, DELETE,   PATCH in part without RefundID,
//	                                         other PATCH    POST under NoPostRepeat
//	not sent, 429,
//	503 with Retry-After         repeated    repeated       repeated
//	connection lost, timeout,
//	502, 503, 504                repeated    repeated       –
//	500 and other 5xx            repeated    –              –
//
// PATCH is a refund. A POST may be repeated because it carries an
// Idempotency-Key, the same on each attempt: [affiliate.Once].Key, or one made
// for the call. For a server that does not know that header set
// [Config.NoPostRepeat], and give sales an ExternalID. A DELETE that was carried
// out and whose answer was lost may end as not found, with [Error.Attempts]
// above 1.
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
