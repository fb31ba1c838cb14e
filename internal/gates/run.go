package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A bench is a benchmark or a test that `go test` runs.
type bench struct {
	dir   string // of the package, below the root of the project
	name  string // BenchmarkX or TestX
	times string // for -benchtime; empty: 1x, for those that count their own rounds
	flags string // of the package's own, -name=value; empty: none
}

// suite is the bench that runs the whole test command instead of a benchmark.
var suite = bench{name: "go test ./..."}

func (b bench) args() []string {
	if b == suite {
		return []string{"test", "-count=1", "./..."}
	}
	if strings.HasPrefix(b.name, "Test") {
		return []string{"test", "-count=1", "-run", "^" + b.name + "$", "."}
	}
	args := []string{"test", "-run", "^$", "-bench", "^" + b.name + "$", "-benchtime",
		cmp.Or(b.times, "1x"), "-timeout", "30m"}
	args = append(args, ".")
	if b.flags != "" {
		args = append(args, "-args", b.flags)
	}
	return args
}

// An output is the printed result of a benchmark.
type output struct {
	lines []line
	err   error
}

// A line is the metrics of one sub-benchmark.
type line struct {
	name    string
	metrics map[string]float64
}

// benchesOf returns the benchmarks that some goals need, each once.
func benchesOf(goals []goal) (benches []bench) {
	for _, g := range goals {
		if !slices.Contains(benches, g.bench) {
			benches = append(benches, g.bench)
		}
	}
	return benches
}

// measure runs the benchmarks that some goals need, one after another, and
// prints their own output to log.
func measure(ctx context.Context, log io.Writer, goals []goal) map[bench]output {
	results := make(map[bench]output)
	root, err := rootFolder(ctx)
	for _, b := range benchesOf(goals) {
		switch {
		case err != nil:
			results[b] = output{err: err}
		case b == suite:
			results[b] = runSuite(ctx, log, root)
		default:
			results[b] = b.run(ctx, log, root)
		}
	}
	return results
}

func (b bench) run(ctx context.Context, log io.Writer, root string) output {
	fmt.Fprintf(log, "== %s %s\n", b.dir, b.name)
	var text bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", b.args()...)
	cmd.Dir = filepath.Join(root, b.dir)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(log, &text), log
	if err := cmd.Run(); err != nil {
		return output{err: errors.New("go test in " + b.dir + " " + err.Error())}
	}
	return output{lines: parse(&text)}
}

// rootFolder finds the root of the project from any folder below it.
func rootFolder(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/tributary-go/tributary").Output()
	if err != nil {
		return "", errors.New("gates runs in a checkout of the project")
	}
	return strings.TrimSpace(string(out)), nil
}

// parse reads the lines of benchmarks out of what go test prints:
//
//	BenchmarkX/sub-2   1   1234 ns/op   1.5 x-floor
func parse(r io.Reader) (lines []line) {
	for in := bufio.NewScanner(r); in.Scan(); {
		fields := strings.Fields(in.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		l := line{name: fields[0], metrics: make(map[string]float64)}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				l.metrics[fields[i+1]] = v
			}
		}
		lines = append(lines, l)
	}
	return lines
}
