// Package apicheck holds the OpenAPI document of [httpapi] against the handler:
// its tests read the document with a validator that knows nothing of how it was
// made, and pass every request and every answer through it.
//
// The tests are:
//
//   - the document is valid OpenAPI 3.1, and so is every example in it;
//   - its operations are those that the handler serves, no more and no fewer;
//   - what the handler accepts and answers is what the document says, for every
//     operation, every status and every Error-Code;
//   - the limits in it are those that the handler keeps;
//   - the requests among its examples can be sent.
//
// It is a module of its own, so that the validator is no dependency of the
// hosts.
//
// [httpapi]: https://pkg.go.dev/github.com/tributary-go/tributary/httpapi
package apicheck
