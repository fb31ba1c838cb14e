package pgstore_test

import (
	"context"
	"log"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://localhost/shop")
	if err != nil {
		log.Fatal(err)
	}
	store, err := pgstore.New(pool, pgstore.Config{Group: 64})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	program, err := affiliate.New(store, affiliate.Config{ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")})
	if err != nil {
		log.Fatal(err)
	}
	if err := program.Ping(ctx); err != nil { // the tables exist and can be read
		log.Fatal(err)
	}
	_, err = program.RecordSale(ctx, affiliate.NewSale{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("49.90")})
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleIn() {
	checkout := func(ctx context.Context, pool *pgxpool.Pool, program *affiliate.Program, order string) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", order); err != nil {
				return err
			}
			_, err := program.With(pgstore.In(tx)).RecordSale(ctx, affiliate.NewSale{
				PromoCode: "ADA20", ExternalID: order, TotalEarned: affiliate.MustAmount("49.90"),
			})
			return err
		})
	}
	_ = checkout
}

// A receiver stores each sale once.
func ExampleStore_Dedup() {
	store, verifier := (*pgstore.Store)(nil), (*webhooks.Verifier)(nil) // yours
	mirror := func() *webhooks.Receiver {
		receiver := &webhooks.Receiver{Verifier: verifier, Dedup: store.Dedup()}
		receiver.SaleCreated = func(ctx context.Context, event webhooks.Event, sale affiliate.Sale) error {
			tx, _ := pgstore.Tx(ctx)
			_, err := tx.Exec(ctx, "INSERT INTO mirror (id, total) VALUES ($1, $2)", sale.ID, sale.TotalEarned.String())
			return err
		}
		return receiver
	}
	_ = mirror
}
