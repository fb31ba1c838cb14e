package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// Contract 3.7, POST: what conformance does not send.
func TestRecordSaleErrors(t *testing.T) {
	s := scene.NewShop(t)
	flat := scene.Must(s.CreatePlan(t.Context(), affiliate.PlanParams{Name: "flat", Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("5")}}))
	scene.Must(s.SetAffiliatePlan(t.Context(), flat.ID, s.Bob.ID))
	long := strings.Repeat("é", 256)
	for _, tt := range []struct {
		name   string
		change func(*affiliate.SaleParams)
		want   affiliate.Error
	}{
		{"ErrTotalLowest", func(in *affiliate.SaleParams) { in.TotalEarned = affiliate.AmountFromScaled(math.MinInt64) }, scene.FieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must be greater than zero")},
		{"ErrInvoiceLong", func(in *affiliate.SaleParams) { in.ExternalInvoiceID = long }, scene.FieldError(affiliate.InvalidField, "externalInvoiceId", "externalInvoiceId is too long")},
		{"ErrTrigger", func(in *affiliate.SaleParams) { in.PaymentTrigger = "GIFT\x00" }, scene.FieldError(affiliate.InvalidField, "paymentTrigger", "paymentTrigger must be one of SIGNUP, PURCHASE, BONUS, CONTENT_REWARD")},
		{"ErrIntegration", func(in *affiliate.SaleParams) { in.Integration = "nul\x00" }, scene.FieldError(affiliate.InvalidField, "integrationSalesSource", "integrationSalesSource must be one of JAVASCRIPT, MAKE, ZAPIER, STRIPE, SHOPIFY, WOOCOMMERCE, PADDLE, CHARGEBEE, MEMBERSTACK, POLAR, SKILLPLATE, ZYLVIE")},
		{"ErrDeductionsOverflow", func(in *affiliate.SaleParams) {
			in.Tax, in.Shipping = affiliate.AmountFromScaled(math.MaxInt64), affiliate.AmountFromScaled(math.MaxInt64)
		}, scene.FieldError(affiliate.InvalidField, "tax", "Tax and shipping must not exceed the total amount earned")},
		{"ErrRateFlat", func(in *affiliate.SaleParams) { in.ReferralID, in.CommissionRate = s.Bea.Email, scene.Percent("-1") }, scene.FieldError(affiliate.InvalidField, "commissionRate", "Commission rate must not be negative")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			in := affiliate.SaleParams{ReferralID: s.Tomas.Email, TotalEarned: scene.Sum("100")}
			tt.change(&in)
			s.Refused(tt.want, func() error { _, err := s.RecordSale(t.Context(), in); return err })
		})
	}
}

// The rows of the contract's table are the order of the checks: with all
// mistakes at once the error is the first row, then the next.
func TestRecordSaleErrorOrder(t *testing.T) {
	s := scene.NewShop(t)
	in := affiliate.SaleParams{
		TotalEarned: affiliate.Amount{}, Tax: scene.Sum("-1"), Shipping: scene.Sum("-1"), CommissionRate: scene.Percent("-1"),
		Product: affiliate.Set(affiliate.Product{Quantity: affiliate.Set(affiliate.Amount{}), Price: affiliate.Set(scene.Sum("-1"))}),
	}
	for _, step := range []struct {
		field string
		mend  func()
	}{
		{"", func() { in.ReferralID = "ada" }},
		{"totalEarned", func() { in.TotalEarned = scene.Sum("-5") }},
		{"totalEarned", func() { in.TotalEarned = scene.Sum("5") }},
		{"product.quantity", func() { in.Product = affiliate.Set(affiliate.Product{Price: affiliate.Set(scene.Sum("-1"))}) }},
		{"product.price", func() { in.Product = affiliate.Opt[affiliate.Product]{} }},
		{"tax", func() { in.Tax = scene.Sum("6") }},
		{"shipping", func() { in.Shipping = affiliate.Amount{} }},
		{"tax", func() { in.Tax = affiliate.Amount{} }},
		{"email", func() { in.Email = "new@example.net" }},
		{"name", func() { in.Name = "New" }},
		{"commissionRate", func() { in.CommissionRate = scene.Percent("100") }},
	} {
		_, err := s.RecordSale(t.Context(), in)
		refusal, ok := err.(*affiliate.Error)
		if !ok || refusal.Field != step.field {
			t.Fatalf("want a refusal of %q, got %v", step.field, err)
		}
		step.mend()
	}
	s.Fires(func() error { _, err := s.RecordSale(t.Context(), in); return err }, affiliate.ReferralCreated, affiliate.SaleCreated)
}

