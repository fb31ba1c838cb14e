package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// TestWebhooks: events are delivered, signed, to a receiver on this machine when
// the flag allows it.
func TestWebhooks(t *testing.T) {
	type delivery struct {
		header http.Header
		body   []byte
	}
	came := make(chan delivery, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		came <- delivery{r.Header, body}
	}))
	defer receiver.Close()
	subscribe := `/api/v1/webhooks -H 'Authorization: Bearer ` + testKey + `' -H 'Content-Type: application/json' -d '{"url":"` + receiver.URL + `","events":["affiliate.created"]}'`
	join := `/api/v1/affiliates -H 'Authorization: Bearer ` + testKey + `' -H 'Content-Type: application/json' -d '{"firstName":"Ada","lastName":"L","email":"ada@example.com"}'`

	s := start(t, "-key", testKey, "-allow-private-webhooks")
	call := func(s *runningServer, line string) (int, string) {
		r, err := request("curl "+s.url+line, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.do(r)
	}
	status, body := call(s, subscribe)
	_, secret, _ := strings.Cut(body, `"secret":"`)
	secret, _, _ = strings.Cut(secret, `"`)
	if status != 200 {
		t.Fatalf("subscribe: %d %s", status, body)
	}
	if status, body := call(s, join); status != 200 {
		t.Fatalf("join: %d %s", status, body)
	}
	got := <-came
	key, err := webhooks.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	verifier := webhooks.Verifier{Secrets: []affiliate.Secret{key}, Now: func() time.Time { return clock }}
	if _, err := verifier.Verify(got.header, got.body); err != nil || !strings.HasPrefix(string(got.body), `{"event":"affiliate.created",`) {
		t.Errorf("delivery %s: %v", got.body, err)
	}
	id := regexp.MustCompile(`"id":"([^"]*)"`).FindStringSubmatch(body)[1]
	go func() { <-came }()
	status, body = call(s, `/api/v1/webhooks/test -H 'Authorization: Bearer `+testKey+`' -H 'Content-Type: application/json' -d '{"webhookId":"`+id+`","event":"affiliate.created"}'`)
	if status != 200 || !strings.Contains(body, `"delivered":true`) {
		t.Errorf("test delivery: %d %s", status, body)
	}
	s.stop()

	closed := start(t, "-key", testKey)
	if status, body := call(closed, subscribe); status != 400 {
		t.Errorf("without the flag: %d %s", status, body)
	}
}

// TestWoken: a program wakes its sender, and the sender reads from the program.
func TestWoken(t *testing.T) {
	all, err := tenants(t.Context(), memstore.New(), settings{keys: []string{testKey}, rand: rand8()}, nil, "http://x.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Config().OnEvents == nil || all[0].sender.Outbox == nil {
		t.Error("the program and its sender do not know each other")
	}
}
