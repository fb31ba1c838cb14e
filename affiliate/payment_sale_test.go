package affiliate_test

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
)

// The checks of payments that are about sales, by their numbers, at the level of
// facts. Those of a provider's events are in the module pay.
func TestPaymentSales(t *testing.T) {
	for name, check := range map[string]func(s *payShop){
		"01 one sale": func(s *payShop) {
			res := s.report(s.paid("pi_1 in_1 cs_1", "120", "20", "1"))
			s.outcome(res, affiliate.SaleRecorded)
			sale := s.gives("pi_1", "20")
			s.credited(sale, s.mara)
			if sale.ExternalID != affiliate.Set("pi_1") || sale.Source != "INTEGRATION" || sale.PaymentTrigger != affiliate.TriggerPurchase || sale.IntegrationSalesSource != affiliate.Set(affiliate.Integration("STRIPE")) || res.Moved != money("20") {
				s.t.Errorf("sale %+v, moved %v", sale, res.Moved)
			}
			if got := countOf(s.eventTypes(0), affiliate.SaleCreated); got != 1 {
				s.t.Errorf("%d sale.created", got)
			}
		},
		"02 the same for weeks": func(s *payShop) {
			f := s.paid("pi_1 cs_1", "120", "20", "1")
			s.report(f)
			stored := s.dump()
			for _, later := range []time.Duration{24 * time.Hour, 48 * time.Hour, 40 * 24 * time.Hour} {
				s.pass(later)
				s.outcome(s.report(f), affiliate.SaleDuplicate)
			}
			if d := cmp.Diff(stored, s.dump()); d != "" {
				s.t.Errorf("repeats (-before +after):\n%s", d)
			}
		},
		"04 one payment of session, invoice and link": func(s *payShop) {
			facts := []affiliate.PaymentFact{s.paid("in_1 cs_1", "29", "0", "1"), s.fact("in_1 cs_1"), s.fact("pi_1 in_1")}
			for order := range permutations(len(facts)) {
				o := newPayShop(s.t)
				for _, i := range order {
					o.report(facts[i])
				}
				o.gives("pi_1", "5.8")
				if a, b := o.saleOf("in_1"), o.saleOf("pi_1"); a.ID != b.ID || o.sales() != 1 {
					s.t.Errorf("sales %d and %d of %d", a.ID, b.ID, o.sales())
				}
			}
		},
		"07 renewal with a new email": func(s *payShop) {
			s.report(s.paid("in_1", "29", "0", "1"))
			f := renewal(s.paid("in_2", "29", "0"))
			f.Payer.Email = "new@example.com"
			s.report(f)
			s.credited(s.gives("in_2", "5.8"), s.mara)
			if n := len(must(s.Referrals(s.t.Context(), affiliate.ReferralFilter{}, affiliate.Page{})).Items); n != 1 {
				s.t.Errorf("%d referrals", n)
			}
		},
		"08 renewal by another's click": func(s *payShop) {
			s.report(s.paid("in_1", "29", "0", "1"))
			s.report(renewal(s.paid("in_2", "29", "0", "2")))
			s.credited(s.gives("in_2", "5.8"), s.mara)
		},
		"09 first payment by another's click": func(s *payShop) {
			s.report(s.paid("in_1", "29", "0", "1"))
			s.report(s.paid("pi_2", "29", "0", "2"))
			s.report(renewal(s.paid("in_3", "29", "0", "2")))
			s.credited(s.gives("pi_2", "5.8"), s.ben)
			s.credited(s.gives("in_3", "5.8"), s.mara)
			ref := must(s.PayerReferral(s.t.Context(), "stripe", affiliate.PayerFact{ID: "cus_T"}))
			if ref.AffiliateID != s.mara.ID {
				s.t.Errorf("the customer moved to %s", ref.AffiliateID)
			}
		},
		"11 renewal by the click of the metadata": func(s *payShop) {
			s.report(renewal(s.paid("in_2", "29", "0", "1")))
			s.credited(s.gives("in_2", "5.8"), s.mara)
		},
		"13 free order with a code": func(s *payShop) {
			free := func(s *payShop) affiliate.PaymentFact {
				return altered(s.paid("in_1", "0", "0", "promo:promo_mara"), func(p *affiliate.Paid) { p.Free, p.Subtotal = true, affiliate.Set(money("29")) })
			}
			if _, err := s.ReportPayment(s.t.Context(), free(s)); !errors.Is(err, affiliate.MissingField) {
				s.t.Errorf("without Config.FreeOrders: %v", err)
			}
			o := newPayShop(s.t, func(c *tributary.Config) { c.FreeOrders = true })
			o.report(free(o), renewal(o.paid("in_2", "29", "0")), o.refund("re_1", "1", affiliate.RefundSucceeded, "in_1"))
			o.gives("in_1", "0")
			o.credited(o.gives("in_2", "5.8"), o.mara)
			o.redeemed(1)
		},
		"14 code and its renewal": func(s *payShop) {
			s.report(altered(s.paid("pi_1 in_1", "39.2", "0", "promo:promo_mara"), func(p *affiliate.Paid) { p.Subtotal = affiliate.Set(money("49")) }))
			s.gives("pi_1", "7.84")
			s.report(renewal(s.paid("in_2", "39.2", "0", "promo:promo_mara")))
			s.gives("in_2", "7.84")
			s.redeemed(1)
		},
		"15 code by its text": func(s *payShop) {
			s.report(s.paid("pi_1", "29", "0", "promo:promo_other", "code:mara20"))
			s.credited(s.gives("pi_1", "5.8"), s.mara)
			s.redeemed(1)
		},
		"16 code before click": func(s *payShop) {
			s.report(s.paid("pi_1", "29", "0", "promo:promo_mara", "2"))
			s.credited(s.gives("pi_1", "5.8"), s.mara)
		},
		"17 a refused code gives way": func(s *payShop) {
			s.exhaust()
			res := s.report(s.paid("pi_1", "29", "0", "promo:promo_mara", "2"))
			s.outcome(res, affiliate.SaleRecorded)
			if len(res.Refused) != 1 || res.Refused[0].Reason != affiliate.CodeExhausted {
				s.t.Errorf("refused %+v", res.Refused)
			}
			s.credited(s.gives("pi_1", "5.8"), s.ben)
			s.redeemed(1)
		},
		"a first order, by the email of the referral": func(s *payShop) {
			s.report(s.paid("pi_1", "29", "0", "1"))
			s.raw(func(tx *record.Tx) error { // the sale outlived an earlier referral of Tomas
				return eachRow(tx.Sales, func(r record.Sale) error {
					r.ReferralID = uuid.Nil
					return tx.Sales.Replace(r)
				})
			})
			must(s.UpdateCode(s.t.Context(), s.code.ID, affiliate.CodeUpdate{FirstTimeOrder: affiliate.Set(true)}))
			f := s.paid("pi_2", "29", "0", "promo:promo_mara")
			f.Payer.Email = "new@example.com"
			res := s.report(f)
			if len(res.Refused) != 1 || res.Refused[0].Reason != affiliate.NotFirstOrder {
				s.t.Errorf("refused %+v", res.Refused)
			}
		},
		"a code for a customer with two emails": func(s *payShop) {
			s.report(s.paid("pi_1", "29", "0", "1"))
			for i, email := range []string{tomas.Email, "new@example.com"} {
				s.raw(func(tx *record.Tx) error {
					r := must(tx.Codes.Get(s.code.ID))
					r.LimitToCustomers, r.CustomerID = true, email
					return tx.Codes.Replace(r)
				})
				f := s.paid(fmt.Sprint("pi_of_", i), "29", "0", "promo:promo_mara")
				f.Payer.Email = "new@example.com"
				if res := s.report(f); len(res.Refused) != 0 {
					s.t.Errorf("for %s: refused %+v", email, res.Refused)
				}
			}
			s.redeemed(2)
		},
		"18 a refused code and nothing else": func(s *payShop) {
			s.exhaust()
			res := s.report(s.paid("pi_1", "29", "0", "promo:promo_mara"))
			s.outcome(res, affiliate.SaleRefused)
			if _, sold := res.Sale.Get(); sold || s.sales() != 1 {
				s.t.Errorf("sale %v", res.Sale)
			}
			s.verify()
		},
		"19 a code that expired after the payment": func(s *payShop) {
			noon := s.now.Add(time.Hour)
			must(s.UpdateCode(s.t.Context(), s.code.ID, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(noon))}))
			s.pass(25 * time.Hour)
			at := func(key string, paid time.Time) affiliate.PaymentResult {
				f := s.paid(key, "29", "0", "promo:promo_mara")
				f.Payer = affiliate.PayerFact{ID: key, Email: key + "@example.com"}
				return s.report(altered(f, func(p *affiliate.Paid) { p.PaidAt = paid }))
			}
			s.outcome(at("pi1", noon.Add(-time.Minute)), affiliate.SaleRecorded)
			s.outcome(at("pi2", noon.Add(time.Minute)), affiliate.SaleRefused)
		},
		"20 the minimum is of the basket": func(s *payShop) {
			must(s.UpdateCode(s.t.Context(), s.code.ID, affiliate.CodeUpdate{MinimumAmount: affiliate.Set(money("50"))}))
			s.report(altered(s.paid("pi_1", "44", "0", "promo:promo_mara"), func(p *affiliate.Paid) { p.Subtotal = affiliate.Set(money("55")) }))
			s.gives("pi_1", "8.8")
		},
		"23 tax of a part that was paid": func(s *payShop) {
			s.report(s.paid("in_1", "90", "15", "1"))
			s.gives("in_1", "15")
		},
		"24 tax and shipping": func(s *payShop) {
			s.report(altered(s.paid("pi_1", "59.9", "4.91", "1"), func(p *affiliate.Paid) { p.Shipping = money("4.99") }))
			s.gives("pi_1", "10")
		},
		"25 tax inside": func(s *payShop) {
			s.report(s.paid("pi_1", "100", "15.97", "1"))
			s.gives("pi_1", "16.81")
		},
		"26 slug, click, and neither": func(s *payShop) {
			s.report(s.paid("pi_1", "29", "0", "mara"))
			s.credited(s.gives("pi_1", "5.8"), s.mara)
			f := s.paid("pi_2", "29", "0", "user_42")
			f.Payer = affiliate.PayerFact{ID: "cus_U", Email: "u@example.com"}
			s.outcome(s.report(f), affiliate.SaleUnattributed)
		},
		"33 another currency": func(s *payShop) {
			stored := s.dump()
			for _, change := range []func(*affiliate.Paid){
				func(p *affiliate.Paid) { p.Stage = affiliate.PaidLater },
				func(p *affiliate.Paid) { p.Stage = affiliate.PaidOfAgreed },
				func(p *affiliate.Paid) { p.GrossCurrency = "USD" },
			} {
				f := altered(s.paid("pi_1", "29", "0", "1"), change)
				f.Currency = "EUR"
				_, err := s.ReportPayment(s.t.Context(), f)
				if refusal, ok := errors.AsType[*affiliate.Error](err); !ok || refusal.Field != "currency" || cmp.Diff(stored, s.dump()) != "" {
					s.t.Errorf("error %v", err)
				}
			}
		},
		"35 a sale that the host recorded": func(s *payShop) {
			host := must(s.RecordSale(s.t.Context(), affiliate.NewSale{ReferralID: "mara", Email: "tomas@example.com", Name: "Tomas", TotalEarned: money("120"), Tax: money("20"), ExternalID: "order-1042"}))
			res := s.report(altered(s.paid("pi_1", "120", "20", "2"), func(p *affiliate.Paid) { p.ExternalID = "order-1042" }))
			s.outcome(res, affiliate.SaleDuplicate)
			s.report(s.refund("re_1", "30", affiliate.RefundSucceeded))
			if sale := s.gives("pi_1", "15"); sale.ID != host.Sale.Or(affiliate.Sale{}).ID || s.sales() != 1 {
				s.t.Errorf("sale %d of %d", sale.ID, s.sales())
			}
		},
		"40 an email that comes later": func(s *payShop) {
			f := s.paid("pi_1", "120", "20", "1")
			f.Payer.Email = "müller@example.com"
			res := s.report(f)
			s.outcome(res, affiliate.SaleUnattributed)
			if res.Payment.ID == [16]byte{} || s.sales() != 0 {
				s.t.Errorf("payment %+v", res.Payment)
			}
			s.report(s.refund("re_1", "30", affiliate.RefundSucceeded))
			if err := s.ReportPayer(s.t.Context(), "stripe", affiliate.PayerFact{ID: "cus_T", Email: "mueller@example.com"}); err != nil {
				s.t.Fatal(err)
			}
			s.credited(s.gives("pi_1", "15"), s.mara)
			s.outcome(s.report(f), affiliate.SaleDuplicate)
		},
	} {
		t.Run(name, func(t *testing.T) { check(newPayShop(t)) })
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
			s := newPayShop(t, func(cfg *tributary.Config) { cfg.Currency = c.currency })
			s.report(s.paid("pi_1", c.total, c.tax, "1"))
			s.gives("pi_1", c.want)
		})
	}
}

