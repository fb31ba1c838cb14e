package pay_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// BenchmarkCatchUp reads b.N payments of a month from Stripe's list of events, in this process, books them, reads
// them once more, which books nothing, and compares: each to the same events mapped and applied
// without an API. requests are those for 1,000 payments, and held is what a comparison has in memory of a payment.
// A hundred thousand:
//
//	go test -C pay -run - -bench CatchUp -benchtime 100000x
func BenchmarkCatchUp(b *testing.B) {
	const month = 28 * 24 * time.Hour
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	from := now.Add(-month)
	cfg := stripe.Config{Config: adapter.Config{Secrets: adapter.Secrets{benchSecret}, CarryKeys: shoptest.CarryKeys,
		Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)}}
	program := func() *tributary.Program {
		p, err := tributary.New(memstore.New(), tributary.Config{ID: shoptest.ID, Now: func() time.Time { return now }, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
		if err == nil {
			_, err = p.CreateAffiliate(b.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: "mara@partners.example", AffiliateLink: "mara"})
		}
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	theirs, ours := program(), program()
	carried, err := cfg.Carry(theirs, nil, stripe.ViaSession, pay.Carried{Slug: "mara"})
	if err != nil {
		b.Fatal(err)
	}
	template := string(shoptest.Load(b, "stripe/testdata/session_payment.json").With("id", "evt_@n@", "created", "@at@", "livemode", true, "data.object.id", "cs_@n@", "data.object.created", "@at@",
		"data.object.payment_intent", "pi_@n@", "data.object.customer", "cus_@c@", "data.object.customer_details.email", "c@c@@customers.example", "data.object.metadata", carried).JSON())
	template = strings.ReplaceAll(template, `"@at@"`, "@at@")
	at := func(n int) int64 { return from.Unix() + int64(n)*int64(month/time.Second)/int64(b.N) }
	body := func(n int) string {
		return strings.NewReplacer("@n@", strconv.Itoa(n), "@c@", strconv.Itoa(n/4), "@at@", strconv.FormatInt(at(n), 10)).Replace(template)
	}
	requests := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		q := r.URL.Query()
		gte, _ := strconv.ParseInt(q.Get("created[gte]"), 10, 64)
		lt, _ := strconv.ParseInt(q.Get("created[lt]"), 10, 64)
		last := b.N - 1
		if after, found := strings.CutPrefix(q.Get("starting_after"), "evt_"); found {
			last, _ = strconv.Atoi(after)
			last--
		} else {
			for last >= 0 && at(last) >= lt {
				last -= max(1, min(last, int((at(last)-lt)*int64(b.N)/int64(month/time.Second))))
			}
		}
		var page []string
		for ; last >= 0 && at(last) >= gte && len(page) < 100; last-- {
			if at(last) < lt {
				page = append(page, body(last))
			}
		}
		_, _ = io.WriteString(w, fmt.Sprintf(`{"object":"list","data":[%s],"has_more":%v}`, strings.Join(page, ","), last >= 0 && at(last) >= gte))
	}))
	defer api.Close()
	reads := stripe.API("rk_live_reads")
	reads.Base = api.URL
	src := stripe.Source(reads, cfg)
	took := func(do func() error) time.Duration {
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	b.ResetTimer()
	floor := took(func() error {
		for n := range b.N {
			a, err := stripe.Map([]byte(body(n)), cfg)
			if err == nil {
				_, err = pay.Apply(b.Context(), ours, a)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	catchUp := func() (done adapter.CaughtUp, spent time.Duration) {
		spent = took(func() (err error) { done, err = src.CatchUp(b.Context(), theirs, from); return err })
		return done, spent
	}
	first, booked := catchUp()
	asked := requests
	again, known := catchUp()
	if first.Sales != b.N || again.Sales != 0 {
		b.Fatalf("%d sales, and %d more, want %d", first.Sales, again.Sales, b.N)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var c adapter.Comparison
	compared := took(func() (err error) {
		src.Progress = func(read int, _ time.Time) {
			if read == b.N/1000*1000 {
				runtime.GC()
				runtime.ReadMemStats(&after)
			}
		}
		c, err = src.Compare(b.Context(), theirs, from)
		return err
	})
	if c.Payments != b.N || len(c.Differences) > 0 {
		b.Fatalf("%d compared, %d differ", c.Payments, len(c.Differences))
	}
	b.ReportMetric(float64(booked)/float64(floor), "booked/applied")
	b.ReportMetric(float64(known)/float64(floor), "known/applied")
	b.ReportMetric(float64(compared)/float64(floor), "compared/applied")
	b.ReportMetric(float64(asked)/float64(b.N)*1_000, "requests")
	if after.HeapAlloc > before.HeapAlloc {
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "B/held")
	}
}
