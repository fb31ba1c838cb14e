package affiliate_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// A customer of one affiliate can come back by a click of another. When the
// other affiliate is deleted, the click is deleted, and the customer's count of
// clicks falls.
func TestDeleteAffiliateWithClicksOfOthers(t *testing.T) {
	w := newWorld(t)
	w.ada()
	ctx := t.Context()
	bea := must(w.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "B", LastName: "C", Email: "bea@example.com", AffiliateLink: "bea"}))
	must(w.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: "ada", Name: "T", Email: "t@example.net", ReferredUserExternalID: "c"}))
	click := must(w.TrackClick(ctx, affiliate.NewClick{Slug: "bea"}))
	must(w.RecordSale(ctx, affiliate.NewSale{ReferralID: fmt.Sprint(click.ID), Email: "t@example.net", TotalEarned: affiliate.MustAmount("1")}))
	must(0, w.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: bea.ID}))
	w.verify()

	next := must(w.RecordSale(ctx, affiliate.NewSale{Email: "t@example.net", TotalEarned: affiliate.MustAmount("1")}))
	if sale, _ := next.Sale.Get(); sale.Clicks != 0 {
		t.Errorf("the next sale counts %d clicks, want 0", sale.Clicks)
	}
}
