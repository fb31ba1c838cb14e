// Package apicheck compares the OpenAPI document of [httpapi] with the handler.
// Its tests read the document with an independent validator, and check every
// request and every answer with it.
//
// The tests are:
//
//   - the document is valid OpenAPI 3.1, and so is every example in it;
//   - its operations are those that the handler serves, no more and no fewer;
//   - requests and answers are valid by the document, for every operation, every
//     status and every Error-Code;
//   - it has the limits of the handler;
//   - the requests among its examples can be sent.
//
// [httpapi]: https://pkg.go.dev/github.com/tributary-go/tributary/httpapi
package apicheck
