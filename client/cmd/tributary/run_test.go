package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
)

// TestAllSales (check 60): --all prints every page, each before the next is
// asked for, and the table fits 100 columns.
func TestAllSales(t *testing.T) {
	w := newWorld(t)
	w.ada()
	for range 10_000 {
		w.sell(t.Context(), "12345.67")
	}
	asked := 0
	w.answers(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			asked++
			h.ServeHTTP(rw, r)
		})
	})
	out := &watchedOutput{asked: &asked}
	if code := run(t.Context(), []string{"sales", "list", "--json", "--all"}, env(w.url), nil, out, out); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if asked != 20 || out.first != 1 || out.most > 2<<20 {
		t.Errorf("%d requests, the first output after %d, at most %d bytes between two requests", asked, out.first, out.most)
	}
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/api/v1/sales", nil)
	r.Header.Set("Authorization", "Bearer "+testKey)
	w.api.ServeHTTP(rec, r)
	var want, got bytes.Buffer
	must(0, json.Compact(&want, rec.Body.Bytes()))
	must(0, json.Compact(&got, out.Bytes()))
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("%d bytes, the API has %d", got.Len(), want.Len())
	}
	table := w.ok("sales", "list", "--all", "--limit", "1000")
	if n := strings.Count(table, "\n"); n != 10_001 {
		t.Errorf("a table of %d lines", n)
	}
	fits(t, table)
}

// A watchedOutput is an output that knows how many requests were made before it.
type watchedOutput struct {
	bytes.Buffer
	asked             *int
	first, seen, most int
	since             int
}

func (w *watchedOutput) Write(b []byte) (int, error) {
	if w.Len() == 0 {
		w.first = *w.asked
	}
	if *w.asked != w.seen {
		w.seen, w.since = *w.asked, 0
	}
	w.since += len(b)
	w.most = max(w.most, w.since)
	return w.Buffer.Write(b)
}

// fits refuses lines of more than 100 characters.
func fits(t *testing.T, table string) {
	t.Helper()
	for line := range strings.Lines(table) {
		if width(strings.TrimSuffix(line, "\n")) > 100 {
			t.Errorf("a line of %d characters: %s", width(line), line)
			return
		}
	}
}

// TestExitCodes (check 61): each exit code, with the code and the field of a
// refusal, and nothing on standard output.
func TestExitCodes(t *testing.T) {
	w := newWorld(t)
	w.ada()
	w.sell(t.Context(), "100")
	for _, tt := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"sales", "list"}, 0, ""},
		{[]string{"sales", "get", "77"}, 1, "error: there is no such record (not_found)\n"},
		{[]string{"sales", "refund", "77"}, 1, "error: Sale not found (sale_not_found)\n"},
		{[]string{"sales", "search", "--status", "LOST"}, 1, ", status)\n"},
		{[]string{"sales", "list", "--limit", "0"}, 2, "error: --limit is 1 to 1000\n"},
		{[]string{"sales", "list", "--affiliate-id", "a", "--affiliate-email", "b"}, 2, "error: sales list takes one filter at a time; search combines them\n"},
		{[]string{"sales", "lose"}, 2, "error: sales has no verb lose; see tributary sales help\n"},
		{[]string{"nothing"}, 2, "error: there is no group nothing; see tributary help\n"},
		{[]string{"sales", "refund", "1", "--amount", "ten"}, 2, "it is not a number such as 19.9; see tributary sales refund --help\n"},
		{[]string{"sales", "delete", "1"}, 2, "error: this would delete the sale; say --yes\n"},
		{[]string{"api", "GET", "sales"}, 2, "error: the path begins with / and is what follows /api/v1\n"},
		{[]string{"api", "GET", "/sales?limit=no"}, 1, ", limit)\n"},
		{[]string{"sales", "delete", "1", "--idempotency-key", "a b", "--yes"}, 2, "(idempotency_key_invalid)\n"},
	} {
		got := w.cli(tt.args...)
		if got.code != tt.code || !strings.HasSuffix(got.err, tt.err) || tt.err == "" && got.err != "" || (got.out == "") != (tt.code > 0) {
			t.Errorf("%q: got %d, stdout %.60q, stderr %q; want %d, %q", tt.args, got.code, got.out, got.err, tt.code, tt.err)
		}
	}
	if _, err := w.Sale(t.Context(), 1); err != nil {
		t.Errorf("the sale is gone: %v", err)
	}
	t.Run("3", func(t *testing.T) {
		got := at(t, "http://127.0.0.1:1", nil, "sales", "list")
		if got.code != 3 || got.out != "" || !strings.HasPrefix(got.err, "error: no answer: ") || strings.Contains(got.err, "idempotency") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("130", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		url := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // the server sees the end of the connection only behind the body
			cancel()
			<-r.Context().Done()
		}))
		var out, err bytes.Buffer
		code := run(ctx, []string{"sales", "refund", "1"}, env(url), nil, &out, &err)
		if code != 130 || out.Len() > 0 || !strings.HasPrefix(err.String(), "interrupted\nthe outcome is unknown: repeat the same command with --idempotency-key ") {
			t.Errorf("got %d, %q, %q", code, out.String(), err.String())
		}
	})
}

