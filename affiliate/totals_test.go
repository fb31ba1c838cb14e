package affiliate_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// statistics are the statistics that sales change.
type statistics struct {
	LinkSales                             int64
	LinkRevenue                           affiliate.Amount
	AffiliateRevenue, AffiliateCommission affiliate.Amount
	ReferralRevenue, ReferralCommission   affiliate.Amount
}

func (w *world) statistics(slug, customer string) statistics {
	w.t.Helper()
	ctx := w.t.Context()
	link := must(w.Links(ctx, affiliate.LinkFilter{Slug: affiliate.Set(slug)}, affiliate.Page{})).Items[0]
	a, r := must(w.Affiliate(ctx, slug)), must(w.Referral(ctx, customer))
	return statistics{link.Sales, link.TotalRevenue, a.TotalRevenue, a.TotalCommissionEarned, r.TotalRevenue, r.TotalCommission}
}

// sums returns the statistics of so many sales, of what is left of them, and of
// their commissions.
func sums(sales int64, kept, earned string) statistics {
	return statistics{sales, sum(kept), sum(kept), sum(earned), sum(kept), sum(earned)}
}

// Statistics count what is left after refunds: a sale that is refunded in full
// does not count, however it was refunded, and its later deletion subtracts
// nothing more (rule 5.7).
func TestTotalsCountWhatIsKept(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	w.join("ada")
	w.refer("ada", "kim@b.co")
	const link, kim = "ada", "kim@b.co"
	stands := w.sale(kim, "100")
	w.sale(kim, "50")
	big := w.sale(kim, "1000")
	equal(t, sums(3, "1150", "230"), w.statistics(link, kim))

	must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: amount("400"), RefundID: "r1"}))
	equal(t, sums(3, "750", "150"), w.statistics(link, kim))
	must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: amount("400"), RefundID: "r1"})) // the same refund again
	equal(t, sums(3, "750", "150"), w.statistics(link, kim))
	must(w.UpdateSale(ctx, big.ID, affiliate.SaleUpdate{TotalEarned: amount("900")}))
	equal(t, sums(3, "650", "130"), w.statistics(link, kim))
	must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID}))
	equal(t, sums(2, "150", "30"), w.statistics(link, kim))
	equal(t, affiliate.SaleRefunded, must(w.Sale(ctx, big.ID)).Status)
	w.verify()

	must(w.UpdateSale(ctx, big.ID, affiliate.SaleUpdate{Name: textOf("Kim")})) // a text of a refunded sale
	must(w.ReviewCommissions(ctx, affiliate.ApprovalDeclined, big.ID))
	must(w.ReviewCommissions(ctx, affiliate.ApprovalAccepted, big.ID))
	must(w.RecalculateSales(ctx, affiliate.SaleFilter{}))
	equal(t, sums(2, "150", "30"), w.statistics(link, kim))
	must(0, w.DeleteSale(ctx, big.ID))
	equal(t, sums(2, "150", "30"), w.statistics(link, kim))

	must(w.RefundSale(ctx, affiliate.Refund{SaleID: stands.ID, Amount: amount("25")}))
	must(w.UpdateSale(ctx, stands.ID, affiliate.SaleUpdate{TotalEarned: amount("25")})) // the total now equals what was refunded
	equal(t, sums(1, "50", "10"), w.statistics(link, kim))
	w.verify()
	must(0, w.DeleteReferral(ctx, kim))
	a := must(w.Affiliate(ctx, link))
	equal(t, []affiliate.Amount{{}, {}}, []affiliate.Amount{a.TotalRevenue, a.TotalCommissionEarned})
	w.verify()
}

// For a tier, a sale that was refunded in full does not count, and a partly
// refunded one counts with the rest (rule 5.7).
func TestTiersCountWhatIsKept(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	a := w.join("ada")
	w.refer("ada", "kim@b.co")
	gold := must(w.CreateTier(ctx, affiliate.NewTier{Tier: 1, Name: "gold", MinRevenue: sum("1000")}))
	tier := func() affiliate.Opt[uuid.UUID] {
		must(w.AssignTiers(ctx))
		return must(w.Affiliate(ctx, a.ID.String())).CommissionTierID
	}
	big := w.sale("kim@b.co", "1500")
	must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: amount("500")}))
	equal(t, affiliate.Set(gold.ID), tier())
	must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: amount("0.01")}))
	equal(t, affiliate.Null[uuid.UUID](), tier())
	must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID}))
	w.sale("kim@b.co", "999.99")
	equal(t, affiliate.Null[uuid.UUID](), tier())
	w.sale("kim@b.co", "0.01")
	equal(t, affiliate.Set(gold.ID), tier())
}

// A payment that was refunded in full does not count among the payments after
// which a plan stops.
func TestPaymentsCountWhatIsKept(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	w.join("ada")
	w.refer("ada", "kim@b.co")
	first := w.sale("kim@b.co", "100")
	must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: first.ID, Amount: amount("99.99")}))
	second := w.sale("kim@b.co", "100")
	equal(t, 0, len(second.Commissions))
	for _, id := range []affiliate.SaleID{first.ID, second.ID} {
		must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: id}))
	}
	equal(t, 1, len(w.sale("kim@b.co", "100").Commissions))
	equal(t, 0, len(w.sale("kim@b.co", "100").Commissions))
	w.verify()
}
