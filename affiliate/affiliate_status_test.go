package affiliate_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

type statusMove = func(context.Context, ...uuid.UUID) ([]affiliate.Affiliate, error)

// affiliateIn creates an affiliate with a status.
func affiliateIn(w *world, local string, status affiliate.AffiliateStatus) affiliate.Affiliate {
	a := w.join(local)
	w.insert(func(tx *record.Tx) error {
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
		call     func(*world) statusMove
		from, to affiliate.AffiliateStatus
	}{
		"Approve":    {func(w *world) statusMove { return w.ApproveAffiliates }, "INACTIVE", "ACTIVE"},
		"Decline":    {func(w *world) statusMove { return w.DeclineAffiliates }, "INACTIVE", "DECLINED"},
		"Deactivate": {func(w *world) statusMove { return w.DeactivateAffiliates }, "ACTIVE", "DEACTIVATED"},
		"Ban":        {func(w *world) statusMove { return w.BanAffiliates }, "ACTIVE", "BANNED"},
	}
	for name, m := range moves {
		for _, from := range all {
			t.Run(name+" "+string(from), func(t *testing.T) {
				w := newWorld(t)
				a := affiliateIn(w, "a", from)
				if from != m.from && from != m.to {
					w.refused(stateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
						return errOf(m.call(w)(t.Context(), a.ID))
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
					equal(t, []affiliate.Affiliate{a}, must(m.call(w)(t.Context(), a.ID)))
				})
				equal(t, want, events)
			})
		}
	}
}

// Next says what the calls do, for affiliates and for payouts.
func TestNextStatuses(t *testing.T) {
	for status, want := range map[affiliate.AffiliateStatus][]affiliate.AffiliateStatus{
		"INACTIVE": {"ACTIVE", "DECLINED"}, "ACTIVE": {"DEACTIVATED", "BANNED"}, "INVITED": nil, "DECLINED": nil, "DEACTIVATED": nil, "BANNED": nil,
	} {
		equal(t, want, status.Next())
	}
	for status, want := range map[affiliate.PayoutStatus][]affiliate.PayoutStatus{
		"PENDING": {"PROCESSING", "PAID", "FAILED", "CANCELED"}, "PROCESSING": {"PAID", "FAILED"}, "FAILED": {"PROCESSING", "CANCELED"}, "PAID": {"RETURNED"}, "CANCELED": nil, "RETURNED": nil,
	} {
		equal(t, want, status.Next())
	}
}

func TestStatusOfMany(t *testing.T) {
	w := newWorld(t)
	a, b, c := affiliateIn(w, "a", "INACTIVE"), w.join("b"), affiliateIn(w, "c", "INACTIVE")
	banned := affiliateIn(w, "d", "BANNED")
	w.refused(missingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return errOf(w.ApproveAffiliates(t.Context(), a.ID, uuid.New(), banned.ID))
	})
	w.refused(stateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
		return errOf(w.ApproveAffiliates(t.Context(), a.ID, banned.ID))
	})
	events := w.firedTypes(func() {
		got := must(w.ApproveAffiliates(t.Context(), c.ID, b.ID, a.ID, c.ID))
		ids := []uuid.UUID{}
		for _, x := range got {
			ids = append(ids, x.ID)
			equal(t, affiliate.AffiliateActive, x.Status)
		}
		equal(t, []uuid.UUID{c.ID, b.ID, a.ID}, ids)
	})
	equal(t, []string{"affiliate.updated " + c.ID.String(), "affiliate.updated " + a.ID.String()}, events)
	if got := must(w.ApproveAffiliates(t.Context())); got == nil || len(got) != 0 {
		t.Errorf("nobody named: %#v", got)
	}
}

// PUT /affiliates sets ACTIVE or INACTIVE from any status.
func TestStatusWayBack(t *testing.T) {
	for _, from := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"} {
		w := newWorld(t)
		a := affiliateIn(w, "a", from)
		must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}))
		equal(t, affiliate.AffiliateActive, must(w.Affiliate(t.Context(), "a")).Status)
	}
}

