package woocommerce_test

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
	"github.com/tributary-go/tributary/pay/woocommerce"
)

// The blocks of docs/payments.md, for WooCommerce.

func mountWooCommerce(mux *http.ServeMux, program *tributary.Program, cfg woocommerce.Config) error {
	hook, err := woocommerce.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/woocommerce", hook)
	return nil
}

func orderMeta(program *tributary.Program, r *http.Request, cfg woocommerce.Config) (map[string]string, error) {
	return cfg.Carry(program, r, pay.Carried{}) // for POST /wp-json/wc/v3/orders, as meta_data
}

// TestDocsBlocks: the functions of docs/payments.md mount an endpoint and carry a visit to its order.
func TestDocsBlocks(t *testing.T) {
	s := newShop(t)
	visit := httptest.NewRequest(http.MethodPost, "/checkout", nil)
	visit.AddCookie(&http.Cookie{Name: "tributary_click_" + strings.ReplaceAll(shoptest.ID.String(), "-", ""), Value: "1"})
	mux := http.NewServeMux()
	if err := mountWooCommerce(mux, s.Program, config(s)); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, signed(carrying(load(s, "order"), shoptest.Must(orderMeta(s.Program, visit, config(s)))).JSON(), s.Now))
	shoptest.Same(t, "answer", w.Code, http.StatusOK)
	s.Want(s.Mara, "20.00")
}

// TestDocsLists: the guide names each topic, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	raw, err := os.ReadFile("../../docs/payments-woocommerce.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("map.go")
	if err != nil {
		t.Fatal(err)
	}
	names := append(woocommerce.Topics(), woocommerce.HeaderName, "_subscription_renewal", "key", "value", "unknown_event", "unpaid", "zero_amount", "currency")
	for _, m := range regexp.MustCompile(`Get\("(\w+)"|"(\w+_gmt)"|case ("[A-Za-z_", -]+)`).FindAllStringSubmatch(string(source), -1) {
		names = append(append(names, m[1], m[2]), regexp.MustCompile(`[\w-]+`).FindAllString(m[3], -1)...)
	}
	if len(names) < 60 {
		t.Errorf("%d names", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(raw), name) {
			t.Errorf("the guide does not name %s", name)
		}
	}
}
