package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A datedWorld is a world in which Ada earns by terms that can change: those of her plan, or of
// the program.
type datedWorld struct {
	*scene.World
	plan uuid.UUID // zero: the program
	from time.Time
}

// eachDated tests the terms of a plan and of the program: 20 % now, and 15 % from a moment on.
func eachDated(t *testing.T, test func(t *testing.T, d *datedWorld), change ...func(*tributary.Config)) {
	for _, whose := range []string{"program", "plan"} {
		t.Run(whose, func(t *testing.T) {
			w := scene.New(t, change...)
			d := &datedWorld{World: w, from: w.Now.Add(48 * time.Hour).Truncate(time.Second)}
			if whose == "plan" {
				d.plan = scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})).ID
			}
			w.Join("ada", func(in *affiliate.AffiliateParams) { in.CommissionPlanID = d.plan })
			w.Refer("ada", "kim@b.co")
			d.set(affiliate.TermsUpdate{Rate: scene.Percent("15"), From: d.date()})
			test(t, d)
			w.Verifies()
		})
	}
}

func (d *datedWorld) date() affiliate.Opt[affiliate.Date] { return affiliate.Set(affiliate.At(d.from)) }

// change changes the terms, and returns their versions; none when a plan shows none.
func (d *datedWorld) change(up affiliate.TermsUpdate) ([]affiliate.DatedTerms, error) {
	if d.plan == uuid.Nil {
		return d.SetTerms(d.T.Context(), up)
	}
	plan, err := d.UpdatePlan(d.T.Context(), d.plan, affiliate.PlanUpdate{TermsUpdate: up})
	return plan.Versions, err
}

func (d *datedWorld) set(up affiliate.TermsUpdate) {
	d.T.Helper()
	scene.Must(d.change(up))
}

// versions returns the versions as text.
func (d *datedWorld) versions() string {
	d.T.Helper()
	all := scene.Must(d.Terms(d.T.Context()))
	if d.plan != uuid.Nil {
		all = scene.Must(d.Plan(d.T.Context(), d.plan)).Versions
	}
	var said []string
	for _, v := range all {
		text := v.CommissionRate.String()
		if from, dated := v.From.Get(); dated {
			text = fmt.Sprintf("%s at %v", text, from.Time().Sub(d.from))
		}
		if v.InForce {
			text = "[" + text + "]"
		}
		said = append(said, text)
	}
	return strings.Join(said, ", ")
}

// sells records a payment of 100 at a time, reported then, and checks what it earns.
func (d *datedWorld) sells(at time.Time, want string) affiliate.Sale {
	d.T.Helper()
	d.Now = at
	sale := d.SellTo("kim@b.co", "100")
	scene.Equal(d.T, scene.Sum(want), sale.CommissionEarned, want)
	return sale
}

// A sale takes the terms of the moment when it was paid, to the microsecond.
func TestTermsFrom(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		scene.Equal(t, "[20], 15 at 0s", d.versions())
		d.sells(d.from.Add(-time.Hour), "20")
		d.sells(d.from.Add(-time.Microsecond), "20")
		scene.Equal(t, "[20], 15 at 0s", d.versions())
		d.sells(d.from, "15")
		scene.Equal(t, "20, [15 at 0s]", d.versions())
		d.sells(d.from.Add(24*time.Hour), "15")

		late := func(paid time.Time, want string) {
			res := scene.Must(d.RecordSale(t.Context(), affiliate.SaleParams{Email: "kim@b.co", TotalEarned: scene.Sum("100"), PaidAt: paid}))
			scene.Equal(t, scene.Sum(want), res.Sale.Or(affiliate.Sale{}).CommissionEarned)
		}
		late(d.from.Add(-time.Microsecond), "20")
		late(d.from, "15")
		ada := scene.Must(d.Affiliate(t.Context(), "ada"))
		scene.Equal(t, affiliate.MustPercent("15"), ada.CommissionRate)
	})
}

func TestTermsWithdraw(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		d.set(affiliate.TermsUpdate{Withdraw: d.date()})
		want := ""
		if d.plan == uuid.Nil {
			want = "[20]"
		}
		scene.Equal(t, want, d.versions())
		d.set(affiliate.TermsUpdate{Rate: scene.Percent("15"), From: d.date()})
		moved := affiliate.Set(affiliate.At(d.from.Add(time.Hour)))
		d.set(affiliate.TermsUpdate{Withdraw: d.date(), Rate: scene.Percent("15"), From: moved})
		scene.Equal(t, "[20], 15 at 1h0m0s", d.versions())
		d.sells(d.from, "20")
		d.sells(d.from.Add(time.Hour), "15")
	})
}

