// Command gates measures the goals P1 to P26 of the project, each beside its
// floor in the same run, and prints one table that says which gates hold:
//
//	go run ./internal/gates
//	go run ./internal/gates -only P1,P17
//
// It runs the benchmarks of the packages one after another, so it takes a while
// (about a quarter of an hour), and its ratios are worth more on a quiet
// machine: the last line says how busy the machine was. The gates of pgstore
// need PostgreSQL, which the benchmarks look for themselves. A gate that nothing
// has measured does not hold. Below the table stands why a gate does not hold; the exit status is
// 1 when that is not known, or the figure is worse than what is.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
)

func main() {
	only := flag.String("only", "", "measure these gates only: P1,P17")
	list := flag.Bool("list", false, "print the commands and measure nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	chosen := choose(goals, *only)
	if len(chosen) == 0 {
		fmt.Fprintf(os.Stderr, "gates: no goal has a name in %q\n", *only)
		os.Exit(2)
	}
	if *list {
		for _, b := range benchesOf(chosen) {
			fmt.Printf("(cd %s && go %s)\n", b.dir, strings.Join(b.args(), " "))
		}
		return
	}
	before := load()
	results := measure(ctx, os.Stderr, chosen)
	held := report(os.Stdout, chosen, results)
	fmt.Printf("\n%s, %d processors, %s; load before: %s; after: %s.\n", runtime.Version(),
		runtime.NumCPU(), runtime.GOARCH, before, load())
	if !held {
		os.Exit(1)
	}
}

// choose returns the goals of some gates, separated by commas; all of them when
// there is no name.
func choose(from []goal, names string) []goal {
	if names == "" {
		return from
	}
	wanted := strings.Split(strings.ToUpper(names), ",")
	return slices.DeleteFunc(slices.Clone(from), func(g goal) bool { return !slices.Contains(wanted, g.gate) })
}

// report prints a table of the goals, and why those that do not hold do not. It reports whether
// all hold, or are known not to.
func report(w io.Writer, chosen []goal, results map[bench]output) bool {
	held := true
	var missed strings.Builder
	fmt.Fprintln(w, "| gate | goal | measured | bound (aim) |")
	fmt.Fprintln(w, "|---|---|---|---|")
	for _, g := range chosen {
		measured, holds := g.judge(results[g.bench])
		if !holds {
			known := g.isKnown(results[g.bench])
			held = held && known
			measured = "**" + measured + "**"
			why := cmp.Or(g.why, "nobody knows why.")
			if g.why != "" && !known {
				why = "this is worse than what is known (" + number(g.known) + "): " + why
			}
			fmt.Fprintf(&missed, "- %s, %s: %s\n", g.gate, g.what, why)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", g.gate, g.what, measured, g.bound())
	}
	if missed.Len() > 0 {
		fmt.Fprintf(w, "\nWhat does not hold, and why:\n%s", missed.String())
	}
	return held
}

// load returns the load average of the machine, where the system tells it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return string(bytes.Join(bytes.Fields(text)[:3], []byte(" ")))
}
