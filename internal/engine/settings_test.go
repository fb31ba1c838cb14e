package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// keeping opens a program that leaves its settings to the store.
func keeping(store record.Store, at *clock, cfg tributary.Config) *tributary.Program {
	cfg.StoredSettings, cfg.Now = true, at.now
	return scene.Must(tributary.New(store, cfg))
}

func startOfYear() *clock { return &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

// allOf is an update of every setting.
func allOf() affiliate.SettingsUpdate {
	return affiliate.SettingsUpdate{
		Name: affiliate.Set("Beans"), Currency: affiliate.Set[affiliate.Currency]("EUR"),
		TimeZone: affiliate.Set("Europe/Berlin"), URLModifier: affiliate.Set("via"),
		OldURLModifiers: affiliate.Set([]string{"r"}), KeptParameters: affiliate.Set([]string{"lang"}),
		CookieDomain: affiliate.Set("beans.example"), CookieDuration: affiliate.Set[int64](30),
		Destinations: affiliate.Set([]string{"https://beans.example/"}),
		Attribution:  affiliate.Set(affiliate.Attribution{Touch: affiliate.TouchFirst}),
		AutoApprove:  affiliate.Set(false), CommissionOnTax: affiliate.Set(true),
		CommissionOnShipping: affiliate.Set(true), RefundWindowSeconds: affiliate.Set[int64](86_400),
		PayoutMinimum: affiliate.Set(scene.Sum("50")), Company: affiliate.Set("Beans Ltd\n1 Mill Lane"),
		TermsText: affiliate.Set("Be honest."), TermsVersion: affiliate.Set("2026-01"),
		Retention:  affiliate.Set(affiliate.RetentionDays{Events: 90, Clicks: 30}),
		FreeOrders: affiliate.Set(true), HouseCodes: affiliate.Set(true), RefuseSuspended: affiliate.Set(true),
		RequireCustomer: affiliate.Set(true), CountBots: affiliate.Set(true), CascadeEvents: affiliate.Set(true),
	}
}

// TestSettingsAreKept: every setting is kept, is what the program goes by at once, and what
// another process goes by that opens it later.
func TestSettingsAreKept(t *testing.T) {
	ctx, store, at := t.Context(), memstore.New(), startOfYear()
	p := keeping(store, at, tributary.Config{})
	is := scene.Must(p.By("Ada").UpdateSettings(ctx, allOf()))
	want := `"name":"Beans","currency":"EUR","timeZone":"Europe/Berlin","urlModifier":"via","oldUrlModifiers":["r"],"keptParameters":["lang"],"cookieDomain":"beans.example","cookieDuration":30,"destinations":[{"url":"https://beans.example/","params":{}}],"attribution":{"touch":"FIRST"},"terms":{"commissionType":"PERCENTAGE","commissionRate":0,"numberOfPayments":null,"numberOfMonths":null,"holdDays":0},"autoApprove":false,"commissionOnTax":true,"commissionOnShipping":true,"refundWindowSeconds":86400,"payoutMinimum":50,"company":"Beans Ltd\n1 Mill Lane","termsText":"Be honest.","termsVersion":"2026-01","retention":{"events":90,"clicks":30},"freeOrders":true,"houseCodes":true,"refuseSuspended":true,"requireCustomer":true,"countBots":true,"cascadeEvents":true,"deliverySchedule":[0,5,300,1800,7200,18000,36000,50400,72000,86400],"setByCode":[],"revision":1,"updatedBy":"Ada","updatedAt":"2026-01-01T00:00:00.000Z"}`
	scene.Equal(t, `{"id":"00000000-0000-0000-0000-000000000000",`+want, scene.JSON(is))
	later := keeping(store, at, tributary.Config{})
	for _, p := range []*tributary.Program{p, later, p.By("Bo")} {
		scene.Equal(t, scene.JSON(is), scene.JSON(scene.Must(p.Settings(ctx))))
		cfg := p.Config()
		scene.Equal(t, "EUR via 30\n", fmt.Sprintln(cfg.Currency, cfg.Param, cfg.CookieDays))
	}
	made := scene.Must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "ada@example.net"}))
	scene.Equal(t, affiliate.AffiliateInactive, made.Status)
	link := scene.Must(p.Links(ctx, affiliate.LinkQuery{}, affiliate.Page{})).Items[0]
	scene.Equal(t, "https://beans.example/?via="+made.AffiliateLinks[0].Link, link.FullURLs[0].FullURL)
	scene.Must(0, p.Verify(ctx))
	cleared := scene.Must(p.UpdateSettings(ctx, affiliate.SettingsUpdate{URLModifier: affiliate.Null[string](), AutoApprove: affiliate.Null[bool](), Destinations: affiliate.Null[[]string]()}))
	scene.Equal(t, "ref true 0 30 2\n", fmt.Sprintln(cleared.URLModifier, cleared.AutoApprove, len(cleared.Destinations), cleared.CookieDuration, cleared.Revision))
	same := scene.Must(p.UpdateSettings(ctx, affiliate.SettingsUpdate{CookieDuration: affiliate.Set[int64](30)}))
	scene.Equal(t, int64(2), same.Revision)
}

