package engine

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Terms with dates: a plan keeps the versions of its terms, and the program those of its
// own. Source: docs/terms.md 7.

// termsAt returns the version of the terms that is in force at a time.
func termsAt(r *record.Plan, at affiliate.Instant) *affiliate.Terms {
	for i := len(r.Versions) - 1; i >= 0; i-- {
		if v := &r.Versions[i]; !v.From.After(at) {
			return &v.Terms
		}
	}
	return &r.Terms
}

// shownTerms returns terms as the wire shows them.
func shownTerms(t *affiliate.Terms) affiliate.ProgramTerms {
	return affiliate.ProgramTerms{
		CommissionType: t.Type, CommissionRate: t.Rate, NumberOfPayments: OrNull(t.MaxPayments),
		NumberOfMonths: OrNull(t.MaxMonths), HoldDays: t.HoldDays, Rules: t.Clone().Rules,
		MonthsFrom: t.MonthsFrom, MaxPerSale: t.MaxPerSale, MaxPerCustomer: t.MaxPerCustomer,
		OfferCouponID: t.OfferCouponID, Budgets: slices.Clone(t.Budgets), Bonuses: slices.Clone(t.Bonuses),
	}
}

// versionsOf returns all versions of the terms, oldest first, as they are at a time.
func versionsOf(r *record.Plan, now affiliate.Instant) []affiliate.DatedTerms {
	inForce := termsAt(r, now)
	all := make([]affiliate.DatedTerms, 0, len(r.Versions)+1)
	all = append(all,
		affiliate.DatedTerms{From: affiliate.Null[affiliate.Time](), InForce: inForce == &r.Terms,
			ProgramTerms: shownTerms(&r.Terms)})
	for i := range r.Versions {
		v := &r.Versions[i]
		all = append(all,
			affiliate.DatedTerms{From: refusal.TimeOrNull(v.From), InForce: inForce == &v.Terms,
				ProgramTerms: shownTerms(&v.Terms)})
	}
	return all
}

// changeTerms applies an update to the versions of a record. What is withdrawn goes first.
func (o *Op) changeTerms(r *record.Plan, up affiliate.TermsUpdate) error {
	if !up.Withdraw.IsZero() {
		if err := o.withdraw(r, o.beginning(up.Withdraw)); err != nil {
			return err
		}
	}
	if up.From.IsZero() {
		t := termsAt(r, o.Now)
		was := *t
		*t = termsMerged(up, *t)
		if err := NormalizeTerms(t); err != nil {
			return err
		}
		if err := cmp.Or(sameBonuses(t, &was), sameInVersions(t, r)); err != nil {
			return err
		}
		return o.couponsThere(t, &was)
	}
	from := o.beginning(up.From)
	if !from.After(o.Now) {
		return refusal.TermsFromPast.Err()
	}
	v := affiliate.StoredTerms{From: from, Terms: termsMerged(up, termsAt(r, from).Clone())}
	if err := NormalizeTerms(&v.Terms); err != nil {
		return err
	}
	if err := o.couponsThere(&v.Terms, termsAt(r, from)); err != nil {
		return err
	}
	i, there := version(r, from)
	if there {
		r.Versions[i] = v
		return sameInVersions(&v.Terms, r)
	}
	if err := sameInVersions(&v.Terms, r); err != nil {
		return err
	}
	if len(r.Versions)+1 >= refusal.MaxVersions {
		return refusal.TermsTooMany.Err()
	}
	r.Versions = slices.Insert(r.Versions, i, v)
	return nil
}

// beginning returns the moment that a date names, as exactly as the wire shows it.
func (p *Program) beginning(d affiliate.Opt[affiliate.Date]) affiliate.Instant {
	return p.FirstInstant(d).Truncate(time.Millisecond)
}

// withdraw removes a version that is not in force yet.
func (o *Op) withdraw(r *record.Plan, from affiliate.Instant) error {
	i, there := version(r, from)
	if !there {
		return refusal.TermsNotThere.Err()
	}
	if !from.After(o.Now) {
		return refusal.TermsInForce.Err()
	}
	r.Versions = slices.Delete(r.Versions, i, i+1)
	return nil
}

// version finds the version that begins at a time, or where it would be.
func version(r *record.Plan, from affiliate.Instant) (int, bool) {
	return slices.BinarySearchFunc(r.Versions, from,
		func(v affiliate.StoredTerms, t affiliate.Instant) int { return v.From.Compare(t) })
}

// termsUpdateCheck checks an update by itself.
func termsUpdateCheck(up affiliate.TermsUpdate) error {
	return refusal.First(
		refusal.NotCleared("commissionType", up.Type),
		refusal.NotCleared("commissionRate", up.Rate),
		refusal.FieldNotAtLeastOne.About("numberOfPayments").When(up.MaxPayments.Or(1) < 1),
		refusal.FieldNotAtLeastOne.About("numberOfMonths").When(up.MaxMonths.Or(1) < 1),
		refusal.NotCleared("holdDays", up.HoldDays),
		refusal.NotCleared("monthsFrom", up.MonthsFrom),
		refusal.NotCleared("from", up.From),
		refusal.NotCleared("withdraw", up.Withdraw),
		refusal.FieldNotAllowed.About("from").When(!up.From.IsZero() && keepsTerms(up)),
	)
}

// keepsTerms reports whether an update says nothing about the terms, besides dates.
func keepsTerms(up affiliate.TermsUpdate) bool {
	up.From, up.Withdraw = affiliate.Opt[affiliate.Date]{}, affiliate.Opt[affiliate.Date]{}
	return reflect.ValueOf(up).IsZero()
}

