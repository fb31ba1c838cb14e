// Stripe is a SaaS that sells a subscription with Stripe Checkout, and pays affiliates a part of
// what their customers pay, month after month. docs/guide-stripe.md is about it.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/stripe"
	"github.com/tributary-go/tributary/sqlitestore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	store, err := sqlitestore.Open(ctx, os.Getenv("TRIBUTARY_FILE"), sqlitestore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	site, err := open(store, os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening on http://", listener.Addr())
	err = serve.Until(ctx, serve.New(site, slog.Default()), listener)
	if err := errors.Join(err, store.Close()); err != nil {
		log.Fatal(err)
	}
}

// A saas sells one subscription.
type saas struct {
	program              *tributary.Program
	events               stripe.Config
	api, key, price, url string
}

// open returns the pages of the SaaS. Its settings are variables.
func open(store record.Store, getenv func(string) string) (http.Handler, error) {
	program, err := tributary.New(store, tributary.Config{
		ID:           uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), // yours, for good
		Destinations: []affiliate.Destination{{URL: getenv("SITE_URL")}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Review:       []affiliate.ReviewRule{affiliate.SelfReferral()},
	})
	if err != nil {
		return nil, err
	}
	s := saas{program: program, url: getenv("SITE_URL"), key: getenv("STRIPE_API_KEY"), price: getenv("STRIPE_PRICE"),
		api: cmp.Or(getenv("STRIPE_API_URL"), "https://api.stripe.com")}
	s.events.Test = strings.Contains(s.key, "_test_")
	s.events.Secrets = adapter.Secrets{getenv("STRIPE_WEBHOOK_SECRET")}
	hook, err := stripe.Handler(program, s.events)
	if err != nil {
		return nil, err
	}
	api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{getenv("TRIBUTARY_KEY")}})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /webhooks/stripe", hook) // sales, renewals, refunds, disputes
	mux.Handle("/api/v1/", api)               // who has sold what
	mux.HandleFunc("POST /subscribe", s.subscribe)
	mux.Handle("/", httpapi.Attribution(program, http.HandlerFunc(page))) // counts visits by links
	return mux, nil
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<form method="post" action="/subscribe"><button>Subscribe</button></form>`) // fails when nobody reads it
}

// subscribe sends the visitor to Stripe, which sends back with each payment what is carried.
func (s saas) subscribe(w http.ResponseWriter, r *http.Request) {
	form := url.Values{
		"mode": {"subscription"}, "line_items[0][price]": {s.price}, "line_items[0][quantity]": {"1"},
		"allow_promotion_codes": {"true"}, "success_url": {s.url}, "cancel_url": {s.url},
	}
	carried, err := s.events.Carry(s.program, r, stripe.ViaSession, pay.Carried{})
	if err != nil {
		slog.ErrorContext(r.Context(), "the checkout cannot carry the visit", "error", err)
	}
	for name, value := range carried {
		form.Set("metadata["+name+"]", value)
		form.Set("subscription_data[metadata]["+name+"]", value)
	}
	target, err := s.checkout(r.Context(), form)
	if err != nil {
		slog.ErrorContext(r.Context(), "no checkout", "error", err)
		http.Error(w, "Please try again later", http.StatusBadGateway)
		return
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// checkout makes a Checkout session at Stripe, and returns the URL of its page.
func (s saas) checkout(ctx context.Context, form url.Values) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.api+"/v1/checkout/sessions", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.SetBasicAuth(s.key, "")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", errors.New("Stripe answered " + answer.Status)
	}
	var session struct{ URL string }
	err = json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&session)
	return session.URL, err
}
