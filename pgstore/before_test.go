package pgstore_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// TestRatesFromBefore: rows of an earlier version name no type of a rate. They
// are read as the rates that they meant, and keep them when another field of
// the record changes.
func TestRatesFromBefore(t *testing.T) {
	ctx := t.Context()
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	p := newProgram(t, newStore(t, pool, pgstore.Config{Schema: schema}), uuid.UUID{15: 7})
	rate := func(s string) affiliate.Opt[affiliate.Percent] { return affiliate.Set(affiliate.MustPercent(s)) }
	plan := func(typ affiliate.CommissionType, rate string) uuid.UUID {
		return must(p.CreatePlan(ctx, affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Type: typ, Rate: affiliate.MustPercent(rate)}})).ID
	}
	flat, percentage := plan(affiliate.CommissionFlat, "5"), plan(affiliate.CommissionPercentage, "10")
	join := func(slug string, in affiliate.NewAffiliate) affiliate.Affiliate {
		in.FirstName, in.LastName, in.Email, in.AffiliateLink = "A", "B", slug+"@example.com", slug
		return must(p.CreateAffiliate(ctx, in))
	}
	join("percent", affiliate.NewAffiliate{CommissionRate: rate("25")})
	amount := join("amount", affiliate.NewAffiliate{CommissionRate: rate("250"), CommissionPlanID: flat})
	ranked := join("ranked", affiliate.NewAffiliate{})
	tier := must(p.CreateTier(ctx, affiliate.NewTier{Tier: 1, Name: "t", Rate: rate("30")}))
	must(p.SetAffiliateTier(ctx, tier.ID, ranked.ID))
	for _, table := range []string{"affiliates", "tiers"} {
		exec(t, pool, fmt.Sprintf(`UPDATE "%s".%s SET record = (record::jsonb - 'RateType')::json WHERE record->>'Rate' IS NOT NULL AND record->>'RateType' IS NOT NULL`, schema, table))
	}
	var typed int
	if err := pool.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM "%s".affiliates WHERE record->>'RateType' IS NOT NULL`, schema)).Scan(&typed); err != nil || typed > 0 {
		t.Fatalf("%d rows have a type still, error %v", typed, err)
	}
	earns := func(slug, want string) {
		t.Helper()
		got := must(p.RecordSale(ctx, affiliate.NewSale{ReferralID: slug, Email: slug + "@example.net", Name: "N", TotalEarned: affiliate.MustAmount("100")}))
		if sale, _ := got.Sale.Get(); sale.CommissionEarned.String() != want {
			t.Errorf("%s earns %v, want %s", slug, sale.CommissionEarned, want)
		}
	}
	earns("percent", "25")
	earns("amount", "250")
	earns("ranked", "30")
	customer := must(p.Referral(ctx, "amount@example.net"))
	must(p.SetReferralPlan(ctx, percentage, customer.ID))
	earns("amount", "10") // the amount of 250 is not read as 250 %
	must(p.SetReferralPlan(ctx, uuid.Nil, customer.ID))
	must(p.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: amount.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("C")}))
	earns("amount", "250")
	must(p.SetAffiliatePlan(ctx, flat, ranked.ID))
	earns("ranked", "5") // 30 % is not read as an amount of 30
	if err := p.Verify(ctx); err != nil {
		t.Error(err)
	}
}
