package adapter_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// TestUnmarked: when the API does not have what a checkout carried, one line says how many payments credit nobody; else none does.
func TestUnmarked(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		unmarked bool
		payers   []string // cus_known was brought by somebody
		says     string
	}{
		"nobody's":     {true, []string{"cus_1", "cus_known", "cus_2"}, "payments=2"},
		"of the known": {true, []string{"cus_known"}, ""},
		"marked":       {false, []string{"cus_1", "cus_2"}, ""},
	} {
		var log bytes.Buffer
		p := warnedProgram(t, &now, affiliate.Terms{})
		mara, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: "mara@partners.example", AffiliateLink: "mara"})
		if err == nil {
			_, err = p.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: mara.ID.String(), Name: "Tomas", Email: "cus_known@customers.example", ReferredUserExternalID: "17"})
		}
		if err != nil {
			t.Fatal(err)
		}
		src := adapter.Source{API: adapter.API{Base: "https://api.example"}, Provider: "stripe", Unmarked: row.unmarked,
			Endpoint: adapter.Endpoint{
				Config: adapter.Config{Now: func() time.Time { return now }, Logger: slog.New(slog.NewTextHandler(&log, nil))},
				Map: func(body []byte) (pay.Action, error) {
					return pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: string(body), Type: "paid", At: now}, Payment: affiliate.PaymentFact{
						Provider: "acmepay", Keys: []string{"of_" + string(body)}, At: now, Currency: "USD",
						Payer: affiliate.PayerFact{ID: string(body), Email: string(body) + "@customers.example", Name: "Tomas"},
						Sale:  affiliate.Set(affiliate.Paid{Gross: affiliate.MustAmount("100"), SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("100")}})}}, nil
				},
			},
			Read: func(_ context.Context, _ adapter.API, _ time.Time, yield func([]byte) bool) error {
				for _, payer := range row.payers {
					_ = yield([]byte(payer))
				}
				return nil
			}}
		done, err := src.CatchUp(t.Context(), p, now)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(log.String(), "level=WARN")
		if row.says == "" && lines > 0 || row.says != "" && (lines != 1 || !strings.Contains(log.String(), row.says)) {
			t.Errorf("%s: %+v\n%s", name, done, log.String())
		}
		if nobodys := len(row.payers) - done.Sales; done.Nobodys != nobodys {
			t.Errorf("%s: %d of nobody's customers, want %d", name, done.Nobodys, nobodys)
		}
	}
}
