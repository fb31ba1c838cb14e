package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/mcp"
)

// partnerCalls are calls of every tool of an affiliate.
var partnerCalls = map[string]string{
	"profile": `{}`, "terms": `{}`, "bonuses": `{}`, "offer": `{}`, "balance": `{}`, "links": `{}`, "codes": `{}`, "sales": `{}`, "customers": `{}`, "payouts": `{}`,
	"payout":    `{"payoutId":"PAYOUT"}`,
	"sale":      `{"saleId":1}`,
	"statement": `{"from":"2026-10-01","to":"2026-12-31"}`,
	"report":    `{"from":"2026-10-01","to":"2026-12-31","by":"month"}`,
	"breakdown": `{"from":"2026-10-01","to":"2026-12-31","by":"link"}`,
}

// TestPartner: an affiliate sees what is theirs and nobody else's, with masked customers.
func TestPartner(t *testing.T) {
	w := newQuarter(t)
	ada := must(w.Affiliate(t.Context(), "ada@example.com"))
	a := meet(t, mcp.Partner(w.Program, ada.ID, mcp.PartnerConfig{}))
	paid := must(w.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items[0].ID.String()
	tools := a.tools()
	if len(tools) != len(partnerCalls) {
		t.Errorf("%d tools, and %d calls", len(tools), len(partnerCalls))
	}
	all := ""
	for _, one := range tools {
		if !one.Annotations.ReadOnlyHint {
			t.Errorf("%s is not marked as reading", one.Name)
		}
		text := a.told(one.Name, strings.ReplaceAll(partnerCalls[one.Name], "PAYOUT", paid))
		if text == "" || one.Name != "offer" && one.Name != "bonuses" && one.Name != "codes" && (strings.Contains(text, `"record":null`) || strings.Contains(text, `"shown":0`)) {
			t.Errorf("%s answers nothing: %s", one.Name, text)
		}
		all += text
	}
	for _, theirs := range []string{"kim@example.com", "Kim", "lee", "Ben", "ben@example.com", "240 USD", "5108"} {
		if strings.Contains(all, theirs) {
			t.Errorf("an answer has %q", theirs)
		}
	}
	for _, own := range []string{"3.26 USD", affiliate.MaskEmail("kim@example.com", ada.ID), "Okafor", "20 USD"} {
		if !strings.Contains(all, own) {
			t.Errorf("no answer has %q", own)
		}
	}
	report := a.told("report", partnerCalls["report"])
	if !strings.HasPrefix(report, `{"totals":{"clicks":0,"referrals":1,"sales":3,"deletedSales":0,"revenue":"199.4 USD","refunds":"0 USD","commission":"33.26 USD"`) {
		t.Errorf("the report does not begin with its totals: %s", report)
	}
}

// TestPartnerRefused: an affiliate who is not there, a payout of somebody else, and inputs that are none.
func TestPartnerRefused(t *testing.T) {
	w := newQuarter(t)
	ben := must(w.Affiliate(t.Context(), "ben@example.com"))
	a := meet(t, mcp.Partner(w.Program, ben.ID, mcp.PartnerConfig{}))
	adas := must(w.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items[0].ID.String()
	none := problem{Error: "there is no such record", Code: "not_found"}
	for _, tt := range []struct {
		name, tool, args string
		want             problem
	}{
		{"PayoutOfAnother", "payout", `{"payoutId":"` + adas + `"}`, none},
		{"SaleOfAnother", "sale", `{"saleId":1}`, none},
		{"SaleNoID", "sale", `{"saleId":"order-1"}`, none},
		{"NoSale", "sale", `{}`, none},
		{"PayoutNoID", "payout", `{"payoutId":"' or 1=1"}`, none},
		{"Affiliate", "sales", `{"affiliateId":"` + adas + `"}`, problem{Error: `there is no argument "affiliateId"`}},
		{"Date", "statement", `{"from":"soon","to":"2026-12-31"}`, problem{Error: "from must be a date, such as 2026-11-30"}},
		{"NoDate", "report", `{"by":"month"}`, problem{Error: "from must be a date, such as 2026-11-30"}},
		{"Limit", "sales", `{"limit":51}`, problem{Error: "limit must be from 1 to 50"}},
		{"Cursor", "sales", `{"cursor":"x y"}`, problem{Error: "Invalid cursor", Code: "invalid_query", Field: "cursor"}},
		{"Dimension", "breakdown", `{"from":"2026-10-01","to":"2026-12-31","by":"product"}`,
			problem{Error: "by must be one of link, promotionalCode, landingPage, utmSource, utmMedium, utmCampaign, sub", Code: "invalid_query", Field: "by"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, a.refused(tt.tool, tt.args)); diff != "" {
				t.Error(diff)
			}
		})
	}
	nobody := meet(t, mcp.Partner(w.Program, uuid.New(), mcp.PartnerConfig{}))
	if diff := cmp.Diff(none, nobody.refused("profile", `{}`)); diff != "" {
		t.Error(diff)
	}
}

// TestHideCustomers: a host that hides customers hides them here too.
func TestHideCustomers(t *testing.T) {
	w := newQuarter(t)
	ada := must(w.Affiliate(t.Context(), "ada@example.com"))
	shown := meet(t, mcp.Partner(w.Program, ada.ID, mcp.PartnerConfig{})).told("sales", `{}`)
	a := meet(t, mcp.Partner(w.Program, ada.ID, mcp.PartnerConfig{HideCustomers: true}))
	hidden := a.told("sales", `{}`)
	if !strings.Contains(shown, "@") || strings.Contains(hidden, "@") {
		t.Errorf("shown: %s\nhidden: %s", shown, hidden)
	}
	of := meet(t, mcp.Partner(w.Program, ada.ID, mcp.PartnerConfig{})).told("sale", `{"saleId":1}`)
	why := a.told("sale", `{"saleId":1}`)
	for _, about := range []string{"@", `"customerSince":`, `"payment":`} {
		if !strings.Contains(of, about) || strings.Contains(why, about) {
			t.Errorf("%s is shown in %s\nhidden in %s", about, of, why)
		}
	}
	for _, one := range a.tools() {
		if one.Name == "customers" {
			t.Error("there is a tool for customers")
		}
	}
}

// TestPartnerHandler: over HTTP the login of the host says whose request it is, each time.
func TestPartnerHandler(t *testing.T) {
	w := newQuarter(t)
	in := map[string]uuid.UUID{
		"ada": must(w.Affiliate(t.Context(), "ada@example.com")).ID, "ben": must(w.Affiliate(t.Context(), "ben@example.com")).ID,
	}
	mux := http.NewServeMux()
	mount(mux, w.Program, func(r *http.Request) (uuid.UUID, bool) {
		id, ok := in[r.Header.Get("Authorization")]
		return id, ok
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ada := overHTTP(t, server.URL+"/assistant", "ada")
	ben := overHTTP(t, server.URL+"/assistant", "ben")
	for range 2 {
		if text := ada.told("profile", `{}`); !strings.Contains(text, "Okafor") {
			t.Errorf("ada: %s", text)
		}
		if text := ben.told("profile", `{}`); !strings.Contains(text, "Mori") {
			t.Errorf("ben: %s", text)
		}
	}
	delete(in, "ada")
	if _, err := ada.CallTool(t.Context(), &sdk.CallToolParams{Name: "profile", Arguments: json.RawMessage(`{}`)}); err == nil {
		t.Error("who is logged out still gets answers")
	}
}
