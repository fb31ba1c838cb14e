package pgstore

import (
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/internal/relation"
)

// writes are what a transaction sends at its end.
type writes struct {
	list  []write
	apart bool // their order matters
}

// A write is a statement for rows of one table.
type write struct {
	sql  *tableSQL
	how  how
	args []any // a value for each column, or an array for each; of deleteRows: the ids
}

// how is what a statement does.
type how byte

const (
	deleteRows how = iota // any number of rows
	insertRow
	insertRows
	updateRow
	updateRows
	hows
)

// queue queues a statement for each write of a transaction.
func (w *writes) queue(b *pgx.Batch, t *txn) {
	for _, one := range w.list {
		b.Queue(one.sql.writes[one.how], append([]any{t.programID}, one.args...)...)
	}
}

// mostJoined is the number of joined statements of which a Store remembers the text.
const mostJoined = 512

// joins are the joined statements that were made.
type joins struct {
	mu   sync.Mutex
	text map[string]string
}

// joined returns the statement that gives the program a new version if the guard lets
// it, and then writes. Its parameters are those of the guard and of each write. It returns
// a row if it has written.
func (s *statements) joined(w *writes) string {
	shape := w.shape()
	s.joins.mu.Lock()
	defer s.joins.mu.Unlock()
	text, ok := s.joins.text[string(shape)]
	if !ok {
		if len(s.joins.text) == mostJoined || s.joins.text == nil {
			s.joins.text = map[string]string{}
		}
		text = s.join(w)
		s.joins.text[string(shape)] = text
	}
	return text
}

// shape returns what the text of the joined statement depends on.
func (w *writes) shape() []byte {
	shape := make([]byte, 0, 64)
	for _, one := range w.list {
		shape = append(shape, byte(one.how), one.sql.at)
	}
	return shape
}

// join makes a joined statement.
func (s *statements) join(w *writes) string {
	var b strings.Builder
	b.WriteString(s.guard)
	next := guardArgs + 1
	for i, one := range w.list {
		fmt.Fprintf(&b, ", p%d AS (%s)", i, one.sql.writing(one.how, next, true))
		next += len(one.sql.Columns)
	}
	b.WriteString(" SELECT 1 FROM guard")
	return b.String()
}

// writing returns the statement for rows of the table. Its parameters are the program and,
// from next on, one for each column. With a guard it writes nothing unless the guard
// has a row.
func (s *tableSQL) writing(how how, next int, guarded bool) string {
	names, from, also := s.selected(""), "", ""
	if guarded {
		from, also = " FROM guard", ", guard"
	}
	one := func(c *relation.Column, n int) string { return param(c, next+n, "") + cast(c) }
	arrays := " FROM unnest(" + s.each(", ", func(c *relation.Column, n int) string { return param(c, next+n, "[]") }) + ") AS v(" + names + ")" + also
	switch how {
	case insertRow:
		return "INSERT INTO " + s.name + " (program, " + names + ") SELECT $1::uuid, " + s.each(", ", one) + from
	case insertRows:
		return "INSERT INTO " + s.name + " (program, " + names + ") SELECT $1::uuid, " +
			s.each(", ", func(c *relation.Column, _ int) string { return "v." + c.Name + cast(c) }) + arrays
	case updateRow:
		return "UPDATE " + s.name + " AS t SET " +
			s.each(", ", func(c *relation.Column, n int) string { return c.Name + " = " + one(c, n) }) + from +
			fmt.Sprintf(" WHERE t.program = $1::uuid AND t.id = $%d::uuid", next)
	case updateRows:
		return "UPDATE " + s.name + " AS t SET " +
			s.each(", ", func(c *relation.Column, _ int) string { return c.Name + " = v." + c.Name + cast(c) }) + arrays +
			" WHERE t.program = $1::uuid AND t.id = v.id"
	}
	return fmt.Sprintf("DELETE FROM %s WHERE program = $1::uuid AND id = ANY($%d::uuid[])", s.name, next)
}
