package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/benchkit"
)

// The benchmarks run a call through the client and the same call by hand in
// turn, as package benchkit says, against one server. The server does almost no
// work, so that it does not hide the difference.

const saleJSON = `{"id":5107,"affiliateId":"0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01","referralId":"0197d9c2-9f00-7a41-8c3d-aabbccddeeff",
"affiliateProgramId":"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01","affiliateLinkId":null,"promotionalCodeId":"0197d9b1-44aa-7c9e-b0f3-1122334455aa",
"externalId":"order-5581","externalInvoiceId":null,"name":"Tomas Berg","email":"tomas@example.net","totalEarned":129.5,"taxAmount":9.5,
"shippingAmount":0,"commissionRate":20,"commissionEarned":24,"productsBought":["beans-1kg"],"clicks":1,"status":"ACTIVE","refundedAmount":0,
"refundedAt":null,"paymentTrigger":"PURCHASE","source":"API","integrationSalesSource":null,"metadata":null,
"createdAt":"2026-03-11T09:24:18.442Z","updatedAt":"2026-03-11T09:24:18.442Z","affiliate":{"id":"0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01",
"firstName":"Mara","lastName":"Lindqvist","name":"Mara Lindqvist","email":"mara@example.org","status":"ACTIVE","link":null,"affiliateLinks":[]},
"referral":null,"commissions":[{"id":7311,"saleId":5107,"affiliateId":"0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01","commissionEarned":24,
"approvalStatus":"ACCEPTED","rewardType":"CASH","payoutCreated":false,"payoutId":null,"manuallyPaid":false,"holdReason":null,
"bonusReason":null,"createdAt":"2026-03-11T09:24:18.442Z","updatedAt":"2026-03-11T09:24:18.442Z"}]}`

var benchSale = affiliate.SaleParams{
	Once: affiliate.Once{Key: "order-5581"}, PromoCode: "mara20", Email: "tomas@example.net",
	TotalEarned: affiliate.MustAmount("129.50"), Tax: affiliate.MustAmount("9.50"), ExternalID: "order-5581",
}

// bare answers every request with the same sale.
func bare(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Sale-Outcome", "recorded")
	io.WriteString(w, saleJSON)
}

// byHand is a POST of a sale as one writes it without this client.
func byHand(ctx context.Context, hc *http.Client, base string) (affiliate.Sale, error) {
	body, err := json.Marshal(benchSale)
	if err != nil {
		return affiliate.Sale{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/v1/sales", bytes.NewReader(body))
	if err != nil {
		return affiliate.Sale{}, err
	}
	setHeaders(req.Header)
	resp, err := hc.Do(req)
	if err != nil {
		return affiliate.Sale{}, err
	}
	return readSale(resp)
}

// byRetryable is byHand through go-retryablehttp.
func byRetryable(ctx context.Context, rc *retryablehttp.Client, base string) (affiliate.Sale, error) {
	body, err := json.Marshal(benchSale)
	if err != nil {
		return affiliate.Sale{}, err
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, base+"/api/v1/sales", body)
	if err != nil {
		return affiliate.Sale{}, err
	}
	setHeaders(req.Header)
	resp, err := rc.Do(req)
	if err != nil {
		return affiliate.Sale{}, err
	}
	return readSale(resp)
}

func setHeaders(h http.Header) {
	h.Set("Authorization", "Bearer "+testKey)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("User-Agent", "by-hand")
	h.Set("Idempotency-Key", benchSale.Key)
}

func readSale(resp *http.Response) (affiliate.Sale, error) {
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if err != nil {
		return affiliate.Sale{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return affiliate.Sale{}, errors.New(resp.Status)
	}
	var sale affiliate.Sale
	return sale, json.Unmarshal(raw, &sale)
}

// recordingTransport is a transport to a handler as one writes it by hand.
type recordingTransport struct{ http.Handler }

func (h recordingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// A way is one way to make the call.
type way struct {
	name string
	call func()
}

// ways are the calls by hand and the client's on the same kind of connection.
func ways(tb testing.TB, base string, transport func() http.RoundTripper, cfg client.Config) []way {
	ctx := context.Background()
	hc := &http.Client{Timeout: 10 * time.Second, Transport: transport()}
	rc := retryablehttp.NewClient()
	rc.HTTPClient, rc.Logger = &http.Client{Timeout: 10 * time.Second, Transport: transport()}, nil
	c := must(client.New(base, testKey, cfg))
	tb.Cleanup(func() {
		hc.CloseIdleConnections()
		rc.HTTPClient.CloseIdleConnections()
		c.CloseIdleConnections()
	})
	return []way{
		{"net/http", func() { must(byHand(ctx, hc, base)) }},
		{"retryablehttp", func() { must(byRetryable(ctx, rc, base)) }},
		{"client", func() { must(c.RecordSale(ctx, benchSale)) }},
	}
}

// compare measures the last way against each of the others.
func compare(b *testing.B, n int, all []way) {
	b.Helper()
	var others []benchkit.Side
	for _, w := range all[:len(all)-1] {
		others = append(others, benchkit.Side{Name: w.name, Run: benchkit.Each(w.call)})
	}
	benchkit.Compare(b, n, benchkit.Each(all[len(all)-1].call), others...)
}

// BenchmarkCallTCP is a sale over loopback (P11: ≤ 1.15× and +12 allocations
// over go-retryablehttp).
func BenchmarkCallTCP(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(bare))
	defer srv.Close()
	own := func() http.RoundTripper { return &http.Transport{MaxIdleConnsPerHost: 64} }
	compare(b, 400, ways(b, srv.URL, own, client.Config{}))
}

// TestAllocations limits how many more allocations the client needs than
// go-retryablehttp by hand (P11). Both use the same transport.
func TestAllocations(t *testing.T) {
	same := recordingTransport{http.HandlerFunc(bare)}
	all := ways(t, testBase, func() http.RoundTripper { return same }, client.Config{HTTP: &http.Client{Transport: same}})
	count := map[string]float64{}
	for _, w := range all {
		count[w.name] = testing.AllocsPerRun(200, w.call)
	}
	if over := count["client"] - count["retryablehttp"]; over > 12 {
		t.Errorf("%v allocations, %v over go-retryablehttp by hand", count["client"], over)
	}
	t.Log(count)
}
