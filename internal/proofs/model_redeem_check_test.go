package proofs_test

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// check compares model and engine after every step: the records are equal, the
// counts only rise, the events are the expected ones, and Verify passes.
func (m *redeemMachine) check(rt *rapid.T) {
	want, got := m.lines(), m.shown(rt)
	sameLines(rt, "coupons", want.coupons, got.coupons)
	sameLines(rt, "codes", want.codes, got.codes)
	sameLines(rt, "referrals", want.referrals, got.referrals)
	sameLines(rt, "sales", want.sales, got.sales)
	sameLines(rt, "affiliates", want.affiliates, got.affiliates)
	sameLines(rt, "redemptions", want.ledger, got.ledger)
	m.story.check(rt)
	m.restored = nil
	if err := m.w.Verify(m.ctx); err != nil {
		rt.Errorf("Verify: %v", err)
	}
}

// counted checks that a count falls only for a redemption that was restored in
// this step: I03.
func (m *redeemMachine) counted(rt *rapid.T, what string, id uuid.UUID, n int64) {
	floor := m.counts[id]
	if slices.Contains(m.restored, id) {
		floor--
	}
	if n < floor || n < 0 {
		rt.Errorf("timesRedeemed of %s %s fell from %d to %d", what, id, m.counts[id], n)
	}
	m.counts[id] = n
}

// shown returns the records that the engine's lists show.
func (m *redeemMachine) shown(rt *rapid.T) (out shopLines) {
	for _, c := range scene.Must(m.w.Coupons(m.ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})).Items {
		m.counted(rt, "coupon", c.ID, c.TimesRedeemed)
		var codes []string
		for _, k := range c.PromotionalCodes {
			codes = append(codes, k.Code)
		}
		out.coupons = append(out.coupons, fmt.Sprintln(couponLine(c), c.TimesRedeemed, orDash(c.DiscountTotal), codes))
	}
	for _, k := range scene.Must(m.w.Codes(m.ctx, affiliate.CodeQuery{}, affiliate.Page{})).Items {
		m.counted(rt, "code", k.ID, k.TimesRedeemed)
		out.codes = append(out.codes, fmt.Sprintln(codeLine(k), k.TimesRedeemed))
	}
	for _, r := range scene.Must(m.w.Referrals(m.ctx, affiliate.ReferralQuery{}, affiliate.Page{})).Items {
		out.referrals = append(out.referrals, fmt.Sprintln(r.ID, r.Email, r.AffiliateID, r.ReferredUserExternalID.Or(""), r.SubscriptionStatus,
			r.TotalRevenue, r.TotalCommission))
	}
	for _, x := range scene.Must(m.w.Sales(m.ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		if sum := scene.CommissionSum(x); sum.Cmp(scene.RatOf(x.CommissionEarned)) != 0 {
			rt.Errorf("commissions of sale %d add up to %s, not %s", x.ID, sum, x.CommissionEarned)
		}
		out.sales = append(out.sales, fmt.Sprintln(x.ID, x.AffiliateID, orDash(x.ReferralID), orDash(x.AffiliateLinkID), orDash(x.PromotionalCodeID),
			x.Email.Or(""), x.ExternalID.Or(""), x.TotalEarned, x.RefundedAmount, x.CommissionEarned, x.Status))
	}
	for _, a := range scene.Must(m.w.Affiliates(m.ctx, affiliate.AffiliateQuery{}, affiliate.Page{})).Items {
		out.affiliates = append(out.affiliates, fmt.Sprintln(a.ID, a.NumberOfReferredUsers, a.TotalRevenue, a.TotalCommissionEarned))
	}
	out.ledger = m.redemptions(rt)
	return out
}

// redemptions returns the ledger, which no call shows whole.
func (m *redeemMachine) redemptions(rt *rapid.T) (lines []string) {
	err := m.w.Store.View(m.ctx, m.w.Config().ID, func(tx *record.Tx) error {
		lines = nil
		for r, err := range tx.Redemptions.List(record.Query{}) {
			if err != nil {
				return err
			}
			number := int64(0)
			if r.ExternalID == "" {
				number = int64(binary.BigEndian.Uint64(r.ID[8:]))
			}
			lines = append(lines, fmt.Sprintln(number, r.ExternalID, r.CodeID, r.Discount, "restored", !r.RestoredAt.IsZero(), r.Refunded, "over", r.Over))
		}
		return nil
	})
	if err != nil {
		rt.Fatalf("redemptions: %v", err)
	}
	slices.Sort(lines)
	return lines
}

func couponLine(c affiliate.Coupon) string {
	return fmt.Sprint(c.ID, " ", c.Name, " ", orDash(c.PercentOff), orDash(c.AmountOff), " max ", c.MaxRedemptions.Or(0), c.Valid,
		orDash(c.RedeemBy), c.LimitToProducts, c.ProductIDs, orDash(c.StartsAt), orDash(c.MaxDiscount), orDash(c.MaxDiscountTotal),
		c.MaxRedemptionsPerCustomer.Or(0), c.RestoreOnRefund)
}

func codeLine(k affiliate.Code) string {
	return fmt.Sprint(k.ID, " ", k.Code, " of ", k.CouponID, orDash(k.AffiliateID), k.Active, orDash(k.ExpiresAt), " max ", k.MaxRedemptions.Or(0),
		k.FirstTimeOrder, orDash(k.MinimumAmount), k.MinimumAmountCurrency.Or(""), k.LimitToCustomers, k.CustomerID.Or(""), k.LimitToAffiliate,
		orDash(k.StartsAt), orDash(k.MinimumQuantity), k.MaxRedemptionsPerCustomer.Or(0))
}
