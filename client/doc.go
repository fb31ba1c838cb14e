// Package client calls a Tributary server, or any server of the same published
// contract. A [Client] has the methods of [tributary.Program] that the wire
// carries, with the same names, types and errors:
//
//	c, err := client.New("https://partners.example.com", key, client.Config{})
//	if err != nil {
//		return err
//	}
//	_, err = c.CreateAffiliate(ctx, affiliate.AffiliateParams{
//		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
//	})
//	if errors.Is(err, affiliate.SlugTaken) {
//		return askForAnotherSlug()
//	}
//	return err
//
// The method of tributary.Program with the same name documents what a method
// does and what it refuses.
//
// # Answers
//
// A look-up that misses is [affiliate.ErrNotFound]. A sale that is not recorded
// is not an error: [affiliate.SaleResult] says why. A list method returns one
// page when [affiliate.Page] says so, and otherwise the whole list, all of it in
// memory and not longer than Config.MaxBody. [affiliate.All] reads a list of any
// length page by page.
//
// Fields that the client does not know are ignored, values of an enumeration
// that it does not know are kept, a field that is missing or null is zero, and
// money is read to four decimals. Any other deviation from the contract, such as
// a number in quotes, is an error. So is an answer without its essential part: a
// sale without an id, a refund without success, a job that is neither done nor
// has a next step, the body of an error with the status of a success. The server
// may have carried out the call nevertheless: see [Error.Status].
//
// # Errors
//
// Every other failure is an [*Error] that wraps an [*affiliate.Error], so that
// errors.Is works with an [affiliate.Reason] as it does with the engine. It has
// the status, headers and body of the last answer and the number of attempts.
// When a context ended, errors.Is finds its error too.
//
// # Repeats
//
// A failed attempt is repeated, twice by default, when a repeat cannot have a
// second effect:
//
//	                            GET, and every   every write
//	                            write            under NoRepeat
//	not sent, 429,
//	503 with Retry-After        repeated         repeated
//	connection lost, timeout,
//	any other 5xx               repeated         –
//
// Every write (POST, PUT, PATCH, DELETE) carries an Idempotency-Key, the same
// on each attempt: the key of [affiliate.Once] or [Client.Keyed], or one made
// for the call. A repeat with the key gets the answer of the first attempt and
// changes nothing, whatever another caller has done in between. Without a key,
// a repeated PUT would undo the other caller's change, and a repeated DELETE by
// email or slug would delete a new record that took the email or slug. So, for
// a server that does not know the header, set [Config.NoRepeat] and give sales
// an ExternalID.
//
// A call that ends without an answer may have been carried out. Calling a
// method again is another call, with another key. To call again safely, give
// the same key each time, in Once.Key of an input or with [Client.Keyed].
//
// Waits are random and grow from [Config.MinWait] to [Config.MaxWait]. A
// Retry-After is honoured. The call ends at once when it is longer than
// MaxWait, and when a wait would outlast the context. TLS failures, such as an
// unknown certificate authority, are never tried again. Redirects are never
// followed.
//
// # Tests
//
// With [Config.Handler] calls go directly to a handler, without a port or a
// goroutine. The code under test takes a *Client, and the fake server is the
// engine on a memory store. It works inside a testing/synctest bubble.
package client
