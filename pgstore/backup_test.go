package pgstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

// newOwn starts a server for a test that restarts it.
func newOwn(t *testing.T) *pgtest.Cluster {
	t.Helper()
	srv, err := pgtest.Start(t.Context(), true)
	if err != nil {
		absent(t, err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	return srv
}

// TestDump: a program that pg_dump wrote while sales were made, restored by
// pg_restore into another server, has all sales from before, passes Verify and goes
// on. docs/operations.md has the commands.
func TestDump(t *testing.T) {
	ctx := t.Context()
	from, to := newOwn(t), newOwn(t)
	s := newShop(t, newPool(t, from.URL()), pgstore.Config{})
	for i := range 50 {
		must(s.plain.RecordSale(ctx, sale(i)))
	}
	stop, stopped := make(chan struct{}), make(chan int)
	go func() {
		for i := 50; ; i++ {
			select {
			case <-stop:
				stopped <- i
				return
			default:
				must(s.plain.RecordSale(ctx, sale(i)))
			}
		}
	}()
	file := filepath.Join(to.Dir(), "tributary.dump")
	must(from.Run(ctx, "pg_dump", "--format=custom", "--schema=test_"+schemaID(), "--file="+filepath.Join(from.Dir(), "tributary.dump")))
	close(stop)
	sold := <-stopped
	write(t, file, must(os.ReadFile(filepath.Join(from.Dir(), "tributary.dump"))))
	must(0, os.Chmod(file, 0o644))
	must(to.Run(ctx, "pg_restore", "--exit-on-error", "--dbname=postgres", file))
	again := reopened(t, newPool(t, to.URL()), s)
	if n := again.sales(); n < 50 || n > sold {
		t.Errorf("%d sales after the restore, of 50 before the dump and %d in all", n, sold)
	}
	goesOn(t, again)
	t.Attr("server", fmt.Sprintf("pg_dump while sales are made, restored elsewhere: %d sales, those of before among them; Verify passes, known sales are duplicates", again.sales()))
}

// TestPointInTime: a base backup and the archived log bring the program to the moment
// before a mistake. All sales from before are there, none from after, Verify passes
// and sales go on.
func TestPointInTime(t *testing.T) {
	ctx := t.Context()
	srv := newOwn(t)
	archive := filepath.Join(srv.Dir(), "archive")
	must(srv.Run(ctx, "pg_config", "--version")) // the programs are there
	pool := newPool(t, srv.URL())
	must(0, os.Mkdir(archive, 0o777))
	must(0, os.Chmod(archive, 0o777))
	exec(t, pool, "ALTER SYSTEM SET archive_mode = on")
	exec(t, pool, fmt.Sprintf("ALTER SYSTEM SET archive_command = 'test ! -f %[1]s/%%f && cp %%p %[1]s/%%f'", archive))
	must(0, srv.Halt())
	must(0, srv.Restart(ctx))
	pool.Reset()
	s := newShop(t, pool, pgstore.Config{})
	must(s.plain.RecordSale(ctx, sale(1)))
	base := filepath.Join(srv.Dir(), "base")
	must(srv.Run(ctx, "pg_basebackup", "--pgdata="+base, "--checkpoint=fast", "--wal-method=stream"))
	for i := range 20 {
		must(s.plain.RecordSale(ctx, sale(2+i)))
	}
	exec(t, pool, "SELECT pg_create_restore_point('before the mistake')")
	for i := range 5 {
		must(s.plain.RecordSale(ctx, sale(100+i)))
	}
	exec(t, pool, "DELETE FROM test_"+schemaID()+".sales") // the mistake
	exec(t, pool, "SELECT pg_switch_wal()")
	archived(t, pool)

	restored, err := pgtest.Resume(ctx, base, func(data string) error {
		settings := fmt.Sprintf("\narchive_mode = off\nrestore_command = 'cp %s/%%f %%p'\nrecovery_target_name = 'before the mistake'\nrecovery_target_action = promote\n", archive)
		conf := filepath.Join(data, "postgresql.auto.conf")
		raw, err := os.ReadFile(conf)
		if err == nil {
			err = os.WriteFile(conf, append(raw, settings...), 0o600)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(data, "recovery.signal"), nil, 0o644)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = restored.Stop() })
	then := newPool(t, restored.URL())
	promoted(t, then)
	again := reopened(t, then, s)
	if n := again.sales(); n != 21 {
		t.Errorf("%d sales at the restore point, want 21", n)
	}
	goesOn(t, again)
	t.Attr("server", "base backup and log, restored to a moment before a mistake: all 21 sales of before it, none of the 5 after; Verify passes")
}

// archived waits until the log up to now is in the archive.
func archived(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		var done bool
		err := pool.QueryRow(t.Context(), "SELECT coalesce(last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 16777216), false) FROM pg_stat_archiver").Scan(&done)
		if err == nil && done {
			return
		}
	}
	t.Fatal("the log is not archived")
}

// promoted waits until a server has recovered and takes writes.
func promoted(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		var recovering bool
		if err := pool.QueryRow(t.Context(), "SELECT pg_is_in_recovery()").Scan(&recovering); err == nil && !recovering {
			return
		}
	}
	t.Fatal("the server still recovers")
}

// reopened is a shop in another database.
func reopened(t *testing.T, pool *pgxpool.Pool, s *shop) *shop {
	t.Helper()
	store := newStore(t, pool, pgstore.Config{Schema: "test_" + schemaID()})
	must(0, store.Migrate(t.Context()))
	return &shop{t: t, pool: pool, store: store, plain: newProgram(t, store, s.plain.Config().ID)}
}

// goesOn fails the test unless the books are right and a sale is recorded; the same
// sale as before the backup is a duplicate.
func goesOn(t *testing.T, s *shop) {
	t.Helper()
	n := s.sales()
	must(s.plain.RecordSale(t.Context(), sale(1_000_000)))
	order := sale(1)
	order.Once.Key = uuid.NewString()
	if got := must(s.plain.RecordSale(t.Context(), order)); got.Outcome != affiliate.SaleDuplicate {
		t.Errorf("the sale from before the backup: %v, want a duplicate", got.Outcome)
	}
	s.books("after the restore", n+1)
}
