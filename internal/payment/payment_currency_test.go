package payment_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

func euroShop(t *testing.T, change ...func(*tributary.Config)) *scene.PayShop {
	s := scene.NewPayShop(t, change...)
	s.In = "EUR"
	return s
}

// 20 % of what 120 euros with 20 of tax leave, at 1.0842; refunds and disputes are in euros.
func TestPaymentInEuros(t *testing.T) {
	s := euroShop(t, scene.Worth("EUR", "1.0842"))
	s.Reports(s.Refund("re_1", "30", affiliate.RefundSucceeded)) // before the payment
	s.Outcome(s.Reports(s.Paid("pi_1", "120", "20", "1")), affiliate.SaleRecorded)
	sale := s.Gives("pi_1", "16.26")
	if charged, _ := sale.Charged.Get(); charged.Currency != "EUR" || charged.TotalEarned != scene.Sum("120") || charged.RefundedAmount != scene.Sum("30") || sale.TotalEarned != scene.Sum("130.1") {
		t.Errorf("%+v, in all %v", charged, sale.TotalEarned)
	}
	s.Reports(s.Dispute("dp_1", "90", affiliate.DisputeLost, 1))
	s.Gives("pi_1", "0")
	s.Reports(s.Dispute("dp_1", "90", affiliate.DisputeWon, 2))
	s.Gives("pi_1", "16.26")
	s.Outcome(s.Reports(s.Paid("pi_1", "120", "20", "1")), affiliate.SaleDuplicate)
	dollars := s.Refund("re_2", "1", affiliate.RefundSucceeded)
	dollars.Currency = "USD"
	_, err := s.Payments().ReportPayment(t.Context(), dollars)
	scene.WantReason(t, "a refund in the program's currency", affiliate.InvalidField, err)
}

// What has no rate waits with everything that is told of it, and is booked when one comes: by
// a repeated report, or because a person decides.
func TestPaymentWithoutRate(t *testing.T) {
	for _, how := range []string{"told again", "told again with a rate", "decided"} {
		t.Run(how, func(t *testing.T) {
			var rate affiliate.ExchangeRate
			s := euroShop(t, func(c *tributary.Config) {
				c.Rate = func(context.Context, affiliate.Currency, time.Time) (affiliate.ExchangeRate, error) { return rate, nil }
			})
			fact := s.Paid("pi_1", "120", "20", "1")
			s.Outcome(s.Reports(fact), affiliate.SaleOtherCurrency)
			s.Reports(s.Refund("re_1", "30", affiliate.RefundSucceeded))
			waiting := scene.Must(s.Attention(t.Context(), 20)).PaymentConflicts.Items
			if len(waiting) != 1 || waiting[0].Outcome != affiliate.SaleOtherCurrency || waiting[0].Amount != scene.Sum("120") || waiting[0].Currency != "EUR" {
				t.Fatalf("%+v waits", waiting)
			}
			_, err := s.DecidePayment(t.Context(), waiting[0].ID, affiliate.PaymentIsOwnSale)
			scene.WantReason(t, "without a rate", affiliate.MissingField, err)
			s.Verifies()
			switch how {
			case "told again":
				rate = affiliate.MustExchangeRate("2")
				s.Outcome(s.Reports(fact), affiliate.SaleRecorded)
			case "told again with a rate":
				fact.ExchangeRate = affiliate.MustExchangeRate("2")
				s.Outcome(s.Reports(fact), affiliate.SaleRecorded)
			default:
				rate = affiliate.MustExchangeRate("2")
				s.Outcome(scene.Must(s.DecidePayment(t.Context(), waiting[0].ID, affiliate.PaymentIsOwnSale)), affiliate.SaleRecorded)
			}
			s.Gives("pi_1", "30") // 20 % of 75, twice
			if left := scene.Must(s.Attention(t.Context(), 20)).PaymentConflicts.Items; len(left) != 0 {
				t.Errorf("%+v waits", left)
			}
		})
	}
}

// A rate that cannot be asked for fails the report, so that the provider sends it again.
func TestPaymentRateFails(t *testing.T) {
	s := euroShop(t, func(c *tributary.Config) {
		c.Rate = func(context.Context, affiliate.Currency, time.Time) (affiliate.ExchangeRate, error) {
			return affiliate.ExchangeRate{}, errors.New("the bank does not answer")
		}
	})
	stored := s.Dump()
	if _, err := s.Payments().ReportPayment(t.Context(), s.Paid("pi_1", "120", "20", "1")); err == nil || errors.As(err, new(*affiliate.Error)) {
		t.Errorf("%v", err)
	}
	scene.Equal(t, stored, s.Dump())
	s.Reports(s.Refund("re_1", "30", affiliate.RefundSucceeded)) // needs no rate
}

