// Package unseen marks calls of the engine that are no operations of their own,
// such as a trial that only finds the first error of an input. An Observer does
// not see them.
package unseen

import "context"

type key struct{}

// Context returns a context whose calls nobody observes.
func Context(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// Is reports whether ctx comes from Context.
func Is(ctx context.Context) bool { return ctx.Value(key{}) != nil }
