package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// paysLeads are terms of 20 % that pay 5 for a sign-up and 50 for a lead.
func paysLeads(c *tributary.Config) {
	c.Terms.MaxPayments = 1
	c.Terms.Rules = []affiliate.Rule{
		{Name: "sign-up", When: affiliate.RuleWhen{Conversions: []string{"signup"}}, Pay: payOf(affiliate.RuleFlat, "5")},
		{Name: "lead", When: affiliate.RuleWhen{Conversions: []string{"lead", "call"}}, Pay: payOf(affiliate.RuleFlat, "50")},
		{Name: "no calls", When: affiliate.RuleWhen{Conversions: []string{"call"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
		{Name: "first", When: affiliate.RuleWhen{PaymentTo: 1}, Pay: payOf(affiliate.RuleFlat, "7")},
	}
}

func payOf(typ affiliate.RuleType, rate string) affiliate.RulePay {
	return affiliate.RulePay{Type: typ, Rate: affiliate.MustPercent(rate)}
}

// converts reports a conversion that must be recorded.
func converts(t *testing.T, s scene.Shop, in affiliate.ConversionParams) affiliate.Sale {
	t.Helper()
	res, err := s.RecordConversion(t.Context(), in)
	sale, ok := res.Sale.Get()
	if err != nil || !ok || res.Outcome != affiliate.SaleRecorded {
		t.Fatalf("conversion %+v: %+v, %v", in, res, err)
	}
	return sale
}

func TestConversions(t *testing.T) {
	s, ctx := scene.NewShop(t, paysLeads), t.Context()
	earns := func(id affiliate.SaleID, want string) {
		t.Helper()
		scene.Equal(t, scene.Sum(want), scene.Must(s.Sale(ctx, id)).CommissionEarned, id, want)
		s.Verifies()
	}
	tomas := affiliate.ConversionParams{Conversion: "signup", ReferralID: s.Tomas.ID.String(), ExternalID: "user-1"}
	signup := converts(t, s, tomas)
	earns(signup.ID, "5")
	if signup.Conversion != "signup" || signup.PaymentTrigger != affiliate.TriggerSignup || !signup.TotalEarned.IsZero() || !signup.CommissionRate.IsNull() {
		t.Errorf("the conversion: %+v", signup)
	}
	for name, again := range map[string]affiliate.ConversionParams{
		"the same":          tomas,
		"by another name":   {Conversion: " signup ", Email: s.Tomas.Email},
		"the same order id": {Conversion: "lead", ReferralID: s.Tomas.ID.String(), ExternalID: "user-1"},
	} {
		if res, err := s.RecordConversion(ctx, again); err != nil || res.Outcome != affiliate.SaleDuplicate || res.Earlier.Or(affiliate.Sale{}).ID != signup.ID {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	lead := converts(t, s, affiliate.ConversionParams{Conversion: "lead", ReferralID: s.Tomas.ID.String()})
	earns(lead.ID, "50")
	earns(converts(t, s, affiliate.ConversionParams{Conversion: "call", ReferralID: s.Tomas.ID.String()}).ID, "0")
	other := converts(t, s, affiliate.ConversionParams{Conversion: "download", ReferralID: s.Tomas.ID.String()})
	earns(other.ID, "0") // no rule names it

	// The first payment is the first, whatever came before.
	first := s.ToTomas("100")
	earns(first.ID, "7")
	scene.Equal(t, affiliate.Set(int64(1)), scene.Must(s.ExplainSale(ctx, first.ID)).Terms.Payment)
	earns(s.ToTomas("100").ID, "0") // over MaxPayments

	if e := scene.Must(s.ExplainSale(ctx, lead.ID)); e.Arithmetic.Exact != "50" || !e.Terms.Payment.IsNull() || len(e.Lines) != 1 || e.Lines[0].Rule.Or("") != "lead" {
		t.Errorf("explained: %+v", e)
	}
	// The same terms change nothing, now or in a simulation.
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	earns(lead.ID, "50")
	for d, err := range s.Simulate(ctx, affiliate.SimulateQuery{Terms: s.Config().Terms}) {
		if err != nil || d.Changed != 0 || d.Sales != 2 || d.Conversions != 4 {
			t.Errorf("under the same terms: %+v, %v", d, err)
		}
	}
	// A person may set what it earns, and it is taken back as a whole, once.
	scene.Must(s.UpdateSale(ctx, lead.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("30"))}))
	earns(lead.ID, "30")
	refund := affiliate.Refund{SaleID: lead.ID}
	scene.Equal(t, affiliate.RefundedInFull, scene.Must(s.RefundSale(ctx, refund)).Reason)
	earns(lead.ID, "0")
	if res := scene.Must(s.RefundSale(ctx, refund)); !res.AlreadyRefunded {
		t.Errorf("refunded again: %+v", res)
	}
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: signup.ID}))
	earns(signup.ID, "0")
	if res := scene.Must(s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", Email: s.Tomas.Email})); res.Outcome != affiliate.SaleDuplicate {
		t.Errorf("after the refund: %s", res.Outcome)
	}
	scene.Must(s.ReverseSale(ctx, affiliate.SaleRef{ID: signup.ID}, affiliate.Reversal{}))
	s.Verifies()
	converts(t, s, affiliate.ConversionParams{Conversion: "signup", Email: s.Tomas.Email}) // it is gone
	s.Verifies()
}

