package payment_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// usesOf: what is used of Mara's code and of its coupon.
func usesOf(s *scene.PayShop) string {
	code := scene.Must(s.Code(s.T.Context(), affiliate.CodeRef{ID: s.MaraCode.ID}))
	coupon := scene.Must(s.Coupon(s.T.Context(), affiliate.CouponRef{ID: s.MaraCode.CouponID}))
	return fmt.Sprint(code.TimesRedeemed, " ", coupon.TimesRedeemed, " ", coupon.DiscountTotal.Or(affiliate.Amount{}))
}

// limited gives Mara's code a limit for each customer, and its coupon a budget.
func limited(t *testing.T, change ...func(*tributary.Config)) *scene.PayShop {
	s := scene.NewPayShop(t, change...)
	up := affiliate.CouponUpdate{RestoreOnRefund: affiliate.Set(true), MaxDiscountTotal: scene.Amount("1000"), MaxRedemptionsPerCustomer: affiliate.Set[int64](1)}
	scene.Must(s.UpdateCoupon(t.Context(), s.MaraCode.CouponID, up))
	return s
}

// TestRestoreByFacts: whether the redemption of a payment counts depends only on the facts, in whatever order
// they come: a full refund gives it back, unless a dispute is lost, and takes it again when it fails. It is the same
// for one that makes a sale, and for one by a house code that credits nobody.
func TestRestoreByFacts(t *testing.T) {
	t.Run("sale", func(t *testing.T) { restoreByFacts(t, func() *scene.PayShop { return limited(t) }, scene.Tomas) })
	t.Run("no sale", func(t *testing.T) { restoreByFacts(t, func() *scene.PayShop { return housed(t) }, scene.Tomas) })
	t.Run("no email", func(t *testing.T) {
		restoreByFacts(t, func() *scene.PayShop { return housed(t) }, affiliate.PayerFact{ID: scene.Tomas.ID})
	})
	t.Run("sale, no email", func(t *testing.T) {
		restoreByFacts(t, func() *scene.PayShop { return limited(t) }, affiliate.PayerFact{ID: scene.Tomas.ID})
	})
}

// housed is limited with a house code.
func housed(t *testing.T, change ...func(*tributary.Config)) *scene.PayShop {
	s := limited(t, append(change, func(c *tributary.Config) { c.HouseCodes = true })...)
	scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()}))
	return s
}

func restoreByFacts(t *testing.T, shop func() *scene.PayShop, payer affiliate.PayerFact) {
	paid := func(s *scene.PayShop, key, total, tax string) affiliate.PaymentResult {
		f := s.Paid(key, total, tax, "code:MARA20")
		f.Payer = payer
		return s.Reports(f)
	}
	other := func(f affiliate.PaymentFact) affiliate.PaymentFact { // of the same customer
		if f.Payer = payer; payer.Email != "" {
			f.Payer.ID = "cus_T2"
		}
		return f
	}
	refund, failed := "R:re_1:120", "R:re_1:120:failed"
	lost, won := "D:dp_1:120:lost@30", "D:dp_1:120:won@40"
	for name, tt := range map[string]struct {
		words []string
		count bool
	}{
		"paid":            {nil, true},
		"part":            {[]string{"R:re_1:119.99"}, true},
		"full":            {[]string{refund}, false},
		"full, failed":    {[]string{refund, failed}, true},
		"lost":            {[]string{lost}, true},
		"lost, refunded":  {[]string{lost, refund}, true},
		"won, refunded":   {[]string{"D:dp_1:120:withdrawn@10", won, refund}, false},
		"two halves":      {[]string{"R:re_1:60", "R:re_2:60"}, false},
		"two, one failed": {[]string{"R:re_1:60", "R:re_2:60", "R:re_2:60:failed"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			words := append([]string{"S"}, tt.words...)
			for order := range permutations(len(words)) {
				s := shop()
				play := func(word string) {
					if word == "S" {
						paid(s, "pi_1", "120", "20")
						return
					}
					s.Play(word)
				}
				for _, i := range order {
					play(words[i])
					play(words[order[0]]) // a fact that is known changes nothing
				}
				got := usesOf(s)[:1]
				if want := map[bool]string{true: "1", false: "0"}[tt.count]; got != want {
					t.Errorf("%q, %v: %s uses, want %s", words, order, got, want)
				}
				again := s.Reports(other(s.Paid("pi_2", "10", "0", "code:MARA20")))
				scene.Equal(t, tt.count, len(again.Refused) > 0, words, order)
				s.Verifies()
			}
		})
	}
}

