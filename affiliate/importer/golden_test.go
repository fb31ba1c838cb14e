package importer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate/importer"
)

// The report of each fixture is its golden file, and what the rows say
// is what is stored and what was refused.
func TestCheck96(t *testing.T) {
	eachFixture(t, func(t *testing.T, name string, src func(*testing.T) importer.Source) {
		w := newWorld(t)
		report := w.run(src(t), importer.Options{})
		golden(t, name+".golden", show(report))
	})
}

// A second run finds everything, and the store is the same byte for
// byte.
func TestCheck97(t *testing.T) {
	eachFixture(t, func(t *testing.T, _ string, src func(*testing.T) importer.Source) {
		w := newWorld(t)
		first := w.run(src(t), importer.Options{})
		before := w.records()
		second := w.run(src(t), importer.Options{})
		if diff := cmp.Diff(before, w.records()); diff != "" {
			t.Errorf("the store changed (-before +after):\n%s", diff)
		}
		known := map[string]int{}
		for kind, n := range first.Created {
			known[kind] += n
		}
		for kind, n := range first.Existing {
			known[kind] += n
		}
		if diff := cmp.Diff(known, second.Existing); diff != "" || len(second.Created)+len(second.Changed) > 0 {
			t.Errorf("existing (-want +got):\n%s\n%s", diff, show(second))
		}
		if diff := cmp.Diff(first.Source, second.Source); diff != "" {
			t.Errorf("what the rows say (-first +second):\n%s", diff)
		}
	})
}

// A dry run leaves the store untouched, and its report is that of the
// real one. It sees what is there already.
func TestCheck98(t *testing.T) {
	eachFixture(t, func(t *testing.T, name string, src func(*testing.T) importer.Source) {
		for _, before := range []string{"", "csv"} {
			t.Run("after "+before, func(t *testing.T) {
				w := newWorld(t)
				if before != "" {
					w.run(fixtures[before](t), importer.Options{})
				}
				was := w.records()
				dry := w.run(src(t), importer.Options{DryRun: true, Batch: 2})
				if diff := cmp.Diff(was, w.records()); diff != "" {
					t.Errorf("the store changed (-before +after):\n%s", diff)
				}
				if diff := cmp.Diff(show(dry), show(w.run(src(t), importer.Options{}))); diff != "" {
					t.Errorf("the reports (-dry +real):\n%s", diff)
				}
			})
		}
	})
}
