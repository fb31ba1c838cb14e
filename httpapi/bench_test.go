package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// BenchmarkRealSaleLoopback is P10: x-cpu is the processor time of a POST of the
// real sale with its receipt over 32 connections, over that of a handler that
// does the same by hand.
func BenchmarkRealSaleLoopback(b *testing.B) {
	const codes, conns = 1000, 32
	p, api, _ := shop(b, codes)
	rec := httptest.NewRecorder()
	api.ServeHTTP(rec, request("POST", "/api/v1/sales", string(appendRealSale(nil, 0))))
	sold := int64(1)
	ours, bare := dial(b, api, conns), dial(b, bareHandler(rec.Body.String()), conns)
	floor := dial(b, tillHandler(rec.Body.String(), codes), conns)
	ours.real, bare.real, floor.real = true, true, true
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

// BenchmarkAmounts is a list of 500 sales, with amounts as numbers and as strings.
func BenchmarkAmounts(b *testing.B) {
	_, api, _ := shop(b, 1)
	for i := range 500 {
		body := fmt.Sprintf(`{"promoCode":"code0","totalEarned":129.50,"externalId":"%d"}`, i)
		api.ServeHTTP(httptest.NewRecorder(), request("POST", "/api/v1/sales", body))
	}
	for _, form := range []string{"Accept: */*", asStrings} {
		b.Run(form, func(b *testing.B) {
			r := request("GET", "/api/v1/sales", "", form)
			b.ReportAllocs()
			for b.Loop() {
				api.ServeHTTP(&sink{header: http.Header{}}, r)
			}
		})
	}
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

var listed = flag.Int("listed", 0, "`sales` in the lists of TestStalledReaders, BenchmarkStalledReaders and BenchmarkSaleBesideList")

// soldOut is a shop with n real sales: a code, an external id, a customer who
// comes back.
func soldOut(tb testing.TB, n int) (*tributary.Program, *httpapi.Handler) {
	tb.Helper()
	p, api, _ := shop(tb, 100)
	for i := range n {
		sell(tb, p, i)
	}
	return p, api
}

func sell(tb testing.TB, p *tributary.Program, i int) {
	tb.Helper()
	got, err := p.RecordSale(tb.Context(), affiliate.SaleParams{
		PromoCode: fmt.Sprint("CODE", i%100), ExternalID: fmt.Sprint("order-", i), TotalEarned: affiliate.MustAmount("129.50"),
		Email: fmt.Sprintf("customer-%d@example.org", i%1000), Name: "Kim Moss",
	})
	if err != nil || got.Outcome != affiliate.SaleRecorded {
		tb.Fatalf("sale %d: %s, %v", i, got.Outcome, err)
	}
}

// stalled returns the MiB that readers add who ask for all sales, read a part
// and stop reading. Their connections are pipes without buffers.
func stalled(tb testing.TB, api http.Handler, readers int) float64 {
	tb.Helper()
	l := newPipeListener()
	srv := &http.Server{Handler: api}
	go srv.Serve(l)
	before := memory()
	var conns sync.WaitGroup
	for range readers {
		conn := l.dial()
		tb.Cleanup(func() { conn.Close() })
		conns.Go(func() {
			io.WriteString(conn, "GET /api/v1/sales HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+testKey+"\r\n\r\n")
			if n, err := io.CopyN(io.Discard, conn, 512<<10); err != nil {
				tb.Errorf("the list ended after %d bytes: %v", n, err)
			}
		})
	}
	conns.Wait()
	added := float64(memory()) - float64(before)
	srv.Close()
	return added / (1 << 20)
}

// memory is what the heap and the stacks hold after a collection.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// TestStalledReaders is P18, with fewer sales: readers who stop in the middle of
// a list hold a page of it each, and never the list.
func TestStalledReaders(t *testing.T) {
	const readers = 30
	_, api := soldOut(t, max(*listed, 3000))
	added := stalled(t, api, readers)
	t.Logf("%d readers hold %.1f MiB", readers, added)
	if added > 64.0/4 {
		t.Errorf("%d readers hold %.1f MiB", readers, added)
	}
}

// BenchmarkStalledReaders is P18: 30 readers of all sales who stop reading.
// MiB-added is the gate: at most 64, better 8.
func BenchmarkStalledReaders(b *testing.B) {
	_, api := soldOut(b, max(*listed, 20_000))
	b.ReportMetric(stalled(b, api, 30), "MiB-added")
}

// BenchmarkSaleBesideList is P17 for lists: the worst wait of a sale on memstore
// while a reader gets all sales over HTTP, and beside nothing. worst-ms is the
// gate: at most 20, better 2.
func BenchmarkSaleBesideList(b *testing.B) {
	n := max(*listed, 20_000)
	p, api := soldOut(b, n)
	next := n
	sales := func(until func() bool) float64 {
		var waits []time.Duration
		for !until() {
			began := time.Now()
			sell(b, p, next)
			waits = append(waits, time.Since(began))
			next++
			time.Sleep(200 * time.Microsecond)
		}
		return float64(slices.Max(waits).Microseconds()) / 1000
	}
	end := time.Now().Add(time.Second)
	alone := sales(func() bool { return time.Now().After(end) })
	done := make(chan struct{})
	out := &sink{header: http.Header{}}
	go func() {
		defer close(done)
		api.ServeHTTP(out, request("GET", "/api/v1/sales", ""))
	}()
	worst := sales(func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	if out.status != http.StatusOK || out.size < n*1000 {
		b.Fatalf("the list: status %d, %d bytes", out.status, out.size)
	}
	b.ReportMetric(worst, "worst-ms")
	b.ReportMetric(alone, "alone-worst-ms")
	benchkit.Audit(b, p, int64(next))
}

// ordinaryVisit is what a script in a browser sends.
const ordinaryVisit = `{"programId":"` + siteID + `","referralCode":"mara","uniqueClick":true,` +
	`"fullLandingUrl":"https://beans.example/shop?ref=mara&utm_source=news","documentReferrer":"https://blog.example/post",` +
	`"userAgent":"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/139.0","deviceId":"d-0197c2f01a2b7c3d"}`

// costlyVisits are accepted bodies of the greatest length. Each is made to take
// as much time as possible.
func costlyVisits() map[string]string {
	fill := func(head, tail string, piece func(i int) string) string {
		b := strings.Builder{}
		b.WriteString(head)
		for i := 0; ; i++ {
			p := piece(i)
			if b.Len()+len(p)+len(tail) > trackLimit {
				break
			}
			b.WriteString(p)
		}
		return b.String() + tail
	}
	start := `{"programId":"` + siteID + `","referralCode":"mara"`
	always := func(s string) func(int) string { return func(int) string { return s } }
	return map[string]string{
		"names":    fill(start, "}", func(i int) string { return fmt.Sprintf(`,"%s":1`, short(i)) }),
		"objects":  fill(start+`,"x":[{}`, "]}", always(",{}")),
		"nested":   fill(start+`,"x":[0`, "]}", always(","+strings.Repeat("[", 29)+strings.Repeat("]", 29))),
		"numbers":  fill(start+`,"x":[0`, "]}", always(",1")),
		"escapes":  fill(start+`,"deviceId":"`, `"}`, always(`\u0041`)),
		"landing":  fill(start+`,"fullLandingUrl":"https://a.example/?`, `"}`, always("a&")),
		"utm":      fill(start+`,"fullLandingUrl":"https://a.example/?`, `"}`, func(i int) string { return fmt.Sprintf("utm_%s&", short(i)) }),
		"percent":  fill(start+`,"documentReferrer":"https://a.example/`, `"}`, always("%41")),
		"referrer": fill(start+`,"documentReferrer":"https://a.example/?`, `"}`, always("utm_a=%41&")),
		"slug":     fill(`{"programId":"`+siteID+`","referralCode":"`, `"}`, always("m")),
		"spaces":   fill(start, "}", always(" ")),
	}
}

// short is the i-th short name.
func short(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	s := ""
	for i++; i > 0; i /= len(letters) {
		s += string(letters[i%len(letters)])
	}
	return s
}

// BenchmarkTracking is P24: the processor time of costly requests of add-click,
// against an ordinary one. x-floor is the ratio in the handler alone,
// x-loopback the ratio over a connection whose other end does as little as
// possible.
func BenchmarkTracking(b *testing.B) {
	s := newSite(b)
	h := httpapi.Tracking(s.find, httpapi.Config{})
	alone := func(body string) func(n int) {
		r := click(body)
		w, reader := &sink{header: http.Header{}}, strings.NewReader("")
		r.Body = io.NopCloser(reader)
		return func(n int) {
			for range n {
				reader.Reset(body)
				clear(w.header)
				w.status = 0
				if h.ServeHTTP(w, r); w.status != http.StatusOK {
					b.Fatalf("status %d", w.status)
				}
			}
		}
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	conn := must(net.Dial("tcp", srv.Listener.Addr().String()))
	defer conn.Close()
	replies := bufio.NewReader(conn)
	wired := func(body string) func(n int) {
		sent := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", clickPath, len(body), body)
		must(conn.Write(sent))
		first := must(http.ReadResponse(replies, nil))
		brackets := strings.Count(string(must(io.ReadAll(first.Body))), "}")
		return func(n int) {
			_ = conn.SetDeadline(time.Now().Add(time.Minute)) // an answer with fewer brackets must not hang the benchmark
			for range n {
				must(conn.Write(sent))
				for range brackets { // the answer ends with the last one
					must(replies.ReadSlice('}'))
				}
			}
		}
	}
	for _, name := range sortedKeys(costlyVisits()) {
		b.Run(name, func(b *testing.B) {
			body := costlyVisits()[name]
			versus(b, 500, alone(ordinaryVisit), alone(body))
			b.ReportMetric(processor.Ratio(200, wired(ordinaryVisit), wired(body)), "x-loopback")
		})
	}
}
