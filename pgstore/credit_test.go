package pgstore_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// TestCreditOnce: twenty callers at once make a user an affiliate, and twenty pay what was
// earned, again after errors and after a commit that failed: one affiliate, and the wallet has
// the sum exactly.
func TestCreditOnce(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	exec(t, pool, "CREATE TABLE IF NOT EXISTS wallets (account text PRIMARY KEY, credit numeric NOT NULL)")
	t.Cleanup(func() { exec(t, pool, "DROP TABLE wallets") })
	s := newShop(t, pool, pgstore.Config{})
	p, err := tributary.New(s.store, tributary.Config{ID: uuid.New(), Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}})
	if err != nil {
		t.Fatal(err)
	}
	h := &host{pool, s.store, p}
	u := member{id: "user-7", firstName: "Mara", lastName: "Berg", email: "mara@example.org"}

	var group sync.WaitGroup
	ids := make([]uuid.UUID, 20)
	for i := range ids {
		group.Go(func() {
			a, err := h.affiliateOf(t.Context(), u)
			if err != nil {
				t.Error(err)
			}
			ids[i] = a.ID
		})
	}
	group.Wait()
	for _, id := range ids {
		if id != ids[0] || id == uuid.Nil {
			t.Fatalf("affiliates %v", ids)
		}
	}
	made := must(p.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(ids[0].String())}, affiliate.Page{})).Items
	if all := must(p.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})).Items; len(all) != 1 || len(made) != 1 {
		t.Errorf("%d affiliates, %d events", len(all), len(made))
	}

	for i := range 5 {
		sale := affiliate.SaleParams{ReferralID: affiliate.External(u.id), Email: "ida@example.net", Name: "Ida", ExternalID: fmt.Sprint(i), TotalEarned: affiliate.MustAmount("33.33")}
		if res, err := p.RecordSale(t.Context(), sale); err != nil || res.Outcome != affiliate.SaleRecorded {
			t.Fatal(res.Outcome, err)
		}
	}
	failing := &host{pool, s.store, p}
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { // the host's part fails after the payout was made
		_, err := failing.program.With(s.store.In(tx)).CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: ids[0], ManuallyPaid: true})
		return errors.Join(err, errRefused)
	})
	if !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	for range 20 {
		group.Go(func() {
			for {
				_, err := h.payCredit(t.Context(), u.id)
				var again *pgconn.PgError
				if errors.As(err, &again) && (again.Code == "40001" || again.Code == "40P01") {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	group.Wait()
	var credit string
	must(0, pool.QueryRow(t.Context(), "SELECT credit::text FROM wallets WHERE account = $1", u.id).Scan(&credit))
	payouts := must(p.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items
	if credit != "16.65" || len(payouts) != 1 || payouts[0].Amount != affiliate.MustAmount("16.65") || payouts[0].Status != affiliate.PayoutPaid {
		t.Errorf("the wallet has %s, after the payouts %+v", credit, payouts)
	}
	if err := p.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
