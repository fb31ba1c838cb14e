package affiliate

import (
	"context"
	"iter"
	"time"

	"github.com/google/uuid"
)

// SimulateQuery is the input of [Program.Simulate].
type SimulateQuery struct {
	From   time.Time // of the recording of a sale, inclusive; zero: from the first
	To     time.Time // exclusive; zero: to the last
	PlanID uuid.UUID // the sales with this plan; zero: those with the program's terms
	Terms  Terms     // instead of theirs
}

// A Difference is what one affiliate would have earned with other terms.
type Difference struct {
	AffiliateID uuid.UUID
	Sales       int64  // those that the query selects
	Changed     int64  // those of them that would earn something else
	Kept        int64  // those of them that would stay as they are, whatever the terms
	Was         Amount // what they earn
	Would       Amount // what they would earn
	Difference  Amount // Would less Was
}

const (
	simulatedAffiliates = 500   // how many one View of Simulate reads
	simulatedSales      = 1_000 // of one affiliate
)

// Simulate calculates what past sales would have earned with other terms, for
// each affiliate that has such sales, oldest first. The amounts that are kept,
// the deductions and the rates of a sale, an affiliate or a tier stay as they
// are recorded; the limits of the terms are judged by the number of the payment
// and the time of the referral. Sales that were set by hand, that do not say
// where their rate comes from, that have a rate of their own of another type
// than the terms, or whose limits cannot be judged because the customer's
// referral was deleted, stay as they are. The holding period changes nothing.
//
// It reads the sales of one affiliate at a time, in pieces, and writes nothing.
//
// Errors: [InvalidField] for terms that no plan may have, and those of the
// store; each ends the walk.
//
// Source: docs/money.md 11.
func (p *Program) Simulate(ctx context.Context, q SimulateQuery) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		q := q // two walks may go at once
		if err := normalizeTerms(&q.Terms); err != nil {
			yield(Difference{}, err)
			return
		}
		for after, more := uuid.Nil, true; more; {
			recs, err := view(ctx, p, func(o *op) ([]AffiliateRecord, error) {
				return gather(o.tx.Affiliates, Query{After: after, Limit: simulatedAffiliates})
			})
			if err != nil {
				yield(Difference{}, err)
				return
			}
			for i := range recs {
				after = recs[i].ID
				d, err := p.simulate(ctx, &q, after)
				if (err != nil || d.Sales > 0) && !yield(d, err) || err != nil {
					return
				}
			}
			more = len(recs) == simulatedAffiliates
		}
	}
}

// simulate adds up the sales of one affiliate.
func (p *Program) simulate(ctx context.Context, q *SimulateQuery, id uuid.UUID) (Difference, error) {
	d := Difference{AffiliateID: id}
	for after, more := uuid.Nil, true; more; {
		part, err := view(ctx, p, func(o *op) (simulated, error) { return o.simulate(q, d, after) })
		if err != nil {
			return Difference{}, err
		}
		d, after, more = part.sum, part.last, part.read == simulatedSales
	}
	difference, err := d.Would.Sub(d.Was)
	d.Difference = difference
	return d, err
}

// simulated is a sum after one more piece of sales.
type simulated struct {
	sum  Difference
	last uuid.UUID
	read int
}

func (o *op) simulate(q *SimulateQuery, sum Difference, after uuid.UUID) (simulated, error) {
	recs, err := gather(o.tx.Sales, Query{Key: Key{Index: OfAffiliate, ID: sum.AffiliateID}, After: after, Limit: simulatedSales})
	if err != nil {
		return simulated{}, err
	}
	for i := range recs {
		r := &recs[i]
		after = r.ID
		if !q.selects(r) {
			continue
		}
		if err := o.addSimulated(q, &sum, r); err != nil {
			return simulated{}, err
		}
	}
	return simulated{sum, after, len(recs)}, nil
}

// selects reports whether the sale has the plan, and was recorded in the period.
func (q *SimulateQuery) selects(r *SaleRecord) bool {
	at := r.CreatedAt.Time()
	return r.Why.PlanID == q.PlanID && !at.Before(q.From) && (q.To.IsZero() || at.Before(q.To))
}

func (o *op) addSimulated(q *SimulateQuery, sum *Difference, r *SaleRecord) error {
	was, err := r.commissionEarned()
	if err != nil {
		return err
	}
	would, kept := was, !q.applies(r)
	if !kept {
		if would, err = o.would(q, r); err != nil {
			return err
		}
	}
	sum.Sales++
	if kept {
		sum.Kept++
	}
	if would != was {
		sum.Changed++
	}
	if sum.Was, err = sum.Was.Add(was); err == nil {
		sum.Would, err = sum.Would.Add(would)
	}
	return err
}

// applies reports whether terms decide about the commission of a sale. They do
// not when it was set by hand, also beyond the limits of its terms, when it is
// from before the reasons were kept, when the limits cannot be judged, or when
// its own rate has another type. A later change of the rate of a sale from before
// says where the new rate comes from, and nothing about the limits.
func (q *SimulateQuery) applies(r *SaleRecord) bool {
	_, hand := r.ByHand.Get()
	if hand || r.Why.By.Is("") || !r.Why.Over.Is("") && len(r.Commissions) > 0 || q.lost(r) {
		return false
	}
	return !r.ownRate() || r.RateType.Is(q.Terms.Type)
}

// lost reports whether limits matter to a sale whose referral was deleted. They
// cannot be judged without it.
func (q *SimulateQuery) lost(r *SaleRecord) bool {
	limited := q.Terms.MaxPayments > 0 || q.Terms.MaxMonths > 0 || !r.Why.Over.Is("")
	return limited && r.ReferralID == uuid.Nil && r.Why.Payment > 0
}

// ownRate reports whether the rate of a sale stands above its terms.
func (r *SaleRecord) ownRate() bool {
	return !r.Why.RateFrom.Is(RateOfPlan) && !r.Why.RateFrom.Is(RateOfProgram)
}

// would is what a sale would earn.
func (o *op) would(q *SimulateQuery, r *SaleRecord) (Amount, error) {
	ref := ReferralRecord{ID: r.ReferralID}
	if ref.ID != uuid.Nil && q.Terms.MaxMonths > 0 {
		var err error
		if ref, err = o.tx.Referrals.Get(ref.ID); err != nil {
			return Amount{}, internal("referral of a sale", err)
		}
	}
	if q.Terms.over(&ref, r.CreatedAt, r.Why.Payment) != "" {
		return Amount{}, nil
	}
	other := *r
	if !r.ownRate() {
		other.Rate, other.RateType = Set(q.Terms.Rate), EnumOf(q.Terms.Type)
	}
	return o.earned(&other)
}
