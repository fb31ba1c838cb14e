package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// New refuses an invalid Config and names the field.
func TestNewRefuses(t *testing.T) {
	pass := func(b, _ []byte) ([]byte, error) { return b, nil }
	for want, cfg := range map[string]tributary.Config{
		"Currency":     {Currency: "XYZ"},
		"CookieDays":   {CookieDays: -1},
		"KeepParams":   {KeepParams: []string{"campaign", ""}},
		"RefundWindow": {RefundWindow: -1},
		"Seal":         {Seal: pass},
		"Review":       {Review: []affiliate.ReviewRule{{Reason: "x"}}},
		"Terms":        {Terms: affiliate.Terms{Rate: affiliate.MustPercent("101")}},
		"Destinations": {Destinations: []affiliate.Destination{{URL: "/shop"}}},
	} {
		if _, err := tributary.New(memstore.New(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := scene.Must(tributary.New(scene.FailingViews{Store: memstore.New()}, tributary.Config{})).Ping(t.Context()); err == nil {
		t.Error("a store that cannot be read is pinged")
	}
}

// A saleless is a store without sales.
type saleless struct{ record.Store }

func (s saleless) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, withoutSales(fn))
}

func (s saleless) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, withoutSales(fn))
}

func withoutSales(fn func(*record.Tx) error) func(*record.Tx) error {
	return func(tx *record.Tx) error {
		short := *tx
		short.Sales = nil
		return fn(&short)
	}
}

func TestNewFillsIn(t *testing.T) {
	p := scene.Must(tributary.New(memstore.New(), tributary.Config{Currency: "eur"}))
	cfg := p.Config()
	scene.Equal(t, []any{affiliate.Currency("EUR"), time.UTC.String(), "ref", 60}, []any{cfg.Currency, cfg.Location.String(), cfg.Param, cfg.CookieDays})
	if cfg.Now == nil || cfg.Rand == nil {
		t.Error("no clock or no randomness")
	}
}

// OnEvents is called after a commit that wrote events, and only then.
func TestOnEvents(t *testing.T) {
	calls := 0
	s := scene.NewShop(t, func(c *tributary.Config) { c.OnEvents = func() { calls++ } })
	ctx := t.Context()
	for name, tt := range map[string]struct {
		call func(p *tributary.Program) error
		want int
	}{
		"change": {func(p *tributary.Program) error {
			_, err := p.PushReferralStatus(ctx, s.Tomas.Email, "PAST_DUE")
			return err
		}, 1},
		"read": {func(p *tributary.Program) error {
			_, err := p.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})
			return err
		}, 0},
		"click": {func(p *tributary.Program) error {
			_, err := p.TrackClick(ctx, affiliate.ClickParams{Slug: "ada"})
			return err
		}, 0},
		"refusal": {func(p *tributary.Program) error { _, err := p.UpdateSale(ctx, 99, affiliate.SaleUpdate{}); return err }, 0},
		"rollback": {func(p *tributary.Program) error {
			_, err := p.With(conformance.FailAt(s.Store, 4)).UpdateReferral(ctx, s.Bea.Email, affiliate.ReferralUpdate{Name: scene.TextOf("x")})
			return err
		}, 0},
	} {
		calls = 0
		err := tt.call(s.Program)
		if calls != tt.want || (err != nil) != (name == "refusal" || name == "rollback") {
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
	}
}

// A refusal is a fixed text, or one with a name that is cleaned before it is
// shown.
func TestRefusal(t *testing.T) {
	for _, tt := range []struct {
		got  *affiliate.Error
		want affiliate.Error
	}{
		{refusal.RefuseRate.Err(), affiliate.Error{Kind: affiliate.KindLimited, Reason: affiliate.RateLimited, Message: "Too many requests. Please slow down."}},
		{refusal.RefuseRate.Of("x"), affiliate.Error{Kind: affiliate.KindLimited, Reason: affiliate.RateLimited, Message: "Too many requests. Please slow down."}},
		{refusal.RefuseUnknownField.Of("a\nb"), affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.UnknownField, Field: `a\nb`, Message: `Unknown field: a\nb`}},
		{refusal.RefuseUnknownField.Of("{field}"), affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.UnknownField, Field: "{field}", Message: "Unknown field: {field}"}},
		{refusal.RefuseEmptyParameter.Of("q"), affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidQuery, Field: "q", Message: "Query parameter q must not be empty"}},
		{refusal.FieldNotADate.Of("since"), affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "since", Message: "since must be an ISO 8601 date"}},
	} {
		scene.Equal(t, &tt.want, tt.got)
	}
}

