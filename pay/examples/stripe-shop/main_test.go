package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/stripe"
)

var update = flag.Bool("update", false, "write testdata/play.txt")

const golden = "testdata/play.txt"

// TestPlay: the play prints each answer and what the affiliate has.
func TestPlay(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), nil, os.Getenv, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q; want 0 and silence", code, &stderr)
	}
	if *update {
		if err := os.WriteFile(golden, stdout.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(stdout.String(), "\n")); diff != "" {
		t.Errorf("play (-want +got), -update writes it anew:\n%s", diff)
	}
	for _, line := range []string{"sale of 120.00 recorded, commission 20.00", "payable -5.00", "payable -20.00", "\nVerify: holds\n"} {
		if !strings.Contains(stdout.String(), line) {
			t.Errorf("the play does not print %q", line)
		}
	}
}

// A breakable store is down when it is told to be.
type breakable struct {
	record.Store
	down bool
}

func (b *breakable) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if b.down {
		return errors.New("the store is down")
	}
	return b.Store.Update(ctx, id, fn)
}

// begin plays the click and the checkout.
func begin(t *testing.T, store record.Store) (*stage, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	st, err := newStage(t.Context(), store, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(st.click(t.Context()), st.checkout(t.Context())); err != nil {
		t.Fatal(err)
	}
	return st, &out
}

// has requires what the affiliate has.
func has(t *testing.T, st *stage, want string) {
	t.Helper()
	got, err := st.money(t.Context())
	if err := errors.Join(err, st.Verify(t.Context())); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWrongSecret: an event that is signed with another secret ends the play, and
// nothing is booked.
func TestWrongSecret(t *testing.T) {
	st, _ := begin(t, memstore.New())
	st.secret = "whsec_another"
	if err := st.event(session)(t.Context()); err == nil || !strings.Contains(err.Error(), "checkout.session.completed: the answer is 401") {
		t.Errorf("error %v", err)
	}
	has(t, st, "payable 0.00")
}

// TestStoreDown: an event that comes while the store is down is booked when it
// comes again.
func TestStoreDown(t *testing.T) {
	store := &breakable{Store: memstore.New()}
	st, _ := begin(t, store)
	store.down = true
	if err := st.event(session)(t.Context()); err == nil || !strings.Contains(err.Error(), "the answer is 503") {
		t.Errorf("error %v", err)
	}
	store.down = false
	if err := st.event(session)(t.Context()); err != nil {
		t.Fatal(err)
	}
	has(t, st, "payable 20.00")
}

// TestRefusedCode: a code that Stripe took and the program refuses makes no sale,
// and the event is not sent again.
func TestRefusedCode(t *testing.T) {
	st, out := begin(t, memstore.New())
	coupon, err := st.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20 % off", PercentOff: affiliate.Set(affiliate.MustPercent("20"))})
	if err != nil {
		t.Fatal(err)
	}
	code, err := st.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "MARA20", AffiliateID: st.mara.ID})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.UpdateCode(t.Context(), code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}); err != nil {
		t.Fatal(err)
	}
	st.carried.Metadata, err = stripe.Config{Config: adapter.Config{CarryKeys: carryKeys(madeUp)}}.Carry(st.Program, nil, stripe.ViaSession, pay.Carried{Code: "MARA20", Order: "order-1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.event(session)(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "204  no sale: code_inactive") {
		t.Errorf("printed\n%s", out)
	}
	has(t, st, "payable 0.00")
}

// TestRestart: a shop that starts again on its store takes the events that it had
// without a change, and those that follow.
func TestRestart(t *testing.T) {
	store := memstore.New()
	first, _ := begin(t, store)
	if err := first.event(session)(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	again, err := newStage(t.Context(), store, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	again.carried = first.carried
	for _, name := range []string{session, "2_refund", session, "2_refund"} {
		if err := again.event(name)(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(out.String(), "duplicate"); n != 2 {
		t.Errorf("%d duplicates, want 2:\n%s", n, &out)
	}
	has(t, again, "payable 15.00")
}

// TestFlags: what cannot be run is said in a line.
func TestFlags(t *testing.T) {
	for _, row := range []struct {
		name   string
		args   []string
		secret string
		code   int
		want   string
	}{
		{"no secret", []string{"-addr", "127.0.0.1:0"}, "", 1, "stripe-shop: STRIPE_WEBHOOK_SECRET is not set: it has the secret that stripe listen prints\n"},
		{"an API key", []string{"-addr", "127.0.0.1:0"}, "sk_test_1", 1, "stripe-shop: STRIPE_WEBHOOK_SECRET: pay: configuration refused: a secret does not begin with whsec_\n"},
		{"a bad address", []string{"-addr", "nowhere"}, "whsec_1", 1, "stripe-shop: listen tcp: address nowhere: missing port in address\n"},
		{"an argument", []string{"play"}, "", 2, "stripe-shop: unexpected argument \"play\"\n"},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), row.args, func(string) string { return row.secret }, io.Discard, &stderr)
		if code != row.code || stderr.String() != row.want {
			t.Errorf("%s: exit code %d, %q", row.name, code, &stderr)
		}
	}
}

// TestListen: the handler answers over a connection, the page shows what a host
// writes, and an event with another secret gets a hint.
func TestListen(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, ended := make(printedLines, 100), make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"-addr", "127.0.0.1:0"}, func(string) string { return "whsec_right" }, out, io.Discard)
	}()
	base := strings.TrimPrefix(out.until(t, "listening on "), "listening on ")

	page := get(t, base+"/?ref=mara")
	for _, text := range []string{"click 1", "stripe.Handler(program, cfg)", "cfg.Carry(program, r, stripe.ViaSession, pay.Carried{})", "tributary_click=1"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
	st := &stage{carried: checkout{Metadata: map[string]string{"tributary_click": "1", "tributary_program": uuid.Nil.String()}}}
	body, err := st.recorded(session)
	if err != nil {
		t.Fatal(err)
	}
	body = regexp.MustCompile(`"created": \d+`).ReplaceAll(body, fmt.Appendf(nil, `"created": %d`, time.Now().Unix()))
	for _, row := range []struct {
		secret string
		code   int
		line   string
	}{
		{"whsec_wrong", 401, "an event was refused: is STRIPE_WEBHOOK_SECRET"},
		{"whsec_right", 204, "checkout.session.completed: sale of 120.00 recorded"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/webhooks/stripe", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(stripe.HeaderName, stripe.Sign(row.secret, time.Now(), body))
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != row.code {
			t.Errorf("%s: status %d", row.secret, answer.StatusCode)
		}
		out.until(t, row.line)
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// printedLines gets the lines that a program prints.
type printedLines chan string

func (p printedLines) Write(b []byte) (int, error) {
	p <- strings.TrimSpace(string(b))
	return len(b), nil
}

// until returns the next line that begins so.
func (p printedLines) until(t *testing.T, prefix string) string {
	t.Helper()
	for {
		select {
		case line := <-p:
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("nothing begins with %q", prefix)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
