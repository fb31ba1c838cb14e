package twins

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/demo"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
)

// Sums compares what a store adds up with what the engine adds up from its records: reports
// and breakdowns of a year of a shop, in periods that begin and end when something happened.
func Sums(tb testing.TB, store record.Store) {
	cfg := demo.Config()
	now := time.Date(2026, 3, 11, 9, 24, 18, 0, time.UTC)
	cfg.Now = func() time.Time { return now }
	if err := demo.Fill(tb.Context(), store, cfg, now); err != nil {
		tb.Fatal(err)
	}
	summing, reading := must(tributary.New(store, cfg)), must(tributary.New(plain{store}, cfg))
	if !adds(tb, store, cfg.ID) || adds(tb, plain{store}, cfg.ID) {
		tb.Fatal("a store that adds up is compared with one that does not")
	}
	// What adds up to nothing is a row all the same.
	ada := must(summing.CreateAffiliate(tb.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada-l"}))
	sale := must(summing.RecordSale(tb.Context(), affiliate.SaleParams{ReferralID: ada.ID.String(), Email: "kim@example.net", Name: "Kim",
		TotalEarned: affiliate.MustAmount("10"), CommissionRate: affiliate.Set(affiliate.MustPercent("0"))})).Sale.Or(affiliate.Sale{})
	from := now.Add(time.Minute)
	for _, total := range []string{"20", "10"} {
		now = now.Add(time.Hour)
		must(summing.UpdateSale(tb.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(affiliate.MustAmount(total))}))
	}
	for i, page := range []string{"a?utm_source=x&utm_medium=y&utm_campaign=z&sub=n", "b", "a?sub=other"} {
		click := must(summing.TrackClick(tb.Context(), affiliate.ClickParams{Slug: "ada-l", LandingURL: "https://beans.example/" + page}))
		must(summing.RecordSale(tb.Context(), affiliate.SaleParams{ReferralID: fmt.Sprint(click.ID), Email: fmt.Sprint(i/2, "@example.net"), Name: "C",
			TotalEarned: affiliate.MustAmount("10"), Lines: []affiliate.Line{{ID: "1", ProductID: "beans", Name: "Bean " + page[:1], Amount: affiliate.MustAmount("10")}}}))
	}
	last := now.Add(time.Minute)
	now = now.Add(time.Hour)
	must(summing.RecordSale(tb.Context(), affiliate.SaleParams{ReferralID: "ada-l", Email: "2@example.net", Name: "C", TotalEarned: affiliate.MustAmount("10"),
		Lines: []affiliate.Line{{ID: "1", ProductID: "beans", Amount: affiliate.MustAmount("3")}, {ID: "2", ProductID: "mug", Amount: affiliate.MustAmount("7")}}}))
	asked := questions(tb, summing)
	for _, by := range dimensions {
		for _, to := range []time.Time{last, now.Add(time.Hour)} { // until the sale of two products, and with it
			asked = append(asked, func(p *tributary.Program) string {
				return answer(p.Breakdown(tb.Context(), affiliate.BreakdownQuery{From: from, To: to, By: by}, affiliate.Page{}))
			})
		}
	}
	size := 0
	for _, ask := range asked {
		one, two := ask(summing), ask(reading)
		if one != two {
			tb.Fatalf("(-summed +read):\n%s", cmp.Diff(one, two))
		}
		size += len(one)
	}
	if size < 100_000 {
		tb.Errorf("the answers have %d bytes", size)
	}
	unread := must(tributary.New(unread{store}, cfg))
	for _, by := range dimensions {
		q := affiliate.BreakdownQuery{From: from.AddDate(-1, 0, 0), To: last, By: by}
		if by == affiliate.DimensionProduct { // before, sales had several lines
			q.From = from
		}
		if rows := must(unread.Breakdown(tb.Context(), q, affiliate.Page{})).Items; len(rows) < 2 {
			tb.Errorf("by %s: %d rows", by, len(rows))
		}
	}
}

// SumsBefore1970 requires the same of a program whose clock is before 1970, when the ids of records tell
// no time.
func SumsBefore1970(tb testing.TB, store record.Store) {
	ctx, now := tb.Context(), time.Date(1969, 12, 29, 0, 0, 0, 0, time.UTC)
	cfg := tributary.Config{ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02"), Name: "Beans", Now: func() time.Time { return now },
		Destinations: []affiliate.Destination{{URL: "https://beans.example/"}}, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}
	summing, reading := must(tributary.New(store, cfg)), must(tributary.New(plain{store}, cfg))
	for i := range 12 { // to the first of January, a sale each half day
		slug := []string{"ada", "bob", "cleo"}[i%3]
		if i < 3 {
			must(summing.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: slug + "@example.com", AffiliateLink: slug}))
		}
		must(summing.TrackClick(ctx, affiliate.ClickParams{Slug: slug, DeviceID: fmt.Sprint(i)}))
		must(summing.RecordSale(ctx, affiliate.SaleParams{ReferralID: slug, Email: fmt.Sprintf("c%d@example.net", i), Name: "C", TotalEarned: affiliate.MustAmount("10")}))
		now = now.Add(12 * time.Hour)
	}
	day := func(d int) time.Time { return time.Date(1969, 12, d, 0, 0, 0, 0, time.UTC) }
	for _, period := range [][3]int{{30, 31, 2}, {29, 32, 6}, {30, 34, 8}, {32, 33, 2}, {20, 29, 0}} {
		sales := int64(0)
		for i, p := range []*tributary.Program{summing, reading} {
			from, to := day(period[0]), day(period[1])
			days := must(p.Report(ctx, affiliate.ReportQuery{From: from, To: to, By: affiliate.IntervalDay}, affiliate.Page{})).Items
			by := must(p.Breakdown(ctx, affiliate.BreakdownQuery{From: from, To: to, By: affiliate.DimensionAffiliate}, affiliate.Page{})).Items
			sales = 0
			for _, b := range days {
				if sales += b.Sales; b.Sales != b.Clicks.Or(0) {
					tb.Errorf("%v, summed %v: %+v", period, i == 0, b)
				}
			}
			for _, b := range by {
				sales -= b.Sales
			}
			if sales != 0 {
				tb.Errorf("%v, summed %v: the days and the affiliates differ by %d", period, i == 0, sales)
			}
			for _, b := range by {
				sales += b.Sales
			}
			if sales != int64(period[2]) {
				tb.Errorf("%v, summed %v: %d sales", period, i == 0, sales)
			}
		}
	}
}

