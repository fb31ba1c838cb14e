package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestKill: a process that is killed while it records sales loses none that it has
// said to be recorded. TRIBUTARY_KILLS is the number of times; a release has 500.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	p := newProgram(t, open(t, path, sqlitestore.Config{}))
	furnish(t, p)
	kills, recorded := number("TRIBUTARY_KILLS", 5), 0
	for i := range kills {
		orders := startSeller(t, path).kill(t, 1+i%23)
		books(t, p, orders)
		recorded += len(orders)
	}
	t.Logf("%d kills, %d sales", kills, recorded)
}

// TestTwoProcesses: two processes record on one file at once, beside this one.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	p := newProgram(t, open(t, path, sqlitestore.Config{}))
	furnish(t, p)
	var mu sync.Mutex
	var all []string
	var wg sync.WaitGroup
	for range 2 {
		s := startSeller(t, path)
		wg.Go(func() {
			orders := s.kill(t, 40)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, orders...)
		})
	}
	for i := range 40 {
		order := fmt.Sprint("order-", i)
		must(0, sell(t.Context(), p, order))
		all = append(all, order)
	}
	wg.Wait()
	books(t, p, all)
}

// TestCut: of a file whose write-ahead log was cut anywhere, what was committed before
// the cut is there, in its order, and the books hold. A file that was cut itself is
// refused, or nothing of it is missing.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "program.db")
	store := open(t, path, sqlitestore.Config{})
	p := newProgram(t, store)
	furnish(t, p)
	const sales = 6
	for i := range sales {
		must(0, sell(t.Context(), p, fmt.Sprint("order-", i)))
	}
	whole, log := must(os.ReadFile(path)), must(os.ReadFile(path+"-wal"))
	if len(log) == 0 {
		t.Fatal("there is no log")
	}
	step := 4096 + 24 - 7 // a page with its head, nearly
	if testing.Short() {
		step *= 9
	}
	try := func(name string, file, log []byte) (err error) {
		t.Helper()
		cut := filepath.Join(t.TempDir(), "cut.db")
		must(0, errors.Join(os.WriteFile(cut, file, 0o600), os.WriteFile(cut+"-wal", log, 0o600)))
		s, err := sqlitestore.Open(t.Context(), cut, sqlitestore.Config{})
		if err != nil {
			return err
		}
		defer s.Close()
		p := newProgram(t, s)
		if err := p.Verify(t.Context()); err != nil {
			return err
		}
		found, err := p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})
		if err != nil {
			return err
		}
		for i, sale := range found.Items { // the newest one first
			if want := fmt.Sprint("order-", len(found.Items)-1-i); sale.ExternalID.Or("") != want {
				t.Errorf("%s: sale %d is %v, not %s", name, i, sale.ExternalID, want)
			}
		}
		if len(log) == 0 && len(found.Items) < sales && len(file) < len(whole) {
			t.Errorf("%s: %d sales", name, len(found.Items))
		}
		return nil
	}
	for n := len(log); n >= 0; n -= step {
		if err := try(fmt.Sprintf("log cut at %d", n), whole, log[:n]); err != nil {
			t.Errorf("log cut at %d: %v", n, err)
		}
	}
	must(0, store.Backup(t.Context(), filepath.Join(dir, "copy.db")))
	whole = must(os.ReadFile(filepath.Join(dir, "copy.db")))
	if err := try("whole", whole, nil); err != nil {
		t.Error(err)
	}
	refused := 0
	for n := 1; n < len(whole); n += step {
		if err := try(fmt.Sprintf("file cut at %d", n), whole[:n], nil); err != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no file that was cut is refused")
	}
}

// TestLocked: while another process has the file for itself, calls wait until their
// context ends, and change nothing.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{})
	p := newProgram(t, store)
	furnish(t, p)
	other := must(sqlite3.Open("file:" + path))
	defer other.Close()
	tx := must(other.BeginImmediate())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := sell(ctx, p, "order-1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a sale: %v", err)
	}
	if _, err := p.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}); err != nil {
		t.Errorf("a list beside it: %v", err)
	}
	must(0, tx.Rollback())
	if err := sell(t.Context(), p, "order-1"); err != nil {
		t.Errorf("a sale afterwards: %v", err)
	}
}

