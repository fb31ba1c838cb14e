package reading_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// percentage is terms of a percentage.
func percentage(rate string) affiliate.Terms {
	return affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent(rate)}
}

// would is a simulation as one line for each affiliate.
func would(w *scene.World, q affiliate.SimulateQuery) (lines []string) {
	w.T.Helper()
	before := w.Dump()
	for _, d := range scene.All(w.Simulate(w.T.Context(), q)) {
		lines = append(lines, fmt.Sprintf("%s %d sales, %d changed, %d kept: %v, %v, %v", d.AffiliateID, d.Sales, d.Changed, d.Kept, d.Was, d.Would, d.Difference))
	}
	if scene.JSON(before) != scene.JSON(w.Dump()) {
		w.T.Error("a simulation wrote something")
	}
	return lines
}

// TestSimulate: money check 47.
func TestSimulate(t *testing.T) {
	s := scene.NewShop(t)
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email})
	ada := s.Ada.Person.ID.String()
	month := affiliate.SimulateQuery{From: scene.Start, To: scene.Start.AddDate(0, 1, 0), Terms: percentage("20")}
	scene.Equal(t, []string{ada + " 1 sales, 0 changed, 0 kept: 20, 20, 0"}, would(s.World, month))
	month.Terms = percentage("25")
	scene.Equal(t, []string{ada + " 1 sales, 1 changed, 0 kept: 20, 25, 5"}, would(s.World, month))
	month.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("3")}
	scene.Equal(t, []string{ada + " 1 sales, 1 changed, 0 kept: 20, 3, -17"}, would(s.World, month))
	for _, other := range []affiliate.SimulateQuery{
		{From: scene.Start.Add(time.Microsecond), Terms: percentage("25")}, {To: scene.Start, Terms: percentage("25")}, {PlanID: uuid.UUID{1}, Terms: percentage("25")},
	} {
		scene.Equal(t, nil, would(s.World, other))
	}
	for _, err := range s.Simulate(t.Context(), affiliate.SimulateQuery{Terms: affiliate.Terms{MaxPayments: -1}}) {
		if !errors.Is(err, affiliate.InvalidField) {
			t.Errorf("terms that no plan may have: %v", err)
		}
	}
	for _, err := range scene.Must(tributary.New(scene.FailingViews{Store: s.Store}, s.Config())).Simulate(t.Context(), affiliate.SimulateQuery{}) {
		if err == nil {
			t.Error("the store fails, and the walk goes on")
		}
	}
}

// TestSimulateKept: M62. Own rates stay, and what no terms decide is kept.
func TestSimulateKept(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	sell := func() affiliate.Sale { return s.Sell(affiliate.SaleParams{Email: s.Tomas.Email}) }
	ada := s.Ada.Person.ID.String()
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, CommissionRate: affiliate.Set(affiliate.MustPercent("5"))})
	hand := sell()
	scene.Must(s.UpdateSale(ctx, hand.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("7"))}))
	old := sell()
	s.Raw(func(tx *record.Tx) error {
		rec := scene.Must(tx.Sales.Find(record.Key{Index: record.ByNumber, ID: uuid.UUID{15: byte(old.ID)}}))
		rec.Why = record.Why{}
		return tx.Sales.Replace(rec)
	})
	scene.Equal(t, []string{ada + " 3 sales, 0 changed, 2 kept: 32, 32, 0"}, would(s.World, affiliate.SimulateQuery{Terms: percentage("25")}))
	scene.Equal(t, []string{ada + " 3 sales, 0 changed, 3 kept: 32, 32, 0"}, would(s.World, affiliate.SimulateQuery{Terms: affiliate.Terms{Type: affiliate.CommissionFlat}}))
	sell()
	one := percentage("20")
	one.MaxPayments = 3 // this was the fourth payment
	scene.Equal(t, []string{ada + " 4 sales, 1 changed, 2 kept: 52, 32, -20"}, would(s.World, affiliate.SimulateQuery{Terms: one}))
	s.Pass(70 * 24 * time.Hour)
	sell()
	one.MaxPayments, one.MaxMonths = 0, 1
	scene.Equal(t, []string{ada + " 5 sales, 1 changed, 2 kept: 72, 52, -20"}, would(s.World, affiliate.SimulateQuery{Terms: one}))
}

// A simulatedStep is one step of a history that is played twice.
type simulatedStep struct {
	customer, total, tax, part int64
	refund                     bool
}

