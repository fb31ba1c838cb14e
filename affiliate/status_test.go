package affiliate_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

type affMove = func(context.Context, ...uuid.UUID) ([]affiliate.Affiliate, error)

// affWithStatus makes an affiliate that stands there.
func affWithStatus(w *affWorld, local string, status affiliate.AffiliateStatus) affiliate.Affiliate {
	a := w.affiliate(local)
	w.insert(func(tx *affiliate.Tx) error {
		rec, err := tx.Affiliates.Get(a.ID)
		if err != nil {
			return err
		}
		rec.Status = status
		return tx.Affiliates.Replace(rec)
	})
	a.Status = status
	return a
}

func TestStatusMoves(t *testing.T) {
	all := []affiliate.AffiliateStatus{"ACTIVE", "INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"}
	moves := map[string]struct {
		call     func(*affWorld) affMove
		from, to affiliate.AffiliateStatus
	}{
		"Approve":    {func(w *affWorld) affMove { return w.ApproveAffiliates }, "INACTIVE", "ACTIVE"},
		"Decline":    {func(w *affWorld) affMove { return w.DeclineAffiliates }, "INACTIVE", "DECLINED"},
		"Deactivate": {func(w *affWorld) affMove { return w.DeactivateAffiliates }, "ACTIVE", "DEACTIVATED"},
		"Ban":        {func(w *affWorld) affMove { return w.BanAffiliates }, "ACTIVE", "BANNED"},
	}
	for name, m := range moves {
		for _, from := range all {
			t.Run(name+" "+string(from), func(t *testing.T) {
				w := newAffWorld(t)
				a := affWithStatus(w, "a", from)
				if from != m.from && from != m.to {
					w.refused(affConflict(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
						return affErr(m.call(w)(t.Context(), a.ID))
					})
					return
				}
				w.now = w.now.Add(time.Hour)
				want := []string{}
				if from == m.from {
					a.Status, a.UpdatedAt = m.to, affiliate.TimeOf(w.now)
					want = append(want, "affiliate.updated "+a.ID.String())
				}
				events := w.firedTypes(func() {
					affEqual(t, []affiliate.Affiliate{a}, affMust[[]affiliate.Affiliate](t)(m.call(w)(t.Context(), a.ID)))
				})
				affEqual(t, want, events)
			})
		}
	}
}

func TestStatusOfMany(t *testing.T) {
	w := newAffWorld(t)
	a, b, c := affWithStatus(w, "a", "INACTIVE"), w.affiliate("b"), affWithStatus(w, "c", "INACTIVE")
	banned := affWithStatus(w, "d", "BANNED")
	w.refused(affRefusal{affiliate.KindNotFound, affiliate.AffiliateNotFound, "", "Affiliate not found"}, func() error {
		return affErr(w.ApproveAffiliates(t.Context(), a.ID, uuid.New(), banned.ID))
	})
	w.refused(affConflict(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
		return affErr(w.ApproveAffiliates(t.Context(), a.ID, banned.ID))
	})
	events := w.firedTypes(func() {
		got := affMust[[]affiliate.Affiliate](t)(w.ApproveAffiliates(t.Context(), c.ID, b.ID, a.ID, c.ID))
		ids := []uuid.UUID{}
		for _, x := range got {
			ids = append(ids, x.ID)
			affEqual(t, affiliate.AffiliateActive, x.Status)
		}
		affEqual(t, []uuid.UUID{c.ID, b.ID, a.ID}, ids)
	})
	affEqual(t, []string{"affiliate.updated " + c.ID.String(), "affiliate.updated " + a.ID.String()}, events)
	if got := affMust[[]affiliate.Affiliate](t)(w.ApproveAffiliates(t.Context())); got == nil || len(got) != 0 {
		t.Errorf("nobody named: %#v", got)
	}
}

// The way back from any status is PUT /affiliates.
func TestStatusWayBack(t *testing.T) {
	for _, from := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"} {
		w := newAffWorld(t)
		a := affWithStatus(w, "a", from)
		affMust[int](t)(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}))
		affEqual(t, affiliate.AffiliateActive, affMust[affiliate.Affiliate](t)(w.Affiliate(t.Context(), "a")).Status)
	}
}

