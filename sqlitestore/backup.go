package sqlitestore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

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
