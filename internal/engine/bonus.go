package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Bonuses of terms. What somebody has is compared with what they should have, from the sales and
// the customers themselves, so that it may be done as often as one likes. Source: docs/rewards.md 5.

// normalizeBonuses checks the bonuses of terms.
func normalizeBonuses(t *affiliate.Terms) error {
	if len(t.Bonuses) == 0 {
		t.Bonuses = nil
		return nil
	}
	if len(t.Bonuses) > refusal.MaxBonuses {
		return refusal.FieldOver16Entries.Of("bonuses")
	}
	for i := range t.Bonuses {
		b := &t.Bonuses[i]
		b.Name = plaintext.Trim(b.Name)
		if err := checkBonus(b, fmt.Sprintf("bonuses[%d].", i)); err != nil {
			return err
		}
		if b.To == affiliate.BonusToAffiliate {
			b.To = ""
		}
		if slices.ContainsFunc(t.Bonuses[:i], func(q affiliate.Bonus) bool { return q.Name == b.Name }) {
			return refusal.FieldNotDistinct.Of("bonuses")
		}
	}
	return nil
}

func checkBonus(b *affiliate.Bonus, in string) error {
	toCustomer, ways := b.To == affiliate.BonusToCustomer, 0
	for _, given := range [...]bool{b.SignUps != 0, b.Customers != 0, !b.Revenue.IsZero()} {
		if given {
			ways++
		}
	}
	return refusal.First(
		refusal.FieldMissing.About(in+"name").When(b.Name == ""),
		refusal.CheckText(in+"name", b.Name, refusal.MaxPersonName, false),
		refusal.OneOfOrNone(in+"to", b.To, affiliate.BonusesTo()),
		refusal.FieldMissing.About(in+"from").When(b.From.IsZero()),
		refusal.FieldNotADate.About(in+"from").When(!b.From.Valid()),
		refusal.FieldTooLongAgo.About(in+"from").When(b.From.FirstInstant(time.UTC).Year() < 2000),
		refusal.OneOfOrNone(in+"per", b.Per, Intervals),
		refusal.FieldNotAllowed.About(in+"per").When(toCustomer && b.Per != ""),
		refusal.FieldNotAtLeastOne.About(in+"signUps").When(b.SignUps < 0),
		refusal.FieldNotAllowed.About(in+"signUps").When(toCustomer && b.SignUps > 1),
		refusal.FieldNotAtLeastOne.About(in+"customers").When(b.Customers < 0),
		refusal.FieldNotAllowed.About(in+"customers").When(toCustomer && b.Customers > 1),
		refusal.FieldNotAtLeastZero.About(in+"minSpend").When(b.MinSpend.Sign() < 0),
		refusal.FieldNotAllowed.About(in+"minSpend").When(b.Customers == 0 && !b.MinSpend.IsZero()),
		refusal.FieldNotAtLeastZero.About(in+"revenue").When(b.Revenue.Sign() < 0),
		refusal.FieldNotAllowed.About(in+"revenue").When(ways > 1 || toCustomer && !b.Revenue.IsZero()),
		refusal.FieldMissing.About(in+"customers").When(ways == 0),
		refusal.FieldNotAtLeastZero.About(in+"holdDays").When(b.HoldDays < 0),
		refusal.FieldTooLarge.About(in+"holdDays").When(b.HoldDays > refusal.MaxHoldDays),
		refusal.FieldNotAtLeastOne.About(in+"times").When(b.Times < 0),
		refusal.FieldTooLarge.About(in+"times").When(b.Times > refusal.MaxTimes),
		refusal.FieldNotAllowed.About(in+"times").When(toCustomer && b.Times != 0),
		refusal.FieldNotPositive.About(in+"amount").When(b.Amount.Sign() <= 0),
		refusal.BoundOfSale(in+"amount", b.Amount),
	)
}

// sameInVersions is sameBonuses for all versions of terms.
func sameInVersions(t *affiliate.Terms, r *record.Plan) error {
	err := sameBonuses(t, &r.Terms)
	for i := range r.Versions {
		err = cmp.Or(err, sameBonuses(t, &r.Versions[i].Terms))
	}
	return err
}

// sameBonuses refuses a bonus that counts something else than the one of its name did: what was given
// for the one would be taken back, or given again.
func sameBonuses(t, was *affiliate.Terms) error {
	for i := range t.Bonuses {
		b := &t.Bonuses[i]
		for j := range was.Bonuses {
			if old := was.Bonuses[j]; old.Name == b.Name {
				old.Times, old.Amount = b.Times, b.Amount
				if !old.From.Equal(b.From) {
					return refusal.BonusChanged.Of(fmt.Sprintf("bonuses[%d].from", i))
				}
				if old.From = b.From; old != *b {
					return refusal.BonusChanged.Of(fmt.Sprintf("bonuses[%d]", i))
				}
			}
		}
	}
	return nil
}