// Banning holds later sales; what was earned before stays accepted. Rule 4.1.
func TestBanHoldsLaterSales(t *testing.T) {
	w := newAffWorld(t)
	a := w.affiliate("a")
	w.referral("a", "kim@b.co")
	before := w.sale("kim@b.co", "10")
	affMust[[]affiliate.Affiliate](t)(w.BanAffiliates(t.Context(), a.ID))
	after := w.sale("kim@b.co", "10")
	affEqual(t, affiliate.ApprovalAccepted, affMust[affiliate.Sale](t)(w.Sale(t.Context(), before.ID)).Commissions[0].ApprovalStatus)
	affEqual(t, affiliate.ApprovalOnHold, after.Commissions[0].ApprovalStatus)
	affEqual(t, int64(1), affMust[affiliate.Affiliate](t)(w.Affiliate(t.Context(), "a")).NumberOfReferredUsers)
}

func TestSetAffiliatePlan(t *testing.T) {
	w := newAffWorld(t)
	a, b := w.affiliate("a"), w.affiliate("b", func(in *affiliate.NewAffiliate) { in.CommissionRate = affiliate.Set(affiliate.MustPercent("90")) })
	plan := affMust[affiliate.Plan](t)(w.CreatePlan(w.ctx(), affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("7")}}))
	flat := affMust[affiliate.Plan](t)(w.CreatePlan(w.ctx(), affiliate.NewPlan{Name: "f", Terms: affiliate.Terms{Type: affiliate.CommissionFlat}}))
	set := func(plan uuid.UUID, ids ...uuid.UUID) int {
		return len(w.fired(func() { affMust[[]affiliate.Affiliate](t)(w.SetAffiliatePlan(t.Context(), plan, ids...)) }))
	}
	affEqual(t, 2, set(plan.ID, a.ID, b.ID))
	affEqual(t, 0, set(plan.ID, a.ID, b.ID))
	got := affMust[affiliate.Affiliate](t)(w.Affiliate(t.Context(), "a"))
	affEqual(t, affiliate.MustPercent("7"), got.CommissionRate)
	affEqual(t, affiliate.Set(plan.ID), got.CommissionPlanID)
	affEqual(t, affiliate.MustPercent("90"), affMust[affiliate.Affiliate](t)(w.Affiliate(t.Context(), "b")).CommissionRate)
	affEqual(t, 1, set(uuid.Nil, a.ID))

	affEqual(t, 1, set(flat.ID, b.ID))
	affMust[int](t)(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: b.ID}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("500"))}))
	w.refused(affInvalid(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100"), func() error {
		return affErr(w.SetAffiliatePlan(t.Context(), plan.ID, a.ID, b.ID))
	})
	w.refused(affRefusal{affiliate.KindNotFound, affiliate.PlanNotFound, "", "Commission plan not found"}, func() error {
		return affErr(w.SetAffiliatePlan(t.Context(), uuid.New(), a.ID))
	})
	w.refused(affRefusal{affiliate.KindNotFound, affiliate.AffiliateNotFound, "", "Affiliate not found"}, func() error {
		return affErr(w.SetAffiliatePlan(t.Context(), plan.ID, uuid.New()))
	})
}

func TestSetAffiliateTierAndExempt(t *testing.T) {
	w := newAffWorld(t)
	a := w.affiliate("a")
	tier := affMust[affiliate.Tier](t)(w.CreateTier(w.ctx(), affiliate.NewTier{Tier: 2, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("30"))}))
	count := func(fn func() ([]affiliate.Affiliate, error)) int {
		return len(w.fired(func() { affMust[[]affiliate.Affiliate](t)(fn()) }))
	}
	inTier := func(id uuid.UUID) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetAffiliateTier(t.Context(), id, a.ID) }
	}
	exempt := func(yes bool) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetTierExempt(t.Context(), yes, a.ID) }
	}
	affEqual(t, 1, count(exempt(true)))
	affEqual(t, 0, count(exempt(true)))
	affEqual(t, 1, count(inTier(tier.ID)))
	affEqual(t, 0, count(inTier(tier.ID)))
	got := affMust[affiliate.Affiliate](t)(w.Affiliate(t.Context(), "a"))
	affEqual(t, affiliate.Set(tier.ID), got.CommissionTierID)
	affEqual(t, affiliate.MustPercent("30"), got.CommissionRate)
	affEqual(t, true, got.ExemptFromCommissionTierChanges && got.UseCommissionPlanCommissionRate)
	affEqual(t, 1, count(inTier(uuid.Nil)))
	w.refused(affRefusal{affiliate.KindNotFound, affiliate.TierNotFound, "", "Tier not found"}, func() error {
		return affErr(w.SetAffiliateTier(t.Context(), uuid.New(), a.ID))
	})
	w.refused(affRefusal{affiliate.KindNotFound, affiliate.AffiliateNotFound, "", "Affiliate not found"}, func() error {
		return affErr(w.SetTierExempt(t.Context(), true, uuid.New()))
	})
}
