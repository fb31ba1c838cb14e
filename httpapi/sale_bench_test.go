package httpapi_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/tributary-go/tributary/internal/benchkit"
)

// A cashier sends real sales to a handler: a code, an external id, one of a
// thousand customers, and an Idempotency-Key.
type cashier struct {
	tb   testing.TB
	h    http.Handler
	r    *http.Request
	body []byte
	w    sink
	sold int
}

func newCashier(tb testing.TB, h http.Handler) *cashier {
	r := request("POST", "/api/v1/sales", "{}", "Idempotency-Key: x")
	r.ContentLength = -1
	return &cashier{tb: tb, h: h, r: r, w: sink{header: http.Header{}}}
}

// next is the body of the next sale.
func (c *cashier) next() []byte {
	c.body = appendRealSale(c.body[:0], int64(c.sold))
	return c.body
}

// appendRealSale appends the body of the n-th real sale.
func appendRealSale(dst []byte, n int64) []byte {
	dst = strconv.AppendInt(append(dst, `{"promoCode":"code`...), n%1000, 10)
	dst = strconv.AppendInt(append(dst, `","totalEarned":129.50,"externalId":"order-`...), n, 10)
	dst = strconv.AppendInt(append(dst, `","email":"customer-`...), n%1000, 10)
	dst = strconv.AppendInt(append(dst, `@example.com","name":"Customer `...), n%1000, 10)
	return append(dst, `"}`...)
}

// sell sends n sales.
func (c *cashier) sell(n int) {
	reader := bytes.NewReader(nil)
	for range n {
		reader.Reset(c.next())
		c.r.Body = io.NopCloser(reader)
		c.r.Header["Idempotency-Key"] = []string{"key-" + strconv.Itoa(c.sold)}
		c.sold++
		clear(c.w.header)
		c.w.status, c.w.size = 0, 0
		c.h.ServeHTTP(&c.w, c.r)
		if c.w.status != http.StatusOK || c.w.size < 1000 {
			c.tb.Fatalf("sale %d: status %d, %d bytes", c.sold, c.w.status, c.w.size)
		}
	}
}

// BenchmarkRealSaleLoopback is P10: x-cpu is the processor time of a POST of the
// real sale with its receipt over 32 connections, over that of a handler that
// does the same by hand.
func BenchmarkRealSaleLoopback(b *testing.B) {
	benchLoopback(b, 32, true, string(appendRealSale(nil, 0)))
}

// BenchmarkRealSale is the same without the network, whose time both sides pay
// in P10.
func BenchmarkRealSale(b *testing.B) {
	p, api, _ := shop(b, 1000)
	rec := httptest.NewRecorder()
	ours := newCashier(b, api)
	first := request("POST", "/api/v1/sales", string(ours.next()))
	api.ServeHTTP(rec, first)
	ours.sold++
	bare, floor := newCashier(b, bareHandler(rec.Body.String())), newCashier(b, tillHandler(rec.Body.String(), 1000))
	processor.Compare(b, 2000, ours.sell, benchkit.Side{Name: "floor", Run: floor.sell}, benchkit.Side{Name: "bare", Run: bare.sell})
	b.StopTimer()
	benchkit.Audit(b, p, int64(ours.sold))
}

// BenchmarkLink is the other half of P10: GET of a link by its slug.
func BenchmarkLink(b *testing.B) {
	const codes = 1000
	_, api, _ := shop(b, codes)
	target := func(i int) string { return "/api/v1/links?link=slug-" + strconv.Itoa(i) }
	none := func(int) string { return "" }
	rec := httptest.NewRecorder()
	api.ServeHTTP(rec, request("GET", target(1), ""))
	versus(b, 3000,
		drive(b, bareHandler(rec.Body.String()), "GET", codes, target, none), drive(b, api, "GET", codes, target, none))
}
