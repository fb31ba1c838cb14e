package upkeep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// maxValue is the most bytes of a value of the host.
const maxValue = 64 << 10

var (
	valueKind = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	valueName = regexp.MustCompile(`^[!-~]{1,200}$`)
)

func refuseValue(kind, name string) error {
	return refusal.First(
		refusal.ValueNameInvalid.About("kind").When(!valueKind.MatchString(kind)),
		refusal.ValueNameInvalid.About("name").When(!valueName.MatchString(name)),
	)
}

// Value implements tributary.Values.Get.
func Value(ctx context.Context, p *engine.Program, kind, name string) (_ affiliate.HostValue, err error) {
	defer p.Begin(&ctx, "Value", engine.Reads).End(&err)
	if err := refuseValue(kind, name); err != nil {
		return affiliate.HostValue{}, err
	}
	r, err := keptValue(ctx, p, kind, name)
	if err != nil {
		return affiliate.HostValue{}, err
	}
	return openedValue(ctx, p, r)
}

func keptValue(ctx context.Context, p *engine.Program, kind, name string) (record.Value, error) {
	return engine.View(ctx, p, func(o *engine.Op) (record.Value, error) {
		return o.Tx.Values.Find(record.ValueKey(kind, name))
	})
}

func openedValue(ctx context.Context, p *engine.Program, r record.Value) (v affiliate.HostValue, err error) {
	v = affiliate.HostValue{Name: r.Name, Value: r.Value, CreatedAt: r.CreatedAt.Time(), UpdatedAt: r.UpdatedAt.Time()}
	switch {
	case r.Sealed && p.Cfg.Open == nil:
		err = errors.New("it is sealed, and Config.Open is nil")
	case r.Sealed:
		v.Value, err = p.Unseal(ctx, r.Value, r.ID)
	}
	if err != nil {
		err = refusal.Internal(fmt.Sprintf("open the value %s/%s: a key with which it was sealed is missing", r.Kind, r.Name), err)
	}
	return v, err
}

// Values implements tributary.Values.All.
func Values(ctx context.Context, p *engine.Program, kind string) iter.Seq2[affiliate.HostValue, error] {
	return func(yield func(affiliate.HostValue, error) bool) {
		q := record.Query{Key: record.Key{Index: record.OfKind, Text: kind}, Limit: 100}
		for {
			page, err := valuesFrom(ctx, p, q)
			for _, r := range page {
				if v, err := openedValue(ctx, p, r); !yield(v, err) || err != nil {
					return
				}
			}
			if err != nil {
				yield(affiliate.HostValue{}, err)
			}
			if err != nil || len(page) < q.Limit {
				return
			}
			q.After = page[len(page)-1].ID
		}
	}
}

func valuesFrom(ctx context.Context, p *engine.Program, q record.Query) (page []record.Value, err error) {
	defer p.Begin(&ctx, "Values", engine.Reads).End(&err)
	if err := refuseValue(q.Key.Text, "x"); err != nil {
		return nil, err
	}
	return engine.View(ctx, p, func(o *engine.Op) ([]record.Value, error) { return engine.Gather(o.Tx.Values, q) })
}

// ChangeValue implements tributary.Values.Change.
func ChangeValue(ctx context.Context, p *engine.Program, kind, name string,
	change func(json.RawMessage) (json.RawMessage, error)) (err error) {
	defer p.Begin(&ctx, "ChangeValue", engine.Writes).End(&err)
	if err := refuseValue(kind, name); err != nil {
		return err
	}
	for {
		was, err := keptValue(ctx, p, kind, name)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return err
		}
		is, err := changedValue(ctx, p, was, change)
		if err != nil || engine.Same(is, was) {
			return err
		}
		is.Kind, is.Name = kind, name
		if written, err := writeValue(ctx, p, was, is); written || err != nil {
			return err
		}
	}
}

// changedValue returns the record with what change makes of its value: without a value, when it is
// to go. It is sealed outside of a transaction, because the host's Seal may call a service.
func changedValue(ctx context.Context, p *engine.Program, was record.Value,
	change func(json.RawMessage) (json.RawMessage, error)) (record.Value, error) {
	old, err := openedValue(ctx, p, was)
	if err != nil {
		return was, err
	}
	next, err := change(bytes.Clone(old.Value))
	if err != nil || bytes.Equal(next, old.Value) && (next == nil) == (old.Value == nil) {
		return was, err
	}
	if err := refusal.First(
		refusal.FieldTooLong.About("value").When(len(next) > maxValue),
		refusal.ValueNotJSON.About("value").When(next != nil && !json.Valid(next)),
	); err != nil {
		return was, err
	}
	is := was
	if is.ID == uuid.Nil {
		is.ID = p.IDs.Next(p.Now().Time())
	}
	is.Value, is.Sealed = next, next != nil && p.Cfg.Seal != nil
	if is.Sealed {
		is.Value, err = p.Seal(next, is.ID)
	}
	return is, err
}

// writeValue writes a record in the place of another, unless that was changed meanwhile.
func writeValue(ctx context.Context, p *engine.Program, was, is record.Value) (written bool, err error) {
	o := p.Op(ctx)
	return engine.Update(o, func() (bool, error) {
		now, err := o.Tx.Values.Find(record.ValueKey(is.Kind, is.Name))
		switch missing := errors.Is(err, affiliate.ErrNotFound); {
		case err != nil && !missing:
			return false, err
		case !engine.Same(now, was):
			return false, nil
		case is.Value == nil:
			return true, o.Tx.Values.Delete(is.ID)
		}
		next := is
		next.UpdatedAt = engine.Later(o.Now, was.UpdatedAt)
		if was.ID != uuid.Nil {
			return true, o.Tx.Values.Replace(next)
		}
		next.CreatedAt = next.UpdatedAt
		return true, o.Tx.Values.Insert(next)
	})
}
