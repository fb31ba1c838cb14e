package affiliate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// A payShop is the program of the checks of payments: 20 %, affiliates Mara
// (slug mara, click 1, code MARA20 with the external id promo_mara) and Ben
// (slug ben, click 2).
type payShop struct {
	*world
	mara, ben affiliate.Affiliate
	code      affiliate.Code
}

func newPayShop(t testing.TB, change ...func(*tributary.Config)) *payShop {
	t.Helper()
	return newPayShopOn(t, memstore.New(), change...)
}

func newPayShopOn(t testing.TB, store record.Store, change ...func(*tributary.Config)) *payShop {
	t.Helper()
	ctx := t.Context()
	s := &payShop{world: newWorldOn(t, store, change...)}
	s.mara = must(s.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Mara", LastName: "M", Email: "mara@example.com", AffiliateLink: "mara"}))
	s.ben = must(s.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Ben", LastName: "B", Email: "ben@example.com", AffiliateLink: "ben"}))
	coupon := must(s.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Mara 20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	s.code = must(s.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: "MARA20", ExternalID: "promo_mara", AffiliateID: s.mara.ID}))
	must(s.TrackClick(ctx, affiliate.NewClick{Slug: "mara"}))
	must(s.TrackClick(ctx, affiliate.NewClick{Slug: "ben"}))
	return s
}

func money(s string) affiliate.Amount { return affiliate.MustAmount(s) }

var tomas = affiliate.PayerFact{ID: "cus_T", Email: "tomas@example.com", Name: "Tomas"}

// fact is a fact of now about a payment with these ids, parted by spaces.
func (s *payShop) fact(keys string) affiliate.PaymentFact {
	return affiliate.PaymentFact{Provider: "stripe", Keys: strings.Fields(keys), At: s.now, Currency: s.Config().Currency}
}

// paid says that Tomas paid a total and tax, by the tries: a click or slug, or
// code:MARA20 or promo:promo_mara.
func (s *payShop) paid(keys, total, tax string, tries ...string) affiliate.PaymentFact {
	f := s.fact(keys)
	f.Payer = tomas
	f.Sale = affiliate.Set(affiliate.Paid{
		NewSale: affiliate.NewSale{TotalEarned: money(total), Tax: money(tax), ExternalID: f.Keys[0]},
		Gross:   money(total), Tries: credits(tries),
	})
	return f
}

func credits(tries []string) (all []affiliate.Credit) {
	for _, try := range tries {
		text, isCode := strings.CutPrefix(try, "code:")
		id, isID := strings.CutPrefix(try, "promo:")
		switch {
		case isCode:
			all = append(all, affiliate.Credit{PromoCode: text})
		case isID:
			all = append(all, affiliate.Credit{CodeExternalID: id})
		default:
			all = append(all, affiliate.Credit{ReferralID: try})
		}
	}
	return all
}

// altered is the fact with its sale changed.
func altered(f affiliate.PaymentFact, change func(*affiliate.Paid)) affiliate.PaymentFact {
	paid, _ := f.Sale.Get()
	change(&paid)
	f.Sale = affiliate.Set(paid)
	return f
}

func renewal(f affiliate.PaymentFact) affiliate.PaymentFact {
	return altered(f, func(p *affiliate.Paid) { p.Renewal = true })
}

// refund, cumulative and dispute are facts about pi_1 unless another id is given.
func (s *payShop) refund(id, amount string, state affiliate.RefundState, keys ...string) affiliate.PaymentFact {
	f := s.fact(strings.Join(append(keys, "pi_1")[:1], ""))
	f.Refunds = []affiliate.RefundFact{{ID: id, Amount: money(amount), State: state}}
	return f
}

func (s *payShop) cumulative(amount string) affiliate.PaymentFact {
	f := s.fact("pi_1")
	f.Refunded = affiliate.Set(money(amount))
	return f
}

func (s *payShop) dispute(id, amount string, state affiliate.DisputeState, after time.Duration) affiliate.PaymentFact {
	f := s.fact("pi_1")
	f.At = f.At.Add(after)
	f.Disputes = []affiliate.DisputeFact{{ID: id, Amount: money(amount), State: state}}
	return f
}

// report reports facts and returns the last answer.
func (s *payShop) report(facts ...affiliate.PaymentFact) (res affiliate.PaymentResult) {
	s.t.Helper()
	for _, f := range facts {
		var err error
		if res, err = s.ReportPayment(s.t.Context(), f); err != nil {
			s.t.Fatalf("ReportPayment: %v", err)
		}
	}
	return res
}

// saleOf is the sale of a payment.
func (s *payShop) saleOf(key string) affiliate.Sale {
	s.t.Helper()
	payment := must(s.ProviderPayment(s.t.Context(), "stripe", key))
	id, ok := payment.SaleID.Get()
	if !ok {
		s.t.Fatalf("the payment %s has no sale", key)
	}
	return must(s.Sale(s.t.Context(), id))
}

// worth is what a sale and its adjustments give.
func (s *payShop) worth(id affiliate.SaleID) affiliate.Amount {
	s.t.Helper()
	sum := must(s.Sale(s.t.Context(), id)).CommissionEarned
	for _, a := range s.adjustments(id) {
		sum = must(sum.Add(a.Amount))
	}
	return sum
}

func (s *payShop) adjustments(id affiliate.SaleID) []affiliate.Adjustment {
	return must(s.Adjustments(s.t.Context(), affiliate.AdjustmentFilter{SaleID: affiliate.Set(id)}, affiliate.Page{})).Items
}

// gives checks what a payment gives, and that the books are in order.
func (s *payShop) gives(key, want string) affiliate.Sale {
	s.t.Helper()
	sale := s.saleOf(key)
	if got := s.worth(sale.ID); got != money(want) {
		s.t.Errorf("%s gives %v, want %s", key, got, want)
	}
	s.verify()
	return sale
}

// sales is how many sales there are.
func (s *payShop) sales() int {
	return len(must(s.Sales(s.t.Context(), affiliate.SaleFilter{}, affiliate.Page{})).Items)
}

// outcome checks an outcome.
func (s *payShop) outcome(got affiliate.PaymentResult, want affiliate.SaleOutcome) {
	s.t.Helper()
	if got.Outcome != want {
		s.t.Errorf("outcome %q, want %q", got.Outcome, want)
	}
}

func (s *payShop) credited(sale affiliate.Sale, to affiliate.Affiliate) {
	s.t.Helper()
	if sale.AffiliateID != to.ID {
		s.t.Errorf("the sale credits %s, want %s", sale.AffiliateID, to.FirstName)
	}
}

// payout makes a payout of all that Mara is owed.
func (s *payShop) payout() uuid.UUID {
	return must(s.CreatePayout(s.t.Context(), affiliate.NewPayout{AffiliateID: s.mara.ID})).ID
}
