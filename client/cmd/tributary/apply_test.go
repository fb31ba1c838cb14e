package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A shop is a program that keeps its settings, and its server.
type shop struct {
	*tributary.Program
	t   *testing.T
	url string
}

func newShop(t *testing.T, cfg tributary.Config) *shop {
	t.Helper()
	if cfg.StoredSettings = true; cfg.Now == nil {
		cfg.Now = func() time.Time { return time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC) }
	}
	p := must(tributary.New(memstore.New(), cfg))
	return &shop{p, t, serve(t, must(httpapi.New(p, httpapi.Config{APIKeys: []string{testKey}})))}
}

func (s *shop) cli(args ...string) result {
	s.t.Helper()
	return at(s.t, s.url, strings.NewReader(""), append([]string{"program"}, args...)...)
}

// wrote writes a file.
func wrote(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.json")
	must(0, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// furnished is a program with one of everything that a file has.
func furnished(t *testing.T) *shop {
	s, ctx := newShop(t, tributary.Config{}), t.Context()
	must(s.UpdateSettings(ctx, affiliate.SettingsUpdate{
		Name: affiliate.Set("Beans & Co"), Currency: affiliate.Set[affiliate.Currency]("EUR"), TimeZone: affiliate.Set("Europe/Berlin"),
		Destinations: affiliate.Set([]string{"https://beans.example/"}), AutoApprove: affiliate.Set(false), CookieDuration: affiliate.Set[int64](30),
		RefundWindowSeconds: affiliate.Set[int64](86_400), PayoutMinimum: affiliate.Set(affiliate.MustAmount("50")), Company: affiliate.Set("Beans Ltd\nBath"),
		TermsText: affiliate.Set("Be honest."), TermsVersion: affiliate.Set("1"), Retention: affiliate.Set(affiliate.RetentionDays{Events: 90}),
		Attribution: affiliate.Set(affiliate.Attribution{Touch: affiliate.TouchFirst}), OldURLModifiers: affiliate.Set([]string{"via"}),
	}))
	spring := must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("10")), RedeemBy: affiliate.Set(affiliate.Day(2026, 12, 31))}))
	must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Five", CouponType: affiliate.CouponFlat, AmountOff: affiliate.Set(affiliate.MustAmount("5")), Currency: affiliate.Set[affiliate.Currency]("EUR"),
		ExternalID: "co_5", IntegrationType: "STRIPE", LimitToProducts: true, ProductIDs: []string{"mug"}, Valid: affiliate.Set(false)}))
	must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("20")), MaxMonths: affiliate.Set[int64](12), OfferCouponID: affiliate.Set(spring.ID)}))
	must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", PaymentTrigger: "BONUS", AutoApproveRewards: affiliate.Set(false), Terms: affiliate.Terms{Rate: affiliate.MustPercent("30"), HoldDays: 14, MonthsFrom: affiliate.MonthsFromReferral,
		MaxPerSale: affiliate.MustAmount("99.5"), Rules: []affiliate.Rule{{Name: "gifts", When: affiliate.RuleWhen{Products: []string{"gift"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}}}}}))
	return s
}

// TestProgramFile: what one program exports makes an empty one the same, and once more changes nothing.
func TestProgramFile(t *testing.T) {
	a, b := furnished(t), newShop(t, tributary.Config{})
	file := a.cli("export")
	if file.code != 0 || file.err != "" {
		t.Fatalf("%+v", file)
	}
	path := wrote(t, file.out)
	if got := a.cli("apply", path, "--dry-run"); got.code != 0 || got.out != "nothing differs\n" {
		t.Errorf("its own file: %+v", got)
	}
	before := b.cli("export").out
	dry := b.cli("apply", "--dry-run", path)
	for _, line := range []string{`settings: currency "USD" → "EUR"`, `settings: payoutMinimum none → 50`, `coupon "co_5": made`, `coupon "co_5": amountOff none → 5`,
		`terms: offerCoupon none → "Spring"`, `plan "Gold": made`, `plan "Gold": commissionRate none → 30`} {
		if dry.code != exitFound || !strings.Contains(dry.out, line+"\n") {
			t.Errorf("%d, no line %q in\n%s%s", dry.code, line, dry.out, dry.err)
		}
	}
	if after := b.cli("export").out; after != before {
		t.Errorf("a dry run changed something: %s", cmp.Diff(before, after))
	}
	if got := b.cli("apply", path); got.code != 0 || got.out != dry.out {
		t.Fatalf("%+v", got)
	}
	if diff := cmp.Diff(file.out, b.cli("export").out); diff != "" {
		t.Errorf("the programs differ (-A +B):\n%s", diff)
	}
	revision := must(b.Settings(t.Context())).Revision
	if got := b.cli("apply", path); got.code != 0 || got.out != "nothing differs\n" || must(b.Settings(t.Context())).Revision != revision {
		t.Errorf("once more: %+v", got)
	}
	must(0, b.Verify(t.Context()))
	var all struct{ Settings map[string]any }
	must(0, json.Unmarshal([]byte(file.out), &all))
	if n := reflect.TypeFor[affiliate.SettingsUpdate]().NumField(); len(all.Settings) != n {
		t.Errorf("%d of %d settings are exported", len(all.Settings), n)
	}
}

