package adapter_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/webhooks"
)

var (
	form = adapter.TimedHMAC{Header: "Some-Signature", Time: "t", Signature: "v1", Separator: ",", Joint: "."}
	now  = time.Unix(1767225600, 0)
)

const vector = "45b40331de0325606dc5400202ade162460fbe48daf9401adfdcd0d7b4f35470"

// verify checks a header with a time by one secret.
func verify(header string, body []byte, secret string) error {
	return form.Scheme(adapter.Secrets{secret}, 0).Verify(http.Header{"Some-Signature": {header}}, body, now)
}

// TestVector: a signature that was computed by another program (openssl dgst
// -sha256 -hmac).
func TestVector(t *testing.T) {
	want := "t=1767225600,v1=" + vector
	if got := form.Sign("whsec_test", now, []byte(`{"id":"evt_1"}`)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := verify(want, []byte(`{"id":"evt_1"}`), "whsec_test"); err != nil {
		t.Error(err)
	}
}

// TestTolerance: another tolerance counts in both directions, and only in whole
// seconds.
func TestTolerance(t *testing.T) {
	body := []byte("{}")
	for _, row := range []struct {
		age  time.Duration
		want error
	}{{time.Second, nil}, {-time.Second, nil}, {2 * time.Second, adapter.ErrSignature}, {-2 * time.Second, adapter.ErrSignature}} {
		h := http.Header{"Some-Signature": {form.Sign("s", now.Add(-row.age), body)}}
		err := form.Scheme(adapter.Secrets{"s"}, time.Second).Verify(h, body, now.Add(999*time.Millisecond))
		if !errors.Is(err, row.want) {
			t.Errorf("%s: %v", row.age, err)
		}
	}
}

// TestSameTime: a signature that is wrong in its first character takes as long as
// one that is wrong in its last. Welch's t of both stays small; a comparison that
// stops at the first difference is far above it.
func TestSameTime(t *testing.T) {
	body := []byte("{}")
	right := form.Sign("s", now, body)
	first, end := wrongAt(right, len(right)-64), wrongAt(right, len(right)-1)
	// Noise of the machine can only raise the value, so the lowest of some tries
	// counts.
	low := math.Inf(1)
	for range 10 {
		if low = min(low, math.Abs(welch(
			func() { _ = verify(first, body, "s") }, func() { _ = verify(end, body, "s") },
		))); low < 5 {
			return
		}
	}
	t.Errorf("|t| = %.1f", low)
}

func wrongAt(header string, i int) string {
	other := "0"
	if header[i] == '0' {
		other = "1"
	}
	return header[:i] + other + header[i+1:]
}

// welch compares the times of two functions that run in turns.
func welch(f, g func()) float64 {
	var times [2][]float64
	for i := range 20_000 {
		which := i % 2
		began := time.Now()
		if which == 0 {
			f()
		} else {
			g()
		}
		times[which] = append(times[which], float64(time.Since(began)))
	}
	m1, v1 := moments(times[0])
	m2, v2 := moments(times[1])
	return (m1 - m2) / math.Sqrt(v1/float64(len(times[0]))+v2/float64(len(times[1])))
}

// moments are mean and variance without the slowest tenth.
func moments(samples []float64) (mean, variance float64) {
	limit := quantile(samples, 0.9)
	n := 0.0
	for _, x := range samples {
		if x <= limit {
			mean += x
			n++
		}
	}
	mean /= n
	for _, x := range samples {
		if x <= limit {
			variance += (x - mean) * (x - mean)
		}
	}
	return mean, variance / (n - 1)
}

// quantile is near the value below which a part of the samples is.
func quantile(samples []float64, part float64) float64 {
	low, high := 0.0, samples[0]
	for _, x := range samples {
		high = max(high, x)
	}
	for range 60 {
		middle, below := (low+high)/2, 0
		for _, x := range samples {
			if x <= middle {
				below++
			}
		}
		if float64(below) < part*float64(len(samples)) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// TestManySignatures: one right signature among ten is found at each place, and
// what surrounds it does not matter.
func TestManySignatures(t *testing.T) {
	body := []byte("{}")
	right := form.Sign("s", now, body)
	at, signature, _ := strings.Cut(right, ",")
	random := rand.New(rand.NewPCG(3, 4))
	for place := range 10 {
		items := []string{at, "v0=" + signature[3:]}
		for i := range 10 {
			item := "v1=" + strings.Repeat("f", 64)
			if i == place {
				item = signature
			}
			items = append(items, item)
		}
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if err := verify(strings.Join(items, ","), body, "s"); err != nil {
			t.Errorf("place %d: %v", place, err)
		}
	}
	if err := verify(right, bytes.ToUpper([]byte("{a}")), "s"); !errors.Is(err, adapter.ErrSignature) {
		t.Errorf("another body: %v", err)
	}
}

// bodyMAC is the HMAC-SHA256 of {"id":"evt_1"} with the key "s", by openssl dgst -sha256 -hmac s.
const bodyMAC = "29a428b7d32a0119ac70c3558cf9b7505ee334e853106f188c71046cac833b18"

var signedBody = []byte(`{"id":"evt_1"}`)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func basic(name, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))
}

// standard are the headers of Standard Webhooks, by the package that sends them.
func standard(t *testing.T, at time.Time) http.Header {
	t.Helper()
	h, err := webhooks.Sign([]affiliate.Secret{standardSecret}, "msg_1", at, signedBody)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const standardSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// TestSchemes: each scheme takes what its provider sends, with any of the secrets, and says
// of the rest why not. What headers alone show is known before the body is read.
func TestSchemes(t *testing.T) {
	raw, err := hex.DecodeString(bodyMAC)
	if err != nil {
		t.Fatal(err)
	}
	two := adapter.Secrets{"old", "s"}
	inHex, in64 := adapter.HMACHex("X-Signature", two), adapter.HMACBase64("X-Signature", two)
	hooks := adapter.StandardWebhooks(adapter.Secrets{"whsec_" + strings.Repeat("A", 32), standardSecret}, 0)
	auth, static := adapter.BasicAuth("shop", two), adapter.StaticHeader("X-Token", two)
	b64 := base64.StdEncoding.EncodeToString(raw)
	later := standard(t, now)
	later.Set("Webhook-Id", "msg_2")
	for _, row := range []struct {
		name   string
		scheme adapter.Scheme
		h      http.Header
		early  error // before the body
		want   error
	}{
		{"hex", inHex, headers("X-Signature", bodyMAC), nil, nil},
		{"hex in capitals", inHex, headers("X-Signature", strings.ToUpper(bodyMAC)), nil, nil},
		{"hex of another", inHex, headers("X-Signature", strings.Repeat("0", 64)), nil, adapter.ErrSignature},
		{"hex that is base64", inHex, headers("X-Signature", b64), adapter.ErrSignature, adapter.ErrSignature},
		{"hex cut", inHex, headers("X-Signature", bodyMAC[2:]), adapter.ErrSignature, adapter.ErrSignature},
		{"hex twice", inHex, headers("X-Signature", bodyMAC, "X-Signature", bodyMAC), adapter.ErrHeader, adapter.ErrHeader},
		{"hex missing", inHex, nil, adapter.ErrHeader, adapter.ErrHeader},
		{"hex long", inHex, headers("X-Signature", strings.Repeat("0", 5000)), adapter.ErrHeader, adapter.ErrHeader},
		{"base64", in64, headers("X-Signature", b64), nil, nil},
		{"base64 of another", in64, headers("X-Signature", base64.StdEncoding.EncodeToString(make([]byte, 32))), nil, adapter.ErrSignature},
		{"base64 for URLs", in64, headers("X-Signature", base64.RawURLEncoding.EncodeToString(raw)), adapter.ErrSignature, adapter.ErrSignature},
		{"standard", hooks, standard(t, now), nil, nil},
		{"standard with another id", hooks, later, nil, adapter.ErrSignature},
		{"standard without", hooks, nil, adapter.ErrHeader, adapter.ErrHeader},
		{"standard too old", hooks, standard(t, now.Add(-301*time.Second)), adapter.ErrSignature, adapter.ErrSignature},
		{"standard too new", hooks, standard(t, now.Add(301*time.Second)), adapter.ErrSignature, adapter.ErrSignature},
		{"basic", auth, headers("Authorization", basic("shop", "s")), nil, nil},
		{"basic of another name", auth, headers("Authorization", basic("Shop", "s")), adapter.ErrSignature, adapter.ErrSignature},
		{"basic of another password", auth, headers("Authorization", basic("shop", "S")), adapter.ErrSignature, adapter.ErrSignature},
		{"bearer", auth, headers("Authorization", "Bearer s"), adapter.ErrHeader, adapter.ErrHeader},
		{"static", static, headers("X-Token", "old"), nil, nil},
		{"static of another", static, headers("X-Token", "older"), adapter.ErrSignature, adapter.ErrSignature},
		{"static missing", static, nil, adapter.ErrHeader, adapter.ErrHeader},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := row.scheme(row.h, now); !errors.Is(err, row.early) {
				t.Errorf("before the body: %v, want %v", err, row.early)
			}
			if err := row.scheme.Verify(row.h, signedBody, now); !errors.Is(err, row.want) {
				t.Errorf("%v, want %v", err, row.want)
			}
			if err := row.scheme.Verify(row.h, []byte(`{"id":"evt_2"}`), now); err == nil && !strings.HasPrefix(row.name, "basic") && !strings.HasPrefix(row.name, "static") {
				t.Error("another body is accepted")
			}
		})
	}
}

