package pgstore_test

import (
	"context"
	"os"
	ex "os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/pgstore"
)

func TestProf(t *testing.T) {
	if os.Getenv("PROF") == "" {
		t.Skip()
	}
	y := newYard(t, 32, pgstore.Config{})
	cpu := func() (time.Duration, time.Duration) {
		var r syscall.Rusage
		syscall.Getrusage(0, &r)
		out, _ := ex.Command("sh", "-c", "cat $(for p in $(pgrep -u postgres postgres); do echo /proc/$p/stat; done) | awk '{s+=$14+$15} END {print s}'").Output()
		n, _ := strconv.Atoi(strings.TrimSpace(string(out)))
		return time.Duration(r.Utime.Nano() + r.Stime.Nano()), time.Duration(n) * 10 * time.Millisecond
	}
	wal := func() (n float64) {
		y.pool.QueryRow(context.Background(), "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8").Scan(&n)
		return
	}
	if d := os.Getenv("DROP"); d != "" { for _, q := range strings.Split(d, ";") { exec(t, y.pool, strings.ReplaceAll(q, "S.", "\"Test "+strconv.Itoa(os.Getpid())+"-1\".")) } }
	k := 0
	for range 2 {
		for name, f := range map[string]func(context.Context, int) error{"ours": func(c context.Context, _ int) error { k++; return y.sell(c, k%32) }, "hand": func(c context.Context, _ int) error { k++; return y.redeem(c, k%32) }} {
			rate(t, 16, time.Second, f)
			a, b := cpu()
			w := wal()
			r := rate(t, 16, 2*time.Second, f)
			c, d := cpu()
			n := r * 2
			t.Logf("%s %.0f/s client %.0fus server %.0fus wal %.0f B", name, r, float64((c-a).Microseconds())/n, float64((d-b).Microseconds())/n, (wal()-w)/n)
		}
	}
}
