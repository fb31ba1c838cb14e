package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A Way is a method of looking for breaches. All ways find the same: tests compare them with the
// zero one, which is that of Verify.
type Way struct {
	Whole bool // every object is looked at closely, and none is sifted
	Apart bool // as few of them at once as can be
	Small bool // the sieve is so small that it sifts a share of the keys at a time
}

// Verify implements tributary.Program.Verify.
func Verify(ctx context.Context, p *engine.Program) (err error) {
	defer p.Begin(&ctx, "Verify", engine.Reads).End(&err)
	found, _, err := Breaches(ctx, p, Way{})
	if err != nil {
		return err
	}
	breaches := make([]error, len(found))
	for i := range found {
		breaches[i] = &found[i]
	}
	return errors.Join(breaches...)
}

// Report is the check as data. One runs at a time.
func Report(ctx context.Context, p *engine.Program) (_ affiliate.Verification, err error) {
	if !p.Verifying.CompareAndSwap(false, true) {
		return affiliate.Verification{}, refusal.VerifyRunning.Err()
	}
	defer p.Verifying.Store(false)
	started := p.Now()
	breaches, records, err := Breaches(ctx, p, Way{})
	if err != nil {
		return affiliate.Verification{}, err
	}
	return affiliate.Verification{Holds: len(breaches) == 0, Records: records, Breaches: breaches,
		Took: max(0, p.Now().Sub(started))}, nil
}

// Breaches checks the records of one snapshot, and counts them.
func Breaches(ctx context.Context, p *engine.Program, way Way) (breaches []affiliate.Breach, records int64, err error) {
	var a *audit
	o := &engine.Op{Program: p, Ctx: ctx, Seen: p.Sighted(ctx)}
	err = o.Snapshot(func() error {
		a = &audit{Program: p, view: view{ctx: ctx}} // a store may run a View again
		a.seed = printOf(p.Cfg.ID)
		a.lead(o.Tx)
		if sizes := sieveSizes[:]; !way.Whole {
			if way.Small {
				sizes = []sieveSize{tinySieve}
			}
			a.sift(sizes)
		} else {
			a.open(tinySieve, 1)
			a.pickAll()
			for r, err := range o.Tx.Plans.List(record.Query{}) { // which the sieve keeps otherwise
				if err != nil {
					return err
				}
				a.keepTerms(&r)
			}
		}
		a.check(way.Apart)
		return a.err // what was not looked at is no breach
	})
	if err != nil {
		return nil, 0, refusal.Internal("verify", err)
	}
	breaches = make([]affiliate.Breach, len(a.breaches))
	for i := range a.breaches {
		breaches[i] = a.breaches[i].Breach
	}
	return breaches, a.records, nil
}

// maxShares is more than any program needs whose records are not made to need more.
const maxShares = 1 << 10

// sift goes over all records, and picks what is to be checked.
func (a *audit) sift(sizes []sieveSize) {
	a.sifting = true
	defer func() { a.sifting = false }()
	size, shares := 0, uint64(1)
	a.open(sizes[0], shares)
	for share := uint64(0); share < shares && !a.ended(); {
		a.turn(share)
		a.records = 0
		switch a.siftAll(); {
		case !a.full:
			a.settle()
			share++
			continue
		case size < len(sizes)-1:
			size++
		case shares == maxShares:
			a.pickAll()
			return
		default:
			shares *= 2
		}
		share = 0
		a.open(sizes[size], shares)
	}
}

// check checks what was picked, a group of objects at a time.
func (a *audit) check(apart bool) {
	atOnce := int64(atOnce)
	if apart {
		atOnce = 1
	}
	a.picked = make([]bool, 1<<a.size.buckets)
	if slices.Contains(a.chosen[inPayouts], true) {
		a.pickEntries()
	}
	for p, verify := range parts {
		for _, group := range a.rounds(part(p), a.records, atOnce) {
			clear(a.picked)
			for _, bucket := range group {
				a.picked[bucket] = true
			}
			for _, drop := range a.drops {
				drop()
			}
			a.now, a.stage, a.brought, a.asked = part(p), 0, nil, nil
			if verify(a); a.ended() {
				return
			}
		}
	}
	slices.SortStableFunc(a.breaches, func(x, y placedBreach) int {
		return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.stage, y.stage), bytes.Compare(x.at[:], y.at[:]))
	})
}

// picks reports whether an object with a key is checked now.
func (a *audit) picks(k print) bool { return a.picked[a.bucket(k)] }

func (a *audit) mine(id uuid.UUID) bool { return a.picks(a.key(id)) }

// own reports whether a record is checked by itself now.
func (a *audit) own(id uuid.UUID) bool { return a.sifting || a.mine(id) }
