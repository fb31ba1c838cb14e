package payfile

import (
	"strings"

	"github.com/tributary-go/tributary/internal/sheet"
)

// Cell returns a text as a cell that is safe to open in a spreadsheet, whichever
// character separates cells there: line breaks become one space, and before what
// would be a formula there is an apostrophe. A number stays a number.
//
// Source: docs/money.md 7.
func Cell(text string) string { return sheet.Cell(text) }

// unguarded takes the apostrophe off again.
func unguarded(cell string) string { return strings.TrimPrefix(cell, "'") }

// cut is at most n characters of a text.
func cut(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}
