package servertest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestDocumentWords: the forms use every word that the document uses for answers.
func TestDocumentWords(t *testing.T) {
	dec := json.NewDecoder(bytes.NewReader(answersJSON))
	dec.DisallowUnknownFields()
	var d answerSchemas
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if len(d.Answers) < 100 || len(d.Schemas) < 80 {
		t.Errorf("%d answers, %d schemas", len(d.Answers), len(d.Schemas))
	}
}

// TestEveryMember: of every object that an answer may have, each member is looked at, also
// one that few answers have: another type of JSON is wrong.
func TestEveryMember(t *testing.T) {
	members := 0
	for _, name := range slices.Sorted(maps.Keys(document().Schemas)) {
		s := document().Schemas[name]
		if len(s.Properties) == 0 {
			continue
		}
		full := sampleOf(s, 0).(map[string]any)
		if wrong := s.form(full); wrong != "" {
			t.Fatalf("%s: a right one is wrong: %s", name, wrong)
		}
		for member, of := range s.Properties {
			members++
			changed := maps.Clone(full)
			for _, other := range []any{true, "x", json.Number("1.5"), []any{}, map[string]any{}} {
				if changed[member] = other; of.form(other) == "" {
					continue // one of several that it may be
				}
				if wrong := s.form(changed); !strings.Contains(wrong, member) {
					t.Errorf("%s.%s as %T: %q", name, member, other, wrong)
				}
			}
			accepted := 0
			for _, other := range []any{true, "x", json.Number("1.5"), []any{true}, map[string]any{}} {
				if of.form(other) == "" {
					accepted++
				}
			}
			if accepted > 2 {
				t.Errorf("%s.%s may be %d types of JSON", name, member, accepted)
			}
		}
	}
	if members < 500 {
		t.Errorf("%d members only", members)
	}
}

// sampleOf returns a value that is right, with every member.
func sampleOf(s schema, depth int) any {
	if s = s.resolved(); len(s.OneOf) > 0 {
		return sampleOf(s.OneOf[0], depth)
	}
	switch {
	case len(s.Type) > 1 && depth > 4, s.Type[0] == "null":
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type[0] {
	case "boolean":
		return true
	case "integer", "number":
		return json.Number("1")
	case "array":
		if depth > 4 {
			return []any{}
		}
		return []any{sampleOf(*s.Items, depth+1)}
	case "object":
		o := map[string]any{}
		for name, of := range s.Properties {
			if depth <= 4 || slices.Contains(s.Required, name) {
				o[name] = sampleOf(of, depth+1)
			}
		}
		return o
	}
	switch {
	case s.Format == "uuid":
		return "0197d9a0-5b0d-7f11-8d2c-0a1b2c3d4e5f"
	case s.Format == "date-time":
		return "2026-03-11T09:24:18.442Z"
	case s.Pattern != nil && s.Pattern.MatchString("USD"):
		return "USD"
	case s.Pattern != nil:
		return "whsec_x"
	}
	return "x"
}
