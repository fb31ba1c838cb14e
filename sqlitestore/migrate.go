package sqlitestore

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var embedded embed.FS

// errNewer is the error of a file whose tables this version does not know.
var errNewer = errors.New("sqlitestore: a newer version of this package made the tables of the file")

// migrate brings the tables of the file up to date. Other processes may be at the same:
// one of them makes a table, and the others fail and look again.
func (s *Store) migrate(ctx context.Context) error {
	for last := int64(-1); ; {
		made, err := s.up(ctx)
		switch {
		case err == nil || errors.Is(err, errNewer):
			return err
		case errors.Is(err, errBusy):
		case made == last:
			return ended(ctx, "migrate", err) // and nobody else has made anything since
		}
		last = made
		select {
		case <-ctx.Done():
			return failed("migrate", ctx.Err())
		case <-time.After(pause):
		}
	}
}

// up runs the migrations that the file does not have, and returns the number of the last
// one that it had.
func (s *Store) up(ctx context.Context) (made int64, err error) {
	db, err := s.database()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return 0, err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithTableName(prefix+"migrations"),
		goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return 0, err
	}
	made, known, err := provider.GetVersions(ctx)
	switch {
	case err != nil:
		return made, err
	case made > known:
		return made, errNewer
	}
	_, err = provider.Up(ctx)
	return made, err
}
