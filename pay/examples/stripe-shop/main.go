// Stripe-shop is a shop whose affiliate program lives on Stripe's events. Run it
// in the folder of the module pay:
//
//	go run ./examples/stripe-shop                        # plays a payment from click to claw-back
//	go run ./examples/stripe-shop -addr 127.0.0.1:4242   # serves the same handler
//
// The first command needs no network and no keys. It signs events that Stripe once
// sent, with the metadata that the click has brought into the checkout, and gives
// them to the handler: a sale, a refund after the payout, a dispute and its end. It
// prints each answer and what the affiliate has, the same every time, and ends with
// the check of the books.
//
// The second command waits for real events of Stripe's test mode. The Stripe CLI
// sends them to this machine; the secret is the one that it prints:
//
//	stripe listen --forward-to 127.0.0.1:4242/webhooks/stripe
//	STRIPE_WEBHOOK_SECRET=whsec_… go run ./examples/stripe-shop -addr 127.0.0.1:4242
//
// host.go is what a shop of your own has to write.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const secretVariable = "STRIPE_WEBHOOK_SECRET"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// run runs the program and returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("stripe-shop", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "", "`address` to listen on for Stripe's events; with port 0 the system picks one.\n"+
		"The secret of the endpoint is read from "+secretVariable+" (default: play a payment and end)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "stripe-shop: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	var err error
	if *addr == "" {
		err = play(ctx, stdout, stderr)
	} else {
		err = listen(ctx, *addr, getenv(secretVariable), stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "stripe-shop:", err)
		return 1
	}
	return 0
}
