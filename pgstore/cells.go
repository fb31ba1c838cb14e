package pgstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/relation"
)

// errRecord says that a row has what no record has, such as a word that this version
// does not know.
var errRecord = errors.New("a stored record cannot be read")

// value returns a cell as a parameter.
func value(k relation.Kind, c *relation.Cell) any {
	if c.Null {
		return nil
	}
	switch k {
	case relation.ID:
		return idOf(c)
	case relation.Text, relation.JSON:
		return c.Text
	case relation.Bool:
		return c.Int != 0
	case relation.Time:
		return timeOf(c)
	case relation.Bytes:
		return bytesOf(c)
	}
	return c.Int
}

// values returns the cells of one column of many rows as a parameter, an array.
func values(k relation.Kind, rows [][]relation.Cell, i int) any {
	switch k {
	case relation.ID:
		return gather(rows, i, idOf)
	case relation.Text, relation.JSON:
		return gather(rows, i, textOf)
	case relation.Bool:
		return gather(rows, i, boolOf)
	case relation.Time:
		return gather(rows, i, timeOf)
	case relation.Bytes:
		column := make(pgtype.FlatArray[[]byte], len(rows))
		for j, row := range rows {
			column[j] = bytesOf(&row[i])
		}
		return column
	}
	return gather(rows, i, intOf)
}

// gather makes an array. Its elements are pointers, because pgx takes each of them as
// any, which would copy a value to the heap.
func gather[E any](rows [][]relation.Cell, i int, of func(*relation.Cell) E) pgtype.FlatArray[*E] {
	elements, column := make([]E, len(rows)), make(pgtype.FlatArray[*E], len(rows))
	for j, row := range rows {
		elements[j] = of(&row[i])
		column[j] = &elements[j]
	}
	return column
}

func idOf(c *relation.Cell) pgtype.UUID { return pgtype.UUID{Bytes: c.ID, Valid: !c.Null} }

func textOf(c *relation.Cell) pgtype.Text { return pgtype.Text{String: c.Text, Valid: !c.Null} }

func intOf(c *relation.Cell) pgtype.Int8 { return pgtype.Int8{Int64: c.Int, Valid: !c.Null} }

func boolOf(c *relation.Cell) pgtype.Bool { return pgtype.Bool{Bool: c.Int != 0, Valid: !c.Null} }

func timeOf(c *relation.Cell) pgtype.Timestamptz {
	return pgtype.Timestamptz{Time: time.UnixMicro(c.Int).UTC(), Valid: !c.Null}
}

// bytesOf returns bytes that are not nil, unless the cell is null.
func bytesOf(c *relation.Cell) []byte {
	if c.Bytes == nil && !c.Null {
		return []byte{}
	}
	return c.Bytes
}

// idArg returns an id as a parameter.
func idArg(id uuid.UUID) any { return pgtype.UUID{Bytes: id, Valid: true} }

// keyArg returns the value of a key as a parameter; a key without an index is an id.
func (s *tableSQL) keyArg(key record.Key) any {
	cell := s.keyCell(key)
	return value(s.column(key.Index).Kind, &cell)
}

// keysArg returns the values of keys of one index as a parameter.
func (s *tableSQL) keysArg(ix record.Index, keys []record.Key) any {
	rows := make([][]relation.Cell, len(keys))
	for i, key := range keys {
		rows[i] = []relation.Cell{s.keyCell(key)}
	}
	return values(s.column(ix).Kind, rows, 0)
}

func (s *tableSQL) keyCell(key record.Key) relation.Cell {
	if key.Index == "" {
		return relation.Cell{ID: key.ID}
	}
	return s.KeyCell(key)
}

// scan reads the record in the columns of a row from the place at on. Where the id
// is null there is none.
func (tab *table[T]) scan(rows pgx.Rows, at int) (rec T, ok bool, err error) {
	fields, raw := rows.FieldDescriptions(), rows.RawValues()
	if raw[at] == nil {
		return rec, false, nil
	}
	cells := tab.t.cellsFor(tab.sql)
	types := typesOf(rows)
	for i := range cells {
		if err := readCell(&cells[i], tab.sql.Columns[i].Kind, types, &fields[at+i], raw[at+i]); err != nil {
			return rec, false, fmt.Errorf("%w: %s.%s: %w", errRecord, tab.sql.Name, tab.sql.Columns[i].Name, err)
		}
	}
	read, err := tab.sql.Read(cells)
	if err != nil {
		return rec, false, fmt.Errorf("%w: %w", errRecord, err)
	}
	return read.(T), true, nil
}

// typesOf returns how the connection of a row reads values.
func typesOf(rows pgx.Rows) *pgtype.Map { return rows.Conn().TypeMap() }

// cellsFor returns memory for a row of a table. It is used until the next call.
func (t *txn) cellsFor(sql *tableSQL) []relation.Cell {
	if len(t.cells) < len(sql.Columns) {
		t.cells = make([]relation.Cell, max(64, len(sql.Columns)))
	}
	return t.cells[:len(sql.Columns)]
}

// sinceUnix is 2000-01-01, from which the server counts, in microseconds.
const sinceUnix = 946_684_800_000_000

// readCell reads a value. Pools that prepare no statements get texts, which are read
// as pgx does it.
func readCell(c *relation.Cell, k relation.Kind, types *pgtype.Map, f *pgconn.FieldDescription, raw []byte) error {
	*c = relation.Cell{}
	switch {
	case raw == nil:
		c.Null = true
	case k == relation.Text, k == relation.JSON:
		c.Text = string(raw) // in either format
	case f.Format != pgx.BinaryFormatCode:
		return readText(c, k, types, f, raw)
	case k == relation.ID && len(raw) == len(c.ID):
		c.ID = uuid.UUID(raw)
	case k == relation.Bytes:
		c.Bytes = raw
	case k == relation.Bool && len(raw) == 1:
		c.Int = int64(raw[0])
	case k == relation.Time && len(raw) == 8:
		c.Int = int64(binary.BigEndian.Uint64(raw)) + sinceUnix
	case len(raw) == 8:
		c.Int = int64(binary.BigEndian.Uint64(raw))
	default:
		return errRecord
	}
	return nil
}

func readText(c *relation.Cell, k relation.Kind, types *pgtype.Map, f *pgconn.FieldDescription, raw []byte) error {
	scan := func(into any) error { return types.Scan(f.DataTypeOID, f.Format, raw, into) }
	switch k {
	case relation.ID:
		return scan((*[16]byte)(&c.ID))
	case relation.Bytes:
		return scan(&c.Bytes)
	case relation.Bool:
		var is bool
		err := scan(&is)
		if is {
			c.Int = 1
		}
		return err
	case relation.Time:
		var t time.Time
		err := scan(&t)
		c.Int = t.UnixMicro()
		return err
	}
	return scan(&c.Int)
}
