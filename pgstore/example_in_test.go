package pgstore_test

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// payOrder marks an order as paid and records its sale, both or neither. A code that is
// refused by now costs no paid order: the sale is recorded without it.
func payOrder(ctx context.Context, pool *pgxpool.Pool, store *pgstore.Store, program *tributary.Program, sale affiliate.NewSale) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", sale.ExternalID); err != nil {
			return err
		}
		inside := program.With(store.In(tx))
		_, err := inside.RecordSale(ctx, sale)
		if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.CodeRefused() {
			sale.PromoCode = "" // Email is set: it credits who brought the customer before
			_, err = inside.RecordSale(ctx, sale)
		}
		return err
	})
}

func ExampleStore_In() {
	pay := func(ctx context.Context, pool *pgxpool.Pool, store *pgstore.Store, program *tributary.Program) error {
		return payOrder(ctx, pool, store, program, affiliate.NewSale{
			PromoCode: "ADA20", ExternalID: "order-1042", Email: "tomas@example.net", Name: "Tomas Berg",
			TotalEarned: affiliate.MustAmount("49.90"),
		})
	}
	_ = pay
}
