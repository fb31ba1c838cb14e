package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// A journey is a visit that becomes a customer and a sale. It returns the
// landing page of the customer, and everything that was answered and sent to
// webhooks.
func journey(t *testing.T, visit func(w *world) (clickID string), change ...func(*setup)) (landing any, out string) {
	t.Helper()
	w := newWorld(t, change...)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: "mara@roast.example", AffiliateLink: "mara"}))
	id := visit(w)
	answers := []string{
		w.do("POST", "/api/v1/referrals", `{"affiliateId":`+id+`,"name":"Ida","email":"ida@mail.example","referredUserExternalId":"u"}`).body,
		w.do("POST", "/api/v1/sales", `{"email":"ida@mail.example","totalEarned":10}`).body,
		w.do("GET", "/api/v1/referrals?email=ida@mail.example", "").body,
		w.do("GET", "/api/v1/sales", "").body,
		w.do("GET", "/api/v1/affiliates?id=mara", "").body,
	}
	types := []affiliate.EventType{}
	for _, e := range must(w.EventsAfter(t.Context(), uuid.Nil, 100)) {
		types = append(types, e.Type)
		answers = append(answers, string(must(json.Marshal(e.Payload))))
	}
	if !slices.Contains(types, affiliate.ReferralCreated) || !slices.Contains(types, affiliate.SaleCreated) {
		t.Fatalf("events: %v", types)
	}
	var referral map[string]any
	must(0, json.Unmarshal([]byte(answers[0]), &referral))
	return referral["initialLandingPage"], strings.Join(answers, "\n")
}

// scripted is a visit that a script in a browser reports.
func scripted(page, referrer string) func(*world) string {
	return func(w *world) string {
		w.t.Helper()
		find := func(context.Context, string) (*tributary.Program, error) { return w.Program, nil }
		body := must(json.Marshal(map[string]string{"programId": "x", "referralCode": "mara", "fullLandingUrl": page, "documentReferrer": referrer}))
		var got struct{ Click struct{ ID int64 } }
		must(0, json.Unmarshal([]byte(bodyOf(w.t, ask(httpapi.Tracking(find, httpapi.Config{}), click(string(body))))), &got))
		return fmt.Sprint(got.Click.ID)
	}
}

// TestTrackingScripts: a URL that is not a web page is not passed on, and the
// click counts.
func TestTrackingScripts(t *testing.T) {
	for _, planted := range []string{
		"javascript:alert(document.domain)//PLANTED", " JavaScript:alert(1)//PLANTED", "data:text/html,PLANTED", "vbscript:PLANTED",
		"javascript://beans.example/%0aPLANTED",
	} {
		landing, out := journey(t, scripted(planted, planted))
		if landing != nil || strings.Contains(out, "PLANTED") {
			t.Errorf("%q: landing page %v, answers and events\n%s", planted, landing, out)
		}
	}
}

// TestClickSecrets: only the part of a visitor's query that belongs to the
// click leaves the host, whether a script or Attribution reports it.
func TestClickSecrets(t *testing.T) {
	const (
		page     = "http://beans.example/shop?ref=mara&reset_token=SECRET&utm_source=news&email=SECRET&campaign=spring#SECRET"
		referrer = "https://ida:SECRET@mail.example/inbox?token=SECRET"
	)
	attributed := func(w *world) string {
		var id string
		pages := httpapi.Attribution(w.Program, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { id = httpapi.ClickFrom(w.Program, r) }))
		r := visitTo(page, "Referer", referrer)
		pages.ServeHTTP(httptest.NewRecorder(), r)
		return id
	}
	keeps := func(s *setup) { s.engine.KeepParams = []string{"campaign"} }
	for name, visit := range map[string]func(*world) string{"Tracking": scripted(page, referrer), "Attribution": attributed} {
		for _, tt := range []struct {
			want   string
			change []func(*setup)
		}{
			{"http://beans.example/shop?ref=mara&utm_source=news", nil},
			{"http://beans.example/shop?ref=mara&utm_source=news&campaign=spring", []func(*setup){keeps}},
		} {
			landing, out := journey(t, visit, tt.change...)
			if landing != tt.want || strings.Contains(out, "SECRET") {
				t.Errorf("%s: landing page %v, want %s; answers and events\n%s", name, landing, tt.want, out)
			}
		}
	}
}
