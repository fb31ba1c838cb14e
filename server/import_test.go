package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestImport: a dry run makes nothing and has the report of the import; the import again
// finds everything, and the server shows what was imported. It is the same in a file and
// in a database.
func TestImport(t *testing.T) {
	t.Run("file", func(t *testing.T) { importInto(t, "-file", inFolder(t, "program.db")) })
	t.Run("database", func(t *testing.T) {
		url := database(t)
		importInto(t, "-store", url, "-schema", dropped(t, url, "import"))
	})
}

func importInto(t *testing.T, place ...string) {
	folder := filepath.Join("..", "examples", "import", "testdata", "csv")
	reports := map[string]string{}
	for _, step := range []struct{ name, write, verify, end string }{
		{"dry run", "-write=false", "-verify", "a dry run: nothing was written; add -write to import\n"},
		{"import", "-write", "-verify=false", ""},
		{"dry run again", "-write=false", "-verify=false", "a dry run: nothing was written; add -write to import\n"},
		{"again", "-write", "-verify", "the books hold\n"},
	} {
		var out strings.Builder
		code := run(t.Context(), append(append([]string{"import"}, place...), step.write, step.verify, folder), nothing, &out, t.Output())
		report, ok := strings.CutSuffix(out.String(), step.end)
		if code != 3 || !ok { // a row of the export is left out
			t.Fatalf("%s: exit code %d\n%s", step.name, code, out.String())
		}
		reports[step.name] = report
		if _, err := os.Stat(place[1]); step.name == "dry run" && place[0] == "-file" && err == nil {
			t.Error("a dry run made the file")
		}
	}
	if !strings.HasPrefix(reports["import"], "created: affiliates 2 coupons 2 payouts 2 referrals 1 sales 4\n") || reports["dry run"] != reports["import"] {
		t.Errorf("dry run:\n%s\nimport:\n%s", reports["dry run"], reports["import"])
	}
	if !strings.HasPrefix(reports["again"], "created:\nexisting: affiliates 3 coupons 2 payouts 2 referrals 1 sales 4\n") || reports["dry run again"] != reports["again"] {
		t.Errorf("dry run again:\n%s\nagain:\n%s", reports["dry run again"], reports["again"])
	}
	s := launch(t, place...)
	defer s.stop()
	if sales := s.call("GET", "/api/v1/sales", ""); strings.Count(sales, `"totalEarned"`) != 4 {
		t.Errorf("the server has %s", sales)
	}
}

// TestImportCurrency: an import into an empty place says what the program is. The server, a
// later import and a move take that without a flag, and another one is refused by name.
func TestImportCurrency(t *testing.T) {
	folder, file := filepath.Join("..", "examples", "import", "testdata", "csv"), inFolder(t, "program.db")
	imported := func(flags ...string) (int, string) {
		var errs strings.Builder
		code := run(t.Context(), append(append([]string{"import", "-write", "-file", file}, flags...), folder), nothing, t.Output(), &errs)
		return code, errs.String()
	}
	if code, said := imported("-currency", "USD", "-zone", "Europe/Berlin"); code != 3 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	for _, wrong := range [][]string{{"-currency", "EUR"}, {"-zone", "UTC"}, {"-currency", "EUR", "-write=false"}} {
		if code, said := imported(wrong...); code != 1 || !strings.Contains(said, "affiliate: the store keeps the program in ") || !strings.Contains(said, wrong[1]) {
			t.Errorf("%v: exit code %d: %s", wrong, code, said)
		}
	}
	if code, said := imported(); code != 3 {
		t.Errorf("exit code %d: %s", code, said)
	}
	moved := inFolder(t, "moved.db")
	if code := run(t.Context(), []string{"move", file, moved}, nothing, t.Output(), t.Output()); code != 0 {
		t.Errorf("move: exit code %d", code)
	}
	s := launch(t, "-file", moved)
	defer s.stop()
	if program := s.call("GET", "/api/v1/program", ""); !strings.Contains(program, `"timeZone":"Europe/Berlin"`) {
		t.Errorf("the server has %s", program)
	}
}

