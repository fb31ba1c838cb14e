package httpapi_test

import (
	"fmt"
	"testing"
)

const ()

// TestPayoutRunPages: check 49 for the lists of runs: without a limit a page has
// 100 records and a Link.
func TestPayoutRunPages(t *testing.T) {
	k := newTill(t)
	for i := range 101 {
		id := k.id("POST", "/affiliates", fmt.Sprintf(`{"firstName":"A","lastName":"B","email":"a%d@example.org"}`, i))
		k.ask("POST", "/adjustments", `{"affiliateId":"`+id+`","kind":"BONUS","amount":1,"reason":"r"}`)
		k.ask("POST", "/payouts/run", fmt.Sprintf(`{"externalId":"run-%d","affiliateIds":[]}`, i))
	}
	k.paged(`"externalId"`, "payouts/runs")
	k.paged(`"skipped"`, "payouts/lines?externalId=run-100")
	page := k.ask("POST", "/payouts/preview", `{}`)
	if n := len(page["lines"].([]any)); n != 100 || page["next"] == nil {
		t.Errorf("a page of the preview has %d lines, next %v", n, page["next"])
	}
	if runs := k.list("/payouts/runs?limit=1"); runs[0]["externalId"] != "run-100" {
		t.Errorf("the newest run is %v", runs[0])
	}
}
