// Chi is a shop in one program, with chi and PostgreSQL: an order and its commission are in one
// database, and are committed in one transaction. docs/guide-chi.md is about it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

// tables are those of the shop; amounts are cents. The engine keeps its own in a schema beside them.
const tables = `
CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text NOT NULL, name text NOT NULL,
	click text NOT NULL, total bigint NOT NULL, paid boolean NOT NULL DEFAULT false);
CREATE TABLE IF NOT EXISTS refunds (id text PRIMARY KEY, order_id uuid NOT NULL REFERENCES orders, amount bigint NOT NULL)`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	site, err := open(ctx, pool, os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening on http://", listener.Addr())
	if err := serve.Until(ctx, serve.New(site, slog.Default()), listener); err != nil {
		log.Fatal(err)
	}
}

// A shop sells one thing.
type shop struct {
	pool     *pgxpool.Pool
	store    *pgstore.Store
	program  *tributary.Program
	payments *webhooks.Verifier // of the provider's messages, which follow Standard Webhooks
}

// open makes the tables that are missing, and returns the pages of the shop.
func open(ctx context.Context, pool *pgxpool.Pool, getenv func(string) string) (http.Handler, error) {
	secret, err := webhooks.ParseSecret(getenv("PAYMENTS_SECRET"))
	if err != nil {
		return nil, err
	}
	store, err := pgstore.New(pool, pgstore.Config{})
	if err != nil {
		return nil, err
	}
	_, err = pool.Exec(ctx, tables)
	if err := errors.Join(err, store.Migrate(ctx)); err != nil {
		return nil, err
	}
	program, err := tributary.New(store, tributary.Config{
		ID:           uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), // yours, for good
		Destinations: []affiliate.Destination{{URL: getenv("SITE_URL")}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("15")},
		Review:       []affiliate.ReviewRule{affiliate.SelfReferral()},
	})
	if err != nil {
		return nil, err
	}
	api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{getenv("TRIBUTARY_KEY")}})
	if err != nil {
		return nil, err
	}
	s := &shop{pool, store, program, &webhooks.Verifier{Secrets: []affiliate.Secret{secret}}}
	r := chi.NewRouter()
	r.Mount("/api/v1", api)
	r.Post("/webhooks/payments", s.payment)
	r.Group(func(r chi.Router) {
		r.Use(func(next http.Handler) http.Handler { return httpapi.Attribution(program, next) }) // counts visits by links
		r.Get("/", page)
		r.Post("/orders", s.order)
	})
	return r, nil
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<form method="post" action="/orders"><input name="email" type="email" required>
		<input name="name" required><button>Buy for 80.00</button></form>`) // fails when nobody reads it
}

// order stores an order that is to be paid, with the click that brought the visitor, and says its id.
func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	var id string
	err := s.pool.QueryRow(r.Context(), "INSERT INTO orders (email, name, click, total) VALUES ($1, $2, $3, 8000) RETURNING id::text",
		r.FormValue("email"), r.FormValue("name"), httpapi.ClickFrom(s.program, r)).Scan(&id)
	if err != nil {
		slog.ErrorContext(r.Context(), "no order", "error", err)
		http.Error(w, "Please try again later", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, id)
}

// A message is what the payment provider says of an order, perhaps more than once.
type message struct {
	Type   string // paid or refunded
	Order  uuid.UUID
	Refund string // its id at the provider
	Amount int64  // of the refund, in cents
}

// payment takes a message of the provider, who sends it again until the answer is 204.
func (s *shop) payment(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	if err == nil {
		_, err = s.payments.Verify(r.Header, body)
	}
	var m message
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "Not signed, or not JSON", http.StatusBadRequest)
		return
	}
	if err := s.book(r.Context(), m); err != nil {
		slog.ErrorContext(r.Context(), "nothing is booked", "order", m.Order, "error", err)
		http.Error(w, "Send it again", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// book changes an order and what it earns in one transaction. A repeat changes nothing.
func (s *shop) book(ctx context.Context, m message) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		program := s.program.With(s.store.In(tx)) // never s.program, which waits for this one
		switch m.Type {
		case "paid":
			return anyway(ctx, m, paid(ctx, tx, program, m))
		case "refunded":
			return anyway(ctx, m, refunded(ctx, tx, program, m))
		}
		return nil
	})
}

// anyway lets an order be paid, or refunded, that the program refuses: somebody looks at the line.
func anyway(ctx context.Context, m message, err error) error {
	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Kind != affiliate.KindInternal {
		slog.WarnContext(ctx, "the program refuses an order", "order", m.Order, "reason", refused.Reason, "field", refused.Field)
		return nil
	}
	return err
}

func paid(ctx context.Context, tx pgx.Tx, program *tributary.Program, m message) error {
	sale, cents := affiliate.SaleParams{ExternalID: m.Order.String()}, int64(0)
	err := tx.QueryRow(ctx, "UPDATE orders SET paid = true WHERE id = $1 RETURNING email, name, click, total", m.Order).
		Scan(&sale.Email, &sale.Name, &sale.ReferralID, &cents)
	if err != nil {
		return err
	}
	if sale.TotalEarned, err = affiliate.AmountFromMinor(cents, "USD"); err != nil {
		return err
	}
	_, err = program.RecordSale(ctx, sale)
	return err
}

func refunded(ctx context.Context, tx pgx.Tx, program *tributary.Program, m message) error {
	var total int64 // of an order that is paid: a refund that comes first is sent again
	err := tx.QueryRow(ctx, "SELECT total FROM orders WHERE id = $1 AND paid FOR UPDATE", m.Order).Scan(&total)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "INSERT INTO refunds VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", m.Refund, m.Order, m.Amount)
	if err != nil {
		return err
	}
	sales, err := program.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set(m.Order.String())}, affiliate.Page{})
	if err != nil || len(sales.Items) == 0 { // nobody brought the customer
		return err
	}
	back, err := affiliate.AmountFromMinor(m.Amount, "USD")
	if err != nil {
		return err
	}
	_, err = program.RefundSale(ctx, affiliate.Refund{SaleID: sales.Items[0].ID, Amount: affiliate.Set(back), RefundID: m.Refund, ClawBack: true})
	return err
}
