package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
)

// TestLimits: the server has its limits for slow clients.
func TestLimits(t *testing.T) {
	got := serve.New(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	type limits struct {
		header, read, write, idle time.Duration
		bytes                     int
	}
	want := limits{5 * time.Second, 15 * time.Second, 30 * time.Second, 60 * time.Second, 16 << 10}
	have := limits{got.ReadHeaderTimeout, got.ReadTimeout, got.WriteTimeout, got.IdleTimeout, got.MaxHeaderBytes}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(limits{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestListenerFails: Until returns the error of a listener.
func TestListenerFails(t *testing.T) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	listener.Close()
	if err := serve.Until(t.Context(), serve.New(http.NotFoundHandler(), slog.New(slog.DiscardHandler)), listener); !errors.Is(err, net.ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}

// TestSite: which handler answers which path.
func TestSite(t *testing.T) {
	says := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
	}
	site := serve.Site{Page: says("page"), Tracking: says("tracking"), Health: says("health"), Console: says("console"), Partner: says("partner"), API: says("api")}
	for target, want := range map[string]string{
		"GET /": "page", "HEAD /": "page", "POST /": "api", "GET /api/affiliates/x": "tracking", "POST /api/affiliates/add-click": "tracking",
		"GET /healthz": "health", "GET /readyz": "health", "GET /readyz/": "api", "GET /api/v1/sales": "api", "GET //": "api", "GET /x/../api/affiliates/x": "api", "GET /api/affiliates": "api",
		"GET /console": "console", "GET /console/": "console", "POST /console/sales/1": "console", "GET /consoles": "api", "GET /partner": "partner", "GET /partner/enter": "partner", "GET /partners": "api", "GET /x/../console/": "api",
	} {
		method, path, _ := strings.Cut(target, " ")
		r, w := httptest.NewRequest(method, "/", nil), httptest.NewRecorder()
		r.URL.Path = path
		if site.ServeHTTP(w, r); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s is answered by %q, want %q", target, w.Body, want)
		}
	}
}

// TestPrivateAddresses: this machine and private networks are open over http,
// other closed addresses stay closed.
func TestPrivateAddresses(t *testing.T) {
	policy := serve.PrivateAddresses()
	for url, want := range map[string]bool{
		"http://127.0.0.1:9090/": true, "http://[::1]/": true, "http://10.0.0.1/": true, "https://192.168.1.1/": true,
		"http://169.254.169.254/": false, "http://[fd00:ec2::254]/": false, "http://100.64.0.1/": false,
	} {
		p, err := tributary.New(memstore.New(), tributary.Config{Addresses: policy})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: url, Events: []affiliate.EventType{affiliate.SaleCreated}})
		if got := err == nil; got != want {
			t.Errorf("%s: open %t, want %t: %v", url, got, want, err)
		}
	}
}

// TestPolicyOfSettings: what the settings say of an age is the policy, and what they leave out stays.
func TestPolicyOfSettings(t *testing.T) {
	store := memstore.New()
	p, other := must(tributary.New(store, tributary.Config{StoredSettings: true})), must(tributary.New(store, tributary.Config{StoredSettings: true}))
	want := serve.Policy(p)
	must(p.Settings(t.Context()))
	must(other.UpdateSettings(t.Context(), affiliate.SettingsUpdate{Retention: affiliate.Set(affiliate.RetentionDays{Events: 2, Clicks: 61})}))
	want.Events, want.Clicks = 48*time.Hour, 61*24*time.Hour
	if got := serve.Policy(other); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestRetain: records older than the policy says are deleted from every program
// in the next round, younger ones are not. stop ends the rounds.
func TestRetain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*tributary.Program
		for i := range 2 {
			program := must(tributary.New(memstore.New(), tributary.Config{ID: uuid.UUID{15: byte(i + 1)}}))
			all = append(all, program)
		}
		join := func(email string) {
			t.Helper()
			for _, p := range all {
				slug, _, _ := strings.Cut(email, "@")
				in := affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: email, AffiliateLink: slug}
				in.Key = slug
				_, err := p.CreateAffiliate(t.Context(), in)
				_, err2 := p.TrackClick(t.Context(), affiliate.ClickParams{Slug: slug})
				must(0, errors.Join(err, err2))
			}
		}
		left := func(want int) {
			t.Helper()
			synctest.Wait()
			for i, p := range all {
				events, err := p.EventsAfter(t.Context(), uuid.Nil, 100)
				if err != nil || len(events) != want {
					t.Errorf("program %d has %d events, error %v, want %d", i, len(events), err, want)
				}
			}
		}
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		stop := serve.Background(t.Context(), func(ctx context.Context) {
			serve.Daily(ctx, func(ctx context.Context) { serve.Retain(ctx, logger, all...) })
		})
		join("old@example.org")
		time.Sleep(10 * 24 * time.Hour)
		join("young@example.org")
		time.Sleep(serve.Keep - 10*24*time.Hour - time.Hour)
		left(2)
		time.Sleep(25 * time.Hour)
		left(1)
		time.Sleep(70 * 24 * time.Hour)
		left(0)
		for _, want := range []string{
			" events=0 receipts=1 deliveries=0 clicks=0 holds=0\n", " events=1 receipts=0 deliveries=0 clicks=0 holds=0\n", " events=0 receipts=0 deliveries=0 clicks=1 holds=0\n",
		} {
			if got := strings.Count(log.String(), want); got != 4 { // two records in two programs
				t.Errorf("%d lines of the log end in %q, want 4: %s", got, want, log.String())
			}
		}
		stop() // or the bubble does not end
	})
}

