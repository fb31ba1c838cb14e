// Import brings a program over from another service into PostgreSQL:
//
//	go run ./cmd/import -store postgres://…/shop -from rewardful ./export         # a dry run
//	go run ./cmd/import -store postgres://…/shop -from rewardful -write ./export  # in earnest
//	go run ./cmd/import -store postgres://…/shop -from rewardful -write -verify ./export
//	go run ./cmd/import -h                                                        # prints the flags
//
// Without -write nothing is written, and the report is the one that the real
// import will have. The import fires no event and sends no webhook. It may be
// interrupted and run again: what was imported is found and changes nothing. A
// million rows take less than 256 MiB of memory. With -verify the books of the whole
// program are checked then, which takes about 2 GiB for a million sales.
//
// The flags -program, -currency and -zone must say what the host's
// tributary.Config says: the id is how the records are found. The tables must be
// there, as the host makes them at its start.
//
// docs/import.md says what the files in the folder are called.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/affiliate/importer/cli"
	"github.com/tributary-go/tributary/pgstore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the program and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("import", flag.ContinueOnError)
	flags.SetOutput(stderr)
	url := flags.String("store", "", "`connection` string of the database (default: the variable TRIBUTARY_STORE)")
	schema := flags.String("schema", "tributary", "SQL `schema` of the tables")
	write := flags.Bool("write", false, "write what is imported; without it, a dry run")
	verify := flags.Bool("verify", false, "with -write: check the books of the whole program afterwards, which takes memory for all its records")
	command := cli.Flags(flags)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() != 1:
		fmt.Fprintln(stderr, "import: name the folder of the export")
		return 2
	}
	if *url == "" {
		*url = os.Getenv("TRIBUTARY_STORE")
	}
	if *url == "" {
		fmt.Fprintln(stderr, "import: name the database with -store")
		return 2
	}
	command.Folder.FS, command.Options.Progress = os.DirFS(flags.Arg(0)), importer.Terminal(stderr)
	command.Options.DryRun = !*write
	if err = imports(ctx, *url, *schema, command, *verify && *write, stdout); err != nil {
		fmt.Fprintln(stderr, "import:", err)
	}
	return cli.ExitCode(err)
}

// imports runs the command on the database.
func imports(ctx context.Context, url, schema string, command *cli.Import, verify bool, stdout io.Writer) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	store, err := pgstore.New(pool, pgstore.Config{Schema: schema})
	if err != nil {
		return err
	}
	program, err := tributary.New(store, command.Config)
	if err != nil {
		return err
	}
	left := command.Run(ctx, program, stdout)
	if left != nil && !errors.Is(left, cli.ErrRefused) {
		return left
	}
	if command.Options.DryRun {
		_, err := fmt.Fprintln(stdout, "a dry run: nothing was written; add -write to import")
		return cmp.Or(err, left)
	}
	if !verify {
		return left
	}
	if err := program.Verify(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, "the books hold")
	return cmp.Or(err, left)
}
