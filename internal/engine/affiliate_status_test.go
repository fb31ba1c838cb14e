package engine_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestStatusMoves(t *testing.T) {
	all := []affiliate.AffiliateStatus{"ACTIVE", "INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"}
	moves := map[string]struct {
		from, to affiliate.AffiliateStatus
	}{
		"Approve":    {"INACTIVE", "ACTIVE"},
		"Decline":    {"INACTIVE", "DECLINED"},
		"Deactivate": {"ACTIVE", "DEACTIVATED"},
		"Ban":        {"ACTIVE", "BANNED"},
	}
	for name, m := range moves {
		for _, from := range all {
			t.Run(name+" "+string(from), func(t *testing.T) {
				w := scene.New(t)
				a := scene.AffiliateIn(w, "a", from)
				if from != m.from && from != m.to {
					w.Refused(scene.StateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
						return scene.ErrOf(w.SetAffiliateStatus(t.Context(), m.to, a.ID))
					})
					return
				}
				w.Now = w.Now.Add(time.Hour)
				want := []string{}
				if from == m.from {
					a.Status, a.UpdatedAt = m.to, affiliate.TimeOf(w.Now)
					want = append(want, "affiliate.updated "+a.ID.String())
				}
				events := w.FiredTypes(func() {
					scene.Equal(t, []affiliate.Affiliate{a}, scene.Must(w.SetAffiliateStatus(t.Context(), m.to, a.ID)))
				})
				scene.Equal(t, want, events)
			})
		}
	}
}

// A status that nobody gives is refused, also for an affiliate who has it.
func TestStatusGivenByNobody(t *testing.T) {
	w := scene.New(t)
	for _, status := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "x", ""} {
		a := scene.AffiliateIn(w, "a"+string(status), status)
		w.Refused(scene.FieldError(affiliate.InvalidField, "status", "status must be one of ACTIVE, DECLINED, DEACTIVATED, BANNED"), func() error {
			return scene.ErrOf(w.SetAffiliateStatus(t.Context(), status, a.ID))
		})
	}
}

// Next says what the calls do, for affiliates and for payouts.
func TestNextStatuses(t *testing.T) {
	for status, want := range map[affiliate.AffiliateStatus][]affiliate.AffiliateStatus{
		"INACTIVE": {"ACTIVE", "DECLINED"}, "ACTIVE": {"DEACTIVATED", "BANNED"}, "INVITED": nil, "DECLINED": nil, "DEACTIVATED": nil, "BANNED": nil,
	} {
		scene.Equal(t, want, status.Next())
	}
	for status, want := range map[affiliate.PayoutStatus][]affiliate.PayoutStatus{
		"PENDING": {"PROCESSING", "PAID", "FAILED", "CANCELED"}, "PROCESSING": {"PAID", "FAILED"}, "FAILED": {"PROCESSING", "CANCELED"}, "PAID": {"RETURNED"}, "CANCELED": nil, "RETURNED": nil,
	} {
		scene.Equal(t, want, status.Next())
	}
}

func TestStatusOfMany(t *testing.T) {
	w := scene.New(t)
	a, b, c := scene.AffiliateIn(w, "a", "INACTIVE"), w.Join("b"), scene.AffiliateIn(w, "c", "INACTIVE")
	banned := scene.AffiliateIn(w, "d", "BANNED")
	w.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return scene.ErrOf(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, a.ID, uuid.New(), banned.ID))
	})
	w.Refused(scene.StateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
		return scene.ErrOf(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, a.ID, banned.ID))
	})
	events := w.FiredTypes(func() {
		got := scene.Must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, c.ID, b.ID, a.ID, c.ID))
		ids := []uuid.UUID{}
		for _, x := range got {
			ids = append(ids, x.ID)
			scene.Equal(t, affiliate.AffiliateActive, x.Status)
		}
		scene.Equal(t, []uuid.UUID{c.ID, b.ID, a.ID}, ids)
	})
	scene.Equal(t, []string{"affiliate.updated " + c.ID.String(), "affiliate.updated " + a.ID.String()}, events)
	if got := scene.Must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive)); got == nil || len(got) != 0 {
		t.Errorf("nobody named: %#v", got)
	}
}

// PUT /affiliates sets ACTIVE or INACTIVE from any status.
func TestStatusWayBack(t *testing.T) {
	for _, from := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"} {
		w := scene.New(t)
		a := scene.AffiliateIn(w, "a", from)
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}))
		scene.Equal(t, affiliate.AffiliateActive, scene.Must(w.Affiliate(t.Context(), "a")).Status)
	}
}

