package pgstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Mode says how the transactions of one program are isolated from each other.
// Both modes give serializable transactions. Every process that writes to a
// schema must use the same mode.
type Mode uint8

const (
	// Queue uses READ COMMITTED and one advisory lock for the program. An Update
	// writes without the lock when nobody else has written since it read, and runs
	// again with the lock when somebody has. A View is a REPEATABLE READ snapshot.
	Queue Mode = iota

	// Serializable has every Update SERIALIZABLE, and one that lost against
	// another runs again. A writer first locks the row of its program, so that it
	// loses, if at all, before it has read anything. It uses neither advisory
	// locks nor savepoints. A View is a REPEATABLE READ snapshot.
	Serializable
)

// Config says how a [Store] works. The zero Config is usable.
type Config struct {
	Schema  string // SQL schema of the tables, a plain lower-case name; zero: tributary
	Mode    Mode   // zero: Queue
	Retries int    // how often a transaction that lost against another one runs again; zero: 10. One that lost before it had read anything: 16 times as often
	Group   int    // how many closures of one program may commit together; zero or 1: each commits alone

	// CommitWait is the time that an Update waits for the answer to its commit
	// after its context has ended. Then the error is ErrOutcomeUnknown. Zero: a
	// second. A commit is always given up after 15 seconds.
	CommitWait time.Duration
}

// A Store is an record.Store on PostgreSQL. It is safe for concurrent use,
// keeps no goroutine and need not be closed: the host owns the pool.
type Store struct {
	pool  *pgxpool.Pool
	cfg   Config
	sql   *statements
	turns turns

	pictures       pictures // used in Queue mode
	commitPatience time.Duration
}

// New makes a Store on a pool. It opens no connection and changes nothing:
// [Store.Migrate] creates the tables, or the host does with [Migrations].
//
// Errors: Schema is not a plain name, Mode is unknown, a number is negative,
// pool is nil.
func New(pool *pgxpool.Pool, cfg Config) (*Store, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	if pool == nil {
		return nil, errors.New("pgstore: no pool")
	}
	return &Store{pool: pool, cfg: cfg, sql: newStatements(cfg.Schema), commitPatience: commitPatience}, nil
}

// complete fills in the defaults and refuses values that cannot work.
func (c *Config) complete() error {
	if c.Schema == "" {
		c.Schema = defaultSchema
	}
	if !plainName(c.Schema) {
		return errors.New("pgstore: Config.Schema must be 1 to 63 lower-case letters, digits and underscores, and not begin with a digit")
	}
	if c.Mode > Serializable {
		return fmt.Errorf("pgstore: Config.Mode: no mode %d", c.Mode)
	}
	if c.Retries < 0 || c.Group < 0 || c.CommitWait < 0 {
		return errors.New("pgstore: Config.Retries, Group and CommitWait must not be negative")
	}
	if c.CommitWait == 0 {
		c.CommitWait = time.Second
	}
	if c.Retries == 0 {
		c.Retries = 10
	}
	c.Group = max(c.Group, 1)
	return nil
}

const defaultSchema = "tributary"

// plainName reports whether a name needs no quotes in SQL. The schema is the
// only value of a Config that becomes part of a statement.
func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return name != "" && len(name) <= 63
}

// lockKey returns the advisory lock of a program: 8 bytes of a hash. Two programs or
// two schemas in one database have the same lock only by accident, and then
// they only wait for each other.
func (s *Store) lockKey(program uuid.UUID) int64 {
	sum := sha256.Sum256(append([]byte("tributary\x00"+s.cfg.Schema+"\x00"), program[:]...))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// View runs fn on one snapshot of the program's records. It takes no lock and
// waits for no writer. A View of one record is one statement. A View of more
// records is a read-only transaction, for which fn may run a second time from
// the start.
//
// Errors: those of fn, unchanged; an error of the database, whose text does not
// show the server's message.
func (s *Store) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	single := true
	for attempt := 0; ; {
		if ctx.Err() != nil {
			return ended(ctx, "view")
		}
		err := s.viewOnce(ctx, program, single, fn)
		switch {
		case errors.Is(err, errMoved):
			single = false
			continue
		case !retryable(err) || attempt >= s.cfg.Retries:
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
		attempt++
	}
}

func (s *Store) viewOnce(ctx context.Context, program uuid.UUID, single bool, fn func(tx *record.Tx) error) error {
	t := s.newTxn(program, viewing)
	t.ctx, t.single = ctx, single
	defer t.rollback() // does nothing when it has ended
	err := t.run(fn, nil)
	t.learnt()
	if t.err == nil && t.db == nil && err == nil {
		// A View that reads nothing asks whether the store works.
		t.err = t.check()
	}
	if t.err == nil && s.cfg.Mode == Serializable {
		t.end("COMMIT")
	}
	return t.verdict(err)
}

// check fails when the tables are missing.
func (t *txn) check() error {
	return t.row(query{sql: t.s.sql.opening, args: []any{t.programID}, each: ignoreRow})
}

// Update runs fn and commits its writes if and only if fn returns nil. Writers
// of one program wait first in the process, without a connection, and then in
// the database. fn may run several times, one run after another.
//
// The end of ctx ends every wait except the wait for the answer to the commit,
// which lasts Config.CommitWait longer.
//
// Errors: those of fn; [ErrOutcomeUnknown] when the commit was sent and not
// answered; an error of the database, whose text does not show the server's
// message. fn is run again only when it lost against another transaction
// (40001, 40P01; 23505 too if the Store is Serializable), or when the server had
// no room for its locks (53200).
func (s *Store) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if ctx.Err() != nil {
		return ended(ctx, "update")
	}
	m := &member{ctx: ctx, fn: fn, inbox: make(chan message, 1)}
	if s.turns.join(program, m) {
		return s.lead(program, m)
	}
	return s.follow(program, m)
}

// pause waits before the next attempt: a random time below a limit that
// doubles, up to a second.
func pause(ctx context.Context, attempt int) error {
	timer := time.NewTimer(rand.N(min(4*time.Millisecond<<min(attempt, 8), time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ended(ctx, "wait to run again")
	}
}
