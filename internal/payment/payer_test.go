package payment_test

import (
	"fmt"
	"strings"
	"testing"

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
			if got := creditOf(s, s.SaleOf("pi_1")); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if tt.tries != nil { // and so do the renewals
				again := scene.Renewal(s.Paid("pi_2", tt.then, "0"))
				again.Payer = scene.Tomas
				s.Reports(again)
				if got := creditOf(s, s.SaleOf("pi_2")); got != tt.want {
					t.Errorf("the renewal: %s, want %s", got, tt.want)
				}
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
		if got := creditOf(s, sold.Sale.Or(affiliate.Sale{})); got != want {
			t.Errorf("RealOrder %s: %s, want %s", real, got, want)
		}
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
		if got := creditOf(s, s.SaleOf("pi_2")); got != want {
			t.Errorf("%s went back: %s, want %s", back, got, want)
		}
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
			if got := scene.Must(s.Code(t.Context(), affiliate.CodeRef{ID: s.MaraCode.ID})).TimesRedeemed; got != want {
				t.Errorf("%q: redeemed %d times, want %d", payer.Email, got, want)
			}
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
	if got := creditOf(s, s.SaleOf("pi_1")); got != "mara: 2 ACCEPTED []" {
		t.Errorf("the payer's renewal: %s", got)
	}
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
