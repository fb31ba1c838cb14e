package httpapi_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/benchkit"
)

// callers are keep-alive connections to a server over loopback. They use little
// time themselves, so that the server is measured.
type callers struct {
	conns []*caller
	real  bool         // they send real sales, each with a key
	sent  atomic.Int64 // real sales
}

type caller struct {
	net.Conn
	r *bufio.Reader
}

// dial starts a server and connects to it.
func dial(tb testing.TB, h http.Handler, conns int) *callers {
	tb.Helper()
	srv := httptest.NewServer(h)
	c := &callers{}
	for range conns {
		conn := must(net.Dial("tcp", srv.Listener.Addr().String()))
		c.conns = append(c.conns, &caller{conn, bufio.NewReader(conn)})
	}
	tb.Cleanup(func() {
		for _, conn := range c.conns {
			conn.Close()
		}
		srv.Close()
	})
	return c
}

// run sends n sales over all connections at once and returns how many were
// answered. Any status but 200 fails the test.
func (c *callers) run(tb testing.TB, n int) int64 {
	tb.Helper()
	var wg sync.WaitGroup
	var answered atomic.Int64
	for w, conn := range c.conns {
		wg.Go(func() {
			for i := w; i < n; i += len(c.conns) {
				headers, body := "", saleBody(i%1000)
				if c.real {
					n := c.sent.Add(1)
					headers, body = "Idempotency-Key: key-"+strconv.FormatInt(n, 10)+"\r\n", string(appendRealSale(nil, n))
				}
				if err := conn.sell(headers, body); err != nil {
					tb.Error(err)
					return
				}
				answered.Add(1)
			}
		})
	}
	wg.Wait()
	return answered.Load()
}

// sell posts a sale and reads past the answer.
func (c *caller) sell(headers, body string) error {
	_, err := io.WriteString(c, "POST /api/v1/sales HTTP/1.1\r\n"+rawKey+headers+"Content-Type: application/json\r\nContent-Length: "+
		strconv.Itoa(len(body))+"\r\n\r\n"+body)
	if err != nil {
		return err
	}
	status, err := c.r.ReadString('\n')
	if err != nil {
		return err
	}
	length := 0
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			break
		}
		if value, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return fmt.Errorf("status line %q", status)
	}
	_, err = c.r.Discard(length)
	return err
}

// stopwatch times fn by the clock and by the processor.
func stopwatch(fn func()) (wall, cpu time.Duration) {
	used := func() time.Duration {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begin, before := time.Now(), used()
	fn()
	return time.Since(begin), used() - before
}

// TestLoad is a small version of goal G13: 64 connections send sales at once.
// Every answer is 200, and counters, sales and events agree with what the
// callers counted.
func TestLoad(t *testing.T) {
	p, api, _ := shop(t, 1000)
	c := dial(t, api, 64)
	n, rounds := 5_000, 4
	if testing.Short() || !atlength.On() {
		n, rounds = 1_000, 1
	}
	var sold int64
	for range rounds {
		sold += c.run(t, n)
	}
	if sold != int64(n*rounds) {
		t.Errorf("%d of %d sales", sold, n*rounds)
	}
	benchkit.Audit(t, p, sold)
	var events int64
	for page := (affiliate.Page{Limit: 1000}); ; {
		list := must(p.Events(t.Context(), affiliate.EventQuery{}, page))
		for _, e := range list.Items {
			if e.Type == affiliate.SaleCreated {
				events++
			}
		}
		if page.Cursor = list.Next; page.Cursor == "" {
			break
		}
	}
	if events != sold {
		t.Errorf("%d events of %d sales", events, sold)
	}
}

// floorMarshal encodes a value n times.
func floorMarshal(v any) func(n int) {
	return func(n int) {
		for range n {
			must(json.Marshal(v))
		}
	}
}

// Two handlers to compare with. The bare one reads the body, decodes the same
// request with encoding/json and encodes the same answer with it: no key, no
// check, no store, no record. The till does the sale besides, with the store
// that somebody would write by hand, and keeps the answer under the request's
// Idempotency-Key.

// floorSale is the request of a sale.
type floorSale struct {
	PromoCode  string  `json:"promoCode"`
	Email      string  `json:"email"`
	Name       string  `json:"name"`
	Total      float64 `json:"totalEarned"`
	Tax        float64 `json:"tax"`
	ExternalID string  `json:"externalId"`
	Product    struct {
		ProductID string  `json:"productId"`
		Quantity  float64 `json:"quantity"`
		Price     float64 `json:"price"`
		Name      string  `json:"name"`
	} `json:"product"`
}

// bareHandler answers a value of plain types that has this JSON.
func bareHandler(sample string) http.HandlerFunc {
	return floorHandler(sample, func(*http.Request, []byte, floorSale) error { return nil })
}

// tillHandler is bareHandler for sales on the floor of the engine.
func tillHandler(sample string, codes int) http.HandlerFunc {
	floor, kept := benchkit.FillFloor(codes), receipts{answers: map[string]receipt{}}
	return floorHandler(sample, func(r *http.Request, body []byte, in floorSale) error {
		if err := floor.Sell(in.PromoCode, in.ExternalID, in.Name, in.Email, int64(in.Total*10_000)); err != nil {
			return err
		}
		return kept.keep(r.Header.Get("Idempotency-Key"), body, sample)
	})
}

// receipts are the answers of a till, by key.
type receipts struct {
	mu      sync.Mutex
	answers map[string]receipt
}

// A receipt has the hash of a request and its answer.
type receipt struct {
	Sum    [sha256.Size]byte
	Answer string
}

func (r *receipts) keep(key string, body []byte, answer string) error {
	if key == "" {
		return nil
	}
	sum := sha256.Sum256(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.answers[key]; known {
		return errors.New("key known")
	}
	r.answers[key] = receipt{sum, answer}
	return nil
}

// floorHandler does a sale, then answers a value of plain types that has the
// JSON of the sample.
func floorHandler(sample string, sell func(*http.Request, []byte, floorSale) error) http.HandlerFunc {
	value := plain(sample)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			var in floorSale
			if err != nil || json.Unmarshal(body, &in) != nil || sell(r, body, in) != nil {
				http.Error(w, "bad", http.StatusBadRequest)
				return
			}
		}
		out, err := json.Marshal(value)
		if err != nil {
			http.Error(w, "bad", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Length", strconv.Itoa(len(out)))
		w.WriteHeader(http.StatusOK)
		w.Write(out)
	}
}

// plain is JSON as a pointer to a value of plain structs, slices and basic
// types with tags, as one would write them by hand. encoding/json is fast with
// them.
func plain(sample string) any {
	var v any
	if err := json.Unmarshal([]byte(sample), &v); err != nil {
		panic(err)
	}
	out := reflect.New(plainType(v))
	if err := json.Unmarshal([]byte(sample), out.Interface()); err != nil {
		panic(err)
	}
	return out.Interface()
}

func plainType(v any) reflect.Type {
	switch v := v.(type) {
	case map[string]any:
		var fields []reflect.StructField
		for _, name := range sortedKeys(v) {
			fields = append(fields, reflect.StructField{
				Name: strings.ToUpper(name[:1]) + name[1:], Type: plainType(v[name]), Tag: reflect.StructTag(`json:"` + name + `"`),
			})
		}
		return reflect.StructOf(fields)
	case []any:
		if len(v) == 0 {
			return reflect.TypeFor[[]string]()
		}
		return reflect.SliceOf(plainType(v[0]))
	case nil:
		return reflect.TypeFor[*string]()
	}
	return reflect.TypeOf(v)
}
