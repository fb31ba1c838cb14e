package pgstore_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// owed makes affiliates to whom ten is due.
func (s *shop) owed(affiliates int) {
	s.t.Helper()
	for i := range affiliates {
		ctx, name := s.t.Context(), fmt.Sprint("partner", i)
		a := must(s.plain.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "P", LastName: "Q", Email: name + "@example.com", AffiliateLink: name}))
		must(s.plain.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("10"), Reason: "r"}))
	}
}

// TestPayoutRunsAtOnce: two processes that both make the first call of one run
// make one run, which pays everybody once.
func TestPayoutRunsAtOnce(t *testing.T) {
	const affiliates = 5
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{
		{}, {Group: 8}, {Mode: pgstore.Serializable, Retries: 50}, {Mode: pgstore.Serializable, Retries: 50, Group: 8},
	} {
		t.Run(fmt.Sprintf("mode %d, group %d", cfg.Mode, cfg.Group), func(t *testing.T) {
			s := newShop(t, pool, cfg)
			s.owed(affiliates)
			cfg.Schema = "test_" + schemaID()
			var stores [2]record.Store
			for i := range stores {
				stores[i] = newStore(t, pool, cfg)
			}
			results := make([]affiliate.PayoutRunResult, 8)
			errs := make([]error, len(results))
			var wg sync.WaitGroup
			for i := range results {
				program := s.plain.With(stores[i%len(stores)])
				wg.Go(func() {
					results[i], errs[i] = program.RunPayouts(t.Context(), affiliate.PayoutRun{ExternalID: "2026-05", NoDetails: true})
				})
			}
			wg.Wait()
			for i, r := range results {
				if errs[i] != nil || !cmp.Equal(r, results[0]) || r.Status != affiliate.RunDone || r.Created != affiliates || r.Total != affiliate.MustAmount("50") {
					t.Errorf("call %d: %+v, error %v", i, r, errs[i])
				}
			}
			if n := len(must(s.plain.PayoutRuns(t.Context(), affiliate.Page{})).Items); n != 1 {
				t.Errorf("%d runs", n)
			}
			if n := len(must(s.plain.PayoutLines(t.Context(), "2026-05", affiliate.Page{})).Items); n != affiliates {
				t.Errorf("%d lines", n)
			}
			if n := len(must(s.plain.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items); n != affiliates {
				t.Errorf("%d payouts", n)
			}
			s.books("after the run", 0)
		})
	}
}
