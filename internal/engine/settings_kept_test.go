package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A euros is a store with a program of EUR, in which a sale was recorded.
func euros(t *testing.T) record.Store {
	store := memstore.New()
	p := opened(store, "EUR", "Europe/Berlin", "Beans")
	scene.Must(p.RecordSale(t.Context(), paid(p, "100")))
	return store
}

// TestRedemptionIsMoney: an order that redeemed a code is money, also when nobody is credited.
func TestRedemptionIsMoney(t *testing.T) {
	ctx, store := t.Context(), memstore.New()
	cfg := tributary.Config{Currency: "EUR", HouseCodes: true}
	p := scene.Must(tributary.New(store, cfg))
	coupon := scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "House", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	scene.Must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "HOUSE"}))
	cfg.Currency = "USD"
	for redeemed := range 2 {
		if err := scene.Must(tributary.New(store, cfg)).Ping(ctx); (err != nil) != (redeemed == 1) {
			t.Errorf("%d orders: %v", redeemed, err)
		}
		scene.Must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "HOUSE", Email: "kim@example.net", TotalEarned: scene.Sum("9"), ExternalID: "o1"}))
	}
}

func opened(store record.Store, currency affiliate.Currency, zone, name string) *tributary.Program {
	return scene.Must(tributary.New(store, tributary.Config{
		Name: name, Currency: currency, Location: scene.Must(time.LoadLocation(zone)), Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
	}))
}

// paid returns a sale by the link of an affiliate, who is made.
func paid(p *tributary.Program, total string) affiliate.SaleParams {
	who := scene.Must(p.EnsureAffiliate(context.Background(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "ada@example.net", ExternalID: "u1"}))
	return affiliate.SaleParams{ReferralID: who.AffiliateLinks[0].Link, Email: "kim@example.net", Name: "K", TotalEarned: scene.Sum(total), ExternalID: "o" + total}
}

// TestProgramKeepsItsCurrency: a program that has money is not opened in another currency or
// zone by any method, whoever asks first, and what refuses it says both.
func TestProgramKeepsItsCurrency(t *testing.T) {
	ctx := t.Context()
	for name, other := range map[string]struct{ currency, zone, want string }{
		"currency": {"USD", "Europe/Berlin", "affiliate: the store keeps the program in EUR, and its Config has the currency USD"},
		"zone":     {"EUR", "UTC", "affiliate: the store keeps the program in Europe/Berlin, and its Config has the zone UTC"},
	} {
		for call, use := range map[string]func(p *tributary.Program) error{
			"Ping":     func(p *tributary.Program) error { return p.Ping(ctx) },
			"Verify":   func(p *tributary.Program) error { return p.Verify(ctx) },
			"Balances": func(p *tributary.Program) error { return scene.ErrOf(p.Balances(ctx, affiliate.Page{})) },
			"Rehearsal": func(p *tributary.Program) error {
				return scene.ErrOf(p.Rehearsal().CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "b@example.net"}))
			},
			"CreateAffiliate": func(p *tributary.Program) error {
				return scene.ErrOf(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "b@example.net"}))
			},
			"ClaimDeliveries": func(p *tributary.Program) error {
				return scene.ErrOf(p.Webhooks().ClaimDeliveries(ctx, 1, time.Minute))
			},
		} {
			err := use(opened(euros(t), affiliate.Currency(other.currency), other.zone, "Beans"))
			kept, ok := errors.AsType[*affiliate.SettingsError](err)
			if !ok || !strings.Contains(err.Error(), other.want) || kept.Setting != name {
				t.Errorf("%s, %s: %v", name, call, err)
			}
		}
	}
	store := euros(t)
	if err := opened(store, "EUR", "Europe/Berlin", "Roasted").Ping(ctx); err != nil {
		t.Error(err)
	}
	if err := scene.ErrOf(opened(store, "EUR", "Europe/Berlin", "Roasted").CreateCoupon(ctx, affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("5")})); err != nil {
		t.Error(err)
	}
	if kept := settingsIn(store); kept.Name != "Roasted" || kept.Currency != "EUR" || kept.TimeZone != "Europe/Berlin" {
		t.Errorf("kept %+v", kept)
	}
}

func settingsIn(store record.Store) (kept record.Settings) {
	scene.Must(0, store.View(context.Background(), uuid.Nil, func(tx *record.Tx) (err error) {
		kept, err = tx.Settings.Get(uuid.Max)
		return err
	}))
	return kept
}

// TestCurrencyBeforeMoney: until somebody paid, a program is what the Config says that wrote
// last. Who earned first, of two that are open, decides, and the other is refused from then on.
func TestCurrencyBeforeMoney(t *testing.T) {
	ctx, store := t.Context(), memstore.New()
	coupon := affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("5")}
	dollars := opened(store, "USD", "UTC", "A")
	scene.Must(dollars.CreateCoupon(ctx, coupon))
	euros := opened(store, "EUR", "Europe/Berlin", "B")
	scene.Must(0, euros.Ping(ctx))
	scene.Must(euros.CreateCoupon(ctx, coupon))
	scene.Equal(t, "EUR Europe/Berlin B", keptAs(store))
	scene.Must(dollars.CreateCoupon(ctx, coupon))
	scene.Equal(t, "USD UTC A", keptAs(store))
	scene.Must(euros.RecordSale(ctx, paid(euros, "100")))
	for i, err := range []error{
		dollars.Ping(ctx),
		scene.ErrOf(dollars.RecordSale(ctx, affiliate.SaleParams{ReferralID: "kim@example.net", TotalEarned: scene.Sum("5")})),
		scene.ErrOf(dollars.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})),
	} {
		if _, ok := errors.AsType[*affiliate.SettingsError](err); !ok {
			t.Errorf("%d: %v", i, err)
		}
	}
	scene.Equal(t, "EUR Europe/Berlin B", keptAs(store))
	scene.Must(0, euros.Verify(ctx))
}

