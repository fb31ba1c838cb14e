package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestTiers(t *testing.T) {
	w := scene.New(t)
	bare := scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "Green", Rate: affiliate.Null[affiliate.Percent]()}))
	full := scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{
		Tier: 2, Name: "Roast", Emoji: "☕", MinReferrals: 3, MinRevenue: affiliate.MustAmount("99.5"),
		ConditionType: affiliate.ConditionSome, Rate: affiliate.Set(affiliate.MustPercent("0")),
	}))
	scene.Equal(t, affiliate.Tier{
		ID: bare.ID, Tier: 1, Name: "Green", Emoji: affiliate.Null[string](), ConditionType: affiliate.ConditionAll, CommissionRate: affiliate.Null[affiliate.Percent](),
		CreatedAt: affiliate.TimeOf(w.Now), UpdatedAt: affiliate.TimeOf(w.Now),
	}, bare)
	scene.Equal(t, affiliate.Tier{
		ID: full.ID, Tier: 2, Name: "Roast", Emoji: affiliate.Set("☕"), MinReferrals: 3, MinRevenue: affiliate.MustAmount("99.5"),
		ConditionType: affiliate.ConditionSome, CommissionRate: affiliate.Set(affiliate.Percent{}),
		CreatedAt: affiliate.TimeOf(w.Now), UpdatedAt: affiliate.TimeOf(w.Now),
	}, full)
	scene.Equal(t, full, scene.Must(w.Tier(t.Context(), full.ID)))
	scene.Equal(t, []affiliate.Tier{full, bare}, scene.Must(w.Tiers(t.Context(), affiliate.Page{})).Items)
	w.Refused(scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		return scene.ErrOf(w.Tiers(t.Context(), affiliate.Page{Cursor: "x"}))
	})
}

func TestTierRefusals(t *testing.T) {
	w := scene.New(t)
	tier := scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t"}))
	field := func(name, what string) affiliate.Error {
		return scene.FieldError(affiliate.InvalidField, name, name+" "+what)
	}
	rate := affiliate.Set(affiliate.MustPercent("101"))
	for _, tt := range []struct {
		name string
		in   affiliate.TierParams
		want affiliate.Error
	}{
		{"ErrTier", affiliate.TierParams{}, field("tier", "must be at least 1")},
		{"ErrName", affiliate.TierParams{Tier: 1}, scene.FieldError(affiliate.MissingField, "name", "Name is required")},
		{"ErrEmoji", affiliate.TierParams{Tier: 1, Name: "t", Emoji: strings.Repeat("☕", 256)}, field("emoji", "is too long")},
		{"ErrReferrals", affiliate.TierParams{Tier: 1, Name: "t", MinReferrals: -1}, field("minReferrals", "must be at least 0")},
		{"ErrRevenue", affiliate.TierParams{Tier: 1, Name: "t", MinRevenue: affiliate.MustAmount("-0.01")}, field("minRevenue", "must be at least 0")},
		{"ErrCondition", affiliate.TierParams{Tier: 1, Name: "t", ConditionType: "all"}, field("conditionType", "must be one of ALL, SOME")},
		{"ErrRate", affiliate.TierParams{Tier: 1, Name: "t", Rate: rate}, scene.FieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.CreateTier(t.Context(), tt.in)) })
		})
	}
	w.T = t
	for name, up := range map[string]affiliate.TierUpdate{
		"tier": {Tier: affiliate.Null[int64]()}, "name": {Name: affiliate.Null[string]()},
		"minReferrals": {MinReferrals: affiliate.Null[int64]()}, "minRevenue": {MinRevenue: affiliate.Null[affiliate.Amount]()},
		"conditionType": {ConditionType: affiliate.Null[affiliate.ConditionType]()},
	} {
		w.Refused(field(name, "must not be null"), func() error { return scene.ErrOf(w.UpdateTier(t.Context(), tier.ID, up)) })
	}
	w.Refused(field("emoji", "must not be empty"), func() error {
		return scene.ErrOf(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Emoji: affiliate.Set("")}))
	})
	w.Refused(field("tier", "must be at least 1"), func() error {
		return scene.ErrOf(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Tier: affiliate.Set[int64](0)}))
	})
	missing := scene.MissingError(affiliate.TierNotFound, "Tier not found")
	w.Refused(missing, func() error { return scene.ErrOf(w.UpdateTier(t.Context(), uuid.New(), affiliate.TierUpdate{})) })
	w.Refused(missing, func() error { return w.DeleteTier(t.Context(), uuid.New()) })
}

func TestTierRateOfFlatProgram(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat} })
	scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("101"))}))
}