// The affiliate that is credited, the customer, and the link of a sale.
func TestRecordSaleAttribution(t *testing.T) {
	s := scene.NewShop(t)
	adaLink := s.Ada.Person.AffiliateLinks[0].ID
	none := uuid.Nil
	newbie := uuid.Max // stands for a referral that the sale creates
	click := func(c affiliate.Click) string { return scene.JSON(c.ID) }
	for _, tt := range []struct {
		name                      string
		in                        affiliate.SaleParams
		affiliate, link, referral uuid.UUID
		clicks                    int64
		medium                    affiliate.ReferralMedium // of a new customer
	}{
		{"referral id", affiliate.SaleParams{ReferralID: s.Tomas.ID.String()}, s.Ada.Person.ID, adaLink, s.Tomas.ID, 0, ""},
		{"referral email in other case", affiliate.SaleParams{ReferralID: " TOMAS@Example.NET"}, s.Ada.Person.ID, adaLink, s.Tomas.ID, 0, ""},
		{"email alone", affiliate.SaleParams{Email: s.Bea.Email}, s.Bob.ID, none, s.Bea.ID, 0, ""},
		{"referralId before email", affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Email: s.Bea.Email}, s.Ada.Person.ID, adaLink, s.Tomas.ID, 0, ""},
		{"unknown referralId passes on to email B394", affiliate.SaleParams{ReferralID: "nobody", Email: s.Bea.Email}, s.Bob.ID, none, s.Bea.ID, 0, ""},
		{"unknown email as referralId passes on", affiliate.SaleParams{ReferralID: "x@example.net", Email: s.Bea.Email}, s.Bob.ID, none, s.Bea.ID, 0, ""},
		{"affiliate id, customer of another", affiliate.SaleParams{ReferralID: s.Ada.Person.ID.String(), Email: s.Bea.Email}, s.Ada.Person.ID, none, s.Bea.ID, 0, ""},
		{"slug, new customer", affiliate.SaleParams{ReferralID: "ADA", Email: "n1@example.net", Name: "N"}, s.Ada.Person.ID, adaLink, newbie, 0, affiliate.MediumLink},
		{"click, new customer", affiliate.SaleParams{ReferralID: click(s.Click), Email: "n2@example.net", Name: "N"}, s.Ada.Person.ID, adaLink, newbie, 1, affiliate.MediumLink},
		{"the click again joins nobody else", affiliate.SaleParams{ReferralID: click(s.Click), Email: s.Tomas.Email}, s.Ada.Person.ID, adaLink, s.Tomas.ID, 0, ""},
		{"click, known customer of another", affiliate.SaleParams{ReferralID: click(s.BobClick), Email: s.Tomas.Email}, s.Bob.ID, s.Bob.AffiliateLinks[0].ID, s.Tomas.ID, 1, ""},
		{"code alone", affiliate.SaleParams{PromoCode: "ADA20"}, s.Ada.Person.ID, none, none, 0, ""},
		{"code in other spelling B375", affiliate.SaleParams{PromoCode: " ada20 "}, s.Ada.Person.ID, none, none, 0, ""},
		{"code before referralId and email B379", affiliate.SaleParams{PromoCode: "ADA20", ReferralID: "bob", Email: s.Bea.Email}, s.Ada.Person.ID, none, s.Bea.ID, 0, ""},
		{"code, new customer without a name", affiliate.SaleParams{PromoCode: "ADA20", Email: "n3@example.net"}, s.Ada.Person.ID, none, newbie, 0, affiliate.MediumCoupon},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			sale := s.Sell(tt.in)
			ref, ok := sale.Referral.Get()
			if want := tt.referral; want != newbie && ref.ID != want || want == newbie && (!ok || ref.ReferralMedium != tt.medium) {
				t.Errorf("customer %+v, want %v", ref, want)
			}
			scene.Equal(t, ref.ID, sale.ReferralID.Or(none), sale.ReferralID)
			got := []any{sale.AffiliateID, sale.AffiliateLinkID.Or(none), sale.Clicks}
			scene.Equal(t, []any{tt.affiliate, tt.link, tt.clicks}, got)
			s.Verifies()
		})
	}
	if ref := scene.Must(s.Referral(t.Context(), s.Bea.Email)); ref.AffiliateID != s.Bob.ID {
		t.Error("a customer was moved to another affiliate")
	}
}

