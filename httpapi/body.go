package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The input of most operations is a struct of package affiliate, and its declaration is the
// description of the body: each field with a JSON name is a member, in the order of the
// struct, and its type says how it is read. In an update, null clears an Opt and is refused
// for any other type. The tag wire says what the type does not:
//
//	or=…      a second name, which is read when the first is absent; after a comma
//	text      the text may be blank: the engine decides what that means
//	sent=…    as text, and an empty text is read as …, not as absent
//	name      names a record: the engine may report a blank text as missing
//	ident     names a record in one of several ways; an integer is taken as its digits
//	any       a value of any kind, as the text of its JSON
//	ranged    an integer whose refusal by the engine also covers a wrong type
//	positive  an integer of at least 1
//	start     a date: the first instant of a day in the zone of the program
//	end       a date: the last instant of a day in the zone of the program

// bodyOf returns a function that reads a T, except for some of its members.
func bodyOf[T any](except ...string) func(*input) T {
	members := bodyFields(reflect.TypeFor[T](), except)
	return func(in *input) (v T) {
		into := reflect.ValueOf(&v).Elem()
		for i := range members {
			m := &members[i]
			m.read(in, m.name, into.FieldByIndex(m.index))
			if m.kept && in.update && in.value(m.name) != nil && !in.has(m.name) {
				in.fault(refusal.FieldNull)
			}
		}
		return v
	}
}

// A bodyField is a field of a struct, and how it is read.
type bodyField struct {
	index []int
	name  string
	kept  bool // null does not clear it
	read  reading
}

// A reading reads the member name into a field.
type reading func(in *input, name string, into reflect.Value)

// bodyFields returns the fields of a struct that have a JSON name.
func bodyFields(t reflect.Type, except []string) (fields []bodyField) {
	for _, f := range reflect.VisibleFields(t) {
		name := wireName(f)
		if name == "" || slices.Contains(except, name) {
			continue
		}
		_, clears := reflect.Zero(f.Type).Interface().(interface{ IsNull() bool })
		fields = append(fields, bodyField{f.Index, name, !clears, readingOf(f.Type, f.Tag.Get("wire"))})
	}
	return fields
}

// wireName returns the JSON name of a field; empty: it is not on the wire.
func wireName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

// readingOf returns how a field of a type and a tag is read. One that nothing reads
// panics when the routes are made.
func readingOf(t reflect.Type, tag string) reading {
	if tag, old, ok := strings.Cut(tag, ",or="); ok {
		return aliases(readingOf(t, tag), old)
	}
	if empty, ok := strings.CutPrefix(tag, "sent="); ok {
		return as(func(in *input, name string) string { return in.sent(name, empty) })
	}
	if read := readings[readingKey{t, tag}]; read != nil {
		return read
	}
	if t.Kind() == reflect.String && tag == "" {
		return func(in *input, name string, into reflect.Value) { into.SetString(in.optional(name)) }
	}
	if _, ok := reflect.Zero(reflect.PointerTo(t)).Interface().(json.Unmarshaler); ok && tag == "" {
		return optionalWord
	}
	panic("httpapi: nothing reads a " + t.String() + ` with the tag wire:"` + tag + `"`)
}

// aliases reads a member by its name or, when that is absent, by its old name.
func aliases(read reading, old string) reading {
	return func(in *input, name string, into reflect.Value) {
		read(in, name, into)
		if in.has(name) {
			in.also(old)
		} else {
			read(in, old, into)
		}
	}
}

// optionalWord reads an Opt of an enumeration.
func optionalWord(in *input, name string, into reflect.Value) {
	if word := in.optOptional(name); !word.IsZero() {
		text, _ := word.MarshalJSON() // a text, or null
		_ = into.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text)
	}
}

// A readingKey is a type with a tag.
type readingKey struct {
	of  reflect.Type
	tag string
}

