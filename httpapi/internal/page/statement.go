package page

import "github.com/tributary-go/tributary/affiliate"

// shownLines is how many lines of a statement a page shows; the CSV has all.
const shownLines = 300

// FirstLines are the lines of a statement that a page shows, and whether there
// are more.
func FirstLines(s affiliate.Statement) (lines []affiliate.StatementLine, more bool, err error) {
	for line, err := range s.Lines() {
		if err != nil {
			return nil, false, err
		}
		if len(lines) == shownLines {
			return lines, true, nil
		}
		lines = append(lines, line)
	}
	return lines, false, nil
}
