package servertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// An answer is the answer to a request. Each method that expects something ends
// or fails the case when the answer is different, and returns the answer so that
// calls can be chained.
type answer struct {
	x       *exam
	request request
	status  int
	header  http.Header
	body    []byte
}

func (a *answer) String() string {
	return fmt.Sprintf("%d%s %s", a.status, a.codes(), a.body)
}

// codes returns the headers that say what happened.
func (a *answer) codes() string {
	var b strings.Builder
	for _, name := range []string{"Error-Code", "Error-Field", "Sale-Outcome", "Sale-Ignored", "Sale-Differs", "Idempotent-Replayed"} {
		if v := a.header.Get(name); v != "" {
			fmt.Fprintf(&b, " [%s: %s]", name, v)
		}
	}
	return b.String()
}

// wants fails and ends the case, and reports what the contract says.
func (a *answer) wants(format string, args ...any) {
	a.x.fatal(Failure{a.request.String(), fmt.Sprintf(format, args...), a.String()})
}

// ok expects 200.
func (a *answer) ok() *answer {
	if a.status != http.StatusOK {
		a.wants("200")
	}
	return a
}

// refused expects exactly one refusal.
func (a *answer) refused(want denial) *answer {
	var body struct{ Error any }
	_ = json.Unmarshal(a.body, &body) // a body that is not JSON has no text
	got := denial{a.status, a.header.Get("Error-Code"), a.header.Get("Error-Field"), fmt.Sprint(body.Error)}
	if got != want {
		a.wants("%v", want)
	}
	return a
}

// null expects the answer of a look-up that missed.
func (a *answer) null() *answer {
	a.ok()
	if string(bytes.TrimSpace(a.body)) != "null" {
		a.wants("null")
	}
	return a
}

// headed expects one line of a header. An empty value expects none.
func (a *answer) headed(name, want string) *answer {
	if got := strings.Join(a.header.Values(name), " | "); got != want {
		a.wants("the header %s: %q", name, want)
	}
	return a
}

// bytes expects exactly these bytes.
func (a *answer) bytes(want []byte) *answer {
	if !bytes.Equal(a.body, want) {
		a.wants("the bytes %s", want)
	}
	return a
}

// has expects 200 and the members of a template, among others. Numbers are
// compared as they are written, and arrays as a whole.
func (a *answer) has(want string) *answer {
	a.ok()
	want = a.x.fill(want)
	if path := lacking(decodeJSON([]byte(want)), a.value(), ""); path != "" {
		a.wants("%s, in %s", path, want)
	}
	return a
}

// lacks expects 200 and a body, without spaces between its tokens, in which the text
// of a template is nowhere.
func (a *answer) lacks(text string) *answer {
	a.ok()
	var tight bytes.Buffer
	if err := json.Compact(&tight, a.body); err != nil {
		a.wants("JSON")
	}
	if text = a.x.fill(text); strings.Contains(tight.String(), text) {
		a.wants("no %s", text)
	}
	return a
}

// value returns the body as a Go value, with numbers as they are written.
func (a *answer) value() any {
	v := decodeJSON(a.body)
	if v == notJSON {
		a.wants("JSON")
	}
	return v
}

// notJSON stands for a text that is not one JSON value.
const notJSON = jsonError("not JSON")

type jsonError string

func decodeJSON(text []byte) any {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return notJSON
	}
	return v
}

// lacking describes the first place where got differs from want.
func lacking(want, got any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("an object at %q", path)
		}
		for name, value := range w {
			inner, there := g[name]
			if !there {
				return fmt.Sprintf("the key %q", path+name)
			}
			if p := lacking(value, inner, path+name+"."); p != "" {
				return p
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%d elements at %q", len(w), path)
		}
		for i := range w {
			if p := lacking(w[i], g[i], path+strconv.Itoa(i)+"."); p != "" {
				return p
			}
		}
	default:
		if want != got {
			return fmt.Sprintf("%v at %q", want, strings.TrimSuffix(path, "."))
		}
	}
	return ""
}

// at returns the value at a dotted path. It ends the case when there is none.
func (a *answer) at(path string) any {
	v := a.ok().value()
	for step := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			inner, there := at[step]
			if !there {
				a.wants("the key %q", path)
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				a.wants("an element %q", path)
			}
			v = at[i]
		default:
			a.wants("the key %q", path)
		}
	}
	return v
}

// text returns the value at a dotted path as text: a string without its quotes,
// a number as it is written.
func (a *answer) text(path string) string { return fmt.Sprint(a.at(path)) }

// id returns the object's id.
func (a *answer) id() string { return a.text("id") }

// list returns the elements of a list.
func (a *answer) list() []any {
	list, ok := a.ok().value().([]any)
	if !ok {
		a.wants("an array")
	}
	return list
}

// ids returns the ids of a list.
func (a *answer) ids() []string {
	var ids []string
	for i := range a.list() {
		ids = append(ids, a.text(strconv.Itoa(i)+".id"))
	}
	return ids
}

// as keeps the object's id under a name for templates. It keeps other values
// below that name: each is given as its path, or as name:path.
func (a *answer) as(name string, keep ...string) *answer {
	a.x.names[name] = a.id()
	for _, k := range keep {
		inner, path := kept(k)
		a.x.names[name+"."+inner] = a.text(path)
	}
	return a
}
