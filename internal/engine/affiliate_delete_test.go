package engine_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A customer of one affiliate can come back by a click of another. When the
// other affiliate is deleted, the click is deleted, and the customer's count of
// clicks falls.
func TestDeleteAffiliateWithClicksOfOthers(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	ctx := t.Context()
	bea := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com", AffiliateLink: "bea"}))
	scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "T", Email: "t@example.net", ReferredUserExternalID: "c"}))
	click := scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "bea"}))
	scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: fmt.Sprint(click.ID), Email: "t@example.net", TotalEarned: affiliate.MustAmount("1")}))
	scene.Must(0, w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: bea.ID}))
	w.Verifies()

	next := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{Email: "t@example.net", TotalEarned: affiliate.MustAmount("1")}))
	if sale, _ := next.Sale.Get(); sale.Clicks != 0 {
		t.Errorf("the next sale counts %d clicks, want 0", sale.Clicks)
	}
}
