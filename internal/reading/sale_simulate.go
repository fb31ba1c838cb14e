package reading

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	simulatedAffiliates = 500   // how many one View of Simulate reads
	simulatedSales      = 1_000 // of one affiliate
)

// Simulate implements tributary.Program.Simulate.
func Simulate(ctx context.Context, p *engine.Program,
	q affiliate.SimulateQuery) iter.Seq2[affiliate.Difference, error] {
	return func(yield func(affiliate.Difference, error) bool) {
		q := q // two walks may go at once
		if err := simulateCheck(&q); err != nil {
			yield(affiliate.Difference{}, err)
			return
		}
		_, together := q.Attribution.Get()
		if !together {
			var err error
			together, err = engine.View(ctx, p, func(o *engine.Op) (bool, error) { return shares(o, &q) })
			if err != nil {
				yield(affiliate.Difference{}, err)
				return
			}
		}
		if together {
			all, err := simulate(ctx, p, &q, record.Key{})
			for _, id := range slices.SortedFunc(maps.Keys(all), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }) {
				if !yield(all[id], nil) {
					return
				}
			}
			if err != nil {
				yield(affiliate.Difference{}, err)
			}
			return
		}
		for after, more := uuid.Nil, true; more; {
			recs, err := engine.View(ctx, p, func(o *engine.Op) ([]record.Affiliate, error) {
				return engine.Gather(o.Tx.Affiliates, record.Query{After: after, Limit: simulatedAffiliates})
			})
			if err != nil {
				yield(affiliate.Difference{}, err)
				return
			}
			for i := range recs {
				after = recs[i].ID
				all, err := simulate(ctx, p, &q, record.Key{Index: record.OfAffiliate, ID: after})
				d, there := all[after]
				if (err != nil || there) && !yield(d, err) || err != nil {
					return
				}
			}
			more = len(recs) == simulatedAffiliates
		}
	}
}

// shares reports whether affiliates share a budget, so that their sales are walked together.
func shares(o *engine.Op, q *affiliate.SimulateQuery) (bool, error) {
	if q.Dated {
		return o.SharesBudget(q.PlanID)
	}
	return engine.HasShared(&q.Terms), nil
}

// simulateCheck checks the terms of a query, or its attribution.
func simulateCheck(q *affiliate.SimulateQuery) error {
	if how, given := q.Attribution.Get(); given {
		with := record.Plan{ID: q.PlanID, Terms: q.Terms}
		return refusal.First(refusal.FieldNotAllowed.About("terms").When(q.Dated || !engine.Same(with, record.Plan{})),
			engine.AttributionCheck(how))
	}
	if given := (record.Plan{Terms: q.Terms}); q.Dated && !engine.Same(given, record.Plan{}) {
		return refusal.FieldNotAllowed.Of("terms")
	}
	return engine.NormalizeTerms(&q.Terms)
}

// simulate adds up the sales with a key, by affiliate.
func simulate(ctx context.Context, p *engine.Program, q *affiliate.SimulateQuery,
	key record.Key) (map[uuid.UUID]affiliate.Difference, error) {
	all := newSimulation()
	for after, more := uuid.Nil, true; more; {
		part, err := engine.View(ctx, p,
			func(o *engine.Op) (simulation, error) { return simulateAfter(o, q, key, all, after) })
		if err != nil {
			return nil, err
		}
		after, more = part.last, part.read == simulatedSales
		all.add(part)
	}
	for id, d := range all.sums {
		difference, err := d.Would.Sub(d.Was)
		if err != nil {
			return nil, err
		}
		d.Difference = difference
		all.sums[id] = d
	}
	return all.sums, nil
}

// earlierSales holds what the earlier sales of a customer would have earned, and how much more than
// they do.
type earlierSales struct{ would, more affiliate.Amount }

// and adds a sale.
func (b earlierSales) and(would, was affiliate.Amount) (earlierSales, error) {
	sum, err := b.would.Add(would)
	if err == nil {
		b.more, err = b.more.Add(affiliate.AmountFromScaled(would.Scaled() - was.Scaled()))
	}
	b.would = sum
	return b, err
}

// beside returns what the other sales of the customer had earned when this one was recorded.
func (b earlierSales) beside(r *record.Sale) (affiliate.Amount, error) {
	earlier, known := r.Why.Earlier.Get()
	if !known {
		return b.would, nil
	}
	return earlier.Add(b.more)
}