// Conversions are counted as such, not as sales.
func TestConversionsCounted(t *testing.T) {
	s, ctx := scene.NewShop(t, paysLeads), t.Context()
	slug := scene.Must(s.Links(ctx, affiliate.LinkQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, affiliate.Page{})).Items[0].Link
	converts(t, s, affiliate.ConversionParams{Conversion: "signup", ReferralID: slug, Email: "new@example.net", Name: "New"})
	back := converts(t, s, affiliate.ConversionParams{Conversion: "lead", ReferralID: slug, Email: "new@example.net"})
	s.Sell(affiliate.SaleParams{ReferralID: slug, Email: "new@example.net"})
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: back.ID}))
	scene.Must(s.ReverseSale(ctx, affiliate.SaleRef{ID: converts(t, s, affiliate.ConversionParams{Conversion: "call", ReferralID: slug, Email: "new@example.net"}).ID}, affiliate.Reversal{}))
	links := scene.Must(s.Links(ctx, affiliate.LinkQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, affiliate.Page{}))
	if l := links.Items[0]; l.Sales != 1 || l.Conversions != 1 {
		t.Errorf("the link has %d sales and %d conversions, want 1 and 1", l.Sales, l.Conversions)
	}
	report := scene.Must(s.Report(ctx, affiliate.ReportQuery{
		From: s.Now.Add(-time.Hour), To: s.Now.Add(time.Hour), By: affiliate.IntervalDay, AffiliateID: affiliate.Set(s.Ada.Person.ID),
	}, affiliate.Page{}))
	var sum affiliate.Bucket
	for _, b := range report.Items {
		sum.Sales, sum.DeletedSales, sum.Conversions = sum.Sales+b.Sales, sum.DeletedSales+b.DeletedSales, sum.Conversions+b.Conversions
	}
	if sum.Sales != 1 || sum.DeletedSales != 0 || sum.Conversions != 2 { // what was refunded was recorded
		t.Errorf("the report has %d sales, %d deleted, and %d conversions", sum.Sales, sum.DeletedSales, sum.Conversions)
	}
	s.Verifies()
}

