// Package sheet reads and writes files of spreadsheets. In what it writes, no text runs as
// a formula, whether the reader separates cells at commas, semicolons or tabs.
package sheet

import (
	"bufio"
	"cmp"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Writer writes rows as CSV: every cell in quotation marks, Between between two,
// CRLF after each row. A cell is written as [Cell] has it.
type Writer struct {
	Between string // two cells; empty: a comma

	out *bufio.Writer
	err error
}

// NewWriter returns a Writer to w. Its Flush has to be called at the end.
func NewWriter(w io.Writer) *Writer { return &Writer{out: bufio.NewWriter(w)} }

// Write writes a row.
//
// Errors: those of the writer below, also of an earlier row.
func (w *Writer) Write(row []string) error {
	for i, cell := range row {
		if i > 0 {
			w.text(cmp.Or(w.Between, ","))
		}
		w.text(`"` + strings.ReplaceAll(Cell(cell), `"`, `""`) + `"`)
	}
	w.text("\r\n")
	return w.err
}

func (w *Writer) text(s string) {
	if _, err := w.out.WriteString(s); w.err == nil {
		w.err = err
	}
}

// Flush writes what is held back.
func (w *Writer) Flush() {
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
}

// Error returns the first error of a Write or Flush.
func (w *Writer) Error() error { return w.err }

// breaks are the ends of lines, which become one space.
var breaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// Cell returns a text as a cell that is safe to open in a spreadsheet. A line break
// becomes one space. Where the text would be a formula, at its beginning or after a
// character at which some readers begin a cell, there is an apostrophe before it. A
// number stays a number.
//
// Source: docs/money.md 7.
func Cell(text string) string {
	if isNumber(text) {
		return text
	}
	var b strings.Builder
	blank := text[:len(text)-len(strings.TrimLeft(text, " \t\r\n\u00a0"))]
	guarded := strings.ContainsAny(blank, "\t\r") // some readers drop these and look at what follows
	if guarded {
		b.WriteByte('\'')
	}
	text = breaks.Replace(text)
	begin, fresh := 0, true // where a cell may begin, and whether nothing was seen of it
	for i, r := range text {
		switch {
		case separates(r):
			end := i + utf8.RuneLen(r)
			b.WriteString(text[begin:end])
			begin, fresh = end, true
		case fresh && !unseen(r):
			fresh = false
			if strings.ContainsRune(signs, r) && (begin > 0 || !guarded) {
				b.WriteByte('\'')
			}
		}
	}
	b.WriteString(text[begin:])
	return b.String()
}

// signs begin formulas, also as wide as a character of Chinese.
const signs = "=+-@＝＋－＠"

// separates reports whether some readers begin a cell after a character. A comma is
// none, because the cell is in quotation marks where commas separate.
func separates(r rune) bool {
	return r == ';' || r == '\t' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// unseen reports whether a reader may skip a character before a formula.
func unseen(r rune) bool {
	return r == '"' || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z)
}

// isNumber reports whether a text is a plain number, which is no formula.
func isNumber(text string) bool {
	whole, fraction, broken := strings.Cut(strings.Replace(strings.TrimPrefix(text, "-"), ",", ".", 1), ".")
	return digits(whole) && (!broken || digits(fraction))
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
