// Release makes the release of all modules of this repository in a folder and tries
// it as somebody would who never saw the repository:
//
//	go run .            # tries the files as they are, and leaves nothing
//	go run . -to DIR    # keeps the repository with the tags in DIR, once the trial has passed
//
// The version is that of the newest section of CHANGELOG.md. Release clones the
// repository, writes each go.mod without its replace, with the tag of this release in its
// place, commits, and makes the tags of all modules. From the tags it makes a module
// proxy of files, and from the proxy, with an empty module cache, a new module requires
// each module, and runs what the README shows. See newcomer.go.
//
// -to refuses files that are not committed. What it leaves is published by a push of its
// tags, and no other way: the commit below the tags is not part of the branch, so that
// a clone goes on building without tags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// root is the folder of the repository, seen from the folder of this module.
const root = "../../.."

// run makes the release and tries it.
func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	to := flags.String("to", "", "`folder` that gets the repository with the tags; it must not exist")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repository, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	r, err := stage(ctx, repository, filepath.Join(work, "repository"))
	if err != nil {
		return err
	}
	if *to != "" && r.dirty {
		return errors.New("there are files that are not committed")
	}
	if err := r.rehearse(ctx, work, stdout); err != nil || *to == "" {
		return err
	}
	if _, err := command(ctx, "", nil, "git", "clone", "-q", "--no-hardlinks", r.dir, *to); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "publish it with: git -C %s push URL-OF-THE-REPOSITORY --tags\n", *to)
	return nil
}

// rehearse tags the release, serves it from files and lets a newcomer use it.
func (r *release) rehearse(ctx context.Context, work string, stdout io.Writer) error {
	began := time.Now()
	proxy := filepath.Join(work, "proxy")
	if err := r.tag(ctx, proxy); err != nil {
		return err
	}
	for _, m := range r.modules {
		fmt.Fprintf(stdout, "tagged %-24s requires nothing of this machine\n", m.tag(r.version))
	}
	n, err := r.newcomer(ctx, work, proxy)
	if err != nil {
		return err
	}
	for _, step := range n.steps() {
		from := time.Now()
		said, err := step.do(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Fprintf(stdout, "%-58s %5.1f s  %s\n", step.name, time.Since(from).Seconds(), said)
	}
	fmt.Fprintf(stdout, "the release of %s works from an empty module cache: %.0f s\n", r.version,
		time.Since(began).Seconds())
	return nil
}
