package relation_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/internal/relation"
)

var update = flag.Bool("update", false, "write docs/tables.md")

const page = "../../docs/tables.md"

// lookup reports whether a column serves the store alone, so that it may change.
func lookup(c relation.Column) bool { return c.Doc == "" || c.Name == "given_as_null" }

// forStore are the names of such columns.
var forStore = regexp.MustCompile(`^(by|of)_|^given_as_null$`)

// common are the columns of many tables whose meaning the introduction says.
var common = map[string]string{
	"id": "of the row", "revision": "of the last event of this object", "created_at": "when it was recorded", "updated_at": "when it last changed",
}

// kindNames are the kinds as the page calls them.
var kindNames = map[relation.Kind]string{
	relation.ID: "id", relation.Text: "text", relation.Integer: "integer", relation.Bool: "boolean", relation.Money: "amount",
	relation.Percent: "percent", relation.Time: "time", relation.JSON: "JSON", relation.Bytes: "bytes",
}

// TestPage: docs/tables.md behind its introduction is the description. -update writes it.
func TestPage(t *testing.T) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const first = "\n## The tables\n"
	introduction, rest, found := strings.Cut(string(raw), first)
	if !found {
		t.Fatalf("the page has no line %q", strings.TrimSpace(first))
	}
	var b strings.Builder
	for _, table := range relation.Tables() {
		describe(t, &b, table)
	}
	if *update {
		if err := os.WriteFile(page, []byte(introduction+first+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(rest, b.String()); diff != "" {
		t.Errorf("docs/tables.md is not what go test ./internal/relation -update writes (-page +description):\n%s", diff)
	}
}

// describe writes the section of a table. Columns of one meaning stand in one line.
func describe(t *testing.T, b *strings.Builder, table relation.Table) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", table.Name, table.Doc)
	var usual, names []string
	for i, c := range table.Columns {
		switch {
		case lookup(c):
			if !forStore.MatchString(c.Name) {
				t.Errorf("%s.%s serves the store alone, and its name does not say so", table.Name, c.Name)
			}
			continue
		case c.Doc == common[c.Name]:
			if c.Name != "id" { // every table has it
				usual = append(usual, "`"+c.Name+"`")
			}
			continue
		}
		if forStore.MatchString(c.Name) {
			t.Errorf("%s.%s is promised, and its name says that it serves the store alone", table.Name, c.Name)
		}
		names = append(names, "`"+c.Name+"`")
		if i+1 < len(table.Columns) && table.Columns[i+1].Kind == c.Kind && table.Columns[i+1].Null == c.Null && table.Columns[i+1].Doc == c.Doc {
			continue
		}
		null := ""
		if c.Null {
			null = "?"
		}
		fmt.Fprintf(b, "- %s (%s%s): %s\n", strings.Join(names, ", "), kindNames[c.Kind], null, c.Doc)
		names = nil
	}
	if len(usual) > 0 {
		fmt.Fprintf(b, "\nCommon: %s.\n", strings.Join(usual, ", "))
	}
}
