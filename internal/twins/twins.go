// Package twins makes the same calls on two stores and compares what they answer and
// what they keep, for the tests of stores and of the client.
package twins

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/api"
)

// A twin is one of two programs that get the same calls, clock, ids and random
// numbers, on different stores, or one of them through another door.
type twin struct {
	api.Operations
	engine *tributary.Program
	store  record.Store
	names  map[string]string // of what was drawn, by its text
}

// told answers what the wire has of a sale, and runs payouts to the end.
type told struct{ api.Operations }

func (t told) RecordSale(ctx context.Context, in affiliate.SaleParams) (affiliate.SaleResult, error) {
	return onWire(t.Operations.RecordSale(ctx, in))
}

func (t told) RecordConversion(ctx context.Context, in affiliate.ConversionParams) (affiliate.SaleResult, error) {
	return onWire(t.Operations.RecordConversion(ctx, in))
}

func (t told) RunPayouts(ctx context.Context, in affiliate.PayoutRun) (affiliate.PayoutRunResult, error) {
	in.Limit = 0
	return t.Operations.RunPayouts(ctx, in)
}

func onWire(r affiliate.SaleResult, err error) (affiliate.SaleResult, error) {
	r.Earlier, r.LateClick = affiliate.SaleResult{}.Earlier, affiliate.SaleResult{}.LateClick
	return r, err
}

var drawn = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|evt_[0-9a-f]{32}|whsec_[A-Za-z0-9+/=]+|"(?:secretHint|Next|cursor|nextAttemptAt)":"[^"]+"|"id":\d+,"saleId":|"commissionIds?":[[\d,\]]+`)

var payload = regexp.MustCompile(`"Payload":"([^"]*)"`)

// commission is the id of a commission. A step that begins again leaves some out.
var commission = regexp.MustCompile(`^"(id|commissionIds?)":`)

// anonymous replaces ids and secrets by their order of appearance, and other things that are drawn.
func (w twin) anonymous(text string) string {
	var escaped bytes.Buffer
	json.HTMLEscape(&escaped, []byte(payload.ReplaceAllStringFunc(text, func(s string) string {
		raw, _ := base64.StdEncoding.DecodeString(payload.FindStringSubmatch(s)[1])
		return string(raw)
	})))
	return drawn.ReplaceAllStringFunc(escaped.String(), func(s string) string {
		if s[0] == '"' && !commission.MatchString(s) {
			return "…"
		}
		if w.names[s] == "" {
			w.names[s] = fmt.Sprint("#", len(w.names))
		}
		return w.names[s]
	})
}

