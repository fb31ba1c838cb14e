package main

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/pgstore/examples/cluster"
)

// ask sends a request with a key, and returns the status and the body.
func (s *running) ask(key, method, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestStoreDown: a wrong key and a refused code change nothing. While the database is
// down, the answers say so and nothing of the inside; the same server goes on with it, and
// the order that was sent again counts once.
func TestStoreDown(t *testing.T) {
	db, err := cluster.Start(t.Context(), true)
	if cluster.Missing(err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Stop() }()
	s := launch(t, "-store", db.URL())
	defer s.stop()
	s.call("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`)
	const order = `{"referralId":"ada","email":"c@example.net","name":"C","totalEarned":50,"externalId":"order-1"}`
	if status, body := s.ask("another-key-of-this-suite", "POST", "/api/v1/sales", order); status != 401 {
		t.Errorf("a wrong key: %d %s", status, body)
	}
	if status, body := s.ask(testKey, "POST", "/api/v1/sales", `{"promoCode":"NONE","totalEarned":50}`); status != 400 || !strings.Contains(body, "Promo code not found") {
		t.Errorf("a code that does not exist: %d %s", status, body)
	}

	if err := db.Kill(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/api/v1/sales": 500, "/readyz": 503, "/healthz": 200} {
		method, body := "GET", ""
		if path == "/api/v1/sales" {
			method, body = "POST", order
		}
		status, text := s.ask(testKey, method, path, body)
		if status != want || strings.Contains(text, "postgres") || strings.Contains(text, db.Dir()) {
			t.Errorf("%s without a database: %d %s", path, status, text)
		}
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, body := s.ask(testKey, "POST", "/api/v1/sales", order)
	for tries := 0; status == 500 && tries < 10; tries++ { // connections of before are broken
		status, body = s.ask(testKey, "POST", "/api/v1/sales", order)
	}
	if status != 200 {
		t.Errorf("with the database again: %d %s", status, body)
	}
	s.ask(testKey, "POST", "/api/v1/sales", order)
	if sales := s.call("GET", "/api/v1/sales", ""); strings.Count(sales, `"externalId":"order-1"`) != 1 || strings.Count(sales, `"totalEarned"`) != 1 {
		t.Errorf("sales %s", sales)
	}
}