func TestTermsRefused(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		refused := func(field, text string, up affiliate.TermsUpdate) {
			t.Helper()
			d.Refused(scene.FieldError(affiliate.InvalidField, field, text), func() error { return scene.ErrOf(d.change(up)) })
		}
		rate, now := scene.Percent("10"), affiliate.Set(affiliate.At(d.Now))
		const past = "from must be later than now: leave it out to change the terms in force"
		refused("from", past, affiliate.TermsUpdate{Rate: rate, From: now})
		refused("from", past, affiliate.TermsUpdate{Rate: rate, From: affiliate.Set(affiliate.At(d.Now.Add(999 * time.Microsecond)))}) // the wire shows no more digits
		refused("from", past, affiliate.TermsUpdate{Rate: rate, From: affiliate.Set(affiliate.Day(d.Now.Date()))})
		refused("from", past, affiliate.TermsUpdate{Rate: rate, From: affiliate.Set(affiliate.Day(1, 1, 1))})
		refused("from", past, affiliate.TermsUpdate{Rate: rate, From: affiliate.Set(affiliate.Date{})})
		refused("from", "from must not be null", affiliate.TermsUpdate{Rate: rate, From: affiliate.Null[affiliate.Date]()})
		refused("withdraw", "withdraw must not be null", affiliate.TermsUpdate{Withdraw: affiliate.Null[affiliate.Date]()})
		refused("from", "from must not be sent", affiliate.TermsUpdate{From: d.date()})
		refused("from", "from must not be sent", affiliate.TermsUpdate{From: d.date(), Withdraw: d.date()})
		refused("withdraw", "No version of the terms begins then", affiliate.TermsUpdate{Withdraw: now})
		refused("commissionRate", "Commission rate must be between 0 and 100", affiliate.TermsUpdate{Rate: scene.Percent("101"), From: d.date()})
		all := affiliate.Rule{Name: "all", Pay: affiliate.RulePay{Type: affiliate.RuleFlat}}
		some := affiliate.Rule{Name: "some", When: affiliate.RuleWhen{Products: []string{"x"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat}}
		refused("rules[1]", "Rule some can never hold, because rule all decides before it", affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{all, some}), From: d.date()})

		for i := range 30 {
			d.set(affiliate.TermsUpdate{Rate: rate, From: affiliate.Set(affiliate.At(d.from.Add(time.Duration(i+1) * time.Hour)))})
		}
		more := affiliate.TermsUpdate{Rate: rate, From: affiliate.Set(affiliate.At(d.from.Add(time.Minute)))}
		refused("from", "At most 32 versions of terms are kept: withdraw one that is not in force yet", more)
		more.Withdraw = d.date()
		d.set(more)
		d.Now = d.from.Add(time.Minute)
		refused("withdraw", "Terms that were in force cannot be withdrawn: leave from out to change those in force", affiliate.TermsUpdate{Withdraw: more.From})
	})
}

// The first instant of a day is that of the zone of the program, also when the day has no
// midnight, or two.
func TestTermsFromDay(t *testing.T) {
	for _, tt := range []struct {
		zone, first string
		day         affiliate.Date
	}{
		{"UTC", "2027-01-01T00:00:00Z", affiliate.Day(2027, time.January, 1)},
		{"Europe/Berlin", "2026-12-31T23:00:00Z", affiliate.Day(2027, time.January, 1)},
		{"Europe/Berlin", "2027-03-28T22:00:00Z", affiliate.Day(2027, time.March, 29)},
		{"Asia/Beirut", "2027-03-27T22:00:00Z", affiliate.Day(2027, time.March, 28)},      // begins at 01:00
		{"Asia/Beirut", "2027-10-30T22:00:00Z", affiliate.Day(2027, time.October, 31)},    // 23:00 of the day before comes twice
		{"America/Havana", "2027-11-07T04:00:00Z", affiliate.Day(2027, time.November, 7)}, // 00:30 comes twice
		{"Pacific/Kiritimati", "2026-12-31T10:00:00Z", affiliate.Day(2027, time.January, 1)},
	} {
		t.Run(tt.zone+" "+tt.day.String(), func(t *testing.T) {
			eachDated(t, func(t *testing.T, d *datedWorld) {
				first := scene.Must(time.Parse(time.RFC3339, tt.first))
				d.set(affiliate.TermsUpdate{Withdraw: d.date()})
				d.set(affiliate.TermsUpdate{Rate: scene.Percent("15"), From: affiliate.Set(tt.day)})
				d.sells(first.Add(-time.Microsecond), "20")
				d.sells(first, "15")
			}, scene.Zoned(tt.zone))
		})
	}
}

