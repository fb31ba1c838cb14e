package client_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
)

// newEngine is a program with a store of its own and a stopped clock, and its
// handler.
func newEngine(t testing.TB) (*tributary.Program, http.Handler) {
	t.Helper()
	p := must(tributary.New(memstore.New(), tributary.Config{
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		HouseCodes:   true,
		Now:          func() time.Time { return time.Date(2026, 3, 11, 9, 24, 18, 442e6, time.UTC) },
		Rand:         rand.NewChaCha8([32]byte{1}),
	}))
	return p, must(httpapi.New(p, httpapi.Config{APIKeys: []string{testKey}}))
}

// TestSameAsEngine makes the same random calls to two engines, to the second one through the
// client in process, over TCP and below a prefix: every answer and every refusal is the same.
// It is console check 23.
func TestSameAsEngine(t *testing.T) {
	doors := map[string]func(h http.Handler) *client.Client{
		"in process": func(h http.Handler) *client.Client {
			return must(client.New("http://tributary.test", testKey, client.Config{Handler: h}))
		},
		"TCP": func(h http.Handler) *client.Client { return overTCP(t, h, "") },
		"TCP, below a prefix": func(h http.Handler) *client.Client {
			return overTCP(t, http.StripPrefix("/a b", h), "/a%20b/")
		},
	}
	rapid.Check(t, func(rt *rapid.T) {
		door := doors[rapid.SampledFrom([]string{"in process", "TCP", "TCP, below a prefix"}).Draw(rt, "door")]
		twins.Play(rt, t, memstore.New(), memstore.New(), func(p *tributary.Program) api.Operations {
			return api.Of(door(must(httpapi.New(p, httpapi.Config{APIKeys: []string{testKey}}))))
		})
	})
}

// overTCP is a client of a server at a path.
func overTCP(t *testing.T, h http.Handler, path string) *client.Client {
	srv := httptest.NewServer(h)
	c := must(client.New(srv.URL+path, testKey, client.Config{}))
	t.Cleanup(func() {
		c.CloseIdleConnections()
		srv.Close()
	})
	return c
}

func jsonOf(v any) string { return string(must(json.Marshal(v))) }
