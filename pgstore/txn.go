package pgstore

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// A kind is a kind of transaction.
type kind uint8

const (
	viewing  kind = iota // reads one snapshot
	updating             // runs one closure, or a group of them
	hosted               // inside the host's own transaction
)

var (
	errIsolation = errors.New("the isolation level of the host's transaction does not fit the Store's mode")

	// errMoved ends a transaction that has read what is out of date; it runs again.
	errMoved = errors.New("pgstore: what was read is out of date")
)

// db is a connection of the pool, or the host's transaction.
type db interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// A txn is one database transaction for one program. It sends nothing before
// its first read. It remembers what it has read, keeps writes in memory, and
// sends them all together with the commit. So an Update costs one round trip
// for each new read and one for the end, and a refused closure has written
// nothing to the database.
//
// What it remembers is true until it ends: in Queue mode no other writer can
// have the program's lock, and in Serializable mode and in a View all
// statements read one snapshot.
type txn struct {
	s         *Store
	program   uuid.UUID
	programID any // program as a parameter
	kind      kind
	ctx       context.Context // the context of the running closure
	leader    context.Context // of the group's leader; nil: no group
	db        db              // nil: no connection yet
	conn      *pgxpool.Conn   // the connection to give back; nil in a host's transaction
	opened    bool
	patience  time.Duration // of the commit
	err       error         // the database failed: every later call returns this error

	first    *firstRead // of a View: what it read outside of a transaction
	single   bool       // of a View: the first read may be outside of a transaction
	readOnly bool       // nothing may be written

	picture *picture // of an Update in Queue mode: what it began with
	free    bool     // the program is not locked, and there is no transaction
	used    bool     // a closure has called a table
	current bool     // what was read was true after all closures had begun

	tables  tables
	version uuid.UUID // of the program; zero: it has no row
	numbers numbers
	marks   marks
	known   bool // the row of the program was read
	early   bool // it lost against another transaction before it had read anything
	careful bool // the marks are not used

	asked int       // of a View: how often it asked for records
	began *tableSQL // of a View: the table that it read first

	room  [3][maxKeys]record.Key // buffers for the keys of a record; the last one is for records that are read
	cells []relation.Cell        // buffer for a row
}

// maxKeys is at least the number of keys that a record has.
const maxKeys = 10

func (s *Store) newTxn(program uuid.UUID, k kind) *txn {
	return &txn{
		s: s, program: program, programID: idArg(program), kind: k, readOnly: k == viewing,
		tables: make(tables, len(s.sql.tables)),
	}
}

// fail notes an error of the database, so that every later call returns it, and
// returns it.
func (t *txn) fail(op string, err error) error {
	if t.err == nil {
		t.err = err
		if err != errMoved {
			t.err = &failure{op: op, err: err}
		}
	}
	return t.err
}

// ready returns an error if no statement may be sent. It takes a connection for
// the first one.
func (t *txn) ready(op string) error {
	if t.err != nil {
		return t.err
	}
	if err := t.ctx.Err(); err != nil {
		return t.fail(op, err)
	}
	if t.db == nil {
		ctx, end := t.until()
		defer end()
		conn, err := t.s.pool.Acquire(ctx)
		if err != nil {
			return t.fail("connect", err)
		}
		t.conn, t.db = conn, conn
	}
	return nil
}

// A query is a statement and what to do with each of its rows, and after the
// last.
type query struct {
	sql  string
	args []any
	each func(pgx.Rows) error
	done func() // may be nil
}

// read sends queries, and those for all noted keys, in one round trip. With the
// first ones it also begins the transaction.
func (t *txn) read(qs ...query) error {
	if err := t.ready("read"); err != nil {
		return err
	}
	qs = t.asking(qs)
	if t.free && len(qs) > 0 {
		return t.readFree(qs)
	}
	if !t.opened && !t.free {
		return t.open(qs...)
	}
	err := error(nil)
	switch len(qs) {
	case 0:
	case 1:
		ctx, end := t.until()
		defer end()
		var rows pgx.Rows
		if rows, err = t.db.Query(ctx, qs[0].sql, qs[0].args...); err == nil {
			err = qs[0].answer(rows)
		}
	default:
		err = t.batch(nil, qs)
	}
	if err != nil {
		return t.fail("read", err)
	}
	return nil
}

// until returns the context of a read: it ends with that of the closure and with
// that of the leader, who cannot leave while the closure of another one reads.
func (t *txn) until() (context.Context, context.CancelFunc) {
	if t.leader == nil || t.leader == t.ctx {
		return t.ctx, func() {}
	}
	ctx, cancel := context.WithCancel(t.ctx)
	stop := context.AfterFunc(t.leader, cancel)
	return ctx, func() { stop(); cancel() }
}

