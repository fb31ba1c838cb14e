package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/scene"
)

// rewarding returns a shop with bonuses, whose period began a day ago.
func rewarding(t *testing.T, bonuses ...affiliate.Bonus) scene.Shop {
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms = affiliate.Terms{Rate: affiliate.MustPercent("10")} })
	for i := range bonuses {
		bonuses[i].From = affiliate.At(s.Now.AddDate(0, 0, -1))
	}
	scene.Must(s.SetTerms(t.Context(), affiliate.TermsUpdate{Bonuses: affiliate.Set(bonuses)}))
	return s
}

// given grants bonuses, and returns what somebody was given for each reason, less what was taken back.
func given(s scene.Shop, of affiliate.Affiliate) map[string]string {
	ctx := s.T.Context()
	scene.Must(s.Run(ctx, affiliate.GrantBonusesJob{}))
	if again := scene.Must(s.Run(ctx, affiliate.GrantBonusesJob{})); again.Changed != 0 {
		s.T.Errorf("once more %d changed", again.Changed)
	}
	sums, said := map[string]affiliate.Amount{}, map[string]string{}
	for a, err := range affiliate.All(ctx, s.Adjustments, affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(of.ID)}) {
		if err != nil {
			s.T.Fatal(err)
		}
		sums[a.Reason] = scene.Must(sums[a.Reason].Add(a.Amount))
		said[a.Reason] = sums[a.Reason].String()
	}
	return said
}

// TestBonusBounds: what is given has the digits of the currency, and is given 10,000 times at most.
func TestBonusBounds(t *testing.T) {
	s := rewarding(t,
		affiliate.Bonus{Name: "cents", Revenue: scene.Sum("0.01"), Amount: scene.Sum("0.01")},
		affiliate.Bonus{Name: "digits", Customers: 1, Amount: scene.Sum("0.126")},
		affiliate.Bonus{Name: "nothing", Customers: 1, Amount: scene.Sum("0.001")})
	scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum("150")}))
	scene.Equal(t, map[string]string{"cents": "100", "digits": "0.13"}, given(s, s.Ada.Person))
	far := scene.Must(s.Bonuses(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}))
	scene.Equal(t, []any{refusal.MaxTimes, true, scene.Amount("2")}, []any{far[0].Given, far[0].Next.IsNull(), far[1].Next})
	s.Verifies()
}

// TestBonusMerged: when two affiliates become one, what both were given for one thing counts twice.
func TestBonusMerged(t *testing.T) {
	s := rewarding(t,
		affiliate.Bonus{Name: "first", Customers: 1, Times: 1, Amount: scene.Sum("5")},
		affiliate.Bonus{Name: "each", Customers: 1, Amount: scene.Sum("2")})
	for i, slug := range []string{"ada", "bob"} {
		scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: slug, Email: fmt.Sprintf("c%d@example.net", i), Name: "C", TotalEarned: scene.Sum("50")}))
	}
	scene.Equal(t, map[string]string{"first": "5", "each": "2"}, given(s, s.Bob))
	scene.Equal(t, map[string]string{"first": "5", "each": "2"}, given(s, s.Ada.Person))
	scene.Must(s.MergeAffiliates(t.Context(), affiliate.Merge{Into: s.Ada.Person.ID.String(), From: s.Bob.ID.String()}))
	scene.Equal(t, map[string]string{"first": "5", "each": "4"}, given(s, s.Ada.Person))
	scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "c2@example.net", Name: "C", TotalEarned: scene.Sum("50")}))
	scene.Equal(t, map[string]string{"first": "5", "each": "6"}, given(s, s.Ada.Person))
	s.Verifies()
}

