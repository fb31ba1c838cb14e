package servertest

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// scenePayouts pays an affiliate, takes a part back after the payout, corrects
// the balance by hand and pays again.
func scenePayouts(s *scene) {
	mara := s.join("mara")
	sale := s.sell(affiliate.SaleParams{ReferralID: mara.ID.String(), Email: s.email("tom"), Name: "Tom", TotalEarned: amount("100")})
	no(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{}, ownerRequired)
	no(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{AffiliateID: uuid.New()}, affiliateNotFound)
	no(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{AffiliateID: mara.ID, Minimum: amount("20.01")}, belowPayoutMinimum)
	first := do(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{AffiliateEmail: mara.Email, ExternalID: s.slug("1")})
	same(s, "what is paid", amount("20"), first.Amount)
	same(s, "the stored payout", first, do(s, "Payout", s.Payout, first.ID))
	no(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{AffiliateID: mara.ID}, nothingPayable)
	no(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: sale.ID}, includedInPayout)

	no2(s, "FailPayout", s.FailPayout, uuid.New(), "x", payoutNotFound)
	same(s, "a failed payout", affiliate.Set("closed"), do2(s, "FailPayout", s.FailPayout, first.ID, "closed").FailedReason)
	no2(s, "SetPayoutStatus", s.SetPayoutStatus, first.ID, affiliate.PayoutPaid, statusNotAllowed)
	no2(s, "SetPayoutStatus", s.SetPayoutStatus, first.ID, "", statusRequired)
	same(s, "a canceled payout", affiliate.PayoutCanceled, do2(s, "SetPayoutStatus", s.SetPayoutStatus, first.ID, affiliate.PayoutCanceled).Status)
	bounced := do(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{AffiliateID: mara.ID, ManuallyPaid: true})
	no2(s, "ReturnPayout", s.ReturnPayout, first.ID, "x", statusNotAllowed)
	same(s, "a payout that came back", affiliate.Set("closed"), do2(s, "ReturnPayout", s.ReturnPayout, bounced.ID, "closed").ReturnedReason)
	paid := do(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{AffiliateID: mara.ID, ManuallyPaid: true})
	same(s, "what a canceled payout let go", first.CommissionIDs, paid.CommissionIDs)

	back := do(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: sale.ID, Amount: given(amount("60")), ClawBack: true})
	same(s, "a refund after the payout", affiliate.RefundReason("partially_refunded"), back.Reason)
	same(s, "what is left of the commission", amount("8"), do(s, "Sale", s.Sale, sale.ID).CommissionEarned)
	bonus := do(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{
		Once: affiliate.Once{Key: s.slug("bonus")}, AffiliateID: mara.ID, Kind: affiliate.AdjustBonus, Amount: amount("30"), Reason: "spring", ExternalID: s.slug("b"),
	})
	same(s, "the stored adjustment", bonus, do(s, "Adjustment", s.Adjustment, bonus.ID))
	no(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{AffiliateID: mara.ID, Kind: affiliate.AdjustBonus, Reason: "x"}, mustBe("amount", "must be greater than zero"))
	no(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{AffiliateID: mara.ID, Amount: amount("1"), Reason: "x"}, kindRequired)
	no(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{Reverses: uuid.New(), Reason: "x"}, adjustmentNotFound)
	next := do(s, "CreatePayout", s.CreatePayout, affiliate.PayoutParams{AffiliateID: mara.ID, Minimum: amount("18")})
	same(s, "30 less 12", amount("18"), next.Amount)
	same(s, "the adjustments in it", []uuid.UUID{bonus.ID}, next.AdjustmentIDs)
	do(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{Reverses: bonus.ID, Reason: "typo"})
	no(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{Reverses: bonus.ID, Reason: "typo"}, adjustmentReversed)

	s.listsOfMoney(mara, first.ID, bounced.ID, paid.ID, next.ID)
	report := do(s, "Report", whole(s.Report), affiliate.ReportQuery{
		From: sale.CreatedAt.Time(), To: sale.CreatedAt.Time().AddDate(0, 0, 200), By: affiliate.IntervalDay, AffiliateID: given(mara.ID),
	})
	same(s, "the commission of a report", amount("8"), sumOf(report, func(b affiliate.Bucket) affiliate.Amount { return b.Commission }))
	same(s, "its adjustments", amount("0"), sumOf(report, func(b affiliate.Bucket) affiliate.Amount { return b.Adjustments }))
	no(s, "Report", whole(s.Report), affiliate.ReportQuery{From: sale.CreatedAt.Time(), To: sale.CreatedAt.Time().AddDate(9, 0, 0), By: affiliate.IntervalDay}, reportTooLarge)
}

// sumOf adds up a figure of buckets.
func sumOf(buckets []affiliate.Bucket, figure func(affiliate.Bucket) affiliate.Amount) (sum affiliate.Amount) {
	for _, b := range buckets {
		sum = affiliate.AmountFromScaled(sum.Scaled() + figure(b).Scaled())
	}
	return sum
}

// listsOfMoney reads the payouts of an affiliate, oldest first, and the
// adjustments, in pages and as payments.
func (s *scene) listsOfMoney(of affiliate.Affiliate, payouts ...uuid.UUID) {
	var ids []string
	for _, id := range payouts {
		ids = append(ids, id.String())
	}
	filter := affiliate.PayoutQuery{AffiliateID: given(of.ID)}
	for _, size := range []int{1, 2, 100} {
		walked(s, "Payouts", ids, size, func(pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
			return s.Payouts(s.ctx, filter, pg)
		}, func(p affiliate.Payout) string { return p.ID.String() })
	}
	var paid []string
	for payment, err := range s.Transfers(s.ctx, filter) {
		if err != nil {
			s.fatal(Failure{"Transfers", "no error", err.Error()})
		}
		paid = append(paid, payment.PayoutID.String())
	}
	same(s, "Payments, oldest first", ids, paid)
	filter.Status = affiliate.PayoutPending
	same(s, "one status", ids[len(ids)-1], do2(s, "Payouts", s.Payouts, filter, affiliate.Page{}).Items[0].ID.String())
	kinds := do2(s, "Adjustments", s.Adjustments, affiliate.AdjustmentQuery{AffiliateEmail: given(of.Email), Kind: affiliate.AdjustBonus}, affiliate.Page{})
	same(s, "a bonus and its reversal", 2, len(kinds.Items))
	held := do2(s, "Adjustments", s.Adjustments, affiliate.AdjustmentQuery{PayoutID: given(payouts[len(payouts)-1])}, affiliate.Page{})
	same(s, "what the payout holds", 1, len(held.Items))
}
