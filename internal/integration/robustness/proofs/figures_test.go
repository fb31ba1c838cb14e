package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const recorded = `{"Action":"run","Test":"TestHistoriesInMemory"}
{"Action":"attr","Test":"TestHistoriesInMemory/memstore/signup","Key":"histories","Value":"histories=3 operations=240 illegal=0 unknown=0 unverified=0 unanswered=1 overlaps=90 least=20 refusals=7 slowest=0.1s"}
{"Action":"attr","Test":"TestHistoriesInMemory/memstore/treasury","Key":"histories","Value":"histories=4 operations=10 illegal=0 unknown=0 unverified=0 unanswered=0 overlaps=5 least=15 refusals=1 slowest=0.1s"}
{"Action":"attr","Test":"TestHistoriesInMemory/lost_answers/signup","Key":"histories","Value":"histories=2 operations=160 illegal=1 unknown=0 unverified=0 unanswered=0 overlaps=60 least=25 refusals=5 slowest=0.1s"}
{"Action":"attr","Test":"TestPlantedInMemory/falls_on_a_refund_on_memstore","Key":"planted","Value":"by=history histories=4"}
{"Action":"attr","Test":"TestPlantedOnPostgres/falls_on_a_refund_on_two_processes","Key":"planted","Value":"by=Verify histories=1"}
{"Action":"attr","Test":"TestExactly/HTTP","Key":"exactly","Value":"things=32 rounds=32 callers=768"}
{"Action":"attr","Test":"TestExactly/memstore","Key":"exactly","Value":"things=32 rounds=32 callers=768"}
{"Action":"attr","Test":"TestFaultAtEveryCall","Key":"faults","Value":"operations=120 faults=1500"}
{"Action":"attr","Test":"TestLostAnswerOfEveryWrite","Key":"lost","Value":"answers=84"}
{"Action":"attr","Test":"TestSlowCall","Key":"slow","Value":"operations=120 calls=542"}
{"Action":"attr","Test":"TestFaultsInPairs","Key":"pairs","Value":"operations=73 pairs=563 kinds=36"}
{"Action":"pass","Test":"TestHistoriesInMemory"}
{"Action":"attr","Test":"TestDiskFull","Key":"server","Value":"a disk that is full: 7 sales acknowledged"}
SKIPPED: no apt-get to get Patroni with
`

// TestTables: the tables have what the tests counted, and their sums.
func TestTables(t *testing.T) {
	f, err := read(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	text := f.tables()
	for _, line := range []string{
		"1 illegal (not linearizable), 0 unknown (not decided), 0 refused",
		"| Where | Histories | Calls | Illegal | Unanswered | Overlaps | Least | Refusals |\n|---|---|---|---|---|---|---|---|\n",
		"| lost answers | 2 | 160 | 1 | 0 | 60 | 25 | 5 |\n| memstore | 7 | 250 | 0 | 1 | 95 | 15 | 8 |",
		"| **all** | **9** | **410** | **1** | **1** | **155** | | **13** |",
		"| falls on a refund | 2 | 1 | 1 | 4 |",
		"| each of HTTP; memstore | 32 | 32 | 768 | 0 |",
		"| SKIPPED | no apt-get to get Patroni with |\n| a disk that is full | 7 sales acknowledged |\n",
		"120 operations", "1500 faults", "84 answers", "542 calls that took too long", "563 times two faults in turn, 36 ordered pairs of kinds, of 73 writes",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the tables have no %q:\n%s", line, text)
		}
	}
}

// TestFailed: there are no tables of tests that failed.
func TestFailed(t *testing.T) {
	_, err := read(strings.NewReader(recorded + `{"Action":"fail","Test":"TestExactly"}`))
	if err == nil || !strings.Contains(err.Error(), "TestExactly") {
		t.Errorf("got %v", err)
	}
}

// TestReplace: only what stands between the two lines is written.
func TestReplace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "proofs.md")
	if err := os.WriteFile(file, []byte("one\n"+begin+"old\n"+end+"two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace(file, "new\n"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if want := "one\n" + begin + "\nnew\n\n" + end + "two\n"; err != nil || string(raw) != want {
		t.Errorf("got %q, %v", raw, err)
	}
	if err := replace(filepath.Join(t.TempDir(), "none.md"), ""); err == nil {
		t.Error("a missing file is written")
	}
}

// TestMissing: a test that counts nothing and does not say SKIPPED is missed, so no
// table leaves it out.
func TestMissing(t *testing.T) {
	f, err := read(strings.NewReader(recorded + `{"Action":"output","Test":"TestDump","Output":"    backup_test.go:23: SKIPPED: no server\n"}
{"Action":"skip","Test":"TestDump"}
{"Action":"run","Test":"TestChaos"}
{"Action":"pass","Test":"TestChaos"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.missing([]string{"TestExactly", "TestDump", "TestChaos", "TestRenamed"}); !slices.Equal(got, []string{"TestChaos", "TestRenamed"}) {
		t.Errorf("missing: %v", got)
	}
	if text := f.tables(); !strings.Contains(text, "| SKIPPED | TestDump: no server |") {
		t.Errorf("the skip is not in the table:\n%s", text)
	}
	want := expected(figures{}, true)
	if !slices.Contains(want, "TestAvailability") || !slices.Contains(want, "TestSlowCall") || slices.Contains(expected(f, true), "TestAvailability") {
		t.Errorf("expected: %v", want)
	}
}
