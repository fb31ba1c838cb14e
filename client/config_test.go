package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/refusal"
)

// TestNew (B473): New accepts good input. When it refuses, its error shows
// neither URL nor key.
func TestNew(t *testing.T) {
	handler := http.NotFoundHandler()
	for _, row := range []struct {
		name, base, key string
		cfg             client.Config
		want            string // part of the error; empty: accepted
	}{
		{"OK", "https://partners.example", testKey, client.Config{}, ""},
		{"OKPrefix", "https://partners.example/a/b/", testKey, client.Config{}, ""},
		{"OKPort", "https://partners.example:8443", testKey, client.Config{}, ""},
		{"OKLocalhost", "http://LOCALHOST:8080", testKey, client.Config{}, ""},
		{"OKLoopback4", "http://127.9.9.9:1", testKey, client.Config{}, ""},
		{"OKLoopback6", "http://[::1]:1", testKey, client.Config{}, ""},
		{"OKMapped", "http://[::ffff:127.0.0.1]", testKey, client.Config{}, ""},
		{"OKHandler", "http://tributary.test", testKey, client.Config{Handler: handler}, ""},
		{"OKPlain", "http://partners.example", testKey, client.Config{PlainHTTP: true}, ""},
		{"OKLongestKey", "https://partners.example", strings.Repeat("k", 256), client.Config{}, ""},
		{"ErrPlain", "http://partners.example", testKey, client.Config{}, "must be https"},
		{"ErrPlainPrivate", "http://10.0.0.1", testKey, client.Config{}, "must be https"},
		{"ErrPlainLooksLocal", "http://localhost.evil.example", testKey, client.Config{}, "must be https"},
		{"ErrPlainLooksLoopback", "http://127.0.0.1.evil.example", testKey, client.Config{}, "must be https"},
		{"ErrUser", "https://ada:s3cr3t@partners.example", testKey, client.Config{}, "no user info"},
		{"ErrQuery", "https://partners.example?token=s3cr3t", testKey, client.Config{}, "no user info, query"},
		{"ErrEmptyQuery", "https://partners.example?", testKey, client.Config{}, "no user info, query"},
		{"ErrFragment", "https://partners.example#s3cr3t", testKey, client.Config{}, "no user info, query"},
		{"ErrScheme", "ftp://partners.example/s3cr3t", testKey, client.Config{}, "absolute"},
		{"ErrNoScheme", "partners.example/s3cr3t", testKey, client.Config{}, "absolute"},
		{"ErrNoHost", "https:///s3cr3t", testKey, client.Config{}, "absolute"},
		{"ErrEmpty", "", testKey, client.Config{}, "absolute"},
		{"ErrSyntax", "https://ada:s3cr3t@[::1", testKey, client.Config{}, "absolute"},
		{"ErrPath", "https://partners.example/api/v1/", testKey, client.Config{}, "before /api/v1"},
		{"ErrNoKey", "https://partners.example", "", client.Config{}, "API key"},
		{"ErrLongKey", "https://partners.example", strings.Repeat("k", 257), client.Config{}, "API key"},
		{"ErrKeyLine", "https://partners.example", "s3cr3t\n", client.Config{}, "API key"},
		{"ErrKeySpace", "https://partners.example", "s3cr3t ", client.Config{}, "API key"},
		{"ErrTwoTransports", "https://partners.example", testKey, client.Config{Handler: handler, HTTP: http.DefaultClient}, "exclude"},
		{"ErrNegativeTimeout", "https://partners.example", testKey, client.Config{Timeout: -1}, "negative"},
		{"ErrNegativeBody", "https://partners.example", testKey, client.Config{MaxBody: -1}, "negative"},
		{"ErrWaits", "https://partners.example", testKey, client.Config{MinWait: 2, MaxWait: 1}, "MinWait"},
		{"ErrUserAgent", "https://partners.example", testKey, client.Config{UserAgent: "a\r\nX-Evil: 1"}, "UserAgent"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := client.New(row.base, row.key, row.cfg)
			if (err != nil) != (row.want != "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Fatalf("got %v, want %q", err, row.want)
			}
			if err != nil && (strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), testKey)) {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

// TestHeaders: every request has exactly these headers.
func TestHeaders(t *testing.T) {
	w := always(200, `{"count":1}`)
	c := w.client(t, func(cfg *client.Config) { cfg.UserAgent = "beans/2 (+https://beans.example)" })
	_, _ = c.Keyed(affiliate.Once{Key: "change-1"}).UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: anID}, affiliate.AffiliateUpdate{})
	_, _ = c.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})
	_, _ = c.CreateLink(t.Context(), affiliate.LinkParams{Once: affiliate.Once{Key: "order-1"}})
	agent := []string{"beans/2 (+https://beans.example)"}
	bearer, accept, kind := []string{"Bearer " + testKey}, []string{"application/json"}, []string{"application/json"}
	want := []http.Header{
		{"Accept": accept, "Authorization": bearer, "Content-Type": kind, "User-Agent": agent, "Idempotency-Key": {"change-1"}},
		{"Accept": accept, "Authorization": bearer, "User-Agent": agent},
		{"Accept": accept, "Authorization": bearer, "Content-Type": kind, "User-Agent": agent, "Idempotency-Key": {"order-1"}},
	}
	for i, s := range w.seen {
		if diff := cmp.Diff(want[i], s.Header); diff != "" {
			t.Errorf("request %d (-want +got):\n%s", i+1, diff)
		}
		if s.Host != "partners.example" {
			t.Errorf("request %d goes to host %q", i+1, s.Host)
		}
	}
}