// A person answers questions.
type person struct{ *strings.Reader }

func (person) Terminal() bool { return true }

// TestConfirmation: a person is asked, and --yes answers for a script.
func TestConfirmation(t *testing.T) {
	w := newWorld(t)
	w.ada()
	w.sell(t.Context(), "100")
	got := at(t, w.url, person{strings.NewReader("y\n")}, "sales", "delete", "1")
	if got.code != 2 || got.err != "This will delete the sale 1. Type yes: error: nothing was done\n" {
		t.Errorf("got %+v", got)
	}
	if got = at(t, w.url, person{strings.NewReader("yes\n")}, "sales", "delete", "1"); got.code != 0 {
		t.Errorf("got %+v", got)
	}
	w.sell(t.Context(), "100")
	w.ok("sales", "delete", "--yes", "2")
	for _, c := range commands {
		if asks := c.method == "DELETE" && c.group != "holds" || c.verb == "ban" || c.verb == "merge" || c.verb == "erase" || c.name() == "links release" || c.name() == "payouts run" || c.name() == "prune"; asks != (c.ask != "") {
			t.Errorf("%s asks: %v", c.name(), !asks)
		}
	}
}

// TestUnknownOutcome (check 63): a server that is cut off after it stored a
// refund gets the same refund again, and there is one.
func TestUnknownOutcome(t *testing.T) {
	w := newWorld(t)
	w.ada()
	w.sell(t.Context(), "100")
	w.answers(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	})
	got := w.cli("sales", "refund", "1", "--amount", "10")
	_, key, told := strings.Cut(strings.TrimSpace(got.err), "--idempotency-key ")
	if got.code != 3 || got.out != "" || !told || key == "" {
		t.Fatalf("got %+v", got)
	}
	w.wrap.Store(nil)
	w.ok("sales", "refund", "1", "--amount", "10", "--idempotency-key", key)
	if s := must(w.Sale(t.Context(), 1)); s.RefundedAmount != affiliate.MustAmount("10") {
		t.Errorf("%v is refunded", s.RefundedAmount)
	}
}

