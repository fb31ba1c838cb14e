// Proofs runs the tests of this module, and those of faults in the engine, and
// prints tables of what they counted, with the commit and the date. At length it also
// kills servers, fills disks, restores backups, and tries the mutants of the rules.
//
//	go run ./proofs                # what every change runs, two minutes
//	go run ./proofs -long -update  # what a release runs, and write docs/proofs.md
//
// Its exit status is 1 when a test fails. Then nothing is written.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	var o options
	flag.BoolVar(&o.long, "long", false, "run the tests at length")
	flag.BoolVar(&o.update, "update", false, "write the tables into docs/proofs.md")
	flag.StringVar(&o.events, "events", "",
		"a file with the output of go test -json of this module and of the engine's faults; empty: run them")
	flag.StringVar(&o.commit, "commit", "HEAD", "with -events: the commit that they were recorded on")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "proofs:", err)
		os.Exit(1)
	}
}

type options struct {
	long, update   bool
	events, commit string
}

// mutantsTitle stands before the totals of the mutants.
const mutantsTitle = "\n**Mutants.** Each rule of the engine, written wrongly in one place at a time; killed when a test\n" +
	"of the engine or of its rooms notices. `go run ./internal/mutate` prints them by file.\n"

// A part is a command that runs tests which count, in a folder from the root. Its
// standard output is that of go test -json.
type part struct {
	dir     string
	command []string
	tests   []string // each has to count something
}

// selected runs some tests of a package.
func selected(dir, folder string, tests ...string) part {
	return part{dir,
		[]string{"go", "test", "-json", "-count=1", "-timeout=90m", "-run",
			"^(" + strings.Join(tests, "|") + ")$", folder}, tests}
}

var parts = []part{
	{"internal/integration/robustness", []string{"go", "test", "-json", "-count=1", "-timeout=90m", "."}, []string{
		"TestHistoriesInMemory", "TestHistoriesOverHTTP", "TestHistoriesInFile",
		"TestHistoriesOnPostgres", "TestHistoriesOfProcesses", "TestPlantedInMemory",
		"TestPlantedOverHTTP", "TestPlantedOnPostgres", "TestExactly", "TestExactlyInFile",
		"TestExactlyOnPostgres",
	}},
	selected(".", "./internal/proofs", "TestFaultAtEveryCall", "TestFaultsInPairs",
		"TestLostAnswerOfEveryWrite", "TestSlowCall"),
}

// longParts run at length only.
var longParts = []part{
	selected("pgstore", ".", "TestChaos", "TestKill", "TestDiskFull", "TestDump", "TestPointInTime",
		"TestMigrateCut", "TestOneProgram", "TestDistributionColumn"),
	{".", []string{".ci/availability", "-json"}, []string{"TestAvailability", "TestPgBouncer"}},
}

// expected returns the tests that have to count something.
func expected(f figures, long bool) (tests []string) {
	for _, p := range parts {
		tests = append(tests, p.tests...)
	}
	for _, p := range longParts {
		if long && (p.command[0] == "go" || !f.told[script]) {
			tests = append(tests, p.tests...)
		}
	}
	return tests
}

func run(o options, out io.Writer) error {
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	var events bytes.Buffer
	if o.events != "" {
		raw, err := os.ReadFile(o.events)
		if err != nil {
			return err
		}
		events.Write(raw)
	} else if err := measure(root, o.long, &events); err != nil {
		return err
	}
	found, err := read(&events)
	if err != nil {
		return err
	}
	if lack := found.missing(expected(found, o.long)); len(lack) > 0 {
		return fmt.Errorf("these tests counted nothing: %s", strings.Join(lack, ", "))
	}
	title, err := version(root, o)
	if err != nil {
		return err
	}
	text := title + found.tables()
	if o.long {
		mutants, err := output(root, "go", "run", "./internal/mutate")
		if err != nil {
			return fmt.Errorf("the mutants: %w", err)
		}
		text += mutantsTitle + mutants + "\n"
	}
	fmt.Fprint(out, text)
	if !o.update {
		return nil
	}
	return replace(filepath.Join(root, "docs", "proofs.md"), text)
}

// measure runs the tests and keeps their events. What is not an event of a test
// goes to standard error.
func measure(root string, long bool, events *bytes.Buffer) error {
	all, env := parts, os.Environ()
	if long {
		all, env = slices.Concat(parts, longParts),
			append(env, "TRIBUTARY_AT_LENGTH=1", "TRIBUTARY_ALL_PAIRS=1", "CI=true",
				"TRIBUTARY_CHAOS=10m", "TRIBUTARY_KILLS=500")
	}
	var failed error
	for _, p := range all {
		cmd := exec.Command(p.command[0], p.command[1:]...)
		if !long {
			cmd.Args = slices.Insert(cmd.Args, 2, "-short")
		}
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = filepath.Join(root, p.dir), events, os.Stderr, env
		if err := cmd.Run(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("the tests in %s: %w", p.dir, err))
		}
	}
	if failed != nil {
		tell(events, os.Stderr)
	}
	return failed
}

// version says what was measured, and when.
func version(root string, o options) (string, error) {
	commit, err := output(root, "git", "rev-parse", "--short=10", o.commit)
	if err != nil {
		return "", err
	}
	changed, err := output(root, "git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/proofs.md")
	if err != nil {
		return "", err
	}
	if changed != "" && o.events == "" {
		commit += ", with changes"
	}
	form := "short form, as for every change"
	if o.long {
		form = "long form, as before a release"
	}
	return fmt.Sprintf("Commit %s, %s, %s, %d processors; %s.\n\n",
		commit, time.Now().UTC().Format("2 January 2006"), runtime.Version(), runtime.NumCPU(), form), nil
}

func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	raw, err := cmd.Output()
	return strings.TrimSpace(string(raw)), err
}

// The tables stand between these lines of the document.
const begin, end = "<!-- begin: go run ./proofs -->\n", "<!-- end -->\n"

// replace writes the text between the two lines.
func replace(file, text string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the tables", file)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}
