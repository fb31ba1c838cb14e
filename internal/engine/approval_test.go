package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// Whoever was not approved earns on hold, and approval releases that: what was held
// for another reason, or declined, stays.
func TestApprovalReleases(t *testing.T) {
	ctx := t.Context()
	w := scene.New(t, func(c *tributary.Config) { c.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} })
	ivy := w.Join("ivy", func(in *affiliate.AffiliateParams) { in.AffiliateLink, in.AffiliateStatus = "ivy", "inactive" })
	sell := func(customer, total string) affiliate.Sale {
		in := affiliate.SaleParams{ReferralID: "ivy", Email: customer + "@example.org", Name: "C", TotalEarned: scene.Sum(total)}
		return scene.Must(w.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{})
	}
	one, two, self, declined := sell("a", "100"), sell("b", "50"), sell("ivy", "10"), sell("c", "20")
	scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalDeclined, declined.ID))
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: two.ID, Amount: affiliate.Set(scene.Sum("25"))}))
	holds := func() (got []string) {
		for _, sale := range []affiliate.Sale{one, two, self, declined} {
			c := scene.Must(w.Sale(ctx, sale.ID)).Commissions[0]
			got = append(got, fmt.Sprint(c.ApprovalStatus, " ", c.HoldReason.Or("-"), " ", c.CommissionEarned))
		}
		return got
	}
	stays := []string{"ON_HOLD FRAUD_PREVENTION 2", "DECLINED AFFILIATE_NOT_APPROVED 4"}
	scene.Equal(t, append([]string{"ON_HOLD AFFILIATE_NOT_APPROVED 20", "ON_HOLD AFFILIATE_NOT_APPROVED 5"}, stays...), holds())
	if b := scene.Must(w.Balance(ctx, affiliate.AffiliateRef{ID: ivy.ID})); b.Held != scene.Sum("27") || b.Payable != scene.Sum("0") {
		t.Errorf("before: %+v", b)
	}
	w.Fires(func() error { _, err := w.SetAffiliateStatus(ctx, affiliate.AffiliateActive, ivy.ID); return err }, affiliate.AffiliateUpdated, affiliate.SaleUpdated, affiliate.SaleUpdated)
	scene.Equal(t, append([]string{"ACCEPTED - 20", "ACCEPTED - 5"}, stays...), holds())
	if b := scene.Must(w.Balance(ctx, affiliate.AffiliateRef{ID: ivy.ID})); b.Held != scene.Sum("2") || b.Payable != scene.Sum("25") {
		t.Errorf("after: %+v", b)
	}
	scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, ivy.ID))
	banned := sell("d", "30")
	scene.Must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ivy.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}))
	scene.Equal(t, affiliate.ApprovalOnHold, scene.Must(w.Sale(ctx, banned.ID)).Commissions[0].ApprovalStatus)
	w.Verifies()
}

// Every way to become ACTIVE is an approval.
func TestApprovalWays(t *testing.T) {
	ctx := t.Context()
	w := scene.New(t)
	ref := func(a affiliate.Affiliate) affiliate.AffiliateRef { return affiliate.AffiliateRef{ID: a.ID} }
	in := func(name, status string) affiliate.AffiliateParams {
		return affiliate.AffiliateParams{FirstName: "F", LastName: "L", Email: name + "@example.com", AffiliateLink: name, AffiliateStatus: status}
	}
	active := affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}
	for name, way := range map[string]struct {
		make  func() affiliate.Affiliate
		enter func(affiliate.Affiliate) error
	}{
		"approved": {func() affiliate.Affiliate { return scene.Must(w.CreateAffiliate(ctx, in("approved", "inactive"))) },
			func(a affiliate.Affiliate) error {
				return scene.ErrOf(w.SetAffiliateStatus(ctx, affiliate.AffiliateActive, a.ID))
			}},
		"updated": {func() affiliate.Affiliate { return scene.Must(w.CreateAffiliate(ctx, in("updated", "inactive"))) },
			func(a affiliate.Affiliate) error { return scene.ErrOf(w.UpdateAffiliate(ctx, ref(a), active)) }},
		"invited": {func() affiliate.Affiliate { return scene.Must(w.InviteAffiliate(ctx, in("invited", ""))) },
			func(a affiliate.Affiliate) error {
				return scene.ErrOf(w.AcceptInvite(ctx, a.ID, affiliate.Acceptance{}))
			}},
		"declined": {func() affiliate.Affiliate {
			a := scene.Must(w.CreateAffiliate(ctx, in("declined", "inactive")))
			return scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateDeclined, a.ID))[0]
		}, func(a affiliate.Affiliate) error { return scene.ErrOf(w.UpdateAffiliate(ctx, ref(a), active)) }},
	} {
		t.Run(name, func(t *testing.T) {
			a := way.make()
			scene.Must(w.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Email: "pay@example.com", Method: "PAYPAL"}))
			scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: name, Email: name + "@x.example", Name: "C", TotalEarned: scene.Sum("100")}))
			scene.Must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), Reason: "r"}))
			run := affiliate.PayoutRun{ExternalID: name, AffiliateIDs: []uuid.UUID{a.ID}}
			scene.Equal(t, "5 not_approved", linesOf(w, run))
			w.Refused(scene.StateError(affiliate.AffiliateNotApproved, "", "Affiliate is not approved"), func() error {
				return scene.ErrOf(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.ID}))
			})
			scene.Must(0, way.enter(a))
			run.ExternalID += "-2"
			scene.Equal(t, "25 paid", linesOf(w, run))
		})
	}
	w.Verifies()
}