// Stages in another currency: the rate is that of the payment, in whatever order.
func TestStagesInEuros(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}, {0, 1, 0, 1}, {1, 0, 1}} {
		s := euroShop(t, func(c *tributary.Config) {
			c.Rate = func(_ context.Context, _ affiliate.Currency, at time.Time) (affiliate.ExchangeRate, error) {
				if at.Minute() == 30 {
					return affiliate.MustExchangeRate("2"), nil
				}
				return affiliate.MustExchangeRate("3"), nil
			}
		})
		s.Now = time.Date(2026, 5, 1, 12, 40, 0, 0, time.UTC)
		stage := func(stage affiliate.Stage, total string, minute int) affiliate.PaymentFact {
			return scene.Altered(s.Paid("pi_1", total, "0", "1"), func(p *affiliate.Paid) {
				p.Stage, p.PaidAt = stage, time.Date(2026, 5, 1, 12, minute, 0, 0, time.UTC)
			})
		}
		facts := []affiliate.PaymentFact{stage(affiliate.PaidLater, "120", 20), stage(affiliate.PaidOfAgreed, "60", 30)}
		for _, i := range order {
			s.Reports(facts[i])
		}
		s.Gives("pi_1", "24") // 20 % of 60, twice
	}
}

// Prices in euros, shown in pounds, in a program in dollars: refunds in pounds take their part.
func TestThreeCurrencies(t *testing.T) {
	s := euroShop(t, scene.Worth("EUR", "1.5"))
	s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "mara"), func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = scene.Sum("90"), "GBP" }))
	s.Gives("pi_1", "30")
	pounds := s.Refund("re_1", "45", affiliate.RefundSucceeded)
	pounds.Currency = "GBP"
	s.Reports(pounds)
	if charged, _ := s.Gives("pi_1", "15").Charged.Get(); charged.RefundedAmount != scene.Sum("60") {
		t.Errorf("%+v", charged)
	}
	// Shown in the program's own currency.
	s.Reports(scene.Altered(s.Paid("pi_2", "100", "0", "mara"), func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = scene.Sum("140"), "USD" }))
	s.Gives("pi_2", "30")
	back := s.Refund("re_2", "70", affiliate.RefundSucceeded, "pi_2")
	back.Currency = "USD"
	s.Reports(back)
	s.Gives("pi_2", "15")
}

// A sale that the host recorded: in the same currency the payment takes it, and in another
// one it is left to the host.
func TestHostsSaleInEuros(t *testing.T) {
	s := euroShop(t, scene.Worth("EUR", "2"))
	host := affiliate.SaleParams{ReferralID: "1", Email: scene.Tomas.Email, Name: "Tomas", TotalEarned: scene.Sum("100"), ExternalID: "order-1", Currency: "EUR"}
	sale := scene.Must(s.RecordSale(t.Context(), host)).Sale.Or(affiliate.Sale{})
	paid := func(key, order, total string) affiliate.PaymentFact {
		return scene.Altered(s.Paid(key, total, "0", "1"), func(p *affiliate.Paid) { p.ExternalID = order })
	}
	s.Outcome(s.Reports(paid("pi_1", "order-1", "100")), affiliate.SaleDuplicate)
	s.Reports(s.Refund("re_1", "50", affiliate.RefundSucceeded))
	if got := s.Gives("pi_1", "20"); got.ID != sale.ID {
		t.Errorf("sale %d, want %d", got.ID, sale.ID)
	}
	host.ExternalID, host.Currency, host.TotalEarned = "order-2", "", scene.Sum("200")
	scene.Must(s.RecordSale(t.Context(), host))
	s.Outcome(s.Reports(paid("pi_2", "order-2", "100")), affiliate.SaleDuplicate)
	host.ExternalID, host.Currency, host.TotalEarned = "order-3", "EUR", scene.Sum("100")
	scene.Must(s.RecordSale(t.Context(), host))
	s.In = "USD"
	s.Outcome(s.Reports(paid("pi_3", "order-3", "200")), affiliate.SaleConflict)
	s.Verifies()
}

// Whoever pays may be told later; the payment has its rate then.
func TestPayerOfEuros(t *testing.T) {
	asked := 0
	s := euroShop(t, func(c *tributary.Config) {
		c.Rate = func(context.Context, affiliate.Currency, time.Time) (affiliate.ExchangeRate, error) {
			asked++
			return affiliate.MustExchangeRate("2"), nil
		}
	})
	fact := s.Paid("pi_1", "100", "0", "mara")
	fact.Payer = affiliate.PayerFact{ID: "cus_T"}
	s.Outcome(s.Reports(fact), affiliate.SaleRecorded)
	scene.Must(0, s.Payments().ReportPayer(t.Context(), "stripe", scene.Tomas))
	s.Gives("pi_1", "40")
	if asked != 1 {
		t.Errorf("the rate was asked for %d times", asked)
	}
}
