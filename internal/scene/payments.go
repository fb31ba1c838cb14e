package scene

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// A PayShop is the program of the checks of payments: 20 %, affiliates Mara
// (slug mara, click 1, code MARA20 with the external id promo_mara) and Ben
// (slug ben, click 2).
type PayShop struct {
	*World
	Mara, Ben affiliate.Affiliate
	MaraCode  affiliate.Code
	In        affiliate.Currency // of the facts; empty: the program's
}

// NewPayShop returns a PayShop on a store of its own.
func NewPayShop(t testing.TB, change ...func(*tributary.Config)) *PayShop {
	t.Helper()
	return newPayShopOn(t, memstore.New(), change...)
}

// Hosts returns a sale of 10,000 that the host recorded for Ines, by Mara.
func (s *PayShop) Hosts() affiliate.Sale {
	s.T.Helper()
	res := Must(s.RecordSale(s.T.Context(), affiliate.SaleParams{
		ReferralID: "mara", Email: "ines@example.com", Name: "Ines", TotalEarned: Sum("10000"),
		ExternalID: "order-1042",
	}))
	return res.Sale.Or(affiliate.Sale{})
}

// Play reports facts about pi_1, one a word:
//
//	S                the sale, with the keys pi_1 and cs_1
//	R:id:amount      a refund that succeeded; R:id:amount:pending, :failed
//	C:amount         the sum of refunds
//	D:id:amount:state@n  a dispute, n minutes after the beginning
//	H:amount:id      a refund by the host
//	L                a link of pi_1 and in_1
//	P, PP            a payout, PENDING or PAID
func (s *PayShop) Play(words ...string) {
	s.T.Helper()
	for _, word := range words {
		what, at, _ := strings.Cut(word, "@")
		arg := append(strings.Split(what, ":"), "", "", "")
		switch arg[0] {
		case "S":
			s.Reports(s.Paid("pi_1 cs_1", "120", "20", "1"))
		case "R":
			state := affiliate.RefundState(arg[3])
			if state == "" {
				state = affiliate.RefundSucceeded
			}
			s.Reports(s.Refund(arg[1], arg[2], state))
		case "C":
			s.Reports(s.Cumulative(arg[1]))
		case "D":
			after, _ := time.ParseDuration("0" + at + "m")
			s.Reports(s.Dispute(arg[1], arg[2], affiliate.DisputeState(arg[3]), after-time.Hour))
		case "H":
			Must(s.RefundSale(s.T.Context(),
				affiliate.Refund{SaleID: s.SaleOf("pi_1").ID, Amount: affiliate.Set(Sum(arg[1])),
					RefundID: arg[2], ClawBack: true}))
		case "L":
			s.Reports(s.Fact("pi_1 in_1"))
		case "P":
			s.PayoutOf()
		case "PP":
			Must(s.SetPayoutStatus(s.T.Context(), s.PayoutOf(), affiliate.PayoutPaid))
		default:
			s.T.Fatalf("no word %q", word)
		}
	}
}

// Fact returns a fact of now about a payment with these ids, parted by spaces.
func (s *PayShop) Fact(keys string) affiliate.PaymentFact {
	return affiliate.PaymentFact{Provider: "stripe", Keys: strings.Fields(keys), At: s.Now,
		Currency: cmp.Or(s.In, s.Config().Currency)}
}

// Paid says that Tomas paid a total and tax, by the tries: a click or slug, or
// code:MARA20 or promo:promo_mara.
func (s *PayShop) Paid(keys, total, tax string, tries ...string) affiliate.PaymentFact {
	f := s.Fact(keys)
	f.Payer = Tomas
	f.Sale = affiliate.Set(affiliate.Paid{
		SaleParams: affiliate.SaleParams{TotalEarned: Sum(total), Tax: Sum(tax), ExternalID: f.Keys[0]},
		Gross:      Sum(total), Tries: Credits(tries),
	})
	return f
}

// Refund returns a fact about a refund of pi_1, unless another id is given.
func (s *PayShop) Refund(id, amount string, state affiliate.RefundState, keys ...string) affiliate.PaymentFact {
	f := s.Fact(strings.Join(append(keys, "pi_1")[:1], ""))
	f.Refunds = []affiliate.RefundFact{{ID: id, Amount: Sum(amount), State: state}}
	return f
}

// Cumulative returns a refund fact with the sum of all refunds so far.
func (s *PayShop) Cumulative(amount string) affiliate.PaymentFact {
	f := s.Fact("pi_1")
	f.Refunded = affiliate.Set(Sum(amount))
	return f
}

// Dispute returns a fact about a dispute, some time after now.
func (s *PayShop) Dispute(id, amount string, state affiliate.DisputeState, after time.Duration) affiliate.PaymentFact {
	f := s.Fact("pi_1")
	f.At = f.At.Add(after)
	f.Disputes = []affiliate.DisputeFact{{ID: id, Amount: Sum(amount), State: state}}
	return f
}

// Reports reports facts and returns the last answer.
func (s *PayShop) Reports(facts ...affiliate.PaymentFact) (res affiliate.PaymentResult) {
	s.T.Helper()
	for _, f := range facts {
		var err error
		if res, err = s.Payments().ReportPayment(s.T.Context(), f); err != nil {
			s.T.Fatalf("ReportPayment: %v", err)
		}
	}
	return res
}

