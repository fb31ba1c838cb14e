package reading_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // so that the zones exist on every machine

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// figuresOf is a bucket as a line: its figures that are not zero.
func figuresOf(b affiliate.Bucket) string {
	var line strings.Builder
	number := func(name string, n affiliate.Opt[int64]) {
		if n.IsNull() {
			fmt.Fprintf(&line, " %s null", name)
		} else if v := n.Or(0); v != 0 {
			fmt.Fprintf(&line, " %s %d", name, v)
		}
	}
	number("clicks", b.Clicks)
	number("referrals", b.Referrals)
	number("sales", affiliate.Set(b.Sales))
	number("deleted", affiliate.Set(b.DeletedSales))
	for _, sum := range []struct {
		name string
		v    affiliate.Amount
	}{{"revenue", b.Revenue}, {"refunds", b.Refunds}, {"commission", b.Commission}, {"adjustments", b.Adjustments}} {
		if !sum.v.IsZero() {
			fmt.Fprintf(&line, " %s %v", sum.name, sum.v)
		}
	}
	return strings.TrimSpace(line.String())
}

// inHours is each bucket as its local beginning and its length.
func inHours(zone *time.Location, buckets []affiliate.Bucket) (lines []string) {
	for _, b := range buckets {
		lines = append(lines, b.Start.Time().In(zone).Format("2006-01-02 15:04")+" "+b.End.Time().Sub(b.Start.Time()).String())
	}
	return lines
}

// M84: buckets are those of the calendar in the program's zone, cut at both ends.
func TestReportCalendar(t *testing.T) {
	for _, tt := range []struct {
		zone, from, to string // plain dates
		by             affiliate.Interval
		want           []string
	}{
		{"UTC", "2026-03-11", "2026-03-12", affiliate.IntervalDay, []string{"2026-03-11 00:00 24h0m0s", "2026-03-12 00:00 24h0m0s"}},
		{"Europe/Berlin", "2026-03-28", "2026-03-30", affiliate.IntervalDay, []string{"2026-03-28 00:00 24h0m0s", "2026-03-29 00:00 23h0m0s", "2026-03-30 00:00 24h0m0s"}},
		{"Europe/Berlin", "2026-10-25", "2026-10-26", affiliate.IntervalDay, []string{"2026-10-25 00:00 25h0m0s", "2026-10-26 00:00 24h0m0s"}},
		{"Europe/Berlin", "2026-03-25", "2026-04-01", affiliate.IntervalWeek, []string{"2026-03-25 00:00 119h0m0s", "2026-03-30 00:00 72h0m0s"}},
		{"America/Sao_Paulo", "2018-11-03", "2018-11-05", affiliate.IntervalDay, []string{"2018-11-03 00:00 24h0m0s", "2018-11-04 01:00 23h0m0s", "2018-11-05 00:00 24h0m0s"}},
		{"America/Sao_Paulo", "2018-02-17", "2018-02-18", affiliate.IntervalDay, []string{"2018-02-17 00:00 25h0m0s", "2018-02-18 00:00 24h0m0s"}},
		{"America/Sao_Paulo", "2018-10-31", "2018-12-02", affiliate.IntervalMonth, []string{"2018-10-31 00:00 24h0m0s", "2018-11-01 00:00 719h0m0s", "2018-12-01 00:00 48h0m0s"}},
		{"Pacific/Apia", "2011-12-29", "2011-12-31", affiliate.IntervalDay, []string{"2011-12-29 00:00 24h0m0s", "2011-12-31 00:00 24h0m0s"}}, // there was no 30th
		{"Pacific/Apia", "2011-12-26", "2012-01-02", affiliate.IntervalWeek, []string{"2011-12-26 00:00 144h0m0s", "2012-01-02 00:00 24h0m0s"}},
		{"UTC", "2026-02-23", "2026-03-01", affiliate.IntervalWeek, []string{"2026-02-23 00:00 168h0m0s"}},
		{"UTC", "9999-12-30", "9999-12-31", affiliate.IntervalDay, []string{"9999-12-30 00:00 24h0m0s", "9999-12-31 00:00 23h59m59.999s"}},
		{"UTC", "0001-01-01", "0001-01-31", affiliate.IntervalMonth, []string{"0001-01-01 00:00 744h0m0s"}},
	} {
		zone := scene.Must(time.LoadLocation(tt.zone))
		w := scene.New(t, scene.Zoned(tt.zone))
		got := scene.Must(w.Report(t.Context(), affiliate.ReportQuery{
			From: scene.Must(affiliate.ParseDate(tt.from)).FirstInstant(zone), To: scene.Must(affiliate.ParseDate(tt.to)).End(zone), By: tt.by,
		}, affiliate.Page{})).Items
		scene.Equal(t, tt.want, inHours(zone, got), tt.by, tt.from, tt.to, tt.zone)
	}
}