// TestSettingsOfAnotherProcess: a process goes by what another one set within five seconds, and
// never writes in a currency that is not the program's any more.
func TestSettingsOfAnotherProcess(t *testing.T) {
	ctx, store, at := t.Context(), memstore.New(), startOfYear()
	one, other := keeping(store, at, tributary.Config{}), keeping(store, at, tributary.Config{})
	scene.Must(0, one.Ping(ctx))
	scene.Must(0, other.Ping(ctx))
	scene.Must(one.UpdateSettings(ctx, affiliate.SettingsUpdate{CookieDuration: affiliate.Set[int64](7)}))
	scene.Equal(t, 60, scene.Must(other.Settings(ctx)).CookieDuration)
	at.at = at.at.Add(5 * time.Second)
	scene.Equal(t, 7, scene.Must(other.Settings(ctx)).CookieDuration)
	scene.Must(one.UpdateSettings(ctx, affiliate.SettingsUpdate{Currency: affiliate.Set[affiliate.Currency]("EUR")}))
	coupon := affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("5")}
	if _, err := other.CreateCoupon(ctx, coupon); err == nil {
		t.Error("a write with the settings of before passed")
	}
	scene.Must(other.CreateCoupon(ctx, coupon)) // they were read again
	scene.Equal(t, affiliate.Currency("EUR"), other.Config().Currency)
}

// TestSettingsRerun: a store that runs each transaction twice keeps what was set, and who set it.
func TestSettingsRerun(t *testing.T) {
	store := memstore.New()
	is := scene.Must(keeping(conformance.Rerun(store), startOfYear(), tributary.Config{}).By("Ada").UpdateSettings(t.Context(),
		affiliate.SettingsUpdate{Currency: affiliate.Set[affiliate.Currency]("EUR")}))
	scene.Equal(t, affiliate.Set("Ada"), is.UpdatedBy)
	scene.Equal(t, scene.JSON(is), scene.JSON(scene.Must(keeping(store, startOfYear(), tributary.Config{}).Settings(t.Context()))))
}

// TestSettingsOfTheHost: what the Config has is the host's, and all of it without StoredSettings.
func TestSettingsOfTheHost(t *testing.T) {
	ctx, store, at := t.Context(), memstore.New(), startOfYear()
	p := keeping(store, at, tributary.Config{Currency: "EUR", HouseCodes: true})
	scene.Equal(t, `["currency","houseCodes"]`, scene.JSON(scene.Must(p.Settings(ctx)).SetByCode))
	refused := func(p *tributary.Program, up affiliate.SettingsUpdate, field, text string) {
		t.Helper()
		e, ok := errors.AsType[*affiliate.Error](scene.ErrOf(p.UpdateSettings(ctx, up)))
		if !ok || e.Reason != affiliate.SettingFixed || e.Field != field || e.Message != text {
			t.Errorf("%+v", e)
		}
	}
	refused(p, affiliate.SettingsUpdate{HouseCodes: affiliate.Set(false)}, "houseCodes", "houseCodes is set by the code of the program's host")
	fixed := scene.Must(tributary.New(store, tributary.Config{Currency: "EUR", Now: at.now}))
	refused(fixed, affiliate.SettingsUpdate{Name: affiliate.Set("B")}, "name", "name is set by the code of the program's host")
	scene.Equal(t, 25, len(scene.Must(fixed.Settings(ctx)).SetByCode))
}

