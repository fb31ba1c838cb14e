package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/month.txt")

const golden = "testdata/month.txt"

// TestRun: the month ends without a difference, and says the same every time.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	said := strings.ReplaceAll(out.String(), "\r\n", "\n") // rows of a file end so
	if *update {
		if err := os.WriteFile(golden, []byte(said), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(said, "\n")); diff != "" {
		t.Errorf("-update writes it anew (-want +got):\n%s", diff)
	}
	page, err := os.ReadFile("../../../docs/reconcile.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```text\n"+string(want)+"```") {
		t.Error("docs/reconcile.md does not have what it says")
	}
	if _, end, _ := strings.Cut(said, "At the end:"); !strings.Contains(end, "differences: 0\n") || !strings.HasSuffix(end, "Verify: holds\n") {
		t.Errorf("the end:%s", end)
	}
}
