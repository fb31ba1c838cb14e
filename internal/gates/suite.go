package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// processor is the metric of the suite.
const processor = "processor-s"

// runSuite measures the processor time of the tests on a fresh clone, after the
// packages are built.
func runSuite(ctx context.Context, log io.Writer, root string) output {
	fmt.Fprintln(log, "== "+suite.name+" on a fresh clone")
	folder, err := os.MkdirTemp("", "gates")
	if err != nil {
		return output{err: err}
	}
	defer os.RemoveAll(folder)
	step := func(dir, name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
		return cmd
	}
	for _, cmd := range []*exec.Cmd{
		step(folder, "git", "clone", "-q", root, "."),
		step(folder, "go", "test", "-count=1", "-run", "^$", "./..."), // builds
	} {
		if err := cmd.Run(); err != nil {
			return output{err: err}
		}
	}
	tests := step(folder, "go", suite.args()...)
	if err := tests.Run(); err != nil {
		return output{err: err}
	}
	used := tests.ProcessState.UserTime() + tests.ProcessState.SystemTime()
	return output{lines: []line{{suite.name, map[string]float64{processor: used.Seconds()}}}}
}
