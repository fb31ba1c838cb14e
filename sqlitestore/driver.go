package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/tributary-go/tributary/internal/relation"
)

// Everything that knows the driver is in this file.

// errBusy is the error while another connection has the lock.
const errBusy = sqlite3.BUSY

// readTimeout is the time that a connection waits for locks that others hold for
// moments only, while they recover or check-point the file.
const readTimeout = 5 * time.Second

// A conn is a connection to the file, with the statements that it has prepared. One
// goroutine uses it at a time.
type conn struct {
	c     *sqlite3.Conn
	stmts map[string]*sqlite3.Stmt

	// Memory that rows share, one after the other.
	read, written []relation.Cell
	args          []value
	raw           []any
}

// room returns n zero values in memory that is used again.
func room[T any](memory *[]T, n int) []T {
	if cap(*memory) < n {
		*memory = make([]T, n)
	}
	*memory = (*memory)[:n]
	clear(*memory)
	return *memory
}

// connect opens a connection.
func (s *Store) connect() (*conn, error) {
	guard(s.path)
	raw, err := sqlite3.OpenFlags(uri(s.path)+s.cfg.uri,
		sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI) // a file that is gone is not made again
	if err != nil {
		return nil, err
	}
	c := newConn(raw)
	err = errors.Join(raw.BusyTimeout(readTimeout), raw.Exec(pragmas(s.cfg.Sync)))
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return c, nil
}

// uri returns the path as SQLite wants it, whatever characters it has. The log beside the
// file gets the file's rights.
func uri(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?modeof=" +
		strings.ReplaceAll(url.QueryEscape(path), "+", "%20")
}

func pragmas(sync Sync) string {
	text := "PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=33554432; PRAGMA foreign_keys=ON; PRAGMA cache_size=-16384; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA synchronous="
	if sync == Normal {
		return text + "NORMAL"
	}
	return text + "FULL"
}

func newConn(c *sqlite3.Conn) *conn { return &conn{c: c, stmts: map[string]*sqlite3.Stmt{}} }

func (c *conn) close() error {
	c.finalize()
	return c.c.Close()
}

// finalize frees the statements of a connection that is not used again here.
func (c *conn) finalize() {
	for _, stmt := range c.stmts {
		_ = stmt.Close() // its error is that of its last step
	}
}

// exec runs statements without values.
func (c *conn) exec(sql string) error {
	switch sql {
	case "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT one", "RELEASE one":
		stmt, err := c.prepare(sql)
		if err != nil {
			return err
		}
		return stmt.Exec()
	}
	return c.c.Exec(sql)
}

// interrupt ends statements with ctx.
func (c *conn) interrupt(ctx context.Context) { c.c.SetInterrupt(ctx) }

// autocommit reports whether the connection has no transaction.
func (c *conn) autocommit() bool { return c.c.GetAutocommit() }

func (c *conn) prepare(sql string) (*sqlite3.Stmt, error) {
	if stmt, ok := c.stmts[sql]; ok {
		return stmt, nil
	}
	stmt, _, err := c.c.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
	if err != nil {
		return nil, err
	}
	c.stmts[sql] = stmt
	return stmt, nil
}

// A value is a parameter of a statement.
type value struct {
	kind relation.Kind
	relation.Cell
}

func integerValue(n int64) value { return value{relation.Integer, relation.Cell{Int: n}} }

func textValue(s string) value { return value{relation.Text, relation.Cell{Text: s}} }

func idValue(id uuid.UUID) value { return value{relation.ID, relation.Cell{ID: id}} }

// run runs a statement and returns the number of rows that it changed. each is called
// at every row of the answer, until it returns false; nil: there is none.
func (c *conn) run(sql string, args []value, each func(row) bool) (changed int64, err error) {
	stmt, err := c.prepare(sql)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err := stmt.Reset(); err != nil {
			_ = err // it is the error of the step
		}
	}()
	if err := c.step(stmt, args, each); err != nil {
		return 0, err
	}
	if each == nil {
		changed = c.c.Changes()
	}
	return changed, nil
}

