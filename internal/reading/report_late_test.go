package reading_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

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
