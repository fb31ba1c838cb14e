package shoptest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// Opened is the time at which the affiliates and their clicks come; events follow
// on the next day.
var Opened = time.Date(2025, 12, 31, 12, 0, 0, 0, time.UTC)

// Start is the time of the shop when its first event comes.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// ID is the program of every shop.
var ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")

// A Shop is a program of 20 % with the affiliates Mara (slug mara, click 1, code
// MARA20, known to the provider as promo_mara) and Ben (slug ben, click 2).
type Shop struct {
	*tributary.Program
	T     testing.TB
	Store record.Store
	Now   time.Time

	Mara, Ben affiliate.Affiliate
	Coupon    affiliate.Coupon
	Code      affiliate.Code

	Hook    http.Handler                                   // of the provider
	Request func(body []byte, now time.Time) *http.Request // signed
	OK      int                                            // the status of its answers
	Results []pay.Result                                   // what OnResult got
	Logs    bytes.Buffer
	Sent    [][]byte // bodies
}

// New opens a shop. At the end of the test its records are verified.
func New(t testing.TB, change ...func(*tributary.Config)) *Shop {
	t.Helper()
	s := &Shop{T: t, Store: memstore.New(), Now: Opened}
	cfg := tributary.Config{
		ID: ID, Name: "Northwind Beans",
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Now:          func() time.Time { return s.Now },
		Rand:         rand.NewChaCha8([32]byte{1}),
	}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	if s.Program, err = tributary.New(s.Store, cfg); err != nil {
		t.Fatal(err)
	}
	s.Mara, s.Ben = s.affiliate("Mara"), s.affiliate("Ben")
	s.Coupon = Must(s.CreateCoupon(t.Context(),
		affiliate.CouponParams{Name: "20 % off",
			PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	s.Code = Must(s.CreateCode(t.Context(),
		affiliate.CodeParams{CouponID: s.Coupon.ID, Code: "MARA20", AffiliateID: s.Mara.ID,
			ExternalID: "promo_mara"}))
	for _, slug := range []string{"mara", "ben"} {
		Must(s.TrackClick(t.Context(), affiliate.ClickParams{Slug: slug}))
	}
	s.Now = Start
	t.Cleanup(func() {
		if err := s.Verify(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *Shop) affiliate(name string) affiliate.Affiliate {
	return Must(s.CreateAffiliate(s.T.Context(), affiliate.AffiliateParams{
		FirstName: name, LastName: "Silva", Email: name + "@partners.example", AffiliateLink: name,
	}))
}

// Must returns the value of a call that must succeed.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// Logger writes to the shop's logs, every line.
func (s *Shop) Logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(&s.Logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// OnResult keeps the results.
func (s *Shop) OnResult(_ context.Context, r pay.Result) { s.Results = append(s.Results, r) }

// AdapterConfig is a configuration by the clock of the shop.
func (s *Shop) AdapterConfig() adapter.Config {
	return adapter.Config{CarryKeys: CarryKeys, Now: func() time.Time { return s.Now },
		Logger: s.Logger(), OnResult: s.OnResult}
}

// Last returns the result of the last event.
func (s *Shop) Last() pay.Result {
	if len(s.Results) == 0 {
		s.T.Fatal("there is no result")
	}
	return s.Results[len(s.Results)-1]
}

// Ignored requires that the last event was ignored for a reason.
func (s *Shop) Ignored(reason pay.Reason) {
	s.T.Helper()
	if a := s.Last().Action; a.Kind != pay.KindIgnored || a.Reason != reason {
		s.T.Errorf("the event is %s %s, want ignored %s", a.Kind, a.Reason, reason)
	}
}

// Outcome requires the outcome of the last event.
func (s *Shop) Outcome(want affiliate.SaleOutcome) {
	s.T.Helper()
	Same(s.T, "outcome", s.Last().Outcome, want)
}

// Status sends an event and returns the status of the answer.
func (s *Shop) Status(e Event) int {
	s.T.Helper()
	body := e.JSON()
	s.Sent = append(s.Sent, body)
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, s.Request(body, s.Now))
	return w.Code
}

// Send sends events, which must be taken.
func (s *Shop) Send(events ...Event) {
	s.T.Helper()
	for _, e := range events {
		if got := s.Status(e); got != s.OK {
			s.T.Fatalf("%v: status %d, want %d; %s", e["id"], got, s.OK, s.Logs.String())
		}
	}
}

// Pass moves the clock forward.
func (s *Shop) Pass(d time.Duration) { s.Now = s.Now.Add(d) }

// AllSales lists the sales, newest first.
func (s *Shop) AllSales() []affiliate.Sale {
	return Must(s.Sales(s.T.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
}

// Sale returns the only sale.
func (s *Shop) Sale() affiliate.Sale {
	s.T.Helper()
	all := s.AllSales()
	if len(all) != 1 {
		s.T.Fatalf("%d sales, want 1", len(all))
	}
	return all[0]
}

// Referral returns the only referral.
func (s *Shop) Referral() affiliate.Referral {
	s.T.Helper()
	all := Must(s.Referrals(s.T.Context(), affiliate.ReferralQuery{}, affiliate.Page{})).Items
	if len(all) != 1 {
		s.T.Fatalf("%d referrals, want 1", len(all))
	}
	return all[0]
}

// Earned returns what an affiliate has by sales and adjustments, in the form of the
// currency.
func (s *Shop) Earned(of affiliate.Affiliate) string {
	s.T.Helper()
	var sum affiliate.Amount
	for _, sale := range s.AllSales() {
		if sale.AffiliateID == of.ID {
			sum = Must(sum.Add(sale.CommissionEarned))
		}
	}
	for _, a := range s.Adjusted() {
		if a.AffiliateID == of.ID {
			sum = Must(sum.Add(a.Amount))
		}
	}
	balance := Must(s.Balance(s.T.Context(), affiliate.AffiliateRef{ID: of.ID}))
	if balance.Earned != sum {
		s.T.Errorf("the balance of %s is %s, sales and adjustments give %s", of.FirstName, balance.Earned, sum)
	}
	return sum.Format(s.Config().Currency)
}

// Adjusted lists the adjustments, newest first.
func (s *Shop) Adjusted() []affiliate.Adjustment {
	return Must(s.Adjustments(s.T.Context(), affiliate.AdjustmentQuery{}, affiliate.Page{})).Items
}

// Fired counts the stored events of a type; empty: all.
func (s *Shop) Fired(t affiliate.EventType) int {
	return len(Must(s.Events(s.T.Context(), affiliate.EventQuery{Type: t}, affiliate.Page{})).Items)
}

// Money returns what the affiliates have and who they have: what must not depend on
// the order of events.
func (s *Shop) Money() string {
	s.T.Helper()
	text := "Mara " + s.Earned(s.Mara) + ", Ben " + s.Earned(s.Ben)
	for _, sale := range s.AllSales() {
		text += fmt.Sprintf("; sale of %s", sale.TotalEarned)
	}
	return text
}

// Want compares what an affiliate has.
func (s *Shop) Want(of affiliate.Affiliate, want string) {
	s.T.Helper()
	if got := s.Earned(of); got != want {
		s.T.Errorf("%s has %s, want %s", of.FirstName, got, want)
	}
}

// Same compares two values.
func Same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
