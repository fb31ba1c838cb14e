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
	_, program, err := openProgram(ctx, "postgres://localhost/shop", tributary.Config{ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")})
	if err != nil {
		log.Fatal(err)
	}
	_, err = program.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("49.90")})
	if err != nil {
		log.Fatal(err)
	}
}

// openProgram returns a program in the tables of a database, and makes them where there are none.
func openProgram(ctx context.Context, url string, cfg tributary.Config) (*pgstore.Store, *tributary.Program, error) {
	pool, err := pgxpool.New(ctx, url) // postgres://localhost/shop
	if err != nil {
		return nil, nil, err
	}
	store, err := pgstore.New(pool, pgstore.Config{Group: 64})
	if err != nil {
		return nil, nil, err
	}
	if err := store.Migrate(ctx); err != nil {
		return nil, nil, err
	}
	program, err := tributary.New(store, cfg)
	if err != nil {
		return nil, nil, err
	}
	return store, program, program.Ping(ctx) // the tables exist and can be read
}
