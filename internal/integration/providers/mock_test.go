package providers_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay/stripe/sync"
)

const key = "sk_test_123"

// stripeMock starts stripe-mock, which holds every request against Stripe's own
// description of its API, and returns where it listens.
func stripeMock(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "stripe-mock")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/stripe/stripe-mock").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), path, "-http-addr", "127.0.0.1:0")
	cmd.Env = []string{"HOME=" + t.TempDir()}
	cmd.WaitDelay = time.Minute
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the context of the test has ended it
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "Listening for HTTP at address: "); ok {
			go io.Copy(io.Discard, out)
			return "http://" + address
		}
	}
	t.Fatal("stripe-mock did not start")
	return ""
}

// A recorder notes what stripe-mock says of each request. It answers itself whether
// a coupon is there: stripe-mock keeps nothing, and has every coupon.
type recorder struct {
	there    bool
	requests []string // method, path, status
	forms    []url.Values
}

func (r *recorder) RoundTrip(rq *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(rq.Body)
	if err != nil {
		return nil, err
	}
	rq.Body = io.NopCloser(bytes.NewReader(body))
	answer, err := http.DefaultTransport.RoundTrip(rq)
	if err != nil {
		return nil, err
	}
	r.requests = append(r.requests, fmt.Sprint(rq.Method, " ", rq.URL.Path, " ", answer.StatusCode))
	form, _ := url.ParseQuery(string(body))
	r.forms = append(r.forms, form)
	if !r.there && rq.Method == http.MethodGet && answer.StatusCode == http.StatusOK && strings.HasPrefix(rq.URL.Path, "/v1/coupons/") {
		answer.Body.Close()
		answer.StatusCode = http.StatusNotFound
		answer.Body = io.NopCloser(strings.NewReader(`{"error":{"code":"resource_missing"}}`))
	}
	return answer, nil
}

// sent are all parameters that were sent.
func (r *recorder) sent() (names []string) {
	for _, form := range r.forms {
		for name := range form {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func newProgram(t *testing.T) *tributary.Program {
	p, err := tributary.New(memstore.New(), tributary.Config{
		ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), Name: "Northwind Beans",
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Now:          func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		Rand:         rand.NewChaCha8([32]byte{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestSyncAgainstStripeMock: Stripe's description of its API allows each request
// that takes a coupon and its codes there, with every parameter that there is.
func TestSyncAgainstStripeMock(t *testing.T) {
	base := stripeMock(t)
	p, ctx := newProgram(t), t.Context()
	mara := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: "mara@partners.example"}))
	end := affiliate.Set(affiliate.Day(2026, 6, 1))
	full := affiliate.CodeParams{
		AffiliateID: mara.ID, ExpiresAt: end, MaxRedemptions: affiliate.Set[int64](3), FirstTimeOrder: true,
		MinimumAmount: affiliate.Set(affiliate.MustAmount("50.5")), LimitToCustomers: true, CustomerID: "cus_T",
	}
	coupons := []affiliate.CouponParams{
		{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("12.5")), Duration: "repeating", DurationInMonths: affiliate.Set[int64](6), MaxRedemptions: affiliate.Set[int64](100)},
		{Name: "Summer", CouponType: "FLAT", AmountOff: affiliate.Set(affiliate.MustAmount("5")), Currency: affiliate.Set[affiliate.Currency]("EUR"), RedeemBy: end, LimitToProducts: true, ProductIDs: []string{"prod_a", "prod_b"}},
	}
	var posts recorder
	client := &sync.Client{Key: key, Base: base, HTTP: &http.Client{Transport: &posts}}
	var last affiliate.Coupon
	for i, in := range coupons {
		last = must(p.CreateCoupon(ctx, in))
		full.CouponID, full.Code = last.ID, fmt.Sprint("FULL-", i)
		must(p.CreateCode(ctx, full))
		must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: last.ID, Code: fmt.Sprint("PLAIN-", i), AffiliateID: mara.ID}))
		posts.there = false
		done, err := client.Coupon(ctx, p, last.ID)
		if err != nil || len(done.Created) != 3 {
			t.Fatalf("%s: %+v, %v; %q", in.Name, done, err, posts.requests)
		}
		posts.there = true // what stripe-mock has is another coupon: name and switch are brought over
		if _, err := client.Coupon(ctx, p, last.ID); err != nil {
			t.Fatalf("%s again: %v; %q", in.Name, err, posts.requests)
		}
	}
	for d, err := range client.Check(ctx, p) {
		if err != nil {
			t.Fatal(d, err)
		}
	}
	changes := 0
	for _, rq := range posts.requests {
		if !strings.HasSuffix(rq, " 200") {
			t.Error(rq)
		}
		if strings.HasPrefix(rq, "POST /v1/coupons/") || strings.HasPrefix(rq, "POST /v1/promotion_codes/") {
			changes++
		}
	}
	if changes < 2 {
		t.Errorf("%d changes: %q", changes, posts.requests)
	}
	want := []string{
		"active", "amount_off", "applies_to[products][0]", "applies_to[products][1]", "code", "currency", "customer", "duration", "duration_in_months",
		"expires_at", "id", "max_redemptions", "name", "percent_off", "promotion[coupon]", "promotion[type]", "redeem_by",
		"restrictions[first_time_transaction]", "restrictions[minimum_amount]", "restrictions[minimum_amount_currency]",
	}
	if got := posts.sent(); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// TestStripeMockRefuses: what Stripe's description does not have is refused, so the
// test above can fail.
func TestStripeMockRefuses(t *testing.T) {
	base := stripeMock(t)
	for body, want := range map[string]int{"coupon=a&code=B": 400, "promotion[type]=coupon&promotion[coupon]=a&code=B": 200, "promotion[type]=coupon&promotion[coupon]=a&colour=red": 400} {
		rq := must(http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/promotion_codes", strings.NewReader(body)))
		rq.Header.Set("Authorization", "Bearer "+key)
		rq.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer := must(http.DefaultClient.Do(rq))
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", body, answer.StatusCode, want)
		}
	}
}
