package sqlitestore_test

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
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