// PaidAt is of this century, and ahead by what clocks differ at most. Expiry and attribution are judged then,
// and a repeat with another time is another call.
func TestRecordSalePaidAt(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	issue(s.World, s.Ada.Person.ID, "FRIDAY")
	code := scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "FRIDAY"}))
	expires := s.Now.Add(time.Hour)
	scene.Must(s.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(expires))}))
	s.Pass(30*24*time.Hour + time.Hour)
	paid := func(at time.Time) error {
		return scene.ErrOf(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "FRIDAY", TotalEarned: scene.Sum("10"), PaidAt: at}))
	}
	s.Refused(scene.FieldError(affiliate.InvalidField, "paidAt", "paidAt must not be later than now"), func() error { return paid(s.Now.Add(5*time.Minute + time.Millisecond)) })
	for _, wrong := range []time.Time{time.Unix(0, 0), time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC), time.Time{}.Add(1)} {
		s.Refused(scene.FieldError(affiliate.InvalidField, "paidAt", "paidAt must not be before 2000-01-01"), func() error { return paid(wrong) })
	}
	if err := paid(expires); err != nil {
		t.Errorf("paid at the last moment: %v", err)
	}
	for _, late := range []time.Time{{}, s.Now, s.Now.Add(5 * time.Minute), expires.Add(time.Millisecond)} {
		if err := paid(late); !errors.Is(err, affiliate.CodeExpired) {
			t.Errorf("paid at %v: %v", late, err)
		}
	}
	s.Verifies()
}