// A store may wrap its errors (S05): errors.Is still finds not found and
// exists.
func TestWrappingStore(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShopIn(scene.NewOn(t, wrappingStore{memstore.New()}))
	fill(s)
	if err := s.DeleteSale(ctx, 99); err != nil {
		t.Errorf("DeleteSale: %v", err)
	}
	if err := s.Forfeiting().DeleteReferral(ctx, "x@example.net"); err != nil {
		t.Errorf("DeleteReferral: %v", err)
	}
	if res, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: "nobody", TotalEarned: scene.Sum("1")}); err != nil || res.Outcome != affiliate.SaleUnattributed {
		t.Errorf("RecordSale: %v, %v", res.Outcome, err)
	}
	s.Refused(saleMissing, func() error { _, err := s.UpdateSale(ctx, 99, affiliate.SaleUpdate{}); return err })
	s.Refused(referralUnknown, func() error { _, err := s.UpdateReferral(ctx, "nobody", affiliate.ReferralUpdate{}); return err })
	nobody := affiliate.ReferralParams{AffiliateID: "nobody", Name: "n", Email: "nobody@example.net", ReferredUserExternalID: "n"}
	if _, err := s.CreateReferral(ctx, nobody); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("CreateReferral: %v", err)
	}
	report, err := s.Imports().Referrals(ctx, []imported.Referral{{ReferralParams: nobody}})
	if err != nil || len(report.Failed) != 1 {
		t.Errorf("ImportReferrals: %+v, %v", report, err)
	}
	nobody.Key = "k"
	for range 2 {
		if _, err := s.CreateReferral(ctx, nobody); err != affiliate.ErrNotFound {
			t.Errorf("CreateReferral with a key: %v", err)
		}
	}
	s.Verifies()
}

// wrappingStore is a store that wraps its errors.
type wrappingStore struct{ record.Store }

func (w wrappingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return w.Store.Update(ctx, id, func(tx *record.Tx) error { return fn(wrapMisses(tx)) })
}

func (w wrappingStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return w.Store.View(ctx, id, func(tx *record.Tx) error { return fn(wrapMisses(tx)) })
}

func wrapMisses(tx *record.Tx) *record.Tx {
	out := *tx
	for _, table := range record.Schema() {
		table.Set(&out, missTable{table.In(tx)})
	}
	return &out
}

type missTable struct {
	record.Table[record.AnyRecord]
}

func (m missTable) Get(id uuid.UUID) (record.AnyRecord, error) {
	rec, err := m.Table.Get(id)
	return rec, wrapped(err)
}

func (m missTable) Find(k record.Key) (record.AnyRecord, error) {
	rec, err := m.Table.Find(k)
	return rec, wrapped(err)
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %w", err)
}

func TestDefaultSchedule(t *testing.T) {
	schedule := scene.New(t).Config().Schedule
	var total time.Duration
	for _, step := range schedule {
		total += step
	}
	if n := len(schedule); n != 10 || total != 75*time.Hour+35*time.Minute+5*time.Second {
		t.Errorf("%d attempts over %v", n, total)
	}
}

// A counted is a store that counts its transactions, and can fail them.
type counted struct {
	record.Store
	opened int
	err    error
}

func (s *counted) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.opened++; s.err != nil {
		return s.err
	}
	return s.Store.View(ctx, id, fn)
}

func (s *counted) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	if s.opened++; s.err != nil {
		return s.err
	}
	return s.Store.Update(ctx, id, fn)
}

