package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/refusal"
)

func TestTrackingClick(t *testing.T) {
	s := newSite(t)
	r := click(`{"programId":"` + siteID + `","referralCode":"mARA","fullLandingUrl":"https://beans.example/?ref=mARA",
		"documentReferrer":"https://blog.example/","deviceId":"d-1","ipAddress":"192.0.2.7","country":"NO","uniqueClick":null}`)
	r.Header.Set("User-Agent", "Browser/1")
	r.Header.Set("Amounts", "x") // which only the API reads
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

// TestTrackingFailures: an internal error is answered 500 with a fixed text.
func TestTrackingFailures(t *testing.T) {
	s := newSite(t)
	s.broken.Store(true)
	for _, tt := range []struct {
		name, logged string
		find         func(context.Context, string) (*tributary.Program, error)
	}{
		{"Store", storeText, s.find},
		{"Find", storeText, func(context.Context, string) (*tributary.Program, error) { return nil, storeError(storeText) }},
		{"FindGivesNothing", "find gave no program", func(context.Context, string) (*tributary.Program, error) { return nil, nil }},
		{"Panic", "stack=", func(context.Context, string) (*tributary.Program, error) { panic(storeText) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var logged bytes.Buffer
			h := httpapi.Tracking(tt.find, httpapi.Config{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			want := reply{500, "internal_error", "", `{"error":"Internal server error"}`}
			res := ask(h, click(`{"programId":"`+siteID+`","referralCode":"mara"}`))
			if diff := cmp.Diff(want, replyOf(t, res), cmp.AllowUnexported(reply{})); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if !strings.Contains(logged.String(), "POST /api/affiliates/add-click") || !strings.Contains(logged.String(), tt.logged) {
				t.Errorf("log: %q", logged.String())
			}
		})
	}
	notThere := httpapi.Tracking(func(context.Context, string) (*tributary.Program, error) {
		return nil, fmt.Errorf("look up: %w", refusal.RefuseProgram.Err())
	}, httpapi.Config{})
	if body := bodyOf(t, ask(notThere, click(`{"programId":"`+siteID+`","referralCode":"mara"}`))); body != `{"exists":false}` {
		t.Errorf("a wrapped not-found answers %s", body)
	}
}

// TestTrackingMounted: the endpoints work below a prefix of a mux, and with
// exact patterns beside a catch-all that names a method.
func TestTrackingMounted(t *testing.T) {
	s := newSite(t)
	prefix, exact := http.NewServeMux(), http.NewServeMux()
	prefix.Handle("/api/affiliates/", s.tracking())
	exact.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, method := range []string{http.MethodPost, http.MethodOptions} {
		exact.Handle(method+" "+clickPath, s.tracking())
	}
	stripped := http.StripPrefix("/partners", s.tracking())
	for name, tt := range map[string]struct {
		h    http.Handler
		path string
	}{"Prefix": {prefix, clickPath}, "Exact": {exact, clickPath}, "Stripped": {stripped, "/partners" + clickPath}} {
		t.Run(name, func(t *testing.T) {
			for method, want := range map[string]int{http.MethodPost: 200, http.MethodOptions: 204} {
				r := httptest.NewRequest(method, tt.path, strings.NewReader(`{"programId":"`+siteID+`","referralCode":"mara"}`))
				r.Header.Set("Content-Type", "application/json")
				if res := ask(tt.h, r); res.StatusCode != want {
					t.Errorf("%s: %d, want %d", method, res.StatusCode, want)
				}
			}
		})
	}
}

// TestTrackingManyPrograms: the slug of one program is unknown in another.
func TestTrackingManyPrograms(t *testing.T) {
	s := newSite(t)
	cfg := s.Config()
	cfg.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02")
	other := must(tributary.New(s.store, cfg))
	h := httpapi.Tracking(func(_ context.Context, id string) (*tributary.Program, error) {
		if id == cfg.ID.String() {
			return other, nil
		}
		return s.find(t.Context(), id)
	}, httpapi.Config{})
	if body := bodyOf(t, ask(h, click(`{"programId":"`+cfg.ID.String()+`","referralCode":"mara"}`))); body != `{"exists":false}` {
		t.Errorf("answer %s", body)
	}
	if counted, stored := s.clicks(); counted != 0 || len(stored) != 0 {
		t.Errorf("%d clicks counted, %d stored", counted, len(stored))
	}
}

func TestTrackingMistakes(t *testing.T) {
	s := newSite(t)
	for name, make := range map[string]func(){
		"NoFind":      func() { httpapi.Tracking(nil, httpapi.Config{}) },
		"Keys":        func() { httpapi.Tracking(s.find, httpapi.Config{APIKeys: []string{"k"}}) },
		"NegativeMax": func() { httpapi.Tracking(s.find, httpapi.Config{MaxBody: -1}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			make()
		})
	}
}

// trackLimit is how long a body of add-click may be.
const trackLimit = 8 << 10

// TestTrackingLimit: the body of a public call may have a few KiB, whether its
// length is declared or not, unless the host sets another limit.
func TestTrackingLimit(t *testing.T) {
	s := newSite(t)
	sized := func(size int) string {
		head := `{"programId":"` + siteID + `","referralCode":"mara","x":"`
		return head + strings.Repeat("x", size-len(head)-2) + `"}`
	}
	for _, tt := range []struct {
		name    string
		maxBody int64
		size    int
		want    int
	}{
		{"Longest", 0, trackLimit, 200},
		{"ErrLonger", 0, trackLimit + 1, 413},
		{"HostAllowsMore", 64 << 10, 64 << 10, 200},
		{"ErrHostAllowsMore", 64 << 10, 64<<10 + 1, 413},
		{"ErrHostAllowsLess", 512, 513, 413},
	} {
		for _, declared := range []bool{true, false} {
			r := click(sized(tt.size))
			if !declared {
				r.ContentLength = -1
			}
			res := ask(httpapi.Tracking(s.find, httpapi.Config{MaxBody: tt.maxBody}), r)
			if res.StatusCode != tt.want {
				t.Errorf("%s: status %d, want %d; declared: %v", tt.name, res.StatusCode, tt.want, declared)
			}
		}
	}
}

// TestTrackingUnread: the handler stops reading a body as soon as it is too
// long.
func TestTrackingUnread(t *testing.T) {
	s := newSite(t)
	endless := &spaceBody{}
	r := click("")
	r.Body, r.ContentLength = io.NopCloser(endless), -1
	if res := ask(s.tracking(), r); res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
	if endless.n > 2*trackLimit {
		t.Errorf("%d bytes were read", endless.n)
	}
}

// spaceBody is a body of spaces without end.
type spaceBody struct{ n int }

// Read gives what is asked for.
func (c *spaceBody) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	c.n += len(p)
	return len(p), nil
}

// TestTrackingDeadline: a request does not wait for long, whether the store
// hangs or the host's find.
func TestTrackingDeadline(t *testing.T) {
	hangs := func(ctx context.Context, _ string) (*tributary.Program, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.slow.Store(true)
		body := `{"programId":"` + siteID + `","referralCode":"mara"}`
		for name, tt := range map[string]struct {
			h http.Handler
			r *http.Request
		}{
			"Store":       {s.tracking(), click(body)},
			"Find":        {httpapi.Tracking(hangs, httpapi.Config{}), click(body)},
			"FindProgram": {httpapi.Tracking(hangs, httpapi.Config{}), visitTo(programPath + "?programId=" + siteID)},
		} {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			got := replyOf(t, ask(tt.h, tt.r.WithContext(ctx)))
			cancel()
			want := reply{500, "internal_error", "", `{"error":"Internal server error"}`}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(reply{})); diff != "" {
				t.Errorf("%s: answer (-want +got):\n%s", name, diff)
			}
			if took := time.Since(start); took != 3*time.Second {
				t.Errorf("%s: answered after %v", name, took)
			}
		}
	})
}

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
