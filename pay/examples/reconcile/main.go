// Reconcile is the end of a month. The endpoint of a shop was down for three days, one customer was there before
// the affiliate program, somebody reported a payment by hand, with its digits in another order, and one link leads to
// nobody. It needs no network and no keys; Stripe is in the process:
//
//	go run ./examples/reconcile
//
// in the folder of the module pay. It compares the books, catches up, decides what is left, and compares
// once more; the table is what a file for the bookkeeper would have. It prints the same every time, and ends with
// the check of the books.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/stripe"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "reconcile:", err)
		os.Exit(1)
	}
}

const secret = "whsec_of_the_endpoint"

// A shop is one with its endpoint for Stripe.
type shop struct {
	*tributary.Program
	now  time.Time
	cfg  stripe.Config
	hook http.Handler
}

func open(ctx context.Context, now time.Time) (*shop, error) {
	s := &shop{now: now}
	clock := func() time.Time { return s.now }
	var err error
	if s.Program, err = tributary.New(memstore.New(), tributary.Config{Name: "Northwind Beans", Now: clock,
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}); err != nil {
		return nil, err
	}
	for _, name := range []string{"Mara", "Ben"} {
		slug := map[string]string{"Mara": "mara", "Ben": "ben"}[name]
		if _, err := s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: name, LastName: "of the shop",
			Email: slug + "@partners.example", AffiliateLink: slug}); err != nil {
			return nil, err
		}
	}
	s.cfg = stripe.Config{Config: adapter.Config{Secrets: adapter.Secrets{secret}, CarryKeys: pay.Keys{bytes.Repeat([]byte("k"), 32)},
		Now: clock, Logger: slog.New(slog.DiscardHandler)}}
	s.hook, err = stripe.Handler(s.Program, s.cfg)
	return s, err
}

// november is what Stripe has of four weeks: 112 payments, of which Mara and Ben brought two thirds, and refunds.
func november(s *shop, first time.Time) (*account, error) {
	a := &account{}
	for n := range 112 {
		at, id := first.Add(time.Duration(n)*6*time.Hour), fmt.Sprintf("%03d", n+1)
		customer, carried := fmt.Sprintf("c%d", n%39), pay.Carried{Slug: []string{"mara", "ben", ""}[n%3]}
		switch n {
		case 30, 90:
			customer, carried.Slug = "lena", "" // a customer from before the program
		case 60:
			customer, carried.Slug = "nils", "marra"
		}
		var data map[string]string
		if carried.Slug != "" {
			var err error
			if data, err = s.cfg.Carry(s.Program, nil, stripe.ViaSession, carried); err != nil {
				return nil, err
			}
		}
		a.paid(at, id, customer, int64(2_000+50*n), data)
		if n%10 == 4 {
			a.refunded(at.Add(2*time.Hour), id, 500)
		}
	}
	return a, nil
}

// hear sends the events to the endpoint, which is down from the 12th to the 14th. Then somebody reports a payment by hand.
func (s *shop) hear(ctx context.Context, a *account) (lost int, err error) {
	for _, e := range a.events {
		if s.now = e.at; e.at.Day() >= 12 && e.at.Day() <= 14 {
			lost++
			continue
		}
		if e.at.Day() == 15 && e.at.Hour() == 0 {
			if err := s.reportByHand(ctx); err != nil {
				return 0, err
			}
		}
		r := httptest.NewRequest(http.MethodPost, "/webhooks/stripe", bytes.NewReader(e.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(stripe.HeaderName, stripe.Sign(secret, s.now, e.body))
		w := httptest.NewRecorder()
		if s.hook.ServeHTTP(w, r); w.Code/100 != 2 {
			return 0, fmt.Errorf("the endpoint answered %d", w.Code)
		}
	}
	return lost, nil
}

// reportByHand reports payment 49, of 44.00, as of 40.40. What was told of an earlier time counts, and Stripe tells it then.
func (s *shop) reportByHand(ctx context.Context) error {
	paid := affiliate.MustAmount("40.40")
	_, err := s.Payments().ReportPayment(ctx, affiliate.PaymentFact{Provider: "stripe", Keys: []string{"pi_049"}, At: s.now.Add(-36 * time.Hour), Currency: "USD",
		Payer: affiliate.PayerFact{ID: "cus_c9", Email: "c9@customers.example", Name: "c9"},
		Sale: affiliate.Set(affiliate.Paid{Gross: paid, Tries: []affiliate.Credit{{ReferralID: "mara"}},
			SaleParams: affiliate.SaleParams{TotalEarned: paid, ExternalID: "pi_049"}})})
	return err
}

func run(ctx context.Context, out io.Writer) error {
	first := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s, err := open(ctx, first)
	if err != nil {
		return err
	}
	a, err := november(s, first)
	if err != nil {
		return err
	}
	lost, err := s.hear(ctx, a)
	if err != nil {
		return err
	}
	s.now = first.AddDate(0, 0, 28)
	fmt.Fprintf(out, "November 2026: Stripe has %d events; %d were lost, from the 12th to the 14th.\n", len(a.events), lost)

	api := a.serve()
	defer api.Close()
	reads := stripe.API("rk_live_of_the_shop")
	reads.Base = api.URL
	src := stripe.Source(reads, s.cfg)
	// Whom the shop remembers: Lena came by a leaflet of Ben's.
	src.Credit = func(_ context.Context, payment pay.Action) ([]affiliate.Credit, error) {
		if payment.Payment.Payer.Email == "lena@customers.example" {
			return []affiliate.Credit{{ReferralID: "ben"}}, nil
		}
		return nil, nil
	}

	fmt.Fprintln(out, "\nBefore:")
	if _, err := s.compared(ctx, out, src, first); err != nil {
		return err
	}
	done, err := src.CatchUp(ctx, s.Program, first)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nCaught up: %d events were read, %d sales were missing.\n\nNow:\n", done.Read, done.Sales)
	left, err := s.compared(ctx, out, src, first)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, d := range left {
		if err := s.decide(ctx, out, d); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "\nAt the end:")
	if _, err := s.compared(ctx, out, src, first); err != nil {
		return err
	}
	if err := s.Verify(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "\nVerify: holds")
	return err
}

// compared says in what the books differ.
func (s *shop) compared(ctx context.Context, out io.Writer, src adapter.Source, from time.Time) ([]adapter.Difference, error) {
	c, err := src.Compare(ctx, s.Program, from)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "  %d payments of customers whom somebody brought, %d of others\n", c.Payments, c.Nobodys)
	for _, in := range slices.Sorted(maps.Keys(c.Sums)) {
		sums := c.Sums[in]
		fmt.Fprintf(out, "  %s: Stripe has %v less %v, the program %v less %v\n", in, sums.TheirPaid, sums.TheirLost, sums.OurPaid, sums.OurLost)
	}
	fmt.Fprintf(out, "  differences: %d\n", len(c.Differences))
	if len(c.Differences) == 0 {
		return nil, nil
	}
	return c.Differences, c.WriteCSV(out)
}

// decide does what a person would do in the console: it credits a payment whose link led to nobody.
func (s *shop) decide(ctx context.Context, out io.Writer, d adapter.Difference) error {
	payment, _ := d.PaymentID.Get()
	answer, err := s.Because("the link has a slip of the pen").DecidePayment(ctx, payment,
		affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale, ReferralID: "mara"})
	if made, ok := answer.Sale.Get(); ok {
		fmt.Fprintf(out, "Credited: payment %v is sale %d, of Mara.\n", d.Keys, made.ID)
	}
	return err
}
