package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestLedgerPages is the part of check 49 about balances and movements: without
// a limit a page has 100 records and a Link.
func TestLedgerPages(t *testing.T) {
	k := newTill(t)
	for i := range 99 { // beside Ada and Bo
		must(k.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "N", LastName: "N", Email: fmt.Sprintf("n%d@example.org", i)}))
	}
	for range 101 {
		k.id("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":1,"reason":"r"}`)
	}
	k.paged(`"affiliateId"`, "balances", "movements", "movements?affiliateId="+k.ada+"&cause=ADJUSTMENT")
}