// A simulation is what sales would have earned. A piece of one has what it changed, so that it
// may be computed again.
type simulation struct {
	sums      map[uuid.UUID]affiliate.Difference // of affiliates
	customers map[uuid.UUID]earlierSales         // with a cap for each customer
	budgets   map[uuid.UUID]record.Budget
	last      uuid.UUID
	read      int
}

func newSimulation() simulation {
	return simulation{sums: map[uuid.UUID]affiliate.Difference{}, customers: map[uuid.UUID]earlierSales{},
		budgets: map[uuid.UUID]record.Budget{}}
}

func (s *simulation) add(part simulation) {
	maps.Copy(s.sums, part.sums)
	maps.Copy(s.customers, part.customers)
	maps.Copy(s.budgets, part.budgets)
}

// known returns a value of a piece, else that from before it.
func known[V any](now, before map[uuid.UUID]V, id uuid.UUID) V {
	if v, there := now[id]; there {
		return v
	}
	return before[id]
}

func simulateAfter(o *engine.Op, q *affiliate.SimulateQuery, key record.Key, before simulation,
	after uuid.UUID) (simulation, error) {
	recs, err := engine.Gather(o.Tx.Sales, record.Query{Key: key, After: after, Limit: simulatedSales})
	if err != nil {
		return simulation{}, err
	}
	part, dated := newSimulation(), *q
	part.last, part.read = after, len(recs)
	for i := range recs {
		r := &recs[i]
		part.last = r.ID
		if !selects(q, r) {
			continue
		}
		if how, given := q.Attribution.Get(); given {
			if err := simulateCredit(o, &how, r, &part, &before); err != nil {
				return simulation{}, err
			}
			continue
		}
		if q.Dated {
			if dated.Terms, err = o.TermsAt(q.PlanID, engine.PaidOf(r), refusal.PlanMissing); err != nil {
				return simulation{}, err
			}
		}
		if err := simulateSale(o, &dated, r, &part, &before); err != nil {
			return simulation{}, err
		}
	}
	return part, nil
}

// simulateCredit adds a sale to a piece as what it was and as whom it would credit.
func simulateCredit(o *engine.Op, how *affiliate.Attribution, r *record.Sale, part, before *simulation) error {
	was, err := engine.CommissionEarned(r)
	if err != nil {
		return err
	}
	who, err := o.ChooseAgain(r, how)
	if err != nil {
		return err
	}
	sum := known(part.sums, before.sums, r.AffiliateID)
	sum.AffiliateID = r.AffiliateID
	count := &sum.Sales
	if r.Conversion != "" {
		count = &sum.Conversions
	}
	*count++
	if sum.Was, err = sum.Was.Add(was); err != nil {
		return err
	}
	if who == r.AffiliateID {
		sum.Would, err = sum.Would.Add(was)
		part.sums[who] = sum
		return err
	}
	sum.Lost++
	part.sums[r.AffiliateID] = sum
	won := known(part.sums, before.sums, who)
	won.AffiliateID = who
	won.Won++
	would, err := o.EarnedBy(r, who)
	if err == nil {
		won.Would, err = won.Would.Add(would)
	}
	part.sums[who] = won
	return err
}

// simulateSale adds a sale to a piece.
func simulateSale(o *engine.Op, q *affiliate.SimulateQuery, r *record.Sale, part, before *simulation) error {
	sum, others := known(part.sums, before.sums, r.AffiliateID), known(part.customers, before.customers, r.ReferralID)
	sum.AffiliateID = r.AffiliateID
	was, err := engine.CommissionEarned(r)
	if err != nil {
		return err
	}
	kept, would := !applies(q, r), was
	if !kept {
		if would, err = wouldEarn(o, q, r, others); err != nil {
			return err
		}
	}
	if len(q.Terms.Budgets) > 0 {
		if would, err = wouldFit(o, q, r, would, kept, part, before); err != nil {
			return err
		}
	}
	if r.Conversion != "" {
		sum.Conversions++
	} else {
		sum.Sales++
	}
	if kept {
		sum.Kept++
	}
	if would != was {
		sum.Changed++
	}
	if sum.Was, err = sum.Was.Add(was); err == nil {
		sum.Would, err = sum.Would.Add(would)
	}
	part.sums[r.AffiliateID] = sum
	if err == nil && (q.Dated || q.Terms.MaxPerCustomer.Sign() > 0) {
		part.customers[r.ReferralID], err = others.and(would, was)
	}
	return err
}

