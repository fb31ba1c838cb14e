package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/app"
)

// A subcommand is one that the first argument names.
type subcommand struct {
	name, does string
	run        func(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) (code int)
}

func commands() []subcommand {
	return []subcommand{
		{"import", "brings a program over from another service", runImport},
		{"move", "copies the program from one place to another", runMove},
		{"backup", "copies the file, also beside a server that runs", runBackup},
		{"restore", "makes a file of a copy, after a look at its books", runRestore},
		{"verify", "checks the books", runVerify},
		{"reconcile", "reads again what payment providers told", runReconcile},
		{"key", "makes, lists and revokes keys of the API", runKey},
		{"doctor", "says what is missing for production", runDoctor},
		{"mail", "sends a mail, to see that the mail server takes it", runMail},
		{"unsent", "lists the mails that it has not taken", runUnsent},
	}
}

// usage writes the text of "server -h".
func usage(flags *flag.FlagSet) {
	w := flags.Output()
	fmt.Fprint(w, "Runs the server until it is interrupted: server [flags]\nOr a command, of which -h says more: server COMMAND …\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.does)
	}
	fmt.Fprint(w, "\nThe flags of the server:\n\n")
	flags.PrintDefaults()
}

// newFlags returns the flags of a command. usage is the text of -h before them.
func newFlags(name, usage string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	return flags
}

// parsed reads the arguments of a command, of which n are no flags, any number if n is below zero;
// wants says what they are. It reports whether the command goes on, else its exit code.
func parsed(flags *flag.FlagSet, args []string, n int, wants string) (code int, goes bool) {
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0, false
	case err != nil:
		return 2, false
	case n >= 0 && flags.NArg() != n:
		fmt.Fprintf(flags.Output(), "%s: %s\n", flags.Name(), wants)
		return 2, false
	}
	return 0, true
}

// without returns an error if one of some flags is given, which go with another one alone.
func without(flags *flag.FlagSet, with string, names ...string) (err error) {
	flags.Visit(func(f *flag.Flag) {
		if slices.Contains(names, f.Name) {
			err = fmt.Errorf("-%s goes with %s", f.Name, with)
		}
	})
	return err
}

// ended returns the exit code of a command, and says its error.
func ended(flags *flag.FlagSet, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(flags.Output(), "%s: %v\n", flags.Name(), err)
	return 1
}

// program opens the program of the server in a place, with the keys of the variables. done closes it.
func (e environment) program(ctx context.Context, at place) (p *tributary.Program, done func() error, err error) {
	if there, err := at.there(ctx); err != nil || !there {
		return nil, nil, noneAt(at, err) // it would be made
	}
	cfg := tributary.Config{ID: uuid.MustParse(app.ProgramID), StoredSettings: true}
	if err := app.Secure(&cfg, e.get); err != nil {
		return nil, nil, err
	}
	store, err := at.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err = store.usable(ctx, cfg.ID); err == nil {
		p, err = tributary.New(store, cfg)
	}
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return p, store.Close, nil
}

// programIn returns a program as a store keeps it.
func programIn(store record.Store, id uuid.UUID) (*tributary.Program, error) {
	return tributary.New(store, tributary.Config{ID: id, StoredSettings: true})
}

// booksHold checks the program in a store, which must be there, and the file if it is one.
func (o *openStore) booksHold(ctx context.Context, id uuid.UUID) error {
	if o.file != nil {
		if err := o.file.Check(ctx); err != nil {
			return err
		}
	}
	at, err := find(ctx, o, id)
	switch {
	case err != nil:
		return err
	case at == elsewhere:
		return o.movedTo(ctx, id)
	case at == never:
		return fmt.Errorf("there is no program %s", id)
	}
	program, err := programIn(o, id)
	if err != nil {
		return err
	}
	if err := program.Verify(ctx); err != nil {
		return fmt.Errorf("the books do not hold:\n%w", err)
	}
	return nil
}