// TestRefusedFiles: what is no database, or not one of this package, is refused and
// stays as it was.
func TestRefusedFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"text": "name,email\nAda,ada@example.com\n" + string(make([]byte, 4096)), "a page of zeros": string(make([]byte, 4096)) + "x",
	} {
		path := filepath.Join(dir, name)
		must(0, os.WriteFile(path, []byte(content), 0o600))
		s, err := sqlitestore.Open(t.Context(), path, sqlitestore.Config{})
		if err == nil {
			_ = s.Close()
			t.Errorf("%s is opened", name)
		}
		if got := must(os.ReadFile(path)); string(got) != content {
			t.Errorf("%s was changed", name)
		}
	}
	for name, path := range map[string]string{"a folder": dir, "in no folder": filepath.Join(dir, "none", "program.db"), "no path": ""} {
		if s, err := sqlitestore.Open(t.Context(), path, sqlitestore.Config{}); err == nil {
			_ = s.Close()
			t.Errorf("%s is opened", name)
		}
	}
	for _, cfg := range []sqlitestore.Config{{Group: -1}, {Sync: 2}, {Sync: -1}} {
		if s, err := sqlitestore.Open(t.Context(), filepath.Join(dir, "program.db"), cfg); err == nil {
			_ = s.Close()
			t.Errorf("%+v is taken", cfg)
		}
	}
}

// TestClosed: after Close every call returns ErrClosed, and Close again nothing.
func TestClosed(t *testing.T) {
	store := must(sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{}))
	if err := errors.Join(store.Close(), store.Close()); err != nil {
		t.Error(err)
	}
	nothing := func(*record.Tx) error { return nil }
	if err := store.View(t.Context(), programID, nothing); !errors.Is(err, sqlitestore.ErrClosed) {
		t.Errorf("View: %v", err)
	}
	if err := store.Update(t.Context(), programID, nothing); !errors.Is(err, sqlitestore.ErrClosed) {
		t.Errorf("Update: %v", err)
	}
}

// TestRights: only the owner may read a file that Open makes, and its log.
func TestRights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	furnish(t, newProgram(t, open(t, path, sqlitestore.Config{})))
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestHostsTables: a host may have tables of the same names in the file.
func TestHostsTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	conn := must(sqlite3.Open("file:" + path))
	defer conn.Close()
	must(0, conn.Exec("CREATE TABLE payments (id); CREATE TABLE migrations (id); CREATE TABLE events (id); CREATE TABLE goose_db_version (id)"))
	furnish(t, newProgram(t, open(t, path, sqlitestore.Config{})))
}

// TestOddPaths: a path may have any characters.
func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b.db", "50%.db", "a?b=c.db", "a#b.db", "ä.db", "a%20b.db", "a&mode=memory.db"} {
		path := filepath.Join(t.TempDir(), name)
		p := newProgram(t, open(t, path, sqlitestore.Config{}))
		furnish(t, p)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGivenUp: an Update that gives up while it waits for its turn leaves no
// transaction open, and what shared it is committed.
func TestGivenUp(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{})
	inside, goOn := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	link := record.Link{ID: uuid.New(), Slug: "ada"}
	go func() {
		first <- store.Update(context.Background(), programID, func(tx *record.Tx) error {
			close(inside)
			<-goOn
			return tx.Links.Insert(link)
		})
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() {
		second <- store.Update(ctx, programID, func(*record.Tx) error { return errors.New("it ran") })
	}()
	time.Sleep(20 * time.Millisecond) // until it waits; when it does not, it does later
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the second one: %v", err)
	}
	close(goOn)
	if err := <-first; err != nil {
		t.Errorf("the first one: %v", err)
	}
	err := store.View(t.Context(), programID, func(tx *record.Tx) error {
		_, err := tx.Links.Get(link.ID)
		return err
	})
	if err != nil {
		t.Errorf("its record: %v", err)
	}
}