// TestBonusPeriods: a bonus of a day is counted in the zone of the program, from a moment on.
func TestBonusPeriods(t *testing.T) {
	s := rewarding(t, affiliate.Bonus{Name: "busy day", Per: affiliate.IntervalDay, Revenue: scene.Sum("100"), Times: 2, Amount: scene.Sum("1")})
	sell := func(total string) {
		scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum(total)}))
	}
	for range 3 {
		sell("99")
		s.Now = s.Now.Add(24 * time.Hour)
	}
	scene.Equal(t, map[string]string{}, given(s, s.Ada.Person))
	sell("350")
	far := scene.Must(s.Bonuses(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}))[0]
	scene.Equal(t, []any{scene.Sum("350"), int64(0), true}, []any{far.Reached, far.Given, far.Next.IsNull()})
	scene.Equal(t, map[string]string{"busy day": "2"}, given(s, s.Ada.Person))
	s.Now = s.Now.Add(24 * time.Hour)
	far = scene.Must(s.Bonuses(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}))[0]
	scene.Equal(t, []any{scene.Sum("0"), int64(0), scene.Amount("100")}, []any{far.Reached, far.Given, far.Next})
	sell("100")
	scene.Equal(t, map[string]string{"busy day": "3"}, given(s, s.Ada.Person))
	scene.WantReason(t, "of nobody", affiliate.AffiliateNotFound, scene.ErrOf(s.Bonuses(t.Context(), affiliate.AffiliateRef{Email: "nobody@example.com"})))
	s.Verifies()
}

// TestBonusInactive: who is out is given nothing more, nor are customers whom they bring, and loses what is
// not due any more; what a person took back stays taken.
func TestBonusInactive(t *testing.T) {
	s := rewarding(t,
		affiliate.Bonus{Name: "sign-up", SignUps: 1, Amount: scene.Sum("1")},
		affiliate.Bonus{Name: "welcome", To: affiliate.BonusToCustomer, SignUps: 1, Amount: scene.Sum("3")})
	ctx := t.Context()
	friend := func(name string) affiliate.Affiliate {
		scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Email: name + "@example.net", Name: "F", ReferredUserExternalID: name}))
		return scene.Must(s.EnsureAffiliate(ctx, affiliate.AffiliateParams{ExternalID: name, FirstName: name, LastName: "N", Email: name + "@example.org"}))
	}
	first, second := friend("first"), friend("second")
	scene.Equal(t, map[string]string{"sign-up": "3"}, given(s, s.Ada.Person))
	scene.Equal(t, []map[string]string{{"welcome": "3"}, {"welcome": "3"}}, []map[string]string{given(s, first), given(s, second)})

	last := scene.Must(s.Adjustments(ctx, affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, affiliate.Page{})).Items[0]
	scene.Must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{Reverses: last.ID, Reason: "by hand"}))
	scene.Must(0, s.DeleteReferral(ctx, "second@example.net"))
	scene.Equal(t, map[string]string{"sign-up": "2", "by hand": "-1"}, given(s, s.Ada.Person))

	scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, s.Ada.Person.ID))
	third := friend("third")
	scene.Equal(t, []map[string]string{{}, {"sign-up": "2", "by hand": "-1"}}, []map[string]string{given(s, third), given(s, s.Ada.Person)})
	s.Verifies()
}

// TestBonusOfPersons: what a person gives, or takes back, is theirs, whatever its external id is. An id that
// the engine gives to bonuses is taken.
func TestBonusOfPersons(t *testing.T) {
	s := rewarding(t, affiliate.Bonus{Name: "sign-up", SignUps: 1, Amount: scene.Sum("1")})
	of := s.Ada.Person.ID.String()
	for _, id := range []string{"", "b1", "/back", "bonus/x", "bonus/x/back", "bonus/" + of, "bonus/" + of + "/1",
		"bonus/x/ever/sign-up/1", "gift/" + of + "/ever/sign-up/1", "x/ever/sign-up/1", "x/ever/sign-up/1/back"} {
		s.Adjust(affiliate.AdjustmentParams{Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), ExternalID: id})
	}
	for _, id := range []string{"bonus/" + of + "/ever/sign-up/1", "bonus/" + of + "/ever/sign-up/1/back", "bonus/" + s.Bob.ID.String() + "/customer/x/y/z"} {
		in := affiliate.AdjustmentParams{AffiliateID: s.Bob.ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum("1"), Reason: "r", ExternalID: id}
		scene.WantReason(t, id, affiliate.AdjustmentExternalIDTaken, scene.ErrOf(s.RecordAdjustment(t.Context(), in)))
	}
	scene.Equal(t, map[string]string{"because": "55", "sign-up": "1"}, given(s, s.Ada.Person))
	one := scene.Must(s.Adjustments(t.Context(), affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, affiliate.Page{})).Items[0]
	scene.Equal(t, scene.TextOf("bonus/"+of+"/ever/sign-up/1"), one.ExternalID)
	for _, id := range []string{"bonus/" + of + "/ever/sign-up/2", "bonus/" + of + "/ever/sign-up/2/back"} {
		in := affiliate.AdjustmentParams{Reverses: one.ID, Reason: "r", ExternalID: id}
		scene.WantReason(t, id, affiliate.AdjustmentExternalIDTaken, scene.ErrOf(s.RecordAdjustment(t.Context(), in)))
	}
	s.Adjust(affiliate.AdjustmentParams{Reverses: one.ID, ExternalID: "x/back"})
	scene.Equal(t, map[string]string{"because": "54", "sign-up": "1"}, given(s, s.Ada.Person))
	s.Customer("ada", "kim")
	scene.Equal(t, map[string]string{"because": "54", "sign-up": "2"}, given(s, s.Ada.Person))
	s.Verifies()
}

