package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/isodate"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// What sales earn together at most. Source: docs/rewards.md.

// Intervals are the intervals of the calendar.
var Intervals = affiliate.Intervals()

// Begins returns the first day of the interval with a day, as its midnight in UTC.
func Begins(by affiliate.Interval, year int, month time.Month, day int) time.Time {
	switch by {
	case affiliate.IntervalWeek:
		date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		return date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
	case affiliate.IntervalMonth:
		day = 1
	case affiliate.IntervalQuarter:
		month, day = (month-1)/3*3+1, 1
	case affiliate.IntervalYear:
		month, day = time.January, 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Ends returns the first day of the next interval.
func Ends(by affiliate.Interval, day time.Time) time.Time {
	switch by {
	case affiliate.IntervalWeek:
		return day.AddDate(0, 0, 7)
	case affiliate.IntervalMonth:
		return day.AddDate(0, 1, 0)
	case affiliate.IntervalQuarter:
		return day.AddDate(0, 3, 0)
	case affiliate.IntervalYear:
		return day.AddDate(1, 0, 0)
	}
	return day.AddDate(0, 0, 1)
}

// normalizeBudgets checks the budgets of terms.
func normalizeBudgets(t *affiliate.Terms) error {
	if len(t.Budgets) == 0 {
		t.Budgets = nil
		return nil
	}
	if len(t.Budgets) > refusal.MaxBudgets {
		return refusal.FieldOver16Entries.Of("budgets")
	}
	for i := range t.Budgets {
		b, in := &t.Budgets[i], fmt.Sprintf("budgets[%d].", i)
		if err := refusal.First(
			refusal.OneOf(in+"of", b.Of, affiliate.BudgetsOf()),
			refusal.OneOfOrNone(in+"per", b.Per, Intervals),
			refusal.Optional(in+"utmCampaign", b.UTMCampaign, refusal.MaxName),
			refusal.FieldNotAtLeastOne.About(in+"maxRewards").When(b.MaxRewards < 0),
			refusal.FieldNotAtLeastZero.About(in+"maxCommission").When(b.MaxCommission.Sign() < 0),
			refusal.FieldMissing.About(in+"maxCommission").When(b.MaxCommission.IsZero() && b.MaxRewards == 0),
		); err != nil {
			return err
		}
		for j := range t.Budgets[:i] {
			if counted(&t.Budgets[j]) == counted(b) {
				return refusal.FieldNotDistinct.Of("budgets")
			}
		}
	}
	return nil
}

// counted returns what a budget counts, without its limits.
func counted(b *affiliate.Budget) affiliate.Budget {
	return affiliate.Budget{Of: b.Of, Per: b.Per, CouponID: b.CouponID, UTMCampaign: b.UTMCampaign}
}

// HasShared reports whether affiliates share a budget of terms.
func HasShared(t *affiliate.Terms) bool {
	return slices.ContainsFunc(t.Budgets, func(b affiliate.Budget) bool { return b.Of == affiliate.BudgetOfAll })
}

// SharesBudget reports whether affiliates share a budget of a version of the terms of a plan, which
// may be gone.
func (o *Op) SharesBudget(plan uuid.UUID) (bool, error) {
	rec, err := o.programTerms()
	if plan != uuid.Nil {
		var named record.Plan
		named, err = o.planRecord(plan)
		rec = &named
	}
	if err != nil {
		return false, IgnoreMissing(err)
	}
	later := func(v affiliate.StoredTerms) bool { return HasShared(&v.Terms) }
	return HasShared(&rec.Terms) || slices.ContainsFunc(rec.Versions, later), nil
}

// draw sets the budgets of some terms that count a sale with a coupon. A sale that was decided
// about before stays in its periods.
func (o *Op) draw(r *record.Sale, t *affiliate.Terms, coupon uuid.UUID) error {
	old := r.Budgets
	r.Budgets = nil
	for i := range t.Budgets {
		b := &t.Budgets[i]
		if b.CouponID != uuid.Nil && b.CouponID != coupon {
			continue
		}
		if b.UTMCampaign != "" {
			page, err := o.landingOf(r)
			if err != nil {
				return err
			}
			if ParamOf(page, "utm_campaign") != b.UTMCampaign {
				continue
			}
		}
		d := record.Draw{PlanID: r.Why.PlanID, Budget: *b}
		if b.Of == affiliate.BudgetOfAffiliate {
			d.OwnerID = r.AffiliateID
		}
		if b.Per != "" {
			var err error
			if d.From, err = o.periodOf(b.Per, r, old); err != nil {
				return err
			}
		}
		d.ID = BudgetID(&d)
		r.Budgets = append(r.Budgets, d)
	}
	return nil
}

// DrawAgain is draw for a stored sale.
func (o *Op) DrawAgain(r *record.Sale, t *affiliate.Terms) error {
	for i := range t.Budgets {
		if t.Budgets[i].CouponID != uuid.Nil {
			given, err := o.Tx.Redemptions.Get(record.NumberID(r.Number))
			if IgnoreMissing(err) != nil {
				return refusal.Internal("redemption of a sale", err)
			}
			return o.draw(r, t, given.CouponID)
		}
	}
	return o.draw(r, t, uuid.Nil)
}

// landingOf returns the page on which the visitor of a sale landed: that of its click, else that of its
// customer; empty: none is known.
func (o *Op) landingOf(r *record.Sale) (string, error) {
	if r.Why.Click != 0 {
		click, err := o.Tx.Clicks.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(r.Why.Click)})
		if err == nil && click.LandingURL != "" || IgnoreMissing(err) != nil {
			return click.LandingURL, err
		}
	}
	if r.ReferralID == uuid.Nil {
		return "", nil
	}
	ref, err := o.Tx.Referrals.Get(r.ReferralID)
	return ref.LandingPage, IgnoreMissing(err)
}

