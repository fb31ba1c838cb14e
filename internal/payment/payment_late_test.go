package payment_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

const day = 24 * time.Hour

// A payment is judged by the day on which it was paid, however late it is told: by the terms,
// the codes, the windows of clicks and the months of that day, by ReportPayment and by
// RecordSale. The sale shows that day.
func TestPaidThatDay(t *testing.T) {
	type door func(s *scene.PayShop, key string, in affiliate.SaleParams, by affiliate.Credit) (affiliate.SaleOutcome, affiliate.Sale)
	doors := map[string]door{
		"ReportPayment": func(s *scene.PayShop, key string, in affiliate.SaleParams, by affiliate.Credit) (affiliate.SaleOutcome, affiliate.Sale) {
			f := s.Paid(strings.ReplaceAll(key, " ", "_"), "100", "0", "1")
			f.Payer = affiliate.PayerFact{ID: "of " + in.Email, Email: in.Email, Name: in.Name}
			res := s.Reports(scene.Altered(f, func(p *affiliate.Paid) { p.PaidAt, p.Tries = in.PaidAt, []affiliate.Credit{by} }))
			return res.Outcome, res.Sale.Or(affiliate.Sale{})
		},
		"RecordSale": func(s *scene.PayShop, key string, in affiliate.SaleParams, by affiliate.Credit) (affiliate.SaleOutcome, affiliate.Sale) {
			in.ExternalID, in.TotalEarned, in.ReferralID, in.PromoCode = key, scene.Sum("100"), by.ReferralID, by.PromoCode
			res, err := s.RecordSale(s.T.Context(), in)
			if err != nil {
				return affiliate.SaleOutcome(err.Error()), affiliate.Sale{}
			}
			return res.Outcome, res.Sale.Or(affiliate.Sale{})
		},
	}
	for name, tell := range doors {
		for _, days := range []time.Duration{45, 64, 400, 5000} {
			t.Run(fmt.Sprintf("%s %d", name, days), func(t *testing.T) {
				s, ctx := scene.NewPayShop(t, func(c *tributary.Config) { c.CookieDays = 30 }), t.Context()
				click := scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "mara"}))
				byClick, byCode := affiliate.Credit{ReferralID: fmt.Sprint(click.ID)}, affiliate.Credit{PromoCode: s.MaraCode.Code}
				scene.Must(s.UpdateCode(ctx, s.MaraCode.ID, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(s.Now.Add(10 * day)))}))
				changed := s.Now.Add(12 * day)
				scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: scene.Percent("50"), MaxMonths: affiliate.Set[int64](2), From: affiliate.Set(affiliate.At(changed))}))
				paid := changed.Add(-3 * day)
				s.Now = paid.Add(days * day)
				for _, told := range []struct {
					what   string
					who    string
					by     affiliate.Credit
					paid   time.Time
					earned string // empty: it is refused
				}{
					{"by a click whose window was open", "ida", byClick, paid, "20"},
					{"by a code that was valid", "leo", byCode, paid, "20"},
					{"by the next terms", "kim", byClick, changed.Add(day), "50"},
					{"in the third month", "kim", byClick, changed.Add(day).AddDate(0, 2, 0), ""},
					{"by a click whose window was over", "joe", byClick, paid.Add(22 * day), ""},
					{"by a code that was over", "lia", byCode, paid.Add(2 * day), ""},
				} {
					if told.paid.After(s.Now) {
						continue
					}
					in := affiliate.SaleParams{Email: told.who + "@example.com", Name: told.who, PaidAt: told.paid}
					outcome, sale := tell(s, told.what, in, told.by)
					recorded := told.earned != "" || told.who == "kim"
					if got := outcome == affiliate.SaleRecorded; got != recorded || sale.CommissionEarned.String() != cmp.Or(told.earned, "0") {
						t.Errorf("%s: %s, earned %s, want %q", told.what, outcome, sale.CommissionEarned, told.earned)
					}
					if recorded {
						scene.Equal(t, []affiliate.Time{affiliate.TimeOf(told.paid), affiliate.TimeOf(s.Now)}, []affiliate.Time{sale.PaidAt, sale.CreatedAt})
					}
				}
				s.Verifies()
			})
		}
	}
}