// readings say how the types of members are read. Texts and enumerations without a tag
// need none.
var readings = readingsOf(
	reads("name", (*input).name),
	reads("ident", (*input).ident),
	reads("any", (*input).any),
	either("", (*input).optOptional),
	either("text", (*input).optText),
	either("", (*input).amount),
	either("", (*input).percent),
	either("", (*input).integer),
	either("ranged", (*input).ranged),
	either("positive", (*input).positive),
	reads("", (*input).limit),
	either("", (*input).boolean),
	reads("", (*input).date),
	reads("start", (*input).start),
	reads("end", (*input).end),
	either("", (*input).optID),
	reads("", (*input).idList),
	reads("", (*input).saleID),
	either("", texts[string]),
	either("", texts[affiliate.EventType]),
	either("", texts[affiliate.PaymentMethod]),
	either("", (*input).document),
	either("", (*input).headers),
	reads("", (*input).exchangeRate),
	reads("", (*input).subscriptionStatus),
	reads("", linesOf),
	reads("", refundLines),
	either("", rules),
	either("", budgets),
	either("", bonuses),
	reads("", attribution),
	reads("", retentionDays),
	reads("", func(in *input, name string) affiliate.Opt[affiliate.Product] {
		return productOf(in, name, (*input).optional)
	}),
	reads("text", func(in *input, name string) affiliate.Opt[affiliate.Product] {
		return productOf(in, name, (*input).text)
	}),
)

func readingsOf(all ...map[readingKey]reading) map[readingKey]reading {
	joined := map[readingKey]reading{}
	for _, m := range all {
		maps.Copy(joined, m)
	}
	return joined
}

// reads returns the reading of a T with a tag.
func reads[T any](tag string, read func(in *input, name string) T) map[readingKey]reading {
	return map[readingKey]reading{{reflect.TypeFor[T](), tag}: as(read)}
}

// either returns the readings of a T and of an Opt of it, with a tag.
func either[T any](tag string, read func(*input, string) affiliate.Opt[T]) map[readingKey]reading {
	return readingsOf(reads(tag, read), reads(tag, func(in *input, name string) (none T) {
		return read(in, name).Or(none)
	}))
}

func as[T any](read func(in *input, name string) T) reading {
	return func(in *input, name string, into reflect.Value) {
		*into.Addr().Interface().(*T) = read(in, name)
	}
}

// start and end read a date as an instant. One that is there is never the zero time, which
// means that there is none.
func (in *input) start(name string) time.Time {
	return in.instant(name, affiliate.Date.FirstInstant)
}

func (in *input) end(name string) time.Time { return in.instant(name, affiliate.Date.Instant) }

func (in *input) instant(name string, of func(affiliate.Date, *time.Location) time.Time) time.Time {
	date, there := in.date(name).Get()
	if !there || in.call == nil {
		return time.Time{}
	}
	at := of(date, in.call.p.Config().Location)
	if at.IsZero() {
		at = at.Add(1)
	}
	return at
}

// change is a write that changes the record that the member target names.
func change[Up, Out any](target string, read func(*input) Up,
	do func(*tributary.Program, context.Context, uuid.UUID, Up) (Out, error), options ...option,
) action {
	type changed struct {
		id uuid.UUID
		up Up
	}
	id := targetID(target)
	return write(func(in *input) changed { return changed{id(in), read(in)} },
		func(p *tributary.Program, ctx context.Context, c changed) (Out, error) {
			return do(p, ctx, c.id, c.up)
		}, options...)
}

// gone is a write that deletes a record and answers a message.
func gone(target, message string, do func(*tributary.Program, context.Context, uuid.UUID) error,
	options ...option) action {
	return write(targetID(target), func(p *tributary.Program, ctx context.Context, id uuid.UUID) (deleteAnswer, error) {
		return deleteAnswer{message}, do(p, ctx, id)
	}, append(options, wrapped)...)
}

// targetID returns a function that reads the id of the record that a write is about.
func targetID(name string) func(*input) uuid.UUID {
	return func(in *input) uuid.UUID {
		defer in.targeted()
		return in.id(name)
	}
}
