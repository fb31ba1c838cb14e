package payout_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestPayoutMinimum: the minimum of the program is that of a run and of its preview which name none;
// one that is named wins, also 0; a run that has begun keeps its own.
func TestPayoutMinimum(t *testing.T) {
	ctx := t.Context()
	p := scene.Must(tributary.New(memstore.New(), tributary.Config{StoredSettings: true, Terms: affiliate.Terms{Rate: affiliate.MustPercent("50")},
		Now: func() time.Time { return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) }}))
	scene.Must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
	scene.Must(p.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum("98")})) // 49
	least := func(sum string) {
		t.Helper()
		scene.Must(p.UpdateSettings(ctx, affiliate.SettingsUpdate{PayoutMinimum: affiliate.Set(scene.Sum(sum))}))
	}
	why := func(in affiliate.PayoutRun) affiliate.SkipReason {
		t.Helper()
		in.NoDetails = true
		return scene.Must(p.PreviewPayouts(ctx, in, affiliate.Page{})).Items[0].Skipped.Or("paid")
	}
	named := func(sum string) affiliate.PayoutRun {
		return affiliate.PayoutRun{Minimum: affiliate.Set(scene.Sum(sum))}
	}
	scene.Equal(t, "paid", why(affiliate.PayoutRun{}))
	least("50")
	scene.Equal(t, affiliate.SkipBelowMinimum, why(affiliate.PayoutRun{}))
	scene.Equal(t, "paid", why(named("0")))
	scene.Equal(t, "paid", why(named("49")))
	run := affiliate.PayoutRun{ExternalID: "may", NoDetails: true}
	first := scene.Must(p.RunPayouts(ctx, run))
	scene.Equal(t, [2]int64{0, 1}, [2]int64{first.Created, first.Skipped})
	least("10")
	scene.Equal(t, first, scene.Must(p.RunPayouts(ctx, run)))
	run.Minimum = affiliate.Set(scene.Sum("10"))
	if err := scene.ErrOf(p.RunPayouts(ctx, run)); err == nil {
		t.Error("a run goes on with another minimum")
	}
	june := scene.Must(p.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "june", NoDetails: true}))
	scene.Equal(t, int64(1), june.Created)
	scene.Must(0, p.Verify(ctx))
}
