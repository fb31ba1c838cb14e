package sample

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Dump returns everything that a store holds of a program, a line for each
// record.
func Dump(t testing.TB, store record.Store, program uuid.UUID) string {
	t.Helper()
	var b strings.Builder
	err := store.View(t.Context(), program, func(tx *record.Tx) error {
		b.Reset()
		dump(&b, tx.Affiliates)
		dump(&b, tx.Links)
		dump(&b, tx.Clicks)
		dump(&b, tx.Referrals)
		dump(&b, tx.Coupons)
		dump(&b, tx.Codes)
		dump(&b, tx.Redemptions)
		dump(&b, tx.Sales)
		dump(&b, tx.Plans)
		dump(&b, tx.Tiers)
		dump(&b, tx.Payouts)
		dump(&b, tx.Adjustments)
		dump(&b, tx.Movements)
		dump(&b, tx.Runs)
		dump(&b, tx.Lines)
		dump(&b, tx.Totals)
		dump(&b, tx.Receipts)
		dump(&b, tx.Endpoints)
		dump(&b, tx.Events)
		dump(&b, tx.Deliveries)
		dump(&b, tx.Queue)
		dump(&b, tx.Imports)
		dump(&b, tx.Payments)
		dump(&b, tx.PaymentKeys)
		dump(&b, tx.Payers)
		dump(&b, tx.Erasures)
		dump(&b, tx.Aliases)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func dump[T record.Record[T]](b *strings.Builder, table record.Table[T]) {
	for rec, err := range table.List(record.Query{}) {
		fmt.Fprintf(b, "%T %+v %v\n", rec, rec, err)
	}
}