func newTwin(tb testing.TB, store record.Store, now *time.Time, program uuid.UUID, credit affiliate.Attribution) twin {
	tb.Helper()
	p, err := tributary.New(store, tributary.Config{
		ID: program, Name: "Northwind Beans", CascadeEvents: true,
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:          func() time.Time { return *now }, Rand: rand.NewChaCha8([32]byte{1}),
		Attribution: credit, FreeOrders: true, HouseCodes: true, Review: []affiliate.ReviewRule{affiliate.SelfReferral()}, StoredSettings: true,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return twin{api.Of(p), p, store, map[string]string{}}
}

// answer returns the result of a call as text. What is not found is told in one way.
func answer(v any, err error) string {
	if errors.Is(err, affiliate.ErrNotFound) {
		return "not found\n"
	}
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		return fmt.Sprintf("refused %d %s (%s) %s\n", refusal.Kind, refusal.Reason, refusal.Field, refusal.Message)
	}
	if err != nil {
		return fmt.Sprintf("error %v", err)
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

// dump returns every record as text. An empty list is one that is not there: a store
// may return either.
func (w twin) dump(tb rapid.TB) (lines []string) {
	err := w.store.View(context.Background(), w.engine.Config().ID, func(tx *record.Tx) error {
		lines = nil // it may run again
		for _, table := range record.Schema() {
			for rec, err := range table.In(tx).List(record.Query{}) {
				if err != nil {
					return err
				}
				lines = append(lines, strings.ReplaceAll(fmt.Sprintf("%T %s", rec, raw(rec)), ":[]", ":null"))
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("dump: %v", err)
	}
	return lines
}

// Play makes the same random calls on two stores that are empty. It compares every
// answer and, at the end, every record, byte by byte, and verifies the second one. The
// second one is called through a door, when one is given.
func Play(rt *rapid.T, tb testing.TB, one, two record.Store, door ...func(*tributary.Program) api.Operations) {
	now := time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)
	credit := affiliate.Attribution{
		Touch:    rapid.SampledFrom([]affiliate.Touch{affiliate.TouchLast, affiliate.TouchFirst}).Draw(rt, "touch"),
		Customer: rapid.SampledFrom([]affiliate.CustomerCredit{affiliate.CreditEachOrder, affiliate.CreditKeptCustomer}).Draw(rt, "customer"),
		Code:     rapid.SampledFrom([]affiliate.CodeCredit{affiliate.CodeAlways, affiliate.CodeUnbrought}).Draw(rt, "code"),
	}
	program := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")
	a, b := newTwin(tb, one, &now, program, credit), newTwin(tb, two, &now, program, credit)
	for _, w := range []twin{a, b} {
		w.furnish()
	}
	for _, through := range door {
		a.Operations, b.Operations = told{a.Operations}, told{through(b.engine)}
	}
	ops := operations()
	if len(door) > 0 {
		ops = rapid.Permutation(ops).Draw(rt, "operations") // each once
	} else {
		ops = rapid.SliceOfN(rapid.SampledFrom(ops), 10, 60).Draw(rt, "operations")
	}
	for i, op := range ops {
		in := &input{rt: rt}
		now = now.Add(time.Duration(rapid.IntRange(0, 90_000_000).Draw(rt, "microseconds")) * time.Microsecond)
		want := op.do(a, in)
		in.replay()
		got := op.do(b, in)
		if len(door) > 0 { // which draws random numbers of its own
			want, got = a.anonymous(want), b.anonymous(got)
		}
		if want != got {
			rt.Fatalf("operation %d, %s %v (-one +two):\n%s", i, op.name, in.drawn, cmp.Diff(want, got))
		}
	}
	if err := b.engine.Verify(context.Background()); err != nil {
		rt.Fatalf("Verify: %v", err)
	}
	if len(door) > 0 {
		return
	}
	ones, twos := a.dump(rt), b.dump(rt)
	for i, line := range ones {
		if i >= len(twos) || twos[i] != line {
			rt.Fatalf("records (-one +two):\n- %s\n+ %s", line, strings.Join(twos[min(i, len(twos)):min(i+1, len(twos))], ""))
		}
	}
	if len(twos) > len(ones) {
		rt.Fatalf("the second one has more records: %s", twos[len(ones)])
	}
}

// All makes every call, with arguments that are the same in each run, on two programs of
// a store in turn, and returns the programs. A minute passes before each call.
func All(tb testing.TB, store record.Store, now *time.Time) []*tributary.Program {
	tb.Helper()
	both := []twin{newTwin(tb, store, now, uuid.Must(uuid.NewV7()), affiliate.Attribution{}), newTwin(tb, store, now, uuid.Must(uuid.NewV7()), affiliate.Attribution{})}
	for _, w := range both {
		w.furnish()
	}
	for seed := range 12 {
		rapid.Custom(func(rt *rapid.T) bool {
			for i, op := range operations() {
				*now = now.Add(time.Minute)
				op.do(both[(i+seed)%2], &input{rt: rt})
			}
			return true
		}).Example(seed)
	}
	return []*tributary.Program{both[0].engine, both[1].engine}
}

// furnish gives a twin a record of most kinds.
func (w twin) furnish() {
	ctx := context.Background()
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com", AffiliateLink: "ada"}))
	must(w.CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://a.example/x", Events: affiliate.EventTypes()}))
	coupon := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "SAVE20", AffiliateID: ada.ID}))
	must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "SAVE20", Email: "b@example.net", Name: "B", TotalEarned: affiliate.MustAmount("10")}))
	offer := must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Link", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(offer.ID)}))
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
	return pick(in, must(w.Affiliates(context.Background(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 8})).Items)
}

func (w twin) someCoupon(in *input) affiliate.Coupon {
	return pick(in, must(w.Coupons(context.Background(), affiliate.CouponQuery{WithCodes: true}, affiliate.Page{Limit: 8})).Items)
}

func (w twin) someSale(in *input) affiliate.Sale {
	return pick(in, must(w.Sales(context.Background(), affiliate.SaleQuery{}, affiliate.Page{Limit: 8})).Items)
}

func (w twin) someReferral(in *input) affiliate.Referral {
	return pick(in, must(w.Referrals(context.Background(), affiliate.ReferralQuery{}, affiliate.Page{Limit: 8})).Items)
}

// An operation makes a call on a twin and returns the answer.
type operation struct {
	name string
	do   func(w twin, in *input) string
}