// A code credits its affiliate and is not redeemed.
func TestConversionByCode(t *testing.T) {
	s, ctx := scene.NewShop(t, paysLeads), t.Context()
	in := affiliate.ConversionParams{Conversion: "signup", PromoCode: "ADA20"}
	if _, err := s.RecordConversion(ctx, in); reasonOf(err) != affiliate.MissingField {
		t.Errorf("without a customer: %v", err)
	}
	in.Email = "code@example.net"
	sale := converts(t, s, in)
	if code := scene.Must(s.Codes(ctx, affiliate.CodeQuery{}, affiliate.Page{})).Items[0]; code.TimesRedeemed != 0 || sale.PromotionalCodeID != affiliate.Set(code.ID) {
		t.Errorf("code %s was redeemed %d times; the conversion is by %v", code.ID, code.TimesRedeemed, sale.PromotionalCodeID)
	}
	scene.Equal(t, affiliate.CreditCode, scene.Must(s.ExplainSale(ctx, sale.ID)).Credit.By)
	if _, err := s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", PromoCode: "NOBODY", Email: "x@example.net"}); reasonOf(err) != affiliate.CodeNotFound {
		t.Errorf("a code that is not there: %v", err)
	}
	if res, err := s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", ReferralID: "nobody", Email: "x@example.net", Name: "X"}); err != nil || res.Outcome != affiliate.SaleUnattributed {
		t.Errorf("of nobody: %+v, %v", res, err)
	}
	s.Verifies()
}

// Conversions are no orders: the first order of a customer comes after them all the same.
func TestConversionsAreNoOrders(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "First", PercentOff: scene.Percent("10")}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "FIRST", AffiliateID: s.Ada.Person.ID, FirstTimeOrder: true}))
	for i := range 9 {
		converts(t, s, affiliate.ConversionParams{Conversion: fmt.Sprint("step ", i), PromoCode: "FIRST", Email: s.Tomas.Email})
	}
	order := affiliate.SaleParams{PromoCode: "FIRST", Email: s.Tomas.Email, TotalEarned: scene.Sum("10")}
	s.Sell(order)
	if _, err := s.RecordSale(ctx, order); reasonOf(err) != affiliate.NotFirstOrder {
		t.Errorf("the second order: %v", err)
	}
	if _, err := s.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "late", PromoCode: "FIRST", Email: s.Tomas.Email}); reasonOf(err) != affiliate.NotFirstOrder {
		t.Errorf("a conversion after the order: %v", err)
	}
}

// What a payout took is clawed back when the conversion is.
func TestConversionClawBack(t *testing.T) {
	s, ctx := scene.NewShop(t, paysLeads), t.Context()
	lead := converts(t, s, affiliate.ConversionParams{Conversion: "lead", Email: s.Tomas.Email})
	s.PaysOut()
	if _, err := s.RefundSale(ctx, affiliate.Refund{SaleID: lead.ID}); reasonOf(err) != affiliate.IncludedInPayout {
		t.Errorf("while a payout has it: %v", err)
	}
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: lead.ID, ClawBack: true}))
	left := scene.Must(s.Sale(ctx, lead.ID))
	if len(left.Commissions) != 2 || !left.CommissionEarned.IsZero() || left.Commissions[1].CommissionEarned != scene.Sum("-50") {
		t.Errorf("clawed back: %+v", left.Commissions)
	}
	s.Verifies()
}