// A ban holds later sales. Earlier commissions stay accepted (rule 4.1).
func TestBanHoldsLaterSales(t *testing.T) {
	w := newWorld(t)
	a := w.join("a")
	w.refer("a", "kim@b.co")
	before := w.sale("kim@b.co", "10")
	must(w.BanAffiliates(t.Context(), a.ID))
	after := w.sale("kim@b.co", "10")
	equal(t, affiliate.ApprovalAccepted, must(w.Sale(t.Context(), before.ID)).Commissions[0].ApprovalStatus)
	equal(t, affiliate.ApprovalOnHold, after.Commissions[0].ApprovalStatus)
	equal(t, int64(1), must(w.Affiliate(t.Context(), "a")).NumberOfReferredUsers)
}

func TestSetAffiliatePlan(t *testing.T) {
	w := newWorld(t)
	a, b := w.join("a"), w.join("b", func(in *affiliate.NewAffiliate) { in.CommissionRate = affiliate.Set(affiliate.MustPercent("90")) })
	plan := must(w.CreatePlan(w.t.Context(), affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("7")}}))
	flat := must(w.CreatePlan(w.t.Context(), affiliate.NewPlan{Name: "f", Terms: affiliate.Terms{Type: affiliate.CommissionFlat}}))
	set := func(plan uuid.UUID, ids ...uuid.UUID) int {
		return len(w.fired(func() { must(w.SetAffiliatePlan(t.Context(), plan, ids...)) }))
	}
	equal(t, 2, set(plan.ID, a.ID, b.ID))
	equal(t, 0, set(plan.ID, a.ID, b.ID))
	got := must(w.Affiliate(t.Context(), "a"))
	equal(t, affiliate.MustPercent("7"), got.CommissionRate)
	equal(t, affiliate.Set(plan.ID), got.CommissionPlanID)
	equal(t, affiliate.MustPercent("90"), must(w.Affiliate(t.Context(), "b")).CommissionRate)
	equal(t, 1, set(uuid.Nil, a.ID))

	equal(t, 1, set(flat.ID, b.ID))
	must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: b.ID}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("500"))}))
	w.refused(fieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100"), func() error {
		return errOf(w.SetAffiliatePlan(t.Context(), plan.ID, a.ID, b.ID))
	})
	w.refused(fieldError(affiliate.PlanNotFound, "commissionPlanId", "Commission plan not found"), func() error {
		return errOf(w.SetAffiliatePlan(t.Context(), uuid.New(), a.ID))
	})
	w.refused(missingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return errOf(w.SetAffiliatePlan(t.Context(), plan.ID, uuid.New()))
	})
}

func TestSetAffiliateTierAndExempt(t *testing.T) {
	w := newWorld(t)
	a := w.join("a")
	tier := must(w.CreateTier(w.t.Context(), affiliate.NewTier{Tier: 2, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("30"))}))
	count := func(fn func() ([]affiliate.Affiliate, error)) int {
		return len(w.fired(func() { must(fn()) }))
	}
	inTier := func(id uuid.UUID) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetAffiliateTier(t.Context(), id, a.ID) }
	}
	exempt := func(yes bool) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetTierExempt(t.Context(), yes, a.ID) }
	}
	equal(t, 1, count(exempt(true)))
	equal(t, 0, count(exempt(true)))
	equal(t, 1, count(inTier(tier.ID)))
	equal(t, 0, count(inTier(tier.ID)))
	got := must(w.Affiliate(t.Context(), "a"))
	equal(t, affiliate.Set(tier.ID), got.CommissionTierID)
	equal(t, affiliate.MustPercent("30"), got.CommissionRate)
	equal(t, true, got.ExemptFromCommissionTierChanges && got.UseCommissionPlanCommissionRate)
	equal(t, 1, count(inTier(uuid.Nil)))
	w.refused(missingError(affiliate.TierNotFound, "Tier not found"), func() error {
		return errOf(w.SetAffiliateTier(t.Context(), uuid.New(), a.ID))
	})
	w.refused(missingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return errOf(w.SetTierExempt(t.Context(), true, uuid.New()))
	})
}
