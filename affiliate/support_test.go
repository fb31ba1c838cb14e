package affiliate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// start is the time at which the clock of every test begins.
var start = time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)

// A world is a program on its own store, with a clock that a test sets.
type world struct {
	*tributary.Program
	store record.Store // read by the tests
	probe *probe       // used by the program
	now   time.Time
	t     testing.TB
}

// newWorld starts a program whose ids and codes are the same in every run.
func newWorld(t testing.TB, change ...func(*tributary.Config)) *world {
	t.Helper()
	return newWorldOn(t, memstore.New(), change...)
}

func newWorldOn(t testing.TB, store record.Store, change ...func(*tributary.Config)) *world {
	t.Helper()
	w := &world{store: store, probe: &probe{Store: store}, now: start, t: t}
	cfg := tributary.Config{
		ID:           uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"),
		Name:         "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:          func() time.Time { return w.now },
		Rand:         rand.NewChaCha8([32]byte{1}),
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := tributary.New(w.probe, cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	w.Program = p
	return w
}

// pass moves the clock forward.
func (w *world) pass(d time.Duration) { w.now = w.now.Add(d) }

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// ada is an affiliate with the slug ada and the code ADA20 of a 20 % coupon.
type ada struct {
	affiliate affiliate.Affiliate
	coupon    affiliate.Coupon
	code      affiliate.Code
}

func (w *world) ada() ada {
	w.t.Helper()
	ctx := context.Background()
	a := must(w.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}))
	c := must(w.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Autumn 20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	k := must(w.CreateCode(ctx, affiliate.NewCode{CouponID: c.ID, Code: "ADA20", AffiliateID: a.ID}))
	return ada{a, c, k}
}

// verify fails the test unless Verify passes.
func (w *world) verify() {
	w.t.Helper()
	if err := w.Verify(context.Background()); err != nil {
		w.t.Errorf("Verify: %v", err)
	}
}

// dump returns every record of the program as JSON, by table.
func (w *world) dump() map[string][]string {
	w.t.Helper()
	out := map[string][]string{}
	err := w.store.View(context.Background(), w.Config().ID, func(tx *record.Tx) error {
		out["affiliates"] = rows(tx.Affiliates)
		out["links"] = rows(tx.Links)
		out["clicks"] = rows(tx.Clicks)
		out["referrals"] = rows(tx.Referrals)
		out["coupons"] = rows(tx.Coupons)
		out["codes"] = rows(tx.Codes)
		out["redemptions"] = rows(tx.Redemptions)
		out["sales"] = rows(tx.Sales)
		out["plans"] = rows(tx.Plans)
		out["tiers"] = rows(tx.Tiers)
		out["payouts"] = rows(tx.Payouts)
		out["adjustments"] = rows(tx.Adjustments)
		out["movements"] = rows(tx.Movements)
		out["runs"], out["lines"] = rows(tx.Runs), rows(tx.Lines)
		out["totals"] = rows(tx.Totals)
		out["receipts"] = rows(tx.Receipts)
		out["endpoints"] = rows(tx.Endpoints)
		out["events"] = rows(tx.Events)
		out["deliveries"] = rows(tx.Deliveries)
		out["queue"] = rows(tx.Queue)
		out["imports"] = rows(tx.Imports)
		out["payments"], out["paymentkeys"], out["payers"] = rows(tx.Payments), rows(tx.PaymentKeys), rows(tx.Payers)
		out["erasures"], out["aliases"] = rows(tx.Erasures), rows(tx.Aliases)
		return nil
	})
	if err != nil {
		w.t.Fatalf("dump: %v", err)
	}
	if tables := len(record.Schema()); len(out) != tables {
		w.t.Fatalf("dump reads %d of %d tables", len(out), tables)
	}
	return out
}

func rows[R record.Record[R]](t record.Table[R]) []string {
	out := []string{}
	for rec, err := range t.List(record.Query{}) {
		if err != nil {
			panic(err)
		}
		raw, err := json.Marshal(rec)
		if err != nil {
			panic(err)
		}
		out = append(out, string(raw))
	}
	return out
}

// refused fails the test unless the call returns exactly this refusal before
// its first write.
func (w *world) refused(want affiliate.Error, call func() error) {
	w.t.Helper()
	w.probe.writes.Store(0)
	w.refusedLate(want, call)
	if n := w.probe.writes.Load(); n > 0 {
		w.t.Errorf("%d writes before the refusal", n)
	}
}

// refusedLate is refused for a refusal that is found while writing, such as a
// total that is full. The call must change nothing.
func (w *world) refusedLate(want affiliate.Error, call func() error) {
	w.t.Helper()
	before := w.dump()
	err := call()
	got, ok := errors.AsType[*affiliate.Error](err)
	if !ok {
		w.t.Fatalf("got error %v, want the refusal %q", err, want.Message)
	}
	flat := affiliate.Error{Kind: got.Kind, Reason: got.Reason, Message: got.Message, Field: got.Field}
	if diff := cmp.Diff(want, flat); diff != "" {
		w.t.Errorf("refusal (-want +got):\n%s", diff)
	}
	if !errors.Is(err, want.Reason) {
		w.t.Errorf("errors.Is(err, %q) is false", want.Reason)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		w.t.Errorf("a refusal changed records (-before +after):\n%s", diff)
	}
}

// eventTypes returns the types of the events after the first skip, oldest
// first.
func (w *world) eventTypes(skip int) []affiliate.EventType {
	w.t.Helper()
	out := []affiliate.EventType{}
	err := w.store.View(context.Background(), w.Config().ID, func(tx *record.Tx) error {
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
		w.t.Fatalf("events: %v", err)
	}
	return out
}

// fires fails the test unless call succeeds and writes exactly these events.
func (w *world) fires(call func() error, want ...affiliate.EventType) {
	w.t.Helper()
	before := len(w.eventTypes(0))
	if err := call(); err != nil {
		w.t.Fatalf("unexpected error: %v", err)
	}
	if diff := cmp.Diff(append([]affiliate.EventType{}, want...), w.eventTypes(before)); diff != "" {
		w.t.Errorf("events (-want +got):\n%s", diff)
	}
}

// all collects a list.
func all[T any](seq iter.Seq2[T, error]) []T {
	var out []T
	for v, err := range seq {
		if err != nil {
			panic(err)
		}
		out = append(out, v)
	}
	return out
}

// join creates an affiliate; local is the local part of its email.
func (w *world) join(local string, change ...func(*affiliate.NewAffiliate)) affiliate.Affiliate {
	w.t.Helper()
	in := affiliate.NewAffiliate{FirstName: "Mara", LastName: "Lindqvist", Email: local + "@example.org"}
	for _, c := range change {
		c(&in)
	}
	return must(w.CreateAffiliate(context.Background(), in))
}

// oldLink puts a link into the store that no call makes any more: its slug is the
// number of a click.
func (w *world) oldLink(owner uuid.UUID, slug string) {
	w.t.Helper()
	at := affiliate.InstantOf(w.now)
	w.raw(func(tx *record.Tx) error {
		return tx.Links.Insert(record.Link{ID: uuid.Max, AffiliateID: owner, Slug: slug, CreatedAt: at, UpdatedAt: at})
	})
}

func (w *world) addLink(owner uuid.UUID, slug string) affiliate.Link {
	w.t.Helper()
	return must(w.CreateLink(context.Background(), affiliate.NewLink{Link: slug, AffiliateID: owner}))
}

// refer creates a customer of the slug's link.
func (w *world) refer(slug, email string) affiliate.Referral {
	w.t.Helper()
	return must(w.CreateReferral(context.Background(), affiliate.NewReferral{
		AffiliateID: slug, Name: "Kim", Email: email, ReferredUserExternalID: email,
	}))
}

// sale records a sale to a customer.
func (w *world) sale(email, total string) affiliate.Sale {
	w.t.Helper()
	got := must(w.RecordSale(context.Background(), affiliate.NewSale{
		ReferralID: email, TotalEarned: affiliate.MustAmount(total),
	}))
	s, ok := got.Sale.Get()
	if !ok {
		w.t.Fatalf("sale not recorded: %v", got.Outcome)
	}
	return s
}

// insert writes records without the engine.
func (w *world) insert(fn func(*record.Tx) error) {
	w.t.Helper()
	if err := w.store.Update(context.Background(), w.Config().ID, fn); err != nil {
		w.t.Fatal(err)
	}
}

// issue creates a code of its own coupon.
func (w *world) issue(owner uuid.UUID, code string) affiliate.Code {
	w.t.Helper()
	coupon := must(w.CreateCoupon(context.Background(), affiliate.NewCoupon{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	return must(w.CreateCode(context.Background(), affiliate.NewCode{CouponID: coupon.ID, Code: code, AffiliateID: owner}))
}

// fired returns the events that fn fired, oldest first.
func (w *world) fired(fn func()) []affiliate.Event {
	w.t.Helper()
	read := func() []affiliate.Event {
		return must(w.Events(context.Background(), affiliate.EventFilter{}, affiliate.Page{})).Items
	}
	before := len(read())
	fn()
	after := read()
	events := after[:len(after)-before]
	slices.Reverse(events)
	return events
}

// firedTypes returns the events that fn fired, each as "type object".
func (w *world) firedTypes(fn func()) []string {
	w.t.Helper()
	out := []string{}
	for _, e := range w.fired(fn) {
		out = append(out, string(e.Type)+" "+e.ObjectID)
	}
	return out
}

// bodyOf returns the decoded body of an event.
func bodyOf[T any](t *testing.T, e affiliate.Event) T {
	t.Helper()
	var payload struct{ Body T }
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	return payload.Body
}

// equal compares with cmp.Diff.
func equal[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// errOf returns the error of a call whose answer is not needed.
func errOf[T any](_ T, err error) error { return err }

// fieldError is a refusal of one field.
func fieldError(reason affiliate.Reason, field, text string) affiliate.Error {
	return affiliate.Error{Kind: affiliate.KindInvalid, Reason: reason, Field: field, Message: text}
}

// stateError is a refusal because of stored records.
func stateError(reason affiliate.Reason, field, text string) affiliate.Error {
	return affiliate.Error{Kind: affiliate.KindConflict, Reason: reason, Field: field, Message: text}
}

// missingError is a refusal because a record does not exist.
func missingError(reason affiliate.Reason, text string) affiliate.Error {
	return affiliate.Error{Kind: affiliate.KindNotFound, Reason: reason, Message: text}
}

// sum parses an amount.
func sum(s string) affiliate.Amount { return affiliate.MustAmount(s) }

// jsonOf returns a value as JSON.
func jsonOf(v any) string { return string(must(json.Marshal(v))) }
