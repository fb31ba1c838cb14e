// Server runs everything in one command on one file, which lasts: the HTTP API, the
// tracking endpoints, the delivery of webhooks, the console, and the pages for
// affiliates:
//
//	go run ./examples/server -file program.db                    # on 127.0.0.1:8080, with a key of its own
//	TRIBUTARY_KEY=… go run ./examples/server -file program.db    # with your key, of 20 characters or more
//	go run ./examples/server -file program.db -demo              # with a coffee shop's orders of the last year
//	go run ./examples/server -h                                  # every flag
//
// It makes the file when there is none. It prints "listening on http://ADDR" when it is
// ready. At an interrupt it answers the requests under way and ends. A second interrupt
// ends it at once; nothing that was answered is lost then either.
//
// The variables TRIBUTARY_SEAL_KEY and TRIBUTARY_ERASURE_KEY seal the secrets of
// webhooks in the file and the digests of erased emails: set them before the file holds
// data of real people, and keep them elsewhere than its copies.
//
// The module server is this with a choice of PostgreSQL, an import, a move, and copies.
//
// Package httpapi/app of the root module is all of it but the store.
package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/mail"
	"github.com/tributary-go/tributary/sqlitestore"
)

func main() { os.Exit(app.Main(&file{path: os.Getenv("TRIBUTARY_FILE")})) }

// A file is the storage of a server in one file.
type file struct {
	path   string
	normal bool
	store  *sqlitestore.Store
}

// Flags adds the flags of the file.
func (f *file) Flags(flags *flag.FlagSet) {
	flags.StringVar(&f.path, "file", f.path,
		"`path` of the file, which is made when there is none (default: the variable TRIBUTARY_FILE)")
	flags.BoolVar(&f.normal, "normal", false,
		"do not wait for the disk at every commit: faster, and the last sales may be gone after a loss of power")
}

var errNoFile = errors.New("no file: name one with -file program.db")

// Lasts is true.
func (f *file) Lasts() bool { return true }

// Gone returns nil: nothing moves programs out of the file.
func (f *file) Gone(context.Context) error { return nil }

// Open opens the file.
func (f *file) Open(ctx context.Context) (store record.Store, said string, err error) {
	if f.path == "" {
		return nil, "", errNoFile
	}
	cfg := sqlitestore.Config{}
	if f.normal {
		cfg.Sync = sqlitestore.Normal
	}
	if f.store, err = sqlitestore.Open(ctx, f.path, cfg); err != nil {
		return nil, "", err
	}
	return f.store, "everything is in " + f.path, nil
}

// Endpoints returns none.
func (f *file) Endpoints(app.Host) ([]app.Endpoint, console.Providers, error) {
	return nil, nil, nil
}

// Mailer returns none.
func (f *file) Mailer() (mail.Mailer, string, error) { return nil, "", nil }

// IdentityProvider returns none.
func (f *file) IdentityProvider() (app.IdentityProvider, error) { return nil, nil }

// Close closes the file.
func (f *file) Close() error { return f.store.Close() }