// TestInHost: the engine's writes are committed or taken back with those of the host,
// and a refusal leaves the host's transaction as it was.
func TestInHost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	p := newProgram(t, open(t, path, sqlitestore.Config{}))
	furnish(t, p)
	conn := must(sqlite3.Open("file:" + path))
	defer conn.Close()
	must(0, conn.Exec("CREATE TABLE orders (id TEXT PRIMARY KEY)"))
	inHost := p.With(sqlitestore.In(conn))
	if err := sell(t.Context(), inHost, "order-0"); err == nil {
		t.Error("a sale without a transaction")
	}
	for i, keep := range []bool{true, false} {
		tx := must(conn.BeginImmediate())
		order := fmt.Sprint("order-", i)
		must(0, conn.Exec("INSERT INTO orders VALUES ('"+order+"')"))
		must(0, sell(t.Context(), inHost, order))
		if _, err := inHost.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "NONE", TotalEarned: affiliate.MustAmount("-1")}); err == nil {
			t.Error("a negative sale")
		}
		end := tx.Rollback
		if keep {
			end = tx.Commit
		}
		must(0, end())
	}
	sales := must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
	stmt, _, err := conn.Prepare("SELECT id FROM orders")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	var orders []string
	for stmt.Step() {
		orders = append(orders, stmt.ColumnText(0))
	}
	if len(sales) != 1 || sales[0].ExternalID.Or("") != "order-0" || fmt.Sprint(orders) != "[order-0]" {
		t.Errorf("%d sales, orders %v", len(sales), orders)
	}
	if err := p.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestBackup: a copy that is made while sales are recorded is one state of the program.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	store := open(t, filepath.Join(dir, "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	p := newProgram(t, store)
	furnish(t, p)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for seller := range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := sell(context.Background(), p, fmt.Sprintf("order-%d-%d", seller, i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 3 {
		time.Sleep(20 * time.Millisecond)
		path := filepath.Join(dir, fmt.Sprint("copy-", i, ".db"))
		must(0, store.Backup(t.Context(), path))
		if err := store.Backup(t.Context(), path); err == nil {
			t.Error("a copy over a copy")
		}
		if err := newProgram(t, open(t, path, sqlitestore.Config{})).Verify(t.Context()); err != nil {
			t.Errorf("copy %d: %v", i, err)
		}
	}
	close(stop)
	wg.Wait()
}

// TestBackupPaths: a copy is a file at the path, whatever characters it has, that only
// its owner reads; nothing that is there is changed, and a copy that fails is not left.
func TestBackupPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	store := open(t, "program.db", sqlitestore.Config{})
	furnish(t, newProgram(t, store))
	for _, name := range []string{"copy.db", ":memory:", "file::memory:", "file:x.db?mode=memory", "a b?c#d.db"} {
		if err := store.Backup(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	must(0, os.WriteFile("empty", nil, 0o644))
	for _, name := range []string{"", "empty", "program.db", "."} {
		if err := store.Backup(t.Context(), name); err == nil {
			t.Errorf("a copy to %q", name)
		}
	}
	if raw := must(os.ReadFile("empty")); len(raw) > 0 {
		t.Errorf("a file that was there has %d bytes", len(raw))
	}
	if err := store.Backup(late(2), "late.db"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ends: %v", err)
	}
	if _, err := os.Stat("late.db"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an incomplete copy: %v", err)
	}
}

// TestRestore: a copy in the place of a file whose process was killed, without the two
// files beside it, is the program as it was copied.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "program.db"), filepath.Join(dir, "copy.db")
	store := must(sqlitestore.Open(t.Context(), path, sqlitestore.Config{}))
	p := newProgram(t, store)
	furnish(t, p)
	must(0, errors.Join(sell(t.Context(), p, "order-1"), store.Backup(t.Context(), copied), store.Close()))
	startSeller(t, path).kill(t, 5)
	must(0, errors.Join(os.Remove(path+"-wal"), os.Remove(path+"-shm"), os.Rename(copied, path)))
	p = newProgram(t, open(t, path, sqlitestore.Config{}))
	books(t, p, []string{"order-1"})
	if n := len(must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items); n != 1 {
		t.Errorf("%d sales", n)
	}
}

// TestLongView: the log grows while a View runs, and afterwards it is cut.
func TestLongView(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	store := open(t, path, sqlitestore.Config{Sync: sqlitestore.Normal})
	p := newProgram(t, store)
	furnish(t, p)
	const most = 32 << 20
	size := func() int64 { return must(os.Stat(path + "-wal")).Size() }
	sellUntil := func(enough func() bool) {
		for i := 0; i < 2000 && !enough(); i++ {
			must(0, sell(context.Background(), p, uuid.NewString()))
		}
	}
	err := store.View(t.Context(), programID, func(tx *record.Tx) error {
		_, err := tx.Links.Get(uuid.New())
		sellUntil(func() bool { return size() > most })
		return err
	})
	if !errors.Is(err, affiliate.ErrNotFound) || size() <= most {
		t.Fatalf("%d bytes, %v", size(), err)
	}
	sellUntil(func() bool { return size() <= most })
	if size() > most {
		t.Errorf("%d bytes after the View", size())
	}
}

// TestPayOrder is the README's function: the order and its sale, and the order alone when
// the sale is refused. A code that is refused, a hold of one, or an offer that there is not, is
// left out, and the sale is that of who brought the customer.
func TestPayOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.db")
	p := newProgram(t, open(t, path, sqlitestore.Config{}))
	furnish(t, p)
	conn := must(sqlite3.Open("file:" + path))
	defer conn.Close()
	if err := conn.Exec("CREATE TABLE orders (id TEXT PRIMARY KEY, paid INTEGER NOT NULL); INSERT INTO orders VALUES ('order-1', 0), ('order-2', 0), ('order-3', 0), ('order-4', 0), ('order-5', 0), ('order-6', 0), ('order-7', 0)"); err != nil {
		t.Fatal(err)
	}
	order := affiliate.Order{PromoCode: "HOT20", Subtotal: affiliate.Set(affiliate.MustAmount("125"))}
	must(p.HoldRedemption(t.Context(), affiliate.HoldParams{ID: "checkout-5", Until: time.Now().Add(time.Hour), Order: order}))
	for _, sale := range []affiliate.SaleParams{
		{ExternalID: "order-1", PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("100"), Email: "kim@example.net", Name: "Kim"},
		{ExternalID: "order-2", PromoCode: "GONE", TotalEarned: affiliate.MustAmount("100"), Email: "kim@example.net", Name: "Kim"},
		{ExternalID: "order-3", PromoCode: "HOT20", TotalEarned: affiliate.MustAmount("-100"), Email: "kim@example.net", Name: "Kim"},
		{ExternalID: "order-4", TotalEarned: affiliate.MustAmount("100")}, // a guest's
		{ExternalID: "order-5", HoldID: "checkout-5", TotalEarned: affiliate.MustAmount("100"), Email: "kim@example.net"},
		{ExternalID: "order-6", Offer: true, TotalEarned: affiliate.MustAmount("100"), Email: "kim@example.net"},
		{ExternalID: "order-7", PromoCode: "GONE", Once: affiliate.Once{Key: "order-7"}, TotalEarned: affiliate.MustAmount("100"), Email: "kim@example.net"},
	} {
		if sale.HoldID != "" { // the code is switched off while its customer pays
			code := must(p.Code(t.Context(), affiliate.CodeRef{Code: "HOT20"}))
			must(p.UpdateCode(t.Context(), code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		}
		if err := payOrder(t.Context(), conn, p, sale); err != nil {
			t.Errorf("%s: %v", sale.ExternalID, err)
		}
	}
	stmt, _, err := conn.Prepare("SELECT group_concat(id) FROM (SELECT id FROM orders WHERE paid ORDER BY id)")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	stmt.Step()
	if got := stmt.ColumnText(0); got != "order-1,order-2,order-3,order-4,order-5,order-6,order-7" {
		t.Errorf("paid: %s", got)
	}
	if n := len(must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items); n != 5 {
		t.Errorf("%d sales", n)
	}
}
