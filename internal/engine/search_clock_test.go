package engine_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestSearchAfterWrongClock: a clock that was ahead once, by however much, hides nothing from
// a search of a period afterwards: from neither end, with ids of the program and of the host.
func TestSearchAfterWrongClock(t *testing.T) {
	for name, change := range map[string]func(*tributary.Config){
		"ids with a time": func(*tributary.Config) {},
		"ids of the host": func(cfg *tributary.Config) {
			n := uint64(0)
			cfg.NewID = func() (id uuid.UUID) {
				n++
				binary.BigEndian.PutUint64(id[:], n)
				return id
			}
		},
	} {
		for _, ahead := range []time.Duration{time.Hour, 30 * time.Hour, 400 * 24 * time.Hour} {
			ctx, s := t.Context(), scene.NewShop(t, change)
			s.Hook(affiliate.SaleCreated)
			start := s.Now
			sell := func(at time.Duration, name string) {
				s.Now = start.Add(at)
				s.Sell(affiliate.SaleParams{ReferralID: "ada", Name: name, Email: name + "@b.co", TotalEarned: scene.Sum("10"), ExternalID: name})
			}
			day := 24 * time.Hour
			sell(day, "before")
			sell(2*day+ahead, "ahead")
			sell(2*day, "after")
			sell(5*day, "later")
			s.Now = start.Add(6 * day)
			at := func(d time.Duration) affiliate.Opt[affiliate.Date] { return affiliate.Set(affiliate.At(start.Add(d))) }
			for what, tt := range map[string]struct {
				since, until affiliate.Opt[affiliate.Date]
				want         []string
			}{
				"until": {until: at(2 * day), want: []string{"after", "before"}},
				"since": {since: at(2 * day), want: []string{"after", "ahead", "later"}},
				"day":   {since: at(2 * day), until: at(2 * day), want: []string{"after"}},
			} {
				slices.Sort(tt.want)
				for _, oldest := range []bool{false, true} {
					sales := scene.All(affiliate.Each(10, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
						return s.Sales(ctx, affiliate.SaleQuery{Since: tt.since, Until: tt.until, OldestFirst: oldest}, pg)
					}))
					people := scene.All(affiliate.Each(10, func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
						return s.Referrals(ctx, affiliate.ReferralQuery{Since: tt.since, Until: tt.until, OldestFirst: oldest, Search: affiliate.Set("@b.co")}, pg)
					}))
					sold, came := []string{}, []string{}
					for _, sale := range sales {
						sold = append(sold, sale.ExternalID.Or(""))
					}
					for _, ref := range people {
						came = append(came, ref.Name.Or(""))
					}
					slices.Sort(sold)
					slices.Sort(came)
					if !slices.Equal(sold, tt.want) || !slices.Equal(came, tt.want) {
						t.Errorf("%s, %v ahead, %s, oldest first %v: sales %v, customers %v, want %v", name, ahead, what, oldest, sold, came, tt.want)
					}
				}
				sent := scene.Must(s.Webhooks().Deliveries(ctx, affiliate.DeliveryQuery{Since: tt.since, Until: tt.until}, affiliate.Page{})).Items
				if len(sent) != len(tt.want) {
					t.Errorf("%s, %v ahead, %s: %d deliveries, want %d", name, ahead, what, len(sent), len(tt.want))
				}
			}
		}
	}
}
