package engine_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Check 22: both ends of a search are inclusive, to the millisecond; a plain day
// is that of the program's zone; all filters together give the intersection.
func TestSearchSalesByTime(t *testing.T) {
	ctx := t.Context()
	berlin := scene.Must(time.LoadLocation("Europe/Berlin"))
	s := scene.NewShop(t, func(cfg *tributary.Config) { cfg.Location = berlin })
	at := func(moment time.Time, name string) affiliate.Sale {
		s.Now = moment
		return s.Sell(affiliate.NewSale{PromoCode: s.ADA20.Code, Email: s.Tomas.Email, ExternalID: name})
	}
	day := time.Date(2026, 3, 12, 0, 0, 0, 0, berlin)
	at(day.Add(-time.Millisecond), "before")
	at(day, "first")
	at(day.Add(12*time.Hour), "noon")
	last := at(day.Add(24*time.Hour-time.Microsecond), "last")
	at(day.Add(24*time.Hour), "after")
	noon, plain := day.Add(12*time.Hour), affiliate.Set(affiliate.Day(2026, 3, 12))
	exactly := func(d time.Duration) affiliate.Opt[affiliate.Date] { return affiliate.Set(affiliate.At(noon.Add(d))) }
	type q = affiliate.SaleQuery
	for name, tt := range map[string]struct {
		q    q
		want []string
	}{
		"since the instant":    {q{Since: exactly(0)}, []string{"after", "last", "noon"}},
		"since a moment later": {q{Since: exactly(time.Millisecond)}, []string{"after", "last"}},
		"until the instant":    {q{Until: exactly(0)}, []string{"noon", "first", "before"}},
		"until a moment ago":   {q{Until: exactly(-time.Millisecond)}, []string{"first", "before"}},
		"since the day":        {q{Since: plain}, []string{"after", "last", "noon", "first"}},
		"until the day":        {q{Until: plain}, []string{"last", "noon", "first", "before"}},
		"on the day":           {q{Since: plain, Until: plain}, []string{"last", "noon", "first"}},
		"all filters": {q{
			AffiliateID: affiliate.Set(s.Ada.Person.ID), ReferralID: scene.TextOf(s.Tomas.Email), CodeID: affiliate.Set(s.ADA20.ID), Status: affiliate.SaleActive,
			ApprovalStatus: affiliate.ApprovalOnHold, Since: plain, Until: plain,
		}, []string{"last"}},
		"all filters but another affiliate": {q{
			AffiliateID: affiliate.Set(s.Bob.ID), ReferralID: scene.TextOf(s.Tomas.Email), CodeID: affiliate.Set(s.ADA20.ID), ApprovalStatus: affiliate.ApprovalOnHold, Since: plain, Until: plain,
		}, nil},
	} {
		if tt.q.ApprovalStatus != "" {
			scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, last.ID))
		}
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.SearchSales(ctx, tt.q, pg) },
			func(sale affiliate.Sale) string { return sale.ExternalID.Or("") }, tt.want...)
	}
}
