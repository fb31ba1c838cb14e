package pgstore_test

import (
	"context"
	"github.com/tributary-go/tributary/pgstore"
	"os"
	ex "os/exec"
	"testing"
	"time"
)

func TestProf(t *testing.T) {
	if os.Getenv("PROF") == "" {
		t.Skip()
	}
	y := newYard(t, 32, pgstore.Config{})
	for i := range 640 {
		if err := y.sell(context.Background(), i%32); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 320 {
		if err := y.redeem(context.Background(), i%32); err != nil {
			t.Fatal(err)
		}
	}
	b := time.Now()
	for i := range 320 {
		if err := y.redeem(context.Background(), i%32); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("per hand", time.Since(b)/320)
	b = time.Now()
	for i := range 320 {
		if err := y.sell(context.Background(), i%32); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("per sale", time.Since(b)/320)
	exec(t, y.pool, "ALTER SYSTEM SET log_min_duration_statement=0")
	exec(t, y.pool, "SELECT pg_reload_conf()")
	for i := range 640 {
		if err := y.sell(context.Background(), i%32); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, y.pool, "ALTER SYSTEM RESET log_min_duration_statement")
	exec(t, y.pool, "SELECT pg_reload_conf()")
	out, err := ex.Command("sh", "-c", "ls -la "+os.TempDir()+"/tributary-pg-*/; cp $(ls -t "+os.TempDir()+"/tributary-pg-*/log | head -1) /tmp/x/pglog").CombinedOutput()
	t.Log(string(out), err)
}
