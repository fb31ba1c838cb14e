package sqlitestore

import (
	"context"
)

// Backup writes a copy of the file as it is at one moment to a path where there is no
// file, also while the store is used. The copy is a whole database without files
// beside it: to restore it, stop the program, put it in the place of the file, remove
// the two files with -wal and -shm behind the old name, and open it.
//
// The copy holds everything, also sealed secrets and personal data: keep it as safe as
// the file. Updates go on meanwhile; the file -wal grows by what they write.
//
// Errors: there is a file at the path, or it cannot be written, or ctx has ended. Then
// an incomplete copy may be left, which is not to be used.
func (s *Store) Backup(ctx context.Context, path string) error {
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	_, err = c.run("VACUUM INTO ?", []value{textValue(path)}, nil)
	c.interrupt(context.Background())
	_ = c.close() // a connection that is not used again leaves no cache of the whole file
	return ended(ctx, "backup", err)
}
