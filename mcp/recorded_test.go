package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/mcp"
)

const recordedPage = "../docs/assistants.md"

var (
	// A call of the page, with its answer.
	recorded = regexp.MustCompile("(?s)\n`(\\w+)` `(\\{[^\n]*\\})`\n\n```json\n(.*?)```\n")
	// An amount in what the assistant says.
	amount = regexp.MustCompile(`\d+(?:\.\d+)? USD`)
)

// TestRecorded: the calls in docs/assistants.md have the answers that stand there, and
// every amount that the assistant says is in one of them.
func TestRecorded(t *testing.T) {
	a := newQuarter(t).assistant(readerKey, mcp.Config{})
	page := string(must(os.ReadFile(recordedPage)))
	asked := 0
	now := recorded.ReplaceAllStringFunc(page, func(one string) string {
		asked++
		m := recorded.FindStringSubmatch(one)
		var out bytes.Buffer
		must(0, json.Indent(&out, []byte(a.told(m[1], m[2])), "", "  "))
		return "\n`" + m[1] + "` `" + m[2] + "`\n\n```json\n" + out.String() + "\n```\n"
	})
	if *update {
		must(0, os.WriteFile(recordedPage, []byte(now), 0o644))
	}
	if diff := cmp.Diff(page, now); diff != "" {
		t.Errorf("the page is not what the tools answer; go test -run TestRecorded -update writes it (-page +now):\n%s", diff)
	}
	said := 0
	for _, part := range strings.Split(now, "\n### ")[1:] {
		for line := range strings.Lines(part) {
			text, is := strings.CutPrefix(line, "> ")
			if !is {
				continue
			}
			for _, n := range amount.FindAllString(text, -1) {
				said++
				if !strings.Contains(part, `"`+n+`"`) {
					t.Errorf("the assistant says %s, which no answer has", n)
				}
			}
		}
	}
	if found := a.told("getSales", `{"saleExternalId":"5107","limit":1}`); !strings.Contains(found, `"id":2,`) {
		t.Errorf("the sale that the page explains is not %s", found)
	}
	if asked < 3 || said < 6 {
		t.Errorf("%d calls and %d amounts were found", asked, said)
	}
}

// newQuarter is the program of the page: two affiliates in the autumn of a year. It is
// the fourth of December.
func newQuarter(t *testing.T) *world {
	w := newWorld(t)
	ctx := t.Context()
	ada := w.ada()
	w.join("Ben", "Mori", "lee@example.com")
	must(w.SetPayoutDetails(ctx, ada.ID, affiliate.PayoutDetails{Email: "ada@example.com", Method: "PAYPAL"}))
	day := func(month time.Month, day int) { w.now = time.Date(2026, month, day, 9, 0, 0, 0, time.UTC) }
	day(time.October, 12)
	w.sell("kim@example.com", "120", "20", "5061")
	day(time.November, 3)
	must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada.ID, ManuallyPaid: true}))
	day(time.November, 9)
	w.sell("kim@example.com", "19.40", "3.10", "5107")
	w.sell("lee@example.com", "240", "40", "5108")
	day(time.December, 2)
	w.sell("kim@example.com", "60", "10", "5140")
	day(time.December, 4)
	return w
}