// TestBackground: the tasks end with stop, which waits for them, and not with
// the context.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		ended := false
		stop := serve.Background(ctx, func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
		})
		end()
		time.Sleep(time.Minute)
		if ended {
			t.Error("the task ended with the context")
		}
		if stop(); !ended {
			t.Error("stop did not wait")
		}
	})
}

const (
	retentionDoc = "../../docs/retention.md"
	measured     = 3000 // records of each kind
)

// A ledger measures what records take in memory.
type ledger struct {
	*tributary.Program
	t   *testing.T
	now time.Time
}

func newLedger(t *testing.T) *ledger {
	l := &ledger{t: t, now: time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)}
	l.Program = must(tributary.New(memstore.New(), tributary.Config{
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Now: func() time.Time { return l.now },
	}))
	ada := must(l.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.com", AffiliateLink: "a"}))
	coupon := must(l.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(l.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "CODE", AffiliateID: ada.ID}))
	l.sell("warm", false)
	return l
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// bytes is what each of the measured records adds, or with a minus sign frees.
func (l *ledger) bytes(work func()) float64 {
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap()
	work()
	return (heap() - before) / measured
}

// sell records sales of a hundred customers who come back.
func (l *ledger) sell(name string, keyed bool) {
	for i := range measured {
		in := affiliate.SaleParams{
			PromoCode: "CODE", ExternalID: fmt.Sprint(name, "-order-", i), TotalEarned: affiliate.MustAmount("129.50"),
			Email: fmt.Sprintf("customer-%d@example.org", i%100), Name: "Kim Moss",
		}
		if keyed {
			in.Key = fmt.Sprintf("%s-%026d", name, i)
		}
		must(l.RecordSale(l.t.Context(), in))
	}
}

func (l *ledger) click() {
	for i := range measured {
		must(l.TrackClick(l.t.Context(), affiliate.ClickParams{
			Slug: "a", DeviceID: uuid.NewString(), LandingURL: fmt.Sprintf("https://shop.example/beans/%d?ref=a", i),
			Referrer: "https://blog.example/posts/coffee", UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
		}))
	}
}

// deliver settles whatever waits.
func (l *ledger) deliver() {
	for {
		claims := must(l.Webhooks().ClaimDeliveries(l.t.Context(), 50, time.Minute))
		if len(claims) == 0 {
			return
		}
		var done []affiliate.Attempt
		for _, c := range claims {
			done = append(done, affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, URL: c.URL, Status: 200, At: l.now, Took: time.Millisecond})
		}
		must(0, l.Webhooks().SettleDeliveries(l.t.Context(), done))
	}
}

// TestRetentionFigures: what docs/retention.md says a record takes is what it
// takes, or a little more, and not twice as much.
func TestRetentionFigures(t *testing.T) {
	l := newLedger(t)
	soldAndEvent := l.bytes(func() { l.sell("plain", false) })
	keyed := l.bytes(func() { l.sell("keyed", true) })
	click := l.bytes(l.click)
	l.now = l.now.Add(25 * time.Hour)
	must(l.Run(t.Context(), affiliate.RetainJob{Retention: affiliate.Retention{Receipts: 24 * time.Hour}})) // they share values with the events
	event := -l.bytes(func() {
		if gone := must(l.Run(t.Context(), affiliate.RetainJob{Retention: affiliate.Retention{Events: 1}})).Removed; gone.Events < 3*measured {
			t.Fatalf("%+v", gone)
		}
	}) / 3
	must(l.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: "https://hooks.example/", Events: []affiliate.EventType{affiliate.SaleCreated}}))
	delivered := l.bytes(func() { l.sell("sent", false); l.deliver() })
	got := map[string]float64{
		"a sale with its commission, its redemption and its movement": soldAndEvent - event,
		"its event, `sale.created`":                                   event,
		"its receipt, when it was sent with an idempotency key":       keyed - soldAndEvent,
		"a settled delivery of its event":                             delivered - soldAndEvent,
		"a click with its pages and user agent":                       click,
	}
	doc := string(must(os.ReadFile(retentionDoc)))
	for what, bytes := range got {
		row := regexp.MustCompile(`\| ` + regexp.QuoteMeta(what) + ` \| (\d+) \|`).FindStringSubmatch(doc)
		if row == nil {
			t.Errorf("no row for %s: %.0f bytes", what, bytes)
			continue
		}
		said := must(strconv.ParseFloat(row[1], 64))
		t.Logf("%s: %.0f bytes, the document says %.0f", what, bytes, said)
		if bytes > 1.15*said || bytes < said/2 {
			t.Errorf("%s: %.0f bytes, the document says %.0f", what, bytes, said)
		}
	}
	runtime.KeepAlive(l)
}

// TestRetentionPolicy: the document has the ages that the example servers use.
func TestRetentionPolicy(t *testing.T) {
	doc := string(must(os.ReadFile(retentionDoc)))
	policy := serve.Policy(newLedger(t).Program)
	for field, age := range map[string]time.Duration{
		"Events:     30 *": policy.Events / 30, "Deliveries: 30 *": policy.Deliveries / 30, "Clicks:     90 *": policy.Clicks / 90,
	} {
		if !strings.Contains(doc, field+" 24 * time.Hour") || age != 24*time.Hour {
			t.Errorf("%s: %v", field, age)
		}
	}
	if !strings.Contains(doc, "Receipts:   48 * time.Hour") || policy.Receipts != 48*time.Hour {
		t.Errorf("receipts: %v", policy.Receipts)
	}
	if _, err := newLedger(t).Run(t.Context(), affiliate.RetainJob{Retention: policy}); err != nil {
		t.Error(err)
	}
}
