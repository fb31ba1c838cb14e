package sqlitestore

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var embedded embed.FS

// migrate brings the tables of the file up to date.
func (s *Store) migrate(ctx context.Context) (err error) {
	db, err := database(s.path, s.cfg.Sync)
	if err != nil {
		return failed("open", err)
	}
	defer func() { err = errors.Join(err, failed("open", db.Close())) }()
	db.SetMaxOpenConns(1)
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return failed("migrate", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithTableName(prefix+"migrations"),
		goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return failed("migrate", err)
	}
	_, err = provider.Up(ctx)
	return ended(ctx, "migrate", err)
}