// exhaust uses the code up.
func (s *payShop) exhaust() {
	must(s.RecordSale(s.t.Context(), affiliate.NewSale{PromoCode: "MARA20", TotalEarned: money("1")}))
	must(s.UpdateCode(s.t.Context(), s.code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
}

func (s *payShop) redeemed(want int64) {
	s.t.Helper()
	if got := must(s.Code(s.t.Context(), affiliate.CodeRef{ID: s.code.ID})).TimesRedeemed; got != want {
		s.t.Errorf("timesRedeemed %d, want %d", got, want)
	}
}

func countOf[T comparable](all []T, want T) (n int) {
	for _, v := range all {
		if v == want {
			n++
		}
	}
	return n
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
	s := newPayShop(t)
	f := s.paid("k1 k2 k3 k4 k5 k6", "120", "20", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "1")
	f.Provider = "abyz0189" + strings.Repeat("p", 24)
	f.At = s.now.Add(5 * time.Minute)
	f.Payer.Name = "Tomas\nT" // no name is stored, and the sale is
	for i := range 100 {
		f.Refunds = append(f.Refunds, affiliate.RefundFact{ID: fmt.Sprint("re_", i), Amount: money("0.5"), State: affiliate.RefundSucceeded})
	}
	s.outcome(s.report(f), affiliate.SaleRecorded)
	if ref := must(s.Referrals(t.Context(), affiliate.ReferralFilter{}, affiliate.Page{})).Items[0]; ref.Name.Or("") != "tomas" {
		t.Errorf("name %q", ref.Name)
	}
	for _, key := range f.Keys {
		if got := must(s.ProviderPayment(t.Context(), f.Provider, key)).SaleID; got.IsZero() || got.IsNull() {
			t.Errorf("%s leads to no sale", key)
		}
	}
	s.verify()
}

// TestPaymentRefused has the facts that are not valid by themselves.
func TestPaymentRefused(t *testing.T) {
	s := newPayShop(t)
	s.report(s.paid("pi_1", "120", "20", "1"), s.refund("re_1", "30", affiliate.RefundSucceeded))
	stored := s.dump()
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
		{"at", func(f *affiliate.PaymentFact) { f.At = s.now.Add(5*time.Minute + time.Microsecond) }},
		{"payer.id", func(f *affiliate.PaymentFact) { f.Payer.ID = "\x00" }},
		{"refunded", func(f *affiliate.PaymentFact) { f.Refunded = affiliate.Set(money("-1")) }},
		{"refunds.id", func(f *affiliate.PaymentFact) {
			f.Refunds = []affiliate.RefundFact{{Amount: money("1"), State: "failed"}}
		}},
		{"refunds.amount", func(f *affiliate.PaymentFact) { f.Refunds = []affiliate.RefundFact{{ID: "x", State: "failed"}} }},
		{"refunds.state", func(f *affiliate.PaymentFact) { f.Refunds = []affiliate.RefundFact{{ID: "x", Amount: money("1")}} }},
		{"disputes.state", func(f *affiliate.PaymentFact) {
			f.Disputes = []affiliate.DisputeFact{{ID: "x", Amount: money("1"), State: "open"}}
		}},
		{"re_1", func(f *affiliate.PaymentFact) {
			f.Refunds = []affiliate.RefundFact{{ID: "re_1", Amount: money("31"), State: "succeeded"}}
		}},
		{"refunds", func(f *affiliate.PaymentFact) { f.Refunds = make([]affiliate.RefundFact, 101) }},
		{"promoCode", func(f *affiliate.PaymentFact) { *f = altered(*f, func(p *affiliate.Paid) { p.PromoCode = "MARA20" }) }},
		{"referralId", func(f *affiliate.PaymentFact) { *f = altered(*f, func(p *affiliate.Paid) { p.ReferralID = "mara" }) }},
		{"email", func(f *affiliate.PaymentFact) {
			*f = altered(*f, func(p *affiliate.Paid) { p.Email = "t@example.com" })
		}},
		{"gross", func(f *affiliate.PaymentFact) {
			*f = altered(*f, func(p *affiliate.Paid) { p.Gross = affiliate.Amount{} })
		}},
		{"tax", func(f *affiliate.PaymentFact) { *f = altered(*f, func(p *affiliate.Paid) { p.Tax = money("121") }) }},
		{"tries", func(f *affiliate.PaymentFact) {
			*f = altered(*f, func(p *affiliate.Paid) { p.Tries = []affiliate.Credit{{}} })
		}},
		{"tries", func(f *affiliate.PaymentFact) {
			*f = altered(*f, func(p *affiliate.Paid) { p.Tries = []affiliate.Credit{{PromoCode: "A", ReferralID: "b"}} })
		}},
		{"tries", func(f *affiliate.PaymentFact) {
			*f = altered(*f, func(p *affiliate.Paid) { p.Tries = make([]affiliate.Credit, 9) })
		}},
		{"idempotencyKey", func(f *affiliate.PaymentFact) {
			*f = altered(*f, func(p *affiliate.Paid) { p.Once.Key = "k" })
		}},
		{"idempotencyKey", func(f *affiliate.PaymentFact) {
			*f = altered(*f, func(p *affiliate.Paid) { p.Once.Refused = &affiliate.Error{} })
		}},
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = strings.Repeat("p", 33) }},
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = "a:b" }}, // the next to 9
		{"provider", func(f *affiliate.PaymentFact) { f.Provider = "a/b" }}, // the one before 0
	} {
		t.Run(fmt.Sprint(i, " ", c.field), func(t *testing.T) {
			f := s.paid("pi_1", "120", "20", "1")
			c.change(&f)
			_, err := s.ReportPayment(t.Context(), f)
			if refusal, ok := errors.AsType[*affiliate.Error](err); !ok || refusal.Field != c.field {
				t.Errorf("error %v, want one of %s", err, c.field)
			}
			if d := cmp.Diff(stored, s.dump()); d != "" {
				t.Errorf("it changed something:\n%s", d)
			}
		})
	}
}
