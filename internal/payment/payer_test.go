package payment_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Whoever pays next to nothing by a link, with somebody's email, does not earn unseen on what that person buys. Who is
// vouched for, or bought in earnest, is credited as before.
func TestPlantedEmail(t *testing.T) {
	for _, tt := range []struct {
		name, first, then string
		host              bool
		tries             []string
		want              string
	}{
		{"a cent", "0.01", "10000", false, nil, "mara: 2000 ON_HOLD [planted_email]"},
		{"a tenth", "1000", "10000", false, nil, "mara: 2000 ACCEPTED []"},
		{"less than a tenth", "999", "10000", false, nil, "mara: 2000 ON_HOLD [planted_email]"},
		{"a customer of the host", "0.01", "10000", true, nil, "mara: 2000 ACCEPTED []"},
		{"a link of another affiliate", "0.01", "10000", false, []string{"ben"}, "ben: 2000 ACCEPTED []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			if tt.host {
				scene.Must(s.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: "mara", Name: "Tomas", Email: scene.Tomas.Email, ReferredUserExternalID: "17"}))
			}
			planted := s.Paid("pi_0", tt.first, "0", "mara")
			planted.Payer = affiliate.PayerFact{ID: "cus_planter", Email: scene.Tomas.Email}
			s.Reports(planted)
			then := s.Paid("pi_1", tt.then, "0", tt.tries...)
			then.Payer = scene.Tomas
			s.Outcome(s.Reports(then), affiliate.SaleRecorded)
			scene.Equal(t, tt.want, creditOf(s, s.SaleOf("pi_1")))
			if tt.tries != nil { // and so do the renewals
				again := scene.Renewal(s.Paid("pi_2", tt.then, "0"))
				again.Payer = scene.Tomas
				s.Reports(again)
				scene.Equal(t, tt.want, creditOf(s, s.SaleOf("pi_2")))
			}
			s.Verifies()
		})
	}
}

// An order that the host records with an email alone is of the customer whom payers have told, and is looked at too; what counts as an
// order in earnest is the host's to say.
func TestPlantedEmailOfSale(t *testing.T) {
	for real, want := range map[string]string{"0": "mara: 200 ON_HOLD [planted_email]", "0.0001": "mara: 200 ACCEPTED []"} {
		s := scene.NewPayShop(t, func(c *tributary.Config) { c.RealOrder = affiliate.MustPercent(real) })
		planted := s.Paid("pi_0", "0.01", "0", "mara")
		planted.Payer = affiliate.PayerFact{ID: "cus_planter", Email: scene.Tomas.Email}
		s.Reports(planted)
		sold := scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{Email: scene.Tomas.Email, Name: "Tomas", TotalEarned: scene.Sum("1000")}))
		scene.Equal(t, want, creditOf(s, sold.Sale.Or(affiliate.Sale{})), real)
	}
}

// What went back of the first order proves nothing: an order in earnest that was refunded is none.
func TestPlantedEmailRefunded(t *testing.T) {
	for back, want := range map[string]string{"100": "mara: 200 ON_HOLD [planted_email]", "0.01": "mara: 200 ON_HOLD [planted_email]", "": "mara: 200 ACCEPTED []"} {
		s := scene.NewPayShop(t)
		planted := s.Paid("pi_1", "100", "0", "mara")
		planted.Payer = affiliate.PayerFact{ID: "cus_planter", Email: scene.Tomas.Email}
		s.Reports(planted)
		if back != "" {
			s.Reports(s.Refund("re_1", back, affiliate.RefundSucceeded))
		}
		then := s.Paid("pi_2", "1000", "0")
		then.Payer = scene.Tomas
		s.Reports(then)
		scene.Equal(t, want, creditOf(s, s.SaleOf("pi_2")), back)
		s.Verifies()
	}
}

func creditOf(s *scene.PayShop, sale affiliate.Sale) string {
	s.T.Helper()
	who := scene.Must(s.Affiliate(s.T.Context(), sale.AffiliateID.String()))
	c := sale.Commissions[0]
	return fmt.Sprint(strings.ToLower(who.FirstName), ": ", c.CommissionEarned, " ", c.ApprovalStatus, " ", c.RiskReasons)
}

