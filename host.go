package tributary

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/upkeep"
)

// Values are what a host keeps for itself in the store of a program, such as the people who may
// use its console or how far it has read the events. The program reads none of it, and tells
// nobody: there is no event, and no API has it. It moves with the program, and each value is
// sealed by Config.Seal. It is a value, safe for concurrent use.
type Values struct {
	engine *engine.Program
	kind   string
}

// Values returns the values of a kind: 1 to 40 of the characters a to z, 0 to 9 and -, the first
// one a letter. Kinds that begin with "server-" are those of httpapi and its packages.
func (p *Program) Values(kind string) Values { return Values{p.engine, kind} }

func (v Values) in(ctx context.Context) *engine.Program { return v.engine.Current(ctx) }

// Get returns the value with a name.
//
// Errors: [affiliate.InvalidField] (kind, name), [affiliate.ErrNotFound].
//
// Source: ours, so that a host needs no database of its own.
func (v Values) Get(ctx context.Context, name string) (affiliate.HostValue, error) {
	return upkeep.Value(ctx, v.in(ctx), v.kind, name)
}

// All yields the values of the kind, the oldest first. An error ends it.
//
// Errors: [affiliate.InvalidField] (kind).
//
// Source: ours, like Get.
func (v Values) All(ctx context.Context) iter.Seq2[affiliate.HostValue, error] {
	return func(yield func(affiliate.HostValue, error) bool) { upkeep.Values(ctx, v.in(ctx), v.kind)(yield) }
}

// Change replaces the value with a name, of 1 to 200 visible ASCII characters, by what change
// makes of it: nil stands for none, before and after. change runs outside of a transaction. When
// somebody else changed the value meanwhile, it runs again, with the later one.
//
// Errors: those of change, after which nothing is changed; [affiliate.InvalidField] (kind, name,
// value: it is no JSON, or above 64 KiB).
//
// Source: ours, like Get.
func (v Values) Change(ctx context.Context, name string, change func(json.RawMessage) (json.RawMessage, error)) error {
	return upkeep.ChangeValue(ctx, v.in(ctx), v.kind, name, change)
}