// TestEuros: the server of a program in euros answers in them, also after a restart without a flag, counts an order in euros
// as it is and refuses one in dollars, and nothing opens the program in dollars.
func TestEuros(t *testing.T) {
	folder, file := filepath.Join("..", "examples", "import", "testdata", "csv"), inFolder(t, "program.db")
	if code := run(t.Context(), []string{"import", "-write", "-file", file, "-currency", "EUR", folder}, nothing, t.Output(), t.Output()); code != 3 {
		t.Fatalf("exit code %d", code)
	}
	for n := range 2 {
		s := launch(t, "-file", file)
		if n == 0 {
			s.ada()
		}
		if program := s.call("GET", "/api/v1/program", ""); !strings.Contains(program, `"currency":"EUR"`) {
			t.Errorf("the server has %s", program)
		}
		order := fmt.Sprintf(`{"referralId":"ada","email":"eva@example.net","name":"Eva","totalEarned":100,"externalId":"euro-%d","currency":`, n)
		if sold := s.call("POST", "/api/v1/sales", order+`"EUR"}`); !strings.Contains(sold, `"totalEarned":100`) || strings.Contains(sold, "USD") {
			t.Errorf("an order in euros: %s", sold)
		}
		if status, sold := s.ask(testKey, "POST", "/api/v1/sales", strings.Replace(order, "euro", "dollar", 1)+`"USD"}`); status != http.StatusBadRequest || !strings.Contains(sold, "no rate for USD") {
			t.Errorf("an order in dollars: %d %s", status, sold)
		}
		if status, page := s.ask(testKey, "GET", "/api/v1/export/sales?format=csv", ""); status == http.StatusOK && strings.Contains(page, "USD") {
			t.Error("an export in dollars")
		}
		s.stop()
		var errs strings.Builder
		code := run(t.Context(), []string{"import", "-write", "-file", file, "-currency", "USD", folder}, nothing, t.Output(), &errs)
		if said := errs.String(); code != 1 || !strings.Contains(said, "EUR") || !strings.Contains(said, "USD") {
			t.Errorf("an import in dollars: exit code %d: %s", code, said)
		}
	}
}

// moved runs the command move and returns its exit code and all that it printed.
func moved(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var text strings.Builder
	env := environment{fileVariable: "a.db"} // which - is
	code = run(t.Context(), append([]string{"move"}, args...), env, &text, &text)
	return code, text.String()
}

// mustMove is moved for a move that has to be made.
func mustMove(t *testing.T, args ...string) string {
	t.Helper()
	code, out := moved(t, args...)
	if code != 0 || !strings.Contains(out, "the books hold\n") {
		t.Fatalf("exit code %d: %s", code, out)
	}
	return out
}

// equal reports records that two places do not have alike.
func equal(t *testing.T, one, two place, want string) {
	t.Helper()
	a, err := one.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := two.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	n, err := router.Compare(t.Context(), a.bare, b.bare, uuid.MustParse(app.ProgramID))
	if err != nil || n < 1000 {
		t.Errorf("%s: %d records are equal, error %v", want, n, err)
	}
}

