package sqlitestore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// beside are the files of a program: itself, the log and its index.
func beside(path string) []string { return []string{path, path + "-wal", path + "-shm"} }

// TestErasedIsInNoByte: when people were erased and the log was emptied, no byte of the three
// files tells who they were, also not in room that is free.
func TestErasedIsInNoByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	p := newProgram(t, store)
	furnish(t, p)
	ctx := t.Context()
	for i := range 40 {
		who := fmt.Sprintf("Xyzzq%dName", i)
		must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: who, LastName: who, Email: who + "@example.org", AffiliateLink: fmt.Sprint("l", i), ExternalID: who}))
		click := must(p.TrackClick(ctx, affiliate.ClickParams{Slug: fmt.Sprint("l", i), DeviceID: who}))
		must(p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: fmt.Sprint(click.ID), Email: who + "@buyer.example", Name: who, ReferredUserExternalID: who}))
		for n := range 5 {
			must(p.RecordSale(ctx, affiliate.SaleParams{ReferralID: who + "@buyer.example", Name: who, TotalEarned: affiliate.MustAmount("10"), ExternalID: fmt.Sprint("o", i, "-", n), Once: affiliate.Once{Key: fmt.Sprint("o", i, "-", n)}}))
		}
	}
	shown := func() (in []string) {
		for _, name := range beside(path) {
			raw, err := os.ReadFile(name)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if n := bytes.Count(bytes.ToLower(raw), []byte("xyzzq")); n > 0 {
				in = append(in, fmt.Sprintf("%s: %d times", filepath.Base(name), n))
			}
		}
		return in
	}
	if len(shown()) == 0 {
		t.Fatal("nobody is in the files before either")
	}
	for i := range 40 {
		email := fmt.Sprintf("xyzzq%dname@", i)
		must(0, p.EraseReferral(ctx, email+"buyer.example"))
		must(0, p.Forfeiting().EraseAffiliate(ctx, must(p.Affiliate(ctx, email+"example.org")).ID))
	}
	must(p.Run(ctx, affiliate.PruneJob{Before: time.Now().AddDate(1, 0, 0)}))
	must(0, store.Checkpoint(ctx))
	if in := shown(); len(in) > 0 {
		t.Errorf("erased people are in %v", in)
	}
}

// TestFilesAreTheOwners: only the owner of the file reads it and the two beside it.
func TestFilesAreTheOwners(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	p := newProgram(t, open(t, path, sqlitestore.Config{}))
	furnish(t, p)
	for _, name := range beside(path) {
		if info := must(os.Stat(name)); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %o", filepath.Base(name), info.Mode().Perm())
		}
	}
}

// TestCheckpointWaits: a reader holds the log, and the call says so.
func TestCheckpointWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	p := newProgram(t, store)
	furnish(t, p)
	err := store.View(t.Context(), programID, func(tx *record.Tx) error {
		if _, err := tx.Affiliates.Get(programID); !errors.Is(err, affiliate.ErrNotFound) {
			return err
		}
		if err := sell(t.Context(), p, "order-1"); err != nil {
			return err
		}
		if err := store.Checkpoint(t.Context()); !errors.Is(err, sqlitestore.ErrInUse) {
			t.Errorf("beside a View: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Checkpoint(t.Context()); err != nil {
		t.Errorf("after it: %v", err)
	}
	if info := must(os.Stat(path + "-wal")); info.Size() != 0 {
		t.Errorf("the log has %d bytes", info.Size())
	}
}

// TestFlippedBytes: a file that was not closed and of which something has changed bytes is
// opened only when all that it says is still true for the books.
func TestFlippedBytes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "program.db")
	store := open(t, path, sqlitestore.Config{})
	p := newProgram(t, store)
	furnish(t, p)
	for i := range 30 {
		must(0, sell(t.Context(), p, fmt.Sprint("order-", i)))
	}
	must(0, store.Checkpoint(t.Context()))
	whole := must(os.ReadFile(path))
	must(0, sell(t.Context(), p, "last"))
	log := must(os.ReadFile(path + "-wal"))
	broken := func(change func(file []byte)) error {
		t.Helper()
		at := filepath.Join(t.TempDir(), "copy.db")
		file := bytes.Clone(whole)
		change(file)
		must(0, errors.Join(os.WriteFile(at, file, 0o600), os.WriteFile(at+"-wal", log, 0o600)))
		s, err := sqlitestore.Open(t.Context(), at, sqlitestore.Config{})
		if err != nil {
			return err
		}
		defer s.Close()
		return must(tributary.New(s, config())).Verify(t.Context())
	}
	if err := broken(func([]byte) {}); err != nil {
		t.Fatalf("the whole file: %v", err)
	}
	const page, frame = 8192, 24 + 8192
	newer := map[int]bool{} // pages that the log has
	for at := 32; at+frame <= len(log); at += frame {
		newer[int(binary.BigEndian.Uint32(log[at:]))-1] = true
	}
	found, looked := 0, 0
	for n := 1; n < len(whole)/page; n += 3 {
		if newer[n] {
			continue
		}
		looked++
		err := broken(func(file []byte) {
			for i := range 64 {
				file[n*page+i] ^= 0x5a // the head of a page
			}
		})
		if err != nil {
			found++
		}
	}
	if looked < 30 || found < looked*9/10 { // free ones say nothing
		t.Errorf("%d of %d pages with a broken head are found", found, looked)
	}
}

// TestCutFile: a file that ends too early is damaged, whether it was closed or not.
func TestCutFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	furnish(t, newProgram(t, store))
	must(0, store.Close())
	whole := must(os.ReadFile(path))
	for _, size := range []int{len(whole) / 2, len(whole) - 8192} {
		at := filepath.Join(t.TempDir(), "copy.db")
		must(0, os.WriteFile(at, whole[:size], 0o600))
		s, err := sqlitestore.Open(t.Context(), at, sqlitestore.Config{})
		if err == nil {
			err = errors.Join(s.Check(t.Context()), s.Close())
		}
		if !errors.Is(err, sqlitestore.ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", size, len(whole), err)
		}
	}
}
