package pgstore

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Writers of one program queue in the process before they take a connection.
// Otherwise a busy program would use up the pool, and the server gets slower
// with every connection that waits for a lock. The head of the queue is the
// leader. It runs up to Config.Group of the waiting closures in one
// transaction, each in its own goroutine, and sends everybody the result after
// the commit. Then the next one leads. The same code serves groups of one.
//
// Members read together and write together. First the leader starts the
// closures of the others: each is held at its first call of a table, with what
// it will read noted. Then the leader's own closure runs, and its first read
// brings what all of them need. Then the others go on, one after another, so
// each sees what those before it wrote. One flush and one commit end the
// transaction.

// A group is the members that one leader serves.
type group struct {
	s       *Store
	program uuid.UUID
	leader  *member
	open    []*member // members without a result; the leader is the first
	guests  []*guest  // of the transaction
}

// lead serves the group until its leader has a result, and then passes the lead
// and the open members on, even when its own closure panics.
func (s *Store) lead(program uuid.UUID, m *member) error {
	g := &group{s: s, program: program, leader: m, open: []*member{m}}
	if !m.alone {
		g.open = append(g.open, s.turns.take(program, s.cfg.Group-1)...)
	}
	defer func() {
		back := slices.DeleteFunc(g.open, func(o *member) bool { return o == m })
		s.turns.pass(program, back)
	}()
	for slices.Contains(g.open, m) {
		batch := g.open
		if m.alone {
			batch = batch[:1]
		}
		g.attempt(slices.Clone(batch))
	}
	return m.err
}

// answer gives a member its result.
func (g *group) answer(m *member, err error) {
	g.drop(m)
	m.err = err
	if m != g.leader {
		m.inbox <- message{err: err}
	}
}

// drop removes a member from the group.
func (g *group) drop(m *member) {
	if i := slices.Index(g.open, m); i >= 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
}

// attempt runs the closures in one transaction, commits and gives the results.
// The members that have no result afterwards are run again.
func (g *group) attempt(batch []*member) {
	t := g.s.newTxn(g.program, updating)
	t.leader = g.leader.ctx
	t.careful = g.leader.careful
	if g.s.cfg.Mode == Queue {
		t.begin()
	}
	defer t.rollback() // also when the leader's own closure panics

	g.guests = nil
	defer g.release()
	ran, broke := g.runAll(t, batch)
	t.ctx = g.leader.ctx
	if t.err == errMoved {
		t.lose()
		return
	}
	if broke != nil {
		t.rollback() // before broken may wait
		g.broken(t, broke)
		return
	}
	if t.err != nil || g.dropLate(ran) || len(ran) == 0 {
		return // run the others again, without the writes of the dropped ones
	}
	switch err := t.commit(); {
	case err == errMoved:
		g.takeBack(ran)
		t.lose()
		return
	case err != nil:
		g.notCommitted(err, ran)
		return
	}
	t.keep()
	for _, m := range ran {
		g.answer(m, m.err)
	}
}

// maxWaves is the number of times that members may join a group that has begun.
const maxWaves = 2

// runAll runs the closures: that of the leader, those of the others, and those
// of members that came while these were read. It stops when the database fails,
// and returns the member whose closure was running as broke. A closure that did
// not return is not run again.
func (g *group) runAll(t *txn, batch []*member) (ran []*member, broke *member) {
	m := g.leader
	guests := g.start(t, batch[1:])
	if m.ctx.Err() != nil {
		g.answer(m, ended(m.ctx, "update"))
		return nil, nil
	}
	t.ctx = m.ctx
	before := t.savepoint()
	if m.err = t.run(m.fn, nil); t.err != nil {
		return nil, m
	}
	if m.err != nil {
		t.rollbackTo(before)
	}
	ran = append(ran, m)
	for wave := 0; ; wave++ {
		came, broke := g.runGuests(t, guests)
		ran = append(ran, came...)
		if t.err != nil || wave == maxWaves {
			return ran, broke
		}
		if guests = g.start(t, g.more(t)); len(guests) == 0 {
			return ran, nil
		}
	}
}