// The external ids of conversions and of sales are apart: the payment of a trial whose id is
// that of the subscription is no repeat of it, whoever reports it.
func TestConversionAndPayment(t *testing.T) {
	s := scene.NewPayShop(t, paysLeads)
	ctx := t.Context()
	in := affiliate.ConversionParams{Conversion: "lead", ReferralID: "mara", Email: "ines@example.com", Name: "Ines", ExternalID: "sub-1"}
	lead := converts(t, scene.Shop{World: s.World}, in)
	res := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{Email: "ines@example.com", TotalEarned: scene.Sum("10"), ExternalID: "sub-1"}))
	scene.Equal(t, affiliate.SaleRecorded, res.Outcome)
	in.Conversion = "call"
	if again := scene.Must(s.RecordConversion(ctx, in)); again.Outcome != affiliate.SaleDuplicate || again.Earlier.Or(affiliate.Sale{}).ID != lead.ID {
		t.Errorf("another conversion with its id: %+v", again)
	}
	scene.Must(s.UpdateSale(ctx, lead.ID, affiliate.SaleUpdate{ExternalID: affiliate.Set("pi_1")}))
	for _, fact := range []affiliate.PaymentFact{s.Paid("pi_1 cs_1", "120", "20", "mara"), s.Refund("re_1", "20", affiliate.RefundSucceeded), s.Cumulative("120")} {
		if paid, err := s.Payments().ReportPayment(ctx, fact); err != nil || paid.Outcome == affiliate.SaleDuplicate && paid.Sale.Or(affiliate.Sale{}).ID == lead.ID {
			t.Errorf("%+v, %v", paid, err)
		}
		if got := scene.Must(s.Sale(ctx, lead.ID)); got.CommissionEarned != scene.Sum("50") || got.Status != affiliate.SaleActive {
			t.Errorf("the lead: %+v", got)
		}
		s.Verifies()
	}
	other := converts(t, scene.Shop{World: s.World}, affiliate.ConversionParams{Conversion: "call", Email: "ines@example.com", ExternalID: "sub-1"})
	if err := scene.ErrOf(s.UpdateSale(ctx, other.ID, affiliate.SaleUpdate{ExternalID: affiliate.Set("pi_1")})); reasonOf(err) != affiliate.SaleExternalIDTaken {
		t.Errorf("an id that another conversion has: %v", err)
	}
}

// Neither the affiliate's own rate nor a cap that is used up pays it otherwise.
func TestConversionRates(t *testing.T) {
	s, ctx := scene.NewShop(t, paysLeads, capped("0", "8")), t.Context()
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("90"))}))
	scene.Equal(t, scene.Sum("5"), converts(t, s, affiliate.ConversionParams{Conversion: "signup", Email: s.Tomas.Email}).CommissionEarned)
	lead := converts(t, s, affiliate.ConversionParams{Conversion: "lead", Email: s.Tomas.Email})
	scene.Equal(t, scene.Sum("3"), lead.CommissionEarned)
	for name, up := range map[string]affiliate.SaleUpdate{
		"totalEarned":    {TotalEarned: affiliate.Set(scene.Sum("1"))},
		"subtotal":       {Subtotal: affiliate.Set(scene.Sum("1"))},
		"commissionRate": {CommissionRate: affiliate.Set(affiliate.MustPercent("1"))},
	} {
		if _, err := s.UpdateSale(ctx, lead.ID, up); !mustBeField(err, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	moved := scene.Must(s.UpdateSale(ctx, lead.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(s.Bob.ID)}))
	if moved.CommissionEarned != scene.Sum("3") || moved.AffiliateID != s.Bob.ID {
		t.Errorf("moved: %+v", moved)
	}
	back := scene.Must(s.UpdateSale(ctx, lead.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(s.Ada.Person.ID)}))
	scene.Equal(t, scene.Sum("3"), back.CommissionEarned)
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	scene.Equal(t, back.CommissionEarned, scene.Must(s.Sale(ctx, lead.ID)).CommissionEarned)
	s.Verifies()
}

func mustBeField(err error, field string) bool {
	e, ok := errors.AsType[*affiliate.Error](err)
	return ok && e.Field == field
}

func reasonOf(err error) affiliate.Reason {
	if e, ok := errors.AsType[*affiliate.Error](err); ok {
		return e.Reason
	}
	return ""
}

