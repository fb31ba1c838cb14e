package proofs_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/internal/scene"
)

// neverShared are the fields of inputs and answers with memory that no call of
// TestAnswersShareNothing fills.
var neverShared = map[string]string{
	"affiliate.Coupon.CollectionIDs":    "it is always empty",
	"affiliate.Coupon.AutoCouponRule":   "it is always null",
	"affiliate.Affiliate.EmailVerified": "it is always null",
	"affiliate.Once.Refused":            "it ends the call",

	"affiliate.SettingsUpdate.Destinations": "they are the host's, because only its own have Params",
	"affiliate.Error.Failures":              "an import has no codes that are redeemed",
}

// TestAnswersShareNothing: whoever changes what an operation was given, or what it answered,
// changes no record, no setting, no later answer, and not the other one of the two. Each
// operation is called with every argument that knownArguments has for its types, and each list,
// map and pointer of an input or an answer is filled in one of the calls at least.
func TestAnswersShareNothing(t *testing.T) {
	s := &sharing{T: t, filled: map[string]bool{}}
	fields := map[string]bool{}
	for _, of := range []reflect.Type{
		reflect.TypeFor[*tributary.Program](), reflect.TypeFor[tributary.Webhooks](), reflect.TypeFor[tributary.Payments](),
		reflect.TypeFor[tributary.Imports](), reflect.TypeFor[tributary.Partner](),
	} {
		for m := range of.Methods() {
			if m.Type.NumIn() < 2 || m.Type.In(1) != reflect.TypeFor[context.Context]() {
				continue // it is the program seen otherwise, or its Config
			}
			if shared := fieldsOf(m.Type); len(shared) > 0 {
				maps.Copy(fields, shared)
				t.Run(m.Name, func(t *testing.T) { (&sharing{t, s.filled}).calls(m) })
			}
		}
	}
	for name := range fields {
		if reason := neverShared[name]; s.filled[name] == (reason != "") {
			t.Errorf("%s was filled: %v. Fill it in knownArguments or newFullWorld, or say in neverShared why it is empty: %q", name, s.filled[name], reason)
		}
	}
}

// A sharing notes which fields had memory.
type sharing struct {
	*testing.T
	filled map[string]bool
}

// calls calls a method with all combinations of arguments.
func (s *sharing) calls(m reflect.Method) {
	w := newFullWorld(s.T)
	var of reflect.Value
	for _, part := range []any{w.Program, w.Webhooks(), w.Payments(), w.Imports(), w.Partner(w.Ada.Person.ID)} {
		if reflect.TypeOf(part) == m.Type.In(0) {
			of = reflect.ValueOf(part)
		}
	}
	done, kept := 0, w.text()
	for i := range combinations(m.Type, w) {
		if s.call(w, of, m, i, &kept) {
			done++
		}
		if done == 8 {
			break
		}
	}
	if done == 0 {
		s.Error("every call was refused: give knownArguments something that it accepts")
	}
}

// call makes a call, changes what was given and answered, and reports whether it was answered.
func (s *sharing) call(w *fullWorld, of reflect.Value, m reflect.Method, i []int, kept *string) bool {
	in := argumentsAt(m.Type, w, i)
	out, ok := answered(m, of, in)
	if !ok {
		return false
	}
	written := w.text()
	given, told := textOf(in), textOf(out)
	again := func() string {
		out, _ := answered(m, of, argumentsAt(m.Type, w, i))
		return textOf(out)
	}
	reads := written == *kept && again() == told
	*kept = written
	for _, v := range out {
		s.spoil(v)
	}
	if diff := cmp.Diff(given, textOf(in)); diff != "" {
		s.Errorf("the answer shares memory with what was given:\n%s", diff)
	}
	for _, v := range in {
		s.spoil(v)
	}
	if diff := cmp.Diff(written, w.text()); diff != "" {
		s.Fatalf("what was given or answered shares memory with the program:\n%s", diff)
	}
	if reads {
		if diff := cmp.Diff(told, again()); diff != "" {
			s.Fatalf("the next answer is another one:\n%s", diff)
		}
	}
	return true
}

// text is all that the program keeps: its records and its settings.
func (w *fullWorld) text() string {
	var b strings.Builder
	rows := new(scene.Dumper).Dump(w.T, w.Store, w.Config().ID)
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintln(&b, table, strings.Join(rows[table], "\n"))
	}
	return b.String() + textOf([]reflect.Value{reflect.ValueOf(w.Config())})
}

// answered makes a call; not ok is an error. Of an iterator it takes the first values.
func answered(m reflect.Method, of reflect.Value, in []reflect.Value) (out []reflect.Value, ok bool) {
	args := append([]reflect.Value{of, reflect.ValueOf(context.Background())}, in...)
	if m.Type.IsVariadic() {
		out = m.Func.CallSlice(args)
	} else {
		out = m.Func.Call(args)
	}
	if last := out[len(out)-1]; last.Kind() != reflect.Func {
		return out[:len(out)-1], last.IsNil()
	}
	var values []reflect.Value
	for v, err := range out[0].Seq2() {
		if !err.IsNil() {
			return nil, false
		}
		if values = append(values, v); len(values) == 2 {
			break // Follow waits for the next one
		}
	}
	return values, len(values) > 0
}

// spoil changes all memory that v reaches.
func (s *sharing) spoil(v reflect.Value) {
	visit(v, func(p part) {
		switch kind := p.v.Kind(); {
		case kind == reflect.Map || kind == reflect.Slice || kind == reflect.Pointer:
			s.filled[p.field] = true
		case !p.shared:
			return
		}
		switch p.v.Kind() {
		case reflect.String:
			p.v.SetString("spoilt")
		case reflect.Bool:
			p.v.SetBool(!p.v.Bool())
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			p.v.SetInt(p.v.Int() ^ 1)
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			p.v.SetUint(p.v.Uint() ^ 1)
		case reflect.Map:
			p.v.Clear()
		}
	})
}

