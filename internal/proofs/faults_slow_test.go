package proofs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A slow call takes an hour, and its caller waits for a minute. Somebody else
// waits for ten minutes, and others as long as it takes.
const (
	slowCall     = time.Hour
	patience     = time.Minute
	othersAt     = time.Second // when they come
	morePatience = 10 * time.Minute
)

// A slowFault is a slow call.
type slowFault struct {
	name   string
	within time.Duration // when the program is free again
	fault  func(ctx context.Context) error
}

// slowFaults are the slow calls of a store that does not look at the context, and
// of one that gives up with it.
var slowFaults = []slowFault{
	{"slow", slowCall, func(context.Context) error { time.Sleep(slowCall); return nil }},
	{"slow until the deadline", patience, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
}

// TestSlowCall: at every call of its store every operation is slow, and its
// deadline passes meanwhile. The caller gets context.DeadlineExceeded, or its
// answer; the change is whole or none. Other callers of the program go on when the
// call ends, or when their own deadline passes, and another program does not
// notice. The repeat of a write with its key gives the one result.
func TestSlowCall(t *testing.T) {
	names, slow := storeUsers(), 0
	for _, method := range names {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var left map[string]int
				if newKeyedShop(t, memstore.New()).writes[method] != nil {
					left, _, _ = lengths(t, method)
				}
				for _, kind := range slowFaults {
					step := int64(31)
					if atlength.On() {
						step = 1
					}
					for n := int64(1); slowAt(t, method, n, kind, left); n += step {
						slow++
					}
				}
			})
		})
	}
	t.Attr("slow", fmt.Sprintf("operations=%d calls=%d", len(names), slow))
}

// slowAt makes one call of the store slow. It reports whether there is such a
// call.
func slowAt(t *testing.T, method string, n int64, kind slowFault, left map[string]int) bool {
	t.Helper()
	what := fmt.Sprint(kind.name, " at call ", n)
	s := newKeyedShop(t, memstore.New())
	args, before := s.argsOf(t, method), s.Dump()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	late := &scene.Probe{Store: s.Store, FailAt: n, Fault: func() error { return kind.fault(ctx) }}
	p := s.With(late)
	if left != nil {
		p = p.Keyed(affiliate.Once{Key: "k"})
	}
	checked := s.others(t, what, kind.within)
	err := invoke(ctx, p, method, args)
	checked()
	if late.Ops.Load() < n {
		return false
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s: %v", what, err)
	}
	if _, refused := errors.AsType[*affiliate.Error](err); refused {
		t.Errorf("%s: the refusal %v", what, err)
	}
	if changes := cmp.Diff(before, s.withoutOthers()); err != nil && changes != "" && !slices.Contains(inSteps, method) {
		t.Errorf("%s changed records (-before +after):\n%s", what, changes)
	}
	s.balanced(t)
	if left != nil {
		s.settled(t, what, method, left)
	}
	return true
}

// others start calls of other people, and return what waits for them. What they
// write is called meanwhile.
func (s keyedShop) others(t *testing.T, what string, within time.Duration) (wait func()) {
	t.Helper()
	cfg := s.Config()
	cfg.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02")
	cfg.Rand = rand.NewChaCha8([32]byte{2}) // two programs must not share one
	elsewhere := scene.Must(tributary.New(s.Store, cfg))
	began, done := time.Now(), make(chan struct{})
	calls := []struct {
		name   string
		within time.Duration
		call   func() error
	}{
		{"a writer", within, func() error { return addPlan(t.Context(), s.Program) }},
		{"a reader", within, func() error { return scene.ErrOf(s.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})) }},
		{"a writer who waits ten minutes", min(within, othersAt+morePatience), func() error {
			ctx, cancel := context.WithTimeout(t.Context(), morePatience)
			defer cancel()
			if err := addPlan(ctx, s.Program); !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			return nil
		}},
		{"another program", othersAt, func() error { return addPlan(t.Context(), elsewhere) }},
	}
	for _, c := range calls {
		go func() {
			defer func() { done <- struct{}{} }()
			time.Sleep(othersAt)
			if err := c.call(); err != nil {
				t.Errorf("%s: %s: %v", what, c.name, err)
			}
			if took := time.Since(began); took > max(c.within, othersAt) {
				t.Errorf("%s: %s had to wait for %v", what, c.name, took)
			}
		}()
	}
	return func() {
		for range calls {
			<-done
		}
	}
}

const othersWrite = "meanwhile"

// addPlan is a write that has to do with nothing else.
func addPlan(ctx context.Context, p *tributary.Program) error {
	return scene.ErrOf(p.CreatePlan(ctx, affiliate.PlanParams{Name: othersWrite}))
}

// withoutOthers are all records but those that others wrote.
func (s keyedShop) withoutOthers() map[string][]string {
	tables := s.Dump()
	for name, rows := range tables {
		tables[name] = slices.DeleteFunc(rows, func(row string) bool { return strings.Contains(row, othersWrite) })
	}
	return tables
}
