package engine_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

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
		return s.Sell(affiliate.SaleParams{PromoCode: s.ADA20.Code, Email: s.Tomas.Email, ExternalID: name})
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
		number := func(sale affiliate.Sale) string { return sale.ExternalID.Or("") }
		finds(t, name, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, tt.q, pg) }, number, tt.want...)
		tt.q.OldestFirst = true
		slices.Reverse(tt.want)
		finds(t, name+", oldest first", func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, tt.q, pg) }, number, tt.want...)
	}
}

// TestOldestFirst: each search that can be read from its other end has the same records
// there, the other way round, and a cursor of one way is none of the other.
func TestOldestFirst(t *testing.T) {
	ctx, s := t.Context(), newSearchable(t)
	sells := scene.NewShop(t)
	for range 3 {
		sells.ToTomas("10")
	}
	check := func(what string, ids func(oldest bool, pg affiliate.Page) ([]string, string, error)) {
		all := func(oldest bool, limit int) (all []string) {
			for pg := (affiliate.Page{Limit: limit}); ; {
				page, next, err := ids(oldest, pg)
				if err != nil {
					t.Fatal(err)
				}
				if all = append(all, page...); next == "" {
					return all
				}
				pg.Cursor = next
			}
		}
		want := all(false, 1000)
		slices.Reverse(want)
		if len(want) < 2 {
			t.Fatalf("%s: only %v", what, want)
		}
		for _, limit := range []int{1, 2, 1000} {
			if diff := cmp.Diff(want, all(true, limit)); diff != "" {
				t.Errorf("%s, %d at a time (-want +got):\n%s", what, limit, diff)
			}
		}
		_, next, _ := ids(false, affiliate.Page{Limit: 1})
		if _, _, err := ids(true, affiliate.Page{Limit: 1, Cursor: next}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%s: a cursor of the other way: %v", what, err)
		}
	}
	scene.Must(sells.CreateCode(ctx, affiliate.CodeParams{CouponID: sells.ADA20.CouponID, Code: "SECOND", AffiliateID: sells.Ada.Person.ID}))
	check("affiliates", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(a affiliate.Affiliate) string { return a.Email })(s.Affiliates(ctx, affiliate.AffiliateQuery{OldestFirst: oldest}, pg))
	})
	check("customers", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(r affiliate.Referral) string { return r.Email })(sells.Referrals(ctx, affiliate.ReferralQuery{OldestFirst: oldest}, pg))
	})
	check("codes", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(c affiliate.Code) string { return c.Code })(sells.Codes(ctx, affiliate.CodeQuery{OldestFirst: oldest}, pg))
	})
	check("sales", func(oldest bool, pg affiliate.Page) ([]string, string, error) {
		return named(func(s affiliate.Sale) string { return fmt.Sprint(s.ID) })(sells.Sales(ctx, affiliate.SaleQuery{OldestFirst: oldest}, pg))
	})
}

// TestSalesByCurrency: a search finds the sales that were charged in a currency, the
// program's own too.
func TestSalesByCurrency(t *testing.T) {
	s := scene.NewShop(t, scene.Worth("EUR", "1.0842"))
	own := s.ToTomas("10")
	euros := scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), Currency: "EUR"})).Sale.Or(affiliate.Sale{})
	for currency, want := range map[affiliate.Currency][]affiliate.SaleID{"": {euros.ID, own.ID}, "USD": {own.ID}, "EUR": {euros.ID}, "eur": {euros.ID}, "GBP": nil} {
		var got []affiliate.SaleID
		for _, sale := range scene.Must(s.Sales(t.Context(), affiliate.SaleQuery{Currency: currency}, affiliate.Page{})).Items {
			got = append(got, sale.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", currency, diff)
		}
	}
}

// named returns what each item of a page is called, and its cursor.
func named[T any](name func(T) string) func(affiliate.List[T], error) ([]string, string, error) {
	return func(l affiliate.List[T], err error) (names []string, next string, _ error) {
		for _, item := range l.Items {
			names = append(names, name(item))
		}
		return names, l.Next, err
	}
}

// TestSearchOfPeriodBeginsThere: a search does not read what is outside of its period, from
// whichever end it begins; where ids of the host carry no time, its pages lead there.
func TestSearchOfPeriodBeginsThere(t *testing.T) {
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
		ctx, s := t.Context(), scene.NewShop(t, change)
		first := s.ToTomas("10")
		s.Pass(40 * 24 * time.Hour)
		for range 5_100 {
			s.ToTomas("10")
		}
		s.Pass(40 * 24 * time.Hour)
		last := s.ToTomas("10")
		for want, q := range map[affiliate.SaleID]affiliate.SaleQuery{
			first.ID: {Until: affiliate.Set(affiliate.At(first.CreatedAt.Time().Add(time.Hour)))},
			last.ID:  {Since: affiliate.Set(affiliate.At(last.CreatedAt.Time().Add(-time.Hour))), OldestFirst: true},
		} {
			search := func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) { return s.Sales(ctx, q, pg) }
			if got := scene.All(affiliate.Each(10, search)); len(got) != 1 || got[0].ID != want {
				t.Errorf("%s: %d sales", name, len(got))
			}
			if page := scene.Must(search(affiliate.Page{Limit: 1})); name == "ids with a time" && len(page.Items) != 1 {
				t.Errorf("%s: the first page has nothing", name)
			}
		}
	}
}