// TestKeyIsSafe (check 64): the key is no flag, and is sent over http to
// loopback only.
func TestKeyIsSafe(t *testing.T) {
	for _, c := range commands {
		j := &job{app: &app{}, command: &c, input: map[string]any{}}
		j.flags().VisitAll(func(f *flag.Flag) {
			if strings.Contains(f.Name, "api-key") || strings.Contains(f.Name, "token") || f.Name == "key" {
				t.Errorf("%s has the flag %s", c.name(), f.Name)
			}
		})
	}
	if got := at(t, "http://partners.example", nil, "sales", "list"); got.code != 2 || !strings.Contains(got.err, "https") {
		t.Errorf("got %+v", got)
	}
	path := filepath.Join(t.TempDir(), "key")
	must(0, os.WriteFile(path, []byte(testKey+"\n"), 0o600))
	w := newWorld(t)
	var out, err bytes.Buffer
	from := environ(map[string]string{"TRIBUTARY_URL": w.url, "TRIBUTARY_KEY_FILE": path})
	if code := run(t.Context(), []string{"affiliates", "list"}, from, nil, &out, &err); code != 0 {
		t.Errorf("a key in a file: %d, %s", code, err.String())
	}
	echo := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		status := 200
		if r.URL.Path == "/api/v1/links" {
			status = 400
			rw.Header().Set("Error-Code", r.Header.Get("Authorization"))
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		fmt.Fprintf(rw, `{"id":%q,"error":%[1]q}`, r.Header.Get("Authorization"))
	}))
	for _, args := range [][]string{{"sales", "get", "1"}, {"sales", "get", "1", "--json"}, {"links", "get", "x"}} {
		if got := at(t, echo, nil, args...); !strings.Contains(got.out+got.err, "***") {
			t.Errorf("%q: got %+v", args, got)
		}
	}
}

// TestHostileServer (check 65): texts of a server act on no terminal, and are
// cut for people.
func TestHostileServer(t *testing.T) {
	bad := "\x1b]0;owned\x07\u009b31m\u202egnp.exe" + strings.Repeat("A", 1<<20)
	text := must(json.Marshal(bad))
	raw := bytes.ReplaceAll(text, []byte(`\u009b`), []byte("\u009b"))
	url := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/v1/links":
			rw.WriteHeader(400)
			fmt.Fprintf(rw, `{"error":%s}`, raw[:40<<10-1])
		case "/api/v1/coupons":
			rw.WriteHeader(500)
			fmt.Fprintf(rw, `{"error":%s"}`, raw[:40<<10])
		default:
			fmt.Fprintf(rw, "[{\"id\":%s,\r\"email\":%[1]s,\"totalEarned\":1,\"affiliate\":{\"email\":%[1]s}}]", raw)
		}
	}))
	for _, args := range [][]string{
		{"referrals", "list"}, {"sales", "list", "--json"}, {"affiliates", "ban", "x", "--yes"}, {"links", "list"}, {"coupons", "list"}, {"api", "GET", "/sales"},
	} {
		got := at(t, url, nil, args...)
		for _, s := range []string{got.out, got.err} {
			if strings.ContainsFunc(s, func(r rune) bool { return acts(r) && r != '\n' }) {
				t.Errorf("%q: an escape sequence reaches the terminal: %.80q", args, s)
			}
		}
		if got.code == 0 && !strings.Contains(got.out, `1b]0;owned`) {
			t.Errorf("%q: the text is not shown: %.80q", args, got.out)
		}
		if len(got.err) > 4<<10 || len(got.out) > 4<<10 && args[0] != "api" && args[len(args)-1] != "--json" {
			t.Errorf("%q: %d and %d bytes", args, len(got.out), len(got.err))
		}
	}
}

