package pgstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// random makes records of affiliates and sales in every state.
func random(r *rand.Rand, i int) (record.Affiliate, record.Sale) {
	statuses := []affiliate.AffiliateStatus{affiliate.AffiliateActive, affiliate.AffiliateInactive, affiliate.AffiliateInvited, affiliate.AffiliateBanned}
	approvals := []affiliate.ApprovalStatus{affiliate.ApprovalAccepted, affiliate.ApprovalAccepted, affiliate.ApprovalAccepted, affiliate.ApprovalDeclined, affiliate.ApprovalOnHold}
	a := record.Affiliate{ID: uuid.Must(uuid.NewV7()), Email: fmt.Sprintf("a%d@example.com", i), Status: statuses[r.IntN(len(statuses))]}
	s := record.Sale{ID: uuid.Must(uuid.NewV7()), Number: int64(i + 1), AffiliateID: a.ID, ExternalID: fmt.Sprint("order-", i), TotalEarned: affiliate.MustAmount("12.34")}
	for n := range r.IntN(4) {
		s.Commissions = append(s.Commissions, record.Commission{
			Number: int64(4*i + n), AffiliateID: a.ID, Earned: affiliate.MustAmount("1"), Approval: affiliate.EnumOf(approvals[r.IntN(len(approvals))]),
		})
	}
	return a, s
}

// unmigrated takes the states of the rows of a schema away, as 00009_attention.sql
// finds it: of each third sale the record is JSON, as the first releases wrote it.
func unmigrated(t *testing.T, pool *pgxpool.Pool, schema string, asJSON map[uuid.UUID]string) {
	t.Helper()
	for id, record := range asJSON {
		if _, err := pool.Exec(t.Context(), fmt.Sprintf(`UPDATE "%s".sales SET record_json = $2::text::json, packed = NULL WHERE id = $1`, schema), [16]byte(id), record); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, pool, fmt.Sprintf(`ALTER TABLE "%[1]s".affiliates DROP COLUMN of_state; ALTER TABLE "%[1]s".sales DROP COLUMN of_state;
		DROP TABLE "%[1]s".fills; DELETE FROM "%[1]s".migrations WHERE version_id >= 9`, schema))
}

// states compares the column of each row with the key of its record.
func states[T record.Record[T]](t *testing.T, pool *pgxpool.Pool, schema, table string, records []T) (filled int) {
	t.Helper()
	for _, rec := range records {
		want := ""
		for _, key := range rec.AppendKeys(nil) {
			if key.Index == record.OfState {
				want = key.Text
			}
		}
		var got string
		if err := pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT coalesce(of_state, '') FROM "%s".%s WHERE id = $1`, schema, table), [16]byte(rec.RecordID())).Scan(&got); err != nil || got != want {
			t.Fatalf("%s %s is in the state %q, want %q, error %v", table, rec.RecordID(), got, want, err)
		}
		if got != "" {
			filled++
		}
	}
	return filled
}

// TestFill: after the migration the state of each of 10,000 rows is that of its
// record, whatever the form of the record is, and lists by state find them.
func TestFill(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	store := newStore(t, pool, pgstore.Config{Schema: schema})
	program := uuid.UUID{15: 7}
	r := rand.New(rand.NewPCG(1, 2))
	var affiliates []record.Affiliate
	var sales []record.Sale
	asJSON := map[uuid.UUID]string{}
	for i := range 5000 {
		a, s := random(r, i)
		affiliates, sales = append(affiliates, a), append(sales, s)
		if i%3 == 0 {
			asJSON[s.ID] = string(must(json.Marshal(s)))
		}
	}
	insert := func(tx *record.Tx) error {
		for i := range sales {
			if err := tx.Affiliates.Insert(affiliates[i]); err != nil {
				return err
			}
			if err := tx.Sales.Insert(sales[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := store.Update(t.Context(), program, insert); err != nil {
		t.Fatal(err)
	}
	held := states(t, pool, schema, "sales", sales)
	unmigrated(t, pool, schema, asJSON)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := states(t, pool, schema, "affiliates", affiliates); n != len(affiliates) {
		t.Errorf("%d affiliates have a state", n)
	}
	if n := states(t, pool, schema, "sales", sales); n != held || n == 0 || n == len(sales) {
		t.Errorf("%d sales have a state, want %d", n, held)
	}
	exec(t, pool, fmt.Sprintf(`UPDATE "%s".sales SET of_state = NULL`, schema))
	if err := store.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(of_state) FROM "%s".sales`, schema)).Scan(&held); err != nil || held != 0 {
		t.Errorf("what was filled is filled again: %d rows, error %v", held, err)
	}
}

// TestFillBesideWriters: a fill does not write over what changes meanwhile.
func TestFillBesideWriters(t *testing.T) {
	ctx := t.Context()
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	store := newStore(t, pool, pgstore.Config{Schema: schema})
	p := newProgram(t, store, uuid.UUID{15: 7})
	ada := must(p.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "a@example.com", AffiliateLink: "ada"}))
	var ids []affiliate.SaleID
	for i := range 200 {
		got := must(p.RecordSale(ctx, affiliate.NewSale{ReferralID: ada.ID.String(), Email: fmt.Sprintf("c%d@example.net", i%9), Name: "N", TotalEarned: affiliate.MustAmount("10")}))
		ids = append(ids, got.Sale.Or(affiliate.Sale{}).ID)
	}
	must(p.ReviewCommissions(ctx, affiliate.ApprovalOnHold, ids[:100]...))
	var wg sync.WaitGroup
	done, cancel := context.WithCancel(ctx)
	for w := range 4 {
		wg.Go(func() {
			for i := w; done.Err() == nil; i += 4 {
				status := affiliate.ApprovalAccepted
				if i%3 == 0 {
					status = affiliate.ApprovalOnHold
				}
				must(p.ReviewCommissions(ctx, status, ids[i%len(ids)]))
			}
		})
	}
	for range 50 {
		exec(t, pool, fmt.Sprintf(`DELETE FROM "%s".fills`, schema))
		if err := store.Fill(ctx); err != nil {
			t.Error(err)
		}
	}
	cancel()
	wg.Wait()
	var sales []record.Sale
	err := store.View(ctx, p.Config().ID, func(tx *record.Tx) error {
		sales = nil
		for rec, err := range tx.Sales.List(record.Query{}) {
			if err != nil {
				return err
			}
			sales = append(sales, rec)
		}
		return nil
	})
	if err != nil || len(sales) != len(ids) {
		t.Fatalf("%d sales, error %v", len(sales), err)
	}
	states(t, pool, schema, "sales", sales)
}
