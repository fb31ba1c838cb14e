package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// errChanged is why a host rolls back after the sale.
var errChanged = errors.New("the host changed its mind")

// hostOne stores an order and its sale in one transaction of the host, and rolls
// back one of four.
func hostOne(ctx context.Context, store *pgstore.Store, pool *pgxpool.Pool, p *tributary.Program) {
	id := uuid.NewString()
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		table := pgx.Identifier{os.Getenv("TRIBUTARY_WORKER_SCHEMA"), "orders"}.Sanitize()
		if _, err := tx.Exec(ctx, "INSERT INTO "+table+" (id) VALUES ($1)", id); err != nil {
			return err
		}
		if _, err := p.With(store.In(tx)).RecordSale(ctx, affiliate.SaleParams{PromoCode: "HOT20", ExternalID: id, TotalEarned: affiliate.MustAmount("10")}); err != nil {
			return err
		}
		if rand.IntN(4) == 0 {
			fmt.Println("undone", id)
			return errChanged
		}
		return nil
	})
	if err == nil {
		fmt.Println("sold", id)
		fmt.Println("ordered", id)
	}
}

// followOn follows the events from a position, and prints each.
func followOn(ctx context.Context, p *tributary.Program) {
	if following == uuid.Nil {
		following, _ = uuid.Parse(os.Getenv("TRIBUTARY_WORKER_POSITION")) // empty: from the first
	}
	for event, err := range p.Follow(ctx, following) {
		if err != nil {
			return // and go on from the position
		}
		fmt.Println("event", event.ID)
		following = event.ID
	}
}

// following is the position of a follower's process.
var following uuid.UUID
