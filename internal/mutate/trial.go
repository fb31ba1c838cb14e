package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A trial runs the tests of one package.
type trial struct {
	folder  string // of the tests, which read their testdata there
	pattern string // of their names; empty for all
	binary  string
	flags   []string
	dir     string      // for what the tests report
	tests   []testReach // those that reach a site, the fastest first
}

// A testReach is a test of the package, how long it takes and which sites it reaches.
type testReach struct {
	name    string
	took    time.Duration
	reaches map[int]bool
}

// run runs some tests and returns whether all pass, and what they print.
func (t *trial) run(ctx context.Context, names []string, limit time.Duration, env ...string) (bool, []byte) {
	args := append([]string{"-test.run", "^(" + strings.Join(names, "|") + ")$", "-test.short",
		"-test.failfast", "-test.timeout", limit.String()}, t.flags...)
	ctx, cancel := context.WithTimeout(ctx, limit+5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.binary, args...)
	cmd.Dir, cmd.Env = t.folder, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return err == nil, out
}

// drawTheSame lets the state machines of the package, if it has some, draw the same
// every time and leave no files.
func (t *trial) drawTheSame(ctx context.Context) {
	usage, _ := exec.CommandContext(ctx, t.binary, "-h").CombinedOutput() // it exits with an error
	if bytes.Contains(usage, []byte("-rapid.seed")) {
		t.flags = append([]string{"-rapid.seed=1", "-rapid.nofailfile"}, t.flags...)
	}
}

// survey runs each test alone, without a mutant. Tests that fail, because they
// measure what the questions cost, are named and left out. They are few: when more than
// a tenth of a package fails, something else is wrong.
func (t *trial) survey(ctx context.Context, workers int) (left []string, err error) {
	cmd := exec.CommandContext(ctx, t.binary, "-test.list", cmp.Or(t.pattern, "^(Test|Example)"))
	cmd.Dir = t.folder
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	spread(workers, strings.Fields(string(out)), func(name string) {
		file := filepath.Join(t.dir, name)
		start := time.Now()
		ok, _ := t.run(ctx, []string{name}, 5*time.Minute, "MUTANTS_REACHED="+file)
		one := testReach{name, time.Since(start), reached(file)}
		mu.Lock()
		defer mu.Unlock()
		if !ok {
			left = append(left, name)
		} else if len(one.reaches) > 0 {
			t.tests = append(t.tests, one)
		}
	})
	slices.SortFunc(t.tests, func(a, b testReach) int { return cmp.Compare(a.took, b.took) })
	slices.Sort(left)
	if err := ctx.Err(); err != nil {
		return left, err
	}
	if all := len(strings.Fields(string(out))); len(left)*10 > all {
		return left, fmt.Errorf("%s: %d of %d tests fail without a mutant: %v", t.folder, len(left), all, left)
	}
	return left, nil
}

// reached reads the numbers of the sites that a run came by.
func reached(file string) map[int]bool {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil // the test came by none
	}
	ids := map[int]bool{}
	for field := range bytes.FieldsSeq(raw) {
		if id, err := strconv.Atoi(string(field)); err == nil {
			ids[id] = true
		}
	}
	return ids
}

// A fate is the end of a mutant.
type fate struct {
	site
	killed bool
	tests  int // how many tests reach it
}

// batch is the time for the tests of one process.
const batch = 3 * time.Second

// try runs the tests of all packages that reach a site with its mutant, until one
// fails or stops.
func try(ctx context.Context, s site, trials []*trial) fate {
	f := fate{site: s}
	for _, t := range trials {
		if !f.killed {
			t.try(ctx, &f)
		}
	}
	return f
}

// try runs the tests of the package, the fastest first.
func (t *trial) try(ctx context.Context, f *fate) {
	var names []string
	var sum time.Duration
	flush := func() {
		if len(names) == 0 || f.killed {
			return
		}
		ok, _ := t.run(ctx, names, 30*time.Second+10*sum, fmt.Sprint("MUTANT=", f.id))
		f.killed = !ok
		names, sum = nil, 0
	}
	for _, one := range t.tests {
		if !one.reaches[f.id] {
			continue
		}
		f.tests++
		if sum+one.took > batch {
			flush()
		}
		names, sum = append(names, one.name), sum+one.took
	}
	flush()
}

// spread calls do for each of some things, on some goroutines.
func spread[T any](workers int, things []T, do func(T)) {
	queue := make(chan T)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for thing := range queue {
				do(thing)
			}
		})
	}
	for _, thing := range things {
		queue <- thing
	}
	close(queue)
	wg.Wait()
}