// TestBonusVersions: a bonus counts the same in all versions of terms, from whenever they are in force.
func TestBonusVersions(t *testing.T) {
	s, ctx := rewarding(t), t.Context()
	of := func(customers int64) affiliate.TermsUpdate {
		return affiliate.TermsUpdate{Bonuses: affiliate.Set([]affiliate.Bonus{{Name: "a", From: affiliate.At(s.Now), Customers: customers, Amount: scene.Sum("5")}})}
	}
	dated := func(days int, up affiliate.TermsUpdate) affiliate.TermsUpdate {
		up.From = affiliate.Set(affiliate.At(s.Now.AddDate(0, 0, days)))
		return up
	}
	none := affiliate.TermsUpdate{Bonuses: affiliate.Null[[]affiliate.Bonus]()}
	for i, step := range []struct {
		up      affiliate.TermsUpdate
		refused bool
	}{
		{dated(10, of(3)), false},
		{dated(10, of(4)), false}, // it takes the place of the one before, which was never in force
		{of(5), true},
		{dated(5, of(5)), true},
		{dated(20, of(5)), true},
		{dated(15, none), false},
		{dated(20, of(5)), true},
		{of(4), false},
		{dated(10, none), false},
		{none, false},
		{of(5), false},
	} {
		err := scene.ErrOf(s.SetTerms(ctx, step.up))
		if (err != nil) != step.refused {
			t.Errorf("step %d: %v", i, err)
		}
	}
}

// TestBonusAccepted: what is at the edge of a bound is accepted; a name is trimmed, and what is meant anyway is
// not kept.
func TestBonusAccepted(t *testing.T) {
	s := scene.NewShop(t)
	set := func(all ...affiliate.Bonus) ([]affiliate.Bonus, error) {
		terms, err := s.SetTerms(t.Context(), affiliate.TermsUpdate{Bonuses: affiliate.Set(all)})
		if err != nil {
			return nil, err
		}
		return terms[0].Bonuses, nil
	}
	edge := affiliate.Bonus{Name: "b", From: affiliate.Day(2000, 1, 1), Customers: 1, HoldDays: 3650, Times: 10_000, Amount: scene.Sum("1")}
	long := edge
	long.Name, long.To = " b\t", affiliate.BonusToAffiliate
	scene.Equal(t, []affiliate.Bonus{edge}, scene.Must(set(long)))
	edge.Times, edge.Amount = 1, scene.Sum("2")
	scene.Equal(t, []affiliate.Bonus{edge}, scene.Must(set(edge)))
	most := make([]affiliate.Bonus, refusal.MaxBonuses+1)
	for i := range most {
		most[i] = edge
		most[i].Name = fmt.Sprint(i)
	}
	scene.Equal(t, 16, len(scene.Must(set(most[:16]...))))
	scene.Equal(t, "bonuses must have at most 16 entries", fmt.Sprint(scene.ErrOf(set(most...))))
}