// termsMerged returns terms after an update.
func termsMerged(up affiliate.TermsUpdate, t affiliate.Terms) affiliate.Terms {
	t.Type = up.Type.Or(t.Type)
	t.Rate = up.Rate.Or(t.Rate)
	if !up.MaxPayments.IsZero() {
		t.MaxPayments = up.MaxPayments.Or(0)
	}
	if !up.MaxMonths.IsZero() {
		t.MaxMonths = up.MaxMonths.Or(0)
	}
	t.HoldDays = up.HoldDays.Or(t.HoldDays)
	if !up.Rules.IsZero() {
		t.Rules = up.Rules.Or(nil)
	}
	t.MonthsFrom = up.MonthsFrom.Or(t.MonthsFrom)
	if !up.MaxPerSale.IsZero() {
		t.MaxPerSale = up.MaxPerSale.Or(affiliate.Amount{})
	}
	if !up.MaxPerCustomer.IsZero() {
		t.MaxPerCustomer = up.MaxPerCustomer.Or(affiliate.Amount{})
	}
	if !up.Budgets.IsZero() {
		t.Budgets = slices.Clone(up.Budgets.Or(nil))
	}
	if !up.Bonuses.IsZero() {
		t.Bonuses = slices.Clone(up.Bonuses.Or(nil))
	}
	if !up.OfferCouponID.IsZero() {
		t.OfferCouponID = up.OfferCouponID.Or(uuid.Nil)
	}
	return t
}

// The program's own terms are a plan that no id of a caller names. They are those of
// Config until they are set.

// programPlan is its id, which sorts after all others.
func programPlan() uuid.UUID { return uuid.Max }

// planRecord returns the plan with the id of a caller, or [affiliate.ErrNotFound].
func (o *Op) planRecord(id uuid.UUID) (record.Plan, error) {
	if id == programPlan() {
		return record.Plan{}, affiliate.ErrNotFound
	}
	return o.Tx.Plans.Get(id)
}

// programTerms returns the program's own terms, which an operation reads once in each run.
// Nobody changes what it returns.
func (o *Op) programTerms() (*record.Plan, error) {
	if o.ownTerms != nil {
		return o.ownTerms, nil
	}
	switch rec, err := o.Tx.Plans.Get(programPlan()); {
	case err == nil:
		own := rec // of which only a program with terms of its own needs a copy
		o.ownTerms = &own
	case errors.Is(err, affiliate.ErrNotFound):
		o.ownTerms = o.unset
	default:
		return nil, refusal.Internal("read the program's terms", err)
	}
	return o.ownTerms, nil
}

// Terms implements tributary.Program.Terms.
func (p *Program) Terms(ctx context.Context) (_ []affiliate.DatedTerms, err error) {
	defer p.Begin(&ctx, "Terms", Reads).End(&err)
	return View(ctx, p, func(o *Op) ([]affiliate.DatedTerms, error) {
		rec, err := o.programTerms()
		if err != nil {
			return nil, err
		}
		return versionsOf(rec, o.Now), nil
	})
}

// TermsReaching returns the terms by which the sales of an affiliate earn, in force and to come.
// The rate is the one that applies, and rules that an own rate stands above are left out.
func (o *Op) TermsReaching(aff *record.Affiliate) ([]affiliate.DatedTerms, error) {
	of, err := o.programTerms()
	if err != nil {
		return nil, err
	}
	if aff.PlanID != uuid.Nil {
		plan, err := o.Tx.Plans.Get(aff.PlanID)
		if err != nil {
			return nil, refusal.Internal("commission plan of "+aff.ID.String(), err)
		}
		of = &plan
	}
	all := versionsOf(of, o.Now)
	all = all[slices.IndexFunc(all, func(t affiliate.DatedTerms) bool { return t.InForce }):]
	for i := range all {
		t := &all[i].ProgramTerms
		d := deal{Terms: affiliate.Terms{Type: t.CommissionType, Rate: t.CommissionRate},
			rateFrom: affiliate.RateOfPlan}
		if err := o.overrideRate(&d, aff); err != nil {
			return nil, err
		}
		if t.CommissionRate = d.Rate; d.rateFrom != affiliate.RateOfPlan {
			t.Rules = slices.DeleteFunc(t.Rules, func(r affiliate.Rule) bool {
				return !r.Firm && r.Pay.Type != affiliate.RuleNone && len(r.When.Conversions) == 0
			})
		}
	}
	return all, nil
}

// SetTerms implements tributary.Program.SetTerms.
func (p *Program) SetTerms(ctx context.Context, up affiliate.TermsUpdate) (_ []affiliate.DatedTerms, err error) {
	defer p.Begin(&ctx, "SetTerms", Writes).End(&err)
	o := p.Op(ctx)
	return Write(o, Request{Name: "terms.set", Input: up, Refused: termsUpdateCheck(up)}, func() ([]affiliate.DatedTerms, error) {
		old, err := o.programTerms()
		if err != nil {
			return nil, err
		}
		rec := old.Clone()
		if err := o.changeTerms(&rec, up); err != nil {
			return nil, err
		}
		if Same(rec, *old) {
			return versionsOf(old, o.Now), nil
		}
		first := rec.CreatedAt.IsZero()
		rec.UpdatedAt = Later(o.Now, rec.UpdatedAt)
		if first {
			rec.CreatedAt = rec.UpdatedAt
			err = o.Tx.Plans.Insert(rec)
		} else {
			err = o.Tx.Plans.Replace(rec)
		}
		if err != nil {
			return nil, refusal.Internal("write the program's terms", err)
		}
		o.ownTerms = &rec
		return versionsOf(&rec, o.Now), nil
	})
}
