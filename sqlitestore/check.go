package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrDamaged is the error of a file that was changed by something else than SQLite: a disk, a
// copy that broke off, an editor. Restore a copy of [Store.Backup].
var ErrDamaged = errors.New("sqlitestore: the file is damaged")

// ErrInUse is the error of a [Store.Checkpoint] while a View or another process reads.
var ErrInUse = errors.New("sqlitestore: somebody reads the file")

// thorough is the size of a file, in bytes, up to which Open looks at its indexes too. What it
// does with a larger one takes about as long as to read it.
const thorough = 256 << 20

// Check reads the whole file and looks whether it is one that SQLite has written: pages, rows,
// indexes and constraints. It takes some seconds for each 100 MB. It cannot see that a
// number or a text has become another one: tributary.Program.Verify finds amounts, states and
// names of records that do not agree, and nothing finds a letter that changed in a name.
//
// [Open] does it by itself for a file that was not closed: its process was killed, the power
// failed, or another process has it open. Of one above 256 MB it leaves out whether rows and
// indexes agree.
//
// Errors: [ErrDamaged], and those of the disk and of ctx.
func (s *Store) Check(ctx context.Context) error { return s.check(ctx, "integrity_check") }

func (s *Store) check(ctx context.Context, how string) error {
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer s.release(c)
	said := "nothing"
	_, err = c.run("PRAGMA "+how+"(1)", nil, func(r row) bool { said = r.stmt.ColumnText(0); return true })
	switch {
	case err != nil && ctx.Err() == nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return failed("check", ctx.Err())
	case said != "ok":
		return fmt.Errorf("%w: %s", ErrDamaged, said)
	}
	return nil
}

// left reports whether the file was left open, by a process that has ended or by one that runs.
func left(path string) bool {
	log, err := os.Stat(path + "-wal")
	return err == nil && log.Size() > 0
}

// checkLeft checks a file that was left open.
func (s *Store) checkLeft(ctx context.Context) error {
	if file, err := os.Stat(s.path); err == nil && file.Size() > thorough {
		return s.check(ctx, "quick_check")
	}
	return s.Check(ctx)
}

// Checkpoint brings everything into the file and empties the log beside it. What was erased or
// deleted before is in neither then: its room in the file was overwritten. Without it that
// happens at the latest when the last process closes the file. Call it after an erasure, or
// every minute as the server does; Updates wait meanwhile.
//
// Errors: [ErrInUse]: the next call tries again; [ErrClosed], those of the disk and of ctx.
func (s *Store) Checkpoint(ctx context.Context) (err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return failed("checkpoint", ctx.Err())
	}
	defer func() { <-s.turn }()
	if s.isClosed() {
		return ErrClosed
	}
	s.commit()
	defer func() { err = errors.Join(err, s.writer.c.BusyTimeout(readTimeout)) }()
	if err := s.writer.c.BusyTimeout(10 * time.Millisecond); err != nil {
		return failed("checkpoint", err)
	}
	busy := int64(0)
	_, err = s.writer.run("PRAGMA wal_checkpoint(TRUNCATE)", nil,
		func(r row) bool { busy = r.stmt.ColumnInt64(0); return true })
	if err == nil && busy != 0 || errors.Is(err, errBusy) {
		return ErrInUse
	}
	return failed("checkpoint", err)
}

// Backup writes a copy of the file as it is at one moment to a path where there is no
// file, also while the store is used. The copy is a whole database without files
// beside it: to restore it, stop the program, put it in the place of the file, remove
// the two files with -wal and -shm behind the old name, and open it.
//
// The copy holds everything, also sealed secrets and personal data: keep it as safe as
// the file. Only the owner may read it. Updates go on meanwhile; the file -wal grows by
// what they write.
//
// Errors: there is a file at the path, or it cannot be written, or ctx has ended. Then
// there is no copy. A process that is killed may leave an incomplete one.
func (s *Store) Backup(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return failed("backup", err)
	}
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer c.close() // a connection that is not used again leaves no cache of the whole file
	defer c.interrupt(context.Background())
	if err := create(path, os.O_EXCL); err != nil {
		return failed("backup", err)
	}
	if _, err = c.run("VACUUM INTO ?", []value{textValue(uri(path))}, nil); err != nil {
		err = errors.Join(ended(ctx, "backup", err), os.Remove(path))
	}
	return err
}
