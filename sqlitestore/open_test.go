package sqlitestore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestOpenTogether: a new file may be opened by several at the same moment.
func TestOpenTogether(t *testing.T) {
	dir := t.TempDir()
	for round := range 5 {
		path := filepath.Join(dir, strconv.Itoa(round))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				s, err := sqlitestore.Open(context.Background(), path, sqlitestore.Config{})
				if err == nil {
					err = s.Close()
				}
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		wg.Wait()
		furnish(t, newProgram(t, open(t, path, sqlitestore.Config{})))
	}
}

// TestNewerFile: a file whose tables a newer version has made is refused.
func TestNewerFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	open(t, path, sqlitestore.Config{})
	conn := must(sqlite3.Open("file:" + path))
	defer conn.Close()
	must(0, conn.Exec("INSERT INTO tributary_migrations (version_id, is_applied) VALUES (99999, 1)"))
	s, err := sqlitestore.Open(t.Context(), path, sqlitestore.Config{})
	if err == nil {
		_ = s.Close()
		t.Error("it is opened")
	}
}

// TestOpenLocked: Open waits while another process has the file, until its context ends.
func TestOpenLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	other := must(sqlite3.Open("file:" + path))
	defer other.Close()
	tx := must(other.BeginExclusive())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := sqlitestore.Open(ctx, path, sqlitestore.Config{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it is locked: %v", err)
	}
	must(0, tx.Rollback())
	furnish(t, newProgram(t, open(t, path, sqlitestore.Config{})))
}

// TestChangedFolder: a relative path is that of the working directory in which Open was
// called.
func TestChangedFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram(t, open(t, "program.db", sqlitestore.Config{}))
	t.Chdir(t.TempDir())
	furnish(t, p)
	if err := p.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("program.db"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a second file: %v", err)
	}
}

// TestMovedFile: a file that is no longer there is not made again.
func TestMovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	must(0, os.Rename(path, path+".old"))
	if err := store.View(t.Context(), programID, func(*record.Tx) error { return nil }); err == nil {
		t.Error("a View of nothing")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a second file: %v", err)
	}
}

// TestLinkedFile: a file and a symbolic link to it are one file, with one log.
func TestLinkedFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "program.db"), filepath.Join(dir, "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	p := newProgram(t, open(t, link, sqlitestore.Config{}))
	furnish(t, p)
	if err := sell(t.Context(), newProgram(t, open(t, path, sqlitestore.Config{})), "order-1"); err != nil {
		t.Error(err)
	}
	books(t, p, []string{"order-1"})
}

// TestOpenContext: wherever the context of Open ends, the next Open finds a file that
// works.
func TestOpenContext(t *testing.T) {
	dir := t.TempDir()
	failures, opened := 0, 0
	for n := int64(0); n < 4096 && opened < 3; n = n*5/4 + 1 {
		path := filepath.Join(dir, strconv.FormatInt(n, 10))
		s, err := sqlitestore.Open(late(n), path, sqlitestore.Config{})
		switch {
		case err == nil:
			opened++
			err = s.Close()
		case errors.Is(err, context.Canceled):
			failures++
			err = nil
		}
		if err != nil {
			t.Errorf("ended at %d: %v", n, err)
		}
		furnish(t, newProgram(t, open(t, path, sqlitestore.Config{})))
	}
	if failures == 0 || opened == 0 {
		t.Errorf("%d failures, %d opened", failures, opened)
	}
}
