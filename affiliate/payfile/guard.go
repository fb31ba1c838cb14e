package payfile

import "strings"

var breaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// Cell is a text as a cell that is safe to open in a spreadsheet: line breaks
// become one space, and a text that would be a formula gets a leading
// apostrophe, which a spreadsheet does not show.
//
// Source: docs/money.md 7.
func Cell(text string) string {
	bare := strings.TrimLeft(text, " \t\r\n\u00a0")
	blank := text[:len(text)-len(bare)]
	formula := strings.ContainsAny(blank, "\t\r") || bare != "" && strings.Contains("=+-@", bare[:1])
	text = breaks.Replace(text)
	if formula {
		return "'" + text
	}
	return text
}

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