// SaleSums compares what a store adds up of sales with what the engine reads, and with their list:
// after random histories, for random queries.
func SaleSums(t *testing.T, store record.Store) {
	fields, most := reflect.TypeFor[affiliate.SaleQuery]().NumField(), int64(0)
	if fields != len(askedOf(affiliate.Sale{})) {
		t.Fatalf("a SaleQuery has %d fields", fields)
	}
	rapid.Check(t, func(rt *rapid.T) {
		s, ctx := newViewedShop(t, store, 3), rt.Context()
		s.trade(rt)
		_, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "e@example.net", Name: "Eve", ExternalID: "abroad", TotalEarned: affiliate.MustAmount("33.33"), Currency: "EUR", ExchangeRate: affiliate.MustExchangeRate("1.0825")})
		customers := must(s.Referrals(ctx, affiliate.ReferralQuery{}, affiliate.Page{})).Items
		must(0, errors.Join(err, s.EraseReferral(ctx, rapid.SampledFrom(customers).Draw(rt, "erased").ID.String())))
		reading := must(tributary.New(plain{store}, s.Config()))
		for range 20 {
			var q affiliate.SaleQuery
			for _, ask := range askedOf(rapid.SampledFrom(must(s.Sales(ctx, q, affiliate.Page{})).Items).Draw(rt, "sale")) {
				if rapid.IntRange(0, 4).Draw(rt, "asked") == 0 {
					ask(&q)
				}
			}
			want := listed(must(reading.Sales(ctx, q, affiliate.Page{Bounded: true, Limit: 1000})).Items)
			for _, p := range []*tributary.Program{s.Program, reading} {
				if diff := cmp.Diff(want, must(p.SaleSums(ctx, q))); diff != "" {
					rt.Fatalf("%+v (-listed +summed %v):\n%s", q, p != reading, diff)
				}
			}
			most = max(most, want.All.Count)
		}
	})
	if most < 5 {
		t.Errorf("at most %d sales were added up", most)
	}
}