// A bonusCount is how often the condition of a bonus is met.
type bonusCount struct {
	*affiliate.Bonus
	from    affiliate.Instant
	counted map[affiliate.Instant]int64            // sign-ups or customers, by the beginning of the period
	revenue map[affiliate.Instant]affiliate.Amount // likewise
	spent   map[uuid.UUID]affiliate.Amount         // by customer
	friends []bonusFriend                          // of a bonus to customers, those with an id of the host's
}

// A bonusFriend is a customer, and whether they meet the condition of a bonus.
type bonusFriend struct {
	id, externalID string
	met            bool
}

// period returns the beginning of the period with a moment; zero: there are none.
func (c *bonusCount) period(p *Program, at affiliate.Instant) affiliate.Instant {
	if c.Per == "" {
		return affiliate.Instant{}
	}
	return p.periodWith(c.Per, at)
}

// counts reports whether something that happened then counts now.
func (c *bonusCount) counts(at, now affiliate.Instant) bool {
	return !at.Before(c.from) && !at.Add(time.Duration(c.HoldDays)*24*time.Hour).After(now)
}

// due returns how often the bonus is due in a period.
func (c *bonusCount) due(period affiliate.Instant) (times int64) {
	switch {
	case !c.Revenue.IsZero():
		times = max(0, c.revenue[period].Scaled()/c.Revenue.Scaled())
	default:
		times = c.counted[period] / (c.SignUps + c.Customers) // one of them is zero
	}
	return min(times, cmp.Or(c.Times, refusal.MaxTimes))
}

// countBonuses counts what an affiliate has brought, for each bonus, and says how many records it read.
func (o *Op) countBonuses(bonuses []affiliate.Bonus, id uuid.UUID) (all []bonusCount, read int, err error) {
	all = make([]bonusCount, len(bonuses))
	var oldest affiliate.Instant
	people, paid := false, false
	for i := range bonuses {
		c := &all[i]
		*c = bonusCount{Bonus: &bonuses[i], from: affiliate.InstantOf(bonuses[i].From.FirstInstant(o.Cfg.Location)),
			counted: map[affiliate.Instant]int64{}, revenue: map[affiliate.Instant]affiliate.Amount{},
			spent: map[uuid.UUID]affiliate.Amount{}}
		if i == 0 || c.from.Before(oldest) {
			oldest = c.from
		}
		people, paid = people || c.Revenue.IsZero(), paid || c.SignUps == 0
	}
	key := record.Key{Index: record.OfAffiliate, ID: id}
	if paid {
		for sale, err := range o.Tx.Sales.List(record.Query{Key: key, Desc: true}) {
			if err != nil {
				return nil, read, refusal.Internal("read sales", err)
			}
			if o.Before(sale.CreatedAt, oldest) {
				break
			}
			if err := o.countSale(all, &sale); err != nil {
				return nil, read, err
			}
			read++
		}
	}
	if !people {
		return all, read, nil
	}
	for ref, err := range o.Tx.Referrals.List(record.Query{Key: key, Desc: true}) {
		if err != nil {
			return nil, read, refusal.Internal("read referrals", err)
		}
		if o.Before(ref.CreatedAt, oldest) {
			break
		}
		for i := range all {
			all[i].countCustomer(o, &ref)
		}
		read++
	}
	return all, read, nil
}

