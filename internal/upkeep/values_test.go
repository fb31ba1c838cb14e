package upkeep_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// put returns a change to a value.
func put(value string) func(json.RawMessage) (json.RawMessage, error) {
	return func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(value), nil }
}

func noValue(json.RawMessage) (json.RawMessage, error) { return nil, nil }

// TestValues: what a host keeps is there until it goes, for nobody else and of its kind alone, and
// the program says nothing of it.
func TestValues(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ctx, people := t.Context(), w.Values("person")
		if _, err := people.Get(ctx, "ada@example.com"); !errors.Is(err, affiliate.ErrNotFound) {
			t.Fatalf("before: %v", err)
		}
		events := len(w.Dump()["events"])
		if err := people.Change(ctx, "ada@example.com", func(was json.RawMessage) (json.RawMessage, error) {
			if was != nil {
				t.Errorf("there was %s", was)
			}
			return json.RawMessage(`{"role":"OWNER"}`), nil
		}); err != nil {
			t.Fatal(err)
		}
		made := w.Now
		w.Pass(1e9)
		if err := people.Change(ctx, "ada@example.com", func(was json.RawMessage) (json.RawMessage, error) {
			return bytes.Replace(was, []byte("OWNER"), []byte("READER"), 1), nil
		}); err != nil {
			t.Fatal(err)
		}
		want := affiliate.HostValue{Name: "ada@example.com", Value: json.RawMessage(`{"role":"READER"}`), CreatedAt: made, UpdatedAt: w.Now}
		if diff := cmp.Diff(want, scene.Must(people.Get(ctx, "ada@example.com"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := w.Values("key").Get(ctx, "ada@example.com"); !errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("of another kind: %v", err)
		}
		if bytes.Contains([]byte(strings.Join(w.Dump()["values"], "")), []byte("READER")) {
			t.Error("the store has a value as it is, and there is a Seal")
		}
		for range 2 {
			if err := people.Change(ctx, "ada@example.com", noValue); err != nil {
				t.Fatal(err)
			}
		}
		if dump := w.Dump(); len(dump["values"]) != 0 || len(dump["events"]) != events {
			t.Errorf("left: %v, and %d events more", dump["values"], len(dump["events"])-events)
		}
		if err := w.Verify(ctx); err != nil {
			t.Error(err)
		}
	}, scene.Sealed)
}

// TestValuesAll: all values of a kind come in the order in which they were made, also when they
// are more than a page, and none of another kind.
func TestValuesAll(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ctx, keys := t.Context(), w.Values("key")
		var want, got []string
		for i := range 205 {
			want = append(want, fmt.Sprint("key-", (i*7)%205))
			for _, v := range []error{keys.Change(ctx, want[i], put(`1`)), w.Values("k").Change(ctx, want[i], put(`1`))} {
				if v != nil {
					t.Fatal(v)
				}
			}
		}
		for v, err := range keys.All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestValuesAtOnce: no change is lost when several are made at once.
func TestValuesAtOnce(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := w.Values("count").Change(t.Context(), "n", func(was json.RawMessage) (json.RawMessage, error) {
					n := 0
					if was != nil {
						_ = json.Unmarshal(was, &n)
					}
					return json.Marshal(n + 1)
				}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if v := scene.Must(w.Values("count").Get(t.Context(), "n")); string(v.Value) != "8" {
			t.Errorf("counted %s", v.Value)
		}
	})
}

// TestValuesRefused: what cannot be kept changes nothing, and neither does an error of the host.
func TestValuesRefused(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	if err := w.Values("key").Change(ctx, "k", put(`"x"`)); err != nil {
		t.Fatal(err)
	}
	before, stop := w.Dump(), errors.New("stop")
	field := func(err error) string {
		why, _ := errors.AsType[*affiliate.Error](err)
		if why == nil {
			return fmt.Sprint(err)
		}
		return why.Field
	}
	for _, tt := range []struct{ kind, name, value, field string }{
		{"", "k", `1`, "kind"}, {"Key", "k", `1`, "kind"}, {strings.Repeat("k", 41), "k", `1`, "kind"},
		{"key", "", `1`, "name"}, {"key", "a b", `1`, "name"}, {"key", "ключ", `1`, "name"}, {"key", strings.Repeat("k", 201), `1`, "name"},
		{"key", "k", `{`, "value"}, {"key", "k", ``, "value"}, {"key", "none", ``, "value"}, {"key", "k", `"` + strings.Repeat("k", 64<<10) + `"`, "value"},
	} {
		values := w.Values(tt.kind)
		if got := field(values.Change(ctx, tt.name, put(tt.value))); got != tt.field {
			t.Errorf("%s/%s: field %q", tt.kind, tt.name, got)
		}
		if _, err := values.Get(ctx, tt.name); tt.field != "value" && field(err) != tt.field {
			t.Errorf("Get of %s/%s: %v", tt.kind, tt.name, err)
		}
	}
	for _, err := range w.Values("Key").All(ctx) {
		if field(err) != "kind" {
			t.Errorf("All: %v", err)
		}
	}
	if err := w.Values("key").Change(ctx, "k", func(json.RawMessage) (json.RawMessage, error) { return nil, stop }); err != stop {
		t.Errorf("the error of the host: %v", err)
	}
	if diff := cmp.Diff(before, w.Dump()); diff != "" {
		t.Errorf("it changed (-want +got):\n%s", diff)
	}
}
