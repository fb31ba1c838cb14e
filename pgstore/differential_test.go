package pgstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pgstore"
)

// A twin is one of two programs that get the same calls, clock, ids and random
// numbers, on different stores.
type twin struct {
	*tributary.Program
	store record.Store
}

func newTwin(tb testing.TB, store record.Store, now *time.Time) twin {
	tb.Helper()
	return newTwinOf(tb, store, now, uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"))
}

func newTwinOf(tb testing.TB, store record.Store, now *time.Time, program uuid.UUID) twin {
	tb.Helper()
	p, err := tributary.New(store, tributary.Config{
		ID: program, Name: "Northwind Beans", CascadeEvents: true,
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:          func() time.Time { return *now }, Rand: rand.NewChaCha8([32]byte{1}),
		FreeOrders: true, Review: []affiliate.ReviewRule{affiliate.SelfReferral()},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return twin{p, store}
}

// answer returns the result of a call as text.
func answer(v any, err error) string {
	if err != nil {
		return fmt.Sprintf("error %v %s", err, raw(err))
	}
	return raw(v)
}

// raw returns v as JSON, with metadata as it was stored.
func raw(v any) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return buf.String()
}

// done is the answer of a call that returns only an error.
func done(err error) string { return answer(nil, err) }

// dump returns every record as text. A list without entries is none.
func (w twin) dump(tb rapid.TB) (lines []string) {
	err := w.store.View(context.Background(), w.Config().ID, func(tx *record.Tx) error {
		for _, table := range record.Schema() {
			for rec, err := range table.In(tx).List(record.Query{}) {
				if err != nil {
					return err
				}
				lines = append(lines, fmt.Sprintf("%T %s", rec, strings.ReplaceAll(raw(rec), ":[]", ":null")))
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("dump: %v", err)
	}
	return lines
}

// TestDifferential makes the same random calls on memstore and on pgstore. It
// compares every answer and, at the end, every record, byte by byte.
func TestDifferential(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable, Group: 4}} {
		t.Run(fmt.Sprintf("mode %d", cfg.Mode), func(t *testing.T) {
			cfg.Schema = newSchema(t, pool)
			rapid.Check(t, func(rt *rapid.T) { play(rt, t, pool, cfg) })
		})
	}
}

func play(rt *rapid.T, t *testing.T, pool *pgxpool.Pool, cfg pgstore.Config) {
	empty(t, pool, cfg.Schema)
	now := time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)
	a, b := newTwin(t, memstore.New(), &now), newTwin(t, newStore(t, pool, cfg), &now)
	for _, w := range []twin{a, b} {
		w.furnish()
	}
	ops := operations()
	for i := range rapid.IntRange(10, 60).Draw(rt, "operations") {
		op := rapid.SampledFrom(ops).Draw(rt, "operation")
		in := &input{rt: rt}
		now = now.Add(time.Duration(rapid.IntRange(0, 90_000_000).Draw(rt, "microseconds")) * time.Microsecond)
		want := op.do(a, in)
		in.replay()
		if got := op.do(b, in); want != got {
			rt.Fatalf("operation %d, %s %v (-memstore +pgstore):\n%s", i, op.name, in.drawn, cmp.Diff(want, got))
		}
	}
	if d := cmp.Diff(a.dump(rt), b.dump(rt)); d != "" {
		rt.Fatalf("records (-memstore +pgstore):\n%s", d)
	}
	if err := b.Verify(context.Background()); err != nil {
		rt.Fatalf("Verify: %v", err)
	}
}

// furnish gives a twin a record of most kinds.
func (w twin) furnish() {
	ctx := context.Background()
	ada := must(w.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
	must(w.CreateEndpoint(ctx, affiliate.NewEndpoint{URL: "https://a.example/x", Events: affiliate.EventTypes()}))
	coupon := must(w.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: "SAVE20", AffiliateID: ada.ID}))
	must(w.RecordSale(ctx, affiliate.NewSale{PromoCode: "SAVE20", Email: "b@example.net", Name: "B", TotalEarned: affiliate.MustAmount("10")}))
}

// An input draws the arguments of an operation once, for both twins.
type input struct {
	rt    *rapid.T
	drawn []int
	next  int
	again bool
}

func (in *input) replay() { in.next, in.again = 0, true }

// n draws a number below a bound.
func (in *input) n(bound int) int {
	if !in.again {
		in.drawn = append(in.drawn, rapid.IntRange(0, bound-1).Draw(in.rt, "n"))
	}
	in.next++
	return in.drawn[in.next-1]
}

// of draws one of the texts.
func (in *input) of(texts ...string) string { return texts[in.n(len(texts))] }

// once draws a request key; it may be empty.
func (in *input) once() affiliate.Once { return affiliate.Once{Key: in.of("", "", "k1", "k2", "k3")} }

func (in *input) email() string {
	return in.of("ada@example.com", "Ada@Example.com", "bo@example.com", "cy@example.com", "d@example.net", "not an email")
}

func (in *input) amount() affiliate.Amount {
	return affiliate.MustAmount(in.of("10", "149.99", "0.01", "99999.5", "0"))
}

// pick draws an element of the list, or the zero value.
func pick[T any](in *input, all []T) (v T) {
	if i := in.n(8); i < len(all) {
		return all[i]
	}
	return v
}

func (w twin) someAffiliate(in *input) affiliate.Affiliate {
	return pick(in, must(w.Affiliates(context.Background(), affiliate.Page{Limit: 8})).Items)
}

func (w twin) someCoupon(in *input) affiliate.Coupon {
	return pick(in, must(w.Coupons(context.Background(), affiliate.Page{Limit: 8})).Items)
}

func (w twin) someSale(in *input) affiliate.Sale {
	return pick(in, must(w.Sales(context.Background(), affiliate.SaleFilter{}, affiliate.Page{Limit: 8})).Items)
}

func (w twin) someReferral(in *input) affiliate.Referral {
	return pick(in, must(w.Referrals(context.Background(), affiliate.ReferralFilter{}, affiliate.Page{Limit: 8})).Items)
}

// An operation makes a call on a twin and returns the answer.
type operation struct {
	name string
	do   func(w twin, in *input) string
}
