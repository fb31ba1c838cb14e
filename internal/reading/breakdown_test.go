package reading_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// ranking is a breakdown with a line for each row.
func ranking(s scene.Shop, q affiliate.BreakdownQuery, pg affiliate.Page) (lines []string, next string) {
	s.T.Helper()
	q.From, q.To = scene.Start.Add(-time.Hour), scene.Start.AddDate(0, 1, 0)
	l := scene.Must(s.Breakdown(s.T.Context(), q, pg))
	for _, r := range l.Items {
		name := r.Name.Or("–")
		if r.Value == "" {
			name = "none"
		} else if _, err := uuid.Parse(r.Value); err != nil {
			name = r.Value + " " + name
		}
		lines = append(lines, strings.TrimSpace(name+": "+figuresOf(affiliate.Bucket{Activity: r.Activity})))
	}
	return lines, l.Next
}

// M90–M92: what is in which row.
func TestBreakdown(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	visit := func(slug, page string) affiliate.Click {
		return scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: slug, LandingURL: page}))
	}
	mail := visit("ada", "https://beans.example/shop?ref=ada&utm_source=mail&utm_medium=e%2Dmail&utm_campaign=may&sub=n+12&token=secret")
	visit("ada", "https://beans.example/tea?utm_source=mail&utm_source=other")
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent("50")}}))
	s.Sell(affiliate.SaleParams{ReferralID: fmt.Sprint(mail.ID), Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum("100"), Product: affiliate.Set(affiliate.Product{ProductID: "tea"})})
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Bob.ID))
	sold := s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: scene.Sum("30"), Lines: []affiliate.Line{
		{ID: "1", ProductID: "tea", Name: "Green tea", Amount: scene.Sum("10")}, {ID: "2", ProductID: "cup", Amount: scene.Sum("15")}, {ID: "3", ProductID: "tea", Amount: scene.Sum("5")},
	}})
	s.Sell(affiliate.SaleParams{PromoCode: s.ADA20.Code, Email: "lea@example.net", Name: "Lea", TotalEarned: scene.Sum("7")})
	s.Pass(24 * time.Hour)
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sold.ID, Amount: scene.Amount("10"), Lines: []affiliate.RefundLine{{ID: "2", Amount: scene.Sum("10")}}}))
	gone := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("9"), Product: affiliate.Set(affiliate.Product{ProductID: "gone"})})
	scene.Must(0, s.DeleteSale(ctx, gone.ID))
	s.Adjust(affiliate.AdjustmentParams{Kind: affiliate.AdjustBonus, Amount: scene.Sum("5")})
	ada, bob := s.Ada.Person.Name, s.Bob.Name
	for _, tt := range []struct {
		by   affiliate.Dimension
		want []string
	}{
		{affiliate.DimensionAffiliate, []string{
			ada + ": clicks 3 referrals 3 sales 3 deleted 1 revenue 107 commission 21.4 adjustments 5",
			bob + ": clicks 1 referrals 1 sales 1 revenue 30 refunds 10 commission 10",
		}},
		{affiliate.DimensionLink, []string{"ada: clicks 3 referrals 2 sales 2 deleted 1 revenue 100 commission 20", "none: referrals 2 sales 2 revenue 37 refunds 10 commission 11.4 adjustments 5", "bob: clicks 1"}},
		{affiliate.DimensionCode, []string{
			"none: clicks null referrals null sales 3 deleted 1 revenue 130 refunds 10 commission 30 adjustments 5",
			s.ADA20.Code + ": clicks null referrals null sales 1 revenue 7 commission 1.4",
		}},
		{affiliate.DimensionPlan, []string{
			"none: clicks null referrals null sales 3 deleted 1 revenue 107 commission 21.4 adjustments 5",
			"Gold: clicks null referrals null sales 1 revenue 30 refunds 10 commission 10",
		}},
		{affiliate.DimensionProduct, []string{
			"tea Green tea: clicks null referrals null sales 2 revenue 115 refunds 5 commission 25",
			"cup –: clicks null referrals null sales 1 revenue 15 refunds 5 commission 5",
			"none: clicks null referrals null sales 2 deleted 1 revenue 7 commission 1.4 adjustments 5",
		}},
		{affiliate.DimensionLandingPage, []string{
			"https://beans.example/shop –: clicks 2 referrals 1 sales 1 revenue 100 commission 20",
			"none: clicks 1 referrals 3 sales 3 deleted 1 revenue 37 refunds 10 commission 11.4 adjustments 5", "https://beans.example/tea –: clicks 1",
		}},
		{affiliate.DimensionUTMSource, []string{"mail –: clicks 2 referrals 1 sales 1 revenue 100 commission 20", "none: clicks 2 referrals 3 sales 3 deleted 1 revenue 37 refunds 10 commission 11.4 adjustments 5"}},
		{affiliate.DimensionUTMMedium, []string{"e-mail –: clicks 1 referrals 1 sales 1 revenue 100 commission 20", "none: clicks 3 referrals 3 sales 3 deleted 1 revenue 37 refunds 10 commission 11.4 adjustments 5"}},
		{affiliate.DimensionUTMCampaign, []string{"may –: clicks 1 referrals 1 sales 1 revenue 100 commission 20", "none: clicks 3 referrals 3 sales 3 deleted 1 revenue 37 refunds 10 commission 11.4 adjustments 5"}},
		{affiliate.DimensionSub, []string{"n 12 –: clicks 1 referrals 1 sales 1 revenue 100 commission 20", "none: clicks 3 referrals 3 sales 3 deleted 1 revenue 37 refunds 10 commission 11.4 adjustments 5"}},
	} {
		got, _ := ranking(s, affiliate.BreakdownQuery{By: tt.by}, affiliate.Page{})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", tt.by, diff)
		}
	}
	coupons, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionCoupon}, affiliate.Page{})
	if len(coupons) != 2 || !strings.HasSuffix(coupons[1], ": clicks null referrals null sales 1 revenue 7 commission 1.4") {
		t.Errorf("by coupon: %q", coupons)
	}

	mine, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionPlan, AffiliateID: affiliate.Set(s.Bob.ID)}, affiliate.Page{})
	if diff := cmp.Diff([]string{"Gold: clicks null referrals null sales 1 revenue 30 refunds 10 commission 10"}, mine); diff != "" {
		t.Errorf("of one affiliate (-want +got):\n%s", diff)
	}
	for _, nobody := range []affiliate.Opt[uuid.UUID]{affiliate.Null[uuid.UUID](), affiliate.Set(uuid.Nil), affiliate.Set(uuid.Max)} {
		if rows, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionLink, AffiliateID: nobody}, affiliate.Page{}); len(rows) != 0 {
			t.Errorf("of nobody: %q", rows)
		}
	}
}

