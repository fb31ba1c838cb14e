package router

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// A fence is what a store says of a program, in its [record.FenceSequence]: 31 bits of
// an epoch, 2 of a state and 30 of a beat. It only rises. A move from one store to
// another takes them through these, from the top:
//
//	source          target
//	here(1)         any lower one       the program is at the source
//	leaving(1)                          nobody writes
//	                arriving(1)         records are copied and compared
//	gone(1)                             the move is made: it can only go on
//	                here(2)             the program is at the target
//
// A move that is given up takes the source from leaving(1) to here(2). The beat rises
// while the records are copied, so that others see that somebody does it.
//
// A new program begins at here(1) in the first store. If its place is another one, the
// first store goes from leaving(0) to gone(0) in the same way; the beat is the number of
// the attempt, which the target has too. 0, or another number with nothing but a beat,
// says that the store knows nothing of the program.
type fence int64

type state int64

const (
	here state = iota
	leaving
	arriving
	gone
)

const beatBits, stateBits = 30, 2

func fenceOf(epoch int64, st state, beat int64) fence {
	return fence(epoch<<(beatBits+stateBits) | int64(st)<<beatBits | beat)
}

func (f fence) epoch() int64 { return int64(f) >> (beatBits + stateBits) }

func (f fence) state() state { return state(f>>beatBits) & (1<<stateBits - 1) }

func (f fence) beat() int64 { return int64(f) & (1<<beatBits - 1) }

// isHere reports whether the program is in the store, for readers and writers.
func (f fence) isHere() bool { return f.epoch() > 0 && f.state() == here }

// isLeaving reports whether the program is in the store, for readers alone.
func (f fence) isLeaving() bool { return f.epoch() > 0 && f.state() == leaving }

// isUnborn reports whether the store may be one in which a program begins.
func (f fence) isUnborn() bool {
	return f.epoch() == 0 && (f.state() == here || f.state() == leaving)
}

// isUnknown reports whether the store knows nothing of the program.
func (f fence) isUnknown() bool { return f.epoch() == 0 && f.state() == here }

// fenceIn reads the fence in a transaction.
func fenceIn(tx *record.Tx) (fence, error) {
	last, err := tx.Raise(record.FenceSequence, 0, 0)
	return fence(last), err
}

// raise moves the fence on.
func raise(tx *record.Tx, to fence) error {
	_, err := tx.Raise(record.FenceSequence, 0, int64(to))
	return err
}

// errOvertaken is the error of a step that found another fence: somebody else was there.
var errOvertaken = errors.New("router: another move overtook this one")

// only returns a guard for transactions while the fence is f.
func only(f fence) func(tx *record.Tx) error {
	return func(tx *record.Tx) error {
		last, err := fenceIn(tx)
		if err == nil && last != f {
			err = errOvertaken
		}
		return err
	}
}

// step takes a fence from one number to the next. Errors: errOvertaken when it is at
// another one; those of the store, after which it may have been taken or not.
func step(ctx context.Context, store record.Store, program uuid.UUID, from, to fence) error {
	return store.Update(ctx, program, func(tx *record.Tx) error {
		if err := only(from)(tx); err != nil {
			return err
		}
		return raise(tx, to)
	})
}

// ErrElsewhere is the error of a transaction on [Fence] whose program is not in that
// store. It has changed nothing.
var ErrElsewhere = errors.New("router: the program is not in this store")

// Fence returns a store over one of the stores of a [Store], or over a transaction of
// the host in its database, such as pgstore.Store.In gives: for hosts that must write to
// one certain database. Its transactions end with [ErrElsewhere] when the program is
// not there, or is moving away; they are not sent elsewhere, and begin no program.
func Fence(store record.Store) record.Store { return fenced{store} }

type fenced struct{ store record.Store }

func (f fenced) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	v := visit{fn: fn}
	return f.store.View(ctx, program, v.run)
}

func (f fenced) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	v := visit{fn: fn, writes: true}
	return f.store.Update(ctx, program, v.run)
}

// A visit is a closure that runs in a store, and what the fence there says of it.
type visit struct {
	fn        func(tx *record.Tx) error
	writes    bool
	unborn    bool  // no store has the program, and it begins here
	saw       fence // in the last run
	elsewhere bool  // so the last run does not count
}

// run looks at the fence and runs the closure.
//
// A store behind a network, which has a use for Soon, reads the fence together with the
// first records of the closure. So there the closure runs first. If the program turns
// out not to be here, what the closure did is taken back, whatever it returned: it may
// have seen half a program.
func (v *visit) run(tx *record.Tx) error {
	v.elsewhere = false
	if tx.Soon != nil {
		return v.runFirst(tx)
	}
	if err := v.check(tx); err != nil {
		return err
	}
	return v.done(tx, v.fn(tx))
}

func (v *visit) runFirst(tx *record.Tx) (err error) {
	returned := false
	defer func() {
		if !returned && v.check(tx) == ErrElsewhere && recover() != nil {
			err = ErrElsewhere
		}
	}()
	err = v.fn(tx)
	returned = true
	if unserved := v.check(tx); unserved != nil && (err == nil || v.elsewhere) {
		return unserved
	}
	return v.done(tx, err)
}

// done makes the first Update of a new program its beginning.
func (v *visit) done(tx *record.Tx, err error) error {
	if err == nil && v.writes && v.saw.isUnknown() {
		return raise(tx, fenceOf(1, here, 0))
	}
	return err
}

// check returns nil when the program is here for the closure, else why it is not known
// to be.
func (v *visit) check(tx *record.Tx) (err error) {
	if v.saw, err = fenceIn(tx); err != nil {
		return err
	}
	switch {
	case v.saw.isHere(), v.saw.isLeaving() && !v.writes:
		return nil
	case v.unborn && v.saw.isUnborn() && (!v.writes || v.saw.isUnknown()):
		return nil
	}
	v.elsewhere = true
	return ErrElsewhere
}
