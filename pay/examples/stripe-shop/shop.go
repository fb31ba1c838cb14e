package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/stripe"
)

// A shop sells coffee, and pays 20 % of it to the affiliate who brought the
// customer.
type shop struct {
	*tributary.Program
	mara affiliate.Affiliate
	mux  *http.ServeMux
}

// settings are what the two ways to run the shop have of their own.
type settings struct {
	secret   string
	now      func() time.Time
	rand     io.Reader // nil: crypto/rand.Reader
	onResult func(context.Context, pay.Result)
	logs     io.Writer
}

const slug = "mara"

// carryKeys sign what the checkout carries. A real shop has a key of its own.
func carryKeys(secret string) pay.Keys {
	key := sha256.Sum256([]byte("carry " + secret))
	return pay.Keys{key[:]}
}

// open opens the shop on a store, which may have been used before.
func open(ctx context.Context, store record.Store, set settings) (*shop, error) {
	program, err := tributary.New(store, tributary.Config{
		Name:         "Northwind Beans",
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Destinations: []affiliate.Destination{{URL: "https://beans.example"}},
		Now:          set.now, Rand: set.rand,
	})
	if err != nil {
		return nil, err
	}
	s := &shop{Program: program, mux: http.NewServeMux()}
	if s.mara, err = s.partner(ctx); err != nil {
		return nil, err
	}
	cfg := stripe.Config{Test: true, Config: adapter.Config{
		Secrets: adapter.Secrets{set.secret}, CarryKeys: carryKeys(set.secret), Now: set.now, OnResult: set.onResult,
		Logger: slog.New(slog.NewTextHandler(set.logs, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}}
	s.mux.Handle("POST /checkout", checkoutOf(program, cfg))
	if err := mount(s.mux, program, cfg, page{s}); err != nil {
		return nil, err
	}
	return s, nil
}

// partner returns the affiliate, who is there already when the shop opens again.
func (s *shop) partner(ctx context.Context) (affiliate.Affiliate, error) {
	const email = "mara@partners.example"
	known, err := s.Affiliate(ctx, email)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return known, err
	}
	return s.CreateAffiliate(ctx,
		affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: email,
			AffiliateLink: slug})
}

// money prints what the affiliate has.
func (s *shop) money(ctx context.Context) (string, error) {
	b, err := s.Balance(ctx, affiliate.AffiliateRef{ID: s.mara.ID})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: payable %s, paid %s", s.mara.FirstName, b.Payable.Format(b.Currency),
		b.Paid.Format(b.Currency)), nil
}

// said returns a result in a few words.
func (s *shop) said(r pay.Result) string {
	c := s.Config().Currency
	switch a := r.Action; {
	case r.Refusal != nil:
		return "refused by the program: " + r.Refusal.Error()
	case a.Kind == pay.KindIgnored:
		return "ignored: " + string(a.Reason)
	case r.Outcome == affiliate.SaleRefused && len(r.Refused) > 0:
		return "no sale: " + string(r.Refused[0].Reason)
	}
	sale, ok := r.Sale.Get()
	switch {
	case !ok:
		return strings.TrimSpace(string(r.Action.Kind) + " " + string(r.Outcome))
	case r.Outcome != "":
		return fmt.Sprintf("sale of %s %s, commission %s", sale.TotalEarned.Format(c), r.Outcome,
			sale.CommissionEarned.Format(c))
	}
	return fmt.Sprintf("%s moves %s", r.Action.Kind, r.Moved.Format(c))
}
