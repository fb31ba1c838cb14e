package pgstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

// TestDiskFull fills the disk of a server while sales are made, so that it fails to
// extend a table, or to write its log and stops at once. When there is room again
// and it runs, every acknowledged sale is stored, no other one is, save those whose
// outcome was unknown, and sales go on. The disk is a file system in memory, which
// only root may mount.
func TestDiskFull(t *testing.T) {
	disk := must(os.MkdirTemp("", "tributary-disk-"))
	t.Cleanup(func() { _ = os.Remove(disk) })
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=96m,mode=0777"); err != nil {
		if os.Getuid() == 0 && os.Getenv("CI") == "true" && !errors.Is(err, syscall.EPERM) {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED: a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	t.Setenv("TMPDIR", disk)
	srv, err := pgtest.Start(t.Context(), true)
	if err != nil {
		absent(t, err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	pool := newPool(t, srv.URL())
	s := newShop(t, pool, pgstore.Config{})
	must(s.plain.RecordSale(t.Context(), sale(0)))

	ballast := filepath.Join(disk, "ballast")
	fill(t, disk, ballast)
	sold, unknown, failures := map[int]bool{0: true}, map[int]bool{}, 0
	for i := 1; failures < 30 && i < 100_000; i++ {
		switch _, err := s.plain.RecordSale(t.Context(), sale(i)); {
		case err == nil:
			sold[i] = true
		case errors.Is(err, pgstore.ErrOutcomeUnknown):
			unknown[i], failures = true, failures+1
		default:
			failures++
		}
	}
	if failures < 30 {
		t.Fatal("the disk was never full")
	}
	must(0, os.Remove(ballast))
	recovered(t, srv, s)
	stored := map[string]bool{}
	for _, one := range must(s.plain.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
		id, _ := one.ExternalID.Get()
		stored[id] = true
	}
	for i := range sold {
		if !stored[fmt.Sprint("order-", i)] {
			t.Errorf("the acknowledged sale %d is lost", i)
		}
		delete(stored, fmt.Sprint("order-", i))
	}
	for i := range unknown {
		delete(stored, fmt.Sprint("order-", i))
	}
	if len(stored) > 0 {
		t.Errorf("%d sales are stored that failed", len(stored))
	}
	t.Attr("server", fmt.Sprintf("a disk that is full: %d sales acknowledged, %d calls failed, %d of them with an unknown outcome; none lost, none that failed is stored", len(sold), failures, len(unknown)))
	must(s.plain.RecordSale(t.Context(), sale(200_000)))
	if err := s.plain.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// fill leaves a megabyte of a disk.
func fill(t *testing.T, disk, file string) {
	t.Helper()
	var left syscall.Statfs_t
	must(0, syscall.Statfs(disk, &left))
	room := int64(left.Bavail) * left.Bsize
	must(0, os.WriteFile(file, make([]byte, max(0, room-1<<20)), 0o600))
}

// recovered waits until the server answers again. It is started anew if it has
// stopped.
func recovered(t *testing.T, srv *pgtest.Cluster, s *shop) {
	t.Helper()
	s.pool.Reset()
	for deadline := time.Now().Add(30 * time.Second); ; <-time.After(50 * time.Millisecond) {
		must(0, srv.Restart(t.Context()))
		if s.plain.Ping(t.Context()) == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the server does not answer")
		}
	}
}