// A trial redeems its code once for its customer, with an email or without, and is no customer of the host's by the provider's id.
func TestTrialRedeems(t *testing.T) {
	for _, payer := range []affiliate.PayerFact{scene.Tomas, {ID: "cus_T"}} {
		s := scene.NewPayShop(t)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, affiliate.CodeUpdate{MaxRedemptionsPerCustomer: affiliate.Set[int64](1)}))
		trial := s.Fact("cs_t")
		trial.Payer, trial.Sale = payer, affiliate.Set(affiliate.Paid{Stage: affiliate.PaidNothing, Tries: scene.Credits([]string{"code:MARA20"})})
		s.Outcome(s.Reports(trial), affiliate.SaleReferred)
		s.Outcome(s.Reports(trial), affiliate.SaleReferred)
		used := func(want int64) {
			t.Helper()
			scene.Equal(t, want, scene.Must(s.Code(t.Context(), affiliate.CodeRef{ID: s.MaraCode.ID})).TimesRedeemed, payer.Email)
		}
		used(1)
		another := trial
		another.Keys = []string{"cs_u"}
		s.Reports(another)
		used(1)
		if ref := scene.Must(s.Payments().Payer(t.Context(), "stripe", payer)).Referral.Or(affiliate.Referral{}); ref.ReferredUserExternalID.Or("") != "" || ref.Email != payer.Email {
			t.Errorf("the customer is %+v", ref)
		}
		scene.Must(0, s.Payments().ReportPayer(t.Context(), "stripe", scene.Tomas))
		used(1)
		scene.Must(0, s.RestoreRedemption(t.Context(), affiliate.SaleRef{ExternalID: "stripe:cs_t"}))
		used(0)
		s.Verifies()
	}
}

// What holds a sale because its email may be planted holds it in the preview too. Nobody is held back whom the host names by an id that
// somebody has, or who names an affiliate.
func TestPlantedEmailOfPreview(t *testing.T) {
	s := scene.NewPayShop(t, func(c *tributary.Config) { c.HouseCodes = true })
	ctx := t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "House", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "HOUSE"}))
	planted := s.Paid("pi_0", "0.01", "0", "mara")
	planted.Payer = affiliate.PayerFact{ID: "cus_planter", Email: scene.Tomas.Email}
	s.Reports(planted)
	for _, who := range []affiliate.Order{{Email: scene.Tomas.Email}, {ReferralID: scene.Tomas.Email}, {ReferredUserExternalID: "u-17", Email: scene.Tomas.Email}} {
		who.PromoCode, who.TotalEarned = "HOUSE", scene.Amount("1000")
		got := scene.Must(s.Evaluate(ctx, who))
		scene.Equal(t, []affiliate.RiskReason{affiliate.RiskPlantedEmail}, got.Risks)
		sold := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{
			PromoCode: who.PromoCode, Email: who.Email, ReferralID: who.ReferralID, Name: "T", TotalEarned: scene.Sum("1000"),
		}))
		scene.Equal(t, got.Risks, sold.Sale.Or(affiliate.Sale{}).Commissions[0].RiskReasons)
	}
	by := affiliate.Order{PromoCode: "HOUSE", Email: scene.Tomas.Email, ReferralID: "ben", TotalEarned: scene.Amount("1000")}
	scene.Equal(t, 0, len(scene.Must(s.Evaluate(ctx, by)).Risks))
	by.ReferralID, by.TotalEarned = "", scene.Amount("0.05")
	scene.Equal(t, 0, len(scene.Must(s.Evaluate(ctx, by)).Risks))
}

