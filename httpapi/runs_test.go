package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// newRunTill is the program of example D of docs/money.md, with its affiliates by
// name.
func newRunTill(t *testing.T) *till {
	t.Helper()
	ctx := t.Context()
	k := newTill(t)
	k.ids["Ada"], k.ids["Bo"] = k.ada, k.bo
	for _, name := range []string{"Cy", "Di", "Eve", "Fay", "Gil"} {
		k.ids[name] = k.id("POST", "/affiliates", `{"firstName":"`+name+`","lastName":"X","email":"`+name+`@example.org","affiliateLink":"`+name+`"}`)
	}
	for _, name := range []string{"Bo", "Cy", "Di", "Eve", "Fay"} {
		must(k.SetPayoutDetails(ctx, uuid.MustParse(k.ids[name]), affiliate.PayoutDetails{Method: "PAYPAL", Email: name + "@pay.example"}))
	}
	for _, owed := range [][2]string{{"Ada", "40"}, {"Ada", "-12"}, {"Bo", "6"}, {"Cy", "-5"}, {"Eve", "15"}, {"Gil", "12"}} {
		k.owes(owed[0], owed[1])
	}
	sells := func(name, total string) map[string]any {
		return k.ask("POST", "/sales", `{"referralId":"`+name+`","email":"`+name+`@customer.example","name":"C","totalEarned":`+total+`}`)
	}
	k.ask("POST", "/sales/review", `{"saleIds":[`+text(sells("Di", "100")["id"])+`],"approvalStatus":"ON_HOLD"}`)
	plan := must(k.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), HoldDays: 30}}))
	must(k.SetAffiliatePlan(ctx, plan.ID, uuid.MustParse(k.ids["Fay"])))
	sells("Fay", "150")
	must(k.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, uuid.MustParse(k.ids["Eve"])))
	k.pass(time.Hour)
	k.fired()
	return k
}

func (k *till) owes(name, amount string) {
	k.t.Helper()
	k.ask("POST", "/adjustments", `{"affiliateId":"{`+name+`}","kind":"CORRECTION","amount":`+amount+`,"reason":"r"}`)
}

// lines are lines in short, such as "Ada 28 paid". Each has a payout or a reason;
// in a preview none has a payout.
func (k *till) lines(items []any, previewed bool) []string {
	k.t.Helper()
	out := []string{}
	for _, item := range items {
		line := item.(map[string]any)
		name := ""
		for of, id := range k.ids {
			if id == line["affiliateId"] {
				name = of
			}
		}
		how := "paid"
		if line["skipped"] != nil {
			how = line["skipped"].(string)
		}
		if (how == "paid" && !previewed) != (line["payoutId"] != nil) || len(line) != 4 {
			k.t.Errorf("line %v", line)
		}
		out = append(out, fmt.Sprint(name, " ", line["amount"], " ", how))
	}
	return out
}

// linesOf are the lines of a run, page by page.
func (k *till) linesOf(externalID, limit string) []string {
	k.t.Helper()
	var items []any
	must(0, json.Unmarshal([]byte(k.pages("payouts/lines?externalId="+externalID, limit)), &items))
	return k.lines(items, false)
}

// previews are the lines of a preview, page by page.
func (k *till) previews(settings, limit string) []string {
	k.t.Helper()
	lines := []string{}
	for cursor := ""; ; {
		page := k.ask("POST", "/payouts/preview", `{`+settings+`,"limit":`+limit+cursor+`}`)
		lines = append(lines, k.lines(page["lines"].([]any), true)...)
		if page["next"] == nil {
			return lines
		}
		cursor = `,"cursor":"` + page["next"].(string) + `"`
	}
}

var exampleD = []string{"Ada 28 paid", "Bo 6 below_minimum", "Cy -5 negative", "Di 0 on_hold", "Eve 15 banned", "Fay 0 nothing_matured", "Gil 12 no_payout_method"}

const (
	runMay      = `{"externalId":"2026-05","minimum":10}`
	runMismatch = "400 payout_run_mismatch: This payout run was started with different settings"
)

