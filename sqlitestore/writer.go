package sqlitestore

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Updates take turns. The first one begins a transaction of the database, the ones that
// wait go on in it, each behind a savepoint, and the last of them commits. So the disk
// is asked once for all of them, and an Update without company is a transaction of its
// own.

// A group is a transaction of the database that Updates share.
type group struct {
	members int                 // Updates that changed something
	ran     int                 // Updates
	program map[uuid.UUID]int64 // programs that it inserts
	done    chan struct{}       // closed after the commit
	err     error               // of the commit
}

// Update runs fn and commits its writes if and only if fn returns nil.
func (s *Store) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	g, err := s.join(ctx, program, fn)
	if g == nil {
		return err
	}
	<-g.done
	if g.err != nil {
		return g.err
	}
	return err
}

// join runs fn in the open group, or in a new one. The caller waits until the group is
// done, also with an error of fn: it may say what an earlier one in the group has done,
// and nobody may hear of that before it is committed. Without a group there is nothing
// to wait for.
func (s *Store) join(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) (g *group, err error) {
	ended := ctx.Done() // without a context it panics here, before anybody counts on this Update
	s.waiting.Add(1)
	select {
	case s.turn <- struct{}{}:
		s.waiting.Add(-1)
	case <-ended:
		s.waiting.Add(-1)
		go s.settle()
		return nil, failed("update", ctx.Err())
	}
	defer func() {
		s.settleInTurn()
		<-s.turn
	}()
	switch {
	case s.isClosed():
		return nil, ErrClosed
	case ctx.Err() != nil:
		return nil, failed("update", ctx.Err())
	case s.holds(ctx):
		return nil, errHeld
	}
	if s.group == nil {
		if err := s.begin(ctx); err != nil {
			return nil, err
		}
	}
	joined, alone := s.group, s.group.members == 0
	err = s.run(ctx, program, fn)
	if err != nil && alone {
		return nil, err
	}
	return joined, err
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// settle commits the open group when no Update will: the one for which it was left
// open has given up.
func (s *Store) settle() {
	s.turn <- struct{}{}
	s.settleInTurn()
	<-s.turn
}

func (s *Store) settleInTurn() {
	if s.group != nil && (s.waiting.Load() == 0 || s.group.ran >= s.cfg.Group) {
		s.commit()
	}
}

// begin begins a group.
func (s *Store) begin(ctx context.Context) error {
	if err := s.writer.begin(ctx); err != nil {
		return err
	}
	s.group = &group{done: make(chan struct{})}
	return nil
}

// begin begins a transaction that writes, when nobody else has one.
func (c *conn) begin(ctx context.Context) error {
	for {
		c.interrupt(ctx)
		err := c.exec("BEGIN IMMEDIATE")
		c.interrupt(context.Background()) // an interrupted write would take back the whole transaction
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, errBusy):
			return ended(ctx, "begin", err)
		}
		select {
		case <-ctx.Done():
			return failed("wait for the file", ctx.Err())
		case <-time.After(pause):
		}
	}
}

// run runs a closure in the group. After an error nothing of it is there.
func (s *Store) run(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) (err error) {
	g := s.group
	g.ran++
	t := &txn{s: s, c: s.writer, ctx: ctx, program: program, group: g}
	behind := g.members > 0
	if behind {
		if err := s.writer.exec("SAVEPOINT one"); err != nil {
			s.lost(err)
			return failed("begin", err)
		}
	}
	kept := false
	defer func() {
		t.end()
		switch {
		case kept:
			g.members++
		case s.group == g:
			t.forget()
			s.undo(behind)
		}
	}()
	if err := t.begin(); err != nil {
		return failed("begin", err)
	}
	if err := fn(t.tx()); err != nil {
		return err
	}
	if t.err != nil {
		return t.err
	}
	if err := ctx.Err(); err != nil {
		return failed("update", err)
	}
	if behind {
		if err := s.writer.exec("RELEASE one"); err != nil {
			return failed("commit", err)
		}
	}
	kept = true
	return nil
}

// undo takes back what a closure did. When that is all there is, the transaction ends.
func (s *Store) undo(behind bool) {
	switch {
	case s.writer.autocommit(): // the database has taken back everything
		s.lost(errLost)
	case behind:
		if err := s.writer.exec("ROLLBACK TO one; RELEASE one"); err != nil {
			s.lost(err)
		}
	default:
		s.lost(nil)
	}
}

// ErrOutcomeUnknown is the error of an Update, or of a call of a [Dedup], whose commit
// failed on the disk. Its writes are not there now, but the next process that opens the
// file may find them. Repeat the call with the same affiliate.Once when the disk is well
// again: it has one effect.
var ErrOutcomeUnknown = errors.New("sqlitestore: the commit failed, and may yet be found")

var errLost = errors.New("the database has rolled back")

// lost ends the group without a commit.
func (s *Store) lost(err error) {
	_ = s.writer.exec("ROLLBACK") // it may be rolled back already
	s.finish(failed("commit", err))
}

// commit commits the open group, if there is one.
func (s *Store) commit() {
	g := s.group
	switch {
	case g == nil:
	case g.members == 0:
		s.lost(nil)
	default:
		if err := s.writer.commit(); err != nil {
			s.lost(err)
			return
		}
		for program, n := range g.program {
			s.known.Store(program, n)
		}
		s.finish(nil)
	}
}

// commit commits a transaction that writes.
func (c *conn) commit() error {
	if err := c.exec("COMMIT"); err != nil {
		return errors.Join(ErrOutcomeUnknown, err)
	}
	return nil
}

func (s *Store) finish(err error) {
	g := s.group
	s.group, g.err = nil, err
	close(g.done)
}
