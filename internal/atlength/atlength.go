// Package atlength shortens long tests, unless TRIBUTARY_AT_LENGTH=1 is set, as
// in .ci/run. Without it, tests that take seconds run a part, which is the same
// in each run, or are skipped with a message.
package atlength

import (
	"flag"
	"os"
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

// Checks lowers the number of checks of the tests with rapid, unless On or the
// command line has -rapid.checks. It is called before flags are parsed.
func Checks() {
	if checks := flag.Lookup("rapid.checks"); checks != nil && !On() {
		checks.Value.Set("25")
	}
}
