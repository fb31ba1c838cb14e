package polar_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/polar"
)

// The blocks of docs/payments.md, for Polar.

func mountPolar(mux *http.ServeMux, program *tributary.Program, cfg polar.Config) error {
	hook, err := polar.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/polar", hook)
	return nil
}

func checkoutMetadata(program *tributary.Program, r *http.Request, cfg polar.Config, order string) (map[string]string, error) {
	return cfg.Carry(program, r, pay.Carried{Order: order}) // for POST /v1/checkouts, as metadata
}

// TestDocsBlocks: the functions of docs/payments.md mount an endpoint and carry a visit to its order.
func TestDocsBlocks(t *testing.T) {
	s := newShop(t)
	visit := httptest.NewRequest(http.MethodPost, "/checkout", nil)
	visit.AddCookie(&http.Cookie{Name: "tributary_click_" + strings.ReplaceAll(shoptest.ID.String(), "-", ""), Value: "1"})
	carried := shoptest.Must(checkoutMetadata(s.Program, visit, config(s), "order-7"))
	metadata := map[string]any{}
	for key, value := range carried {
		metadata[key] = value
	}
	mux := http.NewServeMux()
	if err := mountPolar(mux, s.Program, config(s)); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := signed(load(s, "order_paid", "metadata", metadata).JSON(), s.Now)
	r.URL.Path = "/webhooks/polar"
	mux.ServeHTTP(w, r)
	shoptest.Same(t, "answer", w.Code, http.StatusNoContent)
	shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("order-7"))
	s.Want(s.Mara, "20.00")
}

// TestDocsLists: the guide names each event, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	raw, err := os.ReadFile("../../docs/payments-polar.md")
	if err != nil {
		t.Fatal(err)
	}
	guide, names := string(raw), polar.Events()
	source, err := os.ReadFile("map.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Get\("(\w+)"(?:, "(\w+)")?\)|case ("[A-Za-z_", ]+)`).FindAllStringSubmatch(string(source), -1) {
		names = append(append(names, m[1], m[2]), regexp.MustCompile(`\w+`).FindAllString(m[3], -1)...)
	}
	if len(names) < 70 {
		t.Errorf("%d names", len(names))
	}
	names = append(names, "unknown_event", "covered_elsewhere", "zero_amount", "currency", "unit", "no_customer")
	for _, name := range names {
		if !strings.Contains(guide, name) {
			t.Errorf("the guide does not name %s", name)
		}
	}
}
