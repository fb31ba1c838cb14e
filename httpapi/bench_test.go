package httpapi_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
)

// Each benchmark runs the handler and its floor in turn, in the same process
// and on the same data, and reports the median of their ratios: x-floor.
// Absolute times move with the machine; only the ratio counts. Times are
// processor times and include garbage collection, unless a name says otherwise.

// versus compares the processor times of a handler and its floor.
func versus(b *testing.B, n int, floor, ours func(n int)) {
	b.Helper()
	processor.Compare(b, n, ours, benchkit.Side{Name: "floor", Run: floor})
}

// processor measures processor time.
var processor benchkit.Stopwatch = func(run func()) time.Duration {
	_, cpu := stopwatch(run)
	return cpu
}

// shop is a [benchkit.Shop] on memstore and its handler.
func shop(tb testing.TB, codes int) (*tributary.Program, *httpapi.Handler, []affiliate.Affiliate) {
	tb.Helper()
	p, owners := benchkit.Shop(tb, memstore.New(), codes)
	return p, must(httpapi.New(p, httpapi.Config{APIKeys: []string{testKey}})), owners
}

// saleBody is a sale by the i-th code.
func saleBody(i int) string {
	return `{"promoCode":"code` + strconv.Itoa(i) + `","totalEarned":129.50,"tax":9.50,"externalId":null,` +
		`"product":{"productId":"beans-1kg","quantity":2,"price":60,"name":"House beans 1 kg"}}`
}

// A sink is a ResponseWriter that keeps nothing.
type sink struct {
	header http.Header
	status int
	size   int
}

// Header returns the header.
func (s *sink) Header() http.Header { return s.header }

// WriteHeader keeps the status.
func (s *sink) WriteHeader(status int) { s.status = status }

// Write counts.
func (s *sink) Write(p []byte) (int, error) {
	s.size += len(p)
	return len(p), nil
}

// drive returns a function that sends requests with the given targets and
// bodies to a handler, one after another, and checks that each succeeds.
func drive(tb testing.TB, h http.Handler, method string, count int, target, body func(i int) string) func(n int) {
	requests := make([]*http.Request, count)
	bodies := make([][]byte, count)
	for i := range requests {
		bodies[i] = []byte(body(i))
		requests[i] = request(method, target(i), body(i))
	}
	w := &sink{header: http.Header{}}
	reader := bytes.NewReader(nil)
	closer := io.NopCloser(reader)
	at := 0
	return func(n int) {
		for range n {
			r := requests[at%count]
			reader.Reset(bodies[at%count])
			at++
			if method == http.MethodPost {
				r.Body = closer
			}
			clear(w.header)
			w.status, w.size = 0, 0
			h.ServeHTTP(w, r)
			if w.status != http.StatusOK || w.size < 10 {
				tb.Fatalf("%s %s: status %d, %d bytes", method, r.URL, w.status, w.size)
			}
		}
	}
}

// BenchmarkServeHTTP is the handler alone, without a network: a sale by code, an
// affiliate by slug, the links of an affiliate.
func BenchmarkServeHTTP(b *testing.B) {
	const codes = 1000
	p, api, owners := shop(b, codes)
	none := func(int) string { return "" }
	for _, c := range []struct {
		name, method string
		target, body func(i int) string
	}{
		{"sale", "POST", func(int) string { return "/api/v1/sales" }, saleBody},
		{"affiliate", "GET", func(i int) string { return "/api/v1/affiliates?id=slug-" + strconv.Itoa(i) }, none},
		{"links", "GET", func(i int) string { return "/api/v1/links?affiliateId=" + owners[i].ID.String() }, none},
	} {
		b.Run(c.name, func(b *testing.B) {
			rec := httptest.NewRecorder()
			api.ServeHTTP(rec, request(c.method, c.target(1), c.body(1)))
			floor := drive(b, bareHandler(rec.Body.String()), c.method, codes, c.target, c.body)
			versus(b, 3000, floor, drive(b, api, c.method, codes, c.target, c.body))
			if c.name == "sale" {
				b.ReportMetric(engineAlone(p, codes), "engine-ns/op")
			}
		})
	}
	if err := p.Verify(b.Context()); err != nil {
		b.Errorf("Verify: %v", err)
	}
}

// engineAlone is the time of the same sales without the handler.
func engineAlone(p *tributary.Program, codes int) float64 {
	product := affiliate.Product{ProductID: "beans-1kg", Name: "House beans 1 kg"}
	return processor.Time(3000, func(n int) {
		for i := range n {
			must(p.RecordSale(context.Background(), affiliate.SaleParams{
				PromoCode: "code" + strconv.Itoa(i%codes), TotalEarned: affiliate.MustAmount("129.5"), Tax: affiliate.MustAmount("9.5"),
				Product: affiliate.Set(product),
			}))
		}
	})
}