// A ban holds later sales. Earlier commissions stay accepted (rule 4.1).
func TestBanHoldsLaterSales(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	w.Refer("a", "kim@b.co")
	before := w.SellTo("kim@b.co", "10")
	scene.Must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, a.ID))
	after := w.SellTo("kim@b.co", "10")
	scene.Equal(t, affiliate.ApprovalAccepted, scene.Must(w.Sale(t.Context(), before.ID)).Commissions[0].ApprovalStatus)
	scene.Equal(t, affiliate.ApprovalOnHold, after.Commissions[0].ApprovalStatus)
	scene.Equal(t, int64(1), scene.Must(w.Affiliate(t.Context(), "a")).NumberOfReferredUsers)
}

func TestSetAffiliatePlan(t *testing.T) {
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b", func(in *affiliate.AffiliateParams) { in.CommissionRate = affiliate.Set(affiliate.MustPercent("90")) })
	plan := scene.Must(w.CreatePlan(w.T.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("7")}}))
	flat := scene.Must(w.CreatePlan(w.T.Context(), affiliate.PlanParams{Name: "f", Terms: affiliate.Terms{Type: affiliate.CommissionFlat}}))
	set := func(plan uuid.UUID, ids ...uuid.UUID) int {
		return len(w.Fired(func() { scene.Must(w.SetAffiliatePlan(t.Context(), plan, ids...)) }))
	}
	scene.Equal(t, 2, set(plan.ID, a.ID, b.ID))
	scene.Equal(t, 0, set(plan.ID, a.ID, b.ID))
	got := scene.Must(w.Affiliate(t.Context(), "a"))
	scene.Equal(t, affiliate.MustPercent("7"), got.CommissionRate)
	scene.Equal(t, affiliate.Set(plan.ID), got.CommissionPlanID)
	scene.Equal(t, affiliate.MustPercent("90"), scene.Must(w.Affiliate(t.Context(), "b")).CommissionRate)
	scene.Equal(t, 1, set(uuid.Nil, a.ID))

	scene.Equal(t, 1, set(flat.ID, b.ID))
	scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: b.ID}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("500"))}))
	w.Refused(scene.FieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100"), func() error {
		return scene.ErrOf(w.SetAffiliatePlan(t.Context(), plan.ID, a.ID, b.ID))
	})
	w.Refused(scene.FieldError(affiliate.PlanNotFound, "commissionPlanId", "Commission plan not found"), func() error {
		return scene.ErrOf(w.SetAffiliatePlan(t.Context(), uuid.New(), a.ID))
	})
	w.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return scene.ErrOf(w.SetAffiliatePlan(t.Context(), plan.ID, uuid.New()))
	})
}

func TestSetAffiliateTierAndExempt(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	tier := scene.Must(w.CreateTier(w.T.Context(), affiliate.TierParams{Tier: 2, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("30"))}))
	count := func(fn func() ([]affiliate.Affiliate, error)) int {
		return len(w.Fired(func() { scene.Must(fn()) }))
	}
	inTier := func(id uuid.UUID) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetAffiliateTier(t.Context(), id, a.ID) }
	}
	exempt := func(yes bool) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetTierExempt(t.Context(), yes, a.ID) }
	}
	scene.Equal(t, 1, count(exempt(true)))
	scene.Equal(t, 0, count(exempt(true)))
	scene.Equal(t, 1, count(inTier(tier.ID)))
	scene.Equal(t, 0, count(inTier(tier.ID)))
	got := scene.Must(w.Affiliate(t.Context(), "a"))
	scene.Equal(t, affiliate.Set(tier.ID), got.CommissionTierID)
	scene.Equal(t, affiliate.MustPercent("30"), got.CommissionRate)
	scene.Equal(t, true, got.ExemptFromCommissionTierChanges && got.UseCommissionPlanCommissionRate)
	scene.Equal(t, 1, count(inTier(uuid.Nil)))
	w.Refused(scene.MissingError(affiliate.TierNotFound, "Tier not found"), func() error {
		return scene.ErrOf(w.SetAffiliateTier(t.Context(), uuid.New(), a.ID))
	})
	w.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return scene.ErrOf(w.SetTierExempt(t.Context(), true, uuid.New()))
	})
}
