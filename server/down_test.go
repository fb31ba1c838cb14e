package main

import (
	"strings"
	"testing"
)

// TestStoreDown: a wrong key and a refused code change nothing. While the database is
// down, the answers say so and nothing of the inside; the same server goes on with it, and
// the order that was sent again counts once.
func TestStoreDown(t *testing.T) {
	db := newCluster(t, true)
	s := launch(t, "-store", db.URL())
	defer s.stop()
	s.ada()
	if status, body := s.ask("another-key-of-this-suite", "POST", "/api/v1/sales", sale("order-1")); status != 401 {
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
			method, body = "POST", sale("order-1")
		}
		status, text := s.ask(testKey, method, path, body)
		if status != want || strings.Contains(text, "postgres") || strings.Contains(text, db.Dir()) {
			t.Errorf("%s without a database: %d %s", path, status, text)
		}
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, body := s.ask(testKey, "POST", "/api/v1/sales", sale("order-1"))
	for tries := 0; status == 500 && tries < 10; tries++ { // connections of before are broken
		status, body = s.ask(testKey, "POST", "/api/v1/sales", sale("order-1"))
	}
	if status != 200 {
		t.Errorf("with the database again: %d %s", status, body)
	}
	s.ask(testKey, "POST", "/api/v1/sales", sale("order-1"))
	s.sold("order-1")
}