func TestConversionRefused(t *testing.T) {
	s := scene.NewShop(t)
	for field, in := range map[string]affiliate.ConversionParams{
		"conversion": {Conversion: "a\nb", Email: s.Tomas.Email},
		"externalId": {Conversion: "a", Email: s.Tomas.Email, ExternalID: strings.Repeat("x", 256)},
	} {
		if _, err := s.RecordConversion(t.Context(), in); !mustBeField(err, field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := s.RecordConversion(t.Context(), affiliate.ConversionParams{Conversion: "a", ExternalID: "x"}); reasonOf(err) != affiliate.AttributionRequired {
		t.Errorf("of nobody: %v", err)
	}
	res := scene.Must(s.RecordConversion(t.Context(), affiliate.ConversionParams{Conversion: "a", Email: " " + s.Tomas.Email, Name: "\x00"}))
	scene.Equal(t, []string{"name"}, res.Ignored)
}

func TestRulesOfConversions(t *testing.T) {
	leads := affiliate.RuleWhen{Conversions: []string{"lead"}}
	more, later, two := leads, leads, leads
	more.PaymentTo, later.PaymentFrom = 1, 1
	two.Products, two.NotPlans = []string{"x"}, []string{"y"}
	for name, tt := range map[string]struct {
		rules []affiliate.Rule
		field string
	}{
		"PERCENTAGE":       {[]affiliate.Rule{{Name: "a", When: leads, Pay: payOf(affiliate.RulePercentage, "5")}}, "rules[0].pay.commissionType"},
		"UNIT":             {[]affiliate.Rule{{Name: "a", When: leads, Pay: payOf(affiliate.RuleUnit, "5")}}, "rules[0].pay.commissionType"},
		"firm":             {[]affiliate.Rule{{Name: "a", When: leads, Pay: payOf(affiliate.RuleFlat, "5"), Firm: true}}, "rules[0].firm"},
		"another":          {[]affiliate.Rule{{Name: "a", When: more, Pay: payOf(affiliate.RuleFlat, "5")}}, "rules[0].when"},
		"later payments":   {[]affiliate.Rule{{Name: "a", When: later, Pay: payOf(affiliate.RuleFlat, "5")}}, "rules[0].when"},
		"two others":       {[]affiliate.Rule{{Name: "a", When: two, Pay: payOf(affiliate.RuleFlat, "5")}}, "rules[0].when"},
		"an empty name":    {[]affiliate.Rule{{Name: "a", When: affiliate.RuleWhen{Conversions: []string{""}}, Pay: payOf(affiliate.RuleFlat, "5")}}, "rules[0].when.conversions"},
		"covered":          {[]affiliate.Rule{{Name: "a", When: leads, Pay: payOf(affiliate.RuleFlat, "5")}, {Name: "b", When: leads, Pay: payOf(affiliate.RuleFlat, "6")}}, "rules[1]"},
		"beside all sales": {[]affiliate.Rule{{Name: "a", Pay: payOf(affiliate.RuleFlat, "5")}, {Name: "b", When: leads, Pay: payOf(affiliate.RuleFlat, "6")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t)
			_, err := s.CreatePlan(t.Context(), affiliate.PlanParams{Name: "P", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), Rules: tt.rules}})
			if tt.field == "" && err != nil || tt.field != "" && !mustBeField(err, tt.field) {
				t.Errorf("%v, want a fault of %q", err, tt.field)
			}
		})
	}
}

// Twenty reports of one sign-up make one.
func TestConversionRace(t *testing.T) {
	s := scene.NewShop(t, paysLeads)
	var recorded atomic.Int64
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			in := affiliate.ConversionParams{Conversion: "signup", PromoCode: "ADA20", Email: "r@example.net"}
			if i%2 == 0 {
				in.PromoCode, in.ReferralID, in.Name = "", s.Ada.Person.ID.String(), "R"
			}
			res, err := s.RecordConversion(t.Context(), in)
			if err != nil {
				t.Error(err)
			}
			if res.Outcome == affiliate.SaleRecorded {
				recorded.Add(1)
			}
		})
	}
	wg.Wait()
	scene.Equal(t, 1, recorded.Load())
	s.Verifies()
}
