package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/httpapi/console"
)

// keyUsage is the text of "key -h" before the flags.
const keyUsage = `Lists the keys of the API that were made in the console and here, a line each; makes one, and prints
it once; or revokes one: server key [-make NAME [-scope SCOPE] | -revoke NAME] [flags]
Call it with the variables of the server, which may run. A key of the scope full opens the console.
With the flag -key-file of the server, no key gets a name that is in that file: with both a server
does not start.

`

// runKey runs the command key and returns the exit code.
func runKey(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) int {
	flags := newFlags("key", keyUsage, stderr)
	where := choice{env: env}
	where.Flags(flags)
	name := flags.String("make", "", "make a key with this `name`, which stands in logs and events for it")
	scope := flags.String("scope", string(httpapi.ScopeFull), "what the key may do: full, integration, read or propose")
	keyFile := flags.String("key-file", "", "as of the server: the `file` of keys, whose names are taken")
	revoke := flags.String("revoke", "", "revoke the key with this `name`")
	if code, goes := parsed(flags, args, 0, "it takes flags only"); !goes {
		return code
	}
	at, err := where.place()
	if err == nil && *name != "" && *revoke != "" {
		err = errors.New("-make and -revoke are both set")
	}
	if err == nil && *name == "" {
		err = without(flags, "-make", "scope", "key-file")
	}
	if err == nil {
		add := console.Key{Name: *name, Scope: *scope}
		err = changeKeys(ctx, at, env, *keyFile, add, *revoke, stdout)
	}
	return ended(flags, err)
}

func changeKeys(ctx context.Context, at place, env environment, keyFile string, add console.Key, revoke string,
	w io.Writer) error {
	program, done, err := env.program(ctx, at)
	if err != nil {
		return err
	}
	defer done()
	access, err := app.AccessOf(program, keyFile)
	if err != nil {
		return err
	}
	switch {
	case add.Name != "":
		secret, err := access.MakeKey(ctx, add, "the command key")
		if err == nil {
			fmt.Fprintln(w, secret)
		}
		return err
	case revoke != "":
		if err = access.RevokeKey(ctx, revoke); errors.Is(err, affiliate.ErrNotFound) {
			err = fmt.Errorf("there is no key %q", revoke)
		}
		return err
	}
	keys, err := access.Keys(ctx)
	for _, k := range keys {
		used := "never used"
		if !k.LastUsedAt.IsZero() {
			used = "last used " + k.LastUsedAt.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s %s …%s, made by %s, %s\n", k.Name, k.Scope, k.Hint, k.MadeBy, used)
	}
	return err
}