// more adds the members that wait by now to a group that has read something. What it
// has read must still be true for them, who began later: the group holds the lock of the
// program, or its end shows whether that has changed. A new program in Serializable mode
// has no row to lock: others write to it, and a group that writes nothing would not lose.
func (g *group) more(t *txn) []*member {
	unlocked := g.s.cfg.Mode == Serializable && t.version == uuid.Nil
	if !t.opened && !t.current || unlocked || g.leader.alone {
		return nil
	}
	more := g.s.turns.take(g.program, g.s.cfg.Group-len(g.open))
	t.current = t.current && len(more) == 0
	g.open = append(g.open, more...)
	return more
}

// runGuests runs the closures of guests one after another.
func (g *group) runGuests(t *txn, guests []*guest) (ran []*member, broke *member) {
	for _, v := range guests {
		switch came, lost := g.runGuest(t, v); {
		case t.err != nil && lost:
			return ran, nil
		case t.err != nil:
			return ran, v.m
		case came:
			ran = append(ran, v.m)
		}
	}
	return ran, nil
}

// start starts the closures of the members other than the leader, up to their
// first calls of a table.
func (g *group) start(t *txn, others []*member) []*guest {
	before := len(g.guests)
	for _, m := range others {
		if m.ctx.Err() != nil || !g.s.turns.turn(m, running) {
			g.answer(m, ended(m.ctx, "update"))
			continue
		}
		v := &guest{m: m, back: make(chan progress, 2), on: make(chan error, 1)}
		m.inbox <- message{run: t, guest: v}
		switch <-v.back {
		case held:
			v.held = true
		case vanished:
			g.drop(m)
			continue
		}
		g.guests = append(g.guests, v)
	}
	return g.guests[before:]
}

// release ends the closures that are still held. They are run again.
func (g *group) release() {
	for _, v := range g.guests {
		if v.held && g.s.turns.turn(v.m, running) {
			v.goOn(errReleased)
		}
	}
}

// runGuest lets a guest go on. It reports whether its closure has returned, or
// did not return.
func (g *group) runGuest(t *txn, v *guest) (came, lost bool) {
	m := v.m
	if !g.s.turns.turn(m, running) {
		g.answer(m, ended(m.ctx, "update"))
		return false, false
	}
	if !v.held { // it has returned and called no table
		g.s.turns.turn(m, taken)
		m.err = v.err
		return true, false
	}
	if m.ctx.Err() != nil {
		v.goOn(ended(m.ctx, "update"))
		g.answer(m, ended(m.ctx, "update"))
		return false, false
	}
	t.ctx = m.ctx
	before := t.savepoint()
	if v.goOn(nil) == vanished {
		g.drop(m)
		if t.err == nil {
			t.rollbackTo(before)
		}
		return false, true
	}
	if m.err = v.err; m.err != nil && t.err == nil {
		t.rollbackTo(before)
	}
	return true, false
}

// dropLate gives an error to the members whose context ended after their
// closure had run. The others wait until the commit is answered.
func (g *group) dropLate(ran []*member) (any bool) {
	for _, m := range ran {
		if m.err == nil && m.ctx.Err() != nil || !g.s.turns.turn(m, committing) {
			g.answer(m, ended(m.ctx, "update"))
			any = true
		}
	}
	if any {
		g.takeBack(ran)
	}
	return any
}

// takeBack lets members leave again, because no commit is running.
func (g *group) takeBack(ran []*member) {
	for _, m := range ran {
		g.s.turns.turn(m, taken)
	}
}