// Replicas with different clocks decide each by its own, and what it recorded stays: the
// moment is in the sale.
func TestTermsOnTwoClocks(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		d.Now = d.from.Add(-time.Minute)
		fast := scene.NewOn(t, d.Store, func(c *tributary.Config) {
			c.Terms.Rate, c.Rand = affiliate.MustPercent("77"), rand.NewChaCha8([32]byte{2})
		})
		fast.Now = d.Now.Add(2 * time.Minute)
		order := affiliate.SaleParams{Email: "kim@b.co", TotalEarned: scene.Sum("100")}
		ahead := scene.Must(fast.RecordSale(t.Context(), order)).Sale.Or(affiliate.Sale{})
		scene.Equal(t, scene.Sum("15"), ahead.CommissionEarned)
		d.sells(d.Now, "20")
		d.Now = d.from.Add(time.Hour)
		for _, p := range []*tributary.Program{d.Program, fast.Program} {
			scene.Equal(t, 0, scene.Must(p.Run(t.Context(), affiliate.RecalculateJob{})).Changed)
		}
	})
}

// Imported sales are decided again by the terms of their time.
func TestTermsOfImportedSales(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		d.Join("ben", func(in *affiliate.AffiliateParams) { in.CommissionPlanID = d.plan })
		ben := scene.Must(d.Affiliate(t.Context(), "ben")).ID
		d.Now = d.from.Add(time.Hour)
		row := func(ref string, at time.Time) imported.Sale {
			return imported.Sale{Ref: ref, Email: "kim@b.co", TotalEarned: scene.Sum("100"), CommissionEarned: scene.Sum("1"), CreatedAt: at}
		}
		scene.Must(d.Imports().Sales(t.Context(), []imported.Sale{row("old", d.from.Add(-time.Microsecond)), row("new", d.from)}))
		var earned []string
		for _, s := range scene.Must(d.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
			moved := scene.Must(d.UpdateSale(t.Context(), s.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(ben)}))
			earned = append(earned, moved.CommissionEarned.String())
		}
		scene.Equal(t, []string{"15", "20"}, earned)
	})
}

// Changes at the same time all count: each is a version, or the last of one moment.
func TestTermsConcurrently(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				at := affiliate.Set(affiliate.At(d.from.Add(time.Duration(i%10) * time.Hour)))
				if _, err := d.change(affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.PercentFromScaled(int64(i%10) * 10_000)), From: at}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		want := "[20]"
		for i := range 10 {
			want += fmt.Sprintf(", %d at %v", i, time.Duration(i)*time.Hour)
		}
		scene.Equal(t, want, d.versions())
	})
}

// Config.Terms count until the first change of the program's terms, and never after it.
func TestTermsOfConfig(t *testing.T) {
	store := memstore.New()
	open := func(rate string) *scene.World {
		return scene.NewOn(t, store, func(c *tributary.Config) { c.Terms.Rate = affiliate.MustPercent(rate) })
	}
	shown := func(w *scene.World, want string) {
		t.Helper()
		scene.Equal(t, want, scene.Must(w.Settings(t.Context())).Terms.CommissionRate.String())
	}
	w := open("10")
	scene.Must(0, w.DeleteReferral(t.Context(), "nobody@example.net")) // which writes what the program is
	before := w.Dump()
	scene.Must(w.SetTerms(t.Context(), affiliate.TermsUpdate{Rate: scene.Percent("10")}))
	scene.Equal(t, before, w.Dump()) // nothing changed, so nothing is kept
	shown(open("20"), "20")
	events := w.Fired(func() {
		scene.Must(w.SetTerms(t.Context(), affiliate.TermsUpdate{Rate: scene.Percent("15"), From: affiliate.Set(affiliate.At(w.Now.Add(time.Hour)))}))
	})
	scene.Equal(t, 0, len(events))
	shown(open("20"), "10")
	scene.Must(w.SetTerms(t.Context(), affiliate.TermsUpdate{Rate: scene.Percent("12")}))
	shown(open("20"), "12")
	other := open("20")
	other.Now = other.Now.Add(time.Hour)
	shown(other, "15")
	scene.Equal(t, int64(2), int64(len(scene.Must(other.Terms(t.Context())))))
	w.Verifies()
}