// Rate, base and rounding: contract 3.7 step 6, rule 5.3.
func TestRecordSaleCommission(t *testing.T) {
	type terms func(s scene.Shop, in *affiliate.SaleParams)
	plan := func(s scene.Shop, p affiliate.PlanParams) affiliate.Plan {
		p.Name = "p"
		return scene.Must(s.CreatePlan(s.T.Context(), p))
	}
	affiliatePlan := func(p affiliate.PlanParams) terms {
		return func(s scene.Shop, _ *affiliate.SaleParams) {
			scene.Must(s.SetAffiliatePlan(s.T.Context(), plan(s, p).ID, s.Ada.Person.ID))
		}
	}
	rated := func(rate string) affiliate.PlanParams {
		return affiliate.PlanParams{Terms: affiliate.Terms{Rate: affiliate.MustPercent(rate)}}
	}
	flat := func(rate string) affiliate.PlanParams {
		return affiliate.PlanParams{Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent(rate)}}
	}
	tier := func(rate affiliate.Opt[affiliate.Percent]) terms {
		return func(s scene.Shop, _ *affiliate.SaleParams) {
			tier := scene.Must(s.CreateTier(s.T.Context(), affiliate.TierParams{Tier: 1, Name: "t", ConditionType: affiliate.ConditionAll, Rate: rate}))
			scene.Must(s.SetAffiliateTier(s.T.Context(), tier.ID, s.Ada.Person.ID))
		}
	}
	own := func(rate string) terms {
		return func(s scene.Shop, _ *affiliate.SaleParams) {
			scene.Must(s.UpdateAffiliate(s.T.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}, affiliate.AffiliateUpdate{CommissionRate: scene.Percent(rate)}))
		}
	}
	customers := func(p affiliate.PlanParams) terms {
		return func(s scene.Shop, _ *affiliate.SaleParams) {
			scene.Must(s.SetReferralPlan(s.T.Context(), plan(s, p).ID, s.Tomas.ID))
		}
	}
	sale := func(change func(*affiliate.SaleParams)) terms {
		return func(_ scene.Shop, in *affiliate.SaleParams) { change(in) }
	}
	taxed := sale(func(in *affiliate.SaleParams) { in.Tax, in.Shipping = scene.Sum("10"), scene.Sum("20") })
	cfg := func(fn func(*tributary.Config)) func(*tributary.Config) { return fn }
	asIs := cfg(func(*tributary.Config) {})
	currency := func(c affiliate.Currency) func(*tributary.Config) {
		return func(cfg *tributary.Config) { cfg.Currency = c }
	}
	for _, tt := range []struct {
		name         string
		config       func(*tributary.Config)
		total        string
		terms        []terms
		rate, earned string
	}{
		{"program", asIs, "100", nil, "20", "20"},
		{"199.99 B386", asIs, "199.99", nil, "20", "40"},
		{"half a cent up", asIs, "0.025", nil, "20", "0.01"},
		{"under half a cent", asIs, "0.0249", nil, "20", "0"},
		{"smallest", asIs, "0.0001", nil, "20", "0"},
		{"JPY", currency("JPY"), "12.5", nil, "20", "3"},
		{"JPY below", currency("JPY"), "12.4999", nil, "20", "2"},
		{"KWD", currency("KWD"), "0.0025", nil, "20", "0.001"},
		{"largest", asIs, "100000000000", nil, "20", "20000000000"},
		{"largest with every digit", asIs, "99999999999.9999", nil, "20", "20000000000"},
		{"plan over program", asIs, "100", []terms{affiliatePlan(rated("7"))}, "7", "7"},
		{"plan of 0", asIs, "100", []terms{affiliatePlan(rated("0"))}, "0", "0"},
		{"tier over plan", asIs, "100", []terms{affiliatePlan(rated("7")), tier(scene.Percent("8"))}, "8", "8"},
		{"tier without a rate", asIs, "100", []terms{affiliatePlan(rated("7")), tier(affiliate.Opt[affiliate.Percent]{})}, "7", "7"},
		{"own over tier", asIs, "100", []terms{affiliatePlan(rated("7")), tier(scene.Percent("8")), own("9")}, "9", "9"},
		{"own 0 over tier", asIs, "100", []terms{tier(scene.Percent("8")), own("0")}, "0", "0"},
		{"sale over own", asIs, "100", []terms{own("9"), sale(func(in *affiliate.SaleParams) { in.CommissionRate = scene.Percent("12.5") })}, "12.5", "12.5"},
		{"sale 0 over own", asIs, "100", []terms{own("9"), sale(func(in *affiliate.SaleParams) { in.CommissionRate = scene.Percent("0") })}, "0", "0"},
		{"customer's plan over affiliate's", asIs, "100", []terms{affiliatePlan(rated("7")), customers(rated("11"))}, "11", "11"},
		{"own over customer's plan", asIs, "100", []terms{customers(rated("11")), own("9")}, "9", "9"},
		{"customer's plan not for another affiliate", asIs, "100", []terms{customers(rated("11")), sale(func(in *affiliate.SaleParams) { in.ReferralID, in.Email = "bob", "tomas@example.net" })}, "20", "20"},
		{"flat plan", asIs, "100", []terms{affiliatePlan(flat("250"))}, "250", "250"},
		{"flat plan, rounded", asIs, "100", []terms{affiliatePlan(flat("2.005"))}, "2.005", "2.01"},
		{"flat and tax", asIs, "100", []terms{affiliatePlan(flat("5")), taxed}, "5", "5"},
		{"tax and shipping off", asIs, "100", []terms{taxed}, "20", "14"},
		{"tax kept", func(c *tributary.Config) { c.CommissionOnTax = true }, "100", []terms{taxed}, "20", "16"},
		{"shipping kept", func(c *tributary.Config) { c.CommissionOnShipping = true }, "100", []terms{taxed}, "20", "18"},
		{"both kept", func(c *tributary.Config) { c.CommissionOnTax, c.CommissionOnShipping = true, true }, "100", []terms{taxed}, "20", "20"},
		{"nothing but tax", asIs, "30", []terms{taxed}, "20", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := scene.NewShop(t, tt.config)
			in := affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum(tt.total)}
			for _, change := range tt.terms {
				change(s, &in)
			}
			got := s.Sell(in)
			if rate, _ := got.CommissionRate.Get(); rate.String() != tt.rate || got.CommissionEarned.String() != tt.earned || len(got.Commissions) != 1 {
				t.Errorf("rate %v earned %v with %d entries, want %s and %s", rate, got.CommissionEarned, len(got.Commissions), tt.rate, tt.earned)
			}
			scene.Equal(t, tt.total, got.TotalEarned.String(), got.TotalEarned)
			s.Verifies()
		})
	}
}

// becomes sets the status of Ada.
func becomes(s scene.Shop, status string) {
	s.T.Helper()
	scene.Must(s.UpdateAffiliate(s.T.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set(status)}))
}

