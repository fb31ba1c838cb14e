package payment_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestProviderPayments: the payments of one provider, newest first, in pages, by when they were told.
func TestProviderPayments(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	pays := func(provider, id, email string, at time.Time, tries ...affiliate.Credit) {
		t.Helper()
		scene.Must(s.Payments().ReportPayment(ctx, affiliate.PaymentFact{Provider: provider, Keys: []string{id}, At: at, Currency: "USD",
			Payer: affiliate.PayerFact{ID: "of " + id, Email: email, Name: "N"},
			Sale:  affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("10"), ExternalID: id}, Gross: scene.Sum("10"), Tries: tries})}))
	}
	ada := affiliate.Credit{ReferralID: "ada"}
	day := scene.Start.AddDate(0, 0, -1)
	pays("stripe", "pi_1", "one@example.net", day, ada)
	pays("paddle", "txn_1", "two@example.net", day, ada)
	pays("stripe", "pi_2", "three@example.net", day.Add(time.Hour), ada)
	pays("stripe", "pi_3", "four@example.net", day.Add(2*time.Hour)) // nobody brought them: it is not kept
	pays("stripe", "pi_4", "five@example.net", day.Add(3*time.Hour), ada, affiliate.Credit{PromoCode: "NOBODY"})
	list := func(q affiliate.ProviderPaymentQuery) (keys []string) {
		t.Helper()
		for p, err := range affiliate.All(ctx, s.Payments().ProviderPayments, q) {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, p.Keys...)
		}
		return keys
	}
	scene.Equal(t, []string{"pi_4", "pi_2", "pi_1"}, list(affiliate.ProviderPaymentQuery{Provider: "stripe"}))
	scene.Equal(t, []string{"txn_1"}, list(affiliate.ProviderPaymentQuery{Provider: "paddle"}))
	scene.Equal(t, []string{"pi_2"}, list(affiliate.ProviderPaymentQuery{Provider: "stripe", From: day.Add(time.Hour), To: day.Add(3 * time.Hour)}))
	page := scene.Must(s.Payments().ProviderPayments(ctx, affiliate.ProviderPaymentQuery{Provider: "stripe"}, affiliate.Page{Limit: 1}))
	scene.Equal(t, []string{"pi_4"}, page.Items[0].Keys)
	scene.Equal(t, affiliate.TimeOf(day.Add(3*time.Hour)), page.Items[0].ToldAt)
	for _, q := range []affiliate.ProviderPaymentQuery{{}, {Provider: "Not One"}} {
		if _, err := s.Payments().ProviderPayments(ctx, q, affiliate.Page{}); err == nil {
			t.Errorf("%+v is taken", q)
		}
	}
	if _, err := s.Payments().ProviderPayments(ctx, affiliate.ProviderPaymentQuery{Provider: "stripe"}, affiliate.Page{Limit: -1}); err == nil {
		t.Error("a bad page is taken")
	}
}
