package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/pasted"
	"github.com/tributary-go/tributary/pgstore/pgtest"
	"github.com/tributary-go/tributary/webhooks"
)

// A visit is a visitor of the shop.
type visit struct {
	t         *testing.T
	page      []string          // the commands of the guide
	variables map[string]string // that it exports
	site      string            // its address
	pool      *pgxpool.Pool
	browser   http.Client
}

// server is the PostgreSQL server of the tests, unless one is named.
var server struct {
	sync.Once
	*pgtest.Cluster
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if server.Cluster != nil {
		_ = server.Stop()
	}
	os.Exit(code)
}

// database returns a pool of a new database: of the named server, or of the tests' own.
func database(t *testing.T) *pgxpool.Pool {
	t.Helper()
	dsn := os.Getenv("TRIBUTARY_TEST_DATABASE_URL")
	if dsn == "" {
		server.Do(func() { server.Cluster, server.err = pgtest.Start(context.Background(), false) })
		if pgtest.Missing(server.err, os.Getenv("CI")) {
			t.Skip("SKIPPED: ", server.err)
		}
		if server.err != nil {
			t.Fatal(server.err)
		}
		dsn = server.URL()
	}
	admin, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	name := fmt.Sprintf("guide_%d_%d", os.Getpid(), time.Now().UnixNano())
	_, err = admin.Exec(t.Context(), "CREATE DATABASE "+name)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42501" {
		t.Skip("SKIPPED: the user of TRIBUTARY_TEST_DATABASE_URL may make no database")
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg := admin.Config()
	cfg.ConnConfig.Database = name
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pool.Close()
		if _, err := admin.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+name); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// begin starts the shop as the guide does, and runs what it runs: one order of 80.00, which Ada
// brought, and of which half is refunded.
func begin(t *testing.T) *visit {
	v := &visit{t: t, page: pasted.Commands(t, "../../../docs/guide-chi.md"), pool: database(t)}
	v.variables = pasted.Exports(t, v.page[0])
	shop := func() string {
		handler, err := open(t.Context(), v.pool, func(name string) string { return v.variables[name] })
		if err != nil {
			t.Fatal(err)
		}
		site := httptest.NewServer(handler)
		t.Cleanup(site.Close)
		return site.URL
	}
	shop()
	v.site = shop() // the tables are there when it starts again
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.browser = http.Client{Jar: jar}
	said := pasted.Shell(t, strings.ReplaceAll(v.page[1]+v.page[2], "http://127.0.0.1:8080", v.site), v.variables)
	for _, shown := range []string{`"commissionEarned":12`, `"commissionEarned":6`} {
		if !strings.Contains(said, shown) {
			t.Errorf("the commands do not show %s: %s", shown, said)
		}
	}
	return v
}

// order orders, after a visit, as somebody with a name, or without.
func (v *visit) order(link, name string) string {
	v.t.Helper()
	if answer, err := v.browser.Get(v.site + link); err != nil {
		v.t.Fatal(err)
	} else {
		answer.Body.Close()
	}
	answer, err := v.browser.PostForm(v.site+"/orders", url.Values{"email": {"grace@example.net"}, "name": {name}})
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	id, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusCreated {
		v.t.Fatal(answer.Status, string(id), err)
	}
	return string(id)
}