// New commissions are held when the program or the affiliate requires it.
func TestRecordSaleHolds(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		name   string
		prep   func(s scene.Shop)
		status affiliate.ApprovalStatus
		reason affiliate.HoldReason
	}{
		{"none", func(scene.Shop) {}, affiliate.ApprovalAccepted, ""},
		{"banned B404", func(s scene.Shop) { scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.Ada.Person.ID)) }, affiliate.ApprovalOnHold, affiliate.HoldAffiliateBanned},
		{"deactivated B404", func(s scene.Shop) {
			scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, s.Ada.Person.ID))
		}, affiliate.ApprovalOnHold, affiliate.HoldAffiliateDeactivated},
		{"not approved", func(s scene.Shop) { becomes(s, "inactive") }, affiliate.ApprovalOnHold, affiliate.HoldAffiliateNotApproved},
		{"not approved, on a plan that holds", func(s scene.Shop) {
			becomes(s, "inactive")
			p := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "h", AutoApproveRewards: affiliate.Set(false)}))
			scene.Must(s.SetAffiliatePlan(ctx, p.ID, s.Ada.Person.ID))
		}, affiliate.ApprovalOnHold, affiliate.HoldProgramSettings},
		{"plan", func(s scene.Shop) {
			p := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "h", AutoApproveRewards: affiliate.Set(false)}))
			scene.Must(s.SetAffiliatePlan(ctx, p.ID, s.Ada.Person.ID))
		}, affiliate.ApprovalOnHold, affiliate.HoldProgramSettings},
		{"customer's plan", func(s scene.Shop) {
			p := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "h", AutoApproveRewards: affiliate.Set(false)}))
			scene.Must(s.SetReferralPlan(ctx, p.ID, s.Tomas.ID))
		}, affiliate.ApprovalOnHold, affiliate.HoldProgramSettings},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := scene.NewShop(t)
			tt.prep(s)
			c := s.ToTomas("100").Commissions[0]
			if c.ApprovalStatus != tt.status || c.HoldReason.Or("") != tt.reason {
				t.Errorf("%s, %v", c.ApprovalStatus, c.HoldReason)
			}
			s.Verifies()
		})
	}
}

// A plan stops after its payments or months: then sales are recorded without a
// commission.
const day = 24 * time.Hour

// A month is complete on the day with the number of the first, or on the last day of a shorter
// month, as the zone of the program counts them.
func TestRecordSaleMonthEnd(t *testing.T) {
	berlin := scene.Must(time.LoadLocation("Europe/Berlin"))
	for _, tt := range []struct {
		first string
		at    map[string]bool
	}{
		{"2026-01-31T12:00", map[string]bool{"2026-02-27T23:59": true, "2026-02-28T00:00": false}},
		{"2024-01-30T12:00", map[string]bool{"2024-02-28T23:59": true, "2024-02-29T00:00": false}},
		{"2026-01-15T23:30", map[string]bool{"2026-02-14T23:59": true, "2026-02-15T00:00": false}},
		{"2026-03-31T00:00", map[string]bool{"2026-04-29T23:59": true, "2026-04-30T00:00": false}},
	} {
		for at, pays := range tt.at {
			s := scene.NewShop(t, func(c *tributary.Config) {
				c.Location, c.Terms = berlin, affiliate.Terms{Rate: affiliate.MustPercent("10"), MaxMonths: 1}
			})
			s.Now = scene.Must(time.ParseInLocation("2006-01-02T15:04", tt.first, berlin))
			late := s.Customer("ada", "late")
			s.Sell(affiliate.SaleParams{Email: late.Email})
			s.Now = scene.Must(time.ParseInLocation("2006-01-02T15:04", at, berlin))
			if sale := s.Sell(affiliate.SaleParams{Email: late.Email}); sale.CommissionEarned.IsZero() == pays {
				t.Errorf("first paid at %s, at %s it earned %v", tt.first, at, sale.CommissionEarned)
			}
		}
	}
}

// tooLarge is the refusal of an amount above its limit, or of one that does not
// fit into a total.
func tooLarge(field string) affiliate.Error {
	return scene.FieldError(affiliate.InvalidField, field, field+" is too large")
}

// Sales of the largest total, until a total is full: the sale that does not fit
// is refused, and smaller ones are recorded (B387).
func TestRecordSaleOverflow(t *testing.T) {
	s := scene.NewShop(t)
	const most = "100000000000"
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum(most)})
	fill := func(revenue string) func(*record.Tx) error {
		return func(tx *record.Tx) error {
			rec, err := tx.Totals.Get(s.Person.ID)
			rec.Revenue = scene.Sum(revenue)
			return errors.Join(err, tx.Totals.Replace(rec))
		}
	}
	s.Raw(fill("922137203685477.5807")) // as if more sales were recorded; two more fit exactly
	first := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum(most)})
	for name, in := range map[string]affiliate.SaleParams{
		"customer's": {Email: s.Tomas.Email, TotalEarned: scene.Sum("100000000000")},
		"new":        {ReferralID: "ada", Email: "n@example.net", Name: "n", TotalEarned: scene.Sum(most)},
		"by code":    {PromoCode: "ADA20", TotalEarned: scene.Sum(most)},
	} {
		t.Run(name, func(t *testing.T) {
			s.Raw(fill("922237203685477.5808"))
			s.RefusedLate(tooLarge("totalEarned"), func() error { _, err := s.RecordSale(t.Context(), in); return err })
		})
	}
	last := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("99999999999.9999")})
	scene.Equal(t, scene.Sum("922337203685477.5807"), scene.Must(s.Affiliate(t.Context(), "ada")).TotalRevenue)
	scene.Must(0, s.DeleteSale(t.Context(), last.ID))
	scene.Must(0, s.DeleteSale(t.Context(), first.ID))
	s.Raw(fill(most))
	s.Verifies()

	k := scene.NewShop(t, func(c *tributary.Config) { c.Currency = "KWD" })
	flat := scene.Must(k.CreatePlan(t.Context(), affiliate.PlanParams{Name: "f", Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("922337203685477.5807")}}))
	scene.Must(k.SetAffiliatePlan(t.Context(), flat.ID, k.Bob.ID))
	k.RefusedLate(tooLarge("totalEarned"), func() error { // rounded up, it does not fit
		_, err := k.RecordSale(t.Context(), affiliate.SaleParams{Email: k.Bea.Email, TotalEarned: scene.Sum("1")})
		return err
	})
}

