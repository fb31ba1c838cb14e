package reading_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// statistics are the statistics that sales change.
type statistics struct {
	LinkSales                             int64
	LinkRevenue                           affiliate.Amount
	AffiliateRevenue, AffiliateCommission affiliate.Amount
	ReferralRevenue, ReferralCommission   affiliate.Amount
}

func statisticsOf(w *scene.World, slug, customer string) statistics {
	w.T.Helper()
	ctx := w.T.Context()
	link := scene.Must(w.Links(ctx, affiliate.LinkQuery{Slug: affiliate.Set(slug)}, affiliate.Page{})).Items[0]
	a, r := scene.Must(w.Affiliate(ctx, slug)), scene.Must(w.Referral(ctx, customer))
	return statistics{link.Sales, link.TotalRevenue, a.TotalRevenue, a.TotalCommissionEarned, r.TotalRevenue, r.TotalCommission}
}

// sums returns the statistics of so many sales, of what is left of them, and of
// their commissions.
func sums(sales int64, kept, earned string) statistics {
	return statistics{sales, scene.Sum(kept), scene.Sum(kept), scene.Sum(earned), scene.Sum(kept), scene.Sum(earned)}
}

// Statistics count what is left after refunds: a sale that is refunded in full
// does not count, however it was refunded, and its later deletion subtracts
// nothing more (rule 5.7).
func TestTotalsCountWhatIsKept(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	w.Join("ada")
	w.Refer("ada", "kim@b.co")
	const link, kim = "ada", "kim@b.co"
	stands := w.SellTo(kim, "100")
	w.SellTo(kim, "50")
	big := w.SellTo(kim, "1000")
	scene.Equal(t, sums(3, "1150", "230"), statisticsOf(w, link, kim))

	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("400"), RefundID: "r1"}))
	scene.Equal(t, sums(3, "750", "150"), statisticsOf(w, link, kim))
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("400"), RefundID: "r1"})) // the same refund again
	scene.Equal(t, sums(3, "750", "150"), statisticsOf(w, link, kim))
	scene.Must(w.UpdateSale(ctx, big.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("900")}))
	scene.Equal(t, sums(3, "650", "130"), statisticsOf(w, link, kim))
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID}))
	scene.Equal(t, sums(2, "150", "30"), statisticsOf(w, link, kim))
	scene.Equal(t, affiliate.SaleRefunded, scene.Must(w.Sale(ctx, big.ID)).Status)
	w.Verifies()

	scene.Must(w.UpdateSale(ctx, big.ID, affiliate.SaleUpdate{Name: scene.TextOf("Kim")})) // a text of a refunded sale
	scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalDeclined, big.ID))
	scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalAccepted, big.ID))
	scene.Must(w.Run(ctx, affiliate.RecalculateJob{}))
	scene.Equal(t, sums(2, "150", "30"), statisticsOf(w, link, kim))
	scene.Must(0, w.DeleteSale(ctx, big.ID))
	scene.Equal(t, sums(2, "150", "30"), statisticsOf(w, link, kim))

	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: stands.ID, Amount: scene.Amount("25")}))
	scene.Must(w.UpdateSale(ctx, stands.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("25")})) // the total now equals what was refunded
	scene.Equal(t, sums(1, "50", "10"), statisticsOf(w, link, kim))
	w.Verifies()
	scene.Must(0, w.Forfeiting().DeleteReferral(ctx, kim))
	a := scene.Must(w.Affiliate(ctx, link))
	scene.Equal(t, []affiliate.Amount{{}, {}}, []affiliate.Amount{a.TotalRevenue, a.TotalCommissionEarned})
	w.Verifies()
}

// For a tier, a sale that was refunded in full does not count, and a partly
// refunded one counts with the rest (rule 5.7).
func TestTiersCountWhatIsKept(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	a := w.Join("ada")
	w.Refer("ada", "kim@b.co")
	gold := scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "gold", MinRevenue: scene.Sum("1000")}))
	tier := func() affiliate.Opt[uuid.UUID] {
		scene.Must(w.Run(ctx, affiliate.AssignTiersJob{}))
		return scene.Must(w.Affiliate(ctx, a.ID.String())).CommissionTierID
	}
	big := w.SellTo("kim@b.co", "1500")
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("500")}))
	scene.Equal(t, affiliate.Set(gold.ID), tier())
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("0.01")}))
	scene.Equal(t, affiliate.Null[uuid.UUID](), tier())
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID}))
	w.SellTo("kim@b.co", "999.99")
	scene.Equal(t, affiliate.Null[uuid.UUID](), tier())
	w.SellTo("kim@b.co", "0.01")
	scene.Equal(t, affiliate.Set(gold.ID), tier())
}

// A payment that was refunded in full does not count among the payments after
// which a plan stops.
func TestPaymentsCountWhatIsKept(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	w.Join("ada")
	w.Refer("ada", "kim@b.co")
	first := w.SellTo("kim@b.co", "100")
	scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: first.ID, Amount: scene.Amount("99.99")}))
	second := w.SellTo("kim@b.co", "100")
	scene.Equal(t, 0, len(second.Commissions))
	for _, id := range []affiliate.SaleID{first.ID, second.ID} {
		scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: id}))
	}
	scene.Equal(t, 1, len(w.SellTo("kim@b.co", "100").Commissions))
	scene.Equal(t, 0, len(w.SellTo("kim@b.co", "100").Commissions))
	w.Verifies()
}
