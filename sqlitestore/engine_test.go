package sqlitestore_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// engineSuites are the packages whose tests run on SQLite, and the flags of each.
var engineSuites = map[string][]string{
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

// TestEngineSuite runs the tests of the engine and of its API on SQLite. They make their
// stores with memstore.New, and a build overlay replaces memstore by testdata/engine. A
// run of all takes long, so it must be asked for:
//
//	TRIBUTARY_ENGINE_SUITE=. go test -run EngineSuite -v -timeout 60m .
//
// The value is the pattern of the tests to run; -run EngineSuite/httpapi runs the
// tests of one package. The tests of [onlyInMemory] are left out.
func TestEngineSuite(t *testing.T) {
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
	write(t, overlay, must(json.Marshal(map[string]any{"Replace": replaced})))
	write(t, work, []byte("go 1.26.0\n\nuse (\n\t"+root+"\n\t"+module+"\n)\n"))

	all := 0
	for name, flags := range engineSuites {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"test", "-vet=off", "-count=1", "-short", "-v", "-timeout=30m", "-overlay=" + overlay, "-run=" + pattern, "-skip=" + onlyInMemory, "github.com/tributary-go/tributary/" + name}, flags...)
			cmd := exec.CommandContext(t.Context(), "go", args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK="+work, "TRIBUTARY_ENGINE_FOLDER="+t.TempDir())
			out, err := cmd.CombinedOutput()
			passed := strings.Count(string(out), "\n--- PASS")
			t.Logf("%d tests of %s passed on SQLite", passed, name)
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

// onlyInMemory are the tests that cannot be run on SQLite. Two make corruptions that
// only memory can hold: an event whose time changes by a microsecond, or whose number
// changes, while its encoded payload does not; two look at payloads that are not encoded
// yet. One measures what events take in memory. Two run in a bubble of testing/synctest,
// whose time stands still while a file is read.
const onlyInMemory = "TestVerifyEvents/(I47_number_of_a_coupon|I49_event_at_another_time|I49_frozen.*)|TestClaimSharesPayload|TestEventMemory|TestFollowWaits|TestSlowCall"

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