// The fields of a sale that are stored: product, name, trigger, source.
func TestRecordSaleKeeps(t *testing.T) {
	s := scene.NewShop(t)
	p := s.From(affiliate.SourceIntegration)
	res := scene.Must(p.RecordSale(t.Context(), affiliate.SaleParams{
		Email: s.Tomas.Email, Name: "Tom", TotalEarned: scene.Sum("1.5"), PaymentTrigger: affiliate.TriggerSignup, Integration: "STRIPE",
		Product: affiliate.Set(affiliate.Product{Name: "Beans"}),
	}))
	sale, _ := res.Sale.Get()
	got := []any{sale.Name, sale.Email, sale.ProductsBought, sale.PaymentTrigger, sale.Source, sale.IntegrationSalesSource}
	want := []any{affiliate.Set("Tom"), affiliate.Set(s.Tomas.Email), []string{"Beans"}, affiliate.TriggerSignup, affiliate.SaleSource("INTEGRATION"), affiliate.Set[affiliate.Integration]("STRIPE")}
	scene.Equal(t, want, got)
	bare := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Product: affiliate.Set(affiliate.Product{ProductID: "b", Name: "Beans", Quantity: scene.Amount("0.5"), Price: scene.Amount("0")})})
	if diff := cmp.Diff([]any{affiliate.Null[string](), affiliate.Null[string](), []string{"b"}, affiliate.TriggerPurchase},
		[]any{bare.Name, bare.Email, bare.ProductsBought, bare.PaymentTrigger}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPaymentDeliveredAgain: a payment is recorded once while its sale exists,
// also when that was refunded. After the sale was deleted or reversed, the
// payment is recorded again.
func TestPaymentDeliveredAgain(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		undo func(w *scene.World, id affiliate.SaleID) error
		want affiliate.SaleOutcome
	}{
		"nothing": {func(*scene.World, affiliate.SaleID) error { return nil }, affiliate.SaleDuplicate},
		"refunded": {func(w *scene.World, id affiliate.SaleID) error {
			return scene.ErrOf(w.RefundSale(ctx, affiliate.Refund{SaleID: id}))
		}, affiliate.SaleDuplicate},
		"deleted": {func(w *scene.World, id affiliate.SaleID) error { return w.DeleteSale(ctx, id) }, affiliate.SaleRecorded},
		"reversed": {func(w *scene.World, _ affiliate.SaleID) error {
			return scene.ErrOf(w.ReverseSale(ctx, affiliate.SaleRef{ExternalID: "order-1"}, affiliate.Reversal{}))
		}, affiliate.SaleRecorded},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			w.Ada()
			payment := affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: affiliate.MustAmount("50"), ExternalID: "order-1"}
			first := scene.Must(w.RecordSale(ctx, payment)).Sale.Or(affiliate.Sale{})
			scene.Must(0, c.undo(w, first.ID))
			again := scene.Must(w.RecordSale(ctx, payment))
			scene.Equal(t, c.want, again.Outcome)
			if earlier, ok := again.Earlier.Get(); ok != (c.want == affiliate.SaleDuplicate) || ok && earlier.ID != first.ID {
				t.Errorf("the sale that was there is %v", earlier.ID)
			}
			listed := scene.Must(w.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set("order-1")}, affiliate.Page{})).Items
			scene.Equal(t, 1, len(listed))
			w.Verifies()
		})
	}
}