// Who signs up with an email that only payers have told is somebody of their own, when another affiliate brought them: the host
// vouches for the email then. The payer stays a customer, by the provider's id.
func TestPlantedEmailSignsUp(t *testing.T) {
	plant := func() *scene.PayShop {
		s := scene.NewPayShop(t)
		planted := s.Paid("pi_0", "0.01", "0", "mara")
		planted.Payer = affiliate.PayerFact{ID: "cus_planter", Email: scene.Tomas.Email}
		s.Reports(planted)
		return s
	}
	in := affiliate.ReferralParams{AffiliateID: "ben", Name: "Tomas", Email: scene.Tomas.Email, ReferredUserExternalID: "u-17"}
	s := plant()
	ctx := t.Context()
	got := scene.Must(s.CreateReferral(ctx, in))
	if got.AffiliateID != s.Ben.ID || got.Email != scene.Tomas.Email {
		t.Errorf("who signs up is %s of %v", got.Email, got.AffiliateID)
	}
	scene.Equal(t, got.ID, scene.Must(s.CreateReferral(ctx, in)).ID)
	for _, in := range []affiliate.SaleParams{{Email: scene.Tomas.Email}, {ReferredUserExternalID: "u-17"}} {
		in.TotalEarned = scene.Sum("1000")
		if got := creditOf(s, scene.Must(s.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{})); got != "ben: 200 ACCEPTED []" {
			t.Error(got)
		}
	}
	again := scene.Renewal(s.Paid("pi_1", "10", "0"))
	again.Payer = affiliate.PayerFact{ID: "cus_planter", Email: scene.Tomas.Email}
	s.Reports(again)
	scene.Equal(t, "mara: 2 ACCEPTED []", creditOf(s, s.SaleOf("pi_1")))
	s.Verifies()

	for name, to := range map[string]string{"the same affiliate": "mara", "nobody": "no-such"} {
		s := plant()
		in.AffiliateID = to
		known := scene.Must(s.CreateReferral(ctx, in))
		if known.AffiliateID != s.Mara.ID || (known.ReferredUserExternalID.Or("") == "u-17") != (to == "mara") {
			t.Errorf("%s: %v of %v", name, known.ReferredUserExternalID, known.AffiliateID)
		}
	}

	s = plant() // the host says who buys, and the order names whom to credit
	own := affiliate.SaleParams{ReferralID: "ben", ReferredUserExternalID: "u-18", Email: scene.Tomas.Email, Name: "T", TotalEarned: scene.Sum("1000")}
	sold := scene.Must(s.RecordSale(ctx, own)).Sale.Or(affiliate.Sale{})
	scene.Equal(t, "ben: 200 ACCEPTED []", creditOf(s, sold))
	own.ReferralID = ""
	scene.Equal(t, "ben: 200 ACCEPTED []", creditOf(s, scene.Must(s.RecordSale(ctx, own)).Sale.Or(affiliate.Sale{})))
	own.ReferredUserExternalID = ""
	scene.Equal(t, "mara: 200 ON_HOLD [planted_email]", creditOf(s, scene.Must(s.RecordSale(ctx, own)).Sale.Or(affiliate.Sale{})))
	s.Verifies()
}

// staged is the fact at another stage.
func staged(f affiliate.PaymentFact, to affiliate.Stage) affiliate.PaymentFact {
	return scene.Altered(f, func(p *affiliate.Paid) { p.Stage = to })
}

// What was agreed and what was paid of it are one sale in either order: credited as was
// agreed, with as much as was paid. Neither alone is a sale.
func TestAgreed(t *testing.T) {
	for _, paidFirst := range []bool{false, true} {
		s := scene.NewPayShop(t)
		facts := []affiliate.PaymentFact{
			staged(s.Paid("pi_1 cs_1", "120", "20", "code:MARA20"), affiliate.PaidLater),
			staged(s.Paid("pi_1 ch_1", "90", "0", "ben"), affiliate.PaidOfAgreed),
		}
		if paidFirst {
			facts[0], facts[1] = facts[1], facts[0]
		}
		s.Outcome(s.Reports(facts[0]), affiliate.SaleParked)
		if sales(s) != 0 {
			t.Error("a half of it is a sale")
		}
		_ = s.Payments().ReportPayer(t.Context(), "stripe", scene.Tomas) // does not book what is not paid
		if sales(s) != 0 {
			t.Error("a payer made it a sale")
		}
		s.Outcome(s.Reports(facts[1]), affiliate.SaleRecorded)
		sale := s.Gives("pi_1", "15") // 90 with tax 15
		credited(s, sale, s.Mara)
		scene.Equal(t, scene.Sum("15"), sale.TaxAmount)
		s.Reports(facts...)
		s.Reports(s.Refund("re_1", "45", affiliate.RefundSucceeded))
		s.Gives("pi_1", "7.5")
	}
}