// BenchmarkLoopback is a sale by code over 64 keep-alive connections, server and
// callers in one process, against the same server with the till of the floor.
// x-floor is the time of a request, x-cpu the processor time of the process, and
// x-bare-cpu that over a handler that does nothing but decode and encode.
func BenchmarkLoopback(b *testing.B) { benchLoopback(b, 64, false, saleBody(0)) }

func benchLoopback(b *testing.B, conns int, real bool, first string) {
	const codes = 1000
	p, api, _ := shop(b, codes)
	rec := httptest.NewRecorder()
	api.ServeHTTP(rec, request("POST", "/api/v1/sales", first))
	sold := int64(1)
	ours, bare := dial(b, api, conns), dial(b, bareHandler(rec.Body.String()), conns)
	floor := dial(b, tillHandler(rec.Body.String(), codes), conns)
	ours.real, bare.real, floor.real = real, real, real
	const n = 5_000
	benchkit.Warm()
	bare.run(b, n/10)
	floor.run(b, n/10)
	sold += ours.run(b, n/10)
	const rounds = benchkit.Rounds
	var times, cpus, bares, rates, costs [rounds]float64
	for i := range rounds {
		runtime.GC()
		_, bareCPU := stopwatch(func() { bare.run(b, n) })
		floorWall, floorCPU := stopwatch(func() { floor.run(b, n) })
		wall, cpu := stopwatch(func() { sold += ours.run(b, n) })
		times[i], cpus[i] = wall.Seconds()/floorWall.Seconds(), cpu.Seconds()/floorCPU.Seconds()
		bares[i] = cpu.Seconds() / bareCPU.Seconds()
		rates[i], costs[i] = n/wall.Seconds(), float64(cpu.Nanoseconds())/n
	}
	for name, figures := range map[string][]float64{
		"x-floor": times[:], "x-cpu": cpus[:], "x-bare-cpu": bares[:], "cpu-ns/op": costs[:], "req/s": rates[:],
	} {
		b.ReportMetric(benchkit.Median(figures), name)
	}
	benchkit.Audit(b, p, sold)
}

// BenchmarkBigCoupon is P8: GET of a coupon with 100,000 codes through the
// handler, against json.Marshal of the same data as plain structs. extra-MiB is
// how much the heap grows during the GET, and ms-worst-sale how long a sale
// waits for it at most: the middle one of some GETs.
func BenchmarkBigCoupon(b *testing.B) {
	ctx := b.Context()
	p, api, owners := shop(b, 1)
	coupon := must(p.Coupon(ctx, affiliate.CouponRef{Name: "All"}))
	must(p.GenerateCodes(ctx, affiliate.CodesParams{Count: 99_999, CodeParams: affiliate.CodeParams{
		CouponID: coupon.ID, AffiliateID: owners[0].ID, RandomCharsLength: affiliate.Set(int64(12)),
		CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
	}}))
	target := couponsPath + "?id=" + coupon.ID.String()
	rec := httptest.NewRecorder()
	api.ServeHTTP(rec, request("GET", target, ""))
	if got := strings.Count(rec.Body.String(), `"couponId"`); got != 100_000 {
		b.Fatalf("%d codes", got)
	}
	whole := plain(rec.Body.String())
	none := func(int) string { return "" }
	floor := floorMarshal(whole)
	get := drive(b, api, "GET", 1, func(int) string { return target }, none)
	versus(b, 1, floor, get)
	b.ReportMetric(worstSale(p, func() { get(1) }), "ms-worst-sale")

	defer debug.SetGCPercent(debug.SetGCPercent(1)) // so that garbage does not count as heap growth
	runtime.GC()
	gauge := &gauge{sink: sink{header: http.Header{}}}
	base := heapNow()
	api.ServeHTTP(gauge, request("GET", target, ""))
	b.ReportMetric(float64(gauge.peak-base)/(1<<20), "extra-MiB")
	runtime.KeepAlive(whole)
}

// worstSale is how many milliseconds a sale takes at most while a job runs: the
// middle one of some runs.
func worstSale(p *tributary.Program, job func()) float64 {
	sale := affiliate.SaleParams{PromoCode: "CODE0", TotalEarned: affiliate.MustAmount("129.5")}
	var worst []float64
	for range benchkit.Rounds {
		w := benchkit.Beside(job, func() { must(p.RecordSale(context.Background(), sale)) })
		worst = append(worst, float64(w.At(1).Microseconds())/1000)
	}
	return benchkit.Median(worst)
}

// A gauge is a sink that looks at the heap at every write.
type gauge struct {
	sink
	peak uint64
}

// Write looks.
func (g *gauge) Write(p []byte) (int, error) {
	g.peak = max(g.peak, heapNow())
	return g.sink.Write(p)
}

func heapNow() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