// TestSaleShowsPaidAt: a sale shows when it was paid if the report said so, in its
// answer, its event and later.
func TestSaleShowsPaidAt(t *testing.T) {
	s := scene.NewShop(t)
	s.Pass(48 * time.Hour)
	at := s.Now.Add(-time.Hour)
	var got affiliate.Sale
	events := s.Fired(func() {
		got = scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("10"), PaidAt: at.In(time.FixedZone("", 7200))})).Sale.Or(affiliate.Sale{})
	})
	scene.Equal(t, []affiliate.Time{affiliate.TimeOf(at), affiliate.TimeOf(s.Now)}, []affiliate.Time{got.PaidAt, got.CreatedAt})
	scene.Equal(t, affiliate.TimeOf(at), scene.BodyOf[affiliate.Sale](t, events[0]).PaidAt)
	scene.Equal(t, got, scene.Must(s.Sale(t.Context(), got.ID)))
	scene.Equal(t, affiliate.Time{}, s.Sell(affiliate.SaleParams{PromoCode: "ADA20"}).PaidAt)
	ahead := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", PaidAt: s.Now.Add(time.Second)}) // by the clock of the host
	scene.Equal(t, affiliate.TimeOf(s.Now), ahead.PaidAt)
	s.Verifies()
}

// The same moment written in another zone, or more exactly than it is stored, is the same
// request.
func TestSalePaidAtOnce(t *testing.T) {
	s := scene.NewShop(t)
	in := affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("10"), PaidAt: s.Now.Add(-time.Hour)}
	in.Once.Key = "k"
	first := scene.Must(s.RecordSale(t.Context(), in))
	for _, at := range []time.Time{in.PaidAt.In(time.FixedZone("", 7200)), in.PaidAt.Add(time.Nanosecond)} {
		in.PaidAt = at
		scene.Equal(t, first.Sale, scene.Must(s.RecordSale(t.Context(), in)).Sale)
	}
	in.PaidAt = in.PaidAt.Add(time.Second)
	scene.WantReason(t, "another moment", affiliate.IdempotencyKeyReused, scene.ErrOf(s.RecordSale(t.Context(), in)))
}

// TestDuplicateDiffers: a report with the id of an earlier sale names each field in which it says
// something else, and none that it leaves out.
func TestDuplicateDiffers(t *testing.T) {
	s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{})
	ctx, start := t.Context(), s.Now
	other := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.ADA20.CouponID, Code: "EVE20", AffiliateID: s.Eve.ID}))
	byLink := affiliate.SaleParams{ReferralID: "ada", Email: "kim@x.example", Name: "Kim", TotalEarned: scene.Sum("100"),
		Tax: scene.Sum("10"), Shipping: scene.Sum("5"), ExternalID: "link", PaidAt: start.Add(-time.Hour)}
	byCode := affiliate.SaleParams{PromoCode: "ADA20", Email: "lee@x.example", Name: "Lee", TotalEarned: scene.Sum("100"), ExternalID: "code", PaidAt: start.Add(-time.Hour)}
	nobody := affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("100"), ExternalID: "nobody", PaidAt: start.Add(-time.Hour)}
	for _, in := range []affiliate.SaleParams{byLink, byCode, nobody} {
		scene.Equal(t, affiliate.SaleRecorded, scene.Must(s.RecordSale(ctx, in)).Outcome)
	}
	far := 20 * 24 * time.Hour
	s.Pass(30 * 24 * time.Hour)
	for _, tt := range []struct {
		name   string
		of     affiliate.SaleParams
		change func(*affiliate.SaleParams)
		want   string
	}{
		{"the same", byLink, func(*affiliate.SaleParams) {}, "[]"},
		{"total", byLink, func(in *affiliate.SaleParams) { in.TotalEarned = scene.Sum("101") }, "[totalEarned]"},
		{"tax", byLink, func(in *affiliate.SaleParams) { in.Tax = scene.Sum("11") }, "[tax]"},
		{"no tax", byLink, func(in *affiliate.SaleParams) { in.Tax = affiliate.Amount{} }, "[]"},
		{"shipping", byLink, func(in *affiliate.SaleParams) { in.Shipping = scene.Sum("6") }, "[shipping]"},
		{"no shipping", byLink, func(in *affiliate.SaleParams) { in.Shipping = affiliate.Amount{} }, "[]"},
		{"email", byLink, func(in *affiliate.SaleParams) { in.Email = "lee@x.example" }, "[email]"},
		{"no email", byLink, func(in *affiliate.SaleParams) { in.Email = "" }, "[]"},
		{"an email where there was none", nobody, func(in *affiliate.SaleParams) { in.Email = "lee@x.example" }, "[]"},
		{"affiliate", byLink, func(in *affiliate.SaleParams) { in.ReferralID = s.Eve.ID.String() }, "[referralId]"},
		{"no affiliate", byLink, func(in *affiliate.SaleParams) { in.ReferralID = "" }, "[]"},
		{"an affiliate who is none", byLink, func(in *affiliate.SaleParams) { in.ReferralID = "nobody" }, "[]"},
		{"an affiliate of a sale by code", byCode, func(in *affiliate.SaleParams) { in.PromoCode, in.ReferralID = "", s.Eve.ID.String() }, "[]"},
		{"code", byCode, func(in *affiliate.SaleParams) { in.PromoCode = other.Code }, "[promoCode]"},
		{"no code", byCode, func(in *affiliate.SaleParams) { in.PromoCode = "" }, "[]"},
		{"a code that is none", byCode, func(in *affiliate.SaleParams) { in.PromoCode = "NONE" }, "[]"},
		{"a code of a sale by link", byLink, func(in *affiliate.SaleParams) { in.ReferralID, in.PromoCode = "", other.Code }, "[]"},
		{"an affiliate beside a code", byLink, func(in *affiliate.SaleParams) { in.ReferralID, in.PromoCode = s.Eve.ID.String(), other.Code }, "[]"},
		{"an id of a customer who has none", byLink, func(in *affiliate.SaleParams) { in.ReferredUserExternalID = "k-1" }, "[]"},
		{"paid 20 days later", byLink, func(in *affiliate.SaleParams) { in.PaidAt = in.PaidAt.Add(far) }, "[]"},
		{"paid later than that", byLink, func(in *affiliate.SaleParams) { in.PaidAt = in.PaidAt.Add(far + time.Second) }, "[paidAt]"},
		{"paid earlier than that", byLink, func(in *affiliate.SaleParams) { in.PaidAt = in.PaidAt.Add(-far - time.Second) }, "[paidAt]"},
	} {
		again := tt.of
		tt.change(&again)
		got := scene.Must(s.RecordSale(ctx, again))
		if got.Outcome != affiliate.SaleDuplicate || fmt.Sprint(got.Differs) != tt.want {
			t.Errorf("%s: %s, differs in %v, want %s", tt.name, got.Outcome, got.Differs, tt.want)
		}
	}
}