// TestHoldOfPayment: a payment confirms the hold of its checkout, also when the code has expired and is used up
// since, and one without a hold that can be found is decided by what else it names.
func TestHoldOfPayment(t *testing.T) {
	s := limited(t)
	ctx := t.Context()
	scene.Must(s.UpdateCode(ctx, s.MaraCode.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
	hold := affiliate.HoldParams{ID: "cart", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "MARA20", Email: scene.Tomas.Email, Subtotal: scene.Amount("125")}}
	scene.Must(s.HoldRedemption(ctx, hold))
	paid := func(keys, hold string) affiliate.PaymentFact {
		f := s.Paid(keys, "120", "20")
		sale := f.Sale.Or(affiliate.Paid{})
		sale.Tries = []affiliate.Credit{{HoldID: hold}, {PromoCode: "MARA20"}, {ReferralID: "mara"}}
		f.Sale = affiliate.Set(sale)
		return f
	}
	s.Pass(2 * time.Hour) // the hold has lapsed
	res := s.Reports(paid("pi_1", "cart"))
	s.Outcome(res, affiliate.SaleRecorded)
	scene.Equal(t, affiliate.Set(s.MaraCode.ID), s.SaleOf("pi_1").PromotionalCodeID)
	scene.Equal(t, affiliate.HoldConfirmed, scene.Must(s.Hold(ctx, "cart")).State)
	for _, id := range []string{"cart", "none"} {
		res = s.Reports(paid("pi_"+id, id))
		s.Outcome(res, affiliate.SaleRecorded)
		scene.Equal(t, affiliate.CodeExhausted, res.Refused[0].Reason)
		if sale := s.SaleOf("pi_" + id); !sale.PromotionalCodeID.IsNull() {
			t.Errorf("%s redeemed the code", id)
		}
	}
	s.Verifies()
}

// TestHouseCodeOfPayment: a payment by a house code counts once, whoever is credited and whenever that is known.
func TestHouseCodeOfPayment(t *testing.T) {
	house := func(c *tributary.Config) { c.HouseCodes = true }
	nobody := affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()}
	t.Run("Nobody", func(t *testing.T) {
		s := limited(t, house)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, nobody))
		for range 3 {
			s.Outcome(s.Reports(s.Paid("pi_1", "80", "0", "code:MARA20")), affiliate.SaleRedeemed)
			scene.Equal(t, "1 1 16", usesOf(s))
			s.Verifies()
		}
		other := s.Reports(s.Paid("pi_2", "80", "0", "code:MARA20"))
		scene.Equal(t, affiliate.CustomerLimit, other.Refused[0].Reason)
		ref := affiliate.ReferralParams{AffiliateID: s.Ben.ID.String(), Email: scene.Tomas.Email, Name: "T", ReferredUserExternalID: "t"}
		scene.Must(s.CreateReferral(t.Context(), ref))
		s.Outcome(s.Reports(s.Paid("pi_1", "80", "0", "code:MARA20")), affiliate.SaleRecorded)
		scene.Equal(t, s.Ben.ID, s.SaleOf("pi_1").AffiliateID)
		scene.Equal(t, "1 1 16", usesOf(s))
		s.Verifies()
	})
	t.Run("Link", func(t *testing.T) {
		s := limited(t, house)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, nobody))
		s.Outcome(s.Reports(s.Paid("pi_1", "80", "0", "code:MARA20", "ben")), affiliate.SaleRecorded)
		sale := s.SaleOf("pi_1")
		scene.Equal(t, s.Ben.ID, sale.AffiliateID)
		scene.Equal(t, affiliate.Set(s.MaraCode.ID), sale.PromotionalCodeID)
		s.Verifies()
	})
	t.Run("Hold", func(t *testing.T) {
		s := limited(t, house)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, nobody))
		scene.Must(s.HoldRedemption(t.Context(), affiliate.HoldParams{ID: "cart", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "MARA20", Email: scene.Tomas.Email, Subtotal: scene.Amount("100")}}))
		fact := s.Paid("pi_1", "80", "0")
		sale := fact.Sale.Or(affiliate.Paid{})
		sale.Tries = []affiliate.Credit{{HoldID: "cart"}}
		fact.Sale = affiliate.Set(sale)
		for range 3 {
			s.Outcome(s.Reports(fact), affiliate.SaleRedeemed)
			scene.Equal(t, "1 1 20", usesOf(s))
			s.Pass(2 * time.Hour)
		}
		ref := affiliate.ReferralParams{AffiliateID: s.Ben.ID.String(), Email: scene.Tomas.Email, Name: "T", ReferredUserExternalID: "t"}
		scene.Must(s.CreateReferral(t.Context(), ref))
		other := s.Paid("pi_2", "80", "0", "code:MARA20")
		other.Payer = affiliate.PayerFact{ID: "cus_K", Email: "kim@example.com"}
		s.Outcome(s.Reports(other), affiliate.SaleRedeemed)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1), ExpiresAt: affiliate.Set(affiliate.At(s.Now.Add(-time.Minute)))}))
		s.Outcome(s.Reports(fact), affiliate.SaleRecorded)
		scene.Equal(t, "2 2 36", usesOf(s))
		scene.Equal(t, s.SaleOf("pi_1").ID, scene.Must(s.Hold(t.Context(), "cart")).SaleID.Or(0))
		scene.Equal(t, 0, scene.Must(s.Attention(t.Context(), 5)).Overdrawn.Count)
		s.Verifies()
	})
	t.Run("Switched off", func(t *testing.T) {
		s := limited(t, house)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, nobody))
		s.Outcome(s.Reports(s.Paid("pi_1", "80", "0", "code:MARA20")), affiliate.SaleRedeemed)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		s.Outcome(s.Reports(s.Paid("pi_1", "80", "0", "code:MARA20")), affiliate.SaleRedeemed)
		scene.Equal(t, "1 1 16", usesOf(s))
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		again := s.Reports(s.Paid("pi_2", "80", "0", "code:MARA20"))
		scene.Equal(t, affiliate.CustomerLimit, again.Refused[0].Reason)
		s.Verifies()
	})
	t.Run("Given back", func(t *testing.T) {
		s := limited(t, house)
		scene.Must(s.UpdateCode(t.Context(), s.MaraCode.ID, nobody))
		s.Outcome(s.Reports(s.Paid("pi_1", "80", "0", "code:MARA20")), affiliate.SaleRedeemed)
		scene.Must(0, s.RestoreRedemption(t.Context(), affiliate.SaleRef{ExternalID: "pi_1"}))
		s.Outcome(s.Reports(s.Paid("pi_1", "80", "0", "code:MARA20")), affiliate.SaleRedeemed)
		scene.Equal(t, "0 0 0", usesOf(s))
		s.Verifies()
	})
}

