package scene

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A Shop is Ada's world with a customer, a click, and another affiliate Bob
// with a customer.
type Shop struct {
	*World
	Ada
	Bob      affiliate.Affiliate
	Tomas    affiliate.Referral // of Ada's link
	Bea      affiliate.Referral // of Bob, without a link
	Click    affiliate.Click    // on Ada's link, not joined to a customer
	BobClick affiliate.Click
}

// NewShop returns a Shop on a store of its own.
func NewShop(t testing.TB, change ...func(*tributary.Config)) Shop {
	t.Helper()
	return NewShopIn(New(t, change...))
}

// NewShopIn makes the Shop in a world.
func NewShopIn(w *World) Shop {
	ctx := w.T.Context()
	s := Shop{World: w, Ada: w.Ada()}
	s.Bob = Must(w.CreateAffiliate(ctx,
		affiliate.AffiliateParams{FirstName: "Bob", LastName: "Ross", Email: "bob@example.com",
			AffiliateLink: "bob"}))
	s.Tomas = s.Customer("ada", "tomas")
	s.Bea = s.Customer(s.Bob.ID.String(), "bea")
	s.Click = Must(w.TrackClick(ctx,
		affiliate.ClickParams{Slug: "ada", LandingURL: "https://beans.example/shop?ref=ada"}))
	s.BobClick = Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "bob"}))
	return s
}

// Adjust records an adjustment of Ada, unless the input names another affiliate.
func (s Shop) Adjust(in affiliate.AdjustmentParams) affiliate.Adjustment {
	s.T.Helper()
	if in.AffiliateID == uuid.Nil && in.Reverses == uuid.Nil {
		in.AffiliateID = s.Ada.Person.ID
	}
	if in.Reason == "" {
		in.Reason = "because"
	}
	return Must(s.RecordAdjustment(s.T.Context(), in))
}

// ClawsBack refunds a part of a sale that a payout holds; an empty amount is all
// that is left.
func (s Shop) ClawsBack(id affiliate.SaleID, part, refundID string) affiliate.RefundReason {
	s.T.Helper()
	in := affiliate.Refund{SaleID: id, RefundID: refundID, ClawBack: true}
	if part != "" {
		in.Amount = Amount(part)
	}
	return Must(s.RefundSale(s.T.Context(), in)).Reason
}

// Moves sets the status of a payout.
func (s Shop) Moves(p affiliate.Payout, to affiliate.PayoutStatus) affiliate.Payout {
	s.T.Helper()
	return Must(s.SetPayoutStatus(s.T.Context(), p.ID, to))
}

// Owes fails the test unless this is Ada's balance.
func (s Shop) Owes(want affiliate.Balance) {
	s.T.Helper()
	want.AffiliateID, want.Currency, want.At = s.Ada.Person.ID, s.Config().Currency, affiliate.TimeOf(s.Now)
	if diff := cmp.Diff(want, Must(s.Balance(context.Background(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}))); diff != "" {
		s.T.Errorf("balance (-want +got):\n%s", diff)
	}
}

// Stands is owes with the amounts that are payable, in payouts, paid and earned.
func (s Shop) Stands(movements int64, payable, inPayout, paid, earned string) {
	s.T.Helper()
	s.Owes(affiliate.Balance{Payable: Sum(payable), InPayout: Sum(inPayout), Paid: Sum(paid),
		Earned: Sum(earned), Movements: movements})
}

// Moved are Ada's movements, oldest first, each as a line.
func (s Shop) Moved(f affiliate.MovementQuery) []string {
	s.T.Helper()
	f.AffiliateID = affiliate.Set(s.Ada.Person.ID)
	lines := []string{}
	for m, err := range affiliate.All(context.Background(), s.Movements, f) {
		if err != nil {
			s.T.Fatal(err)
		}
		line := fmt.Sprintf("%d %s %v %s-%s", m.Number, m.Cause, m.Amount, m.From, m.To)
		if id, ok := m.SaleID.Get(); ok {
			line += fmt.Sprintf(" of sale %d, commission %d: sales %d, revenue %v, refunds %v", id,
				m.CommissionID.Or(0), m.Sales, m.Revenue, m.Refunds)
		}
		lines = append([]string{line}, lines...)
	}
	return lines
}

// Customer creates a referral of an affiliate.
func (s Shop) Customer(affiliateIdent, name string) affiliate.Referral {
	s.T.Helper()
	return Must(s.CreateReferral(s.T.Context(), affiliate.ReferralParams{
		AffiliateID: affiliateIdent, Name: name, Email: name + "@example.net", ReferredUserExternalID: "cust-" + name,
	}))
}

// Sell records a sale.
func (s Shop) Sell(in affiliate.SaleParams) affiliate.Sale {
	s.T.Helper()
	if in.TotalEarned.IsZero() {
		in.TotalEarned = affiliate.MustAmount("100")
	}
	res, err := s.RecordSale(s.T.Context(), in)
	if err != nil {
		s.T.Fatalf("RecordSale: %v", err)
	}
	sale, ok := res.Sale.Get()
	if !ok {
		s.T.Fatalf("RecordSale: %s", res.Outcome)
	}
	return sale
}

// ToTomas records a sale with this total to Ada's customer.
func (s Shop) ToTomas(total string) affiliate.Sale {
	s.T.Helper()
	return s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), TotalEarned: affiliate.MustAmount(total)})
}

// PaysOut creates a payout of everything that is payable to Ada.
func (s Shop) PaysOut(change ...func(*affiliate.PayoutParams)) affiliate.Payout {
	s.T.Helper()
	in := affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID}
	for _, c := range change {
		c(&in)
	}
	return Must(s.CreatePayout(s.T.Context(), in))
}

// A GiftShop records free orders by the code GIFT of Ada, which takes off
// everything; limit is how often, 0 for no limit.
type GiftShop struct {
	*World
	Owner affiliate.Affiliate
	Gift  affiliate.Code
}

// NewGiftShop returns a GiftShop on a store of its own.
func NewGiftShop(t *testing.T, limit int64, change ...func(*tributary.Config)) GiftShop {
	w := New(t, append(change, func(c *tributary.Config) { c.FreeOrders = true })...)
	ada := w.Join("ada", func(in *affiliate.AffiliateParams) { in.AffiliateLink = "ada" })
	coupon := Must(w.CreateCoupon(t.Context(),
		affiliate.CouponParams{Name: "all",
			PercentOff: affiliate.Set(affiliate.MustPercent("100"))}))
	in := affiliate.CodeParams{CouponID: coupon.ID, Code: "GIFT", AffiliateID: ada.ID}
	if limit > 0 {
		in.MaxRedemptions = affiliate.Set(limit)
	}
	return GiftShop{w, ada, Must(w.CreateCode(t.Context(), in))}
}

// Give records a free order of a customer.
func (s GiftShop) Give(email string) affiliate.Sale {
	s.T.Helper()
	sale, ok := Must(s.RecordSale(s.T.Context(), GiftOrder(email))).Sale.Get()
	if !ok {
		s.T.Fatal("the free order is not recorded")
	}
	return sale
}

// SaleTotal is the total of the sales of the benchmarks.
var SaleTotal = affiliate.MustAmount("129.5")

// GiftOrder returns a free order of a customer.
func GiftOrder(email string) affiliate.SaleParams {
	return affiliate.SaleParams{PromoCode: "gift", Email: email, Free: true, Subtotal: affiliate.Set(Sum("30"))}
}

// TextOf returns a text that is set.
func TextOf(s string) affiliate.Opt[string] { return affiliate.Set(s) }
