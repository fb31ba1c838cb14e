package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate/record"
)

// Sync says when a commit is on the disk.
type Sync int

const (
	// Full has every commit on the disk when Update returns: nothing is lost, also
	// when the power fails.
	Full Sync = iota

	// Normal leaves it to the operating system. What was committed is kept when the
	// process ends in any way, and the file is whole after a loss of power, but the
	// last commits before it may be gone.
	Normal
)

// Config says how a [Store] works. The zero Config is usable.
type Config struct {
	Sync  Sync // zero: Full
	Group int  // how many Updates may share a commit; zero: 64

	uri string // more parameters of the file's URI, for tests
}

// A Store is a record.Store in one SQLite file. It is safe for concurrent use, and
// other processes may have the same file open. Close releases the file.
//
// Updates run one after another, and those that wait share a commit. Views read
// snapshots beside them, each on a connection of its own with up to 16 MB of pages.
type Store struct {
	cfg    Config
	path   string
	tables []*tableSQL
	known  sync.Map // the numbers of programs, by their ids; only those that are committed

	turn    chan struct{} // held by the Update that runs
	waiting atomic.Int64  // Updates that want the turn
	writer  *conn         // of the turn
	group   *group        // the open transaction of the turn; nil: none

	mu     sync.Mutex
	idle   []*conn // for Views
	closed bool
}

// ErrClosed is the error of a Store that was closed.
var ErrClosed = errors.New("sqlitestore: the store is closed")

// Open opens a file, which it creates when there is none, and brings its tables up to
// date. The folder must exist; only the owner may read a file that Open makes. Beside
// the file SQLite keeps two others while it is open, with -wal and -shm behind its name:
// a copy of the file alone may lack the last commits, so copy it with [Store.Backup].
//
// A file that was not closed is checked: see [Store.Check].
//
// Errors: the file is not a database, belongs to a newer version of this package,
// cannot be written or created, is locked by another process until ctx ends, or is
// damaged ([ErrDamaged]): of a file that was closed, only what Open reads is looked at.
func Open(ctx context.Context, path string, cfg Config) (*Store, error) {
	switch {
	case path == "":
		return nil, errors.New("sqlitestore: no path")
	case cfg.Sync != Full && cfg.Sync != Normal:
		return nil, fmt.Errorf("sqlitestore: Config.Sync: no value %d", cfg.Sync)
	case cfg.Group < 0:
		return nil, errors.New("sqlitestore: Config.Group must not be negative")
	case cfg.Group == 0:
		cfg.Group = 64
	}
	if err := create(path, 0); err != nil {
		return nil, failed("open", err)
	}
	path, err := filepath.Abs(path) // connections are opened later too, also after a change of the working directory
	if err != nil {
		return nil, failed("open", err)
	}
	s := &Store{cfg: cfg, path: path, tables: statements(), turn: make(chan struct{}, 1)}
	open := left(path)
	if err := s.migrate(ctx); err != nil {
		return nil, err
	}
	writer, err := s.connect()
	if err != nil {
		return nil, failed("open", err)
	}
	s.writer = writer
	if open {
		if err := s.checkLeft(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// create makes an empty file that only its owner reads, because it will have personal
// data. One that is there stays as it is, and is an error when flag is os.O_EXCL.
func create(path string, flag int) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|flag, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// Close waits for the Update that runs, and releases the file. Views that run go on.
// Later calls of the store return [ErrClosed].
func (s *Store) Close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.commit()
	err := s.writer.close()
	for _, c := range s.idle {
		err = errors.Join(err, c.close())
	}
	s.idle = nil
	return failed("close", err)
}

// View runs fn on a snapshot of the program's records.
func (s *Store) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer s.release(c)
	if err := c.exec("BEGIN"); err != nil {
		return ended(ctx, "begin", err)
	}
	t := &txn{s: s, c: c, ctx: ctx, program: program, readOnly: true}
	defer t.end()
	if err := t.begin(); err != nil {
		return ended(ctx, "begin", err)
	}
	if err := fn(t.tx()); err != nil {
		return err
	}
	return t.err
}

// maxIdle is the number of connections that are kept for Views.
const maxIdle = 8

// reader returns a connection for a View.
func (s *Store) reader(ctx context.Context) (c *conn, err error) {
	if err := ctx.Err(); err != nil {
		return nil, failed("view", err)
	}
	s.mu.Lock()
	switch n := len(s.idle); {
	case s.closed:
		err = ErrClosed
	case n > 0:
		c, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	s.mu.Unlock()
	if c == nil && err == nil {
		if c, err = s.connect(); err != nil {
			return nil, failed("open", err)
		}
	}
	if c != nil {
		c.interrupt(ctx)
	}
	return c, err
}

// release takes a connection back from a View.
func (s *Store) release(c *conn) {
	c.interrupt(context.Background())
	var err error
	if !c.autocommit() {
		err = c.exec("ROLLBACK")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.closed || len(s.idle) == maxIdle {
		_ = c.close()
		return
	}
	s.idle = append(s.idle, c)
}

// failed returns an error of the database that says what was done.
func failed(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlite3.CORRUPT):
		return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
	}
	return fmt.Errorf("sqlitestore: %s: %w", what, err)
}

// ended is failed, and the error of ctx when that is the reason.
func ended(ctx context.Context, what string, err error) error {
	if err != nil && ctx.Err() != nil {
		return failed(what, ctx.Err())
	}
	return failed(what, err)
}

// pause is the time between two attempts to get a lock that another process has.
const pause = 5 * time.Millisecond
