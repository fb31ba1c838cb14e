package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
)

// The gate reads a body strictly and once, before anything is decoded: what
// encoding/json lets through in silence is refused here.
//
// Source: docs/contract.md 1.3.

const (
	maxDepth  = 32
	manyNames = 16 // from here on the names of an object are kept in a map
)

// A member is one name of an object with the text of its value. Both share the
// memory of the body.
type member struct {
	name  []byte          // without escapes
	value json.RawMessage // without white space around it
}

// scan checks a whole body and appends the members of its object to into, in
// their order.
func scan(body []byte, into []member) ([]member, *affiliate.Error) {
	if !utf8.Valid(body) {
		return nil, affiliate.RejectUTF8.Err()
	}
	g := gate{text: body}
	g.space()
	isObject := g.at('{')
	members, err := g.top(into)
	if err != nil {
		return nil, err
	}
	if g.space(); g.pos < len(g.text) {
		return nil, affiliate.RejectTrailing.Err()
	}
	if !isObject {
		return nil, affiliate.RejectNotAnObject.Err()
	}
	return members, nil
}

// split returns the members of an object that has passed the gate as part of a
// body.
func split(object json.RawMessage) []member {
	g := gate{text: object}
	members, _ := g.top(nil)
	return members
}

// textsOf returns the texts of an array that has passed the gate as part of a
// body; false: the value holds something else.
func textsOf[T ~string](array json.RawMessage) ([]T, bool) {
	list := []T{}
	g := gate{text: array}
	for first := g.take('['); ; first = false {
		if done, err := g.next(']', first); done || err != nil {
			return list, done
		}
		raw, err := g.str()
		if err != nil {
			return nil, false
		}
		list = append(list, T(unquote(raw)))
	}
}

// A gate is a reader of JSON text.
type gate struct {
	text  []byte
	pos   int
	depth int
	path  [maxDepth][]byte // names on the way to pos, for errors
}

// top reads the value at pos; of an object it collects the members.
func (g *gate) top(into []member) ([]member, *affiliate.Error) {
	if !g.at('{') {
		return nil, g.value()
	}
	err := g.object(func(name, value []byte) { into = append(into, member{name, value}) })
	return into, err
}

// value reads any value.
func (g *gate) value() *affiliate.Error {
	if g.pos == len(g.text) {
		return affiliate.RejectJSON.Err()
	}
	switch c := g.text[g.pos]; {
	case c == '{':
		return g.object(nil)
	case c == '[':
		return g.array()
	case c == '"':
		_, err := g.str()
		return err
	case c == '-' || isDigit(c):
		return g.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(g.text[g.pos:], []byte(word)) {
			g.pos += len(word)
			return nil
		}
	}
	return affiliate.RejectJSON.Err()
}

// object reads an object and calls each for its members; nil: for none.
func (g *gate) object(each func(name, value []byte)) *affiliate.Error {
	if err := g.enter(); err != nil {
		return err
	}
	defer g.leave()
	var seen names
	for first := true; ; first = false {
		if done, err := g.next('}', first); done || err != nil {
			return err
		}
		name, err := g.name()
		if err != nil {
			return err
		}
		if !seen.add(name) {
			return affiliate.RejectDuplicateField.Of(g.dotted(name))
		}
		start := g.pos
		g.path[g.depth-1] = name
		if err := g.value(); err != nil {
			return err
		}
		if each != nil {
			each(name, g.text[start:g.pos])
		}
	}
}

// name reads the name of a member and the colon behind it.
func (g *gate) name() ([]byte, *affiliate.Error) {
	raw, err := g.str()
	if err != nil {
		return nil, err
	}
	if g.space(); !g.take(':') {
		return nil, affiliate.RejectJSON.Err()
	}
	g.space()
	return content(raw), nil
}

func (g *gate) array() *affiliate.Error {
	if err := g.enter(); err != nil {
		return err
	}
	defer g.leave()
	g.path[g.depth-1] = nil
	for first := true; ; first = false {
		if done, err := g.next(']', first); done || err != nil {
			return err
		}
		if err := g.value(); err != nil {
			return err
		}
	}
}

// next goes to the next element of an object or array, or past its end.
func (g *gate) next(end byte, first bool) (done bool, err *affiliate.Error) {
	if g.space(); g.take(end) {
		return true, nil
	}
	if first {
		return false, nil
	}
	if !g.take(',') {
		return false, affiliate.RejectJSON.Err()
	}
	if g.space(); g.at(end) {
		return false, affiliate.RejectJSON.Err()
	}
	return false, nil
}

