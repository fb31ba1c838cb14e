package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

const want = `preview: valid true, 16 off 80
order-3 without its code: Order does not reach the minimum amount for this promo code
order-4 without a sale: Either Referral ID, email, or Promo Code is required
orders: 3
sale: order-3 of 20, 3 for Ada
sale: order-1 of 64, 9.6 for Ada
the books hold
`

// database returns the connection string of a database: the named one, or one
// of the test's own server.
func database(t *testing.T) string {
	t.Helper()
	if dsn := os.Getenv("TRIBUTARY_TEST_DATABASE_URL"); dsn != "" {
		return dsn
	}
	server, err := pgtest.Start(t.Context(), false)
	if pgtest.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	return server.URL()
}

// TestRun runs the example twice and compares what it prints: the first run leaves
// nothing behind.
func TestRun(t *testing.T) {
	dsn := database(t)
	for range 2 {
		var out strings.Builder
		if err := run(t.Context(), dsn, &out); err != nil || out.String() != want {
			t.Errorf("error %v, output:\n%s\nwant:\n%s", err, out.String(), want)
		}
	}
}

// TestSchemaOfSomebody: a schema that was there before is refused and kept.
func TestSchemaOfSomebody(t *testing.T) {
	ctx, dsn := t.Context(), database(t)
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, mine := range []string{"checkout", "checkout_tributary"} {
		if _, err := conn.Exec(ctx, "CREATE SCHEMA "+mine+"; CREATE TABLE "+mine+".kept (); "); err != nil {
			t.Fatal(err)
		}
		if err := run(ctx, dsn, io.Discard); err == nil || !strings.Contains(err.Error(), `schema "`+mine+`" already exists`) {
			t.Errorf("%s: %v", mine, err)
		}
		if _, err := conn.Exec(ctx, "DROP TABLE "+mine+".kept; DROP SCHEMA "+mine); err != nil {
			t.Errorf("%s is not as it was: %v", mine, err)
		}
	}
}

// TestNoDatabase: a database that does not answer, and one that refuses the password, are errors.
func TestNoDatabase(t *testing.T) {
	for _, dsn := range []string{"postgres://nobody:secret-word@127.0.0.1:1/none", "no connection string"} {
		if err := run(t.Context(), dsn, io.Discard); err == nil || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}

// TestCheckoutAgain: an order whose answer was lost is stored once, and one that meets a
// database that is down is stored when it is tried again.
func TestCheckoutAgain(t *testing.T) {
	ctx := t.Context()
	server, err := pgtest.Start(ctx, true)
	if pgtest.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Stop() }()
	pool, err := pgxpool.New(ctx, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store, err := pgstore.New(pool, pgstore.Config{Schema: "checkout_tributary"})
	if err != nil {
		t.Fatal(err)
	}
	program, err := tributary.New(store, tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("15")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(makeShop(ctx, pool), store.Migrate(ctx)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := shop{pool: pool, store: store, program: program, out: &out}
	if err := s.day(ctx); err != nil {
		t.Fatal(err)
	}
	again := order{id: "order-1", code: "ADA20", basket: affiliate.MustAmount("80"), total: affiliate.MustAmount("64")}
	late := again
	late.id = "order-4"
	if refused, err := s.checkout(ctx, again); refused != "" || err != nil {
		t.Errorf("again: %q, %v", refused, err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.checkout(ctx, late); err == nil {
		t.Error("an order was stored without a database")
	}
	if err := server.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = s.checkout(ctx, late)
	for tries := 0; err != nil && tries < 10; tries++ { // connections of before are broken
		_, err = s.checkout(ctx, late)
	}
	if err != nil {
		t.Errorf("with the database again: %v", err)
	}
	out.Reset()
	if err := s.report(ctx); err != nil || !strings.HasPrefix(out.String(), "orders: 3\nsale: order-4 of 64,") || strings.Count(out.String(), "sale:") != 3 {
		t.Errorf("error %v, stored:\n%s", err, out.String())
	}
}