// SaleOf returns the sale of a payment.
func (s *PayShop) SaleOf(key string) affiliate.Sale {
	s.T.Helper()
	payment := Must(s.Payments().ProviderPayment(s.T.Context(), "stripe", key))
	id, ok := payment.SaleID.Get()
	if !ok {
		s.T.Fatalf("the payment %s has no sale", key)
	}
	return Must(s.Sale(s.T.Context(), id))
}

// Worth returns what a sale and its adjustments give.
func (s *PayShop) Worth(id affiliate.SaleID) affiliate.Amount {
	s.T.Helper()
	sum := Must(s.Sale(s.T.Context(), id)).CommissionEarned
	for _, a := range s.AdjustmentsOf(id) {
		sum = Must(sum.Add(a.Amount))
	}
	return sum
}

// AdjustmentsOf reads the adjustments of a sale.
func (s *PayShop) AdjustmentsOf(id affiliate.SaleID) []affiliate.Adjustment {
	return Must(s.Adjustments(s.T.Context(), affiliate.AdjustmentQuery{SaleID: affiliate.Set(id)},
		affiliate.Page{})).Items
}

// Gives checks what a payment gives, and that the books are in order.
func (s *PayShop) Gives(key, want string) affiliate.Sale {
	s.T.Helper()
	sale := s.SaleOf(key)
	if got := s.Worth(sale.ID); got != Sum(want) {
		s.T.Errorf("%s gives %v, want %s", key, got, want)
	}
	s.Verifies()
	return sale
}

// Outcome checks an outcome.
func (s *PayShop) Outcome(got affiliate.PaymentResult, want affiliate.SaleOutcome) {
	s.T.Helper()
	if got.Outcome != want {
		s.T.Errorf("outcome %q, want %q", got.Outcome, want)
	}
}

// PayoutOf makes a payout of all that Mara is owed.
func (s *PayShop) PayoutOf() uuid.UUID {
	return Must(s.CreatePayout(s.T.Context(), affiliate.PayoutParams{AffiliateID: s.Mara.ID})).ID
}

// Tomas is the payer of the facts.
var Tomas = affiliate.PayerFact{ID: "cus_T", Email: "tomas@example.com", Name: "Tomas"}

// Ines is a payer who is no customer yet.
var Ines = affiliate.PayerFact{ID: "cus_I", Email: "ines@example.com", Name: "Ines"}

// OfOrder makes a payment name the host's order.
func OfOrder(f affiliate.PaymentFact, payer affiliate.PayerFact) affiliate.PaymentFact {
	f = Altered(f, func(p *affiliate.Paid) { p.ExternalID = "order-1042" })
	f.Payer = payer
	return f
}

// CountOf counts a value in a list.
func CountOf[T comparable](all []T, want T) (n int) {
	for _, v := range all {
		if v == want {
			n++
		}
	}
	return n
}

func newPayShopOn(t testing.TB, store record.Store, change ...func(*tributary.Config)) *PayShop {
	t.Helper()
	ctx := t.Context()
	s := &PayShop{World: NewOn(t, store, change...)}
	s.Mara = Must(s.CreateAffiliate(ctx,
		affiliate.AffiliateParams{FirstName: "Mara", LastName: "M", Email: "mara@example.com",
			AffiliateLink: "mara"}))
	s.Ben = Must(s.CreateAffiliate(ctx,
		affiliate.AffiliateParams{FirstName: "Ben", LastName: "B", Email: "ben@example.com",
			AffiliateLink: "ben"}))
	coupon := Must(s.CreateCoupon(ctx,
		affiliate.CouponParams{Name: "Mara 20",
			PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	s.MaraCode = Must(s.CreateCode(ctx,
		affiliate.CodeParams{CouponID: coupon.ID, Code: "MARA20", ExternalID: "promo_mara",
			AffiliateID: s.Mara.ID}))
	Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "mara"}))
	Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ben"}))
	return s
}

// Credits reads the tries of Paid, and the word offer.
func Credits(tries []string) (all []affiliate.Credit) {
	for _, try := range tries {
		text, isCode := strings.CutPrefix(try, "code:")
		id, isID := strings.CutPrefix(try, "promo:")
		switch {
		case try == "offer":
			all = append(all, affiliate.Credit{Offer: true})
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

// Altered returns the fact with its sale changed.
func Altered(f affiliate.PaymentFact, change func(*affiliate.Paid)) affiliate.PaymentFact {
	paid, _ := f.Sale.Get()
	change(&paid)
	f.Sale = affiliate.Set(paid)
	return f
}

// Renewal makes a payment one of a subscription.
func Renewal(f affiliate.PaymentFact) affiliate.PaymentFact {
	return Altered(f, func(p *affiliate.Paid) { p.Renewal = true })
}

// Worth lets a program know what one currency is worth.
func Worth(of affiliate.Currency, rate string) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.Rate = func(_ context.Context, from affiliate.Currency, _ time.Time) (affiliate.ExchangeRate, error) {
			if from != of {
				return affiliate.ExchangeRate{}, nil
			}
			return affiliate.MustExchangeRate(rate), nil
		}
	}
}
