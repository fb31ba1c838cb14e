// Server runs everything in one command: the HTTP API, the tracking endpoints, the
// delivery of webhooks, the console, and a page that shows how to call them:
//
//	go run ./examples/server                                 # on 127.0.0.1:8080, with a key of its own
//	TRIBUTARY_KEY=… go run ./examples/server                 # with your key, of 20 characters or more
//	go run ./examples/server -key-file keys          # with keys of different rights, from a file
//	go run ./examples/server -addr 127.0.0.1:0               # on any free port
//	go run ./examples/server -demo                           # with a coffee shop's orders of the last year
//	go run ./examples/server -h                              # every flag
//
// It never shows a key that it was given.
//
// It keeps everything in memory, so it is for trying things out and for tests: all
// data is gone when it stops. It prints "listening on http://ADDR" when it is
// ready. At an interrupt it answers the requests under way and ends. A second
// interrupt ends it at once.
//
// Each line of the file of keys has the name of a key, its scope (full,
// integration, read or propose), and its secret or "sha256:" and the hash of it:
//
//	shop     integration  a-secret-of-20-characters-or-more
//	reports  read         sha256:…
//
// The console is at /console/. It asks for a key: one of the scope full opens all
// of it, one of the scope read the pages without the forms, and one of another scope
// nothing.
//
// The pages for affiliates are at /partner/. POST /api/v1/partner/token answers a
// URL that opens those of one affiliate for a minute.
//
// Package httpapi/app is all of it but the store. The same server on one file, which lasts,
// is sqlitestore/examples/server; on one file or on PostgreSQL it is the module server.
package main

import (
	"os"

	"github.com/tributary-go/tributary/httpapi/app"
)

func main() { os.Exit(app.Main(new(app.Memory))) }
