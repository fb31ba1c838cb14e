package pay_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/creem"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/generic"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
	"github.com/tributary-go/tributary/pay/paddle"
	"github.com/tributary-go/tributary/pay/polar"
	"github.com/tributary-go/tributary/pay/shopify"
	"github.com/tributary-go/tributary/pay/stripe"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

const (
	benchSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	paddleSecret = "pdl_ntfset_benchbenchbench"
)

// standardHeaders are those of Standard Webhooks with a key.
func standardHeaders(h http.Header, key, body []byte) {
	now := fmt.Sprint(time.Now().Unix())
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "msg_1.%s.%s", now, body)
	h.Set("webhook-id", "msg_1")
	h.Set("webhook-timestamp", now)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// base64Of is a signature in base64.
func base64Of(body []byte) string {
	mac := hmac.New(sha256.New, []byte(benchSecret))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// BenchmarkReport has for each provider what the report of a first payment costs, from the signed
// request to the answer, to a RecordSale of the same sale of another program in the same loop, in time and in allocations.
func BenchmarkReport(b *testing.B) {
	key, err := base64.StdEncoding.DecodeString(benchSecret[6:])
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Second)
	stamp := now.Format(time.RFC3339)
	quiet := adapter.Config{Secrets: adapter.Secrets{benchSecret}, CarryKeys: shoptest.CarryKeys, Logger: slog.New(slog.DiscardHandler)}
	event := func(name string, pairs ...any) func(i int, carried map[string]string) []byte {
		of := shoptest.Load(b, name)
		return func(i int, carried map[string]string) []byte {
			changed := make([]any, len(pairs))
			for n, value := range pairs {
				switch value {
				case "<id>":
					value = fmt.Sprint("pay_", i)
				case "<email>":
					value = fmt.Sprintf("c%d@customers.example", i)
				case "<customer>":
					value = fmt.Sprint("c", i)
				case "<carried>":
					value = carried
				case "<number>":
					value = i + 1
				case "<pairs>":
					list := []map[string]string{}
					for name, value := range carried {
						list = append(list, map[string]string{"name": name, "key": name, "value": value})
					}
					value = list
				}
				changed[n] = value
			}
			return of.With(changed...).JSON()
		}
	}
	for _, provider := range []struct {
		name    string
		handler func(p *tributary.Program) (http.Handler, error)
		body    func(i int, carried map[string]string) []byte
		sign    func(h http.Header, body []byte)
	}{
		{
			"stripe", func(p *tributary.Program) (http.Handler, error) {
				return stripe.Handler(p, stripe.Config{Config: adapter.Config{Secrets: adapter.Secrets{benchSecret}, CarryKeys: shoptest.CarryKeys, Logger: quiet.Logger}})
			},
			event("stripe/testdata/session_payment.json", "created", now.Unix(), "livemode", true, "data.object.id", "<id>", "data.object.payment_intent", "<id>", "data.object.customer", "<customer>", "data.object.customer_details.email", "<email>", "data.object.metadata", "<carried>"),
			func(h http.Header, body []byte) { h.Set(stripe.HeaderName, stripe.Sign(benchSecret, time.Now(), body)) },
		},
		{
			"paddle", func(p *tributary.Program) (http.Handler, error) {
				return paddle.Handler(p, paddle.Config{Config: adapter.Config{Secrets: adapter.Secrets{paddleSecret}, CarryKeys: shoptest.CarryKeys, Logger: quiet.Logger}})
			},
			event("paddle/testdata/transaction.json", "occurred_at", stamp, "data.id", "<id>", "data.invoice_id", nil, "data.customer_id", "<customer>", "data.custom_data", "<carried>"),
			func(h http.Header, body []byte) {
				h.Set(paddle.HeaderName, paddle.Sign(paddleSecret, time.Now(), body))
			},
		},
		{
			"polar", func(p *tributary.Program) (http.Handler, error) { return polar.Handler(p, quiet) },
			event("polar/testdata/order_paid.json", "timestamp", stamp, "data.id", "<id>", "data.invoice_number", "<id>", "data.customer.id", "<customer>", "data.customer.email", "<email>", "data.metadata", "<carried>"),
			func(h http.Header, body []byte) { standardHeaders(h, []byte(benchSecret), body) },
		},
		{
			"lemonsqueezy", func(p *tributary.Program) (http.Handler, error) {
				return lemonsqueezy.Handler(p, lemonsqueezy.Config{Config: quiet})
			},
			event("lemonsqueezy/testdata/order.json", "data.attributes.updated_at", stamp, "data.id", "<id>", "data.attributes.customer_id", "<customer>", "data.attributes.user_email", "<email>", "meta.custom_data", "<carried>"),
			func(h http.Header, body []byte) {
				mac := hmac.New(sha256.New, []byte(benchSecret))
				mac.Write(body)
				h.Set(lemonsqueezy.HeaderName, hex.EncodeToString(mac.Sum(nil)))
			},
		},
		{
			"dodo", func(p *tributary.Program) (http.Handler, error) { return dodo.Handler(p, quiet) },
			event("dodo/testdata/payment.json", "timestamp", stamp, "data.payment_id", "<id>", "data.invoice_id", "<id>", "data.customer.customer_id", "<customer>", "data.customer.email", "<email>", "data.metadata", "<carried>"),
			func(h http.Header, body []byte) { standardHeaders(h, key, body) },
		},
		{
			"creem", func(p *tributary.Program) (http.Handler, error) { return creem.Handler(p, creem.Config{Config: quiet}) },
			event("creem/testdata/checkout.json", "created_at", now.UnixMilli(), "object.order.updated_at", stamp, "object.order.transaction", "<id>", "object.customer.id", "<customer>", "object.customer.email", "<email>", "object.metadata", "<carried>"),
			func(h http.Header, body []byte) {
				mac := hmac.New(sha256.New, []byte(benchSecret))
				mac.Write(body)
				h.Set(creem.HeaderName, hex.EncodeToString(mac.Sum(nil)))
			},
		},
		{
			"shopify", func(p *tributary.Program) (http.Handler, error) {
				return shopify.Handler(p, shopify.Config{Config: quiet})
			},
			event("shopify/testdata/order.json", "updated_at", stamp, "processed_at", stamp, "id", "<number>", "customer.id", "<number>", "customer.email", "<email>", "note_attributes", "<pairs>"),
			func(h http.Header, body []byte) { h.Set(shopify.HeaderName, base64Of(body)) },
		},
		{
			"woocommerce", func(p *tributary.Program) (http.Handler, error) {
				return woocommerce.Handler(p, woocommerce.Config{Config: quiet})
			},
			event("woocommerce/testdata/order.json", "date_modified_gmt", stamp[:19], "date_paid_gmt", stamp[:19], "id", "<number>", "number", "<id>", "customer_id", "<number>", "billing.email", "<email>", "meta_data", "<pairs>"),
			func(h http.Header, body []byte) { h.Set(woocommerce.HeaderName, base64Of(body)) },
		},
		{
			"generic", func(p *tributary.Program) (http.Handler, error) { return generic.Handler(p, quiet) },
			func(i int, _ map[string]string) []byte {
				return fmt.Appendf(nil, `{"id":"r%d","type":"payment","at":%q,"provider":"acmepay","ids":["pay_%d"],"currency":"USD","customer":{"id":"c%d","email":"c%d@customers.example","name":"Tomas"},"paid":{"amount":"120","tax":"20","credit":[{"slug":"mara"}]}}`, i, stamp, i, i, i)
			},
			func(h http.Header, body []byte) { standardHeaders(h, key, body) },
		},
	} {
		b.Run(provider.name, func(b *testing.B) {
			ours, theirs := benchProgram(b), benchProgram(b)
			h, err := provider.handler(theirs)
			if err != nil {
				b.Fatal(err)
			}
			carried, err := quiet.Carry(theirs, nil, pay.Carried{Slug: "mara"})
			if err != nil {
				b.Fatal(err)
			}
			var report, sale time.Duration
			var before, between, after runtime.MemStats
			var reported, sold uint64
			for i := 0; b.Loop(); i++ {
				body := provider.body(i, carried)
				r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				provider.sign(r.Header, body)
				w := httptest.NewRecorder()
				if provider.name == "paddle" { // its payments have no email
					if err := theirs.Payments().ReportPayer(b.Context(), "paddle", affiliate.PayerFact{ID: fmt.Sprint("c", i), Email: fmt.Sprintf("c%d@customers.example", i), Name: "Tomas"}); err != nil {
						b.Fatal(err)
					}
				}
				runtime.ReadMemStats(&before)
				began := time.Now()
				h.ServeHTTP(w, r)
				report += time.Since(began)
				runtime.ReadMemStats(&between)
				if w.Code/100 != 2 {
					b.Fatal(w.Code, w.Body.String())
				}
				began = time.Now()
				_, err := ours.RecordSale(b.Context(), affiliate.SaleParams{
					TotalEarned: affiliate.MustAmount("120"), Tax: affiliate.MustAmount("20"), ReferralID: "mara", ExternalID: fmt.Sprint("pay_", i),
					Email: fmt.Sprintf("c%d@customers.example", i), Name: "Tomas",
				})
				sale += time.Since(began)
				runtime.ReadMemStats(&after)
				if err != nil {
					b.Fatal(err)
				}
				reported, sold = reported+between.Mallocs-before.Mallocs, sold+after.Mallocs-between.Mallocs
			}
			sales, err := theirs.Sales(b.Context(), affiliate.SaleQuery{}, affiliate.Page{})
			if err != nil || len(sales.Items) == 0 {
				b.Fatal("nothing was booked", err)
			}
			b.ReportMetric(float64(report)/float64(sale), "report/sale")
			b.ReportMetric(float64(reported)/float64(sold), "allocs/allocs")
		})
	}
}

// benchProgram is a program of 20 % with the affiliate Mara.
func benchProgram(b *testing.B) *tributary.Program {
	b.Helper()
	p, err := tributary.New(memstore.New(), tributary.Config{ID: shoptest.ID, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.CreateAffiliate(b.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: "mara@partners.example", AffiliateLink: "mara"}); err != nil {
		b.Fatal(err)
	}
	return p
}