// say sends a message of the payment provider, and requires the answer.
func (v *visit) say(want int, secret string, message string, values ...any) {
	v.t.Helper()
	body := fmt.Sprintf(message, values...)
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.site+"/webhooks/payments", strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if r.Header, err = webhooks.Sign([]affiliate.Secret{affiliate.Secret(secret)}, "msg_2", time.Now(), []byte(body)); err != nil {
		v.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != want {
		v.t.Errorf("%s: %d, want %d", body, answer.StatusCode, want)
	}
}

// earned compares the commissions of all sales, the newest first, and the paid orders.
func (v *visit) earned(want string, paid int) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.site+"/api/v1/sales", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.variables["TRIBUTARY_KEY"])
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	var sales []struct{ CommissionEarned json.Number }
	if err := json.NewDecoder(answer.Body).Decode(&sales); err != nil {
		v.t.Fatal(err)
	}
	var got []string
	for _, sale := range sales {
		got = append(got, sale.CommissionEarned.String())
	}
	orders := 0
	if err := v.pool.QueryRow(v.t.Context(), "SELECT count(*) FROM orders WHERE paid").Scan(&orders); err != nil {
		v.t.Fatal(err)
	}
	if strings.Join(got, " ") != want || orders != paid {
		v.t.Errorf("earned %v of %d paid orders, want %s of %d", got, orders, want, paid)
	}
}

// TestGuide: an order earns when it is paid, once, and loses what is refunded, once. What the provider
// did not sign, and a refund before its payment, change nothing.
func TestGuide(t *testing.T) {
	v := begin(t)
	secret, order := v.variables["PAYMENTS_SECRET"], v.order("/?ref=ada", "Grace")
	v.say(http.StatusBadRequest, "whsec_"+strings.Repeat("A", 32), `{"type": "paid", "order": %q}`, order)
	v.say(http.StatusServiceUnavailable, secret, `{"type": "refunded", "order": %q, "refund": "re_2", "amount": 2000}`, order)
	v.earned("6", 1)
	for range 2 {
		v.say(http.StatusNoContent, secret, `{"type": "paid", "order": %q}`, order)
	}
	v.earned("12 6", 2)
	for range 2 {
		v.say(http.StatusNoContent, secret, `{"type": "refunded", "order": %q, "refund": "re_2", "amount": 2000}`, order)
	}
	v.earned("9 6", 2)
	v.say(http.StatusNoContent, secret, `{"type": "refunded", "order": %q, "refund": "re_3", "amount": 6000}`, order)
	v.earned("0 6", 2)
}

// TestTogether: an order that cannot be committed after its sale was recorded has no sale, and both are
// there when the provider says it again.
func TestTogether(t *testing.T) {
	v := begin(t)
	secret, order := v.variables["PAYMENTS_SECRET"], v.order("/?ref=ada", "Grace")
	v.exec(`CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`)
	v.exec(`CREATE CONSTRAINT TRIGGER no AFTER UPDATE ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION no()`)
	v.say(http.StatusServiceUnavailable, secret, `{"type": "paid", "order": %q}`, order)
	v.earned("6", 1)
	v.exec(`DROP TRIGGER no ON orders`)
	v.say(http.StatusNoContent, secret, `{"type": "paid", "order": %q}`, order)
	v.earned("12 6", 2)
}

func (v *visit) exec(sql string) {
	v.t.Helper()
	if _, err := v.pool.Exec(v.t.Context(), sql); err != nil {
		v.t.Fatal(err)
	}
}

// TestRefused: an order whose sale the program refuses, because a new customer needs a name, is paid.
func TestRefused(t *testing.T) {
	v := begin(t)
	v.say(http.StatusNoContent, v.variables["PAYMENTS_SECRET"], `{"type": "paid", "order": %q}`, v.order("/?ref=ada", ""))
	v.earned("6", 2)
}

// TestNobody: an order whose customer nobody brought is paid and refunded without a sale.
func TestNobody(t *testing.T) {
	v := begin(t)
	secret, order := v.variables["PAYMENTS_SECRET"], v.order("/", "Grace")
	v.say(http.StatusNoContent, secret, `{"type": "paid", "order": %q}`, order)
	v.say(http.StatusNoContent, secret, `{"type": "refunded", "order": %q, "refund": "re_2", "amount": 2000}`, order)
	v.earned("6", 2)
}

// TestModule: the commands of the guide take the program into a module.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads and links a module")
	}
	page := pasted.Commands(t, "../../../docs/guide-chi.md")
	pasted.Module(t, page[3], "../../..", "github.com/go-chi/chi/v5")
}
