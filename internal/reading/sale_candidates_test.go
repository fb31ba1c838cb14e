package reading_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestCandidates: a sale keeps everybody whom it could have credited, also after a person gave it away, a merge
// and a deletion, and other choices credit those of them who are there.
func TestCandidates(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	ben := s.Join("ben")
	scene.Must(s.CreateLink(ctx, affiliate.LinkParams{Link: "ben-too", AffiliateID: ben.ID}))
	cleo := s.Join("cleo")
	sell := func(in affiliate.SaleParams) affiliate.Sale { t.Helper(); return s.Sell(in) }
	credit := func(sale affiliate.Sale) affiliate.ExplainedCredit {
		t.Helper()
		return scene.Must(s.ExplainSale(ctx, sale.ID)).Credit
	}
	one := sell(affiliate.SaleParams{Email: s.Tomas.Email})
	if got := credit(one).Candidates; got != nil {
		t.Errorf("a sale that leads to one affiliate has %v", got)
	}
	// Tomas is Ada's, and the order names Ben.
	two := sell(affiliate.SaleParams{Email: s.Tomas.Email, ReferralID: "ben-too"})
	both := []affiliate.Candidate{{By: affiliate.CreditLink, AffiliateID: ben.ID}, {By: affiliate.CreditCustomer, AffiliateID: s.Ada.Person.ID}}
	scene.Equal(t, both, credit(two).Candidates)

	keep := affiliate.SimulateQuery{Attribution: affiliate.Set(affiliate.Attribution{Customer: affiliate.CreditKeptCustomer})}
	moved := func(q affiliate.SimulateQuery) (lost, won map[uuid.UUID]int64) {
		t.Helper()
		lost, won = map[uuid.UUID]int64{}, map[uuid.UUID]int64{}
		for d, err := range s.Simulate(ctx, q) {
			if err != nil {
				t.Fatal(err)
			}
			lost[d.AffiliateID], won[d.AffiliateID] = d.Lost, d.Won
		}
		return lost, won
	}
	lost, won := moved(keep)
	scene.Equal(t, map[uuid.UUID]int64{s.Ada.Person.ID: 0, ben.ID: 1}, lost)
	scene.Equal(t, map[uuid.UUID]int64{s.Ada.Person.ID: 1, ben.ID: 0}, won)

	// In a period without them there is nothing to say.
	later := keep
	later.From = s.Now.Add(1)
	if lost, _ := moved(later); len(lost) != 0 {
		t.Errorf("later: %v", lost)
	}

	// A person gave it to Cleo: it stays hers.
	scene.Must(s.UpdateSale(ctx, two.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(cleo.ID)}))
	if got := credit(two).Candidates; got != nil {
		t.Errorf("a sale that a person gave away has %v", got)
	}
	if lost, _ := moved(keep); lost[cleo.ID] != 0 {
		t.Error("what a person gave away would be another's")
	}

	// Ada is merged into Dora, and is her.
	three := sell(affiliate.SaleParams{Email: s.Tomas.Email, ReferralID: "ben-too"})
	dora := s.Join("dora")
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: s.Ada.Person.ID.String(), Into: dora.ID.String()}))
	_, won = moved(keep)
	if won[dora.ID] != 1 || won[s.Ada.Person.ID] != 0 {
		t.Errorf("after the merge: %v", won)
	}
	scene.Equal(t, s.Ada.Person.ID, credit(three).Candidates[1].AffiliateID)

	for _, wrong := range []struct {
		field string
		q     affiliate.SimulateQuery
	}{
		{"terms", affiliate.SimulateQuery{Attribution: keep.Attribution, Terms: percentage("5")}},
		{"terms", affiliate.SimulateQuery{Attribution: keep.Attribution, Dated: true}},
		{"terms", affiliate.SimulateQuery{Attribution: keep.Attribution, PlanID: uuid.UUID{1}}},
		{"attribution.touch", affiliate.SimulateQuery{Attribution: affiliate.Set(affiliate.Attribution{Touch: "MIDDLE"})}},
	} {
		for _, err := range s.Simulate(ctx, wrong.q) {
			if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Field != wrong.field {
				t.Errorf("%+v: %v", wrong.q, err)
			}
		}
	}
	scene.Must(0, s.Verify(ctx))
}
