package payment_test

import (
	"errors"
	"fmt"
	"slices"
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

// The checks of payments that are about sales, by their numbers, at the level of
// facts. Those of a provider's events are in the module pay.
func TestPaymentSales(t *testing.T) {
	for name, check := range map[string]func(s *scene.PayShop){
		"01 one sale": func(s *scene.PayShop) {
			res := s.Reports(s.Paid("pi_1 in_1 cs_1", "120", "20", "1"))
			s.Outcome(res, affiliate.SaleRecorded)
			sale := s.Gives("pi_1", "20")
			credited(s, sale, s.Mara)
			if sale.ExternalID != affiliate.Set("pi_1") || sale.Source != "INTEGRATION" || sale.PaymentTrigger != affiliate.TriggerPurchase || sale.IntegrationSalesSource != affiliate.Set(affiliate.Integration("STRIPE")) || res.Moved != scene.Sum("20") {
				s.T.Errorf("sale %+v, moved %v", sale, res.Moved)
			}
			scene.Equal(s.T, 1, scene.CountOf(s.EventTypes(0), affiliate.SaleCreated))
		},
		"02 the same for weeks": func(s *scene.PayShop) {
			f := s.Paid("pi_1 cs_1", "120", "20", "1")
			s.Reports(f)
			stored := s.Dump()
			for _, later := range []time.Duration{24 * time.Hour, 48 * time.Hour, 40 * 24 * time.Hour} {
				s.Pass(later)
				s.Outcome(s.Reports(f), affiliate.SaleDuplicate)
			}
			scene.Equal(s.T, "", cmp.Diff(stored, s.Dump()))
		},
		"04 one payment of session, invoice and link": func(s *scene.PayShop) {
			facts := []affiliate.PaymentFact{s.Paid("in_1 cs_1", "29", "0", "1"), s.Fact("in_1 cs_1"), s.Fact("pi_1 in_1")}
			for order := range permutations(len(facts)) {
				o := scene.NewPayShop(s.T)
				for _, i := range order {
					o.Reports(facts[i])
				}
				o.Gives("pi_1", "5.8")
				if a, b := o.SaleOf("in_1"), o.SaleOf("pi_1"); a.ID != b.ID || sales(o) != 1 {
					s.T.Errorf("sales %d and %d of %d", a.ID, b.ID, sales(o))
				}
			}
		},
		"07 renewal with a new email": func(s *scene.PayShop) {
			s.Reports(s.Paid("in_1", "29", "0", "1"))
			f := scene.Renewal(s.Paid("in_2", "29", "0"))
			f.Payer.Email = "new@example.com"
			s.Reports(f)
			credited(s, s.Gives("in_2", "5.8"), s.Mara)
			scene.Equal(s.T, 1, len(scene.Must(s.Referrals(s.T.Context(), affiliate.ReferralQuery{}, affiliate.Page{})).Items))
		},
		"08 renewal by another's click": func(s *scene.PayShop) {
			s.Reports(s.Paid("in_1", "29", "0", "1"))
			s.Reports(scene.Renewal(s.Paid("in_2", "29", "0", "2")))
			credited(s, s.Gives("in_2", "5.8"), s.Mara)
		},
		"09 first payment by another's click": func(s *scene.PayShop) {
			s.Reports(s.Paid("in_1", "29", "0", "1"))
			s.Reports(s.Paid("pi_2", "29", "0", "2"))
			s.Reports(scene.Renewal(s.Paid("in_3", "29", "0", "2")))
			credited(s, s.Gives("pi_2", "5.8"), s.Ben)
			credited(s, s.Gives("in_3", "5.8"), s.Mara)
			ref := scene.Must(s.Payments().Payer(s.T.Context(), "stripe", affiliate.PayerFact{ID: "cus_T"})).Referral.Or(affiliate.Referral{})
			scene.Equal(s.T, s.Mara.ID, ref.AffiliateID)
		},
		"11 renewal by the click of the metadata": func(s *scene.PayShop) {
			s.Reports(scene.Renewal(s.Paid("in_2", "29", "0", "1")))
			credited(s, s.Gives("in_2", "5.8"), s.Mara)
		},
		"13 free order with a code": func(s *scene.PayShop) {
			free := func(s *scene.PayShop) affiliate.PaymentFact {
				return scene.Altered(s.Paid("in_1", "0", "0", "promo:promo_mara"), func(p *affiliate.Paid) { p.Free, p.Subtotal = true, affiliate.Set(scene.Sum("29")) })
			}
			scene.WantReason(s.T, "refused", affiliate.MissingField, scene.ErrOf(s.Payments().ReportPayment(s.T.Context(), free(s))))
			o := scene.NewPayShop(s.T, func(c *tributary.Config) { c.FreeOrders = true })
			o.Reports(free(o), scene.Renewal(o.Paid("in_2", "29", "0")), o.Refund("re_1", "1", affiliate.RefundSucceeded, "in_1"))
			o.Gives("in_1", "0")
			credited(o, o.Gives("in_2", "5.8"), o.Mara)
			redeemed(o, 1)
		},
		"14 code and its renewal": func(s *scene.PayShop) {
			s.Reports(scene.Altered(s.Paid("pi_1 in_1", "39.2", "0", "promo:promo_mara"), func(p *affiliate.Paid) { p.Subtotal = affiliate.Set(scene.Sum("49")) }))
			s.Gives("pi_1", "7.84")
			s.Reports(scene.Renewal(s.Paid("in_2", "39.2", "0", "promo:promo_mara")))
			s.Gives("in_2", "7.84")
			redeemed(s, 1)
		},
		"15 code by its text": func(s *scene.PayShop) {
			s.Reports(s.Paid("pi_1", "29", "0", "promo:promo_other", "code:mara20"))
			credited(s, s.Gives("pi_1", "5.8"), s.Mara)
			redeemed(s, 1)
		},
		"16 code before click": func(s *scene.PayShop) {
			s.Reports(s.Paid("pi_1", "29", "0", "promo:promo_mara", "2"))
			credited(s, s.Gives("pi_1", "5.8"), s.Mara)
		},
		"17 a refused code gives way": func(s *scene.PayShop) {
			exhaust(s)
			res := s.Reports(s.Paid("pi_1", "29", "0", "promo:promo_mara", "2"))
			s.Outcome(res, affiliate.SaleRecorded)
			if len(res.Refused) != 1 || res.Refused[0].Reason != affiliate.CodeExhausted {
				s.T.Errorf("refused %+v", res.Refused)
			}
			credited(s, s.Gives("pi_1", "5.8"), s.Ben)
			redeemed(s, 1)
		},
		"a first order, by the email of the referral": func(s *scene.PayShop) {
			s.Reports(s.Paid("pi_1", "29", "0", "1"))
			s.Raw(func(tx *record.Tx) error { // the sale outlived an earlier referral of Tomas
				return scene.EachRow(tx.Sales, func(r record.Sale) error {
					r.ReferralID = uuid.Nil
					return tx.Sales.Replace(r)
				})
			})
			scene.Must(s.UpdateCode(s.T.Context(), s.MaraCode.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
			f := s.Paid("pi_2", "29", "0", "promo:promo_mara")
			f.Payer.Email = "new@example.com"
			res := s.Reports(f)
			if len(res.Refused) != 1 || res.Refused[0].Reason != affiliate.NotFirstOrder {
				s.T.Errorf("refused %+v", res.Refused)
			}
		},
		"a code for a customer with two emails": func(s *scene.PayShop) {
			s.Reports(s.Paid("pi_1", "29", "0", "1"))
			for i, email := range []string{scene.Tomas.Email, "new@example.com"} {
				s.Raw(func(tx *record.Tx) error {
					r := scene.Must(tx.Codes.Get(s.MaraCode.ID))
					r.LimitToCustomers, r.CustomerID = true, email
					return tx.Codes.Replace(r)
				})
				f := s.Paid(fmt.Sprint("pi_of_", i), "29", "0", "promo:promo_mara")
				f.Payer.Email = "new@example.com"
				scene.Equal(s.T, 0, len(s.Reports(f).Refused), email)
			}
			redeemed(s, 2)
		},
		"18 a refused code and nothing else": func(s *scene.PayShop) {
			exhaust(s)
			res := s.Reports(s.Paid("pi_1", "29", "0", "promo:promo_mara"))
			s.Outcome(res, affiliate.SaleRefused)
			if _, sold := res.Sale.Get(); sold || sales(s) != 1 {
				s.T.Errorf("sale %v", res.Sale)
			}
			s.Verifies()
		},
		"19 a code that expired after the payment": func(s *scene.PayShop) {
			noon := s.Now.Add(time.Hour)
			scene.Must(s.UpdateCode(s.T.Context(), s.MaraCode.ID, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(noon))}))
			s.Pass(25 * time.Hour)
			at := func(key string, paid time.Time) affiliate.PaymentResult {
				f := s.Paid(key, "29", "0", "promo:promo_mara")
				f.Payer = affiliate.PayerFact{ID: key, Email: key + "@example.com"}
				return s.Reports(scene.Altered(f, func(p *affiliate.Paid) { p.PaidAt = paid }))
			}
			s.Outcome(at("pi1", noon.Add(-time.Minute)), affiliate.SaleRecorded)
			s.Outcome(at("pi2", noon.Add(time.Minute)), affiliate.SaleRefused)
		},
		"19a terms that changed after the payment": func(s *scene.PayShop) {
			changed := s.Now.Add(time.Hour)
			scene.Must(s.SetTerms(s.T.Context(), affiliate.TermsUpdate{Rate: scene.Percent("50"), MaxMonths: affiliate.Set[int64](1), From: affiliate.Set(affiliate.At(changed))}))
			paid := changed.Add(-time.Minute)
			s.Pass(24 * time.Hour)
			s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "1"), func(p *affiliate.Paid) { p.PaidAt = paid }))
			scene.Must(s.Run(s.T.Context(), affiliate.RecalculateJob{}))
			s.Gives("pi_1", "20")
			scene.Equal(s.T, affiliate.TimeOf(paid), s.SaleOf("pi_1").PaidAt)
			s.Now = paid.AddDate(0, 1, 0) // the second month of the customer begins
			s.Reports(s.Paid("pi_2", "120", "20", "1"))
			s.Gives("pi_2", "0")
		},
		"20 the minimum is of the basket": func(s *scene.PayShop) {
			scene.Must(s.UpdateCode(s.T.Context(), s.MaraCode.ID, affiliate.CodeUpdate{MinimumAmount: affiliate.Set(scene.Sum("50"))}))
			s.Reports(scene.Altered(s.Paid("pi_1", "44", "0", "promo:promo_mara"), func(p *affiliate.Paid) { p.Subtotal = affiliate.Set(scene.Sum("55")) }))
			s.Gives("pi_1", "8.8")
		},
		"23 tax of a part that was paid": func(s *scene.PayShop) {
			s.Reports(s.Paid("in_1", "90", "15", "1"))
			s.Gives("in_1", "15")
		},
		"24 tax and shipping": func(s *scene.PayShop) {
			s.Reports(scene.Altered(s.Paid("pi_1", "59.9", "4.91", "1"), func(p *affiliate.Paid) { p.Shipping = scene.Sum("4.99") }))
			s.Gives("pi_1", "10")
		},
		"25 tax inside": func(s *scene.PayShop) {
			s.Reports(s.Paid("pi_1", "100", "15.97", "1"))
			s.Gives("pi_1", "16.81")
		},
		"26 slug, click, and neither": func(s *scene.PayShop) {
			s.Reports(s.Paid("pi_1", "29", "0", "mara"))
			credited(s, s.Gives("pi_1", "5.8"), s.Mara)
			f := s.Paid("pi_2", "29", "0", "user_42")
			f.Payer = affiliate.PayerFact{ID: "cus_U", Email: "u@example.com"}
			s.Outcome(s.Reports(f), affiliate.SaleUnattributed)
		},
		"35 a sale that the host recorded": func(s *scene.PayShop) {
			host := scene.Must(s.RecordSale(s.T.Context(), affiliate.SaleParams{ReferralID: "mara", Email: "tomas@example.com", Name: "Tomas", TotalEarned: scene.Sum("120"), Tax: scene.Sum("20"), ExternalID: "order-1042"}))
			res := s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "2"), func(p *affiliate.Paid) { p.ExternalID = "order-1042" }))
			s.Outcome(res, affiliate.SaleDuplicate)
			s.Reports(s.Refund("re_1", "30", affiliate.RefundSucceeded))
			if sale := s.Gives("pi_1", "15"); sale.ID != host.Sale.Or(affiliate.Sale{}).ID || sales(s) != 1 {
				s.T.Errorf("sale %d of %d", sale.ID, sales(s))
			}
		},
		"40 an email that comes later": func(s *scene.PayShop) {
			f := s.Paid("pi_1", "120", "20", "1")
			f.Payer.Email = "müller@example.com"
			res := s.Reports(f)
			s.Outcome(res, affiliate.SaleRecorded)
			if res.Payment.ID == [16]byte{} || sales(s) != 1 {
				s.T.Errorf("payment %+v", res.Payment)
			}
			s.Reports(s.Refund("re_1", "30", affiliate.RefundSucceeded))
			scene.Must(0, s.Payments().ReportPayer(s.T.Context(), "stripe", affiliate.PayerFact{ID: "cus_T", Email: "mueller@example.com"}))
			credited(s, s.Gives("pi_1", "15"), s.Mara)
			s.Outcome(s.Reports(f), affiliate.SaleDuplicate)
		},
	} {
		t.Run(name, func(t *testing.T) { check(scene.NewPayShop(t)) })
	}
}

