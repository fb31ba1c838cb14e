// Package mcp lets an assistant read an affiliate program, by the Model Context
// Protocol: it makes a server of the official SDK whose tools are the operations of the
// HTTP API.
//
//	server, err := mcp.New(ctx, c, mcp.Config{}) // c is a *client.Client
//	if err != nil {
//		return err
//	}
//	return server.Run(ctx, &sdk.StdioTransport{})
//
// The tools come from the OpenAPI document that the program answers, so they are those
// of its version. Without [Config.Write] they change nothing; with it there are also those that
// do, for a key with the scope. Those of [Config.Propose] ask a person, who accepts in the console:
// nothing of the protocol does. None pays, says that something was paid, changes where
// money goes, answers a secret, or erases for good.
//
// [Partner] makes a server for one affiliate, of a program in this process: what the
// partner pages show, and no more. [Handler] serves many keys over HTTP.
//
// # Answers
//
// A list is a page of at most 50 rows, ten by default, with the totals before it where
// there are some, and the cursor of the next page. Amounts are texts with their currency,
// as exact as the API has them. A text that people may have written is in an object
// {"untrusted": "…"}: the instructions of the server tell the assistant to take it for data.
// A field that is null is left out. An error is the text of the API, with its code and
// field; a failure says no more than that there was one.
//
// The package is named as the SDK's, so one of the two gets another name where both are
// imported.
package mcp