// TestInert: what acts on a terminal is shown, and places are counted.
func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本": "plain é 日本", "a\x1b[31mb": `a\x1b[31mb`, "\xff": `\xff`, "\u0085": `\x85`, "\u202e": `\u202e`, "a\nb": `a\x0ab`,
	} {
		if got := inert(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	for _, tt := range []struct {
		in, want string
		places   int
	}{{"abcdef", "abcdef", 6}, {"abcdefg", "abcde…", 6}, {"日本日本", "日本…", 6}, {"日本日", "日本日", 6}, {"", "", 3}} {
		if got := cut(tt.in, tt.places); got != tt.want || width(got) > tt.places {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestApi: any operation, with a body from an argument, a file and standard
// input.
func TestApi(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	body := func(n int) string { return fmt.Sprintf(`{"link":"bean-%d","affiliateId":%q}`, n, a.ID) }
	path := filepath.Join(t.TempDir(), "body.json")
	must(0, os.WriteFile(path, []byte(body(2)), 0o600))
	w.ok("api", "POST", "/links", "-d", body(1))
	w.ok("api", "-d", "@"+path, "post", "/api/v1/links")
	if got := at(t, w.url, strings.NewReader(body(3)), "api", "POST", "/links", "-d", "-"); got.code != 0 {
		t.Errorf("got %+v", got)
	}
	var links []struct{ Link string }
	must(0, json.Unmarshal([]byte(w.ok("api", "GET", "/links?affiliateId="+a.ID.String())), &links))
	var got []string
	for _, l := range links {
		got = append(got, l.Link)
	}
	for n := 1; n <= 3; n++ {
		if !strings.Contains(strings.Join(got, " "), fmt.Sprintf("bean-%d", n)) {
			t.Errorf("there is no link %d: %q", n, got)
		}
	}
	if got := w.cli("api", "POST", "/links", "-d", "{"); got != (result{2, "", "error: -d is not JSON\n"}) {
		t.Errorf("got %+v", got)
	}
}

const dayPage = "../../../docs/command-line.md"

// TestDay: the transcript in docs/command-line.md is what its commands print, one
// after the other, for a program whose clock and ids are fixed.
func TestDay(t *testing.T) {
	w := newDay(t)
	page := string(must(os.ReadFile(dayPage)))
	var out strings.Builder
	ran, inside := 0, false
	for line := range strings.Lines(page) {
		text, isCommand := strings.CutPrefix(strings.TrimSpace(line), "$ tributary ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = strings.HasPrefix(line, "```console")
			out.WriteString(line)
		case !inside:
			out.WriteString(line)
		case isCommand:
			ran++
			if *update {
				text = w.named(text)
			}
			out.WriteString("$ tributary " + text + "\n" + w.typed(text))
		}
	}
	if ran < 15 {
		t.Errorf("only %d commands", ran)
	}
	if *update {
		must(0, os.WriteFile(dayPage, []byte(out.String()), 0o644))
	}
	if diff := cmp.Diff(page, out.String()); diff != "" {
		t.Errorf("the page is not what the commands print; go test -run TestDay -update writes it (-page +now):\n%s", diff)
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// newDay is a program in which two affiliates wait and a delivery has failed.
func newDay(t *testing.T) *world {
	w := newWorld(t)
	ctx := t.Context()
	for i, name := range []string{"Mara Lindqvist", "Tom Ode"} {
		first, last, _ := strings.Cut(name, " ")
		a := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: first, LastName: last, Email: strings.ToLower(first) + "@example.com", AffiliateStatus: "inactive"}))
		must(w.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Email: fmt.Sprintf("pay%d@example.com", i), Method: "PAYPAL"}))
	}
	must(w.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://shop.example/hooks", Events: []affiliate.EventType{affiliate.CouponCreated}}))
	must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	for _, c := range must(w.Webhooks().ClaimDeliveries(ctx, 10, time.Minute)) {
		must(0, w.Webhooks().SettleDeliveries(ctx, []affiliate.Attempt{{Delivery: c.Delivery, Token: c.Token, At: w.now, URL: c.URL, Status: 500}}))
	}
	return w
}

// named puts ids where the page has the words that stand for them while it is
// written: a new command is written with these.
func (w *world) named(text string) string {
	ctx, one := w.t.Context(), affiliate.Page{Limit: 1}
	person := func(email string) string { return must(w.Affiliate(ctx, email)).ID.String() }
	of := map[string]func() string{
		"MARA": func() string { return person("mara@example.com") }, "TOM": func() string { return person("tom@example.com") },
		"PLAN":   func() string { return must(w.Plans(ctx, one)).Items[0].ID.String() },
		"COUPON": func() string { return must(w.Coupons(ctx, affiliate.CouponQuery{}, one)).Items[0].ID.String() },
		"CODE":   func() string { return must(w.Codes(ctx, affiliate.CodeQuery{}, one)).Items[0].Code },
		"PAYOUT": func() string { return must(w.Payouts(ctx, affiliate.PayoutQuery{}, one)).Items[0].ID.String() },
		"DELIVERY": func() string {
			return must(w.Webhooks().Deliveries(ctx, affiliate.DeliveryQuery{State: affiliate.DeliveryFailed}, one)).Items[0].ID.String()
		},
	}
	for name, find := range of {
		if strings.Contains(text, "THE-"+name) {
			text = strings.ReplaceAll(text, "THE-"+name, find())
		}
	}
	return text
}

var (
	word = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)
	took = regexp.MustCompile(`(tookMs +)\d+`)
)

// typed runs a command as a shell would, with its | tail -n.
func (w *world) typed(command string) string {
	w.t.Helper()
	w.now = w.now.Add(time.Minute)
	command, tail, piped := strings.Cut(command, " | tail -n ")
	var args []string
	for _, arg := range word.FindAllString(command, -1) {
		args = append(args, strings.Trim(arg, `"'`))
	}
	got := w.cli(args...)
	if got.code != exitDone {
		w.t.Errorf("tributary %s: %d %s", command, got.code, got.err)
	}
	lines := slices.Collect(strings.Lines(took.ReplaceAllString(got.out, "${1}2")))
	if piped {
		lines = lines[max(0, len(lines)-must(strconv.Atoi(tail))):]
	}
	return strings.Join(lines, "")
}

// TestLinesAndRules: a sale with lines, a refund of one and a plan with rules, as JSON
// from the command line, from a file and from standard input. Numbers are sent as they
// are written.
func TestLinesAndRules(t *testing.T) {
	w := newWorld(t)
	w.ada()
	path := filepath.Join(t.TempDir(), "lines.json")
	const lines = `[{"id":"1","productId":"beans","amount":60.0001},{"id":"2","amount":40}]`
	must(0, os.WriteFile(path, []byte(lines), 0o600))
	sale := []string{"sales", "create", "--email", "kim@example.com", "--total-earned", "100.0001"}
	w.ok(append(sale, "--lines", "@"+path)...)
	w.ok(append(sale, "--lines", lines)...)
	if got := at(t, w.url, strings.NewReader(lines), append(sale, "--lines", "-")...); got.code != exitDone {
		t.Errorf("got %+v", got)
	}
	w.ok("sales", "refund", "3", "--amount", "40", "--lines", `[{"id":"2","amount":40}]`)
	for id := range affiliate.SaleID(3) {
		s := must(w.Sale(t.Context(), id+1))
		if len(s.Lines) != 2 || s.Lines[0].Amount != affiliate.MustAmount("60.0001") || (s.Lines[1].Refunded.Sign() > 0) != (id == 2) {
			t.Errorf("got %+v", s.Lines)
		}
	}
	for args, want := range map[string]string{
		"--lines [":                        "it is not JSON",
		"--lines @" + path + ".none":       "no such file",
		"--lines [] --lines []":            "it is given twice",
		`--lines [{"id":"1","amount":-1}]`: "lines[0].amount must be at least 0",
	} {
		if got := w.cli(append(sale, strings.Fields(args)...)...); got.code == exitDone || !strings.Contains(got.err, want) {
			t.Errorf("%s: %+v", args, got)
		}
	}

	out := w.ok("plans", "create", "--name", "Gold", "--commission-rate", "30", "--rules", `[{"name":"cards","when":{"categories":["card"]},"pay":{"commissionType":"NONE"}}]`, "--months-from", "REFERRAL", "--json")
	plans := must(w.Plans(t.Context(), affiliate.Page{})).Items
	if len(plans) != 1 || len(plans[0].Rules) != 1 || plans[0].MonthsFrom != affiliate.MonthsFromReferral || !strings.Contains(out, `"cards"`) {
		t.Errorf("got %+v, shown as %s", plans, out)
	}
	if shown := w.ok("plans", "get", plans[0].ID.String()); !strings.Contains(shown, "cards") {
		t.Errorf("got %s", shown)
	}
	w.ok("plans", "update", plans[0].ID.String(), "--null", "rules")
	if p := must(w.Plan(t.Context(), plans[0].ID)); p.Rules != nil {
		t.Errorf("got %+v", p.Rules)
	}
}

// TestTermsFrom: "15 % from 1 January" is one command, for a plan and for the program.
func TestTermsFrom(t *testing.T) {
	w := newWorld(t)
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}))
	w.ok("plans", "update", plan.ID.String(), "--commission-rate", "15", "--from", "2199-01-01")
	if v := must(w.Plan(t.Context(), plan.ID)).Versions; len(v) != 2 || v[1].CommissionRate != affiliate.MustPercent("15") {
		t.Errorf("got %+v", v)
	}
	w.ok("plans", "update", plan.ID.String(), "--withdraw", "2199-01-01")
	if v := must(w.Plan(t.Context(), plan.ID)).Versions; v != nil {
		t.Errorf("got %+v", v)
	}
	for _, args := range [][]string{{"terms", "set", "--commission-rate", "15", "--from", "2199-01-01"}, {"terms", "list"}} {
		if out := w.ok(args...); !strings.Contains(out, "2199-01-01T00:00:00.000Z") || !strings.Contains(out, "15") {
			t.Errorf("%v: %s", args, out)
		}
	}
	if got := w.cli("terms", "set", "--commission-rate", "15", "--from", "2001-01-01"); got.code == exitDone || !strings.Contains(got.err, "from must be later than now") {
		t.Errorf("got %+v", got)
	}
}

// newInterrupt is a context that ends as on an interrupt.
func newInterrupt(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// TestFound (checks 13, 61 and 62): the exit code is 4 when the books do not hold, or
// when something waits and --fail was said, and what it is is shown; a commission that is held is accepted.
func TestFound(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	sale := w.sell(t.Context(), "100")
	if out := w.ok("verify"); !strings.Contains(out, "holds") {
		t.Errorf("got %s", out)
	}
	w.ok("sales", "review", "1", "--approval-status", "ON_HOLD")
	if list := w.ok("sales", "search", "--approval-status", "ON_HOLD"); strings.Count(list, "\n") != 2 {
		t.Errorf("got %s", list)
	}
	w.ok("sales", "review", "1", "--approval-status", "ACCEPTED")
	if s := must(w.Sale(t.Context(), sale.ID)); s.Commissions[0].ApprovalStatus != affiliate.ApprovalAccepted {
		t.Errorf("the commission is %s", s.Commissions[0].ApprovalStatus)
	}
	if got := w.cli("attention", "--fail"); got.code != exitDone || got.err != "" {
		t.Errorf("nothing waits: %+v", got)
	}
	w.ok("sales", "review", "1", "--approval-status", "ON_HOLD")
	for args, code := range map[string]int{"attention": exitDone, "attention --fail": exitFound, "attention --fail --json": exitFound, "attention --limit 21": exitRefused} {
		if got := w.cli(strings.Fields(args)...); got.code != code {
			t.Errorf("%s: %+v, want %d", args, got, code)
		}
	}
	w.ok("affiliates", "create", "--first-name", "Nia", "--last-name", "New", "--email", "nia@example.com", "--affiliate-status", "inactive")
	if out := w.ok("attention"); !strings.Contains(out, "pendingAffiliates  1: Nia New\n") || !strings.Contains(out, "heldSales          1: 1\n") || !strings.Contains(out, "failedPayouts      0\n") || !strings.Contains(out, "paymentConflicts   0\n") {
		t.Errorf("got %s", out)
	}
	must(0, w.store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(a.ID)
		rec.Clicks += 7
		return errors.Join(err, tx.Totals.Replace(rec))
	}))
	if got := w.cli("verify"); got.code != exitFound || !strings.Contains(got.out, a.ID.String()) {
		t.Errorf("got %+v", got)
	}
}

// TestPruneAsks (check 62): prune does nothing in a pipe without --yes, and says what
// it has removed; a person is erased in steps.
func TestPruneAsks(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	w.sell(t.Context(), "100")
	w.now = w.now.AddDate(0, 2, 0)
	args := []string{"prune", "--retention", `{"events":30,"receipts":2}`}
	if got := w.cli(args...); got.code != exitUsage || got.err != "error: this would drop old records for good; say --yes\n" {
		t.Errorf("got %+v", got)
	}
	if n := len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items); n == 0 {
		t.Error("the events are gone")
	}
	if out := w.ok(append(args, "--yes", "--json")...); !strings.Contains(out, `"removed":{"clicks":0,"deliveries":0,"events":3,"payments":0,"receipts":0}`) {
		t.Errorf("got %s", out)
	}
	if got := w.cli("prune", "--yes"); got.code != exitRefused || !strings.Contains(got.err, "Either before or retention is required (missing_field, before)") {
		t.Errorf("got %+v", got)
	}
	w.ok("referrals", "erase", "kim@example.com", "--yes")
	if got := w.cli("affiliates", "erase", a.ID.String(), "--yes"); got.code != exitRefused || !strings.Contains(got.err, "20 USD is owed") {
		t.Errorf("got %+v", got)
	}
	w.ok("affiliates", "erase", a.ID.String(), "--forfeit", "--yes")
	if left := must(w.Affiliate(t.Context(), a.ID.String())); left.Email != "" || left.TotalRevenue != affiliate.MustAmount("100") {
		t.Errorf("got %+v", left)
	}
}

