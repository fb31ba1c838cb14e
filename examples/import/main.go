// Import checks the export of another service without a database: it imports it
// into a program in memory, prints the report and checks the books.
//
//	go run ./examples/import                              # the three exports that come with it
//	go run ./examples/import -from rewardful ./my-export  # a folder of yours
//	go run ./examples/import -h                           # prints the flags
//
// It needs no network, server, database or key. Without a folder each export is
// imported three times: as a dry run, in earnest, and in earnest again, which
// changes nothing. With a folder it is imported once. The exit code is 0 if what
// the files say is what is stored, and 3 if rows were left out.
//
// docs/import.md says what the files in the folder are called, and how the same
// folder is imported into a real database.
package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/affiliate/importer/cli"
	"github.com/tributary-go/tributary/memstore"
)

//go:embed testdata
var exports embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the program and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("import", flag.ContinueOnError)
	flags.SetOutput(stderr)
	command := cli.Flags(flags)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 1:
		fmt.Fprintf(stderr, "import: unexpected argument %q\n", flags.Arg(1))
		return 2
	}
	if flags.NArg() == 0 {
		err = examples(ctx, stdout)
	} else {
		command.Folder.FS, command.Options.Progress = os.DirFS(flags.Arg(0)), importer.Terminal(stderr)
		err = check(ctx, command, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "import:", err)
	}
	return cli.ExitCode(err)
}

// examples imports the exports that come with the program.
func examples(ctx context.Context, stdout io.Writer) error {
	for _, service := range []string{"rewardful", "dub", "csv"} {
		folder, err := fs.Sub(exports, "testdata/"+service)
		if err != nil {
			return err
		}
		command := &cli.Import{Folder: importer.Folder{FS: folder, Service: service, Discount: affiliate.CouponParams{
			PercentOff: affiliate.Set(affiliate.MustPercent("20")),
		}}}
		if err := threeTimes(ctx, command, stdout); err != nil {
			return fmt.Errorf("%s: %w", service, err)
		}
	}
	return nil
}

// threeTimes imports an export as a dry run, in earnest and again.
func threeTimes(ctx context.Context, c *cli.Import, stdout io.Writer) error {
	program, err := newProgram(c)
	if err != nil {
		return err
	}
	for _, title := range []string{"dry run", "import", "import again"} {
		fmt.Fprintf(stdout, "== %s, %s ==\n", c.Folder.Service, title)
		c.Options.DryRun = title == "dry run"
		if err := c.Run(ctx, program, stdout); err != nil && !errors.Is(err, cli.ErrRefused) {
			return err // each export has rows that are left out
		}
	}
	return verify(ctx, program, stdout)
}

// check imports the folder once.
func check(ctx context.Context, c *cli.Import, stdout io.Writer) error {
	program, err := newProgram(c)
	if err != nil {
		return err
	}
	left := c.Run(ctx, program, stdout)
	if left != nil && !errors.Is(left, cli.ErrRefused) {
		return left
	}
	return cmp.Or(verify(ctx, program, stdout), left)
}

func newProgram(c *cli.Import) (*tributary.Program, error) {
	return tributary.New(memstore.New(), c.Config)
}

func verify(ctx context.Context, program *tributary.Program, stdout io.Writer) error {
	if err := program.Verify(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(stdout, "the books hold")
	return err
}
