package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/httpapi/app"
)

// moveUsage is the text of "move -h" before the flags.
const moveUsage = `Moves a program to another place: server move [flags] FROM TO
FROM and TO are each the path of a file, or the connection string of a PostgreSQL
database, or -, which is the place that TRIBUTARY_FILE or TRIBUTARY_STORE names: the list
of processes shows a password in a connection string to whoever is on this machine. TO is
made when it is not there, and must not have the program.

Servers on FROM may run: they read on, and writes wait until the program has moved, and
are refused from then on. The records are copied and compared, and stay in FROM too. The
command may end in any way and be run again: the program is in one place or in the
other. After one that was killed, the next waits half a minute.

`

// runMove runs the command move and returns the exit code.
func runMove(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("move", moveUsage, stderr)
	schema := flags.String("schema", "tributary", "SQL `schema` of the tables in a database")
	m := mover{id: uuid.MustParse(app.ProgramID), stdout: stdout, stderr: stderr}
	flags.TextVar(&m.id, "program", m.id, "`id` of the program")
	flags.DurationVar(&m.patience, "patience", 30*time.Second,
		"for what `duration` another move of the program may stand still before this one takes over")
	if code, goes := parsed(flags, args, 2, "name where the program is, and where it goes"); !goes {
		return code
	}
	var err error
	for i, at := range []*place{&m.from, &m.to} {
		if flags.Arg(i) == "-" {
			*at, err = (&choice{schema: *schema, flags: flags, env: env}).place()
		} else {
			*at, err = parsePlace(flags.Arg(i), *schema)
		}
		if err != nil {
			fmt.Fprintf(stderr, "move: %s: %v\n", []string{fromName, toName}[i], err)
			return 2
		}
	}
	return ended(flags, m.move(ctx))
}

// The names of the places for the operator and for the router.
const fromName, toName = "FROM", "TO"

// A mover moves a program.
type mover struct {
	id             uuid.UUID
	from, to       place
	patience       time.Duration
	stdout, stderr io.Writer
}

// move moves the program, and checks its books where it is then.
func (m *mover) move(ctx context.Context) error {
	from, to := m.from, m.to
	if there, err := from.there(ctx); err != nil || !there {
		return noneAt(from, err) // it would be made
	}
	if same(from, to) {
		return fmt.Errorf("%s: FROM and TO are the same place", from)
	}
	source, err := from.open(ctx)
	if err != nil {
		return err
	}
	defer source.Close()
	here, err := find(ctx, source, m.id)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if there, err := to.there(ctx); here == never || err == nil && here == elsewhere && !there {
		return noneAt(from, nil) // and TO would be made
	}
	target, err := to.open(ctx)
	if err != nil {
		return err
	}
	defer target.Close()
	at, err := find(ctx, target, m.id)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", to, err)
	case here == present && at == present:
		return fmt.Errorf("%s has the program already", to)
	case at == present:
		fmt.Fprintf(m.stdout, "%s has the program: it was moved before\n", to)
	default:
		if err := m.carry(ctx, source, target); err != nil {
			return err
		}
	}
	return m.check(ctx, target)
}

// carry moves the program from one store to the other.
func (m *mover) carry(ctx context.Context, source, target *openStore) error {
	written := &countingStore{Store: target.bare, out: m.stderr, shown: time.Now()}
	both, err := router.New(router.Config{
		Stores: []router.NamedStore{{Name: fromName, Store: keepingStore{source.bare}},
			{Name: toName, Store: written}},
		Patience: m.patience,
	})
	if err != nil {
		return err
	}
	if _, err := source.Home(ctx, m.id); errors.Is(err, affiliate.ErrNotFound) {
		// No router has seen the program. It begins where it is, or both places would
		// remember this one as the first of two.
		if err := source.Update(ctx, m.id, func(*record.Tx) error { return nil }); err != nil {
			return err
		}
	}
	// A move that broke off at its end has no place that could keep it.
	if err := source.leaves(ctx, m.id, m.to); err != nil && !errors.Is(err, router.ErrNowhere) {
		return err
	}
	fmt.Fprintf(m.stdout, "moving the program %s\nfrom %s\nto   %s\n", m.id, m.from, m.to)
	if err := both.Move(ctx, m.id, toName); err != nil && !errors.Is(err, router.ErrRemains) {
		return err // else the program is in TO, and its records in FROM are kept
	}
	said := "finished a move that was interrupted"
	if written.records > 0 {
		said = fmt.Sprintf("copied %d records; both places have the same", written.records)
	}
	_, err = fmt.Fprintln(m.stdout, said)
	return err
}

