package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/affiliate/importer/cli"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/memstore"
)

// importUsage is the text of "import -h" before the flags.
const importUsage = `Brings a program over from another service: server import [flags] FOLDER
docs/import.md says what the files in the folder are called.

Without -write nothing is written, and the report is the one that the real import will
have. The import fires no event and sends no webhook. It may be interrupted and run
again, also beside a server: what was imported is found and changes nothing. A million
rows take less than 256 MiB of memory.

The flags -program, -currency and -zone say which program it is. Without them it is that
of this server, in the currency and the zone that the store keeps for it. Others than those
are refused once it has money. An empty program gets what they say, or USD and UTC, and this server serves it so.

`

// runImport runs the command import and returns the exit code.
func runImport(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("import", importUsage, stderr)
	where := choice{env: env}
	where.Flags(flags)
	write := flags.Bool("write", false, "write what is imported; without it, a dry run")
	verify := flags.Bool("verify", false, "with -write: check the books of the whole program afterwards")
	command := cli.Flags(flags)
	if code, goes := parsed(flags, args, 1, "name the folder of the export"); !goes {
		return code
	}
	at, err := where.place()
	if err != nil {
		fmt.Fprintln(stderr, "import:", err)
		return 2
	}
	if command.Config.ID == uuid.Nil {
		command.Config.ID = uuid.MustParse(app.ProgramID)
	}
	command.Folder.FS, command.Options.Progress = os.DirFS(flags.Arg(0)), importer.Terminal(stderr)
	command.Options.DryRun = !*write
	if err = imports(ctx, at, command, *verify && *write, stdout); err != nil {
		fmt.Fprintln(stderr, "import:", err)
	}
	return cli.ExitCode(err)
}

// imports runs the command on the store. A dry run of a store that is not there makes
// none: the program is empty.
func imports(ctx context.Context, at place, command *cli.Import, verify bool, stdout io.Writer) error {
	there, err := at.there(ctx)
	if err != nil {
		return err
	}
	var store record.Store = memstore.New()
	if there || !command.Options.DryRun {
		in, err := at.open(ctx)
		if err != nil {
			return err
		}
		defer in.Close()
		if err := in.usable(ctx, command.Config.ID); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		store = in
	}
	command.Config.StoredSettings = true
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