// broken handles a database failure during a member's closure.
func (g *group) broken(t *txn, m *member) {
	switch {
	case m.ctx.Err() != nil:
		g.answer(m, t.verdict(m.err))
	case g.leader.ctx.Err() != nil:
		g.answer(g.leader, ended(g.leader.ctx, "update"))
	case t.early:
		g.wait(m, t.verdict(m.err))
	case len(g.guests) > 0:
		g.apart()
	default:
		g.runAgain(m, t.err, t.verdict(m.err))
	}
}

// earlyLosses is, for each of Config.Retries, the number of times that a
// transaction may lose before it has read anything. Such a loss costs nothing, and
// another transaction was committed each time, so it is not given up as soon as one
// that has run.
const earlyLosses = 16

// wait waits to run the group again that lost at the row of its program. It
// pauses only shortly: others do not pause, and the first at the row wins.
func (g *group) wait(m *member, answer error) {
	if m.early++; m.early > earlyLosses*g.s.cfg.Retries {
		g.answer(m, answer)
		return
	}
	if err := pause(m.ctx, 0); err != nil {
		g.answer(m, err)
	}
}

// apart makes the open members run one by one, because together they failed.
func (g *group) apart() {
	for _, m := range g.open {
		m.alone = true
	}
}

// notCommitted handles a failed commit.
func (g *group) notCommitted(err error, ran []*member) {
	if errors.Is(err, ErrOutcomeUnknown) {
		for _, m := range ran {
			g.answer(m, err)
		}
		return
	}
	g.takeBack(ran)
	switch {
	case len(ran) > 1:
		g.apart()
	case clashed(err) && !ran[0].careful:
		ran[0].careful, ran[0].alone = true, true
	default:
		g.runAgain(ran[0], err, err)
	}
}

// runAgain leaves a member without a result when another run may help. A
// serializable transaction may lose by a duplicate too, which its snapshot does not
// show: the server looks at unique indexes before it looks for conflicts. Otherwise
// the member gets answer.
func (g *group) runAgain(m *member, cause, answer error) {
	lost := retryable(cause) || clashed(cause) && g.s.cfg.Mode == Serializable
	if !lost || m.attempts >= g.s.cfg.Retries {
		g.answer(m, answer)
		return
	}
	if err := pause(m.ctx, m.attempts); err != nil {
		g.answer(m, err)
		return
	}
	m.attempts++
}

// turns are the queues of the programs that are written to.
type turns struct {
	mu    sync.Mutex
	lines map[uuid.UUID][]*member
}

// A member is one Update that waits for its turn.
type member struct {
	ctx      context.Context
	fn       func(tx *record.Tx) error
	inbox    chan message // gets messages from the leader, one at a time
	role     role         // guarded by turns.mu
	attempts int          // how often it lost against other transactions
	early    int          // how often it did before it had read anything
	alone    bool         // its group failed, so it runs in a group of one
	careful  bool         // the marks were too low, so do not use them
	err      error        // the error of the last run of fn, in the end of the Update
}

// A role is the task of a member at the moment. The comments say when it may
// leave.
type role uint8

const (
	waiting    role = iota // in line; may leave at once
	taken                  // in a leader's group, its closure does not run or is held; may leave at once
	running                // its closure runs; may not leave
	committing             // its group commits; may leave after CommitWait, without knowing the outcome
	leading                // leads its group; may not leave
	left
)

// A message tells a member what to do: lead, run its closure in a transaction
// as a guest, or return err.
type message struct {
	lead  bool
	run   *txn
	guest *guest
	err   error
}

// join queues a member. It returns true when the queue was empty: then the
// member leads.
func (ts *turns) join(program uuid.UUID, m *member) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line, busy := ts.lines[program]
	if !busy {
		if ts.lines == nil {
			ts.lines = make(map[uuid.UUID][]*member)
		}
		ts.lines[program], m.role = nil, leading
		return true
	}
	ts.lines[program] = append(line, m)
	return false
}

