package payment_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// What a payer typed refuses no payment: an email or a name that is none is left out, and
// the answer names it. Blanks say nothing.
func TestPayerIsCleaned(t *testing.T) {
	for name, tt := range map[string]struct {
		payer   affiliate.PayerFact
		ignored []string
		stored  string // name
	}{
		"both invalid":   {affiliate.PayerFact{ID: "cus_9", Email: "no email", Name: "a\x00"}, []string{"payer.email", "payer.name"}, ""},
		"both blank":     {affiliate.PayerFact{ID: "cus_9", Email: " ", Name: " "}, nil, ""},
		"the name alone": {affiliate.PayerFact{ID: "cus_9", Email: "kim@example.net", Name: "a\x00"}, []string{"payer.name"}, ""},
		"both valid":     {affiliate.PayerFact{ID: "cus_9", Email: " KIM@example.net", Name: " Kim "}, nil, "Kim"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			f := s.Paid("pi_1", "100", "0", "mara")
			f.Payer = tt.payer
			got := s.Reports(f)
			scene.Equal(t, tt.ignored, got.Ignored)
			if tt.stored != "" {
				scene.Equal(t, tt.stored, scene.Must(s.Referral(t.Context(), "kim@example.net")).Name.Or(""))
			}
		})
	}
}

// One part of a refund without the other is 0 of that; null says nothing.
func TestRefundFactParts(t *testing.T) {
	ten, zero := affiliate.Set(scene.Sum("10")), affiliate.Set(affiliate.Amount{})
	null, none := affiliate.Null[affiliate.Amount](), affiliate.Opt[affiliate.Amount]{}
	for name, tt := range map[string]struct {
		tax, shipping, wantTax, wantShipping affiliate.Opt[affiliate.Amount]
	}{
		"the tax alone":      {ten, none, ten, zero},
		"the shipping alone": {none, ten, zero, ten},
		"null":               {null, null, null, null},
		"null beside one":    {ten, null, ten, zero},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			s.Reports(s.Paid("pi_1", "130", "20", "mara"))
			f := s.Refund("re_1", "30", affiliate.RefundSucceeded)
			f.Refunds[0].Tax, f.Refunds[0].Shipping = tt.tax, tt.shipping
			got := s.Reports(f).Payment.Refunds[0]
			scene.Equal(t, tt.wantTax, got.Tax)
			scene.Equal(t, tt.wantShipping, got.Shipping)
			s.Verifies()
		})
	}
}

// A currency is read in any letter case, and the name of a product may be left out.
func TestPaidIsCleaned(t *testing.T) {
	s := scene.NewPayShop(t)
	f := scene.Altered(s.Paid("pi_1", "100", "0", "mara"), func(p *affiliate.Paid) {
		p.Product = affiliate.Set(affiliate.Product{ProductID: "beans", Name: " "})
	})
	f.Currency = "usd"
	got := s.Reports(f)
	s.Outcome(got, affiliate.SaleRecorded)
	scene.Equal(t, affiliate.Currency("USD"), got.Payment.Currency)
}

// The discounts of a provider's lines have what the code took off.
func TestPaidLinesByCode(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Reports(scene.Altered(s.Paid("pi_1", "80", "0", "code:MARA20"), func(p *affiliate.Paid) {
		p.Lines = []affiliate.Line{{ID: "a", Amount: scene.Sum("100"), Discount: scene.Sum("20")}}
	}))
	none := affiliate.Null[string]()
	scene.Equal(t, []affiliate.SaleLine{{
		ID: scene.TextOf("a"), ProductID: none, PlanID: none, Name: none, Categories: []string{}, Quantity: scene.Sum("1"), Amount: scene.Sum("100"), Discount: scene.Sum("20"), Rule: none,
	}}, s.SaleOf("pi_1").Lines)
}

func TestPaidRefused(t *testing.T) {
	s := scene.NewPayShop(t)
	for name, tt := range map[string]struct {
		change func(*affiliate.Paid)
		want   affiliate.Error
	}{
		"counted in a currency that is none":   {func(p *affiliate.Paid) { p.GrossCurrency = "ZZZ" }, scene.FieldError(affiliate.InvalidField, "grossCurrency", "grossCurrency must be the currency of the program")},
		"counted in another before it is paid": {func(p *affiliate.Paid) { p.GrossCurrency, p.Stage = "EUR", affiliate.PaidLater }, scene.FieldError(affiliate.InvalidField, "grossCurrency", "grossCurrency must be the currency of the program")},
		"a trial of something": {func(p *affiliate.Paid) {
			p.Stage, p.TotalEarned = affiliate.PaidNothing, affiliate.Amount{}
		}, scene.FieldError(affiliate.InvalidField, "gross", "gross must not be sent")},
		"a trial that earned": {func(p *affiliate.Paid) { p.Stage, p.Gross = affiliate.PaidNothing, affiliate.Amount{} }, scene.FieldError(affiliate.InvalidField, "gross", "gross must not be sent")},
	} {
		t.Run(name, func(t *testing.T) {
			f := scene.Altered(s.Paid("pi_1", "100", "0", "mara"), tt.change)
			s.Refused(tt.want, func() error { return scene.ErrOf(s.Payments().ReportPayment(t.Context(), f)) })
		})
	}
}
