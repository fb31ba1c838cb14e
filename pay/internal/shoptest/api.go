package shoptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Field returns a text or a number of an event as text; empty: it has none.
func (e Event) Field(name string) string {
	if e[name] == nil {
		return ""
	}
	return fmt.Sprint(e[name])
}

// After returns the events behind the one with an id, at most n, and whether there are more; an empty id
// is before all.
func After(events []Event, field, id string, n int) (page []Event, more bool) {
	for i := range events {
		if id != "" && events[i].Field(field) == id {
			events, id = events[i+1:], ""
			break
		}
	}
	if id != "" {
		return nil, false
	}
	return events[:min(n, len(events))], len(events) > n
}

// Page returns a page of events, by its number from 0 on.
func Page(events []Event, number, size int) []Event {
	from := min(number*size, len(events))
	return append([]Event{}, events[from:min(from+size, len(events))]...)
}

// Put puts an object into a list, in the place of the one with the same id, from which it keeps a field: a dotted path.
func Put(list []Event, o Event, id, keep string) []Event {
	for i := range list {
		if list[i].Field(id) != o.Field(id) {
			continue
		}
		var field any = map[string]any(list[i])
		for name := range strings.SplitSeq(keep, ".") {
			field = field.(map[string]any)[name]
		}
		list[i] = o.With(keep, field)
		return list
	}
	return append(list, o)
}

// Answers writes an answer of an API.
func Answers(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}
