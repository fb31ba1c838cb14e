package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestRedirects (B470): redirects to another host, to plain http and to the
// same URL are not followed. Only the first server gets the key.
func TestRedirects(t *testing.T) {
	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Method+" "+r.Header.Get("Authorization"))
	}))
	defer thief.Close()
	hits := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits++
		to := r.URL.Query().Get("id")
		if to == "itself" {
			to = r.URL.String()
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	c := must(client.New(srv.URL, testKey, client.Config{}))
	defer c.CloseIdleConnections()
	for _, to := range []string{thief.URL, "//" + strings.TrimPrefix(thief.URL, "http://") + "/x", "http://localhost/", "itself", ":"} {
		hits = 0
		e := failure(t, errOf(c.Affiliate(t.Context(), to)))
		if e.Status != http.StatusTemporaryRedirect || e.Attempts != 1 || hits != 1 || e.Header.Get("Location") == "" {
			t.Errorf("to %s: status %d after %d attempts, %d arrived", to, e.Status, e.Attempts, hits)
		}
	}
	if stolen != nil {
		t.Errorf("somebody else was asked: %q", stolen)
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func (zeros) Close() error { return nil }

// allocated is how many bytes fn allocates.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestEndlessBody (B472) ends at the limit, in bounded memory.
func TestEndlessBody(t *testing.T) {
	for _, size := range []int64{-1, 1 << 40} {
		w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
			resp := reply(200, "")
			resp.Body, resp.ContentLength = zeros{}, size
			return resp, nil
		}}
		c := w.client(t, func(cfg *client.Config) { cfg.MaxBody = 1 << 20 })
		var err error
		used := allocated(func() { err = errOf(c.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})) })
		e := failure(t, err)
		if e.Status != 200 || e.Attempts != 1 || len(e.Body) != 64<<10 || !strings.Contains(err.Error(), "longer than 1048576 bytes") {
			t.Errorf("got %.200v with %d bytes", err, len(e.Body))
		}
		if used > 16<<20 {
			t.Errorf("%d bytes allocated for a limit of 1 MiB", used)
		}
	}
}

// TestLongError (B468): the body of an error is cut at 64 KiB.
func TestLongError(t *testing.T) {
	w := always(400, `{"error":"`+strings.Repeat("x", 10<<20)+`"}`, "Error-Code", "invalid_field")
	e := failure(t, errOf(w.client(t).Sale(t.Context(), 1)))
	if len(e.Body) != 64<<10 || e.Status != 400 || !errors.Is(e, affiliate.InvalidField) || e.Err.Message != "Bad Request" {
		t.Errorf("%d bytes, %d %s %q", len(e.Body), e.Status, e.Err.Reason, e.Err.Message)
	}
}

// TestErrorBodyBreaksOff: the status of an error is enough, when its body
// fails.
func TestErrorBodyBreaksOff(t *testing.T) {
	w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
		resp := reply(400, "", "Error-Code", "slug_taken", "Error-Field", "link")
		resp.Body = &brokenBody{strings.NewReader(`{"error":"This`), io.ErrUnexpectedEOF}
		return resp, nil
	}}
	e := failure(t, errOf(w.client(t).CreateLink(t.Context(), affiliate.LinkParams{})))
	if e.Attempts != 1 || e.Err.Kind != affiliate.KindConflict || e.Err.Field != "link" || string(e.Body) != `{"error":"This` {
		t.Errorf("got %v with %q", e, e.Body)
	}
}

// TestTrickle (B472): a body that arrives byte by byte is given up at the
// timeout.
func TestTrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: func(_ int, r *http.Request) (*http.Response, error) {
			resp := reply(200, "")
			resp.Body, resp.ContentLength = trickle{r.Context()}, -1
			return resp, nil
		}}
		begin := time.Now()
		e := failure(t, errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Sale(t.Context(), 1)))
		if took := time.Since(begin); took != 10*time.Second || !errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("%v after %v", e, took)
		}
	})
}

type trickle struct{ ctx context.Context }

func (s trickle) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

func (s trickle) Close() error { return nil }

// TestCompressedBody: a small compressed answer that is large when unpacked is
// cut too.
func TestCompressedBody(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	zip.Write(bytes.Repeat([]byte(" "), 4<<20))
	zip.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	}))
	defer srv.Close()
	c := must(client.New(srv.URL, testKey, client.Config{MaxBody: 1 << 20}))
	defer c.CloseIdleConnections()
	if e := failure(t, errOf(c.Sale(t.Context(), 1))); !strings.Contains(e.Error(), "longer than") {
		t.Errorf("got %v", e)
	}
}

