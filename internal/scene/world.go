package scene

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// Start is the time at which the clock of every test begins.
var Start = time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)

// Began is start as records hold it.
var Began = affiliate.InstantOf(Start)

// A World is a program on its own store, with a clock that a test sets.
type World struct {
	*tributary.Program
	Store record.Store // read by the tests
	Probe *Probe       // used by the program
	Now   time.Time
	T     testing.TB

	dumper *Dumper
}

// New starts a program whose ids and codes are the same in every run.
func New(t testing.TB, change ...func(*tributary.Config)) *World {
	t.Helper()
	return NewOn(t, memstore.New(), change...)
}

// NewOn is New on a store.
func NewOn(t testing.TB, store record.Store, change ...func(*tributary.Config)) *World {
	t.Helper()
	w := &World{Store: store, Probe: &Probe{Store: store}, Now: Start, T: t, dumper: new(Dumper)}
	cfg := tributary.Config{
		ID:           uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"),
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:          func() time.Time { return w.Now },
		Rand:         rand.NewChaCha8([32]byte{1}),
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := tributary.New(w.Probe, cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	w.Program = p
	return w
}

// On makes a subtest the one that fails.
func (w *World) On(t testing.TB) {
	outer := w.T
	w.T = t
	t.Cleanup(func() { w.T = outer })
}

// Pass moves the clock forward.
func (w *World) Pass(d time.Duration) { w.Now = w.Now.Add(d) }

// Ada takes on Ada.
func (w *World) Ada() Ada {
	w.T.Helper()
	ctx := context.Background()
	a := Must(w.CreateAffiliate(ctx,
		affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com",
			AffiliateLink: "ada"}))
	c := Must(w.CreateCoupon(ctx,
		affiliate.CouponParams{Name: "Autumn 20",
			PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	k := Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: c.ID, Code: "ADA20", AffiliateID: a.ID}))
	return Ada{a, c, k}
}

// Verifies fails the test unless Verify passes.
func (w *World) Verifies() {
	w.T.Helper()
	if err := w.Verify(context.Background()); err != nil {
		w.T.Errorf("Verify: %v", err)
	}
}

// Dump returns every record of the program, as Dumper.Dump does.
func (w *World) Dump() map[string][]string {
	w.T.Helper()
	return w.dumper.Dump(w.T, w.Store, w.Config().ID)
}

// Refused fails the test unless the call returns exactly this refusal before
// its first write.
func (w *World) Refused(want affiliate.Error, call func() error) {
	w.T.Helper()
	w.Probe.writes.Store(0)
	w.RefusedLate(want, call)
	if n := w.Probe.writes.Load(); n > 0 {
		w.T.Errorf("%d writes before the refusal", n)
	}
}

// RefusedLate is refused for a refusal that is found while writing, such as a
// total that is full. The call must change nothing.
func (w *World) RefusedLate(want affiliate.Error, call func() error) {
	w.T.Helper()
	before := w.Dump()
	err := call()
	got, ok := errors.AsType[*affiliate.Error](err)
	if !ok {
		w.T.Fatalf("got error %v, want the refusal %q", err, want.Message)
	}
	flat := affiliate.Error{Kind: got.Kind, Reason: got.Reason, Message: got.Message, Field: got.Field}
	if diff := cmp.Diff(want, flat); diff != "" {
		w.T.Errorf("refusal (-want +got):\n%s", diff)
	}
	if !errors.Is(err, want.Reason) {
		w.T.Errorf("errors.Is(err, %q) is false", want.Reason)
	}
	if diff := cmp.Diff(before, w.Dump()); diff != "" {
		w.T.Errorf("a refusal changed records (-before +after):\n%s", diff)
	}
}

// EventTypes returns the types of the events after the first skip, oldest
// first.
func (w *World) EventTypes(skip int) []affiliate.EventType {
	w.T.Helper()
	out := []affiliate.EventType{}
	err := w.Store.View(context.Background(), w.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{}) {
			if err != nil {
				return err
			}
			if skip--; skip < 0 {
				out = append(out, rec.Type)
			}
		}
		return nil
	})
	if err != nil {
		w.T.Fatalf("events: %v", err)
	}
	return out
}

// Fires fails the test unless call succeeds and writes exactly these events.
func (w *World) Fires(call func() error, want ...affiliate.EventType) {
	w.T.Helper()
	before := len(w.EventTypes(0))
	if err := call(); err != nil {
		w.T.Fatalf("unexpected error: %v", err)
	}
	if diff := cmp.Diff(append([]affiliate.EventType{}, want...), w.EventTypes(before)); diff != "" {
		w.T.Errorf("events (-want +got):\n%s", diff)
	}
}

// Join creates an affiliate; local is the local part of its email.
func (w *World) Join(local string, change ...func(*affiliate.AffiliateParams)) affiliate.Affiliate {
	w.T.Helper()
	in := affiliate.AffiliateParams{FirstName: "Mara", LastName: "Lindqvist", Email: local + "@example.org"}
	for _, c := range change {
		c(&in)
	}
	return Must(w.CreateAffiliate(context.Background(), in))
}

// AddLink gives an affiliate one more link.
func (w *World) AddLink(owner uuid.UUID, slug string) affiliate.Link {
	w.T.Helper()
	return Must(w.CreateLink(context.Background(), affiliate.LinkParams{Link: slug, AffiliateID: owner}))
}

// Refer creates a customer of the slug's link.
func (w *World) Refer(slug, email string) affiliate.Referral {
	w.T.Helper()
	return Must(w.CreateReferral(context.Background(), affiliate.ReferralParams{
		AffiliateID: slug, Name: "Kim", Email: email, ReferredUserExternalID: email,
	}))
}

// SellTo records a sale to a customer.
func (w *World) SellTo(email, total string) affiliate.Sale {
	w.T.Helper()
	got := Must(w.RecordSale(context.Background(), affiliate.SaleParams{
		ReferralID: email, TotalEarned: affiliate.MustAmount(total),
	}))
	s, ok := got.Sale.Get()
	if !ok {
		w.T.Fatalf("sale not recorded: %v", got.Outcome)
	}
	return s
}

// Raw changes records without the engine.
func (w *World) Raw(change func(tx *record.Tx) error) {
	w.T.Helper()
	if err := w.Store.Update(context.Background(), w.Config().ID, change); err != nil {
		w.T.Fatalf("raw change: %v", err)
	}
}

// Fired returns the events that fn fired, oldest first.
func (w *World) Fired(fn func()) []affiliate.Event {
	w.T.Helper()
	read := func() []affiliate.Event {
		return Must(w.Events(context.Background(), affiliate.EventQuery{}, affiliate.Page{})).Items
	}
	before := len(read())
	fn()
	after := read()
	events := after[:len(after)-before]
	slices.Reverse(events)
	return events
}

// FiredTypes returns the events that fn fired, each as "type object".
func (w *World) FiredTypes(fn func()) []string {
	w.T.Helper()
	out := []string{}
	for _, e := range w.Fired(fn) {
		out = append(out, string(e.Type)+" "+e.ObjectID)
	}
	return out
}

// Ada is an affiliate with the slug ada and the code ADA20 of a 20 % coupon.
type Ada struct {
	Person affiliate.Affiliate
	Autumn affiliate.Coupon
	ADA20  affiliate.Code
}
