package twins

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// suites are the packages whose tests run on another store than memstore, and the flags of
// each.
var suites = map[string][]string{
	"affiliate":         {"-rapid.checks=3"},
	"internal/audit":    nil,
	"internal/delivery": nil,
	"internal/engine":   {"-rapid.checks=3"},
	"internal/imports":  nil,
	"internal/partner":  nil,
	"internal/payment":  nil,
	"internal/payout":   nil,
	"internal/proofs":   {"-rapid.checks=3"},
	"internal/reading":  {"-rapid.checks=3"},
	"internal/upkeep":   {"-rapid.checks=3"},
	"httpapi":           nil,
}

// Suite runs the tests of the engine and of its API on the store of the module in this
// folder. They make their stores with memstore.New, and a build overlay replaces memstore
// by testdata/engine. A run of all takes long, so it must be asked for:
//
//	TRIBUTARY_ENGINE_SUITE=. go test -run EngineSuite -v -timeout 60m .
//
// The value is the pattern of the tests to run; -run EngineSuite/httpapi runs the tests of
// one package. The tests of skip are left out. Variable returns what the stores read from
// the environment.
func Suite(t *testing.T, skip string, variable func(t *testing.T) string) {
	pattern := os.Getenv("TRIBUTARY_ENGINE_SUITE")
	if pattern == "" {
		t.Skip("TRIBUTARY_ENGINE_SUITE is not set")
	}
	module := must(filepath.Abs("."))
	root, dir := filepath.Dir(module), t.TempDir()
	replaced := map[string]string{}
	for _, file := range must(filepath.Glob(filepath.Join(root, "memstore", "*.go"))) {
		if !strings.HasSuffix(file, "_test.go") {
			replaced[file] = ""
		}
	}
	replaced[filepath.Join(root, "memstore", "memstore.go")] = filepath.Join(module, "testdata", "engine", "memstore.go")
	overlay, work := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "go.work")
	for file, text := range map[string]string{
		overlay: string(must(json.Marshal(map[string]any{"Replace": replaced}))),
		work:    "go 1.26.0\n\nuse (\n\t" + root + "\n\t" + module + "\n)\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	all := 0
	for name, flags := range suites {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"test", "-vet=off", "-count=1", "-short", "-v", "-timeout=30m", "-overlay=" + overlay, "-run=" + pattern, "-skip=" + skip, "github.com/tributary-go/tributary/" + name}, flags...)
			cmd := exec.CommandContext(t.Context(), "go", args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK="+work, variable(t))
			out, err := cmd.CombinedOutput()
			passed := strings.Count(string(out), "\n--- PASS")
			t.Logf("%d tests of %s passed", passed, name)
			all += passed
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	if all == 0 {
		t.Error("no test was run")
	}
}
