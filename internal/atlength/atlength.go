// Package atlength shortens long tests, unless TRIBUTARY_AT_LENGTH=1 is set, as
// in .ci/release. Without it, tests that take seconds run a part, which is the same
// in each run, or are skipped with a message.
package atlength

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

const variable = "TRIBUTARY_AT_LENGTH"

// On reports whether tests run in full.
func On() bool { return os.Getenv(variable) != "" }

// Only skips a test that cannot be shortened, unless On, and under -short.
func Only(tb testing.TB, why string) {
	tb.Helper()
	if !On() || testing.Short() {
		tb.Skipf("%s: %s=1 runs it", why, variable)
	}
}

// Every returns a function that reports true for every nth of its calls, and for all
// of them when On. It is for loops whose cases are alike.
func Every(n int) func() bool {
	call := 0
	return func() bool {
		call++
		return call%n == 0 || On()
	}
}

// Main runs the tests of a package, for TestMain. Unless On or the command line has
// -rapid.checks, it lowers the number of checks of the tests with rapid. Tests make
// many small programs, so their heap may grow to nine times what is in use, or to a
// gibibyte, before garbage is collected; benchmarks run as users do.
func Main(m *testing.M) {
	checks := flag.Lookup("rapid.checks")
	if checks != nil && !On() {
		checks.Value.Set("12")
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
		debug.SetMemoryLimit(1 << 30)
	}
	os.Exit(m.Run())
}