// TestSettingsWithMoney: once somebody paid, the currency and the zone stay.
func TestSettingsWithMoney(t *testing.T) {
	ctx, store, at := t.Context(), memstore.New(), startOfYear()
	p := keeping(store, at, tributary.Config{})
	scene.Must(p.UpdateSettings(ctx, affiliate.SettingsUpdate{Currency: affiliate.Set[affiliate.Currency]("EUR")}))
	scene.Must(p.RecordSale(ctx, paid(p, "100")))
	for field, up := range map[string]affiliate.SettingsUpdate{
		"currency": {Currency: affiliate.Set[affiliate.Currency]("USD")}, "timeZone": {TimeZone: affiliate.Set("Asia/Tokyo")},
	} {
		e, ok := errors.AsType[*affiliate.Error](scene.ErrOf(p.UpdateSettings(ctx, up)))
		if !ok || e.Reason != affiliate.SettingFixed || e.Message != field+" cannot change once the program has money" {
			t.Errorf("%s: %+v", field, e)
		}
	}
	scene.Must(p.UpdateSettings(ctx, affiliate.SettingsUpdate{Currency: affiliate.Set[affiliate.Currency]("EUR"), Name: affiliate.Set("B")}))
	scene.Must(0, p.Verify(ctx))
}

// TestSettingsRefused: a value that cannot be is refused, with the field, and changes nothing.
func TestSettingsRefused(t *testing.T) {
	ctx, store, at := t.Context(), memstore.New(), startOfYear()
	p := keeping(store, at, tributary.Config{ID: uuid.Max})
	many := make([]string, 21)
	for i := range many {
		many[i] = "https://beans.example/"
	}
	for want, up := range map[string]affiliate.SettingsUpdate{
		"name must not be empty":                                                            {Name: affiliate.Set(" ")},
		"name must not be null":                                                             {Name: affiliate.Null[string]()},
		"Currency must be an ISO 4217 code":                                                 {Currency: affiliate.Set[affiliate.Currency]("EURO")},
		"currency must not be null":                                                         {Currency: affiliate.Null[affiliate.Currency]()},
		"timeZone must not be null":                                                         {TimeZone: affiliate.Null[string]()},
		"destinations must have absolute URLs":                                              {Destinations: affiliate.Set([]string{"/shop"})},
		"destinations must have at most 20 entries":                                         {Destinations: affiliate.Set(many)},
		"timeZone must be the name of an IANA time zone, such as Europe/Berlin":             {TimeZone: affiliate.Set("Local")},
		"urlModifier must be 1 to 64 of the characters A to Z, a to z, 0 to 9, - and _":     {URLModifier: affiliate.Set("a b")},
		"oldUrlModifiers must be 1 to 64 of the characters A to Z, a to z, 0 to 9, - and _": {OldURLModifiers: affiliate.Set([]string{"", "r"})},
		"keptParameters must be 1 to 64 of the characters A to Z, a to z, 0 to 9, - and _":  {KeptParameters: affiliate.Set([]string{"a=b"})},
		"cookieDomain must be a domain such as shop.example":                                {CookieDomain: affiliate.Set("localhost")},
		"cookieDuration must be an integer from 1 to 36500":                                 {CookieDuration: affiliate.Set[int64](0)},
		"attribution.touch must be one of LAST, FIRST":                                      {Attribution: affiliate.Set(affiliate.Attribution{Touch: "MIDDLE"})},
		"attribution.customer must be one of EACH_ORDER, KEEP":                              {Attribution: affiliate.Set(affiliate.Attribution{Customer: "x"})},
		"attribution.promoCode must be one of ALWAYS, UNBROUGHT":                            {Attribution: affiliate.Set(affiliate.Attribution{Code: "x"})},
		"refundWindowSeconds must be at least 1":                                            {RefundWindowSeconds: affiliate.Set[int64](0)},
		"refundWindowSeconds is too large":                                                  {RefundWindowSeconds: affiliate.Set[int64](1 << 62)},
		"payoutMinimum must be at least 0":                                                  {PayoutMinimum: affiliate.Set(scene.Sum("-1"))},
		"company must not be empty":                                                         {Company: affiliate.Set(" \n")},
		"company contains invalid characters":                                               {Company: affiliate.Set("a\x00")},
		"termsText is too long":                                                             {TermsText: affiliate.Set(strings.Repeat("x", 50_001)), TermsVersion: affiliate.Set("1")},
		"termsVersion must have no space at an end, nor two together":                       {TermsText: affiliate.Set("x"), TermsVersion: affiliate.Set("1 ")},
		"termsVersion is too long":                                                          {TermsText: affiliate.Set("x"), TermsVersion: affiliate.Set(strings.Repeat("x", 101))},
		"termsText needs a termsVersion, and another text another one":                      {TermsText: affiliate.Set("x")},
		"retention.holds must be an integer from 1 to 36500":                                {Retention: affiliate.Set(affiliate.RetentionDays{Holds: -1})},
		"clicks must be kept for as long as they attribute":                                 {Retention: affiliate.Set(affiliate.RetentionDays{Clicks: 59})},
	} {
		e, ok := errors.AsType[*affiliate.Error](scene.ErrOf(p.UpdateSettings(ctx, up)))
		if !ok || e.Message != want {
			t.Errorf("%+v, want %s", e, want)
		}
	}
	scene.Equal(t, int64(0), scene.Must(p.Settings(ctx)).Revision)
}