// TestPayday: a run is previewed and made, its file is what payfile writes, and what
// comes back is booked once.
func TestPayday(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	must(w.SetPayoutDetails(t.Context(), a.ID, affiliate.PayoutDetails{Email: "ada@pay.example", Method: "PAYPAL"}))
	w.sell(t.Context(), "100")
	before := w.ok("payouts", "list")
	preview := w.ok("payouts", "run", "2026-03", "--dry-run")
	if !strings.Contains(preview, a.ID.String()) || !strings.Contains(preview, "20 USD") || w.ok("payouts", "list") != before {
		t.Errorf("got %s", preview)
	}
	if got := w.cli("payouts", "run", "2026-03"); got.code != exitUsage || w.ok("payouts", "list") != before {
		t.Errorf("without --yes: %+v", got)
	}
	w.ok("payouts", "run", "2026-03", "--yes")
	dir := t.TempDir()
	name := strings.TrimSpace(w.ok("payouts", "file", "--as", "paypal", "--label", "2026-03", "--dir", dir))
	got := must(os.ReadFile(filepath.Join(dir, name)))
	files, _, err := payfile.PayPal(w.Transfers(t.Context(), affiliate.PayoutQuery{}), "2026-03", payfile.PayPalOptions{})
	if err != nil || name != files[0].Name || string(got) != string(files[0].Data) {
		t.Errorf("%s has %q, not %q", name, got, files[0].Data)
	}
	other := w.cli("payouts", "file", "--as", "wise", "--label", "2026-03", "--dir", dir) // it was paid twice
	if other.code != exitDone || other.out != "" || !strings.Contains(other.err, "(PAYPAL) is in no file: payfile: the payout is paid by another method") {
		t.Errorf("the file for Wise: %+v", other)
	}
	if got := w.cli("payouts", "file", "--as", "paypal", "--method", "WISE", "--dir", dir); got.code != exitDone || got.out != "" || !strings.Contains(got.err, "no payout fits") {
		t.Errorf("no payout by Wise: %+v", got)
	}
	comma := w.ok("payouts", "file", "--as", "paypal", "--label", "comma", "--decimal-comma", "--dir", dir)
	if got := must(os.ReadFile(filepath.Join(dir, strings.TrimSpace(comma)))); !strings.Contains(string(got), `,"20,00",USD,`) {
		t.Errorf("got %s", got)
	}
	if again := w.cli("payouts", "file", "--as", "paypal", "--label", "2026-03", "--dir", dir); again.code != exitUsage {
		t.Errorf("a file is overwritten: %+v", again)
	}
	if wrong := w.cli("payouts", "file", "--as", "cheque"); wrong.code != exitUsage || wrong.out != "" {
		t.Errorf("got %+v", wrong)
	}
	payout := must(w.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items[0]
	results := filepath.Join(dir, "results.csv")
	for i, step := range []struct {
		said, out string
		code      int
	}{
		{"Pending", "paid 0, failed 0, returned 0, unchanged 0, waiting 1\n", 0}, {"Completed", "paid 1, failed 0, returned 0, unchanged 0, waiting 0\n", 0},
		{"Completed", "paid 0, failed 0, returned 0, unchanged 1, waiting 0\n", 0}, {"Failed", "paid 0, failed 0, returned 0, unchanged 0, waiting 0\n", exitFound}, {"Returned", "paid 0, failed 0, returned 1, unchanged 0, waiting 0\n", 0},
	} {
		must(0, os.WriteFile(results, []byte("reference,status\n"+payfile.Ref(payout.ID)+","+step.said+"\n"), 0o600))
		if got := w.cli("payouts", "results", results); got.code != step.code || got.out != step.out {
			t.Errorf("%d: got %+v", i, got)
		}
	}
	if p := must(w.Payout(t.Context(), payout.ID)); p.Status != affiliate.PayoutReturned || p.ReturnedReason.Or("") != "Returned" {
		t.Errorf("the payout is %s", p.Status)
	}
	must(0, os.WriteFile(results, []byte("nothing\n"), 0o600))
	if got := w.cli("payouts", "results", results); got.code != exitUsage || got.out != "" || !strings.Contains(got.err, "header") {
		t.Errorf("got %+v", got)
	}
}

// TestSteps: a job is done to its end, with a key of its own for each step but the
// first, whose key is the command's; what was done is added up.
func TestSteps(t *testing.T) {
	w := newWorld(t)
	tier := must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "All"}))
	w.ada()
	for i := range 2_100 {
		must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", i), CommissionPlanID: uuid.Nil}))
	}
	var mu sync.Mutex
	keys := map[string]int{}
	w.answers(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			keys[r.Header.Get("Idempotency-Key")]++
			mu.Unlock()
			h.ServeHTTP(rw, r)
		})
	})
	out := w.ok("tiers", "assign", "--json", "--idempotency-key", "first-step")
	if out != `{"changed":2101,"done":true,"looked":2101}`+"\n" {
		t.Errorf("got %s", out)
	}
	if len(keys) != 2 || keys["first-step"] != 1 || keys[""] > 0 {
		t.Errorf("the keys are %v", keys)
	}
	if a := must(w.Affiliate(t.Context(), "a0@example.com")); a.CommissionTierID.Or(uuid.Nil) != tier.ID {
		t.Errorf("the first affiliate is in %v", a.CommissionTierID)
	}
	if table := w.ok("tiers", "assign"); !strings.Contains(table, "looked   2101") || !strings.Contains(table, "changed  0") {
		t.Errorf("got %s", table)
	}
	if got := w.cli("sales", "recalculate"); got.code != 1 || !strings.Contains(got.err, "Affiliate ID, affiliate email, referral ID, or all is required") {
		t.Errorf("got %+v", got)
	}
	w.ok("sales", "recalculate", "--all")
}

