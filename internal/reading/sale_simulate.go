package reading

import (
	"context"
	"iter"
	"maps"

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
				d, err := simulate(ctx, p, &q, after)
				if (err != nil || d.Sales+d.Conversions > 0) && !yield(d, err) || err != nil {
					return
				}
			}
			more = len(recs) == simulatedAffiliates
		}
	}
}

// simulateCheck checks the terms of a query.
func simulateCheck(q *affiliate.SimulateQuery) error {
	if given := (record.Plan{Terms: q.Terms}); q.Dated && !engine.Same(given, record.Plan{}) {
		return refusal.FieldNotAllowed.Of("terms")
	}
	return engine.NormalizeTerms(&q.Terms)
}

// simulate adds up the sales of one affiliate.
func simulate(ctx context.Context, p *engine.Program, q *affiliate.SimulateQuery,
	id uuid.UUID) (affiliate.Difference, error) {
	d, customers := affiliate.Difference{AffiliateID: id}, map[uuid.UUID]earlierSales{}
	for after, more := uuid.Nil, true; more; {
		part, err := engine.View(ctx, p,
			func(o *engine.Op) (simulatedSum, error) {
				return simulateAfter(o, q, d, customers,
					after)
			})
		if err != nil {
			return affiliate.Difference{}, err
		}
		d, after, more = part.sum, part.last, part.read == simulatedSales
		maps.Copy(customers, part.customers)
	}
	difference, err := d.Would.Sub(d.Was)
	d.Difference = difference
	return d, err
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

// simulatedSum is a sum after one more piece of sales.
type simulatedSum struct {
	sum  affiliate.Difference
	last uuid.UUID
	read int

	// Of each customer of the piece, with a cap for each customer.
	customers map[uuid.UUID]earlierSales
}

func simulateAfter(o *engine.Op, q *affiliate.SimulateQuery, sum affiliate.Difference,
	earlier map[uuid.UUID]earlierSales, after uuid.UUID) (simulatedSum, error) {
	recs, err := engine.Gather(o.Tx.Sales,
		record.Query{Key: record.Key{Index: record.OfAffiliate, ID: sum.AffiliateID}, After: after,
			Limit: simulatedSales})
	if err != nil {
		return simulatedSum{}, err
	}
	now, dated := map[uuid.UUID]earlierSales{}, *q
	for i := range recs {
		r := &recs[i]
		after = r.ID
		if !selects(q, r) {
			continue
		}
		if q.Dated {
			if dated.Terms, err = o.TermsAt(q.PlanID, engine.PaidOf(r), refusal.PlanMissing); err != nil {
				return simulatedSum{}, err
			}
		}
		others, there := now[r.ReferralID]
		if !there {
			others = earlier[r.ReferralID]
		}
		was, would, err := addSimulated(o, &dated, &sum, r, others)
		if err == nil && (q.Dated || q.Terms.MaxPerCustomer.Sign() > 0) {
			now[r.ReferralID], err = others.and(would, was)
		}
		if err != nil {
			return simulatedSum{}, err
		}
	}
	return simulatedSum{sum, after, len(recs), now}, nil
}

// selects reports whether the sale has the plan, and was recorded in the period.
func selects(q *affiliate.SimulateQuery, r *record.Sale) bool {
	at := r.CreatedAt.Time()
	return r.Why.PlanID == q.PlanID && !at.Before(q.From) && (q.To.IsZero() || at.Before(q.To))
}

// addSimulated adds a sale to the sums, and returns what it earns and what it would have
// earned beside the earlier ones of its customer.
func addSimulated(o *engine.Op, q *affiliate.SimulateQuery, sum *affiliate.Difference,
	r *record.Sale, earlier earlierSales) (was, would affiliate.Amount, err error) {
	if was, err = engine.CommissionEarned(r); err != nil {
		return was, would, err
	}
	kept := !applies(q, r)
	if would = was; !kept {
		if would, err = wouldEarn(o, q, r, earlier); err != nil {
			return was, would, err
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
	return was, would, err
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
	other.Lines = affiliate.CloneLines(r.Lines)
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
