package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/internal/pasted"
)

// A wooShop is a shop with WooCommerce beside a server.
type wooShop struct {
	*runningServer
	page      []string    // the commands of the guide
	variables environment // that it exports
}

// newWooShop starts the server as the guide does, and makes what it makes.
func newWooShop(t *testing.T) *wooShop {
	w := &wooShop{page: pasted.Commands(t, "../docs/guide-woocommerce.md")}
	w.variables = pasted.Exports(t, w.page[0])
	w.runningServer = launchKeyless(t, w.variables, "-file", inFolder(t, "program.db"))
	t.Cleanup(w.stop)
	w.run(1)
	return w
}

// run runs a block of commands of the guide.
func (w *wooShop) run(block int) string {
	w.t.Helper()
	return pasted.Shell(w.t, strings.ReplaceAll(w.page[block], "http://127.0.0.1:8080", w.url), w.variables)
}

// tell sends an order that WooCommerce recorded, with changes, as of today and signed with a secret.
func (w *wooShop) tell(secret, order string, changes ...string) int {
	w.t.Helper()
	now := time.Now().UTC().Format("2006-01-02T15:04:05")
	body := strings.NewReplacer(append(changes, "mara20", "mara10", "2026-01-01T00:00:00", now)...).Replace(repository(w.t, "pay/woocommerce/testdata/"+order))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return w.post("/pay/woocommerce", http.Header{
		"X-Wc-Webhook-Signature": {base64.StdEncoding.EncodeToString(mac.Sum(nil))}, "X-Wc-Webhook-Topic": {"order.updated"},
	}, body)
}

// told is tell with the secret of the shop, and requires that the order is taken.
func (w *wooShop) told(order string, changes ...string) {
	w.t.Helper()
	if status := w.tell(w.variables["TRIBUTARY_WOOCOMMERCE_SECRET"], order, changes...); status != http.StatusOK {
		w.t.Errorf("%s: %d", order, status)
	}
}

// earned compares the commissions of all sales.
func (w *wooShop) earned(want ...string) {
	w.t.Helper()
	var sales []struct{ CommissionEarned json.Number }
	said := w.run(2)
	if err := json.Unmarshal([]byte(said), &sales); err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, sale := range sales {
		got = append(got, sale.CommissionEarned.String())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		w.t.Errorf("earned %v, want %v: %s", got, want, said)
	}
}

// TestWooGuide: an order with the coupon earns once, however often the shop tells it, and loses what is
// refunded. What somebody else signed counts for nothing, and so does an order that is not paid.
func TestWooGuide(t *testing.T) {
	w := newWooShop(t)
	if said := w.said.String(); !strings.Contains(said, "https://partners.shop.example/pay/woocommerce") {
		t.Errorf("the server does not say where the shop sends its webhooks:\n%s", said)
	}
	if status := w.tell("of somebody else", "order_coupon.json"); status != http.StatusUnauthorized {
		t.Errorf("signed by somebody else: %d", status)
	}
	w.told("order_coupon.json", `"date_paid_gmt": "2026-01-01T00:00:00"`, `"date_paid_gmt": null`, `"status": "processing"`, `"status": "pending"`)
	w.earned()
	for range 2 {
		w.told("order_coupon.json")
	}
	w.earned("23.5")
	if shown := `"commissionEarned":23.5`; !strings.Contains(w.run(2), shown) {
		t.Errorf("the guide shows %s", shown)
	}
	for range 2 {
		w.told("order_coupon.json", `"refunds": []`, `"refunds": [{"id": 741, "reason": "", "total": "-76.50"}]`)
	}
	w.earned("11.75")
}

// TestWooGuideLink: an order that carries the link by which the visitor came earns too.
func TestWooGuideLink(t *testing.T) {
	w := newWooShop(t)
	w.told("order.json", `"meta_data": [
  {
   "id": 9001,`, `"meta_data": [
  {"id": 9000, "key": "tributary_slug", "value": "mara"}, {"id": 8999, "key": "tributary_program", "value": "`+app.ProgramID+`"},
  {
   "id": 9001,`)
	w.earned("20")
}
