package app

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestClicksOfOneAddress: pages and scripts together record so many clicks of an address in a
// minute, however many it makes, and every page is answered.
func TestClicksOfOneAddress(t *testing.T) {
	for name, tt := range map[string]struct {
		limit string
		want  int
	}{"by default": {"0", 60}, "fewer requests": {"30", 30}, "no limit": {"-1", 100}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "-demo", "-key", testKey, "-limit", tt.limit)
			id := regexp.MustCompile(`program (\S+)`).FindStringSubmatch(s.output.String())[1]
			recorded := 0
			for i := range 50 {
				page, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/?ref=mara", nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := http.DefaultTransport.RoundTrip(page)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				if res.Body.Close(); res.StatusCode != 200 {
					t.Fatalf("page %d: %d", i, res.StatusCode)
				}
				if strings.Contains(res.Header.Get("Set-Cookie"), "tributary_click_") {
					recorded++
				}
				script, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/affiliates/add-click", strings.NewReader(fmt.Sprintf(`{"programId":%q,"referralCode":"mara"}`, id)))
				if err != nil {
					t.Fatal(err)
				}
				script.Header.Set("Content-Type", "application/json")
				if status, body := s.do(script); status == 200 && strings.Contains(body, `"click"`) {
					recorded++
				} else if status != 429 {
					t.Fatalf("click %d: %d %s", i, status, body)
				}
			}
			if recorded != tt.want {
				t.Errorf("%d clicks were recorded, want %d", recorded, tt.want)
			}
		})
	}
}
