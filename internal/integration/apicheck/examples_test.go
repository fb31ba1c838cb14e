package apicheck_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A step sends one operation. Without a body it sends the example of the
// document; {name} in a body is an id of an earlier answer.
type step struct {
	id   string // of the operation
	body string
}

// TestExamples: the example requests are sent as they are written, and the
// answers equal the example answers, except for ids and secrets. The clock has
// the time of the examples.
func TestExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := &examples{world: w, t: t, ops: map[string]operation{}, ids: map[string]string{}}
	w.check = newChecker(t, w)
	for _, op := range operations(w.check.doc) {
		x.ops[op.op.OperationID] = op
	}
	x.run(step{id: "createAffiliate"})
	x.prepare()
	for _, s := range []step{
		{id: "createCoupon"}, {id: "createPromotionalCode"}, {id: "createReferral"}, {id: "recordSale"}, {id: "createWebhook"},
		{"testWebhook", `{"webhookId":"{createWebhook}","event":"sale.created"}`},
		{"updateAffiliate", `{"affiliateId":"{createAffiliate}","firstName":"Mara"}`},
		{"refundSale", `{"saleId":{recordSale}}`},
		{"deleteSale", `{"saleId":{recordSale}}`},
		{"deleteReferral", `{"referralId":"{createReferral}"}`},
		{"deletePromotionalCode", `{"promotionalCodeId":"{createPromotionalCode}"}`},
		{"deleteCoupon", `{"couponId":"{createCoupon}"}`},
		{"deleteLink", `{"link":"mara-lindqvist"}`},
		{"deleteWebhook", `{"webhookId":"{createWebhook}"}`},
		{"deleteAffiliate", `{"affiliateId":"{createAffiliate}"}`},
	} {
		x.run(s)
	}
	x.checkAllSent()
}

// examples runs steps and remembers which id stands for which.
type examples struct {
	*world
	t    testing.TB
	ops  map[string]operation
	ids  map[string]string // maps ids of the examples and steps to ids of the program
	sent []string
}

// prepare creates the plan and the click that the examples need.
func (x *examples) prepare() {
	ctx := x.t.Context()
	plan, err := x.CreatePlan(ctx, affiliate.PlanParams{Name: "Standard", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err != nil {
		x.t.Fatal(err)
	}
	if _, err := x.SetAffiliatePlan(ctx, plan.ID, uuid.MustParse(x.ids["createAffiliate"])); err != nil {
		x.t.Fatal(err)
	}
	click, err := x.TrackClick(ctx, affiliate.ClickParams{Slug: "mara-lindqvist", LandingURL: "https://beans.example/shop?ref=mara-lindqvist"})
	if err != nil {
		x.t.Fatal(err)
	}
	x.ids["90412"] = fmt.Sprint(click.ID)
}

// run sends a step and compares its answer.
func (x *examples) run(s step) {
	x.t.Helper()
	op := x.ops[s.id]
	want, documented := x.example(op.op.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Examples["contract"])
	if created, ok := want.(map[string]any)["createdAt"].(string); documented && ok {
		x.now, _ = time.Parse(time.RFC3339, created)
	}
	body := s.body
	if body == "" {
		sent, ok := x.example(op.op.RequestBody.Value.Content.Get("application/json").Examples["contract"])
		if !ok {
			x.t.Fatalf("%s: no example to send", s.id)
		}
		raw, err := json.Marshal(sent)
		if err != nil {
			x.t.Fatal(err)
		}
		body = string(raw)
		x.sent = append(x.sent, s.id)
	}
	for name, id := range x.ids {
		body = strings.ReplaceAll(strings.ReplaceAll(body, "{"+name+"}", id), `"`+name+`"`, `"`+id+`"`)
	}
	a := x.do(x.t, call{method: op.method, target: op.path, body: body})
	if a.status != http.StatusOK {
		x.t.Errorf("%s %s: %d %s", s.id, body, a.status, a.body)
		return
	}
	x.ids[s.id] = a.text("id")
	if documented {
		x.compare(s.id, want, a.value)
	}
}

// example returns the value of an example.
func (x *examples) example(e any) (value any, ok bool) {
	raw, err := json.Marshal(e)
	if err != nil {
		x.t.Fatal(err)
	}
	var holder struct{ Value any }
	if err := json.Unmarshal(raw, &holder); err != nil || holder.Value == nil {
		return map[string]any{}, false
	}
	return holder.Value, true
}

// compare reports where an answer differs from its example.
func (x *examples) compare(place string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		if !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(object))) {
			x.t.Errorf("%s: the keys are %v, the example's %v", place, slices.Sorted(maps.Keys(object)), slices.Sorted(maps.Keys(want)))
			return
		}
		for name, value := range want {
			x.compare(place+"."+name, value, object[name])
		}
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			x.t.Errorf("%s: %d entries, the example has %d", place, len(list), len(want))
			return
		}
		for i := range want {
			x.compare(fmt.Sprint(place, ".", i), want[i], list[i])
		}
	default:
		x.compareValue(place, want, got)
	}
}

// compareValue compares ids by what they stand for. It does not compare
// secrets.
func (x *examples) compareValue(place string, want, got any) {
	name := place[strings.LastIndex(place, ".")+1:]
	made := regexp.MustCompile(`^(evt_)?[0-9a-f]{8}-?[0-9a-f]{4}-?7`)
	wanted, given := fmt.Sprint(want), fmt.Sprint(got)
	_, isNumber := want.(float64)
	switch isID := name == "id" || name == "saleId"; {
	case name == "secret" || name == "secretHint":
	case made.MatchString(wanted) && made.MatchString(given), isID && isNumber:
		key := fmt.Sprint(strings.HasSuffix(place, "commissions.0.id"), wanted)
		if known, ok := x.ids[key]; ok && known != given {
			x.t.Errorf("%s: %s, which is %s elsewhere", place, given, known)
		}
		x.ids[key] = given
		x.ids[wanted] = given
	case strings.HasSuffix(name, "At") && want != nil && place != "createCoupon.redeemBy":
		if _, err := time.Parse(time.RFC3339, given); err != nil {
			x.t.Errorf("%s: %v", place, err)
		}
	case !reflect.DeepEqual(want, got):
		x.t.Errorf("%s: %v, the example has %v", place, got, want)
	}
}

// checkAllSent reports examples of requests that no step sent.
func (x *examples) checkAllSent() {
	for id, op := range x.ops {
		if op.op.RequestBody == nil {
			continue
		}
		if _, ok := x.example(op.op.RequestBody.Value.Content.Get("application/json").Examples["contract"]); ok && !slices.Contains(x.sent, id) {
			x.t.Errorf("the example of %s was not sent", id)
		}
	}
}
