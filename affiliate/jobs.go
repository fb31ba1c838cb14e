package affiliate

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// work is how the engine does a job.
func (p *Program) work(job Job) (work, error) {
	switch j := job.(type) {
	case PruneJob:
		return work{name: "prune", phases: p.before(j.Before).phases()}, nil
	case RetainJob:
		return work{name: "retain", refused: p.checkRetention(j.Retention), phases: p.behind(j.Retention, p.now()).phases()}, nil
	case AssignTiersJob:
		return assignTiers(), nil
	case RecalculateJob:
		return recalculate(j), nil
	case EraseAffiliateJob:
		return eraseAffiliate(j), nil
	case EraseReferralJob:
		return eraseReferral(j), nil
	}
	return work{}, fmt.Errorf("affiliate: Step knows no job of type %T (a job is a value, not a pointer)", job)
}

// assignTiers gives every affiliate the tier that their sales reach.
func assignTiers() work {
	return work{name: "tiers", phases: []phase{func(o *op, after uuid.UUID, n int) (stretch, error) {
		tiers, err := o.tiersFromTheTop()
		if err != nil {
			return stretch{}, err
		}
		return walk(o.tx.Affiliates, Key{}, after, n, func(rec AffiliateRecord) (bool, error) { return o.assignTier(tiers, rec) })
	}}}
}

// recalculate computes the chosen sales anew.
func recalculate(j RecalculateJob) work {
	return work{
		name:  "recalculate",
		bound: func(o *op) (string, error) { c := o.chooseSales(j.SaleFilter); return c.bound, c.broken() },
		phases: []phase{func(o *op, after uuid.UUID, n int) (stretch, error) {
			c := o.chooseSales(j.SaleFilter)
			if err := c.broken(); err != nil {
				return stretch{}, err
			}
			if c.err == nil && !c.single() {
				return walk(o.tx.Sales, c.key, after, n, func(rec SaleRecord) (bool, error) {
					if !c.fit(rec) {
						return false, nil
					}
					return o.recalculate(rec)
				})
			}
			done := stretch{over: true}
			err := eachChosen(o.tx.Sales, c, func(rec SaleRecord) error {
				changed, err := o.recalculate(rec)
				if done.looked++; changed {
					done.changed++
				}
				return err
			})
			return done, err
		}},
	}
}

// broken is the error of a choice that is not about what it names.
func (c *choice[R]) broken() error {
	if errors.Is(c.err, ErrNotFound) {
		return nil // it selects nothing
	}
	return c.err
}

// phases deletes what is behind the horizon: deliveries before the events that
// they keep.
func (h horizon) phases() []phase {
	return []phase{
		sweeping(h.receipts, h.receiptSweep(), func(r *Retained) *int64 { return &r.Receipts }),
		sweeping(h.deliveries, h.deliverySweep(), func(r *Retained) *int64 { return &r.Deliveries }),
		func(o *op, after uuid.UUID, n int) (stretch, error) {
			s := h.eventSweep()
			s.stays = func(o *op, read []EventRecord, goes []bool) error { return stayAfter(o, after, read, goes) }
			return sweeping(h.events, s, func(r *Retained) *int64 { return &r.Events })(o, after, n)
		},
		sweeping(h.clicks, h.clickSweep(), func(r *Retained) *int64 { return &r.Clicks }),
		sweeping(h.payments, h.paymentSweep(), func(r *Retained) *int64 { return &r.Payments }),
		sweeping(h.payments, h.payerSweep(), func(r *Retained) *int64 { return &r.Payments }),
	}
}

// sweeping is the phase of a sweep. It is over at once when the horizon is zero.
func sweeping[R Record[R]](edge Instant, s sweep[R], count func(*Retained) *int64) phase {
	return func(o *op, after uuid.UUID, n int) (stretch, error) {
		if edge.IsZero() {
			return stretch{over: true}, nil
		}
		s.young = func(r R) bool { return s.since(r).After(edge.Add(clockSlack)) }
		b, err := s.look(o, after, n)
		if err != nil {
			return stretch{}, err
		}
		gone := 0
		if wanted, from, limit := b.wanted(); len(wanted) > 0 {
			if gone, err = s.remove(o, wanted, from, limit); err != nil {
				return stretch{}, err
			}
		}
		done := stretch{last: after, over: b.over, looked: len(b.read), changed: gone}
		if done.looked > 0 {
			done.last = b.read[done.looked-1].RecordID()
		}
		*count(&done.removed) = int64(gone)
		return done, nil
	}
}

// stayAfter is [keptObjects.stay] for a walk that begins after an id: an object
// with an event up to there has one that was kept.
func stayAfter(o *op, after uuid.UUID, read []EventRecord, goes []bool) error {
	kept := make(keptObjects)
	seen := make(map[uuid.UUID]bool)
	for i := range read {
		object := read[i].ObjectID
		if !goes[i] || seen[object] {
			continue
		}
		seen[object] = true
		oldest, err := head(o.tx.Events, Query{Key: Key{Index: OfObject, ID: object}})
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if err == nil && bytes.Compare(oldest.ID[:], after[:]) <= 0 {
			kept[object] = true
		}
	}
	return kept.stay(o, read, goes)
}
