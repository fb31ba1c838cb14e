// Command mutate writes the rules wrongly, in one place at a time, and runs the tests of
// the engine on each of these mutants. One that passes all
// tests that reach it survives: either a test is missing, or the mutant means the
// same. Before a release:
//
//	go run ./internal/mutate
//
// While tests are changed, a part of it answers sooner whether a mutant survives:
//
//	go run ./internal/mutate -files internal/engine/code_rules.go -funcs Program.CreateCode -tests internal/engine
//
// The totals go to standard output, as docs/proofs.md has them; to standard error goes what
// survives, meanwhile, and a table of the files.
// All mutants are in one program, which is compiled once; an environment variable
// chooses one. The mutants: comparisons that are turned or include one value more
// or less, && for || and back, ! left out, true for false, arithmetic and pairs of
// methods (Add and Sub, After and Before) swapped, and statements left out.
//
// It fails when the score is below 95 per cent, when a mutant survives that
// survivors.txt does not list with a reason, and when one is listed that does not.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// ruleFiles are the files with the rules of attribution, redemption, commission, refunds,
// payments and payouts.
var ruleFiles = []string{
	"affiliate/amount.go", "internal/delivery/decide.go",
	"internal/engine/adjustment_record.go", "internal/engine/affiliate_status.go",
	"internal/engine/bonus.go", "internal/engine/budget.go",
	"internal/engine/commission.go", "internal/engine/code_evaluate.go",
	"internal/engine/code_rules.go", "internal/engine/conversion.go",
	"internal/engine/coupon_rules.go", "internal/engine/movement_post.go",
	"internal/engine/payment.go", "internal/engine/plan_rules.go",
	"internal/engine/record_payout.go", "internal/engine/redeem.go",
	"internal/engine/redemption.go", "internal/engine/referral_attribute.go",
	"internal/engine/review.go", "internal/engine/rule.go", "internal/engine/sale_lines.go",
	"internal/engine/sale_decide.go", "internal/engine/sale_update.go",
	"internal/engine/sale_record.go", "internal/engine/sale_refund.go",
	"internal/engine/tier_rules.go", "internal/payment/rules.go", "internal/payout/create.go",
	"internal/payout/due.go", "internal/payout/items.go", "internal/payout/run_step.go",
	"internal/payout/status.go",
}

// testFolders are the packages whose tests look at the rules, the quick ones first. Those
// that a colon and a pattern follow lend only the tests whose names it matches.
var testFolders = []string{
	"affiliate", "internal/payout", "internal/payment", "internal/delivery", "internal/audit",
	"internal/reading", "internal/partner", "internal/engine", "internal/imports",
	"internal/upkeep", "httpapi:^TestConformance$", "internal/proofs",
}

// least is the score that has to be reached, in per cent.
const least = 95

//go:embed survivors.txt
var survivorsText string

