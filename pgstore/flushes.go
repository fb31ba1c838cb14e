package pgstore

import (
	"strconv"
	"strings"
	"sync"
)

// flushes caches the texts of joined statements, of writes and of reads. The
// writes of a transaction are joined into one statement, with a part for each
// table, when the order of the parts does not matter: separate statements would
// cost the server more than the writes themselves. The text depends on the
// parts. The engine needs only few different texts, and each is made once.
type flushes struct {
	mu    sync.Mutex
	texts map[string]string
}

// text returns the joined statement of the parts.
func (f *flushes) text(parts []part) string {
	var key strings.Builder
	for _, p := range parts {
		key.WriteString(p.sql)
		key.WriteByte(0)
	}
	return f.cached(key.String(), func() string { return join(parts) })
}

// cached makes a text unless it was made before.
func (f *flushes) cached(key string, write func() string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, ok := f.texts[key]
	if !ok {
		text = write()
		if f.texts == nil {
			f.texts = make(map[string]string)
		}
		f.texts[key] = text
	}
	return text
}

// A part is a statement and its parameters. The first one is the program, and
// all parts share it.
type part struct {
	sql  string
	args []any
}

// join joins the parts into one statement.
func join(parts []part) string {
	var sql strings.Builder
	shift := 0
	for i, p := range parts {
		switch {
		case i == len(parts)-1:
			sql.WriteString(" ")
		case i == 0:
			sql.WriteString("WITH p0 AS (")
		}
		sql.WriteString(renumber(p.sql, shift))
		if i < len(parts)-1 {
			sql.WriteString(")")
		}
		if i < len(parts)-2 {
			sql.WriteString(", p" + strconv.Itoa(i+1) + " AS (")
		}
		shift += len(p.args) - 1
	}
	return sql.String()
}

// renumber shifts the parameters of a statement, except the first.
func renumber(sql string, shift int) string {
	pieces := strings.Split(sql, "$")
	var out strings.Builder
	out.WriteString(pieces[0])
	for _, piece := range pieces[1:] {
		digits := 0
		for digits < len(piece) && '0' <= piece[digits] && piece[digits] <= '9' {
			digits++
		}
		n, _ := strconv.Atoi(piece[:digits])
		if n > 1 {
			n += shift
		}
		out.WriteString("$" + strconv.Itoa(n) + piece[digits:])
	}
	return out.String()
}