func keptAs(store record.Store) string {
	kept := settingsIn(store)
	return string(kept.Currency) + " " + kept.TimeZone + " " + kept.Name
}

// TestTwoCurrenciesAtOnce: of many that open an empty program at once, those of one currency
// earn, and the others are refused.
func TestTwoCurrenciesAtOnce(t *testing.T) {
	store := memstore.New()
	sold := make([]error, 8)
	var wg sync.WaitGroup
	for i := range sold {
		wg.Go(func() {
			p := opened(store, []affiliate.Currency{"EUR", "USD"}[i%2], "UTC", "A")
			who, err := p.EnsureAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "ada@example.net", ExternalID: "u1"})
			if sold[i] = err; err == nil {
				_, sold[i] = p.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: who.AffiliateLinks[0].Link, Email: fmt.Sprintf("kim%d@example.net", i), Name: "K", TotalEarned: scene.Sum("100")})
			}
		})
	}
	wg.Wait()
	kept := settingsIn(store).Currency
	for i, err := range sold {
		_, refused := errors.AsType[*affiliate.SettingsError](err)
		if of := []affiliate.Currency{"EUR", "USD"}[i%2]; refused != (of != kept) || err != nil && !refused {
			t.Errorf("%d, of %s: %v, and %s is kept", i, of, err, kept)
		}
	}
}

// A settingsStore is a store that counts how often its settings are read, and can roll everything back.
type settingsStore struct {
	record.Store
	read int
	undo error
}

func (s *settingsStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, func(tx *record.Tx) error {
		own := *tx
		own.Settings = countedSettings{tx.Settings, s}
		return cmp.Or(fn(&own), s.undo)
	})
}

type countedSettings struct {
	record.Table[record.Settings]
	s *settingsStore
}

func (c countedSettings) Get(id uuid.UUID) (record.Settings, error) {
	c.s.read++
	return c.Table.Get(id)
}

// TestKeptIsReadOnce: once a program has money, its settings are not read again; a transaction
// that was rolled back says nothing about what is kept.
func TestKeptIsReadOnce(t *testing.T) {
	store := &settingsStore{Store: memstore.New()}
	p := opened(store, "EUR", "UTC", "A")
	sell := func(total string) error { return scene.ErrOf(p.RecordSale(t.Context(), paid(p, total))) }
	store.undo = errors.New("rolled back")
	if err := scene.ErrOf(p.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("5")})); !errors.Is(err, store.undo) {
		t.Error(err)
	}
	store.undo = nil
	scene.Equal(t, true, store.Store.View(t.Context(), uuid.Nil, func(tx *record.Tx) error { return scene.ErrOf(tx.Settings.Get(uuid.Max)) }) != nil)
	scene.Must(0, sell("100"))
	scene.Must(0, sell("101"))
	before := store.read
	for i := range 5 {
		scene.Must(0, sell(fmt.Sprint(200+i)))
	}
	scene.Equal(t, before, store.read)
	scene.Equal(t, "EUR UTC A", keptAs(store))
	inside := p.With(store)
	scene.Must(inside.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("5")}))
	scene.Equal(t, before+1, store.read) // another store may be another place
}

// TestKeptOfOlderStores: a store that keeps nothing of a program with money takes what the first
// Config says that writes, unless a sale was charged in that currency as in another one.
func TestKeptOfOlderStores(t *testing.T) {
	store := euros(t)
	forget := func() {
		scene.Must(0, store.Update(t.Context(), uuid.Nil, func(tx *record.Tx) error { return tx.Settings.Delete(uuid.Max) }))
	}
	p := opened(store, "EUR", "Europe/Berlin", "A")
	in := paid(p, "50")
	in.Currency, in.ExchangeRate = "USD", scene.Must(affiliate.ParseExchangeRate("0.9"))
	scene.Must(p.RecordSale(t.Context(), in))
	forget()
	if err := opened(store, "USD", "UTC", "A").Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "keeps the program in another currency, and its Config has the currency USD") {
		t.Error(err)
	}
	scene.Must(opened(store, "EUR", "UTC", "A").CreateCoupon(t.Context(), affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("5")}))
	scene.Equal(t, "EUR UTC A", keptAs(store))
}

// TestConfigKept: what a Config leaves out is taken from the store, and nothing else is.
func TestConfigKept(t *testing.T) {
	store := euros(t)
	for want, cfg := range map[string]tributary.Config{
		"EUR Europe/Berlin": {}, "USD Europe/Berlin": {Currency: "USD"}, "EUR UTC": {Location: time.UTC}, " UTC": {ID: uuid.Max},
	} {
		kept := scene.Must(cfg.Kept(t.Context(), store))
		scene.Equal(t, want, string(kept.Currency)+" "+kept.Location.String())
	}
}