// Rankings by every figure, page by page.
func TestBreakdownSort(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	for range 2 {
		s.ToTomas("10")
	}
	big := s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: scene.Sum("90")})
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("85")}))
	scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "bob"}))
	for figure, first := range map[affiliate.Figure]string{
		"": s.Bob.Name, affiliate.FigureRevenue: s.Bob.Name, affiliate.FigureRefunds: s.Bob.Name, affiliate.FigureCommission: s.Ada.Person.Name,
		affiliate.FigureSales: s.Ada.Person.Name, affiliate.FigureClicks: s.Bob.Name,
	} {
		q := affiliate.BreakdownQuery{By: affiliate.DimensionAffiliate, Sort: figure}
		whole, _ := ranking(s, q, affiliate.Page{})
		if len(whole) != 2 || !strings.HasPrefix(whole[0], first+":") {
			t.Errorf("by %q: %q", figure, whole)
			continue
		}
		one, next := ranking(s, q, affiliate.Page{Limit: 1})
		two, end := ranking(s, q, affiliate.Page{Limit: 1, Cursor: next})
		if diff := cmp.Diff(whole, append(one, two...)); diff != "" || end != "" {
			t.Errorf("by %q in pages (-want +got):\n%s%q", figure, diff, end)
		}
	}
}

// Many sales are looked up piece by piece, and what is remembered of them is bounded.
func TestBreakdownOfMany(t *testing.T) {
	s := scene.NewShop(t)
	const n = 2500
	for i := range n {
		s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("1"), Product: affiliate.Set(affiliate.Product{ProductID: fmt.Sprint("p", i%2)})})
	}
	got, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionProduct}, affiliate.Page{})
	want := []string{"p0 –: clicks null referrals null sales 1250 revenue 1250 commission 250", "p1 –: clicks null referrals null sales 1250 revenue 1250 commission 250"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBreakdownErrors(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	june := affiliate.BreakdownQuery{From: month(6), To: month(7), By: affiliate.DimensionSub}
	with := func(change func(*affiliate.BreakdownQuery)) func() error {
		q := june
		change(&q)
		return func() error { return scene.ErrOf(s.Breakdown(ctx, q, affiliate.Page{})) }
	}
	s.Refused(scene.FieldError(affiliate.MissingField, "by", "By is required"), with(func(q *affiliate.BreakdownQuery) { q.By = "" }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "by", "by must be one of affiliate, link, promotionalCode, coupon, product, plan, landingPage, utmSource, utmMedium, utmCampaign, sub"),
		with(func(q *affiliate.BreakdownQuery) { q.By = "day" }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "sort", "sort must be one of revenue, refunds, commission, sales, conversions, clicks, referrals"),
		with(func(q *affiliate.BreakdownQuery) { q.Sort = "name" }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "to", "to must be after from"), with(func(q *affiliate.BreakdownQuery) { q.To = q.From }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "from", "from must be an ISO 8601 date"), with(func(q *affiliate.BreakdownQuery) { q.From = q.From.AddDate(-3000, 0, 0) }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		return scene.ErrOf(s.Breakdown(ctx, june, affiliate.Page{Cursor: "x"}))
	})
	old := scene.NewShop(t)
	old.ToTomas("10")
	old.Ages()
	old.Refused(scene.BooksClosed, func() error {
		q := june
		q.AffiliateID = affiliate.Set(old.Ada.Person.ID)
		return scene.ErrOf(old.Breakdown(ctx, q, affiliate.Page{}))
	})
}

// Visitors choose the texts of pages, so a breakdown has a limit, which names a way out.
func TestBreakdownTooLarge(t *testing.T) {
	s := scene.NewShop(t)
	visits := func(from, to int) {
		s.Raw(func(tx *record.Tx) error {
			for i := from; i < to; i++ {
				id := uuid7.Stamp(uuid.New(), s.Now)
				c := record.Click{ID: id, Number: int64(1000 + i), AffiliateID: s.Ada.Person.ID, LandingURL: fmt.Sprint("https://beans.example/?sub=", i), CreatedAt: affiliate.InstantOf(s.Now)}
				if err := tx.Clicks.Insert(c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	visits(0, 99_999)
	rows, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionSub}, affiliate.Page{})
	if len(rows) != 100_000 { // with the row of those without a mark
		t.Fatalf("%d rows", len(rows))
	}
	visits(99_999, 100_000)
	s.Refused(scene.FieldError(affiliate.ReportTooLarge, "", "A breakdown may have at most 100000 rows: ask for a shorter period"), func() error {
		return scene.ErrOf(s.Breakdown(t.Context(), affiliate.BreakdownQuery{From: scene.Start, To: scene.Start.AddDate(0, 1, 0), By: affiliate.DimensionSub}, affiliate.Page{}))
	})
}
