package refusal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

// TestTable: the table lists every row of its file, in the order of the file.
func TestTable(t *testing.T) {
	rows, rest, _ := strings.Cut(source(t), "\nvar table = []Refusal{\n")
	names, _, _ := strings.Cut(rest, "\n}\n")
	var want []string
	for _, row := range written.FindAllStringSubmatch(rows, -1) {
		want = append(want, row[1])
	}
	if diff := cmp.Diff(want, regexp.MustCompile(`\w+`).FindAllString(names, -1)); diff != "" || len(want) < 150 {
		t.Errorf("of %d rows (-written +listed):\n%s", len(want), diff)
	}
}

// written is a row of the table in its file.
var written = regexp.MustCompile(`(?m)^\t(\w+) += Refusal\{`)

// source is the file of the table.
func source(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("refusals.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// TestEveryRowIsRaised: each row is used where something is refused, in the
// engine or, if it is exported, in an adapter.
func TestEveryRowIsRaised(t *testing.T) {
	var code strings.Builder
	for _, dir := range []string{".", "../engine", "../reading", "../payout", "../delivery", "../payment", "../upkeep", "../imports", "../audit", "../partner", "../../httpapi", "../../affiliate/importer"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(err, len(files))
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(path, "_test.go") && path != "refusals.go" {
				code.Write(text)
			}
		}
	}
	names := regexp.MustCompile(`(?m)^\t(\w+) += (?:Refusal\{|inField\()`).FindAllStringSubmatch(source(t), -1)
	if len(names) < 170 {
		t.Errorf("%d rows", len(names))
	}
	uses := map[string]int{}
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(code.String(), -1) {
		uses[word]++
	}
	for _, name := range names {
		if uses[name[1]] == 0 {
			t.Errorf("nothing raises %s", name[1])
		}
	}
}

// TestTextsAreWrittenOnce: no text for callers is written outside of the table.
func TestTextsAreWrittenOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range table {
		key := string(row.Reason) + "\x00" + row.field + "\x00" + row.Message
		if seen[key] && row.Reason != affiliate.AffiliateNotFound && row.Reason != affiliate.PlanNotFound {
			t.Errorf("the row %q of %s stands twice", row.Message, row.Reason)
		}
		seen[key] = true
		if row.Message == "" || strings.HasSuffix(row.Message, ".") && row.Reason != affiliate.RateLimited {
			t.Errorf("%s: the text %q", row.Reason, row.Message)
		}
	}
}

// TestPublishedTexts compares the three texts that the published API documents.
func TestPublishedTexts(t *testing.T) {
	for row, want := range map[Refusal]string{
		RequestedSlugTaken: "The requested affiliate link is already in use",
		SlugSyntax:         "Link can only contain letters, numbers, and hyphens",
		SlugTaken:          "This link already exists for this affiliate program",
	} {
		if row.Message != want {
			t.Errorf("%s: %q, want %q", row.Reason, row.Message, want)
		}
	}
}