// M84, M86: what is refused, and what a report of nobody is.
func TestReportErrors(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	june := affiliate.ReportQuery{From: month(6), To: month(7), By: affiliate.IntervalDay}
	with := func(change func(*affiliate.ReportQuery)) func() error {
		q := june
		change(&q)
		return func() error { return scene.ErrOf(s.Report(ctx, q, affiliate.Page{})) }
	}
	s.Refused(scene.FieldError(affiliate.MissingField, "by", "By is required"), with(func(q *affiliate.ReportQuery) { q.By = "" }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "by", "by must be one of day, week, month, quarter, year"), with(func(q *affiliate.ReportQuery) { q.By = "DAY" }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "to", "to must be after from"), with(func(q *affiliate.ReportQuery) { q.To = q.From }))
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "from", "from must be an ISO 8601 date"), with(func(q *affiliate.ReportQuery) { q.From = q.From.AddDate(-3000, 0, 0) }))
	several := scene.FieldError(affiliate.InvalidQuery, "", "Only one of affiliateId, promotionalCodeId and linkId may be given")
	id := affiliate.Set(uuid.Max)
	s.Refused(several, with(func(q *affiliate.ReportQuery) { q.AffiliateID, q.LinkID = id, id }))
	s.Refused(several, with(func(q *affiliate.ReportQuery) { q.CodeID, q.LinkID = affiliate.Null[uuid.UUID](), id }))
	s.Refused(scene.FieldError(affiliate.ReportTooLarge, "", "A report may have at most 1000 buckets"), with(func(q *affiliate.ReportQuery) { q.To = q.From.AddDate(0, 0, 1000).Add(1000) }))
	if n := len(scene.Must(s.Report(ctx, affiliate.ReportQuery{From: month(6), To: month(6).AddDate(0, 0, 1000), By: affiliate.IntervalDay}, affiliate.Page{})).Items); n != 1000 {
		t.Errorf("%d buckets", n)
	}
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		return scene.ErrOf(s.Report(ctx, june, affiliate.Page{Cursor: "x"}))
	})

	s.ToTomas("100")
	for name, of := range map[string]func(*affiliate.ReportQuery, affiliate.Opt[uuid.UUID]){
		"affiliate": func(q *affiliate.ReportQuery, id affiliate.Opt[uuid.UUID]) { q.AffiliateID = id },
		"link":      func(q *affiliate.ReportQuery, id affiliate.Opt[uuid.UUID]) { q.LinkID = id },
		"code":      func(q *affiliate.ReportQuery, id affiliate.Opt[uuid.UUID]) { q.CodeID = id },
	} {
		want := ""
		if name == "code" {
			want = "clicks null referrals null"
		}
		for _, id := range []affiliate.Opt[uuid.UUID]{affiliate.Set(uuid.Max), affiliate.Set(uuid.Nil), affiliate.Null[uuid.UUID]()} {
			q := affiliate.ReportQuery{From: scene.Start, To: scene.Start.Add(time.Hour), By: affiliate.IntervalMonth}
			of(&q, id)
			scene.Equal(t, want, figuresOf(scene.Must(s.Report(ctx, q, affiliate.Page{})).Items[0]), name, id)
		}
	}
}