// ParamOf returns a parameter of the query of a page; empty: it has none.
func ParamOf(page, name string) string {
	_, query, _ := strings.Cut(page, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if k, v, _ := strings.Cut(pair, "="); unescaped(k) == name {
			return unescaped(v)
		}
	}
	return ""
}

// unescaped returns a part of a query as text; one that is cut off stays as it is.
func unescaped(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		s = text
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// periodOf returns the beginning of the period in which a sale counts: that when it was paid, or
// that when it was recorded, if the books of its affiliate were closed over the other.
func (o *Op) periodOf(per affiliate.Interval, r *record.Sale, old []record.Draw) (affiliate.Instant, error) {
	for i := range old {
		if old[i].Per == per {
			return old[i].From, nil
		}
	}
	from := o.periodWith(per, PaidOf(r))
	if r.PaidAt.IsZero() {
		return from, nil
	}
	now := o.periodWith(per, r.CreatedAt)
	if from == now {
		return from, nil
	}
	totals, err := o.Totals(r.AffiliateID)
	if !totals.Books.ClosedUntil.Before(r.PaidAt) {
		from = now
	}
	return from, err
}

// periodWith returns the beginning of the period with a moment.
func (p *Program) periodWith(per affiliate.Interval, at affiliate.Instant) affiliate.Instant {
	year, month, day := at.Time().In(p.Cfg.Location).Date()
	return affiliate.InstantOf(isodate.FirstFrom(Begins(per, year, month, day), p.Cfg.Location))
}

// periodEnd returns the end of the period that begins then.
func (p *Program) periodEnd(per affiliate.Interval, from affiliate.Instant) affiliate.Instant {
	year, month, day := from.Time().In(p.Cfg.Location).Date()
	return affiliate.InstantOf(isodate.FirstFrom(Ends(per, Begins(per, year, month, day)), p.Cfg.Location))
}

// BudgetID returns the id of the budget of a draw: the time of From, and a hash of all that it counts.
func BudgetID(d *record.Draw) uuid.UUID {
	var room [128]byte
	text := append(append(append(room[:0], d.PlanID[:]...), d.OwnerID[:]...), d.CouponID[:]...)
	text = binary.BigEndian.AppendUint64(text, uint64(len(d.Per)))
	text = append(append(append(text, d.Of...), d.Per...), d.UTMCampaign...)
	sum := sha256.Sum256(text)
	id := uuid.UUID(sum[:16])
	if d.From.IsZero() {
		clear(id[:6])
	} else {
		id = uuid7.Stamp(id, d.From.Time())
	}
	id[6], id[8] = 0x80|id[6]&0x0f, 0x80|id[8]&0x3f // version 8
	return id
}

// budget returns a budget; one that nobody has used yet is zero but for its id.
func (o *Op) budget(id uuid.UUID) (record.Budget, bool, error) {
	rec, err := o.Tx.Budgets.Get(id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return record.Budget{ID: id}, false, nil
	}
	return rec, err == nil, err
}

// takes returns what a sale takes of each budget that counts it.
func takes(r *record.Sale) (commission affiliate.Amount, rewards int64, err error) {
	if r == nil || len(r.Budgets) == 0 {
		return affiliate.Amount{}, 0, nil
	}
	t, err := tally(r)
	if t.Commission.Sign() <= 0 {
		return affiliate.Amount{}, 0, err
	}
	return t.Commission, 1, err
}

// drawOf returns how a sale is counted in a budget; nil: it is not.
func drawOf(r *record.Sale, id uuid.UUID) *record.Draw {
	if r != nil {
		for i := range r.Budgets {
			if d := &r.Budgets[i]; d.ID == id {
				return d
			}
		}
	}
	return nil
}

// CutTo returns what a sale may earn that wants so much, when other sales took so much of its budget, and
// what is left of the commission, if that has a limit.
func CutTo(b *affiliate.Budget, wants, used affiliate.Amount, rewards int64) (most, left affiliate.Amount) {
	most = wants
	if b.MaxCommission.Sign() > 0 {
		left = affiliate.AmountFromScaled(max(b.MaxCommission.Scaled()-used.Scaled(), 0))
		if most = lesser(wants, left); b.Whole && left.Cmp(wants) < 0 {
			most = affiliate.Amount{}
		}
	}
	if b.MaxRewards > 0 && rewards >= b.MaxRewards {
		most = affiliate.Amount{}
	}
	return most, left
}

// fit cuts the commission of a sale, which may be new, to what its budgets have left. It leaves what
// the sale has already, unless that was set by hand or the budget has other limits since, and never
// cuts what is set by hand.
func (o *Op) fit(was, is *record.Sale) error {
	wants, _, err := takes(is)
	if wants.IsZero() || !is.ByHand.IsZero() || err != nil {
		return err
	}
	had, one, err := takes(was)
	if err != nil {
		return err
	}
	cut := false
	for i := range is.Budgets {
		d := &is.Budgets[i]
		var own, stays affiliate.Amount // of the budget as it is
		rewards := int64(0)
		if before := drawOf(was, d.ID); before != nil {
			if own, rewards = had, one; was.ByHand.IsZero() && before.Budget == d.Budget {
				stays = own
			}
		}
		if wants.Cmp(stays) <= 0 {
			continue
		}
		used, _, err := o.budget(d.ID)
		if err != nil {
			return err
		}
		most, left := CutTo(&d.Budget, wants, affiliate.AmountFromScaled(used.Commission.Scaled()-own.Scaled()), used.Rewards-rewards)
		if most.Cmp(stays) < 0 {
			most = stays
		}
		if most.Cmp(wants) < 0 {
			d.Most, d.Left, wants, cut = affiliate.Set(most), left, most, true
		}
	}
	if !cut {
		return nil
	}
	if err := o.Recompute(is); err != nil || was == nil {
		return err
	}
	if was.AffiliateID == is.AffiliateID && sameEntries(was, is) {
		is.Commissions = was.Commissions
	}
	return nil
}

// spend replaces what a sale takes of budgets.
func (o *Op) spend(was, is *record.Sale) error {
	if (was == nil || len(was.Budgets) == 0) && (is == nil || len(is.Budgets) == 0) {
		return nil
	}
	had, before, err := takes(was)
	if err != nil {
		return err
	}
	has, now, err := takes(is)
	if err != nil {
		return err
	}
	if was != nil {
		for i := range was.Budgets {
			d, commission, rewards := &was.Budgets[i], had.Neg(), -before
			if next := drawOf(is, d.ID); next != nil {
				d, commission, rewards = next, affiliate.AmountFromScaled(has.Scaled()-had.Scaled()), now-before
			}
			if err := o.take(d, commission, rewards); err != nil {
				return err
			}
		}
	}
	if is != nil {
		for i := range is.Budgets {
			if d := &is.Budgets[i]; drawOf(was, d.ID) == nil {
				if err := o.take(d, has, now); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// take changes how much of a budget is used: each reward is a commission above zero, so that there are
// none of one when there are none of the other. One of which nothing is used is no record.
func (o *Op) take(d *record.Draw, commission affiliate.Amount, rewards int64) error {
	if commission.IsZero() {
		return nil
	}
	rec, there, err := o.budget(d.ID)
	if err != nil {
		return refusal.Internal("read budget", err)
	}
	if !there || commission.Sign() > 0 {
		rec.PlanID, rec.OwnerID, rec.From, rec.Budget = d.PlanID, d.OwnerID, d.From, d.Budget
	}
	if rec.Commission, err = rec.Commission.Add(commission); err != nil {
		return TooLargeFor("commissionEarned", err)
	}
	rec.Rewards += rewards
	rec.Status = budgetStatus(&rec)
	switch {
	case rec.Rewards == 0:
		err = o.Tx.Budgets.Delete(rec.ID)
	case there:
		err = o.Tx.Budgets.Replace(rec)
	default:
		err = o.Tx.Budgets.Insert(rec)
	}
	return err
}

// budgetStatus says how much of a budget is left, by what is used more.
func budgetStatus(r *record.Budget) affiliate.BudgetStatus {
	status := affiliate.BudgetOpen
	for _, of := range [...]struct{ used, most int64 }{
		{r.Commission.Scaled(), r.MaxCommission.Scaled()}, {r.Rewards, r.MaxRewards},
	} {
		switch {
		case of.most == 0:
		case of.used >= of.most:
			return affiliate.BudgetUsedUp
		case of.most-of.used <= of.most/5:
			status = affiliate.BudgetLow
		}
	}
	return status
}

// Budgets implements tributary.Program.Budgets.
func (p *Program) Budgets(ctx context.Context, q affiliate.BudgetQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.BudgetUse], err error) {
	defer p.Begin(&ctx, "Budgets", Reads).End(&err)
	if err := refusal.First(
		InQuery(refusal.OneOfOrNone("status", q.Status, affiliate.BudgetStatuses())),
		InQuery(refusal.OneOfOrNone("of", q.Of, affiliate.BudgetsOf())),
	); err != nil {
		return affiliate.List[affiliate.BudgetUse]{}, err
	}
	l, err := p.Listing(pg, "budgets", q)
	if err != nil {
		return affiliate.List[affiliate.BudgetUse]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.BudgetUse], error) {
		var c Choice[record.Budget]
		if q.Status != "" {
			c.ByText(record.OfState, affiliate.Set(string(q.Status)), func(r *record.Budget) string { return string(r.Status) })
		}
		if q.Of != "" {
			c.ByText(record.OfKind, affiliate.Set(string(q.Of)), func(r *record.Budget) string { return string(r.Of) })
		}
		if q.Current {
			c.Fits = append(c.Fits, func(r *record.Budget) bool { return r.Per == "" || p.periodEnd(r.Per, r.From).After(o.Now) })
		}
		c.ByOwner(o, q.AffiliateID, q.AffiliateEmail, func(r *record.Budget) uuid.UUID { return r.OwnerID })
		return Chosen(o.Tx.Budgets, c, l, func(r record.Budget) (affiliate.BudgetUse, error) { return p.BudgetUse(&r), nil })
	})
}

// SharedBudgets yields the budgets that everybody shares by terms in force, in their present period and
// with the limits of these terms, as far as something of them is used.
func (o *Op) SharedBudgets(yield func(*record.Budget) error) error {
	each := func(plan *record.Plan, id uuid.UUID) error {
		t := termsAt(plan, o.Now)
		for i := range t.Budgets {
			d := record.Draw{PlanID: id, Budget: t.Budgets[i]}
			if d.Of != affiliate.BudgetOfAll {
				continue
			}
			if d.Per != "" {
				d.From = o.periodWith(d.Per, o.Now)
			}
			rec, there, err := o.budget(BudgetID(&d))
			if there {
				rec.Budget = d.Budget
				rec.Status = budgetStatus(&rec)
				err = yield(&rec)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	own, err := o.programTerms()
	if err == nil {
		err = each(own, uuid.Nil)
	}
	for plan, read := range o.Tx.Plans.List(record.Query{}) {
		if err = cmp.Or(err, read); err != nil {
			return err
		}
		if plan.ID != programPlan() {
			err = each(&plan, plan.ID)
		}
	}
	return err
}

// BudgetUse returns a budget as it is listed.
func (p *Program) BudgetUse(r *record.Budget) affiliate.BudgetUse {
	use := affiliate.BudgetUse{ID: r.ID, Budget: r.Budget, CommissionPlanID: OrNull(r.PlanID), AffiliateID: OrNull(r.OwnerID),
		From: refusal.TimeOrNull(r.From), To: affiliate.Null[affiliate.Time](),
		Commission: r.Commission, Rewards: r.Rewards, Status: r.Status}
	if r.Per != "" {
		use.To = refusal.TimeOrNull(p.periodEnd(r.Per, r.From))
	}
	return use
}
