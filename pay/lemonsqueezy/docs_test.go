package lemonsqueezy_test

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
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
)

// The blocks of docs/payments.md, for Lemon Squeezy.

func mountLemonSqueezy(mux *http.ServeMux, program *tributary.Program, cfg lemonsqueezy.Config) error {
	hook, err := lemonsqueezy.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/lemonsqueezy", hook)
	return nil
}

func checkoutCustom(program *tributary.Program, r *http.Request, cfg lemonsqueezy.Config, order string) (map[string]string, error) {
	return cfg.Carry(program, r, pay.Carried{Order: order}) // for POST /v1/checkouts, as checkout_data.custom
}

// TestDocsBlocks: the functions of docs/payments.md mount an endpoint and carry a visit to its order.
func TestDocsBlocks(t *testing.T) {
	s := newShop(t)
	visit := httptest.NewRequest(http.MethodPost, "/checkout", nil)
	visit.AddCookie(&http.Cookie{Name: "tributary_click_" + strings.ReplaceAll(shoptest.ID.String(), "-", ""), Value: "1"})
	custom := map[string]any{}
	for key, value := range shoptest.Must(checkoutCustom(s.Program, visit, config(s), "order-7")) {
		custom[key] = value
	}
	mux := http.NewServeMux()
	if err := mountLemonSqueezy(mux, s.Program, config(s)); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, signed(load(s, "order", "/meta.custom_data", custom).JSON(), s.Now))
	shoptest.Same(t, "answer", w.Code, http.StatusOK)
	shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("order-7"))
	s.Want(s.Mara, "20.00")
}

// TestDocsLists: the guide names each event, field, value and reason that the code knows.
func TestDocsLists(t *testing.T) {
	raw, err := os.ReadFile("../../docs/payments-lemonsqueezy.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("map.go")
	if err != nil {
		t.Fatal(err)
	}
	names := lemonsqueezy.Events()
	for _, m := range regexp.MustCompile(`Get\("(\w+)"\)|case (t == )?("[A-Za-z_", ]+)`).FindAllStringSubmatch(string(source), -1) {
		names = append(append(names, m[1]), regexp.MustCompile(`\w+`).FindAllString(m[3], -1)...)
	}
	if len(names) < 60 {
		t.Errorf("%d names", len(names))
	}
	names = append(names, "unknown_event", "covered_elsewhere", "unpaid", "zero_amount", "currency", "unit", "test_mode", "live_mode", "no_customer")
	for _, name := range names {
		if !strings.Contains(string(raw), name) {
			t.Errorf("the guide does not name %s", name)
		}
	}
}