// textOf is all that values hold, with what has no JSON.
func textOf(values []reflect.Value) string {
	var b strings.Builder
	for _, v := range values {
		visit(v, func(p part) {
			switch p.v.Kind() {
			case reflect.Slice, reflect.Pointer: // its parts say more
			case reflect.Map:
				fmt.Fprintln(&b, p.name, p.v.Interface())
			default:
				fmt.Fprintln(&b, p.name, p.v)
			}
		})
	}
	return b.String()
}

// A part is a list, map or pointer in a value that is not empty, or what has no parts.
type part struct {
	v      reflect.Value
	name   string // the way to it
	field  string // the last field with memory on it, with its type
	shared bool   // it is in memory that a copy of the value has too
}

// visit gives each all parts of a value.
func visit(v reflect.Value, each func(part)) {
	root := reflect.New(v.Type()).Elem()
	root.Set(v)
	walk(part{v: root}, each)
}

func walk(p part, each func(part)) {
	at := func(v reflect.Value, name string, shared bool) part {
		return part{v, p.name + name, p.field, p.shared || shared}
	}
	switch p.v.Kind() {
	case reflect.Slice:
		if p.v.Len() > 0 {
			each(p)
		}
		for i := range p.v.Len() {
			walk(at(p.v.Index(i), fmt.Sprintf("[%d]", i), true), each)
		}
	case reflect.Array:
		for i := range p.v.Len() {
			walk(at(p.v.Index(i), fmt.Sprintf("[%d]", i), false), each)
		}
	case reflect.Pointer:
		if !p.v.IsNil() && p.v.Type() != reflect.TypeFor[*time.Location]() {
			each(p)
			walk(at(p.v.Elem(), "*", true), each)
		}
	case reflect.Struct:
		for i := range p.v.NumField() {
			f := p.v.Type().Field(i)
			v := reflect.NewAt(f.Type, unsafe.Pointer(p.v.Field(i).UnsafeAddr())).Elem() // it may be unexported
			of := at(v, "."+f.Name, false)
			if name := fieldName(p.v.Type(), f); name != "" && hasMemory(f.Type) {
				of.field = name
			}
			walk(of, each)
		}
	case reflect.Interface:
		if !p.v.IsNil() && p.v.Elem().Kind() == reflect.Struct {
			visit(p.v.Elem(), func(in part) {
				each(part{in.v, p.name + in.name, in.field, p.shared || in.shared})
			})
		}
	case reflect.Func:
	case reflect.Map:
		if p.v.Len() > 0 {
			each(p)
		}
	default:
		each(p)
	}
}

// hasMemory reports whether a field has memory of its own, rather than fields that have.
func hasMemory(t reflect.Type) bool {
	for t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Opt[") {
		t = t.Field(0).Type
	}
	return t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Pointer
}

func fieldName(of reflect.Type, f reflect.StructField) string {
	if strings.HasPrefix(of.Name(), "Opt[") || strings.HasPrefix(of.Name(), "List[") {
		return "" // it is named by the field or the operation that has it
	}
	name, _, _ := strings.Cut(of.String(), "[")
	return name + "." + f.Name
}

// fieldsOf returns the fields with memory that the types of a method reach; the empty name is a
// list that is given or answered by itself.
func fieldsOf(method reflect.Type) map[string]bool {
	found, seen := map[string]bool{}, map[reflect.Type]bool{reflect.TypeFor[time.Time](): true}
	var reach func(t reflect.Type)
	reach = func(t reflect.Type) {
		if seen[t] {
			return
		}
		switch seen[t] = true; t.Kind() {
		case reflect.Slice, reflect.Array, reflect.Pointer:
			reach(t.Elem())
		case reflect.Func: // an iterator's: the values are behind it
			for yield := range t.Ins() {
				for v := range yield.Ins() {
					reach(v)
				}
			}
		case reflect.Struct:
			for f := range t.Fields() {
				if f.Type.Kind() == reflect.Func {
					continue
				}
				if hasMemory(f.Type) {
					found[fieldName(t, f)] = true
				}
				reach(f.Type)
			}
		}
	}
	for t := range method.Ins() {
		if t != method.In(0) {
			found[""] = found[""] || hasMemory(t)
			reach(t)
		}
	}
	for t := range method.Outs() {
		found[""] = found[""] || hasMemory(t)
		reach(t)
	}
	maps.DeleteFunc(found, func(_ string, is bool) bool { return !is })
	return found
}

// combinations yields the places of all combinations of arguments of a method.
func combinations(method reflect.Type, w *fullWorld) iter.Seq[[]int] {
	known := knownArguments(w)
	return func(yield func([]int) bool) {
		total := 1
		for t := range method.Ins() {
			total *= max(len(known[t]), 1)
		}
		for n := range total {
			var places []int
			for i := 2; i < method.NumIn(); i++ {
				many := max(len(known[method.In(i)]), 1)
				places, n = append(places, n%many), n/many
			}
			if !yield(places) {
				return
			}
		}
	}
}

// argumentsAt returns new arguments.
func argumentsAt(method reflect.Type, w *fullWorld, places []int) []reflect.Value {
	known := knownArguments(w)
	args := make([]reflect.Value, len(places))
	for i, place := range places {
		t := method.In(i + 2)
		args[i] = reflect.New(t).Elem()
		if t == reflect.TypeFor[io.Writer]() {
			args[i].Set(reflect.ValueOf(io.Discard))
		}
		if list := known[t]; len(list) > 0 {
			args[i].Set(reflect.ValueOf(list[place]))
		}
	}
	return args
}
