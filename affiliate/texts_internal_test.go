package affiliate

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAllRefusals: the list holds every row of the table, once, in its order.
func TestAllRefusals(t *testing.T) {
	src, err := os.ReadFile("texts.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t(\w+)\s+= refusal\{`).FindAllStringSubmatch(string(src), -1)
	_, list, _ := strings.Cut(string(src), "return []refusal{")
	listed := regexp.MustCompile(`\w+`).FindAllString(list, -1)
	if len(declared) != len(listed) {
		t.Errorf("%d rows, %d in the list", len(declared), len(listed))
	}
	for i := range min(len(declared), len(listed)) {
		if declared[i][1] != listed[i] {
			t.Fatalf("row %d is %s, in the list %s", i, declared[i][1], listed[i])
		}
	}
}

// TestTextsAreWrittenOnce: no text for callers stands outside the table.
func TestTextsAreWrittenOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range allRefusals() {
		key := string(row.reason) + "\x00" + row.field + "\x00" + row.message
		if seen[key] && row.reason != AffiliateNotFound && row.reason != PlanNotFound {
			t.Errorf("the row %q of %s stands twice", row.message, row.reason)
		}
		seen[key] = true
		if row.message == "" || strings.HasSuffix(row.message, ".") && row.reason != RateLimited {
			t.Errorf("%s: the text %q", row.reason, row.message)
		}
	}
}

// TestPublishedTexts: the three texts that the published API documents, letter for letter.
func TestPublishedTexts(t *testing.T) {
	for row, want := range map[refusal]string{
		requestedSlugTaken: "The requested affiliate link is already in use",
		slugSyntax:         "Link can only contain letters, numbers, and hyphens",
		slugTaken:          "This link already exists for this affiliate program",
	} {
		if row.message != want {
			t.Errorf("%s: %q, want %q", row.reason, row.message, want)
		}
	}
}