// TestPaymentCurrencies are checks 28 to 32: what facts of each currency earn.
func TestPaymentCurrencies(t *testing.T) {
	for name, c := range map[string]struct {
		currency         affiliate.Currency
		total, tax, want string
	}{
		"28 JPY": {"JPY", "1234", "112", "224"}, "29 KWD": {"KWD", "12.34", "0", "2.468"}, "30 ISK": {"ISK", "500", "0", "100"},
		"31 UGX": {"UGX", "5", "0", "1"}, "32 MGA": {"MGA", "5000", "0", "1000"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t, func(cfg *tributary.Config) { cfg.Currency = c.currency })
			s.Reports(s.Paid("pi_1", c.total, c.tax, "1"))
			s.Gives("pi_1", c.want)
		})
	}
}

// exhaust uses the code up.
func exhaust(s *scene.PayShop) {
	scene.Must(s.RecordSale(s.T.Context(), affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: scene.Sum("1")}))
	scene.Must(s.UpdateCode(s.T.Context(), s.MaraCode.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
}

func redeemed(s *scene.PayShop, want int64) {
	s.T.Helper()
	scene.Equal(s.T, want, scene.Must(s.Code(s.T.Context(), affiliate.CodeRef{ID: s.MaraCode.ID})).TimesRedeemed)
}

// permutations yields every order of n things.
func permutations(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		order := make([]int, 0, n)
		var next func() bool
		next = func() bool {
			if len(order) == n {
				return yield(slices.Clone(order))
			}
			for i := range n {
				if slices.Contains(order, i) {
					continue
				}
				order = append(order, i)
				ok := next()
				order = order[:len(order)-1]
				if !ok {
					return false
				}
			}
			return true
		}
		next()
	}
}

