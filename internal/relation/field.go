package relation

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A field is a column that holds a field of a record.
type field[T any] struct {
	Column
	get func(*T) Cell
	set func(*T, *Cell) error // of a cell that is not NULL
	// It is computed from the others: it is written, and read in sums alone.
	derived bool
	null    func(rec *T, set bool) (given bool) // sets an optional value to null, or tells whether it was given as null; nil: the field is not optional
}

// key says that the column holds the key of an index.
func (f field[T]) key(ix record.Index) field[T] {
	f.Key = ix
	return f
}

// id describes an id that every record has.
func id[T any](name, doc string, at func(*T) *uuid.UUID) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: ID, Doc: doc},
		get:    func(r *T) Cell { return Cell{ID: *at(r)} },
		set:    func(r *T, c *Cell) error { *at(r) = c.ID; return nil },
	}
}

// ref describes an id that may be none.
func ref[T any](name, doc string, at func(*T) *uuid.UUID) field[T] {
	f := id(name, doc, at)
	f.Null = true
	f.get = func(r *T) Cell { return Cell{ID: *at(r), Null: *at(r) == uuid.Nil} }
	return f
}

// text describes a text, which may be empty.
func text[T any, S ~string](name, doc string, at func(*T) *S) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Text, Doc: doc},
		get:    func(r *T) Cell { return Cell{Text: string(*at(r))} },
		set:    func(r *T, c *Cell) error { *at(r) = S(c.Text); return nil },
	}
}

// word describes a text of a few, which is NULL when it is empty.
func word[T any, S ~string](name, doc string, at func(*T) *S) field[T] {
	f := text(name, doc, at)
	f.Null = true
	f.get = func(r *T) Cell { return Cell{Text: string(*at(r)), Null: *at(r) == ""} }
	return f
}

// enum describes an affiliate.Enum, which is NULL when it is empty.
func enum[T, E any, P interface {
	*E
	String() string
	UnmarshalText(text []byte) error
}](name, doc string, at func(*T) P) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Text, Null: true, Doc: doc},
		get: func(r *T) Cell {
			s := at(r).String()
			return Cell{Text: s, Null: s == ""}
		},
		set: func(r *T, c *Cell) error { return at(r).UnmarshalText([]byte(c.Text)) },
	}
}

// integer describes a number.
func integer[T any, N int16 | int64](name, doc string, at func(*T) *N) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Integer, Doc: doc},
		get:    func(r *T) Cell { return Cell{Int: int64(*at(r))} },
		set:    func(r *T, c *Cell) error { *at(r) = N(c.Int); return nil },
	}
}

// optInteger describes a number that is NULL when it is 0.
func optInteger[T any, N int16 | int64](name, doc string, at func(*T) *N) field[T] {
	f := integer(name, doc, at)
	f.Null = true
	f.get = func(r *T) Cell { return Cell{Int: int64(*at(r)), Null: *at(r) == 0} }
	return f
}

func flag[T any](name, doc string, at func(*T) *bool) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Bool, Doc: doc},
		get: func(r *T) (c Cell) {
			if *at(r) {
				c.Int = 1
			}
			return c
		},
		set: func(r *T, c *Cell) error { *at(r) = c.Int != 0; return nil },
	}
}

func money[T any](name, doc string, at func(*T) *affiliate.Amount) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Money, Doc: doc},
		get:    func(r *T) Cell { return Cell{Int: at(r).Scaled()} },
		set:    func(r *T, c *Cell) error { *at(r) = affiliate.AmountFromScaled(c.Int); return nil },
	}
}

func percent[T any](name, doc string, at func(*T) *affiliate.Percent) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Percent, Doc: doc},
		get:    func(r *T) Cell { return Cell{Int: at(r).Scaled()} },
		set:    func(r *T, c *Cell) error { *at(r) = affiliate.PercentFromScaled(c.Int); return nil },
	}
}

// optRate describes what a currency is worth, which is NULL when it is not known.
func optRate[T any](name, doc string, at func(*T) *affiliate.ExchangeRate) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Integer, Null: true, Doc: doc},
		get:    func(r *T) Cell { return Cell{Int: at(r).Scaled(), Null: at(r).IsZero()} },
		set:    func(r *T, c *Cell) error { *at(r) = affiliate.ExchangeRateFromScaled(c.Int); return nil },
	}
}

// at describes a time that every record has.
func at[T any](name, doc string, at func(*T) *affiliate.Instant) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Time, Doc: doc},
		get:    func(r *T) Cell { return Cell{Int: micros(*at(r))} },
		set:    func(r *T, c *Cell) error { *at(r) = instant(c.Int); return nil },
	}
}

// optAt describes a time that may be none.
func optAt[T any](name, doc string, of func(*T) *affiliate.Instant) field[T] {
	f := at(name, doc, of)
	f.Null = true
	f.get = func(r *T) Cell { return Cell{Int: micros(*of(r)), Null: of(r).IsZero()} }
	return f
}

