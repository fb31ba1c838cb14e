package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
)

func TestTrackingClick(t *testing.T) {
	s := newSite(t)
	r := click(`{"programId":"` + siteID + `","referralCode":"mARA","fullLandingUrl":"https://beans.example/?ref=mARA",
		"documentReferrer":"https://blog.example/","deviceId":"d-1","ipAddress":"192.0.2.7","country":"NO","uniqueClick":null}`)
	r.Header.Set("User-Agent", "Browser/1")
	res := ask(s.tracking(), r)
	want := reply{200, "", "", `{"click":{"id":1,"affiliateId":"` + s.mara.ID.String() + `","createdAt":"2026-02-04T09:58:10.031Z"}}`}
	if diff := cmp.Diff(want, replyOf(t, res), cmp.AllowUnexported(reply{})); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	wantHeader := http.Header{
		"Access-Control-Allow-Origin": {"*"}, "Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"},
		"Content-Type": {"application/json; charset=utf-8"}, "Content-Length": {"110"},
	}
	res.Header.Del("X-Request-Id") // it is another one each time
	if diff := cmp.Diff(wantHeader, res.Header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}

	ask(s.tracking(), click(`{"programId":"`+siteID+`","referralCode":"mara","uniqueClick":false,"userAgent":"Body/2","documentReferrer":""}`))
	counted, stored := s.clicks()
	wantStored := []record.Click{
		{Number: 1, LandingURL: "https://beans.example/?ref=mARA", Referrer: "https://blog.example/", DeviceID: "d-1", UserAgent: "Browser/1", Unique: true},
		{Number: 2, UserAgent: "Body/2"},
	}
	for i := range wantStored {
		wantStored[i].ID, wantStored[i].CreatedAt = stored[i].ID, affiliate.InstantOf(siteTime)
		wantStored[i].AffiliateID, wantStored[i].LinkID = s.mara.ID, s.mara.AffiliateLinks[0].ID
	}
	if diff := cmp.Diff(wantStored, stored); diff != "" || counted != 2 {
		t.Errorf("counted %d, stored (-want +got):\n%s", counted, diff)
	}
	if n := s.fired.Load(); n != 0 {
		t.Errorf("%d events", n)
	}
	all, err := s.Referrals(t.Context(), affiliate.ReferralQuery{}, affiliate.Page{})
	if err != nil || len(all.Items) != 0 {
		t.Errorf("referrals: %v, %v", all.Items, err)
	}
}

