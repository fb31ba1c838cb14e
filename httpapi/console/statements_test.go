package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

var lineAmount = regexp.MustCompile(`<td class="num">([^<]*)</td><td class="num">`)

var nextPage = regexp.MustCompile(`href="([^"]*)" rel="next">More`)

// TestLongStatement (check 48): a statement that is too long for a page goes on on
// the next ones: every line is on one of them, once, between what was owed at the
// beginning and at the end.
func TestLongStatement(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for i := range 700 {
		in := affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount(fmt.Sprintf("%d.%02d", 1+i/100, i%100)), Reason: "bonus"}
		must(w.RecordAdjustment(t.Context(), in))
	}
	path := "affiliates/" + w.ada.ID.String() + "/statements/" + w.now.Format("2006-01")
	var pages []string
	var amounts [][]string
	query := ""
	for {
		page := w.get(path + query)
		if page.status != 200 || len(page.body) > 100_000 {
			t.Fatalf("%s: %d, %d bytes", query, page.status, len(page.body))
		}
		pages, amounts = append(pages, page.text()), append(amounts, lineAmount.FindAllStringSubmatch(page.body, -1)...)
		next := nextPage.FindStringSubmatch(page.body)
		if next == nil {
			break
		}
		query = next[1][strings.Index(next[1], "?"):]
	}
	if len(pages) != 3 {
		t.Errorf("%d pages", len(pages))
	}
	for i, page := range pages {
		if begins, ends := strings.Contains(page, "Owed at the beginning"), strings.Contains(page, "Owed at the end"); begins != (i == 0) || ends != (i == len(pages)-1) {
			t.Errorf("page %d of %d: begins %v, ends %v", i+1, len(pages), begins, ends)
		}
	}
	for i, amount := range amounts[len(amounts)-700:] {
		if want := fmt.Sprintf("%d.%02d\u00a0USD", 1+i/100, i%100); amount[1] != want {
			t.Fatalf("bonus %d is %s, want %s", i, amount[1], want)
		}
	}
	if page := w.get(path + "?cursor=x"); page.status != 400 {
		t.Errorf("a bad cursor: %d", page.status)
	}
}
