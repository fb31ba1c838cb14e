package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// maxMemory is what the command may take for a million rows.
const maxMemory = 256 << 20

// TestImportKilled: the command is killed twice, or TRIBUTARY_IMPORT_KILLS times, and run
// again. In the end each row is there once, and the command never took more
// than 256 MiB, whatever TRIBUTARY_IMPORT_ROWS says.
func TestImportKilled(t *testing.T) {
	rows, kills := number(t, "TRIBUTARY_IMPORT_ROWS", 4_000), number(t, "TRIBUTARY_IMPORT_KILLS", 2)
	folder := export(t, rows)
	t.Run("file", func(t *testing.T) { importKilled(t, folder, rows, kills, "-file", inFolder(t, "program.db")) })
	t.Run("database", func(t *testing.T) {
		url := database(t)
		importKilled(t, folder, rows, kills, "-store", url, "-schema", dropped(t, url, "killed"))
	})
}

func importKilled(t *testing.T, folder string, rows, kills int, place ...string) {
	var peak int64
	for i := range kills {
		memory, out := command(t, place, folder, rows*(i+1)/(kills+1), "-verify=false")
		if peak = max(peak, memory); out != "" {
			t.Errorf("run %d was over before it was killed:\n%s", i, out)
		}
	}
	memory, out := command(t, place, folder, 0, "-verify=false")
	peak = max(peak, memory)
	t.Logf("%d rows, %d kills, at most %d MiB", rows, kills, peak>>20)
	if peak > maxMemory {
		t.Errorf("%d MiB\n%s", peak>>20, out)
	}
	_, again := command(t, place, folder, 0, "-verify")
	if want := fmt.Sprintf("created:\nexisting: affiliates %d payouts ", affiliatesOf(rows)); !strings.HasPrefix(again, want) || !strings.Contains(again, fmt.Sprintf(" sales %d\n", rows)) {
		t.Errorf("the last run:\n%s", again)
	}
	if !strings.HasSuffix(again, "the books hold\n") {
		t.Errorf("the books after the last run:\n%s", again)
	}
	if want := fmt.Sprintf("stored USD: sales %d.00, refunds 0.00, commission %d.00,", 10*rows, 2*rows); !strings.Contains(again, want) {
		t.Errorf("the last run, want %s:\n%s", want, again)
	}
}

func affiliatesOf(rows int) int { return max(1, rows/1000) }

// export writes an export with so many sales, a third of them paid.
func export(t *testing.T, rows int) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, header string, n int, line func(i int) string) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out := bufio.NewWriter(f)
		fmt.Fprintln(out, header)
		for i := range n {
			fmt.Fprintln(out, line(i))
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	partners, customers := affiliatesOf(rows), max(1, rows/20)
	write("affiliates.csv", "ref,name,email,slug", partners, func(i int) string {
		return fmt.Sprintf("a%d,Partner %[1]d,p%[1]d@example.com,partner-%[1]d", i)
	})
	write("referrals.csv", "ref,email,affiliate", customers, func(i int) string {
		return fmt.Sprintf("c%d,c%[1]d@example.net,a%d", i, i%partners)
	})
	write("sales.csv", "ref,customer,total,commission,status,createdAt,paidAt,externalId", rows, func(i int) string {
		status, paid := "ACCEPTED", ""
		if i%3 == 0 {
			status, paid = "PAID", fmt.Sprintf("2025-%02d-05", 1+i/3%12)
		}
		return fmt.Sprintf("s%d,c%d,10.00,2.00,%s,2024-12-%02d,%s,ch_%d", i, i%customers, status, 1+i%28, paid, i)
	})
	same := func(fields ...string) map[string]string {
		columns := map[string]string{}
		for _, f := range fields {
			columns[f] = f
		}
		return columns
	}
	mapping, err := json.Marshal([]map[string]any{
		{"file": "affiliates.csv", "kind": "affiliates", "columns": same("ref", "name", "email", "slug")},
		{"file": "referrals.csv", "kind": "referrals", "columns": same("ref", "email", "affiliate")},
		{"file": "sales.csv", "kind": "sales", "columns": same("ref", "customer", "total", "commission", "status", "createdAt", "paidAt", "externalId")},
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "mapping.json"), mapping, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// command runs the command in a process of its own, and kills it after so many
// sales, unless that is 0. It returns the most memory that the process had, and
// what it printed.
func command(t *testing.T, place []string, folder string, killAfter int, verify string) (memory int64, out string) {
	t.Helper()
	cmd := process(t.Context(), append(append([]string{"import"}, place...), "-write", verify, folder)...)
	var stdout strings.Builder
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	killed := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		var done string
		fmt.Sscanf(lines.Text(), "sales %s", &done)
		n, _ := strconv.Atoi(strings.ReplaceAll(done, ",", ""))
		if killAfter > 0 && n >= killAfter && !killed {
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil && !killed {
		t.Errorf("%v\n%s", err, stdout.String())
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, stdout.String()
}
