package audit

import (
	"cmp"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// fromBefore stands for the type of a rate that was stored without one. It
// allows what either type allows: a percentage, or an amount of any size.
const fromBefore = affiliate.CommissionFlat

// verifyRates checks all rates: of plans, of tiers and of affiliates.
func (a *audit) verifyRates() {
	for r := range a.plans.records() {
		if a.mine(r.ID) {
			a.verifyPlan(r)
		}
	}
	for r := range a.settings.records() {
		if a.mine(r.ID) {
			a.verifySettings(r)
		}
	}
	for r := range a.tiers.records() {
		if a.mine(r.ID) {
			a.verifyTier(r)
		}
	}
	for r := range a.affiliates.records() {
		if a.mine(r.ID) {
			a.verifyOwnRate(r)
		}
	}
}

func (a *audit) verifyOwnRate(r *record.Affiliate) {
	if !affiliate.SameMailbox(r.Payee, r.PayoutEmail) || r.PayeeShared && r.Payee == "" {
		a.breach("I81", named("affiliate", r.ID), "it is paid at %q, kept as of %q", r.PayoutEmail, r.Payee)
	}
	a.verifyRate(named("affiliate", r.ID), r.Rate, cmp.Or(r.RateType, fromBefore))
}

// verifySettings checks what the store keeps of the Config. That it is another currency or
// zone is an error of the program, which has no books then.
func (a *audit) verifySettings(r *record.Settings) {
	name := named("settings", r.ID)
	if r.ID != uuid.Max || !r.Currency.Known() {
		a.breach("I44", name, "the program is kept in the currency %q", r.Currency)
	}
	a.instants("settings", r.ID, r.CreatedAt, r.UpdatedAt)
}

func (a *audit) verifyPlan(r *record.Plan) {
	name := named("plan", r.ID)
	if r.ID != uuid.Max {
		a.titled(name, r.Name)
		listed(a, name, "paymentTrigger", r.Trigger, paymentTriggers...)
	} else if r.Name != "" || r.Trigger != "" || r.HoldRewards {
		a.breach("I44", name, "it is of the program, and has the name %q and the trigger %q", r.Name, r.Trigger)
	}
	a.verifyVersion(name, &r.Terms)
	for i := range r.Versions {
		a.verifyVersion(name, &r.Versions[i].Terms)
		if i > 0 && !r.Versions[i].From.After(r.Versions[i-1].From) {
			a.breach("I44", name, "version %d of its terms begins %v, and the one before it %v", i, r.Versions[i].From, r.Versions[i-1].From)
		}
	}
	if n := len(r.Versions) + 1; n > refusal.MaxVersions {
		a.breach("I44", name, "it has %d versions of its terms", n)
	}
	a.instants("plan", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyVersion checks one version of the terms of a plan.
func (a *audit) verifyVersion(name object, t *affiliate.Terms) {
	a.verifyRate(name, affiliate.Set(t.Rate), t.Type)
	if t.MaxPayments < 0 || t.MaxMonths < 0 {
		a.breach("I40", name, "it stops after %d payments, %d months", t.MaxPayments, t.MaxMonths)
	}
	a.verifyHoldDays(name, t.HoldDays)
	a.verifyRules(name, t)
}

func (a *audit) verifyHoldDays(of object, days int64) {
	if !engine.ValidHoldDays(days) {
		a.breach("I40", of, "a holding period of %d days", days)
	}
}

func (a *audit) verifyTier(r *record.Tier) {
	name := named("tier", r.ID)
	a.titled(name, r.Name)
	listed(a, name, "conditionType", r.Condition, affiliate.ConditionAll, affiliate.ConditionSome)
	a.verifyRate(name, r.Rate, cmp.Or(r.RateType, fromBefore))
	if r.Tier < 1 || r.MinReferrals < 0 || r.MinRevenue.Sign() < 0 {
		a.breach("I44", name, "rank %d, minReferrals %d, minRevenue %v", r.Tier, r.MinReferrals, r.MinRevenue)
	}
	a.instants("tier", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyRate checks a rate, where there is one, as one of its type.
func (a *audit) verifyRate(of object, given affiliate.Opt[affiliate.Percent], typ affiliate.CommissionType) {
	rate, ok := given.Get()
	if !ok {
		return
	}
	listed(a, of, "commissionType", typ, affiliate.CommissionPercentage, affiliate.CommissionFlat)
	if engine.CheckRate(rate, typ) != nil {
		a.breach("I40", of, "a rate of %v cannot be %s", rate, typ)
	}
}

func (a *audit) siftRates() {
	sift(a, &a.plans, func(r *record.Plan) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.plans.kind))
		a.keepTerms(r)
		a.about(inRates, k)
		a.verifyPlan(r)
	})
	sift(a, &a.settings, func(r *record.Settings) {
		a.about(inRates, a.key(r.ID))
		a.verifySettings(r)
	})
	sift(a, &a.tiers, func(r *record.Tier) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.tiers.kind))
		a.about(inRates, k)
		a.verifyTier(r)
	})
}