// TestKeys: each write has a key of its own, from the configured source.
func TestKeys(t *testing.T) {
	w := &wire{}
	c := w.client(t)
	for range 5 {
		for _, inv := range invocations() {
			_ = inv.call(t.Context(), c) // many methods do not accept null
		}
	}
	keys, writes := map[string]bool{}, 0
	for _, s := range w.seen {
		key := s.Header.Get("Idempotency-Key")
		if (key == "") != (s.Method == http.MethodGet) {
			t.Errorf("%s %s with key %q", s.Method, s.URL.Path, key)
		}
		if key != "" {
			keys[key], writes = true, writes+1
		}
	}
	if len(keys) != writes || writes < 5*25 {
		t.Errorf("%d writes had %d keys", writes, len(keys))
	}

	w = &wire{}
	c = w.client(t, func(cfg *client.Config) { cfg.Rand = strings.NewReader("0123456789abcdefrest") })
	must(c.RecordSale(t.Context(), affiliate.SaleParams{}))
	if got := w.seen[0].Header.Get("Idempotency-Key"); got != "30313233343536373839616263646566" {
		t.Errorf("key %q is not from Rand", got)
	}
	err := errOf(c.RecordSale(t.Context(), affiliate.SaleParams{}))
	if e := failure(t, err); e.Attempts != 0 || len(w.seen) != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without a key: %v", err)
	}

	w = always(429, "") // without randomness each wait is the shortest
	c = w.client(t, func(cfg *client.Config) {
		cfg.Rand, cfg.MinWait, cfg.MaxWait = iotest.ErrReader(io.EOF), 1, time.Hour
	})
	if e := failure(t, errOf(c.Sale(t.Context(), 1))); e.Attempts != 3 {
		t.Errorf("%d attempts", e.Attempts)
	}
}

// TestOnceKey: a key that no header can carry is refused before it is sent,
// with the server's text.
func TestOnceKey(t *testing.T) {
	for _, key := range []string{"a b", "a\nX-Evil: 1", "é", strings.Repeat("k", 256)} {
		w := &wire{}
		err := errOf(w.client(t).RecordSale(t.Context(), affiliate.SaleParams{Once: affiliate.Once{Key: key}}))
		if e := failure(t, err); !errors.Is(err, affiliate.IdempotencyKeyInvalid) || e.Attempts != 0 || len(w.seen) != 0 {
			t.Errorf("key %q: %v", key, err)
		}
		err = w.client(t).Keyed(affiliate.Once{Key: key}).DeleteSale(t.Context(), 7)
		if e := failure(t, err); !errors.Is(err, affiliate.IdempotencyKeyInvalid) || e.Attempts != 0 || len(w.seen) != 0 {
			t.Errorf("keyed %q: %v", key, err)
		}
	}
}

