// Command mutate writes the rules of a package wrongly, in one place at a time,
// and runs the tests of the package on each of these mutants. One that passes all
// tests that reach it survives: either a test is missing, or the mutant means the
// same. Before a release:
//
//	go run ./internal/mutate
//
// The table goes to standard output, and what survives meanwhile to standard error.
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

// ruleFiles are the files of package affiliate with the rules of attribution,
// redemption, commission, refunds, payments and payouts.
var ruleFiles = []string{
	"adjustment_record.go", "affiliate_status.go", "amount.go", "code_check.go", "code_evaluate.go", "code_rules.go",
	"commission.go", "coupon_rules.go", "movement_post.go", "payment_rules.go", "payment_settle.go", "payment_state.go",
	"payout_create.go", "payout_due.go", "payout_items.go", "payout_run_step.go", "payout_status.go", "percent.go",
	"plan_rules.go", "rate.go", "redeem.go", "redemption.go", "referral_attribute.go", "review.go", "sale_basket.go",
	"sale_decide.go", "sale_delete.go", "sale_free.go", "sale_record.go", "sale_refund.go", "sale_review.go",
	"sale_update.go", "tier_assign.go", "tier_rules.go", "webhook_decide.go",
}

// least is the score that has to be reached, in per cent.
const least = 95

//go:embed survivors.txt
var survivorsText string

func main() {
	o := options{reasons: survivors(survivorsText), out: os.Stdout, log: os.Stderr}
	flag.StringVar(&o.folder, "package", "affiliate", "the folder of the package")
	files := flag.String("files", strings.Join(ruleFiles, ","), "its files to change")
	flag.IntVar(&o.workers, "workers", 2, "how many tests run at once")
	flag.Parse()
	// The state machines draw the same every time, and a mutant leaves no files.
	o.files, o.flags = strings.Split(*files, ","), append([]string{"-rapid.seed=1", "-rapid.nofailfile"}, flag.Args()...)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options say what is changed and who tries it.
type options struct {
	folder  string
	files   []string
	workers int
	flags   []string          // of the test binary
	reasons map[string]string // why mutants may survive, by their keys
	out     io.Writer         // gets the table
	log     io.Writer         // gets what survives, as it is found
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "tributary-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sites, overlay, err := plan(o.folder, o.files, dir)
	if err != nil {
		return err
	}
	t := &trial{folder: o.folder, binary: filepath.Join(dir, "tests"), dir: dir, flags: o.flags}
	if out, err := compile(o.folder, overlay, t.binary); err != nil {
		return fmt.Errorf("the mutants do not compile: %w\n%s", err, out)
	}
	all, left, err := t.survey(ctx, o.workers)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.log, "%d mutants, %d tests reach some; left out, because they fail without a mutant: %v\n", len(sites), len(all), left)
	fates := map[string][]fate{}
	var mu sync.Mutex
	spread(o.workers, sites, func(s site) {
		if ctx.Err() != nil {
			return
		}
		f := t.try(ctx, s, all)
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

// judge prints the table and returns what is wrong with it.
func (o options) judge(fates map[string][]fate) error {
	var errs []error
	total, killed := 0, 0
	stale := maps.Clone(o.reasons)
	fmt.Fprintln(o.out, "| File | Mutants | Killed | Survived |\n|---|---|---|---|")
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
		fmt.Fprintf(o.out, "| %s | %d | %d | %d |\n", file, n, dead, n-dead)
		total, killed = total+n, killed+dead
	}
	for _, key := range slices.Sorted(maps.Keys(stale)) {
		if file, _, _ := strings.Cut(key, " "); slices.Contains(o.files, file) {
			errs = append(errs, fmt.Errorf("listed in survivors.txt, and does not survive: %s", key))
		}
	}
	score := 100 * float64(killed) / float64(max(total, 1))
	fmt.Fprintf(o.out, "| **all: %.1f per cent** | **%d** | **%d** | **%d** |\n", score, total, killed, total-killed)
	if score < least {
		errs = append(errs, fmt.Errorf("%.1f per cent, want %d", score, least))
	}
	return errors.Join(errs...)
}
