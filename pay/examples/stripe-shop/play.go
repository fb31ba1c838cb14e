package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/stripe"
)

// events are the events that Stripe sent: a Checkout session, a refund, a dispute and its end.
//
//go:embed events
var events embed.FS

// madeUp is the secret of a play. It signs only what the play itself sends.
const madeUp = "whsec_only_for_the_play"

// session is the event of the Checkout session.
const session = "1_session"

// opening is the time at which a play begins.
var opening = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A stage is a shop with a clock that its events set.
type stage struct {
	*shop
	out    io.Writer
	secret string // that signs the events
	now    time.Time
	last   pay.Result

	cookies []*http.Cookie // of the visitor
	carried checkout       // what the checkout took along
}

// newStage opens the shop of a play on a store.
func newStage(ctx context.Context, store record.Store, stdout, stderr io.Writer) (*stage, error) {
	st := &stage{out: stdout, secret: madeUp, now: opening}
	var err error
	st.shop, err = open(ctx, store, settings{
		secret: madeUp, now: func() time.Time { return st.now }, rand: rand.NewChaCha8([32]byte{}),
		onResult: func(_ context.Context, r pay.Result) { st.last = r }, logs: stderr,
	})
	return st, err
}

// play runs a payment from the click to the end of its dispute.
func play(ctx context.Context, stdout, stderr io.Writer) error {
	st, err := newStage(ctx, memstore.New(), stdout, stderr)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		st.click, st.checkout,
		st.event(session), st.event(session), st.payout,
		st.event("2_refund"), st.event("3_dispute"), st.event("4_won"),
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := st.Verify(ctx); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "Verify: holds")
	return nil
}

// visit makes a request as the visitor's browser does.
func (st *stage) visit(ctx context.Context, method, target string) *http.Response {
	r := httptest.NewRequestWithContext(ctx, method, target, nil)
	for _, c := range st.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	st.mux.ServeHTTP(w, r)
	return w.Result()
}

// click returns the visitor who follows the affiliate's link.
func (st *stage) click(ctx context.Context) error {
	answer := st.visit(ctx, http.MethodGet, "/?ref="+slug)
	if st.cookies = answer.Cookies(); len(st.cookies) == 0 {
		return errors.New("the click was not recorded")
	}
	return st.say(ctx, "GET /?ref="+slug, answer.StatusCode, "click "+st.cookies[0].Value)
}

// checkout returns the visitor who buys. A real shop sends the answer to Stripe.
func (st *stage) checkout(ctx context.Context) error {
	answer := st.visit(ctx, http.MethodPost, "/checkout")
	if err := json.NewDecoder(answer.Body).Decode(&st.carried); err != nil {
		return err
	}
	metadata, err := json.Marshal(st.carried.Metadata)
	if err != nil {
		return err
	}
	return st.say(ctx, "POST /checkout", answer.StatusCode, "metadata "+string(metadata))
}

// payout pays what the affiliate has earned.
func (st *stage) payout(ctx context.Context) error {
	st.now = st.now.AddDate(0, 1, 0)
	p, err := st.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: st.mara.ID, ManuallyPaid: true})
	if err != nil {
		return err
	}
	return st.say(ctx, "a payout", 0, fmt.Sprintf("payout of %s %s", p.Amount.Format(st.Config().Currency), p.Status))
}

// event sends a recorded event.
func (st *stage) event(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		body, err := st.recorded(name)
		if err != nil {
			return err
		}
		kind, code, err := st.send(ctx, body)
		if err != nil {
			return err
		}
		return st.say(ctx, kind, code, st.said(st.last))
	}
}

// recorded reads an event. A session has the metadata of the checkout.
func (st *stage) recorded(name string) ([]byte, error) {
	body, err := events.ReadFile("events/" + name + ".json")
	if err != nil || name != session {
		return body, err
	}
	metadata, err := json.Marshal(st.carried.Metadata)
	if err != nil {
		return nil, err
	}
	const field = "\n      \"metadata\": " // of the session; others are deeper
	return bytes.Replace(body, []byte(field+"{}"), append([]byte(field), metadata...), 1), nil
}

// send signs an event and sends it at its time. Stripe sends again what was not
// accepted; a play ends there.
func (st *stage) send(ctx context.Context, body []byte) (kind string, code int, err error) {
	var envelope struct {
		Type    string
		Created int64
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return "", 0, err
	}
	st.now = time.Unix(max(envelope.Created, st.now.Unix()), 0).UTC()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/webhooks/stripe", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set(stripe.HeaderName, stripe.Sign(st.secret, st.now, body))
	w := httptest.NewRecorder()
	st.mux.ServeHTTP(w, r)
	if w.Code/100 != 2 {
		return envelope.Type, w.Code, fmt.Errorf("%s: the answer is %d %s", envelope.Type, w.Code,
			bytes.TrimSpace(w.Body.Bytes()))
	}
	return envelope.Type, w.Code, nil
}

// say prints a line: when and what happened, the answer, and what the affiliate
// has.
func (st *stage) say(ctx context.Context, what string, code int, answer string) error {
	money, err := st.money(ctx)
	if err != nil {
		return err
	}
	status := "   "
	if code != 0 {
		status = fmt.Sprint(code)
	}
	_, err = fmt.Fprintf(st.out, "%s  %-26s  %s  %s\n%45s%s\n", st.now.Format(time.DateOnly), what,
		status, answer, "", money)
	return err
}