// enter steps over the bracket that opens an object or array.
func (g *gate) enter() *affiliate.Error {
	if g.depth++; g.depth > maxDepth {
		return affiliate.RejectDepth.Err()
	}
	g.pos++
	return nil
}

func (g *gate) leave() { g.depth-- }

// str reads a string and returns it with its quotes.
func (g *gate) str() ([]byte, *affiliate.Error) {
	start := g.pos
	if !g.take('"') {
		return nil, affiliate.RejectJSON.Err()
	}
	for g.pos < len(g.text) {
		switch c := g.text[g.pos]; {
		case c == '"':
			g.pos++
			return g.text[start:g.pos], nil
		case c == '\\':
			if err := g.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, affiliate.RejectJSON.Err()
		default:
			g.pos++
		}
	}
	return nil, affiliate.RejectJSON.Err()
}

// escape reads an escape sequence; both halves of a surrogate pair.
func (g *gate) escape() *affiliate.Error {
	g.pos++
	if g.pos == len(g.text) {
		return affiliate.RejectJSON.Err()
	}
	c := g.text[g.pos]
	if c != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), c) < 0 {
			return affiliate.RejectJSON.Err()
		}
		g.pos++
		return nil
	}
	unit, ok := g.unit()
	if !ok {
		return affiliate.RejectJSON.Err()
	}
	if unit < 0xD800 || unit > 0xDFFF {
		return nil
	}
	if unit > 0xDBFF || !bytes.HasPrefix(g.text[g.pos:], []byte(`\u`)) {
		return affiliate.RejectUTF8.Err()
	}
	g.pos++
	low, ok := g.unit()
	if !ok {
		return affiliate.RejectJSON.Err()
	}
	if low < 0xDC00 || low > 0xDFFF {
		return affiliate.RejectUTF8.Err()
	}
	return nil
}

// unit reads the letter u and four hexadecimal digits.
func (g *gate) unit() (unit int, ok bool) {
	if len(g.text)-g.pos < 5 {
		return 0, false
	}
	for _, c := range g.text[g.pos+1 : g.pos+5] {
		switch {
		case isDigit(c):
			unit = unit<<4 | int(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			unit = unit<<4 | int(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	g.pos += 5
	return unit, true
}

func (g *gate) number() *affiliate.Error {
	g.take('-')
	whole := g.digits()
	if whole == 0 || whole > 1 && g.text[g.pos-whole] == '0' {
		return affiliate.RejectJSON.Err()
	}
	if g.take('.') && g.digits() == 0 {
		return affiliate.RejectJSON.Err()
	}
	if g.at('e') || g.at('E') {
		g.pos++
		if !g.take('+') {
			g.take('-')
		}
		if g.digits() == 0 {
			return affiliate.RejectJSON.Err()
		}
	}
	return nil
}

// digits steps over digits and counts them.
func (g *gate) digits() int {
	start := g.pos
	for g.pos < len(g.text) && isDigit(g.text[g.pos]) {
		g.pos++
	}
	return g.pos - start
}

func (g *gate) space() {
	for g.at(' ') || g.at('\n') || g.at('\t') || g.at('\r') {
		g.pos++
	}
}

func (g *gate) at(c byte) bool { return g.pos < len(g.text) && g.text[g.pos] == c }

func (g *gate) take(c byte) bool {
	if !g.at(c) {
		return false
	}
	g.pos++
	return true
}

// dotted is a name with those of the objects around it: product.quantity.
func (g *gate) dotted(name []byte) string {
	dotted := string(name)
	for _, outer := range slices.Backward(g.path[:g.depth-1]) {
		if len(outer) > 0 {
			dotted = string(outer) + "." + dotted
		}
	}
	return dotted
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// unquote is the text of a string that has passed the gate.
func unquote(raw []byte) string { return string(content(raw)) }

// content is unquote in the memory of raw, where no escape stands in the way.
func content(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	json.Unmarshal(raw, &s) // never fails: the gate has read the string
	return []byte(s)
}

// names is a set of names: a list while there are few.
type names struct {
	few  [manyNames][]byte
	n    int
	many map[string]struct{}
}

// add adds a name and tells whether it is new.
func (s *names) add(name []byte) bool {
	for _, known := range s.few[:s.n] {
		if bytes.Equal(known, name) {
			return false
		}
	}
	if s.n < manyNames {
		s.few[s.n] = name
		s.n++
		return true
	}
	if s.many == nil {
		s.many = map[string]struct{}{}
	}
	_, known := s.many[string(name)]
	s.many[string(name)] = struct{}{}
	return !known
}