// linesOf: what a preview of a run and the run say, which is the same.
func linesOf(w *scene.World, run affiliate.PayoutRun) (told string) {
	w.T.Helper()
	for line, err := range affiliate.All(context.Background(), w.PreviewPayouts, run) {
		scene.Must(0, err)
		told += fmt.Sprint(line.Amount, " ", line.Skipped.Or("paid"))
	}
	scene.Must(w.RunPayouts(context.Background(), run))
	did := ""
	for _, line := range scene.Must(w.PayoutLines(context.Background(), run.ExternalID, affiliate.Page{})).Items {
		did += fmt.Sprint(line.Amount, " ", line.Skipped.Or("paid"))
	}
	scene.Equal(w.T, told, did)
	return did
}

// The preview says what the status of the affiliate does to the commission, and the
// program decides whether codes of who was stopped still work.
func TestCodesOfStoppedAffiliates(t *testing.T) {
	ctx := t.Context()
	stopped := scene.StateError(affiliate.AffiliateSuspended, "", "Promo code is not active")
	for _, refuse := range []bool{false, true} {
		for status, row := range map[string]struct {
			set     func(s scene.CodeShop) error
			risk    affiliate.RiskReason
			refused bool
		}{
			"active": {func(scene.CodeShop) error { return nil }, "", false},
			"inactive": {func(s scene.CodeShop) error {
				return scene.ErrOf(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("inactive")}))
			}, affiliate.RiskAffiliateNotApproved, false},
			"banned": {func(s scene.CodeShop) error {
				return scene.ErrOf(s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.Ada.Person.ID))
			}, affiliate.RiskAffiliateBanned, refuse},
			"deactivated": {func(s scene.CodeShop) error {
				return scene.ErrOf(s.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, s.Ada.Person.ID))
			}, affiliate.RiskAffiliateDeactivated, refuse},
		} {
			t.Run(fmt.Sprint(status, " ", refuse), func(t *testing.T) {
				s := scene.NewCodeShop(t, func(c *tributary.Config) {
					c.RefuseSuspended = refuse
					c.Review = []affiliate.ReviewRule{
						{Reason: affiliate.RiskAffiliateBanned, Holds: func(e affiliate.Evidence) bool { return e.Affiliate.Status == affiliate.AffiliateBanned }},
						{Reason: "any", Holds: func(affiliate.Evidence) bool { return true }},
					}
				})
				scene.Must(0, row.set(s))
				got := scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20", TotalEarned: scene.Amount("100")}))
				want := []affiliate.RiskReason{"any"}
				if row.risk != "" {
					want = append([]affiliate.RiskReason{row.risk}, want...)
				}
				if diff := cmp.Diff(want, got.Risks); diff != "" || got.Valid == row.refused {
					t.Errorf("valid %v, risks (-want +got):\n%s", got.Valid, diff)
				}
				code := scene.Must(s.Codes(ctx, affiliate.CodeQuery{Search: affiliate.Set("ada20")}, affiliate.Page{})).Items[0].Usability.Or(affiliate.Usability{})
				if diff := cmp.Diff(got.Reasons, code.Reasons); diff != "" || strings.ToLower(string(code.Hold.Or(""))) != string(row.risk) {
					t.Errorf("the code says %+v: %s", code, diff)
				}
				if usable := scene.Must(s.Codes(ctx, affiliate.CodeQuery{State: affiliate.CodeUsable, Search: affiliate.Set("ada20")}, affiliate.Page{})).Items; len(usable) == 1 == row.refused {
					t.Errorf("%d usable codes", len(usable))
				}
				scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "NOBODYS"}))
				scene.Equal(t, affiliate.CodeUnassigned, scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "NOBODYS"})).Reasons[0].Reason)
				sell := func() error {
					return scene.ErrOf(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", Email: "c@x.example", Name: "C", TotalEarned: scene.Sum("100")}))
				}
				if row.refused {
					scene.Equal(t, []affiliate.Failure{{Reason: affiliate.AffiliateSuspended, Message: stopped.Message}}, got.Reasons)
					s.Refused(stopped, sell)
				} else if err := sell(); err != nil {
					t.Error(err)
				}
				s.Verifies()
			})
		}
	}
}

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
			scene.Must(s.SetPayoutStatus(t.Context(), scene.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: ada(s)})).ID, affiliate.PayoutCanceled))
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
					scene.Equal(t, affiliate.AccountAccrual, m.To)
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
	scene.Must(0, s.DeleteReferral(ctx, "nobody@example.net"))
	bonus := affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("7.5"), Reason: "spring"}
	scene.Must(s.RecordAdjustment(ctx, bonus))
	gone := func() error { return s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}) }
	scene.WantReason(t, "a bonus", affiliate.MoneyOwed, gone())
	bonus.Kind, bonus.Amount = affiliate.AdjustCorrection, scene.Sum("-8")
	scene.Must(s.RecordAdjustment(ctx, bonus))
	scene.WantReason(t, "a debt", affiliate.MoneyOwed, gone())
	bonus.Amount = scene.Sum("0.5")
	scene.Must(s.RecordAdjustment(ctx, bonus))
	scene.Must(0, gone())
	s.Verifies()
}