// TestFollow: events are printed as they come, a line of JSON each, until the
// command is interrupted.
func TestFollow(t *testing.T) {
	w := newWorld(t)
	w.ada()
	if events := w.ok("events", "list"); strings.Count(events, "\n") != 3 || !strings.Contains(events, "referral.created") {
		t.Errorf("got %s", events)
	}
	ctx, stop := newInterrupt(t)
	out := &lines{}
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"events", "follow"}, env(w.url), nil, out, out)
	}()
	time.Sleep(50 * time.Millisecond) // the newest event is asked for
	w.sell(t.Context(), "100")
	for n := 0; n < 200 && out.count() < 1; n++ {
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	if code := <-done; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	var e struct{ Event, ObjectID string }
	first, _, _ := strings.Cut(out.text(), "\n")
	if err := json.Unmarshal([]byte(first), &e); err != nil || e.Event != "sale.created" {
		t.Errorf("%v: %s", err, out.text())
	}
	past := &lines{}
	ctx, stop = newInterrupt(t)
	time.AfterFunc(200*time.Millisecond, stop)
	run(ctx, []string{"events", "follow", "--after", "start"}, env(w.url), nil, past, past)
	if n := strings.Count(past.text(), `"eventId"`); n < 3 {
		t.Errorf("%d events from the start: %s", n, past.text())
	}
}

// lines is an output that is read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) text() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }
func (l *lines) count() int   { return strings.Count(l.text(), "\n") }

func TestMain(m *testing.M) { atlength.Main(m) }