func main() {
	o := options{reasons: survivors(survivorsText), out: os.Stdout, log: os.Stderr}
	folders := flag.String("tests", strings.Join(testFolders, ","), "the folders of the tests")
	files := flag.String("files", strings.Join(ruleFiles, ","), "the files to change")
	funcs := flag.String("funcs", "", "the functions to change, as survivors are named; all, if empty")
	flag.IntVar(&o.workers, "workers", 2, "how many tests run at once")
	flag.Parse()
	o.files, o.folders, o.flags = strings.Split(*files, ","), strings.Split(*folders, ","), flag.Args()
	if *funcs != "" {
		o.funcs = strings.Split(*funcs, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options say what is changed and who tries it.
type options struct {
	folders []string // of the tests
	files   []string
	funcs   []string // of these, if there are some
	workers int
	flags   []string          // of the test binary
	reasons map[string]string // why mutants may survive, by their keys
	out     io.Writer         // gets the totals
	log     io.Writer         // gets what survives, as it is found, and the table
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "tributary-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sites, overlay, err := plan(o.files, dir)
	if err != nil {
		return err
	}
	sites = slices.DeleteFunc(sites, func(s site) bool { return !o.tries(s.fn) })
	var trials []*trial
	tests, left := 0, []string{}
	for _, folder := range o.folders {
		folder, pattern, _ := strings.Cut(folder, ":")
		t := &trial{folder: folder, pattern: pattern, dir: filepath.Join(dir, folder), flags: o.flags}
		t.binary = filepath.Join(t.dir, "tests")
		if err := os.MkdirAll(t.dir, 0o700); err != nil {
			return err
		}
		if out, err := compile(folder, overlay, t.binary); err != nil {
			return fmt.Errorf("the mutants do not compile: %w\n%s", err, out)
		}
		t.drawTheSame(ctx)
		fails, err := t.survey(ctx, o.workers)
		if err != nil {
			return err
		}
		trials, tests, left = append(trials, t), tests+len(t.tests), append(left, fails...)
	}
	fmt.Fprintf(o.log,
		"%d mutants, %d tests reach some; left out, because they fail without a mutant: %v\n",
		len(sites), tests, left)
	fates := map[string][]fate{}
	var mu sync.Mutex
	spread(o.workers, sites, func(s site) {
		if ctx.Err() != nil {
			return
		}
		f := try(ctx, s, trials)
		mu.Lock()
		defer mu.Unlock()
		fates[s.file] = append(fates[s.file], f)
		if !f.killed {
			fmt.Fprintf(o.log, "survived, %d tests: %s (line %d)\n", f.tests, f.key(), f.line)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	return o.judge(fates)
}

// tries reports whether the mutants of a function are asked for.
func (o options) tries(fn string) bool { return len(o.funcs) == 0 || slices.Contains(o.funcs, fn) }

// survivors reads the reasons, by the key of the mutant. A line is
// "key # reason"; a line that begins with # is a comment.
func survivors(text string) map[string]string {
	reasons := map[string]string{}
	for line := range strings.Lines(text) {
		key, reason, ok := strings.Cut(strings.TrimSpace(line), " # ")
		if ok && !strings.HasPrefix(key, "#") {
			reasons[key] = reason
		}
	}
	return reasons
}

// judge prints the totals and the table, and returns what is wrong with them.
func (o options) judge(fates map[string][]fate) error {
	var errs []error
	total, killed := 0, 0
	stale := maps.Clone(o.reasons)
	fmt.Fprintln(o.log, "| File | Mutants | Killed | Survived |\n|---|---|---|---|")
	for _, file := range slices.Sorted(slices.Values(o.files)) {
		dead := 0
		for _, f := range fates[file] {
			if f.killed {
				dead++
				continue
			}
			if o.reasons[f.key()] == "" {
				errs = append(errs, fmt.Errorf("survived without a reason in survivors.txt: %s", f.key()))
			}
			delete(stale, f.key())
		}
		n := len(fates[file])
		fmt.Fprintf(o.log, "| %s | %d | %d | %d |\n", file, n, dead, n-dead)
		total, killed = total+n, killed+dead
	}
	for _, key := range slices.Sorted(maps.Keys(stale)) {
		file, rest, _ := strings.Cut(key, " ")
		fn, _, _ := strings.Cut(rest, ":")
		if slices.Contains(o.files, file) && o.tries(fn) {
			errs = append(errs, fmt.Errorf("listed in survivors.txt, and does not survive: %s", key))
		}
	}
	score := 100 * float64(killed) / float64(max(total, 1))
	fmt.Fprintf(o.out, "Of %d in %d files %d were killed, %.1f per cent. Of the %d that survived\n"+
		"each has a reason in internal/mutate/survivors.txt.\n",
		total, len(o.files), killed, score, total-killed)
	if score < least {
		errs = append(errs, fmt.Errorf("%.1f per cent, want %d", score, least))
	}
	return errors.Join(errs...)
}