// TestProgramFileChanges: what a file names is changed, and nothing else; what it does not name is named.
func TestProgramFileChanges(t *testing.T) {
	s := furnished(t)
	path := wrote(t, `{"settings":{"cookieDuration":45,"retention":null,"currency":"eur"},
		"coupons":[{"name":"Spring","redeemBy":"2027-01-31","couponType":"FLAT","percentOff":null,"amountOff":3,"currency":"EUR"},{"name":"Summer","percentOff":15.0}],
		"terms":{"offerCoupon":"Summer"},"plans":[{"name":"Gold","commissionRate":35,"rules":null}]}`)
	got := s.cli("apply", path)
	want := `settings: cookieDuration 30 → 45
settings: retention {"events":90} → none
coupon "Spring": couponType "PERCENTAGE" → "FLAT"
coupon "Spring": percentOff 10 → none
coupon "Spring": amountOff none → 3
coupon "Spring": currency none → "EUR"
coupon "Spring": redeemBy "2026-12-31T22:59:59.999Z" → "2027-01-31T22:59:59.999Z"
coupon "Summer": made
coupon "Summer": name none → "Summer"
coupon "Summer": percentOff none → 15
terms: offerCoupon "Spring" → "Summer"
terms: the last 90 days: 0 sales and 0 conversions earned 0 EUR, and would have earned 0 EUR
plan "Gold": commissionRate 30 → 35
plan "Gold": rules [{"name":"gifts","pay":{"commissionRate":0,"commissionType":"NONE"},"when":{"products":["gift"]}}] → none
plan "Gold": the last 90 days: 0 sales and 0 conversions earned 0 EUR, and would have earned 0 EUR
coupon "co_5": not in the file, and stays as it is
`
	if diff := cmp.Diff(want, got.out); diff != "" || got.code != 0 {
		t.Fatalf("%d %s (-want +got):\n%s", got.code, got.err, diff)
	}
	gold := must(s.Plans(t.Context(), affiliate.Page{})).Items[0]
	if gold.CommissionRate.String() != "35" || len(gold.Rules) > 0 || gold.HoldDays != 14 || gold.AutoApproveRewards {
		t.Errorf("%+v", gold)
	}
	if again := s.cli("apply", "--dry-run", path); again.code != 0 || !strings.HasSuffix(again.out, "nothing differs\n") {
		t.Errorf("%+v", again)
	}
}

// TestProgramFileObject: an object of the settings is taken whole, and each of its members that goes is
// named.
func TestProgramFileObject(t *testing.T) {
	s := furnished(t)
	must(s.UpdateSettings(t.Context(), affiliate.SettingsUpdate{Retention: affiliate.Set(affiliate.RetentionDays{Events: 90, Clicks: 400})}))
	path := wrote(t, `{"settings":{"retention":{"events":120}}}`)
	want := "settings: retention.clicks 400 → none\nsettings: retention.events 90 → 120\n"
	if got := s.cli("apply", path); got.code != 0 || !strings.HasPrefix(got.out, want) {
		t.Errorf("%+v", got)
	}
	if got := must(s.Settings(t.Context())).Retention; got != (affiliate.RetentionDays{Events: 120}) {
		t.Errorf("%+v", got)
	}
}

