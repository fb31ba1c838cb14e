package pgstore

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var embedded embed.FS

// Migrations returns the files that create the tables, to be run in the order
// of their names: plain SQL for the schema tributary, in which each statement
// can be repeated. They are for a host with a migration tool of its own;
// [Store.Migrate] runs the same files. The host must create the schema itself.
func Migrations() fs.FS { return files{defaultSchema} }

// Migrations returns the files for the schema of this Store.
func (s *Store) Migrations() fs.FS { return files{s.cfg.Schema} }

// Migrate creates the schema and brings its tables up to date. Any number of
// processes may call it at once: each step is applied once, and every call
// returns when all steps are applied. The table migrations of the schema lists
// the applied steps.
//
// Errors: an error of the database, also when the user may not create tables; the
// tables are from before the first release, or a newer version of this package made them.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.createSchema(ctx); err != nil {
		return err
	}
	if err := s.refuseOld(ctx); err != nil {
		return err
	}
	quiet := slog.New(slog.DiscardHandler)
	locker, err := lock.NewPostgresTableLocker(lock.WithTableName(s.cfg.Schema+".migrations_lock"),
		lock.WithTableLockTimeout(100*time.Millisecond, 600), lock.WithTableLogger(quiet))
	if err != nil {
		return fmt.Errorf("pgstore: migrate: %w", err)
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close() // the pool stays open
	provider, err := goose.NewProvider(goose.DialectPostgres, db, s.Migrations(), goose.WithTableName(s.cfg.Schema+".migrations"),
		goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true), goose.WithIsolateDDL(true), goose.WithLocker(locker), goose.WithSlog(quiet))
	if err != nil {
		return fmt.Errorf("pgstore: migrate: %w", err)
	}
	_, err = provider.Up(ctx)
	if err != nil && s.begun(ctx) {
		_, err = provider.Up(ctx)
	}
	if err != nil {
		return fmt.Errorf("pgstore: migrate: %w", err)
	}
	all := provider.ListSources()
	return s.refuseNewer(ctx, all[len(all)-1].Version)
}

// refuseNewer refuses tables that have steps which this version does not know.
func (s *Store) refuseNewer(ctx context.Context, known int64) error {
	var made int64
	steps := pgx.Identifier{s.cfg.Schema, "migrations"}.Sanitize()
	if err := s.pool.QueryRow(ctx, "SELECT max(version_id) FROM "+steps).Scan(&made); err != nil {
		return &failure{op: "migrate", err: err}
	}
	if made > known {
		return errors.New("pgstore: migrate: a newer version of this package made the tables")
	}
	return nil
}

// begun notes that no step was applied when a process made the table of steps and was
// ended before it could. It reports whether that was so.
func (s *Store) begun(ctx context.Context) bool {
	steps := pgx.Identifier{s.cfg.Schema, "migrations"}.Sanitize()
	tag, err := s.pool.Exec(ctx,
		"INSERT INTO "+steps+
			" (version_id, is_applied) SELECT 0, true WHERE NOT EXISTS (SELECT 1 FROM "+steps+")")
	return err == nil && tag.RowsAffected() == 1
}

// refuseOld refuses tables that hold each record in one column, as they were before the
// first release.
func (s *Store) refuseOld(ctx context.Context) error {
	const old = `SELECT EXISTS (SELECT 1 FROM information_schema.columns
		WHERE table_schema = $1 AND table_name = 'affiliates' AND column_name = 'record')`
	var is bool
	if err := s.pool.QueryRow(ctx, old, s.cfg.Schema).Scan(&is); err != nil {
		return &failure{op: "migrate", err: err}
	}
	if is {
		return errors.New("pgstore: migrate: the tables are from before the first release, which this version does not read: see CHANGELOG.md")
	}
	return nil
}

// createSchema creates the schema if it is missing. So a user who may not
// create schemas can migrate an existing one.
func (s *Store) createSchema(ctx context.Context) error {
	const there = "SELECT EXISTS (SELECT 1 FROM information_schema.schemata WHERE schema_name = $1)"
	for {
		var exists bool
		if err := s.pool.QueryRow(ctx, there, s.cfg.Schema).Scan(&exists); err != nil {
			return &failure{op: "migrate", err: err}
		}
		if exists {
			return nil
		}
		_, err := s.pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{s.cfg.Schema}.Sanitize())
		if err == nil {
			return nil
		}
		pg, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pg.Code != "23505" { // 23505: another process creates it at the same time
			return &failure{op: "migrate", err: err}
		}
	}
}

// files are the embedded migrations for a schema.
type files struct{ schema string }

// Open opens a migration, or the folder of all.
func (f files) Open(name string) (fs.File, error) {
	if name == "." {
		return embedded.Open("migrations")
	}
	file, err := embedded.Open("migrations/" + name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	raw, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &sqlFile{bytes.NewReader(raw), info, int64(len(raw))}, nil
}

// ReadFile returns the SQL of a migration.
func (f files) ReadFile(name string) ([]byte, error) {
	raw, err := embedded.ReadFile("migrations/" + name)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	if f.schema == defaultSchema {
		return raw, nil
	}
	return bytes.ReplaceAll(raw, []byte(" "+defaultSchema+"."),
		[]byte(" "+pgx.Identifier{f.schema}.Sanitize()+".")), nil
}

// A sqlFile is an open migration.
type sqlFile struct {
	*bytes.Reader
	fs.FileInfo
	size int64
}

// Stat describes the file.
func (f *sqlFile) Stat() (fs.FileInfo, error) { return sizedTable{f.FileInfo, f.size}, nil }

// Close does nothing.
func (f *sqlFile) Close() error { return nil }

// Size returns the length of the SQL.
func (f *sqlFile) Size() int64 { return f.size }

type sizedTable struct {
	fs.FileInfo
	size int64
}

// Size returns the length for the schema.
func (s sizedTable) Size() int64 { return s.size }
