package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