// M60: the report of an affiliate, a link or a code begins when the books of the
// affiliate were opened; the report of the program does not count the opening.
func TestReportBeforeTheBooks(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.Sell(affiliate.SaleParams{PromoCode: s.ADA20.Code})
	s.Ages()
	s.Pass(time.Hour)
	s.ToTomas("10")
	opened := s.Now
	report := func(from time.Time, of affiliate.ReportQuery) func() error {
		of.From, of.To, of.By = from, from.Add(24*time.Hour), affiliate.IntervalDay
		return func() error { return scene.ErrOf(s.Report(ctx, of, affiliate.Page{})) }
	}
	owned := []affiliate.ReportQuery{
		{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, {CodeID: affiliate.Set(s.ADA20.ID)}, {LinkID: s.Tomas.AffiliateLinkID},
	}
	for _, of := range owned {
		s.Refused(scene.BooksClosed, report(opened.Add(time.Hour), of))
	}
	scene.Must(s.Run(ctx, affiliate.OpenBooksJob{}))
	for _, of := range owned {
		s.Refused(scene.BooksClosed, report(opened.Add(-time.Microsecond), of))
		if err := report(opened, of)(); err != nil {
			t.Errorf("a report from the opening on: %v", err)
		}
	}
	all := scene.Must(s.Report(ctx, affiliate.ReportQuery{From: scene.Start.Add(-time.Hour), To: scene.Start.AddDate(0, 0, 1), By: affiliate.IntervalMonth}, affiliate.Page{})).Items
	if got, want := figuresOf(all[0]), "clicks 2 referrals 2 sales 1 revenue 10 commission 2"; got != want {
		t.Errorf("the program: %s, want %s", got, want)
	}
	s.Verifies()
}

// M85, M86: what belongs to the program, to an affiliate, to a link and to a
// code; and what a deletion takes back.
func TestReportOf(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t) // two clicks and two referrals
	day := 24 * time.Hour
	ada, link := affiliate.ReportQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, affiliate.ReportQuery{LinkID: s.Tomas.AffiliateLinkID}
	code, bob := affiliate.ReportQuery{CodeID: affiliate.Set(s.ADA20.ID)}, affiliate.ReportQuery{AffiliateID: affiliate.Set(s.Bob.ID)}
	from := s.Now
	byLink := s.ToTomas("100")
	s.Sell(affiliate.SaleParams{PromoCode: s.ADA20.Code, TotalEarned: scene.Sum("50"), Email: "new@example.net", Name: "N"})
	s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: scene.Sum("10")})
	s.Pass(day)
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: byLink.ID, Amount: scene.Amount("60")}))
	scene.Must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: s.Bob.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), Reason: "r"}))
	scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ada"}))
	s.Pass(day)
	scene.Must(0, s.DeleteSale(ctx, byLink.ID))
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Bob.ID}))
	s.Verifies()
	for _, tt := range []struct {
		name string
		of   affiliate.ReportQuery
		want []string
	}{
		{"program", affiliate.ReportQuery{}, []string{
			"clicks 1 referrals 2 sales 3 revenue 160 commission 32", "clicks 1 refunds 60 commission -12 adjustments 5",
			"deleted 2 revenue -110 refunds -60 commission -10 adjustments -5",
		}},
		{"ada", ada, []string{"clicks 1 referrals 2 sales 2 revenue 150 commission 30", "clicks 1 refunds 60 commission -12", "deleted 1 revenue -100 refunds -60 commission -8"}},
		{"her link", link, []string{"clicks 1 referrals 1 sales 1 revenue 100 commission 20", "clicks 1 refunds 60 commission -12", "deleted 1 revenue -100 refunds -60 commission -8"}},
		{"her code", code, []string{"clicks null referrals null sales 1 revenue 50 commission 10", "clicks null referrals null", "clicks null referrals null"}},
		{"bob, who is gone", bob, []string{"sales 1 revenue 10 commission 2", "adjustments 5", "deleted 1 revenue -10 commission -2 adjustments -5"}},
	} {
		q := tt.of
		q.From, q.To, q.By = from.Truncate(day), from.Truncate(day).Add(3*day), affiliate.IntervalDay
		var got []string
		for _, b := range scene.Must(s.Report(ctx, q, affiliate.Page{})).Items {
			got = append(got, figuresOf(b))
		}
		scene.Equal(t, tt.want, got, tt.name)
	}
}

// The pages of a report are the report, also when a page ends between records.
func TestReportPages(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	for range 9 {
		s.ToTomas("10")
		s.Pass(7 * time.Hour)
	}
	q := affiliate.ReportQuery{From: scene.Start.AddDate(0, 0, -2), To: scene.Start.AddDate(0, 0, 5), By: affiliate.IntervalDay}
	want := scene.Must(s.Report(ctx, q, affiliate.Page{})).Items
	for size := 1; size <= 9; size++ {
		var got []affiliate.Bucket
		for b, err := range affiliate.Each(size, func(pg affiliate.Page) (affiliate.List[affiliate.Bucket], error) { return s.Report(ctx, q, pg) }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b)
		}
		scene.Equal(t, scene.JSON(want), scene.JSON(got), size)
	}
	next := scene.Must(s.Report(ctx, q, affiliate.Page{Limit: 2})).Next
	q.By = affiliate.IntervalWeek
	s.Refused(scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		return scene.ErrOf(s.Report(ctx, q, affiliate.Page{Cursor: next}))
	})
}