// TestRedeemedPaymentStays: what is known of a payment by a house code stays, whatever the code is since and whoever
// tells it again; only a payment that credits somebody takes its place.
func TestRedeemedPaymentStays(t *testing.T) {
	off := affiliate.CodeUpdate{Active: affiliate.Set(false)}
	paid := func(s *scene.PayShop, keys, order string, tries ...affiliate.Credit) affiliate.PaymentFact {
		f := s.Paid(keys, "80", "0")
		sale := f.Sale.Or(affiliate.Paid{})
		sale.ExternalID, sale.Tries = order, tries
		f.Sale = affiliate.Set(sale)
		return f
	}
	byCode := affiliate.Credit{PromoCode: "MARA20"}
	full := func(key string) func(s *scene.PayShop) affiliate.PaymentFact {
		return func(s *scene.PayShop) affiliate.PaymentFact {
			return s.Refund("re_"+key, "80", affiliate.RefundSucceeded, key)
		}
	}
	for name, tt := range map[string]struct {
		play func(s *scene.PayShop) affiliate.PaymentResult
		out  affiliate.SaleOutcome
		want string
	}{
		"switched off": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(paid(s, "pi_1", "o", byCode))
			scene.Must(s.UpdateCode(s.T.Context(), s.MaraCode.ID, off))
			return s.Reports(paid(s, "pi_1", "o", byCode))
		}, affiliate.SaleRedeemed, "1 1 16"},
		"switched off and refunded": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(paid(s, "pi_1", "o", byCode), full("pi_1")(s))
			scene.Must(s.UpdateCode(s.T.Context(), s.MaraCode.ID, off))
			return s.Reports(paid(s, "pi_1", "o", byCode))
		}, affiliate.SaleRedeemed, "0 0 0"},
		"held": {func(s *scene.PayShop) affiliate.PaymentResult {
			hold := affiliate.HoldParams{ID: "cart", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "MARA20", Subtotal: scene.Amount("100")}}
			scene.Must(s.HoldRedemption(s.T.Context(), hold))
			s.Reports(paid(s, "pi_1", "o", affiliate.Credit{HoldID: "cart"}))
			return s.Reports(paid(s, "pi_1", "o", affiliate.Credit{HoldID: "cart"}))
		}, affiliate.SaleRedeemed, "1 1 20"},
		"given back by a person": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(paid(s, "pi_1", "o", byCode))
			scene.Must(0, s.RestoreRedemption(s.T.Context(), affiliate.SaleRef{ExternalID: "o"}))
			return s.Reports(full("pi_1")(s), paid(s, "pi_1", "o", byCode))
		}, affiliate.SaleRedeemed, "0 0 0"},
		"the host's": {func(s *scene.PayShop) affiliate.PaymentResult {
			sale := affiliate.SaleParams{PromoCode: "MARA20", Email: scene.Tomas.Email, TotalEarned: scene.Sum("80"), ExternalID: "o"}
			scene.Must(s.RecordSale(s.T.Context(), sale))
			return s.Reports(paid(s, "pi_1", "o"))
		}, affiliate.SaleRedeemed, "1 1 16"},
		"the host's, refunded": {func(s *scene.PayShop) affiliate.PaymentResult {
			sale := affiliate.SaleParams{PromoCode: "MARA20", Email: scene.Tomas.Email, TotalEarned: scene.Sum("80"), ExternalID: "o"}
			scene.Must(s.RecordSale(s.T.Context(), sale))
			return s.Reports(full("pi_1")(s), paid(s, "pi_1", "o"))
		}, affiliate.SaleRedeemed, "0 0 0"},
		"the host's, refunded later": {func(s *scene.PayShop) affiliate.PaymentResult {
			sale := affiliate.SaleParams{PromoCode: "MARA20", Email: scene.Tomas.Email, TotalEarned: scene.Sum("80"), ExternalID: "o"}
			scene.Must(s.RecordSale(s.T.Context(), sale))
			return s.Reports(paid(s, "pi_1", "o"), full("pi_1")(s))
		}, affiliate.SaleParked, "0 0 0"},
		"paid twice, and one refunded": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(paid(s, "pi_1", "o", byCode), paid(s, "pi_2", "o", byCode), full("pi_2")(s))
			return s.Reports(paid(s, "pi_2", "o", byCode))
		}, affiliate.SaleDuplicate, "1 1 16"},
		"paid twice, and the other refunded": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(paid(s, "pi_1", "o", byCode), paid(s, "pi_2", "o", byCode), full("pi_1")(s))
			return s.Reports(paid(s, "pi_1", "o", byCode))
		}, affiliate.SaleRedeemed, "0 0 0"},
		"two that are one": {func(s *scene.PayShop) affiliate.PaymentResult {
			other := paid(s, "in_1", "in_1", byCode)
			other.Payer = affiliate.PayerFact{ID: "cus_K", Email: "kim@example.com"}
			s.Reports(paid(s, "pi_1", "pi_1", byCode), other, s.Fact("pi_1 in_1"))
			return s.Reports(paid(s, "pi_1", "pi_1", byCode))
		}, affiliate.SaleRedeemed, "1 1 16"},
		"its refund is one of its own ids": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(full("ch_1")(s), paid(s, "pi_1", "o", byCode), s.Fact("pi_1 ch_1"))
			return s.Reports(paid(s, "pi_1", "o", byCode))
		}, affiliate.SaleRedeemed, "0 0 0"},
		"after the refund window": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(paid(s, "pi_1", "o", byCode))
			s.Pass(31 * 24 * time.Hour)
			s.Reports(full("pi_1")(s))
			return s.Reports(paid(s, "pi_1", "o", byCode))
		}, affiliate.SaleRedeemed, "1 1 16"},
		"somebody is credited since": {func(s *scene.PayShop) affiliate.PaymentResult {
			s.Reports(paid(s, "pi_1", "o", byCode), full("pi_1")(s))
			return s.Reports(paid(s, "pi_1", "o", byCode, affiliate.Credit{ReferralID: "ben"}))
		}, affiliate.SaleRecorded, "0 0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := housed(t, func(c *tributary.Config) { c.RefundWindow = 30 * 24 * time.Hour })
			s.Outcome(tt.play(s), tt.out)
			scene.Equal(t, tt.want, usesOf(s))
			s.Verifies()
		})
	}
}

