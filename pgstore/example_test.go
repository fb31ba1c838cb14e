package pgstore_test

import (
	"context"
	"log"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
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
	program, err := tributary.New(store, tributary.Config{ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")})
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