// TestTrackingRefusals: each refusal has its status, code, field and text, and
// stores nothing.
func TestTrackingRefusals(t *testing.T) {
	s := newSite(t)
	h := s.tracking()
	named := func(rest string) string { return `{"programId":"` + siteID + `","referralCode":"mara"` + rest + `}` }
	const exists = `{"exists":false}`
	wrong := func(code, field, text string) reply {
		return reply{400, code, field, `{"error":"` + text + `"}`}
	}
	noProgram := wrong("missing_field", "programId", "Program ID is required")
	noSlug := wrong("missing_field", "referralCode", "Referral code is required")
	for _, tt := range []struct {
		name, body string
		want       reply
	}{
		{"UnknownProgram", `{"programId":"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02","referralCode":"mara"}`, reply{200, "", "", exists}},
		{"ProgramInUpperCase", `{"programId":"` + strings.ToUpper(siteID) + `","referralCode":"mara"}`, reply{200, "", "", exists}},
		{"UnknownSlug", `{"programId":"` + siteID + `","referralCode":"nobody"}`, reply{200, "", "", exists}},
		{"SlugWithControlCharacter", `{"programId":"` + siteID + `","referralCode":"ma\u0000ra"}`, reply{200, "", "", exists}},
		{"SlugLookAlike", `{"programId":"` + siteID + `","referralCode":"mаra"}`, reply{200, "", "", exists}},
		{"ErrNoProgram", `{"referralCode":"mara"}`, noProgram},
		{"ErrNullProgram", `{"programId":null,"referralCode":"mara"}`, noProgram},
		{"ErrBlankProgram", `{"programId":" ","referralCode":"mara"}`, noProgram},
		{"ErrNoProgramBeforeSlugType", `{"referralCode":5}`, noProgram},
		{"ErrNothing", `{}`, noProgram},
		{"ErrProgramType", `{"programId":5}`, wrong("invalid_field", "programId", "programId must be a string")},
		{"ErrNoSlug", `{"programId":"` + siteID + `"}`, noSlug},
		{"ErrEmptySlug", `{"programId":"` + siteID + `","referralCode":"","uniqueClick":1}`, noSlug},
		{"ErrNoSlugOfUnknownProgram", `{"programId":"x"}`, noSlug},
		{"ErrKeyInOtherCase", `{"programID":"` + siteID + `","referralCode":"mara"}`, wrong("unknown_field", "programID", "Unknown field: programID")},
		{"ErrSlugType", `{"programId":"` + siteID + `","referralCode":7}`, wrong("invalid_field", "referralCode", "referralCode must be a string")},
		{"ErrUnique", named(`,"uniqueClick":"yes"`), wrong("invalid_field", "uniqueClick", "uniqueClick must be a boolean")},
		{"ErrLandingType", named(`,"fullLandingUrl":{}`), wrong("invalid_field", "fullLandingUrl", "fullLandingUrl must be a string")},
		{"ErrLandingControl", named(`,"fullLandingUrl":"https://a/\u0007"`), wrong("invalid_field", "fullLandingUrl", "fullLandingUrl contains invalid characters")},
		{"ErrDuplicate", named(`,"programId":"x"`), wrong("duplicate_field", "programId", "Duplicate field: programId")},
		{"ErrTrailing", named("") + "{}", wrong("invalid_json", "", "Unexpected data after JSON body")},
		{"ErrArray", `[]`, wrong("invalid_json", "", "Request body must be a JSON object")},
		{"ErrSurrogate", named(`,"deviceId":"\ud800"`), wrong("invalid_json", "", "Request body is not valid UTF-8")},
		{"ErrNoBody", ``, wrong("body_required", "", "Request body is required")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, replyOf(t, ask(h, click(tt.body))), cmp.AllowUnexported(reply{})); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
	if counted, stored := s.clicks(); counted != 0 || len(stored) != 0 {
		t.Errorf("%d clicks counted, %d stored", counted, len(stored))
	}
}

// TestTrackingGate: some requests are answered before their body is read.
func TestTrackingGate(t *testing.T) {
	s := newSite(t)
	typed := func(method, target, contentType string) *http.Request {
		r := httptest.NewRequest(method, target, strings.NewReader(`{"programId":"`+siteID+`","referralCode":"mara"}`))
		r.Header.Set("Content-Type", contentType)
		return r
	}
	limited := httpapi.Config{Limit: func(*http.Request) time.Duration { return 1500 * time.Millisecond }}
	for _, tt := range []struct {
		name   string
		cfg    httpapi.Config
		r      *http.Request
		status int
		code   string
		header http.Header
	}{
		{"ErrPlainText", httpapi.Config{}, typed("POST", clickPath, "text/plain;charset=UTF-8"), 415, "unsupported_media_type", nil},
		{"ErrTooLarge", httpapi.Config{MaxBody: 16}, typed("POST", clickPath, "application/json"), 413, "body_too_large", nil},
		{"ErrMethod", httpapi.Config{}, typed("GET", clickPath, ""), 405, "method_not_allowed", http.Header{"Allow": {"OPTIONS, POST"}}},
		{"ErrProgramMethod", httpapi.Config{}, typed("DELETE", programPath, ""), 405, "method_not_allowed", http.Header{"Allow": {"GET, HEAD, OPTIONS"}}},
		{"ErrPath", httpapi.Config{}, typed("POST", "/api/affiliates/capture-sale", "application/json"), 404, "not_found", nil},
		{"ErrPathSlash", httpapi.Config{}, typed("POST", clickPath+"/", "application/json"), 404, "not_found", nil},
		{"ErrPathEncoded", httpapi.Config{}, typed("POST", "/api/affiliates/add%2Dclick", "application/json"), 404, "not_found", nil},
		{"ErrAPIPath", httpapi.Config{}, typed("GET", "/api/v1/affiliates", ""), 404, "not_found", nil},
		{"ErrLimited", limited, typed("POST", clickPath, "application/json"), 429, "rate_limited", http.Header{"Retry-After": {"2"}}},
		{"ErrLimitedProgram", limited, typed("GET", programPath+"?programId="+siteID, ""), 429, "rate_limited", http.Header{"Retry-After": {"2"}}},
		{"PreflightClick", httpapi.Config{}, typed("OPTIONS", clickPath, ""), 204, "", http.Header{
			"Access-Control-Allow-Methods": {"OPTIONS, POST"}, "Access-Control-Allow-Headers": {"Content-Type"},
		}},
		{"PreflightProgram", httpapi.Config{}, typed("OPTIONS", programPath, ""), 204, "", http.Header{
			"Access-Control-Allow-Methods": {"GET, HEAD, OPTIONS"}, "Access-Control-Allow-Headers": {"Content-Type"},
		}},
		{"ErrPreflightPath", httpapi.Config{}, typed("OPTIONS", "/api/affiliates/", ""), 404, "not_found", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := ask(httpapi.Tracking(s.find, tt.cfg), tt.r)
			if res.StatusCode != tt.status || res.Header.Get("Error-Code") != tt.code {
				t.Errorf("%d %s, want %d %s", res.StatusCode, res.Header.Get("Error-Code"), tt.status, tt.code)
			}
			want := http.Header{"Access-Control-Allow-Origin": {"*"}, "Cache-Control": {"no-store"}}
			for name, values := range tt.header {
				want[name] = values
			}
			for name := range want {
				if diff := cmp.Diff(want[name], res.Header[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if body := bodyOf(t, res); tt.status == 204 && body != "" || tt.status != 204 && !strings.HasPrefix(body, `{"error":"`) {
				t.Errorf("body %q", body)
			}
		})
	}
	if counted, stored := s.clicks(); counted != 0 || len(stored) != 0 {
		t.Errorf("%d clicks counted, %d stored", counted, len(stored))
	}
}

// TestTrackingTakesNoKey: a key changes nothing, and no answer asks for one.
func TestTrackingTakesNoKey(t *testing.T) {
	s := newSite(t)
	r := click(`{"programId":"` + siteID + `","referralCode":"mara"}`)
	r.Header.Set("Authorization", "Basic whatever")
	if res := ask(s.tracking(), r); res.StatusCode != 200 || res.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

func TestTrackingProgram(t *testing.T) {
	s := newSite(t)
	h := s.tracking()
	wrong := func(code, field, text string) reply { return reply{400, code, field, `{"error":"` + text + `"}`} }
	for _, tt := range []struct {
		name, method, query string
		want                reply
		cache               string
	}{
		{"OK", "GET", "?x=1&programId=" + siteID, reply{200, "", "", `{"program":{"id":"` + siteID +
			`","name":"Northwind Beans","cookieDuration":30,"urlModifier":"ref","crossTrackingDomains":[],"enableDebugLogs":false}}`}, "public, max-age=300"},
		{"Head", "HEAD", "?programId=" + siteID, reply{200, "", "", ""}, "public, max-age=300"},
		{"Unknown", "GET", "?programId=nobody", reply{200, "", "", `{"exists":false}`}, "no-store"},
		{"ErrMissing", "GET", "", wrong("missing_field", "programId", "Program ID is required"), "no-store"},
		{"ErrEmpty", "GET", "?programId=", wrong("invalid_query", "programId", "Query parameter programId must not be empty"), "no-store"},
		{"ErrTwice", "GET", "?programId=a&programId=b", wrong("invalid_query", "programId", "Query parameter programId was given more than once"), "no-store"},
		{"ErrQuery", "GET", "?programId=%zz", wrong("invalid_query", "", "Invalid query string"), "no-store"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := ask(h, httptest.NewRequest(tt.method, programPath+tt.query, nil))
			if got := res.Header.Get("Cache-Control"); got != tt.cache {
				t.Errorf("Cache-Control %q, want %q", got, tt.cache)
			}
			if got := res.Header.Get("Access-Control-Allow-Origin"); got != "*" {
				t.Errorf("Access-Control-Allow-Origin %q", got)
			}
			if diff := cmp.Diff(tt.want, replyOf(t, res), cmp.AllowUnexported(reply{})); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTrackingLongTexts: a landing URL of 6 KiB is cut, and refused when it
// holds control characters.
func TestTrackingLongTexts(t *testing.T) {
	s := newSite(t)
	long := "https://beans.example/" + strings.Repeat("é", 3<<10)
	for _, tt := range []struct {
		name, landing string
		want          int
	}{
		{"Long", long, 200},
		{"LongQuery", "https://beans.example/?x=" + long, 200},
		{"ErrControl", long + "\x01", 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := must(json.Marshal(map[string]string{"programId": siteID, "referralCode": "mara", "fullLandingUrl": tt.landing}))
			if res := ask(s.tracking(), click(string(body))); res.StatusCode != tt.want {
				t.Errorf("status %d, want %d", res.StatusCode, tt.want)
			}
		})
	}
	counted, stored := s.clicks()
	if counted != 2 || len(stored) != 2 {
		t.Fatalf("%d clicks counted, %d stored", counted, len(stored))
	}
	// 512 bytes would cut an escape in two.
	want := []string{"https://beans.example/" + strings.Repeat("%C3%A9", 81) + "%C3", "https://beans.example/"}
	for i, rec := range stored {
		if rec.LandingURL != want[i] {
			t.Errorf("kept %d bytes, want %d", len(rec.LandingURL), len(want[i]))
		}
	}
}

// TestTrackingHeaderAgent: a malformed header of a browser never loses a click.
func TestTrackingHeaderAgent(t *testing.T) {
	s := newSite(t)
	r := click(`{"programId":"` + siteID + `","referralCode":"mara"}`)
	r.Header["User-Agent"] = []string{"Br\xffows\ter/1"}
	if res := ask(s.tracking(), r); res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
	if _, stored := s.clicks(); stored[0].UserAgent != "Browser/1" {
		t.Errorf("kept %q", stored[0].UserAgent)
	}
}

// holds compares the books with the ids that were given out.
func (s *site) holds(ids []int64) {
	s.t.Helper()
	counted, stored := s.clicks()
	if int(counted) != len(ids) || len(stored) != len(ids) {
		s.t.Errorf("%d clicks counted, %d stored, want %d", counted, len(stored), len(ids))
	}
	distinct := map[int64]bool{}
	for _, id := range ids {
		distinct[id] = true
	}
	for _, rec := range stored {
		if !distinct[rec.Number] {
			s.t.Errorf("click %d was given to nobody", rec.Number)
		}
	}
	if len(distinct) != len(ids) {
		s.t.Errorf("%d distinct ids of %d", len(distinct), len(ids))
	}
}

// TestOldParamsArePublished: pages and administrators learn the parameters of a former service,
// in which old links still come; a program without any says nothing.
func TestOldParamsArePublished(t *testing.T) {
	for want, old := range map[string][]string{`"urlModifier":"ref","oldUrlModifiers":["via","fpr"],`: {"via", "fpr"}, `"urlModifier":"ref","c`: nil} {
		p := newWorld(t, func(s *setup) { s.engine.OldParams = old })
		find := func(context.Context, string) (*tributary.Program, error) { return p.Program, nil }
		w := httptest.NewRecorder()
		httpapi.Tracking(find, httpapi.Config{}).ServeHTTP(w, httptest.NewRequest("GET", programPath+"?programId=x", nil))
		if said := w.Body.String(); !strings.Contains(said, want) {
			t.Errorf("pages are told %s", said)
		}
		if said := p.do("GET", "/api/v1/program", "").body; !strings.Contains(said, want) {
			t.Errorf("administrators are told %s", said)
		}
	}
}