// TestOfferOfPayment: a payment redeems the offer of whom it credits, when it says that the checkout took it off. It
// is redeemed by the same rules as by a sale, and a code is before it.
func TestOfferOfPayment(t *testing.T) {
	for name, tt := range map[string]struct {
		tries  string
		change func(s *scene.PayShop, f affiliate.PaymentFact) affiliate.PaymentFact
		want   string // who is credited, whether by the offer, what is redeemed of the coupon, and why not
	}{
		"a link":              {"offer mara", nil, "mara true 1 []"},
		"after the link":      {"mara offer", nil, "mara false 0 []"},
		"not asked for":       {"mara", nil, "mara false 0 []"},
		"a code is before it": {"code:MARA20 offer mara", nil, "mara false 1 []"},
		"a code that is gone": {"code:GONE offer mara", nil, "mara true 1 []"},
		"of nobody":           {"offer", nil, "  0 [no_offer]"},
		"a link without one":  {"offer ben", nil, "ben false 0 [no_offer]"},
		"a renewal": {"offer mara", func(_ *scene.PayShop, f affiliate.PaymentFact) affiliate.PaymentFact {
			return scene.Altered(f, func(p *affiliate.Paid) { p.Renewal = true })
		}, "mara false 0 []"},
		"used up": {"offer mara", func(s *scene.PayShop, f affiliate.PaymentFact) affiliate.PaymentFact {
			other := s.Paid("pi_0", "50", "0", "code:MARA20")
			s.Reports(other)
			return f
		}, "mara false 1 [customer_limit]"},
		"a known customer": {"offer", func(s *scene.PayShop, f affiliate.PaymentFact) affiliate.PaymentFact {
			s.Reports(s.Paid("pi_0", "50", "0", "mara"))
			return f
		}, "mara true 1 []"},
		"refunded": {"offer mara", func(s *scene.PayShop, f affiliate.PaymentFact) affiliate.PaymentFact {
			s.Reports(s.Refund("re_1", "80", affiliate.RefundSucceeded))
			return f
		}, "mara true 0 []"},
		"agreed before": {"offer mara", func(s *scene.PayShop, f affiliate.PaymentFact) affiliate.PaymentFact {
			s.Reports(scene.Altered(f, func(p *affiliate.Paid) { p.Stage, p.Gross = affiliate.PaidLater, scene.Sum("80") }))
			return scene.Altered(f, func(p *affiliate.Paid) { p.Stage, p.Tries = affiliate.PaidOfAgreed, nil })
		}, "mara true 1 []"},
	} {
		t.Run(name, func(t *testing.T) {
			s := limited(t)
			give := affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(s.MaraCode.CouponID)}
			scene.Must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.Mara.ID}, give))
			f := s.Paid("pi_1", "80", "0", strings.Fields(tt.tries)...)
			if tt.change != nil {
				f = tt.change(s, f)
			}
			res := s.Reports(f)
			s.Reports(f) // changes nothing
			who, offer := "", ""
			if sale, ok := res.Sale.Get(); ok {
				who, offer = map[uuid.UUID]string{s.Mara.ID: "mara", s.Ben.ID: "ben"}[sale.AffiliateID], fmt.Sprint(sale.Offer)
			}
			reasons := []affiliate.Reason{}
			for _, f := range res.Refused {
				reasons = append(reasons, f.Reason)
			}
			coupon := scene.Must(s.Coupon(t.Context(), affiliate.CouponRef{ID: s.MaraCode.CouponID}))
			scene.Equal(t, tt.want, fmt.Sprint(who, " ", offer, " ", coupon.TimesRedeemed, " ", reasons))
			s.Verifies()
		})
	}
}
