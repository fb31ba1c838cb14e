package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/httpapi/app"
)

// backupUsage is the text of "backup -h" before the flags.
const backupUsage = `Copies the file with everything, as of one moment: server backup -to FOLDER [-keep N]
The copy is named after the file and the time in UTC, such as program-20261129T031500Z.db.
A server may have the file open. The copy has personal data: only its owner may read it.
Copy a database with pg_dump --format=custom --schema=tributary.

`

// A backup copies a file into a folder.
type backup struct {
	choice
	to     string
	keep   int
	now    func() time.Time
	stdout io.Writer
}

// runBackup runs the command backup and returns the exit code.
func runBackup(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	b := backup{choice: choice{env: env}, now: time.Now, stdout: stdout}
	flags := newFlags("backup", backupUsage, stderr)
	b.Flags(flags)
	flags.StringVar(&b.to, "to", "", "`folder` of the copies, which is made when there is none")
	flags.IntVar(&b.keep, "keep", 0, "delete all copies of this file in the folder but the newest `N`; 0: keep all")
	if code, goes := parsed(flags, args, 0, "name the folder with -to, and nothing else"); !goes {
		return code
	}
	return ended(flags, b.run(ctx))
}

func (b *backup) run(ctx context.Context) error {
	at, err := b.place()
	switch {
	case err != nil:
		return err
	case at.database != nil:
		return errors.New("it copies a file; copy a database with pg_dump --format=custom --schema=" + at.schema)
	case b.to == "":
		return errors.New("name the folder with -to")
	case b.keep < 0:
		return errors.New("-keep is below 0")
	}
	if there, err := at.there(ctx); err != nil || !there {
		return noneAt(at, err) // it would be made, and the copy would be empty
	}
	store, err := at.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := os.Mkdir(b.to, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	names := namesOf(at.file)
	path := filepath.Join(b.to, names.of(b.now()))
	if exists(path) {
		return fmt.Errorf("%s is there", path)
	}
	if err := store.file.Backup(ctx, path+partial); err != nil {
		return err
	}
	if err := os.Rename(path+partial, path); err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "%s is a copy of %s\n", path, at)
	return errors.Join(store.noteCopy(ctx), b.prune(names))
}

// noteCopy notes that there is a copy of the program in a store, if it has one, for the first steps
// of the console.
func (o *openStore) noteCopy(ctx context.Context) error {
	id := uuid.MustParse(app.ProgramID)
	if at, err := find(ctx, o, id); err != nil || at != present {
		return err
	}
	p, err := programIn(o, id)
	if err != nil {
		return err
	}
	return app.NoteCopy(ctx, p)
}

// prune deletes the copies that are older than the newest, and parts of some that broke off a day
// ago or longer.
func (b *backup) prune(names names) error {
	entries, err := os.ReadDir(b.to)
	if err != nil {
		return err
	}
	var old []string // oldest first
	for _, entry := range entries {
		name, isPart := strings.CutSuffix(entry.Name(), partial)
		at, is := names.when(name)
		if is && isPart && b.now().Sub(at) > 24*time.Hour {
			err = errors.Join(err, os.Remove(filepath.Join(b.to, entry.Name())))
		}
		if is && !isPart {
			old = append(old, name)
		}
	}
	if b.keep == 0 {
		return err
	}
	slices.Sort(old)
	for _, name := range old[:max(len(old)-b.keep, 0)] {
		err = errors.Join(err, os.Remove(filepath.Join(b.to, name)))
	}
	return err
}

// names are those of the copies of a file.
type names struct{ before, after string }

// partial ends the name of a copy that is not complete.
const partial = ".partial"

// dated is the time in the name of a copy.
const dated = "20060102T150405Z"

func namesOf(file string) names {
	after := filepath.Ext(file)
	return names{strings.TrimSuffix(filepath.Base(file), after) + "-", after}
}

func (n names) of(at time.Time) string { return n.before + at.UTC().Format(dated) + n.after }

// when returns the time of a copy by its name.
func (n names) when(name string) (time.Time, bool) {
	at, err := time.Parse(dated, strings.TrimSuffix(strings.TrimPrefix(name, n.before), n.after))
	return at, err == nil && name == n.of(at)
}

// restoreUsage is the text of "restore -h" before the flags.
const restoreUsage = `Makes a file of a copy: server restore [flags] COPY FILE
The file must not be there, so stop the server and move what it had out of the way, with the
files that have -wal and -shm behind its name. The books of the copy are checked first, and the
copy stays as it is. Restore a database with pg_restore --exit-on-error --dbname=NAME.

`

// runRestore runs the command restore and returns the exit code.
func runRestore(ctx context.Context, args []string, _ environment, stdout, stderr io.Writer) int {
	flags := newFlags("restore", restoreUsage, stderr)
	id := uuid.MustParse(app.ProgramID)
	flags.TextVar(&id, "program", id, "`id` of the program")
	if code, goes := parsed(flags, args, 2, "name the copy, and the file to make"); !goes {
		return code
	}
	from, to := flags.Arg(0), flags.Arg(1)
	err := restore(ctx, id, from, to)
	if err == nil {
		fmt.Fprintf(stdout, "the books hold\n%s has what was in %s: start the server on it\n", to, from)
	}
	return ended(flags, err)
}

// restore makes a file of a copy. It is written beside its place and then gets its name, so that no
// server ever opens a part of it.
func restore(ctx context.Context, id uuid.UUID, from, to string) error {
	at, err := parseFile(to)
	if err != nil {
		return fmt.Errorf("%w; restore a database with pg_restore", err)
	}
	if err := free(at.file); err != nil {
		return err
	}
	if exists(from + "-wal") {
		return fmt.Errorf("%s is open in a server, or was when it was killed: only server backup makes a copy of it", from)
	}
	beside := place{file: at.file + ".restoring"}
	if err := copyFile(from, beside.file); err != nil {
		return err
	}
	defer func() {
		for _, ending := range endings {
			_ = os.Remove(beside.file + ending) // most are not there
		}
	}()
	store, err := beside.open(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := errors.Join(store.booksHold(ctx, id), store.Close()); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.Link(beside.file, at.file) // unlike a rename it never takes the place of another file
}

// endings are those of the names of the files that SQLite makes for one.
var endings = [...]string{"", "-wal", "-shm"}

// free refuses a path where a file is, or where a server has one open that was deleted.
func free(path string) error {
	switch {
	case exists(path + endings[1]), exists(path + endings[2]):
		return fmt.Errorf("a server has %[1]s open, or was killed: stop it, and move %[1]s away with %[1]s-wal and %[1]s-shm", path)
	case exists(path):
		return fmt.Errorf("%s is there: stop its server, and move it away", path)
	}
	return nil
}

// exists reports whether something is at a path, or may be.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// copyFile copies a file to a path where there is none. Only its owner may read it.
func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err = errors.Join(err, target.Sync(), target.Close()); err != nil {
		err = errors.Join(err, os.Remove(to))
	}
	return err
}
