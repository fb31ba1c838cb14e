// Package integration holds the tests that need what the root module must not depend on:
//
//   - apicheck: the HTTP API against its OpenAPI document, by kin-openapi;
//   - browser: the console and the partner pages in Chromium, by chromedp and axe-core;
//   - languages: clients in Go and TypeScript that are generated from the document;
//   - providers: package pay against the libraries and mock servers of payment providers;
//   - release: a rehearsal of the release from an empty module cache;
//   - robustness: histories of callers at once on every store, by porcupine;
//   - routers: the handlers on chi, gin and echo;
//   - signatures: webhooks against the libraries of Standard Webhooks and Svix.
//
// All of them are one module, which nobody requires.
package integration