// TestNewerServer (B471): the client accepts fields and values that it does not
// know.
func TestNewerServer(t *testing.T) {
	w := always(200, `{"id":5107,"status":"ON_THE_MOON","source":null,"brandNew":{"a":[1]},"totalEarned":12.50000,
		"affiliate":{"status":"ASLEEP","new":1},"commissions":[{"id":1,"approvalStatus":"MAYBE","x":null}]}`,
		"Content-Type", "application/vnd.hosted+json")
	got := must(w.client(t).Sale(t.Context(), 5107))
	want := affiliate.Sale{
		ID: 5107, Status: "ON_THE_MOON", TotalEarned: affiliate.MustAmount("12.5"),
		Affiliate:   affiliate.AffiliateSummary{Status: "ASLEEP"},
		Commissions: []affiliate.Commission{{ID: 1, ApprovalStatus: "MAYBE"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !got.UpdatedAt.IsZero() || !got.ReferralID.IsZero() {
		t.Error("missing fields are not zero")
	}
}

// TestWrongShape (B466): every method survives an answer of another shape, with
// one attempt and the status.
func TestWrongShape(t *testing.T) {
	for _, body := range []string{``, `{`, `"text"`, `5`, `true`, `{"id":{}} {}`, `[{"id":[],"affiliateId":[],"start":[],"from":[],"value":[]}]`, `{"id":"x","count":"x"}`, "\xff", `<html>`, "\xef\xbb\xbf{}"} {
		for _, inv := range invocations() {
			w := always(200, body)
			err := inv.call(t.Context(), w.client(t))
			if err == nil {
				if body != `{"id":"x","count":"x"}` { // no method of these reads an answer
					t.Errorf("%s took %q for an answer", inv.name, body)
				}
				continue
			}
			if e := failure(t, err); e.Status != 200 || len(w.seen) != 1 || string(e.Body) != body || e.Err.Kind != affiliate.KindInternal {
				t.Errorf("%s on %q: %v", inv.name, body, e)
			}
		}
	}
}

// TestErrorAsSuccess: no method takes the body of an error for an answer, whatever
// its status.
func TestErrorAsSuccess(t *testing.T) {
	for _, body := range []string{`{"error":"Not today"}`, " {\n \"error\" : \"\" } "} {
		for _, inv := range invocations() {
			w := always(200, body)
			err := inv.call(t.Context(), w.client(t))
			if err == nil {
				t.Errorf("%s took %q for an answer", inv.name, body)
				continue
			}
			if e := failure(t, err); e.Status != 200 || len(w.seen) != 1 || e.Err.Kind != affiliate.KindInternal {
				t.Errorf("%s on %q: %v", inv.name, body, e)
			}
		}
	}
}

// TestNull: null means not found for methods that look something up, and is an
// unreadable answer for all others.
func TestNull(t *testing.T) {
	misses := map[string]bool{
		"Affiliate": true, "Coupon": true, "Code": true, "Referral": true, "CreateReferral": true,
		"Sale": true, "Endpoint": true, "Delivery": true, "Payout": true, "Adjustment": true, "Balance": true, "PayoutRun": true, "ExplainSale": true, "Hold": true,
		"Plan": true, "Tier": true, "TrackClick": true,
	}
	fine := map[string]bool{
		"RecordSale": true, "RecordConversion": true, "Affiliates": true, "Links": true, "Coupons": true, "Codes": true, "Referrals": true, "Sales": true,
		"Endpoints": true, "Deliveries": true, "Events": true, "EventsAfter": true, "Follow": true, "Payouts": true, "Transfers": true, "PayoutRuns": true, "PayoutLines": true, "Balances": true, "RankedBalances": true, "Movements": true, "Report": true, "Breakdown": true, "Adjustments": true,
		"Plans": true, "Tiers": true,
	}
	for _, inv := range invocations() {
		err := inv.call(t.Context(), always(200, " null\n").client(t))
		switch {
		case misses[inv.name] && err != affiliate.ErrNotFound, fine[inv.name] && err != nil:
			t.Errorf("%s: %v", inv.name, err)
		case !misses[inv.name] && !fine[inv.name]:
			if e := failure(t, err); e.Status != 200 || errors.Is(err, affiliate.ErrNotFound) {
				t.Errorf("%s: %v", inv.name, err)
			}
		}
	}
}

// TestEscapes (B474): an identifier with any characters is sent as one value.
func TestEscapes(t *testing.T) {
	for _, ident := range []string{"a/../b?x=1#y", "a&id=b", "%2e%2e%2f", "a+b c", "..", "é\x00\n", "a;b", "[]{}"} {
		w := &wire{}
		if _, err := w.client(t).Affiliate(t.Context(), ident); err != affiliate.ErrNotFound {
			t.Fatal(err)
		}
		u := w.seen[0].URL
		if u.Path != "/api/v1/affiliates" || u.Fragment != "" || len(u.Query()) != 1 || u.Query().Get("id") != ident {
			t.Errorf("%q became %s", ident, u)
		}
	}
}
