package servertest

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/memstore"
)

// TestScenarios runs every scenario on the engine, on the engine over a store
// that runs every closure twice, through the client in process and through the
// client over TCP.
func TestScenarios(t *testing.T) {
	cfg := tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("15")}}
	engine := func(t *testing.T, store record.Store) *tributary.Program {
		t.Helper()
		p, err := tributary.New(store, cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Verify(context.WithoutCancel(t.Context())); err != nil {
				t.Errorf("Verify: %v", err)
			}
		})
		return p
	}
	handler := func(t *testing.T) *httpapi.Handler {
		t.Helper()
		h, err := httpapi.New(engine(t, memstore.New()), httpapi.Config{APIKeys: []string{"test-key-of-conformance"}})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	through := func(t *testing.T, base string, c client.Config) api.Operations {
		t.Helper()
		made, err := client.New(base, "test-key-of-conformance", c)
		if err != nil {
			t.Fatal(err)
		}
		return api.Of(made)
	}
	for _, row := range []struct {
		name string
		open func(t *testing.T) api.Operations
	}{
		{"engine", func(t *testing.T) api.Operations { return api.Of(engine(t, memstore.New())) }},
		{"engine on Rerun", func(t *testing.T) api.Operations { return api.Of(engine(t, conformance.Rerun(memstore.New()))) }},
		{"client in process", func(t *testing.T) api.Operations {
			return through(t, "http://conform.example", client.Config{Handler: handler(t)})
		}},
		{"client over TCP", func(t *testing.T) api.Operations {
			server := httptest.NewServer(handler(t))
			t.Cleanup(server.Close)
			return through(t, server.URL, client.Config{HTTP: server.Client()})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for i, sc := range scenarios() {
				t.Run(sc.name, func(t *testing.T) {
					x := (&suite{run: newRun()}).newExam(t.Context(), i)
					x.attempt(func() { sc.run(&scene{Operations: row.open(t), exam: x}) })
					x.cleanUp()
					for _, f := range x.failures {
						t.Errorf("rule: %s\n%s\nwant %s\ngot  %s", sc.rule, f.Request, f.Want, f.Got)
					}
				})
			}
		})
	}
}
