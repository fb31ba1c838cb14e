// Invite is a small service with a login, a page for billing and one to invite a friend. Both
// sides are rewarded in credit, which the next invoice takes.
//
//	go run ./examples/invite                          # starts a PostgreSQL server and removes it afterwards
//	go run ./examples/invite -dsn postgres://…/acme   # uses a database of yours
//	go run ./examples/invite -serve 8080              # serves the pages on http://127.0.0.1:8080
//
// The program decides what is earned: the inviter 5 for the first payment of a friend, at most five
// times a month and twenty in all, and the friend a bonus of 4. What it books and what the host
// stores is one transaction. Without -serve it tells a story, the same each time, and ends.
//
// Nobody is asked for a password, so the pages are for this machine alone: put a sign-in of yours
// before signIn. It makes the schemas invite and invite_tributary, and drops them at the end. If
// there is one of them already, it touches neither.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

func main() {
	dsn := flag.String("dsn", "", "connection string; empty: start a server")
	port := flag.Int("serve", 0, "serve the pages on this `port` until interrupted; 0: tell a story")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	if err := run(ctx, *dsn, *port, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "invite:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dsn string, port int, out io.Writer) (err error) {
	if dsn == "" {
		server, err := pgtest.Start(ctx, true)
		if err != nil {
			return err
		}
		defer func() { _ = server.Stop() }()
		dsn = server.URL()
	}
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	s, err := newService(pool, fmt.Sprintf("http://127.0.0.1:%d/", cmp.Or(port, 8080)), time.Now)
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, tables); err != nil {
		return err
	}
	defer func() { // also when the work was interrupted
		_, dropped := pool.Exec(context.WithoutCancel(ctx), "DROP SCHEMA invite, invite_tributary CASCADE")
		err = errors.Join(err, dropped)
	}()
	if err := s.store.Migrate(ctx); err != nil {
		return err
	}
	if port != 0 {
		return s.serve(ctx, port, out)
	}
	return s.story(ctx, out)
}

// serve answers requests, and gives bonuses, until ctx ends.
func (s *service) serve(ctx context.Context, port int, out io.Writer) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.handler(), ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	ctx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer stop()
	work.Go(func() {
		for ctx.Err() == nil {
			if _, err := s.program.Run(ctx, affiliate.GrantBonusesJob{}); err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "bonuses wait for the next run", "err", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute): // for who is watching: once a day is enough
			}
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = server.Shutdown(last) // what is under way has ten seconds
	})
	fmt.Fprintf(out, "serving on http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// story is a month of Ada and her friends. It prints what she has after each step.
func (s *service) story(ctx context.Context, out io.Writer) error {
	ada, _, err := s.signIn(ctx, user{Email: "ada@example.com", First: "Ada", Last: "Lovelace"}, "")
	if err != nil {
		return err
	}
	tell := func(what string) error {
		has, err := s.credit(ctx, ada)
		inv, err2 := s.inviter(ctx, ada)
		fmt.Fprintf(out, "%s: Ada has %s, %d of %d rewards\n", what, has.Format("USD"), inv.ThisMonth, perMonth)
		return errors.Join(err, err2)
	}
	friends := map[string]string{} // their ids
	join := func(name string) error {
		u := user{Email: strings.ToLower(name) + "@example.net", First: name, Last: "Lee"}
		id, _, err := s.signIn(ctx, u, "ada")
		friends[name] = id
		return errors.Join(err, s.bill(ctx, id, 1), s.pay(ctx, id, 1), tell(name+" pays 20"))
	}
	for _, name := range []string{"Ben", "Cleo", "Dan", "Eve", "Finn", "Gus"} {
		if err := join(name); err != nil {
			return err
		}
	}
	err = errors.Join(s.refund(ctx, friends["Ben"], 1), tell("Ben has it back"), join("Hal"))
	if err != nil {
		return err
	}
	_, err = s.program.Run(ctx, affiliate.GrantBonusesJob{})
	ben, err2 := s.credit(ctx, friends["Ben"])
	cleo, err3 := s.credit(ctx, friends["Cleo"])
	fmt.Fprintf(out, "welcome: Ben has %s, Cleo has %s\n", ben.Format("USD"), cleo.Format("USD"))
	err = errors.Join(err, err2, err3, s.bill(ctx, ada, 1), tell("an invoice of 20 takes credit"),
		s.refund(ctx, friends["Cleo"], 1), tell("Cleo has it back"), s.program.Verify(ctx))
	if err == nil {
		fmt.Fprintln(out, "the books hold")
	}
	return err
}