// TestBonusSince: each bonus counts from its own day on, and no imported sales, conversions, nor sign-ups that
// are too new. All of it may be taken back at once.
func TestBonusSince(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	s.Pass(time.Hour)
	early, late := affiliate.At(s.Now), affiliate.At(s.Now.AddDate(0, 0, 2))
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: scene.Percent("10"), Bonuses: affiliate.Set([]affiliate.Bonus{
		{Name: "early", From: early, SignUps: 1, Amount: scene.Sum("1")},
		{Name: "revenue", From: early, Revenue: scene.Sum("100"), Amount: scene.Sum("1")},
		{Name: "held", From: early, SignUps: 1, HoldDays: 2, Amount: scene.Sum("1")},
		{Name: "late", From: late, SignUps: 1, Amount: scene.Sum("1")},
		{Name: "paid", From: late, Customers: 1, Amount: scene.Sum("1")},
	})}))
	sell := func(name, total string) affiliate.Sale {
		return s.Sell(affiliate.SaleParams{ReferralID: name + "@example.net", TotalEarned: scene.Sum(total)})
	}
	s.Customer("ada", "kim")
	first := sell("kim", "250")
	s.Pass(50 * time.Hour)
	s.Customer("ada", "lea")
	sell("kim", "20")
	last := sell("lea", "40")
	scene.Must(s.Imports().Sales(ctx, []imported.Sale{{Ref: "past", Email: "lea@example.net", CreatedAt: s.Now, TotalEarned: scene.Sum("500"), CommissionEarned: scene.Sum("5")}}))
	scene.Equal(t, map[string]string{"early": "2", "revenue": "3", "held": "1", "late": "1", "paid": "1"}, given(s, s.Ada.Person))
	for _, far := range scene.Must(s.Bonuses(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})) {
		scene.Equal(t, map[string]string{"early": "2 of 3", "revenue": "310 of 400", "held": "1 of 2", "late": "1 of 2", "paid": "1 of 2"}[far.Name],
			fmt.Sprintf("%v of %v", far.Reached, far.Next.Or(affiliate.Amount{})), far.Name)
		scene.Equal(t, affiliate.BonusToAffiliate, far.To)
	}
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: first.ID}))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: last.ID}))
	scene.Equal(t, int64(1), scene.Must(s.Run(ctx, affiliate.GrantBonusesJob{})).Changed)
	scene.Equal(t, map[string]string{"early": "2", "revenue": "0", "held": "1", "late": "1", "paid": "0"}, given(s, s.Ada.Person))
	s.Verifies()
}

// TestBonusFriends: what customers get comes before what an affiliate gets, and both are counted as one
// change; nobody is their own friend.
func TestBonusFriends(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Bonuses: affiliate.Set([]affiliate.Bonus{
		{Name: "welcome", To: affiliate.BonusToCustomer, From: affiliate.At(s.Now), SignUps: 1, Amount: scene.Sum("3")},
		{Name: "friend", From: affiliate.At(s.Now), SignUps: 1, Times: 1, Amount: scene.Sum("1")}})}))
	own := scene.Must(s.EnsureAffiliate(ctx, affiliate.AffiliateParams{ExternalID: "own", FirstName: "O", LastName: "N", Email: "own@example.org"}))
	for _, name := range []string{"own", "kim", "lea"} {
		scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: own.ID.String(), Email: name + "@example.net", Name: "F", ReferredUserExternalID: name}))
	}
	var friends []affiliate.Affiliate
	for i, name := range []string{"kim", "lea"} {
		friends = append(friends, scene.Must(s.EnsureAffiliate(ctx, affiliate.AffiliateParams{ExternalID: name, FirstName: "F", LastName: "N", Email: name + "@example.org"})))
		changed := scene.Must(s.Run(ctx, affiliate.GrantBonusesJob{})).Changed
		scene.Equal(t, []int64{[]int64{3, 1}[i], 0}, []int64{changed, scene.Must(s.Run(ctx, affiliate.GrantBonusesJob{})).Changed})
	}
	scene.Equal(t, []map[string]string{{"friend": "1"}, {"welcome": "3"}, {"welcome": "3"}},
		[]map[string]string{given(s, own), given(s, friends[0]), given(s, friends[1])})
	s.Verifies()
}
