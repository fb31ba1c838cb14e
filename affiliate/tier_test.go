package affiliate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func TestTiers(t *testing.T) {
	w := newWorld(t)
	bare := must(w.CreateTier(t.Context(), affiliate.NewTier{Tier: 1, Name: "Green", Rate: affiliate.Null[affiliate.Percent]()}))
	full := must(w.CreateTier(t.Context(), affiliate.NewTier{
		Tier: 2, Name: "Roast", Emoji: "☕", MinReferrals: 3, MinRevenue: affiliate.MustAmount("99.5"),
		ConditionType: affiliate.ConditionSome, Rate: affiliate.Set(affiliate.MustPercent("0")),
	}))
	equal(t, affiliate.Tier{
		ID: bare.ID, Tier: 1, Name: "Green", Emoji: affiliate.Null[string](), ConditionType: affiliate.ConditionAll, CommissionRate: affiliate.Null[affiliate.Percent](),
		CreatedAt: affiliate.TimeOf(w.now), UpdatedAt: affiliate.TimeOf(w.now),
	}, bare)
	equal(t, affiliate.Tier{
		ID: full.ID, Tier: 2, Name: "Roast", Emoji: affiliate.Set("☕"), MinReferrals: 3, MinRevenue: affiliate.MustAmount("99.5"),
		ConditionType: affiliate.ConditionSome, CommissionRate: affiliate.Set(affiliate.Percent{}),
		CreatedAt: affiliate.TimeOf(w.now), UpdatedAt: affiliate.TimeOf(w.now),
	}, full)
	equal(t, full, must(w.Tier(t.Context(), full.ID)))
	equal(t, []affiliate.Tier{full, bare}, must(w.Tiers(t.Context(), affiliate.Page{})).Items)
	w.refused(fieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		return errOf(w.Tiers(t.Context(), affiliate.Page{Cursor: "x"}))
	})
}

func TestTierRefusals(t *testing.T) {
	w := newWorld(t)
	tier := must(w.CreateTier(t.Context(), affiliate.NewTier{Tier: 1, Name: "t"}))
	field := func(name, what string) affiliate.Error {
		return fieldError(affiliate.InvalidField, name, name+" "+what)
	}
	rate := affiliate.Set(affiliate.MustPercent("101"))
	for _, tt := range []struct {
		name string
		in   affiliate.NewTier
		want affiliate.Error
	}{
		{"ErrTier", affiliate.NewTier{}, field("tier", "must be at least 1")},
		{"ErrName", affiliate.NewTier{Tier: 1}, fieldError(affiliate.MissingField, "name", "Name is required")},
		{"ErrEmoji", affiliate.NewTier{Tier: 1, Name: "t", Emoji: strings.Repeat("☕", 256)}, field("emoji", "is too long")},
		{"ErrReferrals", affiliate.NewTier{Tier: 1, Name: "t", MinReferrals: -1}, field("minReferrals", "must be at least 0")},
		{"ErrRevenue", affiliate.NewTier{Tier: 1, Name: "t", MinRevenue: affiliate.MustAmount("-0.01")}, field("minRevenue", "must be at least 0")},
		{"ErrCondition", affiliate.NewTier{Tier: 1, Name: "t", ConditionType: "all"}, field("conditionType", "must be one of ALL, SOME")},
		{"ErrRate", affiliate.NewTier{Tier: 1, Name: "t", Rate: rate}, fieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			w.refused(tt.want, func() error { return errOf(w.CreateTier(t.Context(), tt.in)) })
		})
	}
	w.t = t
	for name, up := range map[string]affiliate.TierUpdate{
		"tier": {Tier: affiliate.Null[int64]()}, "name": {Name: affiliate.Null[string]()},
		"minReferrals": {MinReferrals: affiliate.Null[int64]()}, "minRevenue": {MinRevenue: affiliate.Null[affiliate.Amount]()},
		"conditionType": {ConditionType: affiliate.Null[affiliate.ConditionType]()},
	} {
		w.refused(field(name, "must not be null"), func() error { return errOf(w.UpdateTier(t.Context(), tier.ID, up)) })
	}
	w.refused(field("emoji", "must not be empty"), func() error {
		return errOf(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Emoji: affiliate.Set("")}))
	})
	w.refused(field("tier", "must be at least 1"), func() error {
		return errOf(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Tier: affiliate.Set[int64](0)}))
	})
	missing := missingError(affiliate.TierNotFound, "Tier not found")
	w.refused(missing, func() error { return errOf(w.UpdateTier(t.Context(), uuid.New(), affiliate.TierUpdate{})) })
	w.refused(missing, func() error { return w.DeleteTier(t.Context(), uuid.New()) })
}

func TestTierRateOfFlatProgram(t *testing.T) {
	w := newWorld(t, func(c *tributary.Config) { c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat} })
	must(w.CreateTier(t.Context(), affiliate.NewTier{Tier: 1, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("101"))}))
}