// TestPaymentLimits has facts that are as large as they may be.
func TestPaymentLimits(t *testing.T) {
	s := scene.NewPayShop(t)
	f := s.Paid("k1 k2 k3 k4 k5 k6", "120", "20", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "1")
	f.Provider = "abyz0189" + strings.Repeat("p", 24)
	f.At = s.Now.Add(5 * time.Minute)
	f.Payer.Name = "Tomas\nT" // no name is stored, and the sale is
	for i := range 100 {
		f.Refunds = append(f.Refunds, affiliate.RefundFact{ID: fmt.Sprint("re_", i), Amount: scene.Sum("0.5"), State: affiliate.RefundSucceeded})
	}
	s.Outcome(s.Reports(f), affiliate.SaleRecorded)
	scene.Equal(t, "tomas", scene.Must(s.Referrals(t.Context(), affiliate.ReferralQuery{}, affiliate.Page{})).Items[0].Name.Or(""))
	for _, key := range f.Keys {
		if got := scene.Must(s.Payments().ProviderPayment(t.Context(), f.Provider, key)).SaleID; got.IsZero() || got.IsNull() {
			t.Errorf("%s leads to no sale", key)
		}
	}
	s.Verifies()
}

// TestPaymentRefused has the facts that are not valid by themselves.
func TestPaymentRefused(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Reports(s.Paid("pi_1", "120", "20", "1"), s.Refund("re_1", "30", affiliate.RefundSucceeded))
	stored := s.Dump()
	for i, c := range []struct {
		field  string
		change func(f *affiliate.PaymentFact)
	}{
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = "Stripe" }},
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = "" }},
		{"keys", func(f *affiliate.PaymentFact) { f.Keys = nil }},
		{"keys", func(f *affiliate.PaymentFact) { f.Keys = []string{"a", "b", "c", "d", "e", "f", "g"} }},
		{"keys", func(f *affiliate.PaymentFact) { f.Keys = []string{" "} }},
		{"at", func(f *affiliate.PaymentFact) { f.At = time.Time{} }},
		{"at", func(f *affiliate.PaymentFact) { f.At = s.Now.Add(5*time.Minute + time.Microsecond) }},
		{"payer.id", func(f *affiliate.PaymentFact) { f.Payer.ID = "\x00" }},
		{"refunded", func(f *affiliate.PaymentFact) { f.Refunded = affiliate.Set(scene.Sum("-1")) }},
		{"refunds.id", func(f *affiliate.PaymentFact) {
			f.Refunds = []affiliate.RefundFact{{Amount: scene.Sum("1"), State: "failed"}}
		}},
		{"refunds.amount", func(f *affiliate.PaymentFact) { f.Refunds = []affiliate.RefundFact{{ID: "x", State: "failed"}} }},
		{"refunds.state", func(f *affiliate.PaymentFact) { f.Refunds = []affiliate.RefundFact{{ID: "x", Amount: scene.Sum("1")}} }},
		{"disputes.state", func(f *affiliate.PaymentFact) {
			f.Disputes = []affiliate.DisputeFact{{ID: "x", Amount: scene.Sum("1"), State: "open"}}
		}},
		{"re_1", func(f *affiliate.PaymentFact) {
			f.Refunds = []affiliate.RefundFact{{ID: "re_1", Amount: scene.Sum("31"), State: "succeeded"}}
		}},
		{"refunds", func(f *affiliate.PaymentFact) { f.Refunds = make([]affiliate.RefundFact, 101) }},
		{"promoCode", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.PromoCode = "MARA20" })
		}},
		{"referralId", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.ReferralID = "mara" })
		}},
		{"email", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Email = "t@example.com" })
		}},
		{"gross", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Gross = affiliate.Amount{} })
		}},
		{"tax", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Tax = scene.Sum("121") })
		}},
		{"tries", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Tries = []affiliate.Credit{{}} })
		}},
		{"tries", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Tries = []affiliate.Credit{{PromoCode: "A", ReferralID: "b"}} })
		}},
		{"tries", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Tries = make([]affiliate.Credit, 9) })
		}},
		{"idempotencyKey", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Once.Key = "k" })
		}},
		{"idempotencyKey", func(f *affiliate.PaymentFact) {
			*f = scene.Altered(*f, func(p *affiliate.Paid) { p.Once.Refused = &affiliate.Error{} })
		}},
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = strings.Repeat("p", 33) }},
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = "a:b" }}, // the next to 9
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = "a/b" }}, // the one before 0
	} {
		t.Run(fmt.Sprint(i, " ", c.field), func(t *testing.T) {
			f := s.Paid("pi_1", "120", "20", "1")
			c.change(&f)
			_, err := s.Payments().ReportPayment(t.Context(), f)
			if refusal, ok := errors.AsType[*affiliate.Error](err); !ok || refusal.Field != c.field {
				t.Errorf("error %v, want one of %s", err, c.field)
			}
			scene.Equal(t, "", cmp.Diff(stored, s.Dump()))
		})
	}
}

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