// TestPayoutRuns: checks 26 to 28 of docs/money.md, example D.
func TestPayoutRuns(t *testing.T) {
	k := newRunTill(t)
	var run map[string]any
	var done answer
	t.Run("check 26", func(t *testing.T) {
		k.on(t)
		before := k.dump()
		for _, limit := range []string{"1", "2", "3", "7", "1000"} {
			equal(t, exampleD, k.previews(`"minimum":10`, limit))
		}
		page := k.do("POST", "/api/v1/payouts/preview", `{"externalId":"2026-05","minimum":10}`, idem+"p")
		if !strings.HasSuffix(page.body, `],"next":null}`) {
			t.Errorf("%s", page.body)
		}
		equal(t, before, k.dump())
		if receipts := k.receipts(); receipts != 0 {
			t.Errorf("the preview stored %d answers", receipts)
		}
		done = k.do("POST", "/api/v1/payouts/run", runMay)
		k.fires() // what is paid are adjustments
		run = k.ask("GET", "/payouts/runs?externalId=2026-05", "")
		equal(t, object{
			"id": run["id"], "externalId": "2026-05", "status": "DONE", "until": wire(k.now), "created": 1.0, "skipped": 6.0, "total": 28.0,
			"startedAt": wire(k.now), "finishedAt": wire(k.now),
		}, run)
		equal(t, k.do("GET", "/api/v1/payouts/runs?externalId=2026-05", "").body, done.body)
		for _, limit := range []string{"1", "3", "1000"} {
			equal(t, exampleD, k.linesOf("2026-05", limit))
		}
		paid := k.list("/payouts?runId=" + run["id"].(string))
		equal(t, 1, len(paid))
		k.has(paid[0], object{"affiliateId": k.ada, "amount": 28.0, "runId": run["id"]})
		equal(t, 0, len(k.list("/payouts?runId="+k.ada)))
		equal(t, 0, len(k.list("/payouts?runId=x&status=PENDING")))
		k.verify()
	})
	t.Run("check 27", func(t *testing.T) {
		k.on(t)
		k.pass(time.Hour)
		before := k.dump()
		for _, more := range []string{"", `,"limit":1`, `,"unknown":1`, `,"methods":[],"affiliateIds":[],"noDetails":null,"until":null`} {
			equal(t, done.body, k.do("POST", "/api/v1/payouts/run", strings.TrimSuffix(runMay, "}")+more+"}").body)
		}
		k.fires()
		k.no(runMismatch, "POST", "/payouts/run", `{"externalId":"2026-05","minimum":9}`)
		for _, more := range []string{`"until":"2026-03-11"`, `"methods":["PAYPAL"]`, `"noDetails":true`, `"affiliateIds":["x"]`} {
			k.no(runMismatch, "POST", "/payouts/run", strings.TrimSuffix(runMay, "}")+","+more+"}")
		}
		equal(t, before, k.dump())
	})
	t.Run("check 28 steps", func(t *testing.T) {
		k := newRunTill(t)
		status := func() any {
			return k.ask("POST", "/payouts/run", `{"externalId":"2026-05","minimum":10,"limit":2}`)["status"]
		}
		for range 3 {
			equal(t, any("RUNNING"), status())
			equal(t, any("RUNNING"), k.ask("GET", "/payouts/runs?externalId=2026-05", "")["status"])
		}
		equal(t, any("DONE"), status())
		equal(t, exampleD, k.linesOf("2026-05", "2"))
		k.verify()
	})
	t.Run("check 28 at once", func(t *testing.T) {
		k := newRunTill(t)
		k.owes("Bo", "20")
		k.owes("Cy", "30")
		var wg sync.WaitGroup
		for i := range 20 {
			body := strings.TrimSuffix(runMay, "}") + fmt.Sprintf(`,"limit":%d}`, 1+i%7)
			wg.Go(func() {
				for range 100 {
					got := k.do("POST", "/api/v1/payouts/run", body)
					if got.status != 200 || strings.Contains(got.body, `"status":"DONE"`) {
						equal(t, "200", got.refusal())
						return
					}
				}
				t.Error("the run does not end")
			})
		}
		wg.Wait()
		k.has(k.ask("GET", "/payouts/runs?externalId=2026-05", ""), object{"created": 3.0, "skipped": 4.0, "total": 79.0})
		equal(t, 3, len(k.list("/payouts")))
		equal(t, 7, len(k.linesOf("2026-05", "1000")))
		k.verify()
	})
}