// batch sends steps and queries in one round trip.
func (t *txn) batch(steps []step, qs []query) error {
	b := &pgx.Batch{}
	for _, s := range steps {
		b.Queue(s.sql, s.args...)
	}
	for _, q := range qs {
		b.Queue(q.sql, q.args...)
	}
	ctx, end := t.until()
	defer end()
	results := t.db.SendBatch(ctx, b)
	err := readAll(results, steps, qs)
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

func readAll(results pgx.BatchResults, steps []step, qs []query) error {
	for _, s := range steps {
		if err := s.answer(results); err != nil {
			return err
		}
	}
	for _, q := range qs {
		rows, err := results.Query()
		if err == nil {
			err = q.answer(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answer reads the rows of a query.
func (q *query) answer(rows pgx.Rows) error {
	err := eachRow(rows, q.each)
	if err == nil && q.done != nil {
		q.done()
	}
	return err
}

func queryRows(results pgx.BatchResults, each func(pgx.Rows) error) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	return eachRow(rows, each)
}

func eachRow(rows pgx.Rows, each func(pgx.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// A step is a statement of the opening and the function that reads its answer.
type step struct {
	answer func(pgx.BatchResults) error
	sql    string
	args   []any
}

// open begins the transaction in one round trip with the first queries.
func (t *txn) open(qs ...query) error {
	if err := t.ready("begin"); err != nil {
		return err
	}
	t.opened = true // even after an error there may be a transaction to end
	if t.kind != viewing {
		qs = slices.Insert(qs, 0, t.askOpening())
	}
	if err := t.batch(t.opening(), qs); err != nil {
		err = t.fail("begin", err)
		t.early = overtaken(err)
		return err
	}
	t.current = true
	return nil
}

// opening returns the first statements of a transaction.
//
// A Serializable writer locks the row of the program before it reads anything,
// and writes that row if it writes at all. So two writers of one program never
// run beside each other: the second waits with nothing but this row read, and
// then loses, or goes on when the first wrote nothing. Without it both would read
// to the end, hold the predicate locks of all that, and wait for each other at
// the rows that they write, in any order.
func (t *txn) opening() (steps []step) {
	add := func(answer func(pgx.BatchResults) error, sql string, args ...any) {
		steps = append(steps, step{answer, sql, args})
	}
	queue := t.s.cfg.Mode == Queue
	switch {
	case t.kind == hosted:
		add(execOnly, "SAVEPOINT tributary")
		add(t.checkIsolation, "SELECT current_setting('transaction_isolation')")
	case t.kind == viewing:
		add(execOnly, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
	case queue:
		add(execOnly, "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE")
	default:
		add(execOnly, "BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE")
	}
	switch {
	case t.kind == viewing:
	case queue:
		add(execOnly, "SELECT pg_advisory_xact_lock($1::bigint)", t.s.lockKey(t.program))
	case !t.readOnly:
		add(execOnly, t.s.sql.turn, t.programID)
	}
	if first := t.first; first != nil {
		add(t.compareFirst, first.sql, first.args...)
	}
	return steps
}

func ignoreRow(pgx.Rows) error { return nil }

func execOnly(results pgx.BatchResults) error {
	_, err := results.Exec()
	return err
}

// askOpening reads the row of the program together with its endpoints, because
// every event needs them.
func (t *txn) askOpening() query {
	version, counters, marks := relation.Cell{}, [4]relation.Cell{}, relation.Cell{}
	tab, found := tableOf[record.Endpoint](t), []uuid.UUID{}
	each := func(rows pgx.Rows) error {
		types, fields, raw := typesOf(rows), rows.FieldDescriptions(), rows.RawValues()
		if err := readCell(&version, relation.ID, types, &fields[0], raw[0]); err != nil {
			return err
		}
		for i := range counters {
			if err := readCell(&counters[i], relation.Integer, types, &fields[1+i], raw[1+i]); err != nil {
				return err
			}
		}
		if err := readCell(&marks, relation.Bytes, types, &fields[5], bytes.Clone(raw[5])); err != nil {
			return err
		}
		id, err := tab.learnRow(rows, 6)
		if id != uuid.Nil {
			found = append(found, id)
		}
		return err
	}
	done := func() {
		t.known, t.version = true, version.ID
		for i, c := range counters {
			t.numbers.at[i], t.numbers.stored[i] = c.Int, c.Int
		}
		t.marks.load(marks.Bytes, t.s.sql.marks)
		tab.remember(record.Key{}, found)
	}
	return query{t.s.sql.opening, []any{t.programID}, each, done}
}

func (t *txn) checkIsolation(results pgx.BatchResults) error {
	return queryRows(results, func(rows pgx.Rows) error {
		var level string
		if err := rows.Scan(&level); err != nil {
			return err
		}
		want := "read committed"
		if t.s.cfg.Mode == Serializable {
			want = "serializable"
		}
		if level != want {
			return errIsolation
		}
		return nil
	})
}

// The longest time that the end of a transaction may take. That of a commit is longer for each
// row that is written with it.
const (
	commitPatience   = 15 * time.Second
	rowPatience      = 2 * time.Millisecond
	rollbackPatience = 5 * time.Second
)

var errNotCommitted = errors.New("the server rolled back")

// run calls a closure with a Tx of the transaction's tables. The closure is
// held at its first call of a table by wait, unless that is nil.
func (t *txn) run(fn func(tx *record.Tx) error, wait func() error) error {
	u := &unit{t: t, wait: wait}
	defer func() { u.done = true }()
	return fn(u.tx())
}

// verdict returns the error for a closure's caller: the closure's own error, unless
// the database failed.
func (t *txn) verdict(err error) error {
	if t.err == nil || err != nil && errors.Is(err, t.err) && t.err != errMoved {
		return err
	}
	return t.err
}

// outlast returns the context for the end of a transaction. It lasts longer than the
// caller's: when a commit is interrupted, its outcome is unknown, and when a
// rollback is interrupted, the connection is lost.
func (t *txn) outlast(most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), most)
	stop := context.AfterFunc(t.ctx, func() { time.AfterFunc(t.s.cfg.CommitWait, cancel) })
	return ctx, func() { stop(); cancel() }
}

// commit sends the writes and the commit in one round trip. The caller has just
// checked its context.
func (t *txn) commit() error {
	if t.free {
		return t.commitFree()
	}
	if !t.opened {
		t.release()
		return nil
	}
	b, err := t.flush()
	if err != nil {
		t.rollback()
		return err
	}
	wrote := b.Len() > 0
	if !wrote && t.current && t.s.cfg.Mode == Queue {
		t.rollback() // what was read under the lock is true, even when the rollback fails
		return nil
	}
	b.Queue("COMMIT") // also without writes: a session that has ended held no lock when others joined
	if failed := t.send(b); failed != nil {
		failed.unknown = failed.unknown && wrote
		t.rollback()
		return failed
	}
	t.opened = false
	t.release()
	return nil
}

// flush makes the batch of all writes.
func (t *txn) flush() (*pgx.Batch, error) {
	w, err := t.writes()
	if err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	w.queue(b, t)
	t.queueClosing(b)
	return b, nil
}

// send sends a batch whose last statement is the commit.
func (t *txn) send(b *pgx.Batch) *failure {
	ctx, cancel := t.outlast(t.patience)
	defer cancel()
	n := b.Len()
	results := t.db.SendBatch(ctx, b)
	for i := range n {
		answer, err := results.Exec()
		if err == nil && i == n-1 && answer.String() == "ROLLBACK" {
			err = errNotCommitted
		}
		if err != nil {
			_ = results.Close() // returns the same error
			if err == errNotCommitted {
				return &failure{op: "commit", err: err}
			}
			return commitFailure(err, i == n-1, t.conn.Conn().IsClosed())
		}
	}
	if err := results.Close(); err != nil {
		return commitFailure(err, true, t.conn.Conn().IsClosed())
	}
	return nil
}

// rollback rolls the transaction back, unless it has ended.
func (t *txn) rollback() {
	if t.opened && t.conn != nil {
		t.end("ROLLBACK")
	}
	t.release()
}

// end sends a statement that ends the transaction. When it fails, end closes
// the connection, so that the pool does not reuse it.
func (t *txn) end(sql string) {
	if !t.opened {
		return
	}
	t.opened = false
	if t.conn.Conn().IsClosed() {
		return
	}
	ctx, cancel := t.outlast(rollbackPatience)
	defer cancel()
	if _, err := t.conn.Exec(ctx, sql); err != nil {
		if t.err == nil && sql == "COMMIT" {
			t.err = &failure{op: "commit", err: err}
		}
		_ = t.conn.Conn().Close(ctx) // the server rolls back
	}
}

// release gives the connection back.
func (t *txn) release() {
	if t.conn != nil {
		t.conn.Release()
		t.conn = nil
	}
}
