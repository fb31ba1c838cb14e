package upkeep

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// workIn returns how the engine does a job.
func workIn(p *engine.Program, job affiliate.Job) (work, error) {
	switch j := job.(type) {
	case affiliate.PruneJob:
		return work{name: "prune", phases: horizonBefore(p, j.Before).phases()}, nil
	case affiliate.RetainJob:
		return work{name: "retain", refused: p.CheckRetention(j.Retention),
			phases: behind(p, j.Retention, p.Now()).phases()}, nil
	case affiliate.AssignTiersJob:
		return assignTiers(), nil
	case affiliate.GrantBonusesJob:
		return grantBonuses(), nil
	case affiliate.RecalculateJob:
		return recalculate(j), nil
	case affiliate.OpenBooksJob:
		return work{name: "open-books",
			phases: []phase{onBooks((*engine.Op).WantsOpening, (*engine.Op).OpenBooks)}}, nil
	case affiliate.CloseBooksJob:
		return closeBooks(p, affiliate.InstantOf(j.Until)), nil
	case affiliate.EraseAffiliateJob:
		return eraseAffiliate(j), nil
	case affiliate.EraseReferralJob:
		return eraseReferral(j), nil
	}
	return work{}, fmt.Errorf("affiliate: Step knows no job of type %T (a job is a value, not a pointer)", job)
}

// assignTiers puts every affiliate into the tier that its sales reach.
func assignTiers() work {
	return work{name: "tiers", phases: []phase{func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
		tiers, err := o.TiersFromTheTop()
		if err != nil {
			return stretch{}, err
		}
		return walk(o.Tx.Affiliates, record.Key{}, after, n,
			func(rec record.Affiliate) (bool, error) { return o.AssignTier(tiers, rec) })
	}}}
}

// readAtOnce is the number of records after which a transaction that grants bonuses ends.
const readAtOnce = 2000

// grantBonuses gives every affiliate the bonuses that are due.
func grantBonuses() work {
	return work{name: "bonuses", phases: []phase{func(o *engine.Op, after uuid.UUID, n int) (done stretch, err error) {
		affs, err := engine.Gather(o.Tx.Affiliates, record.Query{After: after, Limit: min(n, booksAtOnce)})
		if err != nil {
			return done, refusal.Internal("read affiliates", err)
		}
		done.last = after
		for read := 0; done.looked < len(affs) && read < readAtOnce; done.looked++ {
			changed, n, err := o.GrantBonuses(affs[done.looked])
			if err != nil {
				return stretch{}, err
			}
			if read += n; changed {
				done.changed++
			}
			done.last = affs[done.looked].ID
		}
		done.over = done.looked == len(affs) && len(affs) < min(n, booksAtOnce)
		return done, nil
	}}}
}

// recalculate calculates the chosen sales again.
func recalculate(j affiliate.RecalculateJob) work {
	q := affiliate.SaleQuery{
		AffiliateID: j.AffiliateID, AffiliateEmail: j.AffiliateEmail, ReferralID: j.ReferralID,
		ExternalID: j.ExternalID, ExternalInvoiceID: j.ExternalInvoiceID,
	}
	return work{
		name:  "recalculate",
		bound: func(o *engine.Op) (string, error) { c := o.ChooseSales(q, true); return c.Bound, c.Broken() },
		phases: []phase{func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
			c := o.ChooseSales(q, true)
			if err := c.Broken(); err != nil {
				return stretch{}, err
			}
			if c.Err == nil && !c.Single() {
				return walk(o.Tx.Sales, c.Key, after, n, func(rec record.Sale) (bool, error) {
					if !c.Fit(rec) {
						return false, nil
					}
					return o.Recalculate(rec)
				})
			}
			done := stretch{over: true}
			err := engine.EachChosen(o.Tx.Sales, c, func(rec record.Sale) error {
				changed, err := o.Recalculate(rec)
				if done.looked++; changed {
					done.changed++
				}
				return err
			})
			return done, err
		}},
	}
}