func TestUpdateTier(t *testing.T) {
	w := newWorld(t)
	tier := must(w.CreateTier(t.Context(), affiliate.NewTier{Tier: 1, Name: "t", Emoji: "x", Rate: affiliate.Set(affiliate.MustPercent("9"))}))
	before := w.dump()
	w.now = w.now.Add(time.Hour)
	equal(t, tier, must(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Name: affiliate.Set("t")})))
	equal(t, before, w.dump())
	want := affiliate.Tier{
		ID: tier.ID, Tier: 4, Name: "u", Emoji: affiliate.Null[string](), MinReferrals: 1, MinRevenue: affiliate.MustAmount("2"),
		ConditionType: affiliate.ConditionSome, CommissionRate: affiliate.Null[affiliate.Percent](),
		CreatedAt: tier.CreatedAt, UpdatedAt: affiliate.TimeOf(w.now),
	}
	equal(t, want, must(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{
		Tier: affiliate.Set[int64](4), Name: affiliate.Set("u"), Emoji: affiliate.Null[string](), MinReferrals: affiliate.Set[int64](1),
		MinRevenue: affiliate.Set(affiliate.MustAmount("2")), ConditionType: affiliate.Set(affiliate.ConditionSome), Rate: affiliate.Null[affiliate.Percent](),
	})))
	cleared := w.dump()
	must(w.UpdateTier(t.Context(), tier.ID, affiliate.TierUpdate{Rate: affiliate.Null[affiliate.Percent]()}))
	equal(t, cleared, w.dump())
	none := affiliate.NewTier{Tier: 1, Name: "n"}
	plain := must(w.CreateTier(t.Context(), none))
	none.Rate = affiliate.Null[affiliate.Percent]()
	null := must(w.CreateTier(t.Context(), none))
	w.raw(func(tx *record.Tx) error {
		a, b := must(tx.Tiers.Get(plain.ID)), must(tx.Tiers.Get(null.ID))
		b.ID = a.ID
		equal(t, a, b)
		return nil
	})
}

func TestDeleteTier(t *testing.T) {
	w := newWorld(t)
	a := w.join("a")
	tier := must(w.CreateTier(t.Context(), affiliate.NewTier{Tier: 1, Name: "t"}))
	must(w.SetAffiliateTier(t.Context(), tier.ID, a.ID))
	w.refused(stateError(affiliate.TierInUse, "", "Tier is in use"), func() error { return w.DeleteTier(t.Context(), tier.ID) })
	must(w.SetAffiliateTier(t.Context(), uuid.Nil, a.ID))
	if err := w.DeleteTier(t.Context(), tier.ID); err != nil {
		t.Fatal(err)
	}
}

func TestAssignTiers(t *testing.T) {
	w := newWorld(t)
	assign := func(want int) []string {
		return w.firedTypes(func() { equal(t, want, must(w.AssignTiers(t.Context()))) })
	}
	tierOf := func(slug string) affiliate.Opt[uuid.UUID] {
		return must(w.Affiliate(t.Context(), slug)).CommissionTierID
	}
	create := func(in affiliate.NewTier) affiliate.Opt[uuid.UUID] {
		in.Name = "t"
		return affiliate.Set(must(w.CreateTier(t.Context(), in)).ID)
	}
	gold := create(affiliate.NewTier{Tier: 3, MinReferrals: 2, MinRevenue: affiliate.MustAmount("100"), ConditionType: affiliate.ConditionAll})
	silver := create(affiliate.NewTier{Tier: 2, MinReferrals: 2, MinRevenue: affiliate.MustAmount("100"), ConditionType: affiliate.ConditionSome})
	a, b, c, d := w.join("a"), w.join("b"), w.join("c"), w.join("d")
	must(w.SetTierExempt(t.Context(), true, d.ID))
	for _, x := range []struct{ slug, customer, total string }{
		{"a", "a1@b.co", "100"}, {"a", "a2@b.co", "0.01"}, // reaches both minimums
		{"b", "b1@b.co", "100"}, // reaches only the revenue
		{"c", "c1@b.co", "99.99"},
		{"d", "d1@b.co", "100"}, {"d", "d2@b.co", "1"}, // exempt
	} {
		w.refer(x.slug, x.customer)
		w.sale(x.customer, x.total)
	}
	updated := func(all ...affiliate.Affiliate) []string {
		out := []string{}
		for _, x := range all {
			out = append(out, "affiliate.updated "+x.ID.String())
		}
		return out
	}
	none := affiliate.Null[uuid.UUID]()
	equal(t, updated(a, b), assign(2))
	equal(t, []affiliate.Opt[uuid.UUID]{gold, silver, none, none}, []affiliate.Opt[uuid.UUID]{tierOf("a"), tierOf("b"), tierOf("c"), tierOf("d")})
	equal(t, updated(), assign(0))

	bronze := create(affiliate.NewTier{Tier: 1})
	equal(t, updated(c), assign(1))
	equal(t, bronze, tierOf("c"))

	sales := must(w.Sales(t.Context(), affiliate.SaleFilter{}, affiliate.Page{})).Items
	for _, s := range sales { // a loses the sales that lifted it
		if s.Affiliate.ID == a.ID && s.TotalEarned == affiliate.MustAmount("100") {
			if err := w.DeleteSale(t.Context(), s.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	equal(t, updated(a), assign(1))
	equal(t, silver, tierOf("a"))

	newer := create(affiliate.NewTier{Tier: 1}) // of tiers with one rank, the newest applies
	equal(t, updated(c), assign(1))
	equal(t, newer, tierOf("c"))
}