// TestSaleTeachesItsCustomer: a sale gives its customer the host's id or the email that nobody else has and that the
// customer lacks, changes nothing that is known, and its event shows the customer as they are then.
func TestSaleTeachesItsCustomer(t *testing.T) {
	for _, tt := range []struct {
		name, email, id           string // of the customer before
		sold, as                  string // the email and the id that the sale says
		wantEmail, wantID, wantBy string
	}{
		{"the id", "kim@x.example", "", "kim@x.example", "k-1", "kim@x.example", "k-1", "Kim"},
		{"an id that somebody has", "kim@x.example", "", "kim@x.example", "taken", "kim@x.example", "", "Kim"},
		{"the email", "", "k-1", "kim@x.example", "k-1", "kim@x.example", "k-1", "Kim"},
		{"an email that somebody has", "", "k-1", "taken@x.example", "k-1", "", "k-1", "Kim"},
		{"another email", "kim@x.example", "k-1", "new@x.example", "k-1", "kim@x.example", "k-1", "Kim"},
		{"no email", "", "k-1", "", "k-1", "", "k-1", "Kim"},
		{"another id", "kim@x.example", "k-1", "kim@x.example", "k-2", "kim@x.example", "k-1", "Kim"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newCounter(t, affiliate.CouponUpdate{}, affiliate.CodeUpdate{})
			ctx := t.Context()
			scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", ReferredUserExternalID: "taken", Email: "taken@x.example", Name: "T"}))
			known := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: tt.email, Name: "Kim", ReferredUserExternalID: tt.id, TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{})
			s.Pass(time.Hour)
			got := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{ReferralID: known.ReferralID.Or(uuid.Nil).String(), Email: tt.sold, Name: "Kim", ReferredUserExternalID: tt.as, TotalEarned: scene.Sum("100")})).Sale.Or(affiliate.Sale{})
			ref := scene.Must(s.Referral(ctx, known.ReferralID.Or(uuid.Nil).String()))
			if ref.Email != tt.wantEmail || ref.ReferredUserExternalID.Or("") != tt.wantID || ref.Name.Or("") != tt.wantBy {
				t.Errorf("the customer is %q, %q, %q", ref.Email, ref.ReferredUserExternalID.Or(""), ref.Name.Or(""))
			}
			if shown := got.Referral.Or(affiliate.Referral{}); got.ReferralID != known.ReferralID || shown.Email != tt.wantEmail || shown.ReferredUserExternalID.Or("") != tt.wantID {
				t.Errorf("the sale shows %+v", shown)
			}
		})
	}
}