// closeBooks closes the books of every affiliate until a time.
func closeBooks(p *engine.Program, until affiliate.Instant) work {
	return work{
		name:    "close-books",
		refused: refusal.First(refusal.FieldInFuture.About("until").When(until.After(p.Now()))),
		phases: []phase{onBooks(
			func(_ *engine.Op, totals record.Totals) (bool, error) {
				return totals.Books.ClosedUntil.Before(until), nil
			},
			func(o *engine.Op, totals record.Totals) error {
				totals.Books.ClosedUntil = until
				return o.PutTotals(totals)
			},
		)},
	}
}

// booksAtOnce is the number of affiliates in a transaction over the books.
const booksAtOnce = 50

// onBooks is the phase that runs fn on the totals of each affiliate that wants it.
// A transaction ends before a second one, so that each has it for itself.
func onBooks(wants func(*engine.Op, record.Totals) (bool, error), fn func(*engine.Op, record.Totals) error) phase {
	return func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
		n = min(n, booksAtOnce)
		affs, err := engine.Gather(o.Tx.Affiliates, record.Query{After: after, Limit: n})
		if err != nil {
			return stretch{}, refusal.Internal("read affiliates", err)
		}
		done := stretch{last: after}
		for i := range affs {
			totals, err := o.Totals(affs[i].ID)
			if err != nil {
				return stretch{}, refusal.Internal("read totals", err)
			}
			wanted, err := wants(o, totals)
			if err != nil {
				return stretch{}, err
			}
			if wanted && done.changed > 0 {
				return done, nil
			}
			if wanted {
				if err := fn(o, totals); err != nil {
					return stretch{}, err
				}
				done.changed++
			}
			done.last, done.looked = affs[i].ID, i+1
		}
		done.over = len(affs) < n
		return done, nil
	}
}

// phases deletes what is behind the horizon: deliveries before the events that
// they keep.
func (h horizon) phases() []phase {
	return []phase{
		sweeping(h.receipts, h.receiptSweep(), func(r *affiliate.Retained) *int64 { return &r.Receipts }),
		sweeping(h.deliveries, h.deliverySweep(), func(r *affiliate.Retained) *int64 { return &r.Deliveries }),
		func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
			s := h.eventSweep()
			s.stays = func(o *engine.Op, read []record.Event,
				goes []bool) error {
				return stayAfter(o, after, read, goes)
			}
			return sweeping(h.events, s, func(r *affiliate.Retained) *int64 { return &r.Events })(o, after, n)
		},
		sweeping(h.clicks, h.clickSweep(), func(r *affiliate.Retained) *int64 { return &r.Clicks }),
		sweeping(h.payments, h.paymentSweep(), func(r *affiliate.Retained) *int64 { return &r.Payments }),
		sweeping(h.payments, h.payerSweep(), func(r *affiliate.Retained) *int64 { return &r.Payments }),
		sweeping(h.holds, h.holdSweep(), func(r *affiliate.Retained) *int64 { return &r.Holds }),
	}
}

// sweeping returns the phase of a sweep. It is over at once when the horizon is zero.
func sweeping[R record.Record[R]](edge affiliate.Instant, s sweep[R], count func(*affiliate.Retained) *int64) phase {
	return func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
		if edge.IsZero() {
			return stretch{over: true}, nil
		}
		s.young = func(r R) bool { // of one from the future, made by a wrong clock, nothing follows
			return o.After(s.since(r), edge) && !o.After(s.since(r), o.Now)
		}
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
func stayAfter(o *engine.Op, after uuid.UUID, read []record.Event, goes []bool) error {
	kept := make(objectSet)
	seen := make(map[uuid.UUID]bool)
	for i := range read {
		object := read[i].ObjectID
		if !goes[i] || seen[object] {
			continue
		}
		seen[object] = true
		oldest, err := engine.Head(o.Tx.Events, record.Query{Key: record.Key{Index: record.OfObject, ID: object}})
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return err
		}
		if err == nil && bytes.Compare(oldest.ID[:], after[:]) <= 0 {
			kept[object] = true
		}
	}
	return kept.stay(o, read, goes)
}