func TestUpdateTier(t *testing.T) {
	w := scene.New(t)
	tier := scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t", Emoji: "x", Rate: affiliate.Set(affiliate.MustPercent("9"))}))
	before := w.Dump()
	w.Now = w.Now.Add(time.Hour)
	scene.Equal(t, tier, scene.Must(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Name: affiliate.Set("t")})))
	scene.Equal(t, before, w.Dump())
	want := affiliate.Tier{
		ID: tier.ID, Tier: 4, Name: "u", Emoji: affiliate.Null[string](), MinReferrals: 1, MinRevenue: affiliate.MustAmount("2"),
		ConditionType: affiliate.ConditionSome, CommissionRate: affiliate.Null[affiliate.Percent](),
		CreatedAt: tier.CreatedAt, UpdatedAt: affiliate.TimeOf(w.Now),
	}
	scene.Equal(t, want, scene.Must(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{
		Tier: affiliate.Set[int64](4), Name: affiliate.Set("u"), Emoji: affiliate.Null[string](), MinReferrals: affiliate.Set[int64](1),
		MinRevenue: affiliate.Set(affiliate.MustAmount("2")), ConditionType: affiliate.Set(affiliate.ConditionSome), Rate: affiliate.Null[affiliate.Percent](),
	})))
	cleared := w.Dump()
	scene.Must(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Rate: affiliate.Null[affiliate.Percent]()}))
	scene.Equal(t, cleared, w.Dump())
	none := affiliate.TierParams{Tier: 1, Name: "n"}
	plain := scene.Must(w.CreateTier(t.Context(), none))
	none.Rate = affiliate.Null[affiliate.Percent]()
	null := scene.Must(w.CreateTier(t.Context(), none))
	w.Raw(func(tx *record.Tx) error {
		a, b := scene.Must(tx.Tiers.Get(plain.ID)), scene.Must(tx.Tiers.Get(null.ID))
		b.ID = a.ID
		scene.Equal(t, a, b)
		return nil
	})
}

func TestDeleteTier(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	tier := scene.Must(w.CreateTier(t.Context(), affiliate.TierParams{Tier: 1, Name: "t"}))
	scene.Must(w.SetAffiliateTier(t.Context(), tier.ID, a.ID))
	w.Refused(scene.StateError(affiliate.TierInUse, "", "Tier is in use"), func() error { return w.DeleteTier(t.Context(), tier.ID) })
	scene.Must(w.SetAffiliateTier(t.Context(), uuid.Nil, a.ID))
	scene.Must(0, w.DeleteTier(t.Context(), tier.ID))
}

func TestAssignTiers(t *testing.T) {
	w := scene.New(t)
	assign := func(want int) []string {
		return w.FiredTypes(func() {
			scene.Equal(t, int64(want), scene.Must(w.Run(t.Context(), affiliate.AssignTiersJob{})).Changed)
		})
	}
	tierOf := func(slug string) affiliate.Opt[uuid.UUID] {
		return scene.Must(w.Affiliate(t.Context(), slug)).CommissionTierID
	}
	create := func(in affiliate.TierParams) affiliate.Opt[uuid.UUID] {
		in.Name = "t"
		return affiliate.Set(scene.Must(w.CreateTier(t.Context(), in)).ID)
	}
	gold := create(affiliate.TierParams{Tier: 3, MinReferrals: 2, MinRevenue: affiliate.MustAmount("100"), ConditionType: affiliate.ConditionAll})
	silver := create(affiliate.TierParams{Tier: 2, MinReferrals: 2, MinRevenue: affiliate.MustAmount("100"), ConditionType: affiliate.ConditionSome})
	a, b, c, d := w.Join("a"), w.Join("b"), w.Join("c"), w.Join("d")
	scene.Must(w.SetTierExempt(t.Context(), true, d.ID))
	for _, x := range []struct{ slug, customer, total string }{
		{"a", "a1@b.co", "100"}, {"a", "a2@b.co", "0.01"}, // reaches both minimums
		{"b", "b1@b.co", "100"}, // reaches only the revenue
		{"c", "c1@b.co", "99.99"},
		{"d", "d1@b.co", "100"}, {"d", "d2@b.co", "1"}, // exempt
	} {
		w.Refer(x.slug, x.customer)
		w.SellTo(x.customer, x.total)
	}
	updated := func(all ...affiliate.Affiliate) []string {
		out := []string{}
		for _, x := range all {
			out = append(out, "affiliate.updated "+x.ID.String())
		}
		return out
	}
	none := affiliate.Null[uuid.UUID]()
	scene.Equal(t, updated(a, b), assign(2))
	scene.Equal(t, []affiliate.Opt[uuid.UUID]{gold, silver, none, none}, []affiliate.Opt[uuid.UUID]{tierOf("a"), tierOf("b"), tierOf("c"), tierOf("d")})
	scene.Equal(t, updated(), assign(0))

	bronze := create(affiliate.TierParams{Tier: 1})
	scene.Equal(t, updated(c), assign(1))
	scene.Equal(t, bronze, tierOf("c"))

	sales := scene.Must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
	for _, s := range sales { // a loses the sales that lifted it
		if s.Affiliate.ID == a.ID && s.TotalEarned == affiliate.MustAmount("100") {
			scene.Must(0, w.DeleteSale(t.Context(), s.ID))
		}
	}
	scene.Equal(t, updated(a), assign(1))
	scene.Equal(t, silver, tierOf("a"))

	newer := create(affiliate.TierParams{Tier: 1}) // of tiers with one rank, the newest applies
	scene.Equal(t, updated(c), assign(1))
	scene.Equal(t, newer, tierOf("c"))
}