// TestSimulateReplays: oracle 22.7. The recorded terms give no difference; other
// terms give what a program with those terms earned in the same history.
func TestSimulateReplays(t *testing.T) {
	terms := rapid.Custom(func(rt *rapid.T) affiliate.Terms {
		out := affiliate.Terms{Type: rapid.SampledFrom([]affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}).Draw(rt, "type")}
		out.Rate = affiliate.PercentFromScaled(rapid.Int64Range(0, 50_0000).Draw(rt, "rate"))
		out.MaxPayments = rapid.Int64Range(0, 3).Draw(rt, "payments")
		out.MaxMonths = rapid.Int64Range(0, 2).Draw(rt, "months")
		return out
	})
	rapid.Check(t, func(rt *rapid.T) {
		was, other := terms.Draw(rt, "terms"), terms.Draw(rt, "other terms")
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) simulatedStep {
			total := rapid.Int64Range(1, 50_000).Draw(rt, "total")
			return simulatedStep{
				customer: rapid.Int64Range(0, 2).Draw(rt, "customer"), total: 100 * total, tax: 100 * rapid.Int64Range(0, total).Draw(rt, "tax"),
				part: 100 * rapid.Int64Range(1, total).Draw(rt, "part"), refund: rapid.Bool().Draw(rt, "refund"),
			}
		}), 1, 12).Draw(rt, "steps")
		play := func(terms affiliate.Terms) (*scene.World, affiliate.Amount) {
			w := scene.New(t, func(c *tributary.Config) { c.Terms = terms })
			w.Ada()
			for _, s := range steps {
				w.Pass(9 * 24 * time.Hour)
				sale := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{
					PromoCode: "ADA20", Email: fmt.Sprintf("c%d@x.example", s.customer), TotalEarned: affiliate.AmountFromScaled(s.total), Tax: affiliate.AmountFromScaled(s.tax),
				})).Sale.Or(affiliate.Sale{})
				if s.refund {
					scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.AmountFromScaled(s.part))}))
				}
			}
			return w, scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})).Items[0].TotalCommissionEarned
		}
		w, earned := play(was)
		_, want := play(other)
		same := scene.All(w.Simulate(t.Context(), affiliate.SimulateQuery{Terms: was}))
		got := scene.All(w.Simulate(t.Context(), affiliate.SimulateQuery{Terms: other}))
		if len(same) != 1 || same[0].Changed != 0 || !same[0].Difference.IsZero() || same[0].Was != earned {
			rt.Fatalf("with its own terms: %+v, earned %v", same, earned)
		}
		if len(got) != 1 || got[0].Would != want || got[0].Was != earned || got[0].Sales != int64(len(steps)) {
			rt.Fatalf("with other terms: %+v, a replay earned %v", got, want)
		}
	})
}

// M63: the limits of a sale cannot be judged when its customer was deleted with
// another affiliate.
func TestSimulateWithoutReferral(t *testing.T) {
	terms := percentage("20")
	terms.MaxPayments = 1
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms = terms })
	for range 2 {
		s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Bea.Email})
	}
	scene.Must(0, s.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.Bob.ID}))
	keeps(s, 2, "20", terms)
}

// M62: what is not known of a sale from before stays unknown after its rate was
// changed.
func TestSimulateUnknown(t *testing.T) {
	terms := percentage("20")
	terms.MaxPayments = 1
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms = terms })
	s.ToTomas("100")
	second := s.ToTomas("100")
	s.Raw(func(tx *record.Tx) error {
		return scene.EachRow(tx.Sales, func(r record.Sale) error {
			r = r.Clone()
			r.Why = record.Why{}
			return tx.Sales.Replace(r)
		})
	})
	scene.Must(s.UpdateSale(t.Context(), second.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("25"))}))
	keeps(s, 2, "20", terms)
}

// keeps checks that a simulation leaves Ada's sales as they are.
func keeps(s scene.Shop, sales int64, earned string, terms affiliate.Terms) {
	s.T.Helper()
	want := affiliate.Difference{AffiliateID: s.Ada.Person.ID, Sales: sales, Kept: sales, Was: scene.Sum(earned), Would: scene.Sum(earned)}
	for _, got := range scene.All(s.Simulate(s.T.Context(), affiliate.SimulateQuery{Terms: terms})) {
		if got.AffiliateID == want.AffiliateID && got != want {
			s.T.Errorf("simulated %+v, want %+v", got, want)
		}
	}
}
