package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
)

// TestBooks: the key of an API is given in the console, where nobody sees it again, and stays when the
// secret changes; a provider that does not answer is said. A payment that the provider does not have is shown and listed in the
// overview until somebody accepts it; it stays accepted when the books are compared again.
func TestBooks(t *testing.T) {
	answers := http.StatusUnauthorized
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer rk_live_reads" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(answers)
		fmt.Fprint(w, `{"object":"list","data":[],"has_more":false}`)
	}))
	defer api.Close()
	file, env := inFolder(t, "program.db"), environment{"TRIBUTARY_SEAL_KEY": strings.Repeat("5e", 32)}
	s := launchIn(t, env, "-file", file, "-allow-private-webhooks") // the API is on this machine
	s.ada()
	b := s.browse()
	shows := func(path string, texts ...string) string {
		t.Helper()
		var page string
		for range 250 {
			_, page = b.open(path)
			missing := ""
			for _, text := range texts {
				if !strings.Contains(page, text) {
					missing = text
				}
			}
			if missing == "" {
				return page
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("%s lacks one of %q:\n%s", path, texts, page)
		return ""
	}
	if status, page := b.fill("providers/stripe/connect", "secret", stripeSecret, "API_KEY", "rk_live_reads", "API_URL", "http://stripe.example"); status == http.StatusOK || !strings.Contains(page, "not https") || strings.Contains(page, "rk_live_reads") {
		t.Errorf("an address without https: %d\n%s", status, page)
	}
	if status, page := b.fill("providers/stripe/connect", "secret", stripeSecret, "API_KEY", "rk_live_reads", "API_URL", api.URL); status != http.StatusOK || strings.Contains(page, "rk_live_reads") {
		t.Fatalf("connect: %d\n%s", status, page)
	}
	shows("providers/stripe/books", "failed", "/v1/events answered 401")
	shows("", "Books differ", "cannot be read")

	old := time.Now().Add(-50 * time.Hour).Unix()
	body := checkout(t)
	var event map[string]any
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		t.Fatal(err)
	}
	event["created"] = old
	event["data"].(map[string]any)["object"].(map[string]any)["created"] = old
	raw, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	if status := s.byStripe(stripeSecret, string(raw)); status != http.StatusNoContent {
		t.Fatalf("an event: %d", status)
	}
	s.sold("pi_1")
	answers = http.StatusOK
	if status, page := b.fill("providers/stripe/connect", "secret", anotherSecret, "API_URL", "https://api.stripe.example"); status == http.StatusOK || !strings.Contains(page, "Give the key again") {
		t.Errorf("the key would go elsewhere: %d\n%s", status, page)
	}
	if status, page := b.fill("providers/stripe/connect", "secret", anotherSecret, "API_URL", api.URL); status != http.StatusOK { // the key stays
		t.Fatalf("another secret: %d\n%s", status, page)
	}
	page := shows("providers/stripe/books", "only the program has it", "pi_1", "120.00")
	if strings.Contains(page, "failed") || strings.Contains(page, "rk_live_reads") {
		t.Errorf("the page:\n%s", page)
	}
	if _, form := b.open("providers/stripe/connect"); strings.Contains(form, "rk_live_reads") || !strings.Contains(form, "Leave this empty to keep it") {
		t.Errorf("the form:\n%s", form)
	}
	shows("", "Books differ", "pi_1")
	if _, file := b.open("providers/stripe/books/differences.csv"); !strings.Contains(file, `"unknown"`) {
		t.Errorf("the file: %s", file)
	}
	_, rest, _ := strings.Cut(page, "providers/stripe/books/")
	for !strings.HasPrefix(rest[36:], "/accept") {
		_, rest, _ = strings.Cut(rest, "providers/stripe/books/")
	}
	if status, page := b.fill("providers/stripe/books/"+rest[:36]+"/accept", "why", "paid at the fair"); status != http.StatusOK || !strings.Contains(page, "paid at the fair") {
		t.Errorf("accept: %d\n%s", status, page)
	}
	before := shows("providers/stripe/books", "paid at the fair")
	if status, _ := b.fill("providers/stripe/books/read", "since", time.Now().AddDate(0, 0, -20).Format(time.DateOnly)); status != http.StatusOK {
		t.Errorf("read: %d", status)
	}
	compared := func(page string) string {
		_, rest, _ := strings.Cut(page, "<dt>Compared</dt>")
		rest, _, _ = strings.Cut(rest, "</dd>")
		return rest
	}
	for range 250 {
		if _, page = b.open("providers/stripe/books"); compared(page) != compared(before) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !strings.Contains(page, "paid at the fair") {
		t.Errorf("after another comparison:\n%s", page)
	}
	if _, page := b.open(""); strings.Contains(page, "Books differ") {
		t.Error("what was accepted is still in the overview")
	}
	s.stop()
	if strings.Contains(s.said.String(), "rk_live_reads") {
		t.Error("the log has the key")
	}
}

// TestKeptComparison: what a shorter comparison did not look at stays, what was accepted stays so as long as its amounts are
// the same, and what has no place is counted.
func TestKeptComparison(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	differs := func(key string, days int, paid string) adapter.Difference {
		return adapter.Difference{Kind: adapter.DifferentMissing, Keys: []string{key}, At: affiliate.TimeOf(now.AddDate(0, 0, -days)), Currency: "USD",
			Sums: adapter.Sums{TheirPaid: affiliate.MustAmount(paid)}, PaymentID: affiliate.Null[uuid.UUID](), SaleID: affiliate.Null[affiliate.SaleID]()}
	}
	of := func(all ...adapter.Difference) adapter.Comparison { return adapter.Comparison{Differences: all} }
	named := func(k keptComparison) (all string) {
		for _, d := range k.Differences {
			all += d.Keys[0]
			if _, is := k.Accepted[differenceID(&d)]; is {
				all += "*"
			}
		}
		return fmt.Sprint(all, " ", k.open())
	}
	k := keptComparison{}.with(of(differs("a", 40, "1"), differs("b", 20, "1"), differs("c", 1, "1")), now.AddDate(0, 0, -60), now)
	for i := range 2 {
		if k.Accepted == nil {
			k.Accepted = map[uuid.UUID]accepted{}
		}
		k.Accepted[differenceID(&k.Differences[i])] = accepted{By: "Kim"}
	}
	if got := named(k); got != "a*b*c 1" {
		t.Error(got)
	}
	later := k.with(of(differs("b", 20, "2"), differs("d", 1, "1")), now.AddDate(0, 0, -28), now)
	if got := named(later); got != "a*bd 2" {
		t.Error(got)
	}
	if got := named(k.with(of(differs("b", 20, "1")), now.AddDate(0, 0, -28), now)); got != "a*b* 0" {
		t.Error(got)
	}
	var many []adapter.Difference
	for i := range 1_000 {
		many = append(many, differs(fmt.Sprint("payment_of_a_long_name_", i), i%30, "1"))
	}
	raw, err := keptComparison{}.with(of(many...), now.AddDate(0, 0, -60), now).fitting()
	var read keptComparison
	if err != nil || len(raw) > 64<<10 || len(raw) < 30<<10 || json.Unmarshal(raw, &read) != nil || read.open() != 1_000 {
		t.Errorf("%d bytes, %d open, %v", len(raw), read.open(), err)
	}
}

// TestSaysProgress: who waits hears how far a long reading is, and about how long it takes.
func TestSaysProgress(t *testing.T) {
	var said strings.Builder
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	says := saysProgress(&said, "stripe", now.AddDate(0, 0, -100), func() time.Time { return now })
	now = now.Add(time.Minute)
	for read := 1_000; read <= 20_000; read += 1_000 {
		says(read, now.Add(-time.Minute).AddDate(0, 0, -100+read/400))
	}
	if want := "stripe: 10000 events, until 2026-09-16, about 3m0s more\nstripe: 20000 events, until 2026-10-11, about 1m0s more\n"; said.String() != want {
		t.Errorf("%s, want %s", said.String(), want)
	}
}
