package payout

import (
	"bytes"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The result of a run, or of its preview, for an affiliate.

// A dueLine is the line of an affiliate, and what its payout takes.
type dueLine struct {
	affiliate.PayoutLine
	entrySelection
}

// dueTo decides about an affiliate; ok is false when nothing is open, or when the run
// does not include the affiliate.
func dueTo(o *engine.Op, aff *record.Affiliate, run *record.Run) (d dueLine, ok bool, err error) {
	if len(run.Methods) > 0 && !slices.Contains(run.Methods, aff.PaymentMethod) || slices.Contains(run.ExceptIDs, aff.ID) {
		return d, false, nil
	}
	open, err := open(o, aff.ID)
	if err != nil {
		return d, false, err
	}
	if len(open) == 0 {
		if held, err := anyOnHold(o, aff.ID); err != nil || !held {
			return d, false, err
		}
	}
	entries := len(open)
	if d.entrySelection, err = take(open, run.Until, run.StartedAt); err != nil {
		return d, false, err
	}
	d.AffiliateID, d.Amount = aff.ID, d.sum
	d.PayoutID, d.Skipped = affiliate.Null[uuid.UUID](), engine.OrNull(skips(run, aff, entries, &d.entrySelection))
	return d, true, nil
}

// skips returns why the run skips this affiliate, or empty. When several reasons hold it
// is the first. open is the number of open entries, t what the run would pay of them.
func skips(r *record.Run, aff *record.Affiliate, open int, t *entrySelection) affiliate.SkipReason {
	switch {
	case aff.Status == affiliate.AffiliateBanned:
		return affiliate.SkipBanned
	case aff.Status.Unapproved():
		return affiliate.SkipNotApproved
	case open == 0:
		return affiliate.SkipOnHold
	case len(t.items) == 0:
		return affiliate.SkipNothingMatured
	case t.sum.Sign() <= 0:
		return affiliate.SkipNegative
	case !r.NoDetails && (aff.PaymentMethod == "" || aff.PayoutEmail == ""):
		return affiliate.SkipNoPayoutMethod
	case t.sum.Cmp(r.Minimum) < 0:
		return affiliate.SkipBelowMinimum
	}
	return ""
}

// anyOnHold reports whether a commission of an affiliate is on hold. The books say so;
// only when they are not open yet it reads the sales.
func anyOnHold(o *engine.Op, affiliateID uuid.UUID) (bool, error) {
	totals, err := o.Totals(affiliateID)
	if err != nil || !totals.Books.Opened.IsZero() {
		return !totals.Books.Held.IsZero(), err
	}
	if totals.Commission.IsZero() {
		return false, nil
	}
	for sale, err := range o.Tx.Sales.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: affiliateID}}) {
		if err != nil {
			return false, refusal.Internal("read sales", err)
		}
		for i := range sale.Commissions {
			if c := &sale.Commissions[i]; c.Approval.Is(affiliate.ApprovalOnHold) && c.PayoutID == uuid.Nil && !c.Earned.IsZero() {
				return true, nil
			}
		}
	}
	return false, nil
}

// An examination is the result for some affiliates.
type examination struct {
	lines []affiliate.PayoutLine
	last  uuid.UUID // the last affiliate that was examined; zero: there was none
	over  bool      // no affiliate comes after it
}

// heirs makes a run name those into whom the affiliates that it names were merged.
func heirs(o *engine.Op, run *record.Run) (err error) {
	for _, ids := range [...]*[]uuid.UUID{&run.AffiliateIDs, &run.ExceptIDs} {
		if *ids, err = o.Heirs(*ids); err != nil {
			return refusal.Internal("read names", err)
		}
	}
	return nil
}

// known is heirs, and refuses a run that leaves out somebody whom nobody knows: whoever was meant would be paid.
func known(o *engine.Op, run *record.Run) error {
	if err := heirs(o, run); err != nil {
		return err
	}
	for _, id := range run.ExceptIDs {
		if _, err := o.Tx.Affiliates.Get(id); errors.Is(err, affiliate.ErrNotFound) {
			return refusal.OwnerNotFound.Err()
		} else if err != nil {
			return refusal.Internal("read affiliate", err)
		}
	}
	return nil
}

// A reach says how far an examination goes.
type reach struct {
	after      uuid.UUID // it begins behind this affiliate
	affiliates int       // at most so many
	lines      int       // and no further than so many lines, the last of which says where; zero: any number
}

// examine decides about the next affiliates of a run.
func examine(o *engine.Op, run *record.Run, r reach) (e examination, err error) {
	affs, e, err := nextOf(o, run, r.after, r.affiliates)
	if err != nil {
		return e, refusal.Internal("read affiliates", err)
	}
	for i := range affs {
		if r.lines > 0 && len(e.lines) == r.lines {
			break
		}
		d, ok, err := dueTo(o, &affs[i], run)
		if err != nil {
			return e, err
		}
		if ok {
			e.lines = append(e.lines, d.PayoutLine)
		}
	}
	return e, nil
}

// nextOf reads the affiliates that a run examines next, in the order of their
// ids.
func nextOf(o *engine.Op, run *record.Run, after uuid.UUID, n int) (affs []record.Affiliate, e examination, err error) {
	if len(run.AffiliateIDs) > 0 {
		return nextNamed(o, run.AffiliateIDs, after, n)
	}
	affs, err = engine.Gather(o.Tx.Affiliates, record.Query{After: after, Limit: n + 1}) // one more shows whether there is a next piece
	if e.over = len(affs) <= n; !e.over {
		affs = affs[:n]
	}
	if len(affs) > 0 {
		e.last = affs[len(affs)-1].ID
	}
	return affs, e, err
}

// nextNamed is nextOf for a run that names its affiliates.
func nextNamed(o *engine.Op, ids []uuid.UUID, after uuid.UUID, n int) (affs []record.Affiliate, e examination, err error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return examined(id, after) })
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	ids = slices.Compact(ids)
	if e.over = len(ids) <= n; !e.over {
		ids = ids[:n]
	}
	for _, id := range ids {
		aff, err := o.Tx.Affiliates.Get(id)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return nil, e, err
		}
		if err == nil {
			affs = append(affs, aff)
		}
		e.last = id
	}
	return affs, e, nil
}
