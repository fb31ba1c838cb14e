package serve_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
)

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