// A presence says whether a store has a program.
type presence int

const (
	never     presence = iota // and no record of it
	present                   // or a program that no move and no server here has seen
	elsewhere                 // it was there, or a move to there is not finished
)

// find looks for a program in a store.
func find(ctx context.Context, store *openStore, id uuid.UUID) (presence, error) {
	_, err := store.Home(ctx, id)
	switch {
	case err == nil:
		return present, nil
	case errors.Is(err, router.ErrNowhere):
		return elsewhere, nil
	case !errors.Is(err, affiliate.ErrNotFound):
		return never, err
	}
	found := never
	err = store.View(ctx, id, func(tx *record.Tx) error {
		found = never // it may run again
		for _, table := range record.Schema() {
			for _, err := range table.In(tx).List(record.Query{Limit: 1}) {
				if found = present; err != nil {
					return err
				}
			}
		}
		return nil
	})
	return found, err
}

// same reports whether two names are one place.
func same(from, to place) bool {
	if from.database != nil || to.database != nil {
		return from.String() == to.String()
	}
	one, err := os.Stat(from.file)
	other, otherErr := os.Stat(to.file)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// check checks the books of the program in its new place.
func (m *mover) check(ctx context.Context, target *openStore) error {
	program, err := programIn(target, m.id)
	if err != nil {
		return err
	}
	if err := program.Verify(ctx); err != nil {
		return fmt.Errorf("the program is in %s, and its books do not hold: %w", m.to, err)
	}
	_, err = fmt.Fprintf(m.stdout,
		"the books hold\nstart the server on %s; %s keeps its records and refuses writes\n", m.to,
		m.from)
	return err
}

// errKept is the error of a record that stays where it was.
var errKept = errors.New("the records are kept")

// keepingStore is a store from which no record is deleted.
type keepingStore struct{ record.Store }

// Update runs fn on tables that delete nothing.
func (k keepingStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return k.Store.Update(ctx, program, func(tx *record.Tx) error {
		for _, table := range record.Schema() {
			table.Set(tx, keepingTable{table.In(tx)})
		}
		return fn(tx)
	})
}

type keepingTable struct{ record.Table[record.AnyRecord] }

// Delete refuses.
func (keepingTable) Delete(uuid.UUID) error { return errKept }

// countingStore is a store that counts the records it gets, and says so now and then.
type countingStore struct {
	record.Store
	out     io.Writer
	records int
	shown   time.Time
}

// sayEvery is the time between two lines about the progress.
const sayEvery = 2 * time.Second

// Update runs fn, and counts what it inserted when it is committed.
func (w *countingStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	inserted := 0
	err := w.Store.Update(ctx, program, func(tx *record.Tx) error {
		inserted = 0 // it may run again
		for _, table := range record.Schema() {
			table.Set(tx, countingTable{table.In(tx), &inserted})
		}
		return fn(tx)
	})
	if err != nil {
		return err
	}
	w.records += inserted
	if time.Since(w.shown) >= sayEvery {
		w.shown = time.Now()
		fmt.Fprintf(w.out, "%d records copied\n", w.records)
	}
	return nil
}

type countingTable struct {
	record.Table[record.AnyRecord]
	n *int
}

// Insert inserts a record and counts it.
func (t countingTable) Insert(rec record.AnyRecord) error {
	err := t.Table.Insert(rec)
	if err == nil {
		*t.n++
	}
	return err
}
