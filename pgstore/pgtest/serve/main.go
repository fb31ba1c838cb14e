// Serve starts a PostgreSQL server for the tests of another module, prints its
// connection string, and removes it when its standard input ends, as it does when
// the tests end in any way.
//
//	go run github.com/tributary-go/tributary/pgstore/pgtest/serve
//
// Its exit status is 3 when there are no server programs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tributary-go/tributary/pgstore/pgtest"
)

func main() {
	err := serve(context.Background(), os.Stdin, os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "serve:", err)
	if errors.Is(err, pgtest.ErrNoServer) {
		os.Exit(3)
	}
	os.Exit(1)
}

func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	c, err := pgtest.Start(ctx, true)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, c.URL())
	_, err = io.Copy(io.Discard, in)
	return errors.Join(err, c.Stop())
}