// M85a: a payment that is told late is judged by the day on which it was paid, and booked on
// the day on which it was told: in reports, rankings, statements and lists. What was given
// out of an earlier month stays as it was.
func TestLatePaymentIsBookedWhenTold(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	s.Now = month(3)
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: scene.Percent("50"), From: affiliate.Set(affiliate.At(month(4)))}))
	paid, told := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), time.Date(2026, 5, 13, 12, 0, 0, 0, time.UTC)
	of := func(m time.Month) []string {
		q := affiliate.ReportQuery{From: month(m), To: month(m + 1), By: affiliate.IntervalMonth}
		statement, csv := scene.StatementTexts(t, s.Program, s.Ada.Person.ID, q.From, q.To)
		rank := scene.Must(s.Breakdown(ctx, affiliate.BreakdownQuery{From: q.From, To: q.To, By: affiliate.DimensionAffiliate}, affiliate.Page{})).Items
		found := scene.Must(s.Sales(ctx, affiliate.SaleQuery{Since: affiliate.Set(affiliate.At(q.From)), Until: affiliate.Set(affiliate.At(q.To))}, affiliate.Page{})).Items
		out := []string{figuresOf(scene.Must(s.Report(ctx, q, affiliate.Page{})).Items[0]), statement, csv}
		for _, row := range rank {
			out = append(out, "rank "+row.Revenue.String())
		}
		for _, sale := range found {
			out = append(out, "sale "+sale.PaidAt.String())
		}
		return out
	}
	s.Now = month(5)
	given := of(3)
	s.Now = told
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("100"), PaidAt: paid})
	scene.Equal(t, scene.Sum("20"), sale.CommissionEarned)
	s.Now = month(6)
	scene.Equal(t, given, of(3))
	may := of(5)
	if want := "sales 1 revenue 100 commission 20"; may[0] != want {
		t.Errorf("the report of May: %s, want %s", may[0], want)
	}
	for _, part := range []string{`"closing":{"held":0,"payable":20,"inPayout":0,"owed":20,"paid":0}`, `"at":"2026-05-13T12:00:00.000Z","cause":"SALE"`} {
		if !strings.Contains(may[1], part) {
			t.Errorf("the statement of May lacks %s: %s", part, may[1])
		}
	}
	scene.Equal(t, []string{"rank 100", "sale 2026-03-10T12:00:00.000Z"}, may[3:])
	s.Verifies()
}

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
		scene.Equal(t, tt.want, got, tt.by)
	}
	coupons, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionCoupon}, affiliate.Page{})
	if len(coupons) != 2 || !strings.HasSuffix(coupons[1], ": clicks null referrals null sales 1 revenue 7 commission 1.4") {
		t.Errorf("by coupon: %q", coupons)
	}

	mine, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionPlan, AffiliateID: affiliate.Set(s.Bob.ID)}, affiliate.Page{})
	scene.Equal(t, []string{"Gold: clicks null referrals null sales 1 revenue 30 refunds 10 commission 10"}, mine)
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

// Many sales are looked up piece by piece, and what is remembered of them is bounded. A piece may
// have movements that count nothing, such as a payout's, and the next one begins after it.
func TestBreakdownOfMany(t *testing.T) {
	s := scene.NewShop(t)
	const n = 2500
	for i := range n {
		s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: scene.Sum("1"), Product: affiliate.Set(affiliate.Product{ProductID: fmt.Sprint("p", i%2)})})
		if i == n/5 {
			scene.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID}))
		}
	}
	got, _ := ranking(s, affiliate.BreakdownQuery{By: affiliate.DimensionProduct}, affiliate.Page{})
	want := []string{"p0 –: clicks null referrals null sales 1250 revenue 1250 commission 250", "p1 –: clicks null referrals null sales 1250 revenue 1250 commission 250"}
	scene.Equal(t, want, got)
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

func TestMain(m *testing.M) { atlength.Main(m) }