// A trial refers its customer, redeems its code once, and is no sale, also before the email is there. What comes after
// it is the customer's first payment.
func TestTrialFact(t *testing.T) {
	s := scene.NewPayShop(t)
	trial := s.Fact("txn_t")
	trial.Payer = affiliate.PayerFact{ID: "cus_T"}
	trial.Sale = affiliate.Set(affiliate.Paid{Stage: affiliate.PaidNothing, Tries: scene.Credits([]string{"code:MARA20"})})
	s.Outcome(s.Reports(trial), affiliate.SaleReferred)
	renewed := scene.Renewal(s.Paid("pi_2", "100", "0"))
	renewed.Payer = affiliate.PayerFact{ID: "cus_T"}
	s.Outcome(s.Reports(renewed), affiliate.SaleRecorded)
	scene.Must(0, s.Payments().ReportPayer(t.Context(), "stripe", scene.Tomas))
	credited(s, s.Gives("pi_2", "20"), s.Mara)
	scene.Equal(t, affiliate.Set(int64(1)), scene.Must(s.ExplainSale(t.Context(), s.SaleOf("pi_2").ID)).Terms.Payment)
	s.Outcome(s.Reports(trial), affiliate.SaleReferred)
	scene.Equal(t, 1, sales(s))
	scene.Equal(t, 1, scene.Must(s.Code(t.Context(), affiliate.CodeRef{Code: "MARA20"})).TimesRedeemed)
	s.Verifies()
}

// A payment that is counted in another currency takes refunds in that alone, as parts.
func TestCounted(t *testing.T) {
	s := scene.NewPayShop(t)
	euros := func(f affiliate.PaymentFact) affiliate.PaymentFact { f.Currency = "EUR"; return f }
	s.Reports(euros(s.Refund("re_1", "54", affiliate.RefundSucceeded))) // it may come before the payment
	s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "mara"), func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = scene.Sum("108"), "EUR" }))
	s.Reports(euros(s.Refund("re_1", "54", affiliate.RefundSucceeded)))
	s.Gives("pi_1", "10")
	_, err := s.Payments().ReportPayment(t.Context(), s.Refund("re_2", "1", affiliate.RefundSucceeded))
	scene.WantReason(t, "in the program's currency", affiliate.InvalidField, err)
	s.Reports(euros(s.Dispute("dp_1", "54", affiliate.DisputeLost, 0)))
	s.Gives("pi_1", "0")
	if p := scene.Must(s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1")); p.Currency != "EUR" || p.Lost != scene.Sum("108") {
		t.Errorf("%+v", p)
	}
}

func euroShop(t *testing.T, change ...func(*tributary.Config)) *scene.PayShop {
	s := scene.NewPayShop(t, change...)
	s.In = "EUR"
	return s
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
	scene.Equal(t, sale.ID, s.Gives("pi_1", "20").ID)
	host.ExternalID, host.Currency, host.TotalEarned = "order-2", "", scene.Sum("200")
	scene.Must(s.RecordSale(t.Context(), host))
	s.Outcome(s.Reports(paid("pi_2", "order-2", "100")), affiliate.SaleDuplicate)
	host.ExternalID, host.Currency, host.TotalEarned = "order-3", "EUR", scene.Sum("100")
	scene.Must(s.RecordSale(t.Context(), host))
	s.In = "USD"
	s.Outcome(s.Reports(paid("pi_3", "order-3", "200")), affiliate.SaleConflict)
	s.Verifies()
}

// A customer of whom only a payer's email is known, who paid next to nothing, does not get the host's id from a later
// order with that email: whoever typed it may be somebody else.
func TestDoubtfulCustomerLearnsNothing(t *testing.T) {
	for paid, want := range map[string]string{"0.01": "", "9000": "user-7"} {
		s := scene.NewPayShop(t)
		ctx := t.Context()
		s.Outcome(s.Reports(s.Paid("pi_1", paid, "0", "1")), affiliate.SaleRecorded)
		later := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{Email: scene.Tomas.Email, Name: "Tomas", ReferredUserExternalID: "user-7", TotalEarned: scene.Sum("10000")}))
		s.Outcome(affiliate.PaymentResult{Outcome: later.Outcome}, affiliate.SaleRecorded)
		if got := scene.Must(s.Referral(ctx, scene.Tomas.Email)).ReferredUserExternalID.Or(""); got != want {
			t.Errorf("after a payment of %s the customer has the id %q, want %q", paid, got, want)
		}
	}
}
