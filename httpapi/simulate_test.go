package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestSimulateOther: other terms and other choices of whom a sale credits are tried out on the sales of some days,
// for all together and for those whom they would change most.
func TestSimulateOther(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	ben := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ben", LastName: "B", Email: "ben@example.org", CommissionRate: affiliate.Set(affiliate.MustPercent("7"))}))
	owner := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ida", LastName: "I", Email: "ida@example.org", CommissionRate: affiliate.Set(affiliate.MustPercent("11"))}))
	must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: owner.ID.String(), Name: "K", Email: "k@example.net", ReferredUserExternalID: "k"}))
	must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: ben.ID.String(), Email: "k@example.net", TotalEarned: affiliate.MustAmount("100")}))
	path := "/api/v1/terms/simulate"
	for body, want := range map[string]string{
		`{"attribution":{"customer":"KEEP"}}`: `"moved":1,"was":7,"would":11,"difference":4,"affiliates":[{"affiliateId":"` + owner.ID.String() +
			`","lost":0,"won":1,"was":0,"would":11,"difference":11},{"affiliateId":"` + ben.ID.String() + `","lost":1,"won":0,"was":7,"would":0,"difference":-7}]}`,
		`{"attribution":{"touch":"FIRST"},"days":30}`: `"moved":0,"was":7,"would":7,"difference":0,"affiliates":[]}`,
	} {
		if got := w.do("POST", path, body); got.status != 200 || !strings.HasSuffix(strings.TrimSpace(got.body), want) {
			t.Errorf("%s\n got %d %s\nwant %s", body, got.status, got.body, want)
		}
	}
	for body, want := range map[string]string{
		`{}`:                                    "Commission rate is required",
		`{"attribution":{"touch":"MIDDLE"}}`:    "attribution.touch",
		`{"attribution":7}`:                     "attribution",
		`{"attribution":{},"commissionRate":5}`: "terms",
	} {
		if got := w.do("POST", path, body); got.status != 400 || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	w.verify()
}
