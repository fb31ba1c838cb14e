// Tributary is the command line of an affiliate program: it calls the HTTP API.
//
//	export TRIBUTARY_URL=https://partners.example TRIBUTARY_KEY_FILE=~/.tributary-key
//	tributary affiliates list
//	tributary sales list --json --all
//	tributary help
//
// TRIBUTARY_URL is what stands before /api/v1. The key is in TRIBUTARY_KEY, or
// in the file that TRIBUTARY_KEY_FILE names; it is never an argument, because
// other users of a machine see arguments.
//
// Exit codes: 0 done; 1 refused by the server; 2 wrong usage; 3 the server was
// not reached or failed, and the outcome of a write is unknown; 4 the books do
// not hold, or a program is not what its file says; 130 interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}
