// Package atlength lets tests be short where somebody waits for them and whole
// where they are the proof: .ci/run sets TRIBUTARY_AT_LENGTH=1, and then every
// test does all that it can. Without it, tests that take seconds do a part, the
// same one in each run, or say that they are skipped.
package atlength

import (
	"flag"
	"os"
	"testing"
)

const variable = "TRIBUTARY_AT_LENGTH"

// On reports whether tests are to do all that they can.
func On() bool { return os.Getenv(variable) != "" }

// Only skips a test that cannot do a part, unless On, and under -short.
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
