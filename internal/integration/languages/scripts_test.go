package languages

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// salesPrint is what the programs print that record two sales of 0.1 and 0.2, add up the list,
// and send a third one that was added up in binary floating point.
const salesPrint = "0.3\n400 invalid_field totalEarned\n"

// A language is how a program in it is run: by the first of its commands that runs a line which
// asks for what the program needs.
type language struct {
	name     string
	commands []string
	eval     string
}

var (
	python = language{"Python", []string{"python3", "/usr/bin/python3"}, "-c"}
	ruby   = language{"Ruby", []string{"ruby"}, "-e"}
	php    = language{"PHP", []string{"php"}, "-r"}
)

// command returns the language's command, and skips the test without one.
func (l language) command(t *testing.T, needs string) string {
	t.Helper()
	for _, name := range l.commands {
		if exec.CommandContext(t.Context(), name, l.eval, needs).Run() == nil {
			return name
		}
	}
	t.Skipf("SKIPPED: %s cannot run %s", l.name, needs)
	return ""
}

// TestStandardLibraries: amounts as strings are exact in languages whose standard library reads
// JSON numbers as floats.
func TestStandardLibraries(t *testing.T) {
	for _, tt := range []struct {
		language
		needs, program string
	}{
		{python, "import decimal", "sales.py"},
		{ruby, "require 'bigdecimal'; require 'net/http'", "sales.rb"},
		{php, "exit(function_exists('bcadd') ? 0 : 1);", "sales.php"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			command := tt.command(t, tt.needs)
			if got := run(t, command, filepath.Join("testdata", tt.program), serve(t, ada), key); got != salesPrint {
				t.Errorf("it prints %q, want %q", got, salesPrint)
			}
		})
	}
}

var ada = affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada", AffiliateStatus: "active"}
