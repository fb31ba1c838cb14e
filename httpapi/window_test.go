package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// TestClickWindow: checks 38 to 40 of docs/money.md 14 over the wire.
func TestClickWindow(t *testing.T) {
	const window = 60 * 24 * time.Hour
	setUp := func(t *testing.T) (w *world, ada, bo affiliate.Affiliate, visit func() string) {
		w = newWorld(t)
		join := func(first, slug string) affiliate.Affiliate {
			return must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
				FirstName: first, LastName: "L", Email: slug + "@example.org", AffiliateLink: slug,
			}))
		}
		ada, bo = join("Ada", "ada"), join("Bo", "bo")
		program := w.Config().ID.String()
		h := httpapi.Tracking(func(context.Context, string) (*tributary.Program, error) { return w.Program, nil }, httpapi.Config{})
		return w, ada, bo, func() string {
			t.Helper()
			var got struct{ Click struct{ ID int64 } }
			r := click(`{"programId":"` + program + `","referralCode":"ada"}`)
			must(0, json.Unmarshal([]byte(bodyOf(t, ask(h, r))), &got))
			return fmt.Sprint(got.Click.ID)
		}
	}
	sell := func(w *world, body string) (outcome string, sale map[string]any) {
		w.t.Helper()
		got := w.do("POST", "/api/v1/sales", body)
		if got.status != http.StatusOK {
			w.t.Fatalf("POST /sales %s: %s", body, got.refusal())
		}
		must(0, json.Unmarshal([]byte(got.body), &sale))
		return got.header.Get("Sale-Outcome"), sale
	}

	t.Run("Check38", func(t *testing.T) {
		w, ada, _, visit := setUp(t)
		first, second := visit(), visit()
		w.pass(window)
		outcome, got := sell(w, `{"referralId":`+first+`,"email":"new@example.net","name":"New","totalEarned":10}`)
		equal(t, "recorded", outcome)
		equal[any](t, ada.ID.String(), got["affiliateId"])
		w.pass(time.Second)
		before := w.dump()
		outcome, got = sell(w, `{"referralId":"`+second+`","email":"newer@example.net","name":"Newer","totalEarned":10}`)
		equal(t, "unattributed", outcome)
		equal(t, nil, got)
		equal(t, before, w.dump())
	})
	t.Run("Check39", func(t *testing.T) {
		w, ada, bo, visit := setUp(t)
		w.ok("POST", "/api/v1/referrals", `{"affiliateId":"bo","name":"C","email":"c@example.net","referredUserExternalId":"c"}`)
		late := visit()
		w.pass(window + time.Second)
		outcome, got := sell(w, `{"referralId":`+late+`,"email":"c@example.net","totalEarned":10}`)
		equal(t, "recorded", outcome)
		equal[any](t, bo.ID.String(), got["affiliateId"])
		equal(t, "null", w.do("POST", "/api/v1/referrals", `{"affiliateId":`+late+`,"name":"D","email":"d@example.net","referredUserExternalId":"d"}`).body)
		equal[any](t, ada.ID.String(), w.ok("GET", "/api/v1/affiliates?id="+late, "")["id"])
	})
	t.Run("Check40", func(t *testing.T) {
		w, ada, _, _ := setUp(t)
		w.ok("POST", "/api/v1/referrals", `{"affiliateId":"ada","name":"C","email":"c@example.net","referredUserExternalId":"c"}`)
		w.pass(400 * 24 * time.Hour)
		outcome, got := sell(w, `{"email":"c@example.net","totalEarned":10}`)
		equal(t, "recorded", outcome)
		equal[any](t, ada.ID.String(), got["affiliateId"])
	})
}
