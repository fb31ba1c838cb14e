// Server is a whole program in one process, in one file or on PostgreSQL: the HTTP API,
// the tracking endpoints, the delivery of webhooks, the console, and the pages for
// affiliates:
//
//	server                                       # in the file program.db, on 127.0.0.1:8080; a link begins the program
//	TRIBUTARY_KEY=… server -file shop.db         # in another file, with your key, of 20 characters or more
//	TRIBUTARY_STORE=postgres://… server          # in a PostgreSQL database
//	server import -from rewardful ./export       # brings a program over from another service: a dry run
//	server move program.db postgres://…          # copies the program from one place to another
//	server backup -to /backups -keep 14          # copies the file, also beside a server that runs
//	server restore /backups/program-….db shop.db # makes a file of a copy, after a look at its books
//	server verify                                # checks the books
//	server key -make shop                        # makes a key of the API, and prints it once
//	server doctor -backups /backups              # says what is missing for production
//	server mail you@shop.example                 # sends a mail, to see that the mail server takes it
//	server mail -preview all                     # shows each mail, with the texts of TRIBUTARY_MAILS
//	server unsent                                # lists the mails that it has not taken
//	server -h                                    # every flag; so does import -h, and each command
//
// It makes the file, or the tables in the schema that -schema names, when there are none.
// It prints "listening on http://ADDR" when it is ready. At an interrupt or SIGTERM it
// answers the requests under way and ends. A second one ends it at once; nothing that was
// answered is lost then either.
//
// -file and -store, or the variables TRIBUTARY_FILE and TRIBUTARY_STORE, name the place. A
// flag counts before a variable. Both of one kind, and an empty one, are refused, so that
// a program never begins anew because a name got lost.
//
// The variables TRIBUTARY_SEAL_KEY and TRIBUTARY_ERASURE_KEY seal the secrets of webhooks
// in the store and the digests of erased emails: set them before the store holds data of
// real people, and keep them elsewhere than its copies.
//
// A variable for each payment provider, such as TRIBUTARY_STRIPE_SECRET, has the secret with which
// it signs its events: docs/payments-server.md.
//
// TRIBUTARY_SMTP_URL names the mail server and TRIBUTARY_MAIL_FROM the sender of mails:
// docs/mail.md. TRIBUTARY_OIDC_ISSUER, TRIBUTARY_OIDC_CLIENT_ID and TRIBUTARY_OIDC_CLIENT_SECRET name
// where people sign in to the console by OpenID Connect.
//
// No connection string is printed, because it may have a password.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/mail"
	"github.com/tributary-go/tributary/sqlitestore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one ends the process
	os.Exit(run(ctx, os.Args[1:], environmentOf(os.Environ()), os.Stdout, os.Stderr))
}

// An environment has the variables of the process.
type environment map[string]string

func environmentOf(pairs []string) environment {
	env := environment{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

func (e environment) get(name string) string { return e[name] }

// run runs the command that the first argument names, or the server, until ctx ends, and
// returns the exit code.
func run(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	for _, c := range commands() {
		if len(args) > 0 && args[0] == c.name {
			return c.run(ctx, args[1:], env, stdout, stderr)
		}
	}
	return app.Run(ctx, &storage{choice: choice{env: env}}, args, env.get, stdout, stderr)
}

// A storage is the place of the server's program.
type storage struct {
	choice
	store *openStore
	stop  func() // ends tidy
}

// Flags adds the flags of the place, and that of commits.
func (s *storage) Flags(flags *flag.FlagSet) {
	s.choice.Flags(flags)
	flags.Usage = func() { usage(flags) }
	flags.BoolVar(&s.normal, "normal", false,
		"with a file: do not wait for the disk at every commit; faster, and the last sales may be gone after a loss of power")
}

// Lasts is true.
func (s *storage) Lasts() bool { return true }

// Open opens the store, and makes it when there is none.
func (s *storage) Open(ctx context.Context) (record.Store, string, error) {
	at, err := s.place()
	if err == nil {
		err = s.env.checkPayments()
	}
	if err == nil {
		_, err = s.env.mailer()
	}
	if err == nil {
		_, err = s.env.identityProvider()
	}
	if err != nil {
		return nil, "", err
	}
	if s.store, err = at.open(ctx); err != nil {
		return nil, "", err
	}
	if err := s.store.usable(ctx, uuid.MustParse(app.ProgramID)); err != nil {
		return nil, "", errors.Join(fmt.Errorf("%s: %w", at, err), s.store.Close())
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	if file := s.store.file; file != nil {
		go tidy(ctx, file)
	}
	return s.store, "everything is in " + at.String(), nil
}

// tidy empties the log of a file every minute, so that what was erased is gone from it.
func tidy(ctx context.Context, file *sqlitestore.Store) {
	for {
		select {
		case <-time.After(time.Minute):
			_ = file.Checkpoint(ctx) // somebody reads: in a minute, then; a disk that fails is told by the next write
		case <-ctx.Done():
			return
		}
	}
}

// Gone returns errMoved when the program was moved away.
func (s *storage) Gone(ctx context.Context) error {
	if err := s.store.usable(ctx, uuid.MustParse(app.ProgramID)); errors.Is(err, errMoved) {
		return errMoved // clients do not hear of the place
	}
	return nil
}

// Endpoints returns those of the payment providers, and what the console knows of them.
func (s *storage) Endpoints(host app.Host) ([]app.Endpoint, console.Providers, error) {
	cs, err := s.env.connections(host)
	return cs.endpoints(), cs, err
}

// Mailer returns the one that variables switch on.
func (s *storage) Mailer() (mail.Mailer, string, error) {
	m, err := s.env.mailer()
	if m == nil {
		return nil, withoutSMTP, err
	}
	return m, m.said, nil
}

// IdentityProvider returns the one that variables name.
func (s *storage) IdentityProvider() (app.IdentityProvider, error) {
	p, err := s.env.identityProvider()
	if p == nil {
		return nil, err
	}
	return p, nil
}

// Close closes the store.
func (s *storage) Close() error {
	s.stop()
	return s.store.Close()
}
