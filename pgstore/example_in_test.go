package pgstore_test

import (
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// payOrder marks an order as paid and records its sale, both or neither. What is refused costs
// no paid order: a code that works no more is left out, and of any other refusal a line says it.
func payOrder(ctx context.Context, pool *pgxpool.Pool, store *pgstore.Store, program *tributary.Program, sale affiliate.SaleParams) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", sale.ExternalID); err != nil {
			return err
		}
		inside := program.With(store.In(tx))
		_, err := inside.RecordSale(ctx, sale)
		if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.CodeRefused() {
			// without all that names the code: who brought the customer before is credited
			sale.PromoCode, sale.HoldID, sale.Offer, sale.Once = "", "", false, affiliate.Once{}
			_, err = inside.RecordSale(ctx, sale)
		}
		if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Kind != affiliate.KindInternal {
			slog.WarnContext(ctx, "a paid order has no sale", "order", sale.ExternalID, "reason", refused.Reason, "field", refused.Field)
			return nil // it is paid all the same, such as a guest's: somebody looks at the line
		}
		return err
	})
}

func ExampleStore_In() {
	pay := func(ctx context.Context, pool *pgxpool.Pool, store *pgstore.Store, program *tributary.Program) error {
		return payOrder(ctx, pool, store, program, affiliate.SaleParams{
			PromoCode: "ADA20", ExternalID: "order-1042", Email: "tomas@example.net", Name: "Tomas Berg",
			TotalEarned: affiliate.MustAmount("49.90"),
		})
	}
	_ = pay
}

// markPaid marks an order as paid and records its sale, in one transaction. A sale that is refused is logged.
func markPaid(ctx context.Context, pool *pgxpool.Pool, program *tributary.Program, sale affiliate.SaleParams) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", sale.ExternalID); err != nil {
			return err
		}
		_, err := program.With(pgstore.In(tx)).RecordSale(ctx, sale)
		if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Kind != affiliate.KindInternal {
			slog.WarnContext(ctx, "a paid order has no sale", "order", sale.ExternalID, "reason", refused.Reason)
			return nil // paid all the same; docs/postgresql.md records it once more, without the code
		}
		return err
	})
}

func ExampleIn() {
	pay := func(ctx context.Context, pool *pgxpool.Pool, program *tributary.Program) error {
		return markPaid(ctx, pool, program, affiliate.SaleParams{
			PromoCode: "ADA20", ExternalID: "order-1042", Email: "tomas@example.net", Name: "Tomas Berg",
			TotalEarned: affiliate.MustAmount("49.90"),
		})
	}
	_ = pay
}
