// Model explores small models of the rules that money hangs on, state by state, and prints how many there are and
// which properties hold in all of them:
//
//	go run ./internal/model
//
// Its tests take every step of every model with the engine, and see that the properties find faults that are
// planted into the models.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	fmt.Fprintf(out, "%-24s %7s %7s %6s\n", "model", "states", "steps", "depth")
	if err := say(out, machineOfPlaces(noFault)); err != nil {
		return err
	}
	if err := say(out, machineOfBudget(noFault)); err != nil {
		return err
	}
	return say(out, machineOfMoney(noFault))
}

func say[S, A comparable](out io.Writer, m *machine[S, A]) error {
	f, err := m.explore()
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	_, err = fmt.Fprintf(out, "%-24s %7d %7d %6d\n", m.name, len(f.paths), len(f.steps), f.depth)
	return err
}
