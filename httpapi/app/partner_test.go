package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestPartnerPages: an affiliate's pages open with a token of the API, each
// program's with its own, and nothing else opens them.
func TestPartnerPages(t *testing.T) {
	keys := []string{"key-of-the-first-shop", "key-of-the-second-shop"}
	s := start(t, "-key", keys[0], "-key", keys[1])
	post := func(key, path, body string) map[string]any {
		r, _ := http.NewRequest("POST", s.url+"/api/v1"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		status, answer := s.do(r)
		var fields map[string]any
		if err := json.Unmarshal([]byte(answer), &fields); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
		return fields
	}
	for i, name := range []string{"Ada", "Grace"} {
		id := post(keys[i], "/affiliates", `{"firstName":"`+name+`","lastName":"L","email":"a@example.com"}`)["id"].(string)
		target := post(keys[i], "/partner/token", `{"affiliateId":"`+id+`"}`)["url"].(string)
		if !strings.HasPrefix(target, s.url+partnerPath+"enter?token=") {
			t.Fatalf("the URL is %s", target)
		}
		r, _ := http.NewRequest("GET", target, nil)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 1 {
			t.Fatalf("%v %v", res, err)
		}
		res.Body.Close()
		r, _ = http.NewRequest("GET", s.url+partnerPath, nil)
		if status, _ := s.do(r); status != http.StatusForbidden {
			t.Errorf("without a visit: %d", status)
		}
		r.AddCookie(res.Cookies()[0])
		if status, page := s.do(r); status != http.StatusOK || !strings.Contains(page, "Hello <bdi>"+name+" L</bdi>") {
			t.Errorf("%s: %d %s", name, status, page)
		}
	}
}

// TestPublicURL: behind a proxy the pages for affiliates open under the URL of the proxy,
// and links lead there too unless a destination is named.
func TestPublicURL(t *testing.T) {
	const public = "https://partners.shop.example/tributary"
	s := start(t, "-key", testKey, "-url", public)
	call := func(method, path, body string) string {
		r, _ := http.NewRequest(method, s.url+"/api/v1"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		status, answer := s.do(r)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
		return answer
	}
	var ada struct{ ID string }
	if err := json.Unmarshal([]byte(call("POST", "/affiliates", `{"firstName":"Ada","lastName":"L","email":"a@example.com"}`)), &ada); err != nil {
		t.Fatal(err)
	}
	if got := call("POST", "/partner/token", `{"affiliateId":"`+ada.ID+`"}`); !strings.Contains(got, `"`+public+`/partner/enter?token=`) {
		t.Errorf("the pages open at %s", got)
	}
	if got := call("GET", "/links", ""); !strings.Contains(got, `"`+public+`/?ref=a"`) {
		t.Errorf("links lead elsewhere: %s", got)
	}
}