// TestTermsHaveVersions: another text of the terms needs another version, and both go together.
func TestTermsHaveVersions(t *testing.T) {
	ctx, p := t.Context(), keeping(memstore.New(), startOfYear(), tributary.Config{})
	set := func(text, version affiliate.Opt[string]) error {
		return scene.ErrOf(p.UpdateSettings(ctx, affiliate.SettingsUpdate{TermsText: text, TermsVersion: version}))
	}
	text, null, same := affiliate.Set[string], affiliate.Null[string](), affiliate.Opt[string]{}
	for i, step := range []struct {
		text, version affiliate.Opt[string]
		right         bool
	}{
		{text("a"), text("1"), true}, {text("a"), same, true}, {text("b"), same, false}, {text("b"), text("1"), false}, {text("b"), text("2"), true},
		{same, text("3"), true}, {null, same, false}, {same, null, false}, {null, null, true}, {same, text("4"), false}, {text("c"), text("4"), true},
	} {
		if err := set(step.text, step.version); (err == nil) != step.right || err != nil && !errors.Is(err, affiliate.InvalidField) {
			t.Errorf("step %d: %v", i, err)
		}
	}
	for _, cfg := range []tributary.Config{{TermsText: "a"}, {TermsVersion: "1"}, {PayoutMinimum: scene.Sum("-1")}} {
		if _, err := tributary.New(memstore.New(), cfg); err == nil {
			t.Errorf("%+v", cfg)
		}
	}
}

// TestRetentionFollowsTheCookie: neither of them can be set so that clicks go while they attribute.
func TestRetentionFollowsTheCookie(t *testing.T) {
	ctx, p := t.Context(), keeping(memstore.New(), startOfYear(), tributary.Config{})
	scene.Must(p.UpdateSettings(ctx, affiliate.SettingsUpdate{Retention: affiliate.Set(affiliate.RetentionDays{Clicks: 60})}))
	scene.Equal(t, 60*24*time.Hour, p.Config().Retention.Clicks)
	if err := scene.ErrOf(p.UpdateSettings(ctx, affiliate.SettingsUpdate{CookieDuration: affiliate.Set[int64](61)})); !errors.Is(err, affiliate.RetentionTooShort) {
		t.Error(err)
	}
	scene.Must(p.UpdateSettings(ctx, affiliate.SettingsUpdate{CookieDuration: affiliate.Set[int64](61), Retention: affiliate.Null[affiliate.RetentionDays]()}))
}

// TestSettingsOutOfReach: when the store does not say what it keeps, nothing is done by other settings.
func TestSettingsOutOfReach(t *testing.T) {
	broken := errors.New("no store")
	p := keeping(brokenStore{memstore.New(), broken}, startOfYear(), tributary.Config{})
	for i, err := range []error{
		p.Ping(t.Context()), scene.ErrOf(p.Settings(t.Context())), scene.ErrOf(p.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "x", TotalEarned: scene.Sum("1")})),
	} {
		if !errors.Is(err, broken) {
			t.Error(i, err)
		}
	}
}

// A brokenStore fails to read.
type brokenStore struct {
	record.Store
	err error
}

func (s brokenStore) View(context.Context, uuid.UUID, func(*record.Tx) error) error { return s.err }
