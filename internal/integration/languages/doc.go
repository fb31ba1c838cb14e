// Package languages proves that clients which are generated from the OpenAPI document
// compile and work against the server.
package languages
