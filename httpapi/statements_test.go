package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

const mayAndJune, may, june = "from=2026-05-01&to=2026-06-30", "from=2026-05-01&to=2026-05-31", "from=2026-06-01&to=2026-06-30"

// TestStatementPagesOverTheWire: check 49 for statements: without a limit there are
// 100 lines and a Link. All pages have the lines that were there when the first was
// read.
func TestStatementPagesOverTheWire(t *testing.T) {
	k := newTill(t)
	k.now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	bonus := func() {
		k.ask("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":1.5,"reason":"r"}`)
	}
	for range 101 {
		bonus()
		k.pass(time.Minute)
	}
	k.ask("POST", "/payouts", `{"affiliateId":"`+k.ada+`"}`) // changes nothing that is owed
	for _, limit := range []string{"", "&limit=1", "&limit=7", "&limit=100", "&limit=101", "&limit=1000"} {
		next, lines, owed := "affiliateId="+k.ada+"&"+mayAndJune+limit, 0, 0.0
		for pages := 1; next != ""; pages++ {
			got := k.do("GET", "/api/v1/statements?"+next, "")
			var page struct {
				Closing struct{ Owed float64 }
				Lines   []struct{ Amount, Owed float64 }
			}
			if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 {
				t.Fatalf("%s: %s", next, got.refusal())
			}
			lines += len(page.Lines)
			if pages == 1 {
				owed = page.Closing.Owed
				bonus() // the period goes on
			}
			if limit == "" && pages == 1 && len(page.Lines) != 100 {
				t.Errorf("%d lines without a limit", len(page.Lines))
			}
			link := got.header.Get("Link")
			if link == "" {
				if last := page.Lines[len(page.Lines)-1]; last.Owed != owed {
					t.Errorf("%s: the last line says %v is owed, the statement %v", limit, last.Owed, owed)
				}
				break
			}
			ref, _, _ := strings.Cut(strings.TrimPrefix(link, "<?"), ">")
			next = ref
		}
		if float64(lines)*1.5 != owed {
			t.Errorf("%s: %d lines do not add up to %v", limit, lines, owed)
		}
	}
	got := k.do("GET", "/api/v1/statements?affiliateId="+k.ada+"&"+may+"&limit=1", "")
	ref, _, _ := strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<?"), ">")
	_, cursor, _ := strings.Cut(ref, "cursor=")
	k.no(badCursor, "GET", "/statements?affiliateId="+k.ada+"&"+june+"&cursor="+cursor, "")
	k.no(badCursor, "GET", "/statements?affiliateId="+k.ada+"&"+may+"&cursor=9"+cursor, "")
	k.verify()
}
