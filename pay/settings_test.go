package pay_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// TestApplyInTheCurrencyOfNow: an event goes by the currency that the program has when it comes, also
// when another process has just changed it.
func TestApplyInTheCurrencyOfNow(t *testing.T) {
	store, now := memstore.New(), time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	open := func() *tributary.Program {
		return shoptest.Must(tributary.New(store, tributary.Config{ID: uuid.Max, StoredSettings: true, Name: "Shop",
			Now: func() time.Time { return now }, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
	}
	here, there := open(), open()
	shoptest.Must(here.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: "a@x.example", AffiliateLink: "ada"}))
	shoptest.Must(here.Settings(t.Context()))
	shoptest.Must(there.UpdateSettings(t.Context(), affiliate.SettingsUpdate{Currency: affiliate.Set(affiliate.Currency("EUR"))}))
	now = now.Add(time.Minute) // here looks at what others do every few seconds
	action := pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: "evt_1", At: now}, Settled: "EUR",
		Payment: affiliate.PaymentFact{Provider: "acmepay", Keys: []string{"pay_1"}, At: now, Currency: "USD",
			ExchangeRate: affiliate.MustExchangeRate("0.9"), Payer: affiliate.PayerFact{ID: "cus_1", Email: "k@x.example"},
			Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("100")}, Gross: affiliate.MustAmount("100"), Tries: []affiliate.Credit{{ReferralID: "ada"}}})}}
	result := shoptest.Must(pay.Apply(t.Context(), here, action))
	if sale, ok := result.Sale.Get(); !ok || sale.TotalEarned.String() != "90" {
		t.Errorf("%s, %+v", result.Outcome, result.Refusal)
	}
}