// New names what is missing, and does not use the store.
func TestNewOpensNothing(t *testing.T) {
	var none *memstore.Store
	for name, store := range map[string]record.Store{"nil": nil, "nil pointer": none} {
		if _, err := tributary.New(store, tributary.Config{}); err == nil || err.Error() != "affiliate: New needs a Store" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	s := &counted{Store: memstore.New(), err: errors.New("down")}
	p, err := tributary.New(s, tributary.Config{})
	if err != nil || s.opened != 0 {
		t.Fatalf("New on a store that is down: error %v after %d transactions", err, s.opened)
	}
	if err := p.Ping(t.Context()); !errors.Is(err, s.err) || s.opened != 1 {
		t.Errorf("Ping: error %v after %d transactions", err, s.opened)
	}
	s.err = nil
	if err := p.Ping(t.Context()); err != nil {
		t.Errorf("Ping, the store is back: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := p.Ping(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Ping with a context that has ended: %v", err)
	}
}

// Ping, and the first use, name a table that a store does not have.
func TestIncompleteStore(t *testing.T) {
	ctx := t.Context()
	p := scene.Must(tributary.New(saleless{memstore.New()}, tributary.Config{}))
	for name, use := range map[string]func() error{
		"Ping": func() error { return p.Ping(ctx) },
		"read": func() error {
			return scene.ErrOf(p.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}))
		},
		"write": func() error {
			return scene.ErrOf(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("5")}))
		},
		"Evaluate": func() error { _, err := p.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20"}); return err },
		"Verify":   func() error { return p.Verify(ctx) },
		"With": func() error {
			return scene.ErrOf(p.With(saleless{memstore.New()}).Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}))
		},
	} {
		if err := use(); err == nil || !strings.Contains(err.Error(), "the store has no sales") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := p.With(memstore.New()).Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}); err != nil {
		t.Errorf("With a complete store: %v", err)
	}
	whole := scene.Must(tributary.New(memstore.New(), tributary.Config{}))
	scene.Must(whole.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}))
	if _, err := whole.With(saleless{memstore.New()}).Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}); err == nil {
		t.Error("a complete store vouches for another")
	}
}

// look runs a call and returns how many records it read, and how many in its
// largest View.
func look(s *scene.Probe, call func()) (looked, most int64) {
	s.Looked.Store(0)
	s.Most.Store(0)
	call()
	return s.Looked.Load(), s.Most.Load()
}

// everyFailure runs fn with the store failing at its first operation, then at
// its second and so on until fn succeeds. Each failure must be returned and
// change nothing.
func everyFailure(w *scene.World, fn func() error) {
	w.T.Helper()
	for at := int64(1); ; at++ {
		before := w.Dump()
		w.Probe.Ops.Store(0)
		w.Probe.FailAt = at
		err := fn()
		w.Probe.FailAt = 0
		if w.Probe.Ops.Load() < at {
			if err != nil {
				w.T.Fatalf("without a failure: %v", err)
			}
			return
		}
		if !errors.Is(err, scene.ErrBoom) {
			w.T.Fatalf("operation %d failed and the call says %v", at, err)
		}
		if _, ok := errors.AsType[*affiliate.Error](err); ok {
			w.T.Fatalf("operation %d: a store failure became a refusal: %v", at, err)
		}
		if diff := cmp.Diff(before, w.Dump()); diff != "" {
			w.T.Fatalf("operation %d failed and something changed:\n%s", at, diff)
		}
	}
}

// oldLink puts a link into the store that no call makes any more: its slug is the
// number of a click.
func oldLink(w *scene.World, owner uuid.UUID, slug string) {
	w.T.Helper()
	at := affiliate.InstantOf(w.Now)
	w.Raw(func(tx *record.Tx) error {
		return tx.Links.Insert(record.Link{ID: uuid.NewSHA1(uuid.Max, []byte(slug)), AffiliateID: owner, Slug: slug, CreatedAt: at, UpdatedAt: at})
	})
}

// issue creates a code of its own coupon.
func issue(w *scene.World, owner uuid.UUID, code string) affiliate.Code {
	w.T.Helper()
	coupon := scene.Must(w.CreateCoupon(context.Background(), affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	return scene.Must(w.CreateCode(context.Background(), affiliate.CodeParams{CouponID: coupon.ID, Code: code, AffiliateID: owner}))
}

func TestMain(m *testing.M) { atlength.Main(m) }