// countSale counts a sale that was paid and is neither on hold nor declined. A conversion has no total.
func (o *Op) countSale(all []bonusCount, sale *record.Sale) error {
	if sale.Past || sale.HasApproval(affiliate.ApprovalOnHold) || sale.HasApproval(affiliate.ApprovalDeclined) {
		return nil
	}
	net, err := sale.TotalEarned.Sub(sale.Refunded)
	if err != nil {
		return err
	}
	for i := range all {
		c := &all[i]
		if c.SignUps > 0 || !c.counts(PaidOf(sale), o.Now) {
			continue
		}
		if c.Customers > 0 {
			c.spent[sale.ReferralID], err = c.spent[sale.ReferralID].Add(net)
		} else {
			period := c.period(o.Program, PaidOf(sale))
			c.revenue[period], err = c.revenue[period].Add(net)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// countCustomer counts a customer who signed up, or has paid.
func (c *bonusCount) countCustomer(o *Op, ref *record.Referral) {
	if !c.Revenue.IsZero() || ref.CreatedAt.Before(c.from) {
		return
	}
	met := c.SignUps > 0 && c.counts(ref.CreatedAt, o.Now)
	if spent := c.spent[ref.ID]; c.Customers > 0 {
		met = spent.Sign() > 0 && spent.Cmp(c.MinSpend) >= 0
	}
	if met {
		c.counted[c.period(o.Program, ref.CreatedAt)]++
	}
	if c.To == affiliate.BonusToCustomer && ref.CustomerID != "" {
		c.friends = append(c.friends, bonusFriend{ref.ID.String(), ref.CustomerID, met})
	}
}

// GrantBonuses gives an affiliate, and the customers they brought, the bonuses that are due, and takes
// back what is not due any more. It reports whether something changed, and how many records it read.
func (o *Op) GrantBonuses(rec record.Affiliate) (changed bool, read int, err error) {
	terms, err := o.TermsOf(rec.PlanID, refusal.PlanMissing)
	if err != nil || len(terms.Bonuses) == 0 {
		return false, 1, err
	}
	all, read, err := o.countBonuses(terms.Bonuses, rec.ID)
	if err != nil {
		return false, read, err
	}
	given, err := o.givenTo(rec.ID)
	if err != nil {
		return false, read, err
	}
	for i := range all {
		c := &all[i]
		if c.To == affiliate.BonusToCustomer {
			did, err := o.grantCustomers(c, rec)
			if changed = changed || did; err != nil {
				return changed, read, err
			}
			continue
		}
		for _, period := range c.periods(o.Program, given) {
			did, err := o.balanceBonus(rec.ID, c, c.key(o.Program, period), given, c.due(period), rec.Status == affiliate.AffiliateActive)
			if changed = changed || did; err != nil {
				return changed, read, err
			}
		}
	}
	return changed, read, nil
}

// grantCustomers gives a bonus to the customers who meet its condition.
func (o *Op) grantCustomers(c *bonusCount, by record.Affiliate) (changed bool, err error) {
	for _, f := range c.friends {
		who, err := o.affiliateByExternalID(f.externalID)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && who.ID == by.ID {
			continue
		}
		if err != nil {
			return changed, refusal.Internal("read an affiliate", err)
		}
		given, err := o.givenTo(who.ID)
		if err != nil {
			return changed, err
		}
		key, due := "customer/"+f.id+"/"+c.Name, int64(0)
		if f.met {
			due = 1
		}
		gives := who.Status == affiliate.AffiliateActive && by.Status == affiliate.AffiliateActive
		did, err := o.balanceBonus(who.ID, c, key, given, due, gives)
		if changed = changed || did; err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// A bonusGiven are the adjustments of one bonus for one thing, the oldest first, and how many of them
// the engine took back. One that a person took back is not given again.
type bonusGiven struct {
	all  []record.Adjustment
	back int
}

// standing returns how many were not taken back by the engine.
func (g *bonusGiven) standing() int {
	if g == nil {
		return 0
	}
	return len(g.all) - g.back
}

// The external ids of bonuses: bonus/<affiliate>/<what it is for>/<number>, and with /back that of what
// takes it back. After a merge the affiliate in them is one of those who were merged. Callers cannot give them.
const (
	bonusPrefix = "bonus/"
	bonusBack   = "/back"
)

// bonusFor returns what the bonus with an external id is for; empty: it is the id of no bonus.
func bonusFor(externalID string) string {
	rest, is := strings.CutPrefix(externalID, bonusPrefix)
	who, key, _ := strings.Cut(rest, "/")
	if end := strings.LastIndexByte(key, '/'); is && end > 0 && uuid.Validate(who) == nil {
		return key[:end]
	}
	return ""
}

// givenTo returns the bonuses that an affiliate was given, by what they were for.
func (o *Op) givenTo(id uuid.UUID) (map[string]*bonusGiven, error) {
	given := map[string]*bonusGiven{}
	for rec, err := range o.Tx.Adjustments.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: id}}) {
		if err != nil {
			return nil, refusal.Internal("read adjustments", err)
		}
		id, taken := strings.CutSuffix(rec.ExternalID, bonusBack)
		key := bonusFor(id)
		if key == "" {
			continue
		}
		if given[key] == nil {
			given[key] = &bonusGiven{}
		}
		if taken {
			given[key].back++
		} else {
			given[key].all = append(given[key].all, rec)
		}
	}
	return given, nil
}

// key returns what a bonus of an affiliate in a period is for.
func (c *bonusCount) key(p *Program, period affiliate.Instant) string {
	if c.Per == "" {
		return "ever/" + c.Name
	}
	return string(c.Per) + "/" + period.Time().In(p.Cfg.Location).Format(time.DateOnly) + "/" + c.Name
}

// periods returns the periods in which a bonus is met or was given, the oldest first.
func (c *bonusCount) periods(p *Program, given map[string]*bonusGiven) []affiliate.Instant {
	if c.Per == "" {
		return []affiliate.Instant{{}}
	}
	var all []affiliate.Instant
	for from := p.periodWith(c.Per, c.from); !from.After(p.Now()); from = p.periodEnd(c.Per, from) {
		if c.due(from) > 0 || given[c.key(p, from)] != nil {
			all = append(all, from)
		}
	}
	return all
}

// balanceBonus gives a bonus until it is standing as often as it is due, if it gives at all, or takes the
// last ones back.
func (o *Op) balanceBonus(id uuid.UUID, c *bonusCount, key string, given map[string]*bonusGiven, due int64, gives bool) (changed bool, err error) {
	g := given[key]
	if g == nil {
		g = &bonusGiven{}
	}
	amount, err := c.Amount.Round(o.Cfg.Currency)
	if err != nil {
		return false, err
	}
	for n := int64(g.standing()); n < due && gives && amount.Sign() > 0; n++ {
		rec := record.Adjustment{ID: o.NewID(), AffiliateID: id, Kind: affiliate.AdjustBonus, Amount: amount, Reason: c.Name,
			ExternalID: bonusPrefix + id.String() + "/" + key + "/" + strconv.Itoa(len(g.all)+1), CreatedAt: o.Now}
		if err := o.enterAdjustment(rec, affiliate.CauseAdjustment); err != nil {
			return changed, err
		}
		g.all, changed = append(g.all, rec), true
	}
	for i := len(g.all) - 1; i >= 0 && int64(g.standing()) > due; i-- {
		was := g.all[i]
		if was.ReversedBy != uuid.Nil {
			continue
		}
		rec := record.Adjustment{ID: o.NewID(), Reason: c.Name, ExternalID: was.ExternalID + bonusBack, CreatedAt: o.Now}
		if err := o.reverse(&rec, was.ID); err != nil {
			return changed, err
		}
		if err := o.enterAdjustment(rec, affiliate.CauseAdjustment); err != nil {
			return changed, err
		}
		g.back, changed = g.back+1, true
	}
	return changed, nil
}

// Bonuses implements tributary.Program.Bonuses.
func (p *Program) Bonuses(ctx context.Context, of affiliate.AffiliateRef) (_ []affiliate.BonusProgress, err error) {
	defer p.Begin(&ctx, "Bonuses", Reads).End(&err)
	return View(ctx, p, func(o *Op) ([]affiliate.BonusProgress, error) {
		rec, err := o.AffiliateOf(of)
		if err != nil {
			return nil, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		return o.BonusesOf(&rec)
	})
}

// BonusesOf returns how far an affiliate is with the bonuses of their terms.
func (o *Op) BonusesOf(rec *record.Affiliate) ([]affiliate.BonusProgress, error) {
	shown := []affiliate.BonusProgress{}
	terms, err := o.TermsOf(rec.PlanID, refusal.PlanMissing)
	if err != nil || len(terms.Bonuses) == 0 {
		return shown, err
	}
	all, _, err := o.countBonuses(terms.Bonuses, rec.ID)
	if err != nil {
		return nil, err
	}
	given, err := o.givenTo(rec.ID)
	if err != nil {
		return nil, err
	}
	for i := range all {
		c := &all[i]
		if c.To == affiliate.BonusToCustomer {
			continue
		}
		period := c.period(o.Program, o.Now)
		is := affiliate.BonusProgress{Bonus: *c.Bonus, PeriodFrom: refusal.TimeOrNull(period), Reached: c.revenue[period],
			Given: int64(given[c.key(o.Program, period)].standing()), Next: affiliate.Null[affiliate.Amount]()}
		is.To = affiliate.BonusToAffiliate
		each := c.Revenue
		if each.IsZero() {
			is.Reached = affiliate.AmountFromScaled(c.counted[period] * decimal.Scale)
			each = affiliate.AmountFromScaled((c.SignUps + c.Customers) * decimal.Scale)
		}
		if due := c.due(period); due < cmp.Or(c.Times, refusal.MaxTimes) {
			if next, err := affiliate.AmountFromScaled(each.Scaled() * due).Add(each); err == nil {
				is.Next = affiliate.Set(next)
			}
		}
		shown = append(shown, is)
	}
	return shown, nil
}
