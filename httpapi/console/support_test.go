package console_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/memstore"
)

// A desk is a console with the program that it shows.
type desk struct {
	*affiliate.Program
	t     testing.TB
	store affiliate.Store
	now   time.Time
	logs  bytes.Buffer
	page  http.Handler
	ada   affiliate.Affiliate
	sale  affiliate.Sale // of ada
	held  affiliate.Sale
	cfg   console.Config
	mount string // what requests begin with
}

// newDesk is the console of a program with something of everything.
func newDesk(t testing.TB, change ...func(*console.Config)) *desk {
	t.Helper()
	d := &desk{t: t, now: time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC), mount: "/console/", store: memstore.New()}
	d.Program = must(affiliate.New(d.store, affiliate.Config{
		Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Now: func() time.Time { return d.now },
		Addresses: affiliate.AddressPolicy{AllowHTTP: true}, Logger: slog.New(slog.DiscardHandler),
		Review: []affiliate.ReviewRule{affiliate.SelfReferral()},
	}))
	d.fill()
	d.cfg = console.Config{
		Prefix: "/console/", Authorize: func(r *http.Request) (string, bool) { return r.Header.Get("Actor"), r.Header.Get("Actor") != "" },
		Logger: slog.New(slog.NewTextHandler(&d.logs, nil)), Key: bytes.Repeat([]byte{7}, 32), SignOut: "/console/out",
	}
	for _, fn := range change {
		fn(&d.cfg)
	}
	d.page = must(console.New(d.Program, d.cfg))
	return d
}

func (d *desk) fill() {
	ctx := d.t.Context()
	d.ada = must(d.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada", AffiliateStatus: "active"}))
	must(d.SetPayoutDetails(ctx, d.ada.ID, affiliate.PayoutDetails{Email: "ada@example.com", Method: "PAYPAL"}))
	must(d.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Tom", LastName: "Ode", Email: "tom@example.com", AffiliateStatus: "inactive"}))
	must(d.CreatePlan(ctx, affiliate.NewPlan{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	must(d.CreateTier(ctx, affiliate.NewTier{Tier: 1, Name: "Silver"}))
	coupon := must(d.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Ten", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	must(d.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: "ADA10", AffiliateID: d.ada.ID, MaxRedemptions: affiliate.Set[int64](5)}))
	must(d.CreateEndpoint(ctx, affiliate.NewEndpoint{URL: "http://hooks.example.com/in", Events: affiliate.EventTypes()}))
	d.sale = d.sell("kim@example.net", "129.50", "order-1")
	d.held = d.sell("ada@example.com", "50", "order-2") // her own purchase
	d.now = d.now.Add(time.Hour)
	must(d.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: d.ada.ID}))
	d.sell("lou@example.net", "60", "order-3")
}

func (d *desk) sell(email, total, order string) affiliate.Sale {
	result := must(d.RecordSale(d.t.Context(), affiliate.NewSale{
		PromoCode: "ADA10", Email: email, Name: "Customer", TotalEarned: affiliate.MustAmount(total), ExternalID: order,
	}))
	return result.Sale.Or(affiliate.Sale{})
}

// An answer is what a request got.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request as an actor.
func (d *desk) send(method, target, body string, headers ...string) answer {
	d.t.Helper()
	r := httptest.NewRequestWithContext(context.Background(), method, target, strings.NewReader(body))
	r.Header.Set("Actor", "ops")
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	d.page.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

func (d *desk) get(path string, headers ...string) answer {
	d.t.Helper()
	return d.send("GET", d.mount+path, "", headers...)
}

var input = regexp.MustCompile(`<input type="hidden" name="(token|nonce)" value="([^"]*)">`)

// form is the form of a path, with what is typed into it.
func (d *desk) form(path string, typed ...string) url.Values {
	d.t.Helper()
	got := d.get(path)
	if got.status != 200 {
		d.t.Fatalf("the form of %s: %d %s", path, got.status, got.body)
	}
	values := url.Values{}
	for _, m := range input.FindAllStringSubmatch(got.body, -1) {
		values.Set(m[1], html.UnescapeString(m[2]))
	}
	for i := 0; i < len(typed); i += 2 {
		values.Set(typed[i], typed[i+1])
	}
	return values
}

func (d *desk) post(path string, values url.Values, headers ...string) answer {
	d.t.Helper()
	return d.send("POST", d.mount+path, values.Encode(), headers...)
}

// dump is everything that the store holds for people: what GET must not change.
func (d *desk) dump() string {
	ctx := context.Background()
	return fmt.Sprint(
		must(d.Affiliates(ctx, affiliate.Page{})), must(d.SearchSales(ctx, affiliate.SaleQuery{}, affiliate.Page{Limit: 1000})),
		must(d.Payouts(ctx, affiliate.PayoutFilter{}, affiliate.Page{})), must(d.Movements(ctx, affiliate.MovementFilter{}, affiliate.Page{Limit: 1000})),
		must(d.Events(ctx, affiliate.EventFilter{}, affiliate.Page{Limit: 1000})), must(d.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{Limit: 1000})),
	)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
