package shopify_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/shopify"
)

// The blocks of docs/payments.md, for Shopify.

func mountShopify(mux *http.ServeMux, program *tributary.Program, cfg shopify.Config) error {
	hook, err := shopify.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/shopify", hook)
	return nil
}

func cartAttributes(program *tributary.Program, r *http.Request, cfg shopify.Config) (map[string]string, error) {
	return cfg.Carry(program, r, pay.Carried{}) // for cartCreate of the Storefront API, as attributes, or customAttributes of a draft order
}

// TestDocsBlocks: the functions of docs/payments.md mount an endpoint and carry a visit to its order.
func TestDocsBlocks(t *testing.T) {
	s := newShop(t)
	visit := httptest.NewRequest(http.MethodPost, "/cart", nil)
	visit.AddCookie(&http.Cookie{Name: "tributary_click_" + strings.ReplaceAll(shoptest.ID.String(), "-", ""), Value: "1"})
	mux := http.NewServeMux()
	if err := mountShopify(mux, s.Program, config(s)); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, signed(carrying(load(s, "order"), shoptest.Must(cartAttributes(s.Program, visit, config(s)))).JSON(), s.Now))
	shoptest.Same(t, "answer", w.Code, http.StatusOK)
	s.Want(s.Mara, "20.00")
}

// TestDocsLists: the guide names each topic, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	raw, err := os.ReadFile("../../docs/payments-shopify.md")
	if err != nil {
		t.Fatal(err)
	}
	names := append(shopify.Topics(), shopify.HeaderName, "X-Shopify-Shop-Domain", "Order", "Refund", "OrderTransaction", "Customer", "refund", "presentment_money",
		"unknown_event", "unpaid", "zero_amount", "covered_elsewhere", "currency", "unit", "test_mode", "live_mode")
	for _, file := range []string{"map.go", "order.go", "refund.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`Get\("(\w+)"|"(\w+_(?:at|set|price|tax))"|case ("[A-Za-z_", ]+)`).FindAllStringSubmatch(string(source), -1) {
			names = append(append(names, m[1], m[2]), regexp.MustCompile(`\w+`).FindAllString(m[3], -1)...)
		}
	}
	if len(names) < 80 {
		t.Errorf("%d names", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(raw), name) {
			t.Errorf("the guide does not name %s", name)
		}
	}
}
