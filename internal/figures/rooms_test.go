package main

import (
	"os"
	"path"
	"strings"
	"testing"
)

const engine = "../../affiliate"

// TestRooms compares the files of the engine with the map at the end of its
// doc.go.
func TestRooms(t *testing.T) {
	p, err := read(engine)
	if err != nil {
		t.Fatal(err)
	}
	for _, up := range p.figures().up {
		t.Errorf("a noun's file uses its operations: %s", up)
	}
	doc, err := os.ReadFile(engine + "/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	rooms := roomsIn(string(doc))
	for _, file := range p.files {
		name := strings.TrimSuffix(p.name(file.Pos()), ".go")
		var in []string
		for room, patterns := range rooms {
			for _, pattern := range patterns {
				if ok, _ := path.Match(pattern, name); ok {
					in = append(in, room)
				}
			}
		}
		if name != "doc" && len(in) != 1 {
			t.Errorf("%s.go is in the rooms %v, want one; the map is in doc.go", name, in)
		}
	}
}

// roomsIn reads the map: a line "Room: file, file*. What to know." for each.
func roomsIn(doc string) map[string][]string {
	rooms := map[string][]string{}
	_, list, _ := strings.Cut(doc, "\npackage affiliate\n")
	for line := range strings.Lines(list) {
		room, ok := strings.CutPrefix(line, "//   - ")
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(room, ": ")
		files, _, _ := strings.Cut(rest, ". ")
		rooms[name] = strings.Split(files, ", ")
	}
	return rooms
}