// wouldFit returns what budgets would leave a sale that wants so much; one that stays as it is is not
// cut. What was declined takes nothing, and is not cut.
func wouldFit(o *engine.Op, q *affiliate.SimulateQuery, r *record.Sale, wants affiliate.Amount, stays bool,
	part, before *simulation) (affiliate.Amount, error) {
	if r.HasApproval(affiliate.ApprovalDeclined) {
		return wants, nil
	}
	other := *r
	if err := o.DrawAgain(&other, &q.Terms); err != nil {
		return wants, err
	}
	for i := range other.Budgets {
		if d := &other.Budgets[i]; !stays {
			used := known(part.budgets, before.budgets, d.ID)
			wants, _ = engine.CutTo(&d.Budget, wants, used.Commission, used.Rewards)
		}
	}
	if wants.Sign() <= 0 {
		return wants, nil
	}
	for i := range other.Budgets {
		id := other.Budgets[i].ID
		used := known(part.budgets, before.budgets, id)
		sum, err := used.Commission.Add(wants)
		if err != nil {
			return wants, err
		}
		used.Commission, used.Rewards = sum, used.Rewards+1
		part.budgets[id] = used
	}
	return wants, nil
}

// selects reports whether the sale has the plan, if plans matter, and was recorded in the period.
func selects(q *affiliate.SimulateQuery, r *record.Sale) bool {
	at := r.CreatedAt.Time()
	_, anybodys := q.Attribution.Get()
	return (anybodys || r.Why.PlanID == q.PlanID) && !at.Before(q.From) && (q.To.IsZero() || at.Before(q.To))
}

// applies reports whether terms decide about the commission of a sale. They do
// not when it was set by hand, when it is older than the recorded reasons, when the limits cannot
// be checked, or when its
// own rate has another type. When the rate of such an old sale is changed later,
// the sale has the source of the new rate, and still nothing about the limits.
func applies(q *affiliate.SimulateQuery, r *record.Sale) bool {
	_, hand := r.ByHand.Get()
	if hand || r.Why.By.Is("") || lost(q, r) {
		return false
	}
	return !ownRate(r) || r.RateType.Is(q.Terms.Type)
}

// lost reports whether limits matter to a sale whose referral was deleted. They
// cannot be checked without it.
func lost(q *affiliate.SimulateQuery, r *record.Sale) bool {
	limited := engine.AsksPayment(&q.Terms) || engine.AsksMonth(&q.Terms) || !r.Why.Over.Is("")
	return limited && r.ReferralID == uuid.Nil && r.Why.Payment > 0
}

// ownRate reports whether the rate of a sale stands above its terms.
func ownRate(r *record.Sale) bool {
	return !r.Why.RateFrom.Is(affiliate.RateOfPlan) && !r.Why.RateFrom.Is(affiliate.RateOfProgram)
}

// wouldEarn returns what a sale would earn.
func wouldEarn(o *engine.Op, q *affiliate.SimulateQuery, r *record.Sale,
	earlier earlierSales) (affiliate.Amount, error) {
	ref := record.Referral{ID: r.ReferralID}
	if ref.ID != uuid.Nil && engine.AsksMonth(&q.Terms) {
		var err error
		if ref, err = o.Tx.Referrals.Get(ref.ID); err != nil {
			return affiliate.Amount{}, refusal.Internal("referral of a sale", err)
		}
	}
	s, err := o.StageOf(&q.Terms, &ref, r)
	if err != nil || !r.Why.RateFrom.Is(affiliate.RateOfSale) && engine.OverTerms(&q.Terms, s) != "" {
		return affiliate.Amount{}, err
	}
	other := *r
	other.Lines, other.Budgets = affiliate.CloneLines(r.Lines), nil
	if !ownRate(r) && r.Conversion == "" {
		other.Rate, other.RateType = affiliate.Set(q.Terms.Rate), affiliate.EnumOf(q.Terms.Type)
	}
	engine.DecideLines(&other, &q.Terms, r.Why.RateFrom.Value(), s)
	others, err := earlier.beside(r)
	if err != nil {
		return affiliate.Amount{}, err
	}
	other.Cap = engine.CapOf(r, &q.Terms, others)
	return o.Earned(&other)
}
