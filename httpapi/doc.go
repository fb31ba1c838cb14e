// Package httpapi serves the HTTP API of an affiliate program on any mux:
//
//	api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{key}})
//	if err != nil {
//		return err
//	}
//	mux.Handle("/api/v1/", api)
//
// # Mounting
//
// A [Handler] knows its full paths, /api/v1/…, and answers everything at or
// below /api/v1 itself, unknown paths and methods included, in JSON. Two ways to
// mount it:
//
//   - As a handler: mux.Handle("/api/v1/", api), http.StripPrefix("/partners",
//     api), the wildcard of any router, or directly as the handler of a server.
//   - With [Handler.Register], which puts one exact pattern for each path and
//     method on a mux. It is for a mux that has a catch-all with a method, such
//     as "GET /", beside which the pattern "/api/v1/" panics. Unknown paths then belong to the host.
//
// A pattern of the host that names a host ("example.com/") wins over both.
//
// The host's mux sees a path before the handler does. [http.ServeMux] redirects
// (307) a path that has //, /./ or /../ in it to the path without them, and it
// redirects /api/v1 to /api/v1/. A client that follows the redirect sends the
// request, body included, to a path that it did not ask for. Other routers do
// the same, or call the handler with the shorter path. The contract says that
// such paths are answered 404. For that, ask the handler before the mux:
//
//	func(w http.ResponseWriter, r *http.Request) {
//		if strings.HasPrefix(r.URL.Path, "/api/v1/") {
//			api.ServeHTTP(w, r)
//			return
//		}
//		mux.ServeHTTP(w, r)
//	}
//
// # Programs and keys
//
// The key of a request decides which program it is for: [New] serves one
// program, [NewMulti] serves any number through an [Authority]. No request
// carries a program id. A record of another program is answered like a record
// that does not exist.
//
// A [Key] has a [Scope]: full, integration (all that a shop needs), read, or propose (read, and
// ask for a change, which waits for a person: [Handler.Proposals]). It may have an end, so that two keys can work side by side while callers move to
// the new one. Give each caller a key of its own; [NewKey] makes them:
//
//	Keys: []httpapi.Key{
//		{Name: "shop", Scope: httpapi.ScopeIntegration, Secret: os.Getenv("SHOP_KEY")},
//		{Name: "reports", Scope: httpapi.ScopeRead, Hash: os.Getenv("REPORTS_KEY_HASH")},
//	}
//
// # Long lists
//
// A list without limit and cursor is read and written page by page. A request
// holds one page in memory, about 100 KiB, and nobody waits for its reader. A
// list that ends in 32 KiB is sent with its length. A longer one that fails
// after its first bytes ends its connection, and so does a reader who stops
// reading: net/http ends the answer after http.Server.WriteTimeout, which counts
// from the start of the answer. With a timeout of 30 seconds, a reader at 10
// MB/s gets about 150,000 sales. A caller with more asks for pages.
//
// # Clicks
//
// [Attribution] wraps a host's own pages and records the visits that came through
// a link; [ClickFrom] reads them back at sign-up and checkout. [Tracking] serves
// the two endpoints that a script in the browser calls instead.
//
// # The document
//
// GET /api/v1/openapi.json answers an OpenAPI 3.1 document of every operation,
// of the tracking endpoints and of the requests that webhook endpoints get. It
// is made from the tables that the handler itself uses.
//
// A caller whose language makes binary floats of JSON numbers sends the header Amounts: string.
// Then all that the document types number is a string with the same digits, and may be one in
// a body.
//
// # What the package does not do
//
// It adds no CORS headers to the API: that is the host's middleware. It logs
// only to [Config.Logger] and limits rates only through [Config.Limit]. It has
// no rule of its own: it reads a body strictly, hands it to the
// [tributary.Program] and writes the answer.
package httpapi