// TestMove: a program with a year of orders moves from a file to a database and back,
// while a server runs on each. The server that it leaves refuses to write, one that is
// started there does not start, and the records are the same in all three places.
func TestMove(t *testing.T) {
	url, file, back := database(t), inFolder(t, "program.db"), inFolder(t, "back.db")
	schema := dropped(t, url, "moved")
	at := place{file: file}
	db, err := parsePlace(url, schema)
	if err != nil {
		t.Fatal(err)
	}
	s := launch(t, "-file", file, "-demo")
	s.call("GET", "/api/v1/sales?limit=1", "")
	out := mustMove(t, "-schema", schema, file, url)
	if strings.Contains(out, "copied 0 ") {
		t.Error(out)
	}
	if status, body := s.ask(testKey, "POST", "/api/v1/affiliates", `{"firstName":"A","lastName":"L","email":"a@example.com"}`); status != 503 || !strings.Contains(body, "the program was moved away") || strings.Contains(body, db.String()) {
		t.Errorf("a write where the program was: %d %s", status, body)
	}
	if status, body := s.ask("", "GET", "/readyz", ""); status != 503 {
		t.Errorf("the server that has no program is ready: %d %s", status, body)
	}
	s.stop()
	equal(t, at, db, "moved to the database")
	refused(t, "The move was to "+strconv.Quote(db.String()), "-file", file)
	refused(t, "the program was moved away", "import", "-file", file, "export")
	refused(t, "The move was to "+strconv.Quote(db.String()), "verify", "-file", file)

	s = launch(t, "-store", url, "-schema", schema)
	s.call("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada-2"}`)
	if out := mustMove(t, "-schema", schema, file, url); !strings.Contains(out, "it was moved before") {
		t.Errorf("the same move again: %s", out)
	}
	mustMove(t, "-schema", schema, url, back)
	s.stop()
	equal(t, db, place{file: back}, "moved to a new file")
	mustMove(t, back, file) // where it was: what is left there goes
	equal(t, place{file: back}, at, "moved to the first file")
	s = launch(t, "-file", file)
	defer s.stop()
	if got := s.call("GET", "/api/v1/affiliates", ""); strings.Count(got, `"ada@example.com"`) != 1 {
		t.Errorf("the affiliate of the database is not there once: %s", got)
	}
}

// refused reports a command that does not end with exit code 1 and a reason.
func refused(t *testing.T, want string, args ...string) {
	t.Helper()
	var out strings.Builder
	if code := run(t.Context(), args, nothing, &out, &out); code != 1 || !strings.Contains(out.String(), want) {
		t.Errorf("%v: exit code %d, want %q:\n%s", args, code, want, out.String())
	}
}

// TestMoveRefused: a move that cannot work changes nothing, and makes no file.
func TestMoveRefused(t *testing.T) {
	const secret = "hunter2"
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.db", "b.db"} {
		s := launch(t, "-file", name)
		s.ada()
		s.sell("order-1")
		s.stop()
	}
	made(t, "empty.db", "")
	if err := os.WriteFile("text.db", []byte(strings.Repeat("no database. ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	before := files(t)
	for name, row := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing there":          {[]string{"none.db", "new.db"}, 1, "there is no program"},
		"no program there":       {[]string{"empty.db", "new.db"}, 1, "there is no program"},
		"no database":            {[]string{"text.db", "new.db"}, 1, "not a database"},
		"to no database":         {[]string{"a.db", "text.db"}, 1, "not a database"},
		"to another program":     {[]string{"a.db", "b.db"}, 1, "has the program already"},
		"to itself":              {[]string{"a.db", "a.db"}, 1, "the same place"},
		"another program's id":   {[]string{"-program", uuid.NewString(), "a.db", "new.db"}, 1, "there is no program"},
		"to a database down":     {[]string{"a.db", "postgres://u:" + secret + "@127.0.0.1:1/none"}, 1, "127.0.0.1:1"},
		"a broken URL":           {[]string{"a.db", "postgres://u:" + secret + "%zz@h/d"}, 2, "TO: it is no connection string"},
		"no target":              {[]string{"a.db"}, 2, "name where the program is"},
		"to itself by variable":  {[]string{"a.db", "-"}, 1, "the same place"},
		"an empty name":          {[]string{"", "new.db"}, 2, "FROM: it is empty"},
		"help":                   {[]string{"-h"}, 0, "FROM TO"},
		"to a folder not there":  {[]string{"a.db", "none/new.db"}, 1, "none/new.db"},
		"from a folder":          {[]string{".", "new.db"}, 1, "is a directory"},
		"three names":            {[]string{"a.db", "b.db", "c.db"}, 2, "name where the program is"},
		"a flag that is unknown": {[]string{"-force", "a.db", "new.db"}, 2, "-force"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, out := moved(t, row.args...); code != row.code || !strings.Contains(out, row.want) || strings.Contains(out, secret) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, row.code, row.want, out)
			}
			if after := files(t); after != before {
				t.Errorf("the folder has %s, and had %s", after, before)
			}
		})
	}
	s := launch(t, "-file", "a.db")
	defer s.stop()
	s.sell("order-2")
	s.sold("order-1", "order-2")
}

// TestMoveHost: a program of a host that has no router moves too, and another one may
// begin where it goes.
func TestMoveHost(t *testing.T) {
	from, to, id := inFolder(t, "from.db"), inFolder(t, "to.db"), uuid.New()
	store, err := sqlitestore.Open(t.Context(), from, sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := tributary.New(store, tributary.Config{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	_, err = program.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	if out := mustMove(t, "-program", id.String(), from, to); strings.Contains(out, "copied 0 ") {
		t.Error(out)
	}
	s := launch(t, "-file", to)
	defer s.stop()
	s.ada()
	s.sell("order-1")
	s.sold("order-1")
}

// TestMoveKilled: a move is killed and interrupted again and again, at any moment, while a
// server on the source goes on selling. What the server answered is there once in the end, where the
// last move brought the program.
func TestMoveKilled(t *testing.T) {
	kills := number(t, "TRIBUTARY_MOVE_KILLS", 6)
	from, to := inFolder(t, "from.db"), inFolder(t, "to.db")
	s := launch(t, "-file", from, "-demo", "-limit", "-1")
	s.ada()
	sold, stop := make(chan string, 1<<16), make(chan struct{})
	var seller sync.WaitGroup
	seller.Go(func() {
		defer close(sold)
		for n := 0; ; n++ {
			order := fmt.Sprintf("order-%d", n)
			for answered := false; !answered; { // again until there is an answer
				select {
				case <-stop:
					return
				default:
				}
				status, _ := s.ask(testKey, "POST", "/api/v1/sales", sale(order))
				answered = status == http.StatusOK
			}
			sold <- order
		}
	})
	moving := 0 // moves that were killed while they said that they move
	for i := range kills {
		cmd := process(t.Context(), "move", "-patience", "200ms", from, to)
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if bufio.NewScanner(stdout).Scan() {
			moving++
			time.Sleep(time.Duration(i+1) * 400 * time.Millisecond / time.Duration(kills))
		}
		_ = cmd.Process.Signal([]os.Signal{os.Kill, os.Interrupt}[i%2])
		if cmd.Wait() == nil {
			break // it was faster
		}
	}
	out := mustMove(t, "-patience", "200ms", from, to)
	close(stop)
	seller.Wait()
	s.stop()
	t.Logf("%d kills of %d while it moved, %d sales; the last move:\n%s", moving, kills, len(sold), out)
	if moving == 0 || len(sold) == 0 {
		t.Error("no move was killed, or nothing was sold meanwhile")
	}
	refused(t, "the program was moved away", "-file", from)
	s = launch(t, "-file", to, "-limit", "-1")
	defer s.stop()
	for order := range sold {
		if got := s.call("GET", "/api/v1/sales?saleExternalId="+order, ""); strings.Count(got, `"totalEarned"`) != 1 {
			t.Errorf("%s is not there once: %s", order, got)
		}
	}
}

// TestMoveBrokenOffAtItsEnd: a move that ended before its last transaction, after which the program is in neither place,
// is finished by the same move.
func TestMoveBrokenOffAtItsEnd(t *testing.T) {
	from, to, id := inFolder(t, "from.db"), inFolder(t, "to.db"), uuid.MustParse(app.ProgramID)
	s := launch(t, "-file", from)
	s.ada()
	s.stop()
	a, err := sqlitestore.Open(t.Context(), from, sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := sqlitestore.Open(t.Context(), to, sqlitestore.Config{})
	if err != nil {
		t.Fatal(err)
	}
	both, err := router.New(router.Config{Stores: []router.NamedStore{{Name: fromName, Store: keepingStore{a}}, {Name: toName, Store: failsAtTheEnd{b}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(both.Update(t.Context(), id, func(*record.Tx) error { return nil })); err != nil {
		t.Fatal(err)
	}
	if err := both.Move(t.Context(), id, toName); !errors.Is(err, errAway) {
		t.Fatalf("the move that breaks off: %v", err)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	refused(t, "the same move again finishes it", "verify", "-file", from)
	if out := mustMove(t, from, to); !strings.Contains(out, "finished a move that was interrupted") {
		t.Error(out)
	}
	s = launch(t, "-file", to)
	defer s.stop()
	if got := s.call("GET", "/api/v1/affiliates", ""); !strings.Contains(got, `"ada@example.com"`) {
		t.Errorf("after the move: %s", got)
	}
}

var errAway = errors.New("the target is away")

// failsAtTheEnd is a store that does not take a program in, after all of its records have come.
type failsAtTheEnd struct{ record.Store }

func (f failsAtTheEnd) Update(ctx context.Context, id uuid.UUID, fn func(tx *record.Tx) error) error {
	return f.Store.Update(ctx, id, func(tx *record.Tx) error {
		before, _ := tx.Raise(record.FenceSequence, 0, 0)
		if err := fn(tx); err != nil {
			return err
		}
		after, _ := tx.Raise(record.FenceSequence, 0, 0)
		if before != after && after>>30&3 == 0 && before>>30&3 == 2 { // from arriving to being there
			return errAway
		}
		return nil
	})
}
