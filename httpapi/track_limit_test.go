package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
)

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
