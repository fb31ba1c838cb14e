package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

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
