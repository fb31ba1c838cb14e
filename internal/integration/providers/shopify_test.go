package providers_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	goshopify "github.com/bold-commerce/go-shopify/v4"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/shopify"
)

const shopSecret = "shpss_0123456789abcdef0123456789abcdef"

func shopSum(body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(shopSecret))
	mac.Write(body)
	return mac.Sum(nil)
}

// TestShopifyVerifies: of headers and bodies with a changed bit, this module and go-shopify take
// the same ones.
func TestShopifyVerifies(t *testing.T) {
	body, err := os.ReadFile("../../../pay/shopify/testdata/order.json")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 8))
	theirs, cfg := goshopify.App{ApiSecret: shopSecret}, shopify.Config{Config: adapter.Config{Secrets: adapter.Secrets{shopSecret}}}
	taken := 0
	for range 500 {
		b, signature := bytes.Clone(body), shopSum(body)
		switch random.IntN(4) {
		case 0:
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		case 1:
			signature[random.IntN(len(signature))] ^= 1 << random.IntN(8)
		case 2:
			signature = signature[:random.IntN(len(signature))]
		}
		r := httptest.NewRequest(http.MethodPost, "/webhooks/shopify", bytes.NewReader(b))
		r.Header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(signature))
		ours := shopify.Verify(r.Header, b, cfg) == nil
		if ours {
			taken++
		}
		if ours != theirs.VerifyWebhookRequest(r) {
			t.Fatalf("this module says %t, and go-shopify not", ours)
		}
	}
	if taken < 50 {
		t.Errorf("%d requests were taken: too few to compare", taken)
	}
}

// TestShopifyFields: go-shopify reads the same order in the recorded events.
func TestShopifyFields(t *testing.T) {
	for _, name := range []string{"order", "order_included", "order_refunded"} {
		body, err := os.ReadFile("../../../pay/shopify/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var order goshopify.Order
		if err := json.Unmarshal(body, &order); err != nil {
			t.Fatal(err)
		}
		a, err := shopify.Map(body, shopify.Config{})
		if err != nil {
			t.Fatal(err)
		}
		paid, ok := a.Payment.Sale.Get()
		if !ok || paid.TotalEarned != affiliate.MustAmount(order.TotalPrice.String()) || paid.Tax != affiliate.MustAmount(order.TotalTax.String()) ||
			string(a.Payment.Currency) != order.Currency || len(paid.Lines) != len(order.LineItems) || a.Payment.Payer.Email != order.Customer.Email {
			t.Errorf("%s: %+v, go-shopify has %s %s %s", name, paid, order.TotalPrice, order.TotalTax, order.Currency)
		}
		if len(a.Payment.Refunds) != len(order.Refunds) {
			t.Errorf("%s: %d refunds, want %d", name, len(a.Payment.Refunds), len(order.Refunds))
		}
	}
}
