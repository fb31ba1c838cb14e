package engine_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// M13a: what is owed is lost only when the caller says so, and the ledger says it then.
func TestForfeit(t *testing.T) {
	ada := func(s scene.Shop) uuid.UUID { return s.Ada.Person.ID }
	ways := map[string]func(scene.Shop, *tributary.Program) error{
		"delete affiliate": func(s scene.Shop, p *tributary.Program) error {
			return p.DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: ada(s)})
		},
		"delete referral": func(s scene.Shop, p *tributary.Program) error {
			return p.DeleteReferral(t.Context(), s.Tomas.Email)
		},
		"erase affiliate": func(s scene.Shop, p *tributary.Program) error { return p.EraseAffiliate(t.Context(), ada(s)) },
		"erase in steps": func(s scene.Shop, p *tributary.Program) error {
			return scene.ErrOf(p.Run(t.Context(), affiliate.EraseAffiliateJob{ID: ada(s)}))
		},
	}
	owes := map[string]struct {
		owed string // empty: nothing
		make func(scene.Shop)
	}{
		"payable": {"20", func(s scene.Shop) { s.ToTomas("100") }},
		"on hold": {"20", func(s scene.Shop) {
			scene.Must(s.SetAffiliateStatus(t.Context(), affiliate.AffiliateDeactivated, ada(s)))
			s.ToTomas("100")
		}},
		"two sales": {"50", func(s scene.Shop) { s.ToTomas("100"); s.ToTomas("150") }},
		"refunded": {"", func(s scene.Shop) {
			scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: s.ToTomas("100").ID}))
		}},
		"declined": {"", func(s scene.Shop) {
			scene.Must(s.ReviewCommissions(t.Context(), affiliate.ApprovalDeclined, s.ToTomas("100").ID))
		}},
		"nothing": {"", func(scene.Shop) {}},
		"canceled": {"20", func(s scene.Shop) {
			s.ToTomas("100")
			scene.Must(s.CancelPayout(t.Context(), scene.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: ada(s)})).ID))
		}},
	}
	for what, owe := range owes {
		for name, way := range ways {
			t.Run(what+" "+name, func(t *testing.T) {
				s := scene.NewShop(t)
				owe.make(s)
				if owe.owed == "" {
					scene.Must(0, way(s, s.Program))
					s.Verifies()
					return
				}
				s.Refused(scene.StateError(affiliate.MoneyOwed, "", owe.owed+" USD is owed and would be lost: pay it first, or send forfeit to give it up"), func() error { return way(s, s.Program) })
				scene.Must(0, way(s, s.Forfeiting()))
				sum := affiliate.Amount{}
				for _, m := range scene.Must(s.Movements(t.Context(), affiliate.MovementQuery{AffiliateID: affiliate.Set(ada(s)), Cause: affiliate.CauseForfeit}, affiliate.Page{})).Items {
					if m.To != affiliate.AccountAccrual {
						t.Errorf("a movement to %s", m.To)
					}
					sum = scene.Must(sum.Add(m.Amount))
				}
				scene.Equal(t, scene.Sum(owe.owed), sum)
				s.Verifies()
			})
		}
	}
}

// A debt goes with its affiliate only when somebody says so, as what is owed does.
func TestForfeitDebt(t *testing.T) {
	debt := scene.StateError(affiliate.MoneyOwed, "", "The affiliate owes 8 USD, which would be lost: correct it first, or send forfeit to give it up")
	for name, way := range map[string]func(scene.Shop, *tributary.Program) error{
		"delete": func(s scene.Shop, p *tributary.Program) error {
			return p.DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID})
		},
		"erase": func(s scene.Shop, p *tributary.Program) error { return p.EraseAffiliate(t.Context(), s.Ada.Person.ID) },
		"erase in steps": func(s scene.Shop, p *tributary.Program) error {
			return scene.ErrOf(p.Run(t.Context(), affiliate.EraseAffiliateJob{ID: s.Ada.Person.ID}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t)
			scene.Must(s.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum("-8"), Reason: "paid twice"}))
			s.Refused(debt, func() error { return way(s, s.Program) })
			scene.Must(0, way(s, s.Forfeiting()))
			said := scene.Must(s.Movements(t.Context(), affiliate.MovementQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID), Cause: affiliate.CauseForfeit}, affiliate.Page{})).Items
			if len(said) != 1 || said[0].From != affiliate.AccountAccrual || said[0].To != affiliate.AccountPayable || said[0].Amount != scene.Sum("8") {
				t.Errorf("the ledger says %+v", said)
			}
			s.Verifies()
		})
	}
}

// A bonus is owed too, a debt is not less, and what nothing matches is none.
func TestForfeitAdjustments(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	if err := s.DeleteReferral(ctx, "nobody@example.net"); err != nil {
		t.Error(err)
	}
	bonus := affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("7.5"), Reason: "spring"}
	scene.Must(s.RecordAdjustment(ctx, bonus))
	gone := func() error { return s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}) }
	scene.WantReason(t, "a bonus", affiliate.MoneyOwed, gone())
	bonus.Kind, bonus.Amount = affiliate.AdjustCorrection, scene.Sum("-8")
	scene.Must(s.RecordAdjustment(ctx, bonus))
	scene.WantReason(t, "a debt", affiliate.MoneyOwed, gone())
	bonus.Amount = scene.Sum("0.5")
	scene.Must(s.RecordAdjustment(ctx, bonus))
	if err := gone(); err != nil {
		t.Error(err)
	}
	s.Verifies()
}