// The terms of the program are no plan of anybody.
func TestTermsAreNoPlan(t *testing.T) {
	w := scene.New(t)
	a := w.Join("ada")
	r := w.Refer("ada", "kim@b.co")
	scene.Must(w.SetTerms(t.Context(), affiliate.TermsUpdate{Rate: scene.Percent("12")}))
	scene.Equal(t, 0, len(scene.Must(w.Plans(t.Context(), affiliate.Page{})).Items))
	mine := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p"}))
	scene.Equal(t, affiliate.List[affiliate.Plan]{Items: []affiliate.Plan{mine}}, scene.Must(w.Plans(t.Context(), affiliate.Page{Limit: 1})))
	if _, err := w.Plan(t.Context(), uuid.Max); err != affiliate.ErrNotFound {
		t.Error(err)
	}
	for name, call := range map[string]func() error{
		"UpdatePlan": func() error {
			return scene.ErrOf(w.UpdatePlan(t.Context(), uuid.Max, affiliate.PlanUpdate{Name: affiliate.Set("x")}))
		},
		"DeletePlan":       func() error { return w.DeletePlan(t.Context(), uuid.Max) },
		"SetAffiliatePlan": func() error { return scene.ErrOf(w.SetAffiliatePlan(t.Context(), uuid.Max, a.ID)) },
		"SetReferralPlan":  func() error { return scene.ErrOf(w.SetReferralPlan(t.Context(), uuid.Max, r.ID)) },
		"CreateAffiliate": func() error {
			return scene.ErrOf(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "B", LastName: "B", Email: "b@b.co", CommissionPlanID: uuid.Max}))
		},
	} {
		scene.WantReason(t, name, affiliate.PlanNotFound, call())
	}
	scene.Equal(t, "12", w.SellTo("kim@b.co", "100").CommissionEarned.String())
	w.Verifies()
}

// The commission type of a plan in use does not change, at any date.
func TestTermsTypeInUse(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		flat := affiliate.TermsUpdate{Type: affiliate.Set(affiliate.CommissionFlat), From: d.date()}
		if d.plan == uuid.Nil { // as a change of Config: a rate of another type is not used
			d.set(flat)
			d.sells(d.from, "15")
			return
		}
		d.Refused(scene.StateError(affiliate.PlanInUse, "", "Commission plan is in use"), func() error { return scene.ErrOf(d.change(flat)) })
		other := scene.Must(d.CreatePlan(t.Context(), affiliate.PlanParams{Name: "other"}))
		d.plan = other.ID
		d.set(flat)
		d.Join("ben", func(in *affiliate.AffiliateParams) { in.CommissionPlanID = other.ID })
		d.set(affiliate.TermsUpdate{Rate: scene.Percent("5")}) // what was planned before stays possible
		d.set(affiliate.TermsUpdate{Rate: scene.Percent("7"), From: d.date()})
	})
}

// Events show the terms in force, and no dates.
func TestTermsInEvents(t *testing.T) {
	eachDated(t, func(t *testing.T, d *datedWorld) {
		d.Now = d.from
		events := d.Fired(func() { d.Join("ben", func(in *affiliate.AffiliateParams) { in.CommissionPlanID = d.plan }) })
		body := scene.BodyOf[affiliate.AffiliateBody](t, events[0])
		scene.Equal(t, "15", body.CommissionRate.String())
		if d.plan != uuid.Nil {
			plan := body.CommissionPlan.Or(affiliate.Plan{})
			scene.Equal(t, "15", plan.CommissionRate.String())
			scene.Equal(t, 0, len(plan.Versions))
		}
	})
}

// A repeat with the key of a change gets its first answer.
func TestTermsOnce(t *testing.T) {
	w := scene.New(t)
	up := affiliate.TermsUpdate{Rate: scene.Percent("15"), From: affiliate.Set(affiliate.At(w.Now.Add(time.Hour)))}
	p := w.Keyed(affiliate.Once{Key: "k"})
	first := scene.Must(p.SetTerms(t.Context(), up))
	w.Now = w.Now.Add(2 * time.Hour)
	scene.Equal(t, first, scene.Must(p.SetTerms(t.Context(), up)))
	up.Rate = scene.Percent("16")
	scene.WantReason(t, "other terms", affiliate.IdempotencyKeyReused, scene.ErrOf(p.SetTerms(t.Context(), up)))
}

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
	scene.Must(0, opened(store, "EUR", "Europe/Berlin", "Roasted").Ping(ctx))
	scene.Must(0, scene.ErrOf(opened(store, "EUR", "Europe/Berlin", "Roasted").CreateCoupon(ctx, affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("5")})))
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