// TestUnusableSecrets: no scheme is made of secrets that verify nothing, and no endpoint.
func TestUnusableSecrets(t *testing.T) {
	for name, secrets := range map[string]adapter.Secrets{
		"none": nil, "empty": {""}, "space": {"s "}, "eleven": strings.Split("a b c d e f g h i j k", " "),
	} {
		for kind, scheme := range map[string]adapter.Scheme{
			"hex": adapter.HMACHex("X", secrets), "base64": adapter.HMACBase64("X", secrets), "standard": adapter.StandardWebhooks(secrets, 0),
			"basic": adapter.BasicAuth("a", secrets), "static": adapter.StaticHeader("X", secrets), "timed": form.Scheme(secrets, 0),
		} {
			if _, err := (adapter.Endpoint{Scheme: scheme}).Handler(warnedProgram(t, new(time.Now()), affiliate.Terms{})); !errors.Is(err, adapter.ErrConfig) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
	for name, scheme := range map[string]adapter.Scheme{
		"short":              adapter.StandardWebhooks(adapter.Secrets{"whsec_AAAA"}, 0),
		"negative tolerance": adapter.StandardWebhooks(adapter.Secrets{standardSecret}, -1),
	} {
		if err := scheme.Verify(standard(t, now), signedBody, now); !errors.Is(err, adapter.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSecretsAreMasked: no way of printing a configuration shows its secrets.
func TestSecretsAreMasked(t *testing.T) {
	cfg := adapter.Config{Secrets: adapter.Secrets{"hidden-1", "hidden-2"}}
	text, err := json.Marshal(cfg.Secrets)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		text = fmt.Appendf(text, format, cfg)
	}
	text = append(text, cfg.Secrets.LogValue().String()...)
	if bytes.Contains(text, []byte("hidden")) || bytes.Contains(text, []byte("68696464656e")) || !bytes.Contains(text, []byte("*** ***")) {
		t.Errorf("%s", text)
	}
}

// TestDecimal: an amount in units of its currency is exact, as a text and as a number.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		`"19.99"`: "19.99", `19.99`: "19.99", `"0.1"`: "0.1", `1e2`: "100", `-3.5`: "-3.5", `null`: "0", `""`: "0",
		`"1,5"`: "fault", `"19.99999"`: "fault", `true`: "fault", `[1]`: "fault", `"1e40"`: "fault",
	} {
		v := read(t, `{"n": `+text+`}`)
		got := v.Get("n").Decimal().String()
		if v.Err() != nil {
			got = "fault"
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// TestTimes: times are in UTC, and what is none is a fault.
func TestTimes(t *testing.T) {
	v := read(t, `{"a": "2026-01-02T03:04:05.123456+01:00", "b": 1767225600, "c": null}`)
	if got := v.Get("a").Time(); !got.Equal(time.Date(2026, 1, 2, 2, 4, 5, 123456000, time.UTC)) || got.Location() != time.UTC {
		t.Error(got)
	}
	if got := v.Get("b").Seconds(); got != now.UTC() {
		t.Error(got)
	}
	if !v.Get("c").Time().IsZero() || !v.Get("c").Seconds().IsZero() || v.Err() != nil {
		t.Error(v.Err())
	}
	if v = read(t, `{"a": "yesterday"}`); !v.Get("a").Time().IsZero() || v.Err() == nil {
		t.Error("yesterday is a time")
	}
}

// TestBook: what was paid is a sale, of which only a renewal of a customer whom somebody brought
// waits; nothing is a lead when it begins something and somebody brought the customer.
func TestBook(t *testing.T) {
	for _, row := range []struct {
		name                    string
		paid                    int64
		marked, renewal, begins bool
		kind                    pay.Kind
		wait                    bool
	}{
		{"a payment", 1, true, false, false, pay.KindSale, false},
		{"a renewal", 1, true, true, false, pay.KindSale, true},
		{"a renewal of nobody's customer", 1, false, true, true, pay.KindSale, false},
		{"a trial", 0, true, false, true, pay.KindCustomer, false},
		{"a trial of nobody's customer", 0, false, false, true, pay.KindIgnored, false},
		{"an order of nothing", 0, true, false, false, pay.KindIgnored, false},
		{"a renewal of nothing", 0, true, true, true, pay.KindIgnored, false},
	} {
		d := adapter.Draft{Action: pay.Action{Kind: pay.KindSale}}
		p := adapter.Paid{Renewal: row.renewal}
		if row.marked {
			p.Tries = []affiliate.Credit{{ReferralID: "mara"}}
		}
		bill := adapter.Bill{Currency: "USD", Paid: affiliate.AmountFromScaled(row.paid)}
		d.Book(bill, p, row.begins)
		if got := d.Action; got.Kind != row.kind || got.Wait != row.wait {
			t.Errorf("%s: %s, waits %t", row.name, got.Kind, got.Wait)
		}
	}
}

// TestPayer: who has no name of their own is called by their email.
func TestPayer(t *testing.T) {
	for name, want := range map[string]string{"Tomas": "Tomas", "": "t.novak", "\x00": "t.novak"} {
		if got := adapter.Payer("c1", "t.novak@customers.example", name); got.Name != want || got.ID != "c1" {
			t.Errorf("%q: %+v", name, got)
		}
	}
}

// endpoint is one whose events are ignored.
func endpoint(t *testing.T, maxBody int64) http.Handler {
	t.Helper()
	h, err := adapter.Endpoint{
		Config: adapter.Config{MaxBody: maxBody, Logger: slog.New(slog.DiscardHandler)}, Scheme: form.Scheme(adapter.Secrets{"s_1"}, 0),
		Map:      func([]byte) (pay.Action, error) { return pay.Action{Kind: pay.KindIgnored, Reason: pay.TestMode}, nil },
		Accounts: func(context.Context, string) (*tributary.Program, error) { return nil, nil },
	}.Handler(nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func request(body io.Reader, header string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Some-Signature", header)
	return r
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A request that its headers show to be wrong is refused before a byte of the
// body is read.
func TestRefusesUnread(t *testing.T) {
	h := endpoint(t, 0)
	now, junk := time.Now().Unix(), strings.Repeat("0", 64)
	for _, row := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"method", func(r *http.Request) { r.Method = "PUT" }, 405},
		{"content type", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		{"no header", func(r *http.Request) { r.Header.Del("Some-Signature") }, 400},
		{"two headers", func(r *http.Request) { r.Header.Add("Some-Signature", "t=1") }, 400},
		{"nonsense", func(r *http.Request) { r.Header.Set("Some-Signature", "nonsense") }, 400},
		{"long", func(r *http.Request) { r.Header.Set("Some-Signature", strings.Repeat("x=y,", 2000)) }, 400},
		{"no time", func(r *http.Request) { r.Header.Set("Some-Signature", "v1="+junk) }, 400},
		{"no signature", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d", now)) }, 400},
		{"too old", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now-1000, junk)) }, 401},
		{"too new", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now+1000, junk)) }, 401},
		{"short signature", func(r *http.Request) { r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now, junk[1:])) }, 401},
		{"upper case", func(r *http.Request) {
			r.Header.Set("Some-Signature", fmt.Sprintf("t=%d,v1=%s", now, strings.Repeat("A", 64)))
		}, 401},
		{"declared too large", func(r *http.Request) { r.ContentLength = 2 << 20 }, 413},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := request(readerFunc(func([]byte) (int, error) {
				t.Error("the body was read")
				return 0, io.EOF
			}), fmt.Sprintf("t=%d,v1=%s", now, junk))
			row.change(r)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != row.want {
				t.Errorf("answered %d, want %d", w.Code, row.want)
			}
		})
	}
}