// leave removes a member, unless it leads or its closure runs. While its group
// commits, a patient member is not removed.
func (ts *turns) leave(program uuid.UUID, m *member, patient bool) (gone bool, was role) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	was = m.role
	switch {
	case was == waiting:
		line := ts.lines[program]
		i := slices.Index(line, m)
		ts.lines[program] = slices.Delete(line, i, i+1)
	case was == taken, was == committing && !patient:
	default:
		return false, was
	}
	m.role = left
	return true, was
}

// turn gives a member another role, and reports whether the member has not
// left. A leader keeps its role.
func (ts *turns) turn(m *member, to role) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if m.role == left {
		return false
	}
	if m.role != leading {
		m.role = to
	}
	return true
}

// take gives the leader the first members of the queue, at most n. A member
// that must be alone ends the group.
func (ts *turns) take(program uuid.UUID, n int) []*member {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	line := ts.lines[program]
	if i := slices.IndexFunc(line, func(m *member) bool { return m.alone }); i >= 0 {
		line = line[:i]
	}
	n = min(n, len(line))
	group := slices.Clone(line[:n])
	for _, m := range group {
		m.role = taken
	}
	ts.lines[program] = slices.Delete(ts.lines[program], 0, n)
	return group
}

// pass puts the members that a leader could not serve back into the queue, and
// makes the first one the leader.
func (ts *turns) pass(program uuid.UUID, back []*member) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	back = slices.DeleteFunc(back, func(m *member) bool { return m.role == left })
	for _, m := range back {
		m.role = waiting
	}
	line := append(back, ts.lines[program]...)
	if len(line) == 0 {
		delete(ts.lines, program)
		return
	}
	next := line[0]
	next.role = leading
	ts.lines[program] = line[1:]
	next.inbox <- message{lead: true}
}

// marks are the highest id of each table of a program and the highest key of
// each unique index of ids, one after another in one column of its row. No
// record has a value above its mark. Ids rise, so nearly every insert is known
// to be new without a question to the database. A mark may be too low when
// records came from elsewhere. Then a unique index of the database refuses the
// insert at the commit, and the closure runs again without marks.
type marks struct{ raw []byte }

// load reads the marks of a row. Without a row, or with the marks of another
// version of the schema, they start from zero.
func (m *marks) load(raw []byte, n int) {
	if len(raw) != 16*n {
		raw = make([]byte, 16*n)
	}
	m.raw = raw
}

func (m *marks) at(i int) []byte { return m.raw[16*i : 16*i+16] }

// needOpening reads the row of the program, unless it was read.
func (t *txn) needOpening() error {
	if t.known {
		return nil
	}
	return t.read()
}

// above reports whether a value is above all values that the table has had.
func (tab *table[T]) above(ix record.Index, id uuid.UUID) bool {
	t := tab.t
	return t.known && !t.careful && bytes.Compare(id[:], t.marks.at(tab.sql.markAt[ix])) > 0
}

// ownTotals notes that a new owner of totals has none, because its id is above
// all ids of totals. The engine asks for them next.
func (tab *table[T]) ownTotals(id uuid.UUID) {
	owner := slices.Contains(tab.sql.ahead, reference{"", "totals"})
	if totals := tableOf[record.Totals](tab.t); owner && totals.above("", id) {
		totals.learnNone(id)
	}
}

// raise raises the marks to the values of a new row.
func (tab *table[T]) raise(e entry[T]) {
	t := tab.t
	t.marks.lift(tab.sql.markAt[""], e.id)
	if len(tab.sql.markAt) == 1 {
		return
	}
	for _, key := range e.row.rec.AppendKeys(tab.t.room[0][:0]) {
		if at, ok := tab.sql.markAt[key.Index]; ok {
			t.marks.lift(at, key.ID)
		}
	}
}

func (m *marks) lift(i int, id uuid.UUID) {
	if bytes.Compare(id[:], m.at(i)) > 0 {
		copy(m.at(i), id[:])
	}
}