// receipts counts the stored answers.
func (k *till) receipts() (n int) {
	k.t.Helper()
	counting := func(tx *record.Tx) error {
		n = 0
		for range tx.Receipts.List(record.Query{}) {
			n++
		}
		return nil
	}
	must(0, k.store.Store.View(k.t.Context(), k.Config().ID, counting))
	return n
}

// TestPayoutRunFields: each setting over the wire; a cursor belongs to its settings.
func TestPayoutRunFields(t *testing.T) {
	k := newRunTill(t)
	for settings, want := range map[string][]string{
		`"affiliateIds":["{Gil}","x","","{Ada}","{Gil}"],"noDetails":true`: {"Ada 28 paid", "Gil 12 paid"},
		`"affiliateIds":["x"]`:                                   {},
		`"methods":["WISE"]`:                                     {},
		`"methods":["WISE","PAYPAL"],"minimum":29`:               {"Ada 28 below_minimum", "Bo 6 below_minimum", "Cy -5 negative", "Di 0 on_hold", "Eve 15 banned", "Fay 0 nothing_matured"},
		`"until":"2026-03-10","affiliateIds":["{Ada}"]`:          {"Ada -12 negative"},
		`"until":"2026-03-11","affiliateIds":["{Ada}"]`:          {"Ada 28 paid"},
		`"until":"2026-03-11T09:24:18Z","affiliateIds":["{Bo}"]`: {"Bo 0 nothing_matured"},
	} {
		equal(t, want, k.previews(settings, "1000"))
	}
	next := k.ask("POST", "/payouts/preview", `{"limit":1}`)["next"].(string)
	k.no("400 invalid_field: Invalid cursor [cursor]", "POST", "/payouts/preview", `{"minimum":1,"cursor":"`+next+`"}`)
	run := k.ask("POST", "/payouts/run", `{"externalId":"2026-03","until":"2026-03-31","affiliateIds":["{Di}"]}`)
	k.has(run, object{"until": "2026-03-31T23:59:59.999Z", "created": 0.0, "skipped": 1.0, "total": 0.0})
	k.verify()
}

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

// TestPayoutRunInterrupted: a run whose request fails at a step or a call of the
// store, and that is called again a day later, ends with the lines and payouts that
// it would have made (docs/money.md 6).
func TestPayoutRunInterrupted(t *testing.T) {
	for _, name := range []string{"error", "error of a call"} {
		t.Run(name, func(t *testing.T) {
			n := 1
			for interrupted(t, faults[name], n) {
				n++
			}
			if n < 12 {
				t.Errorf("only %d places were broken", n)
			}
		})
	}
}

// interrupted breaks the store at its n-th place until a request of a run has
// failed, and reports whether one has.
func interrupted(t *testing.T, fault func(record.Store, int) record.Store, n int) bool {
	k := newRunTill(t)
	k.owes("Bo", "20")
	want := k.previews(`"minimum":10`, "1000")
	step, failed := fault(k.store.Store, n), 0
	k.store.broken(func(record.Store) record.Store { return step })
	for range 10 {
		got := k.do("POST", "/api/v1/payouts/run", `{"externalId":"2026-05","minimum":10,"limit":4}`)
		if strings.Contains(got.body, `"status":"DONE"`) {
			break
		}
		if got.refusal() == internal {
			failed++
			k.store.broken(nil)
			k.pass(24 * time.Hour)
		} else if got.status != 200 {
			t.Fatalf("at %d: %s", n, got.refusal())
		}
	}
	k.store.broken(nil)
	equal(t, want, k.linesOf("2026-05", "1000"))
	if paid := k.list("/payouts"); len(paid) != 2 || failed > 1 {
		t.Errorf("at %d: %d payouts, %d requests failed", n, len(paid), failed)
	}
	k.verify()
	return failed > 0
}
