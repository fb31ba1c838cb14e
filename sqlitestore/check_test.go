package sqlitestore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/twins"
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

// TestDedup: an event is handled once, together with what the engine writes in its
// transaction; after an error, a panic or a context that has ended it is open and
// nothing is written.
func TestDedup(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	p := newProgram(t, store)
	furnish(t, p)
	d := store.Dedup()
	sells := func(order string) func(context.Context) error {
		return func(ctx context.Context) error {
			conn, ok := sqlitestore.Conn(ctx)
			if !ok {
				t.Error("no connection in the context")
			}
			if err := sell(ctx, p, order+"-outside"); err == nil {
				t.Error("an Update inside that is not in the transaction")
			}
			return sell(ctx, p.With(sqlitestore.In(conn)), order)
		}
	}
	sales := func() int { return len(must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items) }
	broken := errors.New("broken")
	if ran, err := d.Do(t.Context(), "evt_1", func(ctx context.Context) error { return errors.Join(sells("order-1")(ctx), broken) }); !ran || !errors.Is(err, broken) || sales() != 0 {
		t.Errorf("an error: ran %v, %v, %d sales", ran, err, sales())
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		_, _ = d.Do(t.Context(), "evt_1", func(ctx context.Context) error { _ = sells("order-1")(ctx); panic("broken") })
	}()
	ctx, cancel := context.WithCancel(t.Context())
	if ran, err := d.Do(ctx, "evt_1", func(ctx context.Context) error { defer cancel(); return sells("order-1")(ctx) }); !ran || !errors.Is(err, context.Canceled) || sales() != 0 {
		t.Errorf("a context that has ended: ran %v, %v, %d sales", ran, err, sales())
	}
	var wg sync.WaitGroup
	var times atomic.Int64
	for range 8 {
		wg.Go(func() {
			ran, err := d.Do(context.Background(), "evt_1", sells("order-1"))
			if err != nil {
				t.Error(err)
			}
			if ran {
				times.Add(1)
			}
		})
	}
	wg.Wait()
	if times.Load() != 1 || sales() != 1 {
		t.Errorf("handled %d times, %d sales", times.Load(), sales())
	}
	if err := p.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if n, err := d.Prune(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("Prune of older ones: %d, %v", n, err)
	}
	if n, err := d.Prune(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("Prune: %d, %v", n, err)
	}
}

// TestDedupContext: wherever the context ends, an event is done if and only if Do
// returns no error.
func TestDedupContext(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal}).Dedup()
	nothing := func(context.Context) error { return nil }
	for n := range int64(20) {
		id := fmt.Sprint("evt_", n)
		_, err := d.Do(late(n), id, nothing)
		again, failure := d.Do(t.Context(), id, nothing)
		if failure != nil || again == (err == nil) {
			t.Errorf("ended at %d: %v, then run again: %v %v", n, err, again, failure)
		}
	}
}

// TestDedupHeld: within the function what would wait for its own transaction is refused,
// and after it its context has no connection and holds nothing up.
func TestDedupHeld(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	p := newProgram(t, store)
	furnish(t, p)
	d := store.Dedup()
	nothing := func(context.Context) error { return nil }
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var kept context.Context
	_, err := d.Do(ctx, "evt_1", func(ctx context.Context) error {
		kept = ctx
		if _, err := d.Do(ctx, "evt_2", nothing); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Do within Do: %v", err)
		}
		if _, err := d.Prune(ctx, time.Now()); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Prune within Do: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := sqlitestore.Conn(kept); ok {
		t.Error("a connection after the function")
	}
	if err := sell(kept, p, "order-1"); err != nil {
		t.Errorf("an Update after the function: %v", err)
	}
}

// TestQueries: every query of docs/queries.md answers what the page shows, on the
// program that the page describes.
func TestQueries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	twins.Tell(t, store) // has no part in any answer
	s := twins.Tell(t, store)
	c := reader(t, path)
	must(0, c.Exec(twins.Orders("temp.orders")))
	file := filepath.Join("..", "docs", "queries.md")
	var answers []string
	parts := strings.Split(string(must(os.ReadFile(file))), "```sql\n")
	for i, part := range parts[1:] {
		sql, rest, _ := strings.Cut(part, "```\n")
		_, rest, found := strings.Cut(rest, "```text\n")
		shown, after, _ := strings.Cut(rest, "```")
		if !found {
			t.Errorf("no answer behind\n%s", sql)
		}
		values := map[string]any{":program": s.Config().ID.String()}
		if strings.Contains(sql, ":now") {
			values[":now"] = s.Now.UnixMicro()
		}
		got := answer(t, c, sql, values)
		answers = append(answers, got)
		if strings.Count(got, "\n") < 2 {
			t.Errorf("nothing was found by\n%s", sql)
		}
		if *update {
			parts[i+1] = strings.Replace(part, "```text\n"+shown+"```"+after, "```text\n"+got+"```"+after, 1)
		} else if diff := cmp.Diff(shown, got); diff != "" {
			t.Errorf("%s(-page +answer):\n%s", sql, diff)
		}
	}
	want := "email|status|due|maturing\n"
	for _, b := range slices.Backward(must(s.Balances(t.Context(), affiliate.Page{})).Items) { // newest first
		a := must(s.Affiliate(t.Context(), b.AffiliateID.String()))
		want += fmt.Sprintf("%s|%s|%d|%d\n", a.Email, a.Status, b.Payable.Scaled(), b.Maturing.Scaled())
	}
	if diff := cmp.Diff(want, answers[1]); diff != "" {
		t.Errorf("what is due (-engine +query):\n%s", diff)
	}
	summary := must(s.Coupons(t.Context(), affiliate.CouponQuery{}, affiliate.Page{})).Items[0]
	if left := fmt.Sprintf("|%d\n", summary.BudgetLeft.Or(affiliate.Amount{}).Scaled()); !strings.HasSuffix(answers[10], left) {
		t.Errorf("%s is left of the budget, not %s", left, answers[10])
	}
	if len(parts) != 12 {
		t.Errorf("the page has %d queries", len(parts)-1)
	}
	if *update {
		must(0, os.WriteFile(file, []byte(strings.Join(parts, "```sql\n")), 0o644))
	}
}

// answer returns an answer as the command sqlite3 -header prints it.
func answer(t *testing.T, c *sqlite3.Conn, sql string, values map[string]any) string {
	t.Helper()
	names, rows := ask(t, c, sql, values)
	lines := []string{strings.Join(names, "|")}
	for _, row := range rows {
		var cells []string
		for _, name := range names {
			cells = append(cells, row[name])
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "\n") + "\n"
}
