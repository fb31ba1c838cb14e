package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/sqlitestore"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "program.db")

	ctx := context.Background()
	store, program, err := openProgram(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	ada, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	recorded, err := program.RecordSale(ctx, affiliate.SaleParams{ReferralID: ada.ID.String(), TotalEarned: affiliate.MustAmount("49.90"), Email: "kim@example.net", Name: "Kim"})
	if err != nil {
		log.Fatal(err)
	}
	sale, _ := recorded.Sale.Get()
	fmt.Println(recorded.Outcome, sale.CommissionEarned)
	// Output: recorded 9.98
}

// openProgram returns a program in a file, and makes it where there is none.
func openProgram(ctx context.Context, path string) (*sqlitestore.Store, *tributary.Program, error) {
	store, err := sqlitestore.Open(ctx, path, sqlitestore.Config{})
	if err != nil {
		return nil, nil, err
	}
	program, err := tributary.New(store, tributary.Config{
		ID:    uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"),
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
	})
	return store, program, err // store.Close() when the process ends
}

// payOrder marks an order as paid and records its sale, both or neither. What is refused costs
// no paid order: a code that works no more is left out, and of any other refusal a line says it.
// The connection has a BusyTimeout.
func payOrder(ctx context.Context, conn *sqlite3.Conn, program *tributary.Program, sale affiliate.SaleParams) (err error) {
	tx, err := conn.BeginImmediate()
	if err != nil {
		return err
	}
	defer tx.End(&err)
	stmt, _, err := conn.Prepare("UPDATE orders SET paid = 1 WHERE id = ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	if err := errors.Join(stmt.BindText(1, sale.ExternalID), stmt.Exec()); err != nil {
		return err
	}
	inside := program.With(sqlitestore.In(conn))
	_, err = inside.RecordSale(ctx, sale)
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
}