// TestKeyed: every write of a keyed client carries its key. An input with a key
// of its own carries that one. Fields for Go calls only are not sent.
func TestKeyed(t *testing.T) {
	w := &wire{}
	c := w.client(t).Keyed(affiliate.Once{Key: "mine"})
	for _, inv := range invocations() {
		_ = inv.call(t.Context(), c)
	}
	for _, s := range w.seen {
		if key := s.Header.Get("Idempotency-Key"); (key == "mine") != (s.Method != http.MethodGet) {
			t.Errorf("%s %s with key %q", s.Method, s.URL.Path, key)
		}
	}
	_ = errOf(c.CreateLink(t.Context(), affiliate.LinkParams{Once: affiliate.Once{Key: "its-own"}}))
	if key := w.seen[len(w.seen)-1].Header.Get("Idempotency-Key"); key != "its-own" {
		t.Errorf("a create with a key of its own carries %q", key)
	}
	for name, once := range map[string]affiliate.Once{
		"Digest": {Key: "k", Digest: [32]byte{1}}, "Refused": {Key: "k", Refused: refusal.FieldEmpty.Of("name")},
	} {
		w := &wire{}
		k := w.client(t).Keyed(once)
		for _, err := range []error{k.DeleteSale(t.Context(), 7), errOf(k.RecordSale(t.Context(), affiliate.SaleParams{}))} {
			if e := failure(t, err); e.Attempts != 0 || len(w.seen) != 0 || e.Err.Field != "Once."+name {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestHooks: OnRequest sees each attempt without the key and adds to it,
// OnResponse sees each answer with its body.
func TestHooks(t *testing.T) {
	w := &wire{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n == 1 {
			return reply(503, `{"error":"busy"}`, "X-Request-Id", "r1"), nil
		}
		return reply(200, `{"count":1}`, "X-Request-Id", "r2"), nil
	}}
	type ctxKey struct{}
	var requests, responses []string
	c := w.client(t, func(cfg *client.Config) {
		cfg.MinWait, cfg.MaxWait = 1, 1
		cfg.OnRequest = func(r *http.Request) {
			r.Header.Add("Traceparent", "00-1")
			r.Header.Set("User-Agent", "changed")
			*r = *r.WithContext(contextWith(r, ctxKey{}, "span"))
			requests = append(requests, r.Header.Get("Authorization")+r.Method)
		}
		cfg.OnResponse = func(r *http.Response) {
			body := string(must(io.ReadAll(r.Body)))
			responses = append(responses, r.Request.Header.Get("Authorization")+r.Header.Get("X-Request-Id")+body)
			r.Header.Del("Content-Type")
		}
	})
	if n, err := c.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: anID}, affiliate.AffiliateUpdate{}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if want := []string{"PUT", "PUT"}; !slices.Equal(requests, want) {
		t.Errorf("OnRequest saw %q, want %q", requests, want)
	}
	if want := []string{`r1{"error":"busy"}`, `r2{"count":1}`}; !slices.Equal(responses, want) {
		t.Errorf("OnResponse saw %q, want %q", responses, want)
	}
	for i, s := range w.seen {
		if got := s.Header["Traceparent"]; len(got) != 1 || s.Header.Get("User-Agent") != "changed" || s.Context().Value(ctxKey{}) != "span" {
			t.Errorf("attempt %d: %v", i+1, s.Header)
		}
	}
}

// TestHookRedirects: a hook cannot send the key to another host.
func TestHookRedirects(t *testing.T) {
	for name, hook := range map[string]func(*http.Request){
		"host":   func(r *http.Request) { r.URL.Host = "elsewhere.example" },
		"scheme": func(r *http.Request) { r.URL.Scheme = "http" },
	} {
		w := &wire{}
		e := failure(t, errOf(w.client(t, func(cfg *client.Config) { cfg.OnRequest = hook }).Sale(t.Context(), 1)))
		if len(w.seen) != 0 || e.Attempts != 1 || !strings.Contains(e.Error(), "another host") {
			t.Errorf("%s: %d sent, %v", name, len(w.seen), e)
		}
	}
}

// TestHTTPClient: the client uses the transport, the jar and the timeout of the
// host's http.Client, and does not change it.
func TestHTTPClient(t *testing.T) {
	jar := must(cookiejar.New(nil))
	w := &wire{answer: func(n int, r *http.Request) (*http.Response, error) {
		if n == 2 {
			return silent(n, r)
		}
		return reply(200, "null", "Set-Cookie", "node=7"), nil
	}}
	hc := &http.Client{Transport: w, Jar: jar, Timeout: time.Millisecond}
	c := must(client.New(testBase, testKey, client.Config{HTTP: hc, MaxRetries: -1}))
	_, _ = c.Sale(t.Context(), 1)
	if e := failure(t, errOf(c.Sale(t.Context(), 1))); !strings.Contains(e.Error(), "timeout after 1ms") {
		t.Errorf("second call: %v", e)
	}
	if got := w.seen[1].Header.Get("Cookie"); got != "node=7" {
		t.Errorf("cookie %q", got)
	}
	if hc.Transport != w || hc.CheckRedirect != nil || hc.Timeout != time.Millisecond {
		t.Error("the host's client was changed")
	}
}

// TestKeyStaysInside (SEC34): the key is never in a printed client, an error, a
// log or a URL, even when a server sends it back.
func TestKeyStaysInside(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	echo := `{"error":"key ` + testKey + ` is wrong"}`
	w := always(503, echo, "X-Echo", "Bearer "+testKey, "Error-Code", testKey, "Error-Field", testKey)
	c := w.client(t, func(cfg *client.Config) { cfg.Logger, cfg.MinWait, cfg.MaxWait = logger, 1, 1 })
	type outer struct {
		Name     string
		C        *client.Client
		hidden   client.Client
		pointer  *client.Client
		anything any
	}
	holder := outer{"x", c, *c, c, *c}
	var prints []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		prints = append(prints, fmt.Sprintf(verb, c), fmt.Sprintf(verb, *c), fmt.Sprintf(verb, holder), fmt.Sprintf(verb, &holder))
	}
	prints = append(prints, c.String(), fmt.Sprint(c), jsonOf(c), jsonOf(holder))
	logger.Info("client", "client", c, "value", *c, "holder", holder)

	for _, inv := range invocations() {
		err := inv.call(t.Context(), c)
		e := failure(t, err)
		prints = append(prints, err.Error(), fmt.Sprintf("%+v %#v %v", err, err, e.Err), fmt.Sprintf("%+v", *e), string(e.Body), jsonOf(e))
		logger.Error("failed", "err", err)
	}
	for _, answer := range []func(int, *http.Request) (*http.Response, error){
		failing(errors.New("sent Authorization: Bearer " + testKey)),
		answering(200, "{}", "Content-Type", "text/"+testKey),
		answering(200, `{"count":"`+testKey+`"}`),
		answering(400, `{"error":"\u0074rib_live_`+strings.TrimPrefix(testKey, "trib_live_")+`"}`),
		answering(302, "", "Location", "https://elsewhere.example/?"+testKey),
		answering(200, "{}", "Content-Type", strings.Repeat("x", 60)+testKey),              // cut inside the key
		answering(400, strings.Repeat(" ", 64<<10-len(testKey)+1)+testKey),                 // the same
		answering(400, strings.Repeat(" ", 64<<10-len(testKey)/2)+testKey+testKey+testKey), // the same
	} {
		w.answer = answer
		err := errOf(c.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: anID}, affiliate.AffiliateUpdate{}))
		prints = append(prints, err.Error(), fmt.Sprintf("%+v", *failure(t, err)), string(failure(t, err).Body))
	}
	for _, s := range w.seen {
		prints = append(prints, s.URL.String(), s.body)
	}
	for _, p := range append(prints, log.String()) {
		if strings.Contains(p, testKey[:16]) {
			t.Errorf("the key is in %.300q", p)
		}
	}
	if got := c.String(); got != "client.Client{https://partners.example}" {
		t.Errorf("String() = %s", got)
	}
	w.answer = answering(503, echo)
	if !strings.Contains(string(failure(t, errOf(c.Sale(t.Context(), 1))).Body), "key *** is wrong") {
		t.Error("the rest of the answer is gone")
	}
}

// TestLog: a log line has method, path, number of the attempt and status, but
// no query, body or email.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	w := always(500, "")
	c := w.client(t, func(cfg *client.Config) {
		cfg.MinWait, cfg.MaxWait = 1, 1
		cfg.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	_ = errOf(c.Affiliate(t.Context(), "ada@example.com"))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines for 3 attempts", len(lines))
	}
	var got struct {
		Level, Method, Path string
		Attempt, Status     int
	}
	must(0, json.Unmarshal([]byte(lines[2]), &got))
	got2 := fmt.Sprint(got)
	if want := "{DEBUG GET /api/v1/affiliates 3 500}"; got2 != want {
		t.Errorf("logged %s, want %s", got2, want)
	}
	if strings.Contains(log.String(), "ada") {
		t.Errorf("an email is in the log: %s", log.String())
	}
}