// optional describes a value that may be null or not given, like a column of its value.
func optional[T, V any](f field[V], at func(*T) *affiliate.Opt[V]) field[T] {
	f.Null = true
	return field[T]{
		Column: f.Column,
		get: func(r *T) Cell {
			v, ok := at(r).Get()
			if !ok {
				return Cell{Null: true}
			}
			return f.get(&v)
		},
		set: func(r *T, c *Cell) error {
			var v V
			err := f.set(&v, c)
			*at(r) = affiliate.Set(v)
			return err
		},
		null: func(r *T, set bool) bool {
			if set {
				*at(r) = affiliate.Null[V]()
			}
			return at(r).IsNull()
		},
	}
}

func itself[V any](v *V) *V { return v }

func optText[T any](name, doc string, at func(*T) *affiliate.Opt[string]) field[T] {
	return optional(text(name, doc, itself[string]), at)
}

func optMoney[T any](name, doc string, at func(*T) *affiliate.Opt[affiliate.Amount]) field[T] {
	return optional(money(name, doc, itself[affiliate.Amount]), at)
}

func optPercent[T any](name, doc string, at func(*T) *affiliate.Opt[affiliate.Percent]) field[T] {
	return optional(percent(name, doc, itself[affiliate.Percent]), at)
}

// optObjectAs describes an optional object; its JSON is that of M.
func optObjectAs[T, V, M any](name, doc string, at func(*T) *affiliate.Opt[V], to func(V) M, from func(M) V) field[T] {
	return optional(field[V]{
		Column: Column{Name: name, Kind: JSON, Doc: doc},
		get:    func(v *V) Cell { return textOf(to(*v)) },
		set: func(v *V, c *Cell) error {
			var m M
			err := json.Unmarshal([]byte(c.Text), &m)
			*v = from(m)
			return err
		},
	}, at)
}

// list describes a list, which is NULL when it is empty.
func list[T, E any](name, doc string, at func(*T) *[]E) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: JSON, Null: true, Doc: doc},
		get: func(r *T) Cell {
			if len(*at(r)) == 0 {
				return Cell{Null: true}
			}
			return textOf(*at(r))
		},
		set: func(r *T, c *Cell) error { return json.Unmarshal([]byte(c.Text), at(r)) },
	}
}

// listAs describes a list; the JSON of an entry is that of M.
func listAs[T, E, M any](name, doc string, at func(*T) *[]E, to func(E) M, from func(M) E) field[T] {
	f := list(name, doc, at)
	f.get = func(r *T) Cell {
		if len(*at(r)) == 0 {
			return Cell{Null: true}
		}
		return textOf(each(*at(r), to))
	}
	f.set = func(r *T, c *Cell) error {
		var list []M
		err := json.Unmarshal([]byte(c.Text), &list)
		*at(r) = each(list, from)
		return err
	}
	return f
}

// textOf returns the JSON of a list or an object of a record.
func textOf(v any) Cell {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return Cell{Text: strings.TrimSuffix(b.String(), "\n"), err: err}
}

// rawJSON describes JSON that is kept byte for byte.
func rawJSON[T any](name, doc string, at func(*T) *json.RawMessage) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: JSON, Null: true, Doc: doc},
		get:    func(r *T) Cell { return Cell{Text: string(*at(r)), Null: len(*at(r)) == 0} },
		set:    func(r *T, c *Cell) error { *at(r) = json.RawMessage(c.Text); return nil },
	}
}

func blob[T any](name, doc string, at func(*T) *[]byte) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Bytes, Null: true, Doc: doc},
		get:    func(r *T) Cell { return Cell{Bytes: *at(r), Null: len(*at(r)) == 0} },
		set:    func(r *T, c *Cell) error { *at(r) = bytes.Clone(c.Bytes); return nil },
	}
}

func digest[T any](name, doc string, at func(*T) *[32]byte) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: Bytes, Doc: doc},
		get:    func(r *T) Cell { return Cell{Bytes: at(r)[:]} },
		set: func(r *T, c *Cell) error {
			if len(c.Bytes) != len(at(r)) {
				return errors.New("not 32 bytes")
			}
			copy(at(r)[:], c.Bytes)
			return nil
		},
	}
}

// payload describes the JSON of an event or an answer, as clients got it.
func payload[T any](name, doc string, at func(*T) *record.Payload) field[T] {
	return field[T]{
		Column: Column{Name: name, Kind: JSON, Null: true, Doc: doc},
		get:    func(r *T) Cell { return Cell{Text: string(encoded(at(r).Source())), Null: at(r).IsZero()} },
		set:    func(r *T, c *Cell) error { *at(r) = record.RawPayload([]byte(c.Text)); return nil },
	}
}

func encoded(raw []byte, late record.Encoder) []byte {
	if late != nil {
		return late.Encode()
	}
	return raw
}
