package main

import "fmt"

// A machine is a small model of a rule: states, what can be done in each, and what must hold in all of them.
type machine[S, A comparable] struct {
	name  string
	first S
	deeds []A
	// does returns the state after a deed, and what a caller is told; possible is false for what nobody would
	// do in that state.
	does func(S, A) (after S, told string, possible bool)
	// wrong says what a state, or the step to it, breaks; empty: nothing.
	wrong func(before S, deed A, after S, told string) string
	// seen is what of a state can be seen from outside; nil: all of it.
	seen func(S) S
}

// A step is a deed in a state, with what a caller is told.
type step[S, A comparable] struct {
	before, after S
	deed          A
	told          string
}

// A found is all that a machine can reach.
type found[S, A comparable] struct {
	paths map[S][]A // a shortest one to each state
	steps []step[S, A]
	depth int
}

// A violation is a property that does not hold, with a shortest way to it.
type violation[A comparable] struct {
	says string
	path []A
}

// Error has the way.
func (v *violation[A]) Error() string { return fmt.Sprintf("%s after %v", v.says, v.path) }

// explore reaches every state, the nearest first.
func (m *machine[S, A]) explore() (found[S, A], error) {
	f := found[S, A]{paths: map[S][]A{m.first: nil}}
	for next := []S{m.first}; len(next) > 0; {
		before := next[0]
		next = next[1:]
		path := f.paths[before]
		f.depth = max(f.depth, len(path))
		for _, deed := range m.deeds {
			after, told, possible := m.does(before, deed)
			if !possible {
				continue
			}
			f.steps = append(f.steps, step[S, A]{before, after, deed, told})
			way := append(path[:len(path):len(path)], deed)
			if says := m.wrong(before, deed, after, told); says != "" {
				return f, &violation[A]{says, way}
			}
			if _, known := f.paths[after]; !known {
				f.paths[after] = way
				next = append(next, after)
			}
		}
	}
	return f, nil
}