// runOnce is run for a statement that is not kept, because others will have another text.
func (c *conn) runOnce(sql string, args []value, each func(row) bool) error {
	stmt, _, err := c.c.Prepare(sql)
	if err != nil {
		return err
	}
	return errors.Join(c.step(stmt, args, each), stmt.Close())
}

// step binds values to a statement, and goes through its answer.
func (c *conn) step(stmt *sqlite3.Stmt, args []value, each func(row) bool) error {
	for i := range args {
		if err := bind(stmt, i+1, &args[i]); err != nil {
			return err
		}
	}
	for stmt.Step() {
		if each == nil || !each(row{stmt, c}) {
			break
		}
	}
	return stmt.Err()
}

func bind(stmt *sqlite3.Stmt, at int, v *value) error {
	if v.Null {
		return stmt.BindNull(at)
	}
	switch v.kind {
	case relation.ID:
		var text [36]byte
		return stmt.BindRawText(at, appendID(text[:0], v.ID))
	case relation.Text, relation.JSON:
		return stmt.BindText(at, v.Text)
	case relation.Bytes:
		return stmt.BindBlob(at, v.Bytes)
	default:
		return stmt.BindInt64(at, v.Int)
	}
}

func appendID(dst []byte, id uuid.UUID) []byte {
	for i, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return dst
}

// A row is a row of an answer.
type row struct {
	stmt *sqlite3.Stmt
	c    *conn
}

// integer reads the only column.
func (r row) integer() int64 { return r.stmt.ColumnInt64(0) }

// cells reads the columns. They hold until the next row is read.
func (r row) cells(columns []relation.Column) ([]relation.Cell, error) {
	raw, cells := room(&r.c.raw, len(columns)), room(&r.c.read, len(columns))
	if err := r.stmt.ColumnsRaw(raw...); err != nil {
		return nil, err
	}
	for i := range cells {
		if err := setCell(&cells[i], columns[i].Kind, raw[i]); err != nil {
			return nil, fmt.Errorf("column %s: %w", columns[i].Name, err)
		}
	}
	return cells, nil
}

// setCell sets a cell to what SQLite has in a column.
func setCell(c *relation.Cell, kind relation.Kind, raw any) (err error) {
	bytes, isBytes := raw.([]byte)
	n, isInteger := raw.(int64)
	switch {
	case raw == nil:
		c.Null = true
	case isBytes && kind == relation.ID:
		c.ID, err = uuid.ParseBytes(bytes)
	case isBytes && (kind == relation.Text || kind == relation.JSON):
		c.Text = string(bytes)
	case isBytes && kind == relation.Bytes:
		c.Bytes = bytes
	case isInteger && kind != relation.ID && kind != relation.Text && kind != relation.JSON && kind != relation.Bytes:
		c.Int = n
	default:
		err = fmt.Errorf("it has a value of type %T", raw)
	}
	return err
}

// isTaken reports whether a statement failed because an id or a unique key is taken.
func isTaken(err error) bool {
	return errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) || errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY)
}

// guard makes the index of the log with the rights of the file, because SQLite makes one that
// everybody may read. Where it cannot, SQLite says what is wrong. Beside a file that is no
// database it makes none.
func guard(path string) {
	file, err := os.Stat(path)
	if err != nil || !vfs.SupportsSharedMemory || file.Size() > 0 && !isDatabase(path) {
		return
	}
	index, err := os.OpenFile(path+"-shm", os.O_RDWR|os.O_CREATE, file.Mode().Perm())
	if err == nil {
		_ = index.Close()
		_ = os.Chmod(path+"-shm", file.Mode().Perm())
	}
}

// isDatabase reports whether a file begins as those of SQLite do.
func isDatabase(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(sqliteMagic))
	_, err = io.ReadFull(file, head)
	return err == nil && string(head) == sqliteMagic
}

const sqliteMagic = "SQLite format 3\x00"

// database opens the file for a migration.
func (s *Store) database() (*sql.DB, error) {
	guard(s.path)
	return driver.Open(uri(s.path)+s.cfg.uri, func(c *sqlite3.Conn) error {
		return errors.Join(c.BusyTimeout(time.Minute), c.Exec(pragmas(s.cfg.Sync)))
	})
}
