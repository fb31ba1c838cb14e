package paddle_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paddle"
)

// The blocks of docs/payments-paddle.md.

func mountPaddle(mux *http.ServeMux, program *tributary.Program, cfg paddle.Config) error {
	hook, err := paddle.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/paddle", hook)
	return nil
}

func checkoutData(program *tributary.Program, r *http.Request, cfg paddle.Config, order string) (string, error) {
	data, err := cfg.Carry(program, r, pay.Carried{Order: order})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(data)
	return string(text), err // for Paddle.Checkout.open({customData: …})
}

func introduce(ctx context.Context, program *tributary.Program, customer, email, name string) error {
	return program.Payments().ReportPayer(ctx, "paddle", affiliate.PayerFact{ID: customer, Email: email, Name: name})
}

func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/payments-paddle.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocsBlocks: the blocks of the guide are the functions of this file, and do
// what it says.
func TestDocsBlocks(t *testing.T) {
	source, err := os.ReadFile("docs_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(guide(t), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		if strings.HasPrefix(b[1], "import (") {
			continue // TestPages of this module compiles the page
		}
		if !strings.Contains(string(source), b[1]) {
			t.Errorf("the block is no function of this file:\n%s", b[1])
		}
	}
	s := newShop(t)
	visit := httptest.NewRequest(http.MethodPost, "/checkout", nil)
	visit.AddCookie(&http.Cookie{Name: "tributary_click_" + strings.ReplaceAll(shoptest.ID.String(), "-", ""), Value: "1"})
	var data map[string]any
	if err := json.Unmarshal([]byte(shoptest.Must(checkoutData(s.Program, visit, s.config(), "order-7"))), &data); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := mountPaddle(mux, s.Program, paddle.Config{Config: adapter.Config{Secrets: []string{secret}, CarryKeys: shoptest.CarryKeys}}); err != nil {
		t.Fatal(err)
	}
	body := s.first("custom_data", data).JSON()
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, signedWith(paddle.Sign(secret, time.Now(), body), body))
	shoptest.Same(t, "answer", w.Code, http.StatusOK)
	shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("order-7"))
	shoptest.Same(t, "email before it is told", s.Referral().Email, "")
	if err := introduce(t.Context(), s.Program, "ctm_T", "tomas@example.net", "Tomas"); err != nil {
		t.Fatal(err)
	}
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("order-7"))
}

// TestDocsLists: the guide names each event, reason, action, status and origin that the code
// knows.
func TestDocsLists(t *testing.T) {
	names := append(paddle.Events(), "unknown_event", "covered_elsewhere", "zero_amount", "currency", "credit_balance", "no_customer", "inquiry")
	shoptest.Named(t, "payments-paddle.md", names, 10, `case ("[^:]+):`, "adjustment.go")
	shoptest.Named(t, "payments-paddle.md", nil, 3, `case ("[^:]+):`, "transaction.go")
}
