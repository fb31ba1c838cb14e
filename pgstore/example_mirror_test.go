package pgstore_test

import (
	"context"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

// mirror keeps a copy of all sales: each event counts once, and the newest stays, in
// whatever order they come. Programs number their sales alike, so the key has both.
//
//	CREATE TABLE mirror (program text, id bigint, revision bigint NOT NULL, total numeric, gone boolean NOT NULL,
//		PRIMARY KEY (program, id))
func mirror(store *pgstore.Store, verifier *webhooks.Verifier) *webhooks.Receiver {
	keep := func(ctx context.Context, e webhooks.Event, id affiliate.SaleID, total *string) error {
		tx, ok := pgstore.Tx(ctx)
		if !ok {
			return errors.New("the receiver has another Dedup")
		}
		if e.Test {
			return nil // no such sale
		}
		_, err := tx.Exec(ctx, `INSERT INTO mirror VALUES ($1, $2, $3, $4, $5) ON CONFLICT (program, id) DO UPDATE
			SET revision = excluded.revision, total = excluded.total, gone = excluded.gone
			WHERE mirror.revision < excluded.revision`, e.ProgramID, id, e.Revision, total, total == nil)
		return err
	}
	changed := func(ctx context.Context, e webhooks.Event, sale affiliate.Sale) error {
		return keep(ctx, e, sale.ID, new(sale.TotalEarned.String()))
	}
	return &webhooks.Receiver{
		Verifier: verifier, Dedup: store.Dedup(),
		SaleCreated: changed, SaleUpdated: changed,
		SaleDeleted: func(ctx context.Context, e webhooks.Event, id affiliate.SaleID) error {
			return keep(ctx, e, id, nil) // the row stays: an older event may still come
		},
	}
}

// A receiver that stores each sale once, and its newest state.
func ExampleStore_Dedup() {
	store, verifier := (*pgstore.Store)(nil), (*webhooks.Verifier)(nil) // yours
	receiver := func() *webhooks.Receiver { return mirror(store, verifier) }
	_ = receiver
}
