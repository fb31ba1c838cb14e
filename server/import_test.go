package main

import (
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