// Large bodies without a signature use no memory, however many come at once.
func TestIdleMemory(t *testing.T) {
	const connections, size = 200, 1 << 20
	server := httptest.NewServer(endpoint(t, 0))
	defer server.Close()
	body := make([]byte, size-1) // one byte is missing, so nobody can read the whole body
	before := heap()
	conns := make([]net.Conn, connections)
	var wg sync.WaitGroup
	for i := range conns {
		var err error
		if conns[i], err = net.Dial("tcp", server.Listener.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
		conns[i].SetDeadline(time.Now().Add(20 * time.Second))
		wg.Go(func() {
			fmt.Fprintf(conns[i], "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
			conns[i].Write(body) // fails when the server refuses the body
		})
	}
	wg.Wait()
	if added := heap() - before; added > 8<<20 {
		t.Errorf("%d connections hold %d KiB", connections, added>>10)
	}
	runtime.KeepAlive(body)
}

// heap is the size of the heap in use, in bytes.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A deadline is what the handler set for a body.
type deadline struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadline) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// A body must arrive in time. What comes after it is not limited: the context of
// the request would end.
func TestBodyHasDeadline(t *testing.T) {
	h := endpoint(t, 0)
	w := &deadline{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, request(strings.NewReader("{}"), form.Sign("s_1", time.Now(), []byte("{}"))))
	if w.Code != http.StatusNoContent || len(w.set) != 2 || time.Until(w.set[0]) > time.Minute || !w.set[1].IsZero() {
		t.Errorf("answered %d, deadlines %v", w.Code, w.set)
	}
}
