package sqlitestore_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// limitFiles makes every file of this process end at so many bytes, as a full disk does.
func limitFiles(bytes uint64) error {
	signal.Ignore(syscall.SIGXFSZ) // the write fails instead
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes})
}

// TestFullDisk: when the disk is full a sale fails with an error, nothing that was
// recorded is lost, and with room again the file goes on.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	furnish(t, newProgram(t, store))
	must(0, store.Close())
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), sellerFile+"="+path, fileLimitVariable+"=4000000")
	var said, failed strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &failed
	if err := cmd.Run(); err == nil || !strings.Contains(failed.String(), "sqlitestore: ") || strings.Contains(failed.String(), "panic") {
		t.Errorf("%v: %s", err, &failed)
	}
	var orders []string
	for lines := bufio.NewScanner(strings.NewReader(said.String())); lines.Scan(); {
		orders = append(orders, lines.Text())
	}
	if len(orders) < 20 {
		t.Errorf("only %d sales before the disk was full: %s", len(orders), &failed)
	}
	p := newProgram(t, open(t, path, sqlitestore.Config{}))
	books(t, p, orders)
	if err := sell(t.Context(), p, "order-with-room"); err != nil {
		t.Error(err)
	}
	t.Logf("%d sales, then %s", len(orders), &failed)
}

// TestFullGroup: when the disk is full within closures that share a transaction, or at
// its commit, each of them is stored whole or returns an error and nothing of it is
// stored; only ErrOutcomeUnknown leaves it open which.
func TestFullGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), groupFile+"="+path, fileLimitVariable+"=60000000")
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &failed)
	}
	store := open(t, path, sqlitestore.Config{})
	ends := map[string]int{}
	for line := range strings.Lines(string(out)) {
		var end, id string
		if _, err := fmt.Sscan(line, &end, &id); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		ends[end]++
		n, program := 0, uuid.MustParse(id)
		err := store.View(t.Context(), program, func(tx *record.Tx) error {
			for _, err := range tx.Affiliates.List(record.Query{}) {
				if n++; err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case n != 0 && n != groupRecords, n == 0 && end == "stored", n > 0 && end == "failed":
			t.Errorf("%s, but it has %d records", end, n)
		}
	}
	if ends["stored"] == 0 || ends["failed"]+ends["unknown"] == 0 { // unknown: the disk was full at the commit
		t.Errorf("%v", ends)
	}
	t.Log(ends)
}