// askedOf ask for a sale by each field of a query.
func askedOf(s affiliate.Sale) []func(*affiliate.SaleQuery) {
	type Q = *affiliate.SaleQuery
	approval := affiliate.ApprovalAccepted
	for _, c := range s.Commissions {
		approval = c.ApprovalStatus
	}
	return []func(Q){
		func(q Q) { q.AffiliateID = affiliate.Set(s.AffiliateID) },
		func(q Q) { q.AffiliateEmail = affiliate.Set(s.Affiliate.Email) },
		func(q Q) { q.ReferralID = affiliate.Set(s.ReferralID.Or(uuid.Nil).String()) },
		func(q Q) { q.ExternalID = affiliate.Set(s.ExternalID.Or("none")) },
		func(q Q) { q.ExternalInvoiceID = affiliate.Set(s.ExternalInvoiceID.Or("none")) },
		func(q Q) { q.CodeID = affiliate.Set(s.PromotionalCodeID.Or(uuid.Nil)) },
		func(q Q) { q.LinkID = affiliate.Set(s.AffiliateLinkID.Or(uuid.Nil)) },
		func(q Q) { q.Status = s.Status },
		func(q Q) { q.ApprovalStatus = approval },
		func(q Q) { q.Since = affiliate.Set(affiliate.At(s.CreatedAt.Time())) },
		func(q Q) { q.Until = affiliate.Set(affiliate.At(s.CreatedAt.Time())) },
		func(q Q) { q.Currency = s.Charged.Or(affiliate.Charge{Currency: "usd"}).Currency },
		func(q Q) { q.OldestFirst = true },
		func(q Q) { q.Part = true },
		func(q Q) { q.Search = affiliate.Set(s.Email.Or("x")) },
	}
}

// listed adds up a list of sales.
func listed(all []affiliate.Sale) (sums affiliate.SaleSums) {
	add := func(to *affiliate.SaleSum, s *affiliate.Sale) {
		to.Count++
		to.TotalEarned = must(to.TotalEarned.Add(s.TotalEarned))
		to.RefundedAmount = must(to.RefundedAmount.Add(s.RefundedAmount))
		to.CommissionEarned = must(to.CommissionEarned.Add(s.CommissionEarned))
	}
	for i := range all {
		s, seen := &all[i], map[affiliate.ApprovalStatus]bool{}
		add(&sums.All, s)
		add(map[affiliate.SaleStatus]*affiliate.SaleSum{"ACTIVE": &sums.Active, "REFUNDED": &sums.Refunded}[s.Status], s)
		for _, c := range s.Commissions {
			if !seen[c.ApprovalStatus] {
				add(map[affiliate.ApprovalStatus]*affiliate.SaleSum{"ACCEPTED": &sums.Accepted, "ON_HOLD": &sums.OnHold, "DECLINED": &sums.Declined}[c.ApprovalStatus], s)
			}
			seen[c.ApprovalStatus] = true
		}
	}
	return sums
}

// questions are reports of a program.
func questions(tb testing.TB, p *tributary.Program) (all []func(*tributary.Program) string) {
	ctx := tb.Context()
	var edges []time.Time
	for i, s := range must(p.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		if i%40 == 0 {
			edges = append(edges, s.CreatedAt.Time())
		}
	}
	slices.SortFunc(edges, time.Time.Compare)
	owners := []affiliate.Opt[uuid.UUID]{{}}
	for _, a := range must(p.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{Limit: 3})).Items {
		owners = append(owners, affiliate.Set(a.ID))
	}
	for i, from := range edges[:len(edges)-1] {
		to := edges[i+1+i%(len(edges)-1-i)]
		by, owner := []affiliate.Interval{affiliate.IntervalDay, affiliate.IntervalWeek, affiliate.IntervalMonth}[i%3], owners[i%len(owners)]
		all = append(all, func(p *tributary.Program) string {
			return answer(p.Report(ctx, affiliate.ReportQuery{From: from, To: to, By: by, AffiliateID: owner}, affiliate.Page{}))
		})
		for _, by := range dimensions[i%4*3 : i%4*3+3] {
			all = append(all, func(p *tributary.Program) string {
				return answer(p.Breakdown(ctx, affiliate.BreakdownQuery{From: from, To: to, By: by, AffiliateID: owner}, affiliate.Page{}))
			})
		}
	}
	for _, at := range append(edges, time.Time{}, edges[0].AddDate(-1, 0, 0)) {
		all = append(all, func(p *tributary.Program) string { return answer(p.TotalBalance(ctx, at)) },
			func(p *tributary.Program) string { return answer(p.RankedBalances(ctx, at, affiliate.Page{})) })
	}
	last := edges[len(edges)-1]
	for _, l := range must(p.Links(ctx, affiliate.LinkQuery{}, affiliate.Page{Limit: 4})).Items {
		all = append(all, func(p *tributary.Program) string {
			return answer(p.Report(ctx, affiliate.ReportQuery{From: edges[0], To: last, By: affiliate.IntervalMonth, LinkID: affiliate.Set(l.ID)}, affiliate.Page{}))
		})
	}
	return all
}

// dimensions are those of breakdowns.
var dimensions = []affiliate.Dimension{
	affiliate.DimensionAffiliate, affiliate.DimensionLink, affiliate.DimensionCode,
	affiliate.DimensionCoupon, affiliate.DimensionPlan, affiliate.DimensionProduct,
	affiliate.DimensionLandingPage, affiliate.DimensionUTMSource, affiliate.DimensionSub,
	affiliate.DimensionUTMMedium, affiliate.DimensionUTMCampaign, affiliate.DimensionProduct,
}

