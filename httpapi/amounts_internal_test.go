package httpapi

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAnswerForms: the forms are those that the document says, and in the answer of an operation
// a name tells which: none is an amount here and a count there, and none is JSON of somebody else
// here and something else there.
func TestAnswerForms(t *testing.T) {
	var doc struct {
		Paths      map[string]map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	everywhere := map[string]map[string]bool{}
	for _, r := range routes() {
		key := r.method + " " + prefix + r.path
		here := map[string]map[string]bool{} // what the members of a name are
		var walk func(name string, schema any, within []string)
		walk = func(name string, schema any, within []string) {
			s, is := schema.(map[string]any)
			if !is {
				return
			}
			if ref, is := s["$ref"].(string); is {
				if !slices.Contains(within, ref) {
					walk(name, doc.Components.Schemas[ref[len("#/components/schemas/"):]], append(within, ref))
				}
				return
			}
			many, _ := s["oneOf"].([]any)
			for _, one := range many {
				walk(name, one, within)
			}
			words, _ := s["type"].([]any)
			words = append(words, s["type"])
			what := "other"
			switch other, given := s["additionalProperties"]; {
			case slices.Contains(words, any("number")):
				what = "number"
			case slices.Contains(words, any("integer")):
				what = "integer"
			case given && other != false:
				what = "free"
			case many != nil || slices.Contains(words, any("array")) || s["type"] == "null":
				what = ""
			}
			for _, all := range []map[string]map[string]bool{here, everywhere} {
				if all[name] == nil {
					all[name] = map[string]bool{}
				}
				all[name][what] = what != ""
			}
			walk(name, s["items"], within)
			members, _ := s["properties"].(map[string]any)
			for inner, member := range members {
				walk(inner, member, within)
			}
		}
		responses := doc.Paths[prefix+r.path][strings.ToLower(r.method)]["responses"].(map[string]any)
		content := responses["200"].(map[string]any)["content"].(map[string]any)
		walk("", content["application/json"].(map[string]any)["schema"], nil)
		for name, is := range here {
			if is["number"] && is["integer"] || is["free"] && (is["number"] || is["integer"] || is["other"]) && name != "" {
				t.Errorf("%s: %s is one thing and another: %v", key, name, is)
			}
			if got := answerForms()[key][name]; is["number"] != (got == asText) || is["free"] != (got == asIs) {
				t.Errorf("%s: %s has the form %d: %v", key, name, got, is)
			}
		}
	}
	if moved := everywhere["moved"]; !moved["number"] || !moved["integer"] || !everywhere["payload"]["free"] {
		t.Errorf("what is known to be there was not found: %v", moved)
	}
}

// FuzzQuoter: in whatever JSON and however it is cut, amounts get quotes, and all else stays.
func FuzzQuoter(f *testing.F) {
	for _, seed := range []string{
		`{"amount":1,"count":2}`, `[{"amount":-0.5},{"amount":null},{"metadata":null},{"amount":3}]`, `{"amount":[1,2],"n":"\"","amount":1}`,
		`{"metadata":{"amount":1,"x":["}",{"metadata":[]}]},"amount":2}`, `{"metadata":["{"],"metadata2":1,"amount":9.25}`, `{"n":"\\","amount":"\\","metadata":"x","count":1}`, `7`,
	} {
		f.Add(seed, 1)
		f.Add(seed, 7)
	}
	of := forms{"amount": asText, "metadata": asIs}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var b bytes.Buffer
		if json.Compact(&b, []byte(text)) != nil || cut <= 0 || strange.Match(b.Bytes()) {
			return
		}
		var got []byte
		q := quoter{forms: of}
		for part := range slices.Chunk(b.Bytes(), cut) {
			got = append(got, q.part(part)...)
		}
		decode := func(text []byte) (v any) {
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			return v
		}
		if want := quotedTree("", decode(b.Bytes()), of); !reflect.DeepEqual(want, decode(got)) {
			t.Errorf("%s: %s", b.Bytes(), got)
		}
		if n := bytes.Count(got, []byte{'"'}) - bytes.Count(b.Bytes(), []byte{'"'}); len(got) != b.Len()+n {
			t.Errorf("other bytes than quotes have changed: %s", got)
		}
	})
}

// strange is what answers do not have: numbers with exponents, numbers behind objects in an array,
// and names with escapes.
var strange = regexp.MustCompile(`[0-9][eE+]|[\]}],-?[0-9]|\\[^"]*":|\\u`)

// quotedTree is what a quoter does, of values.
func quotedTree(name string, value any, of forms) any {
	switch v := value.(type) {
	case json.Number:
		if of[name] == asText {
			return v.String()
		}
	case []any:
		if of[name] == asIs {
			return v
		}
		for i := range v {
			v[i] = quotedTree(name, v[i], of)
		}
	case map[string]any:
		if of[name] == asIs {
			return v
		}
		for inner := range v {
			v[inner] = quotedTree(inner, v[inner], of)
		}
	}
	return value
}
