package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/sqlitestore"
)

// A place holds programs: a file, or a schema of a PostgreSQL database.
type place struct {
	file     string          // its path
	normal   bool            // the file's commits do not wait for the disk
	database *pgxpool.Config // nil: a file
	schema   string
}

// parsePlace reads a path or a connection string. No error shows it: it may have a password.
func parsePlace(text, schema string) (place, error) {
	switch {
	case text == "":
		return place{}, errors.New("it is empty: name a file, or a database as postgres://USER:PASSWORD@HOST/DATABASE")
	case !strings.Contains(text, "://") && !strings.Contains(text, "="):
		return parseFile(text)
	}
	return parseDatabase(text, schema)
}

func parseFile(path string) (place, error) {
	if path == "" || strings.Contains(path, "://") {
		return place{}, errors.New("it is no path of a file")
	}
	path, err := filepath.Abs(path)
	return place{file: path}, err
}

func parseDatabase(text, schema string) (place, error) {
	cfg, err := pgxpool.ParseConfig(text)
	if err != nil || text == "" {
		return place{}, errors.New("it is no connection string of PostgreSQL, such as postgres://USER:PASSWORD@HOST/DATABASE, with %XX for special characters")
	}
	return place{database: cfg, schema: schema}, nil
}

// String names the place to the operator, without user and password.
func (p place) String() string {
	if p.database == nil {
		return p.file
	}
	c := p.database.ConnConfig
	return fmt.Sprintf("the schema %s of the database %s at %s:%d", p.schema, c.Database, c.Host, c.Port)
}

// patience is the longest time for the first answer of a database.
const patience = 30 * time.Second

// connect opens a pool on the database, and a store on it.
func (p place) connect(ctx context.Context) (pool *pgxpool.Pool, store *pgstore.Store, err error) {
	if pool, err = pgxpool.NewWithConfig(ctx, p.database); err != nil {
		return nil, nil, err
	}
	if store, err = pgstore.New(pool, pgstore.Config{Schema: p.schema, Group: 64}); err == nil {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err = pool.Ping(ctx)
	}
	if err != nil {
		pool.Close()
	}
	return pool, store, err
}

// there reports whether the place has the tables of programs, or a file at all.
func (p place) there(ctx context.Context) (bool, error) {
	if p.database == nil {
		info, err := os.Stat(p.file)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return err == nil && info.Size() > 0, err
	}
	pool, _, err := p.connect(ctx)
	if err != nil {
		return false, err
	}
	defer pool.Close()
	const tables = "SELECT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = 'affiliates')"
	var there bool
	err = pool.QueryRow(ctx, tables, p.schema).Scan(&there)
	return there, err
}

// noneAt is the error when nothing is there that could be read.
func noneAt(p place, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: there is no program", p)
}

// An openStore is in use until Close. A program that was moved away, also while the
// store is open, is not in it any more.
type openStore struct {
	*router.Store
	bare  record.Store       // also what was moved away
	file  *sqlitestore.Store // nil: a database
	close func() error
}

// open opens the store, which it makes when there is none.
func (p place) open(ctx context.Context) (o *openStore, err error) {
	o = new(openStore)
	if p.database == nil {
		cfg := sqlitestore.Config{}
		if p.normal {
			cfg.Sync = sqlitestore.Normal
		}
		if o.file, err = sqlitestore.Open(ctx, p.file, cfg); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		o.bare, o.close = o.file, o.file.Close
	} else {
		pool, store, err := p.connect(ctx)
		if err != nil {
			return nil, err
		}
		if err := store.Migrate(ctx); err != nil {
			pool.Close()
			return nil, err
		}
		o.bare, o.close = store, func() error { pool.Close(); return nil }
	}
	o.Store, err = router.New(router.Config{Stores: []router.NamedStore{{Name: "this", Store: o.bare}}})
	return o, err
}

// errMoved is the error of a place where a program was.
var errMoved = errors.New("the program was moved away, or a move was interrupted: the same move again finishes it")

// usable returns nil when a program is in the store, or may begin there.
func (o *openStore) usable(ctx context.Context, program uuid.UUID) error {
	_, err := o.Home(ctx, program)
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		return nil
	case errors.Is(err, router.ErrNowhere):
		return o.movedTo(ctx, program)
	}
	return err
}

// moves is the kind of the value that says where the last move of a program goes.
const moves, lastMove = "server-move", "to"

// leaves keeps where a move of the program goes.
func (o *openStore) leaves(ctx context.Context, program uuid.UUID, to place) error {
	p, err := programIn(o, program)
	if err != nil {
		return err
	}
	return p.Values(moves).Change(ctx, lastMove, func(json.RawMessage) (json.RawMessage, error) {
		return json.Marshal(to.String())
	})
}

// movedTo returns errMoved, with the place if it is known.
func (o *openStore) movedTo(ctx context.Context, program uuid.UUID) error {
	p, err := programIn(o.bare, program)
	if err != nil {
		return errMoved
	}
	to, err := p.Values(moves).Get(ctx, lastMove)
	if err != nil {
		return errMoved
	}
	return fmt.Errorf("%w. The move was to %s", errMoved, to.Value)
}

// Close releases the file or the connections.
func (o *openStore) Close() error { return o.close() }

// The variables of the environment that name the place when no flag does.
const (
	fileVariable  = "TRIBUTARY_FILE"
	storeVariable = "TRIBUTARY_STORE"
)

// defaultFile is the place when nothing names one.
const defaultFile = "program.db"

// A choice is the place that flags or variables name.
type choice struct {
	file, store, schema string
	normal              bool
	flags               *flag.FlagSet
	env                 environment
}

// Flags adds the flags that name the place.
func (c *choice) Flags(flags *flag.FlagSet) {
	c.flags = flags
	flags.StringVar(&c.file, "file", "",
		"`path` of the file with everything (default: the variable "+fileVariable+
			"; without it and without a database "+defaultFile+")")
	flags.StringVar(&c.store, "store", "", "`connection` string of a PostgreSQL database with everything. The list of processes shows it to whoever is on this\n"+
		"machine; the variable "+storeVariable+" does not (default: the variable)")
	flags.StringVar(&c.schema, "schema", "tributary", "with a database: SQL `schema` of the tables")
}

// place returns the place. Two names, and one that is empty, are refused, because
// a server that began anew elsewhere would look like one that lost everything.
func (c *choice) place() (place, error) {
	given := map[string]bool{}
	c.flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	byFile, byStore := "-file", "-store"
	isFile, isStore := given["file"], given["store"]
	if !isFile && !isStore {
		byFile, byStore = fileVariable, storeVariable
		c.file, isFile = c.env[fileVariable]
		c.store, isStore = c.env[storeVariable]
	}
	switch {
	case isFile && isStore:
		return place{}, fmt.Errorf("%s and %s are both set: a program is in one of them", byFile, byStore)
	case isStore && c.normal:
		return place{}, errors.New("-normal is for a file: a database has synchronous_commit")
	case isStore:
		at, err := parseDatabase(c.store, c.schema)
		return at, named(byStore, c.store, err)
	case !isFile:
		c.file = defaultFile
	}
	at, err := parseFile(c.file)
	at.normal = c.normal
	return at, named(byFile, c.file, err)
}

// named says which flag or variable is wrong.
func named(name, value string, err error) error {
	switch {
	case err == nil:
		return nil
	case value == "":
		return fmt.Errorf("%s is set and empty", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}