// adds reports whether a store adds up.
func adds(tb testing.TB, store record.Store, program uuid.UUID) (adds bool) {
	err := store.View(tb.Context(), program, func(tx *record.Tx) error {
		adds = tx.Sum != nil
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return adds
}

// plain is a store that does not add up.
type plain struct{ record.Store }

// View runs fn without sums.
func (p plain) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return p.Store.View(ctx, program, func(tx *record.Tx) error {
		without := *tx
		without.Sum = nil
		return fn(&without)
	})
}

// unread is a store whose movements are added up, and not listed.
type unread struct{ record.Store }

// View runs fn with movements that cannot be listed.
func (u unread) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return u.Store.View(ctx, program, func(tx *record.Tx) error {
		summed := *tx
		summed.Movements = unlisted{tx.Movements}
		return fn(&summed)
	})
}

type unlisted struct{ record.Table[record.Movement] }

// List fails.
func (unlisted) List(record.Query) iter.Seq2[record.Movement, error] {
	return func(yield func(record.Movement, error) bool) {
		yield(record.Movement{}, errors.New("movements are listed"))
	}
}

// BenchSums compares reports of a month of many sales: as the store adds them up, and as the engine
// reads them.
func BenchSums(b *testing.B, store record.Store, sales int) {
	ctx, now := b.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	cfg := tributary.Config{ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), Name: "Beans", Now: func() time.Time { return now },
		Destinations: []affiliate.Destination{{URL: "https://beans.example/"}}, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), HoldDays: 30}}
	year := memstore.New()
	p := must(tributary.New(year, cfg))
	for i := range 100 {
		must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: fmt.Sprintf("a%d@example.com", i), AffiliateLink: fmt.Sprint("a-", i)}))
	}
	for i := range sales {
		now = now.Add(20 * time.Second)
		must(p.RecordSale(ctx, affiliate.SaleParams{ReferralID: fmt.Sprint("a-", i%100), Email: fmt.Sprintf("c%d@example.net", i%5000), Name: "C",
			TotalEarned: affiliate.MustAmount("12.5"), Product: affiliate.Set(affiliate.Product{ProductID: []string{"beans", "mug", "filter"}[i%3]})}))
	}
	must(router.Copy(ctx, year, store, cfg.ID))
	for name, ask := range map[string]func(*tributary.Program) error{
		"affiliates of a month": func(p *tributary.Program) error {
			_, err := p.Breakdown(ctx, affiliate.BreakdownQuery{From: now.AddDate(0, -1, 0), To: now, By: affiliate.DimensionAffiliate}, affiliate.Page{})
			return err
		},
		"products of a month": func(p *tributary.Program) error {
			_, err := p.Breakdown(ctx, affiliate.BreakdownQuery{From: now.AddDate(0, -1, 0), To: now, By: affiliate.DimensionProduct}, affiliate.Page{})
			return err
		},
		"landing pages of a month": func(p *tributary.Program) error {
			_, err := p.Breakdown(ctx, affiliate.BreakdownQuery{From: now.AddDate(0, -1, 0), To: now, By: affiliate.DimensionLandingPage}, affiliate.Page{})
			return err
		},
		"days of a month": func(p *tributary.Program) error {
			_, err := p.Report(ctx, affiliate.ReportQuery{From: now.AddDate(0, -1, 0), To: now, By: affiliate.IntervalDay}, affiliate.Page{})
			return err
		},
		"owed now": func(p *tributary.Program) error {
			_, err := p.TotalBalance(ctx, time.Time{})
			return err
		},
		"sales by state": func(p *tributary.Program) error {
			_, err := p.SaleSums(ctx, affiliate.SaleQuery{})
			return err
		},
		"sales of a code and a month": func(p *tributary.Program) error {
			_, err := p.SaleSums(ctx, affiliate.SaleQuery{CodeID: affiliate.Set(uuid.Max), Since: affiliate.Set(affiliate.At(now.AddDate(0, -1, 0)))})
			return err
		},
		"owed a week ago": func(p *tributary.Program) error {
			_, err := p.TotalBalance(ctx, now.AddDate(0, 0, -7))
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			side := func(store record.Store) func(int) {
				p := must(tributary.New(store, cfg))
				return benchkit.Each(func() { must(0, ask(p)) })
			}
			benchkit.Compare(b, 1, side(store), benchkit.Side{Name: "read", Run: side(plain{store})})
		})
	}
}
