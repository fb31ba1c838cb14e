package page

import "strings"

// In a title, a name stands between two characters that no shown text has, because
// [Text] writes them as U+XXXX.
const nameBegins, nameEnds = "\U000f0000", "\U000f0001"

// Named returns a text that people gave, as a part of a title.
func Named(name string) string { return nameBegins + Text(name, InList) + nameEnds }

// A Part is a part of a title. A name is isolated, so that its direction of writing
// moves nothing beside it.
type Part struct {
	Text string
	Name bool
}

// Parts returns the parts of a title.
func Parts(title string) (all []Part) {
	for title != "" {
		before, rest, found := strings.Cut(title, nameBegins)
		if before != "" {
			all = append(all, Part{Text(before, InList), false})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, nameEnds)
		all, title = append(all, Part{name, true}), after
	}
	return all
}

// Plain returns a title without its parts, for the window of the browser.
func Plain(title string) string {
	var b strings.Builder
	for _, part := range Parts(title) {
		b.WriteString(part.Text)
	}
	return b.String()
}
