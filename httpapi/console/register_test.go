package console_test

import (
	"net/http"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi/console"
)

// TestRegister: the console stands beside a host whose pages are of one method, and answers there
// what it answers alone; the path without its slash leads to it.
func TestRegister(t *testing.T) {
	w := newWorld(t, func(_ *tributary.Config, cfg *console.Config) { cfg.Prefix = "/admin/" })
	w.fill("")
	mux := http.NewServeMux()
	host := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	mux.Handle("GET /", host)
	mux.Handle("POST /orders", host)
	w.desk.Register(mux)
	for target, status := range map[string]int{"/admin/": 200, "/admin/sales": 200, "/admin/none": 404, "/": 418, "/shop": 418} {
		if page := ask(mux, "GET", target, ""); page.status != status {
			t.Errorf("GET %s: %d", target, page.status)
		}
	}
	if page := ask(mux, "POST", "/admin/affiliates/new", ""); page.status != 403 {
		t.Errorf("a form of nobody: %d", page.status)
	}
	if page := ask(mux, "GET", "/admin", ""); page.status != 301 && page.status != 307 && page.status != 308 {
		t.Errorf("without a slash: %d", page.status)
	}
	if page := ask(mux, "DELETE", "/admin/sales", ""); page.status != 405 {
		t.Errorf("DELETE: %d", page.status)
	}
}
