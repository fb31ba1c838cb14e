package relation_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/internal/relation"
)

var update = flag.Bool("update", false, "write docs/tables.md")

const page = "../../docs/tables.md"

// lookup reports whether a column serves the store alone, so that it may change.
func lookup(c relation.Column) bool { return c.Doc == "" || c.Name == "given_as_null" }

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
		describe(&b, table)
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

// describe writes the section of a table.
func describe(b *strings.Builder, table relation.Table) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n| Column | Kind | Meaning |\n|---|---|---|\n", table.Name, table.Doc)
	var usual, others []string
	for _, c := range table.Columns {
		switch {
		case lookup(c):
			others = append(others, "`"+c.Name+"`")
			continue
		case c.Doc == common[c.Name]:
			if c.Name != "id" { // every table has it
				usual = append(usual, "`"+c.Name+"`")
			}
			continue
		}
		null := ""
		if c.Null {
			null = "?"
		}
		fmt.Fprintf(b, "| `%s` | %s%s | %s |\n", c.Name, kindNames[c.Kind], null, c.Doc)
	}
	if len(usual) > 0 {
		fmt.Fprintf(b, "\nCommon: %s.\n", strings.Join(usual, ", "))
	}
	if len(others) > 0 {
		fmt.Fprintf(b, "\nFor the store alone: %s.\n", strings.Join(others, ", "))
	}
}