// TestProgramFileCouponTwice: a coupon that has an external id is found by its name too, and none is made
// beside one with its name that has no external id.
func TestProgramFileCouponTwice(t *testing.T) {
	s := furnished(t)
	path := wrote(t, `{"coupons":[{"name":"Five","amountOff":6}],"terms":{"offerCoupon":"Five"}}`)
	if got := s.cli("apply", path); got.code != 0 || !strings.HasPrefix(got.out, "coupon \"co_5\": amountOff 5 → 6\nterms: offerCoupon \"Spring\" → \"co_5\"\n") {
		t.Errorf("%+v", got)
	}
	if again := s.cli("apply", path); again.code != 0 || !strings.HasSuffix(again.out, "nothing differs\n") {
		t.Errorf("%+v", again)
	}
	for text, says := range map[string]string{
		`{"coupons":[{"name":"Five","amountOff":7},{"externalId":"co_5","amountOff":8}]}`: `coupon "co_5" is there twice`,
		`{"coupons":[{"name":"Spring","externalId":"co_s","amountOff":7}]}`:               `coupon "Spring" is there without an externalId`,
	} {
		if got := s.cli("apply", wrote(t, text)); got.code != exitUsage || !strings.Contains(got.err, says) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if all := must(s.Coupons(t.Context(), affiliate.CouponQuery{}, affiliate.Page{})).Items; len(all) != 2 {
		t.Errorf("%+v", all)
	}
}

// TestProgramFileRefused: a file that cannot be is refused before anything is changed.
func TestProgramFileRefused(t *testing.T) {
	s := furnished(t)
	must(s.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Twin", PercentOff: affiliate.Set(affiliate.MustPercent("1"))}))
	must(s.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Twin", PercentOff: affiliate.Set(affiliate.MustPercent("2"))}))
	must(s.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.com"})).ID,
		Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("5"), Reason: "r"}))
	revision := must(s.Settings(t.Context())).Revision
	for text, says := range map[string]string{
		``: "EOF", `[]`: "cannot unmarshal", `{} {}`: "something follows", `{"setings":{}}`: `unknown field "setings"`,
		`{"settings":{"nmae":"x"}}`: `unknown field "nmae"`, `{"settings":{"NAME":"x"}}`: "unknown field settings.NAME",
		`{"settings":{"id":"x"}}`:                                            `unknown field "id"`,
		`{"plans":[{"name":"P","rules":[{"nmae":"x"}]}]}`:                    "unknown field plans.rules.nmae",
		`{"settings":{"cookieDuration":"30"}}`:                               "cannot unmarshal",
		`{"settings":{"autoApprove":null}}`:                                  "autoApprove of settings must be true or false",
		`{"settings":{"timeZone":"Mars/Base"}}`:                              "unknown time zone",
		`{"settings":{"cookieDuration":9,"currency":"USD"}}`:                 `settings: currency "EUR" → "USD": it cannot change`,
		`{"settings":{"cookieDuration":9,"timeZone":"UTC"}}`:                 `it cannot change, because the program has money`,
		`{"coupons":[{"percentOff":5}]}`:                                     "has no name",
		`{"coupons":[{"name":" A"}]}`:                                        "spaces around it",
		`{"coupons":[{"name":"A"},{"name":"A"}]}`:                            `coupon "A" is there twice`,
		`{"coupons":[{"name":"Twin","percentOff":9}]}`:                       `two have the name of coupon "Twin"`,
		`{"coupons":[{"externalId":"co_5","integrationType":"PADDLE"}]}`:     "integrationType cannot change",
		`{"plans":[{"name":"Gold","from":"2027-01-01","commissionRate":1}]}`: "has from; a file has the terms that are in force",
		`{"terms":{"offerCouponId":"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"}}`: "offerCoupon names the coupon",
		`{"settings":{"cookieDuration":9},"terms":{"offerCoupon":"None"}}`:   `offers the coupon "None", which is neither there nor in the file`,
	} {
		for _, args := range [][]string{{"apply", "--dry-run"}, {"apply"}} {
			got := s.cli(append(args, wrote(t, text))...)
			if got.code != exitUsage || !strings.Contains(got.err, says) || got.out != "" {
				t.Errorf("%s: %+v, want %q", text, got, says)
			}
		}
	}
	if got := s.cli("apply", filepath.Join(t.TempDir(), "none.json")); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
	if got := s.cli("export"); got.code != exitUsage || !strings.Contains(got.err, "two have the name") {
		t.Errorf("%+v", got)
	}
	is := must(s.Settings(t.Context()))
	if is.Revision != revision || is.CookieDuration != 30 {
		t.Errorf("%+v", is)
	}
	host := newShop(t, tributary.Config{ID: uuid.Max, Currency: "EUR"})
	if got := host.cli("apply", "--dry-run", wrote(t, `{"settings":{"currency":"USD"}}`)); got.code != exitUsage || !strings.Contains(got.err, "is set by the code of the program's host") {
		t.Errorf("%+v", got)
	}
	if got := host.cli("apply", wrote(t, `{"settings":{"currency":"EUR"}}`)); got.code != 0 || got.out != "nothing differs\n" {
		t.Errorf("%+v", got)
	}
	if got := host.cli("apply", wrote(t, `{"settings":{"cookieDuration":9},"plans":[{"name":"P","commissionRate":101}]}`)); got.code != exitRefused || !strings.Contains(got.err, "Commission rate must be between 0 and 100") {
		t.Errorf("what the server refuses: %+v", got)
	}
	if got := host.cli("apply", wrote(t, `{"settings":{"urlModifier":null}}`)); got.code != exitFound || !strings.Contains(got.err, `write the first of settings: urlModifier "ref" → none`) {
		t.Errorf("a default by null: %+v", got)
	}
}

// TestProgramFilePage: the file and the commands of the page do what it says.
func TestProgramFilePage(t *testing.T) {
	_, section, _ := strings.Cut(string(must(os.ReadFile(dayPage))), "## A program in a repository")
	blocks := strings.Split(section, "```")
	file, ran := wrote(t, strings.TrimPrefix(blocks[1], "json")), 0
	s := newShop(t, tributary.Config{})
	if got := s.cli("apply", file); got.code != 0 || must(s.Settings(t.Context())).Terms.HoldDays != 30 {
		t.Fatalf("%+v", got)
	}
	for line := range strings.Lines(blocks[3]) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "tributary" {
			continue
		}
		ran++
		command, _, _ := strings.Cut(strings.Join(words[2:], " "), " ||")
		command, _, _ = strings.Cut(command, " >")
		got := s.cli(strings.Fields(strings.ReplaceAll(command, "program.json", file))...)
		if words[2] == "export" {
			must(0, os.WriteFile(file, []byte(got.out), 0o600))
		} else if got.out != "nothing differs\n" {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if ran != 3 {
		t.Errorf("%d commands", ran)
	}
}

// TestProgramFileCost: where terms change, the answer says what the sales of the last 90 days had earned
// by them, as Simulate does; older sales and those of other terms are left out.
func TestProgramFileCost(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, ctx := newShop(t, tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Now: func() time.Time { return now }}), t.Context()
	plan := must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
	must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.com", AffiliateLink: "ada"}))
	gold := must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "G", LastName: "B", Email: "g@example.com", AffiliateLink: "gold"}))
	must(s.SetAffiliatePlan(ctx, plan.ID, gold.ID))
	sell := func(of, total string) {
		must(s.RecordSale(ctx, affiliate.SaleParams{ReferralID: of, Email: of + "@example.net", Name: "K", TotalEarned: affiliate.MustAmount(total)}))
	}
	sell("ada", "1000")
	now = now.AddDate(0, 0, 91)
	sell("ada", "100")
	sell("gold", "50")
	path := wrote(t, `{"terms":{"commissionRate":25},"plans":[{"name":"Gold","maxPerSale":10}]}`)
	want := `terms: commissionRate 20 → 25
terms: the last 90 days: 1 sales and 0 conversions earned 20 USD, and would have earned 25 USD
plan "Gold": maxPerSale none → 10
plan "Gold": the last 90 days: 1 sales and 0 conversions earned 15 USD, and would have earned 10 USD
`
	if got := s.cli("apply", "--dry-run", path); got.code != exitFound || got.out != want {
		t.Errorf("%d %s%s", got.code, cmp.Diff(want, got.out), got.err)
	}
	if got := at(t, s.url, strings.NewReader(""), "terms", "simulate", "--commission-rate", "25"); got.code != 0 || !strings.Contains(got.out, "would        275 USD\n") {
		t.Errorf("%+v", got)
	}
}
