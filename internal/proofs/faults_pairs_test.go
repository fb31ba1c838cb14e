package proofs_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// pairSample is one in how many pairs of faults every change meets. All of them
// take minutes: before a release, TRIBUTARY_ALL_PAIRS=1.
const pairSample = 29

// lostAnswer is the fault after a commit. Its n-th call is the n-th commit.
var lostAnswer = storeFault{name: "lost answer", want: conformance.ErrInjected}

// try makes a keyed call with a fault at the n-th call of its store, and reports
// whether the fault was met.
func (s keyedShop) try(t *testing.T, method string, kind storeFault, n int64) (met bool, err error) {
	t.Helper()
	once := affiliate.Once{Key: "k"}
	if kind.name == lostAnswer.name {
		commits := conformance.Count(s.Store)
		err = invoke(t.Context(), s.With(conformance.LoseAnswer(commits, int(n))).Keyed(once), method, s.writes[method])
		return int64(commits.Commits()) >= n, err
	}
	broken, ctx := kind.at(t, s.Store, n)
	err = invoke(ctx, s.With(broken).Keyed(once), method, s.writes[method])
	return broken.Ops.Load() >= n, err
}

// settled makes the keyed call without a fault, and again. Both have one answer,
// and leave as many records as one call does.
func (s keyedShop) settled(t *testing.T, what, method string, want map[string]int) {
	t.Helper()
	keyed := s.Keyed(affiliate.Once{Key: "k"})
	answer, err := s.call(keyed, method, s.writes[method])
	if err != nil {
		t.Errorf("%s: the try without a fault: %v", what, err)
	}
	if diff := cmp.Diff(want, sizes(s.withoutOthers())); diff != "" {
		t.Errorf("%s: records (-one call +all tries):\n%s", what, diff)
	}
	before := s.Dump()
	again, err := s.call(keyed, method, s.writes[method])
	if diff := cmp.Diff(answer, again, cmp.Comparer(sameError)); diff != "" || err != nil {
		t.Errorf("%s: the repeat of the answer: %v (-answer +repeat):\n%s", what, err, diff)
	}
	if diff := cmp.Diff(before, s.Dump()); diff != "" {
		t.Errorf("%s: the repeat changed records (-before +after):\n%s", what, diff)
	}
	s.balanced(t)
}

// lengths are the records that one keyed call leaves, the calls that it makes of
// its store, and its commits.
func lengths(t *testing.T, method string) (left map[string]int, calls, commits int64) {
	t.Helper()
	s := newKeyedShop(t, memstore.New())
	counted := conformance.Count(s.Store)
	watched := &scene.Probe{Store: counted}
	scene.Must(s.call(s.With(watched).Keyed(affiliate.Once{Key: "k"}), method, s.writes[method]))
	return sizes(s.Dump()), watched.Ops.Load(), int64(counted.Commits())
}

// TestFaultsInPairs: a write meets a fault at any call of its store, or its answer
// is lost, and the repeat with the same key meets another one at its first call.
// Verify and the ledger pass after each. The third try gives the one result, and a
// fourth one repeats it.
func TestFaultsInPairs(t *testing.T) {
	kinds := append(slices.Clone(storeFaults), lostAnswer)
	met, ran, tries, sample := map[string]int{}, 0, map[string]int{}, pairSample
	switch {
	case os.Getenv("TRIBUTARY_ALL_PAIRS") != "":
		sample = 1
	case !atlength.On():
		sample *= 4
	}
	methods := slices.Sorted(maps.Keys(newKeyedShop(t, memstore.New()).writes))
	for _, method := range methods {
		t.Run(method, func(t *testing.T) {
			ran++
			left, calls, commits := lengths(t, method)
			for _, first := range kinds {
				last := calls
				if first.name == lostAnswer.name {
					last = commits
				}
				for n := int64(1); n <= last; n++ {
					for _, second := range kinds {
						what := first.name + ", then " + second.name
						if tries[what]++; tries[what]%sample == 1%sample && newKeyedShop(t, memstore.New()).fallsTwice(t, method, left, first, n, second) {
							met[what]++
						}
					}
				}
			}
		})
	}
	pairs := 0
	for _, first := range kinds {
		for _, second := range kinds {
			what := first.name + ", then " + second.name
			if pairs += met[what]; met[what] == 0 && ran == len(methods) {
				t.Errorf("no write met %s", what)
			}
		}
	}
	t.Attr("pairs", fmt.Sprintf("operations=%d pairs=%d kinds=%d", len(methods), pairs, len(met)))
}

// fallsTwice makes a write that meets two faults, and reports whether it met the
// second one.
func (s keyedShop) fallsTwice(t *testing.T, method string, left map[string]int, first storeFault, n int64, second storeFault) bool {
	t.Helper()
	what := fmt.Sprintf("%s at %d", first.name, n)
	met, err := s.try(t, method, first, n)
	if !met {
		t.Errorf("%s: there is no such call", what)
	}
	first.told(t, what, err)
	s.balanced(t)
	what += ", then " + second.name
	met, err = s.try(t, method, second, 1)
	if met {
		second.told(t, what, err)
	} else if err != nil {
		t.Errorf("%s: there is no such call, and the error %v", what, err)
	}
	s.balanced(t)
	s.settled(t, what, method, left)
	return met
}
