package payfile

import (
	"strings"

	"github.com/tributary-go/tributary/internal/sheet"
)

// Cell returns a text as a cell that is safe to open in a spreadsheet, whichever
// character separates cells there: line breaks become one space, and a text that
// would be a formula gets an apostrophe in front. A number stays a number.
//
// Source: docs/money.md 7.
func Cell(text string) string { return sheet.Cell(text) }

// unguarded removes the apostrophe again.
func unguarded(cell string) string { return strings.TrimPrefix(cell, "'") }

// cut returns at most n characters of a text.
func cut(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}
