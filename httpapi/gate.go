package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
)

// The gate reads a body strictly and once, before anything is decoded. It
// refuses what encoding/json accepts silently.
//
// Source: docs/contract.md 1.3.

const maxDepth = 32

// A member is one name of an object with the text of its value. Both share the
// memory of the body.
type member struct {
	name  []byte          // without escapes
	value json.RawMessage // without white space around it
}

// scan checks a whole body and appends the members of its object to into, in
// their order. When it refuses the body, it has appended the members before the
// error.
func scan(body []byte, into []member) ([]member, *affiliate.Error) {
	return new(gate).scan(body, into)
}

// scan does the same as the function scan and reuses the memory of this gate.
func (g *gate) scan(body []byte, into []member) ([]member, *affiliate.Error) {
	if !utf8.Valid(body) {
		return into, affiliate.RefuseUTF8.Err()
	}
	g.text, g.pos, g.depth = body, 0, 0
	g.space()
	isObject := g.at('{')
	members, err := g.top(into)
	if err != nil {
		return members, err
	}
	if g.space(); g.pos < len(g.text) {
		return members, affiliate.RefuseTrailing.Err()
	}
	if !isObject {
		return members, affiliate.RefuseNotAnObject.Err()
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
	if !g.take('[') {
		return nil, false
	}
	if g.space(); g.take(']') {
		return list, true
	}
	for last := false; !last; {
		raw, err := g.str()
		if err != nil {
			return nil, false
		}
		list = append(list, T(unquote(raw)))
		last, _ = g.past(']')
	}
	return list, true
}

// A gate is a reader of JSON text.
type gate struct {
	text  []byte
	pos   int
	depth int
	path  [maxDepth][]byte // names of the objects around pos, for errors
	room  []nameSlot       // memory of an earlier table of names, for reuse
}

// top reads the value at pos. When it is an object, top appends its members to
// into.
func (g *gate) top(into []member) ([]member, *affiliate.Error) {
	if !g.at('{') {
		return into, g.value()
	}
	err := g.object(func(name, value []byte) { into = append(into, member{name, value}) })
	return into, err
}

// value reads any value.
func (g *gate) value() *affiliate.Error {
	if g.pos == len(g.text) {
		return affiliate.RefuseJSON.Err()
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
	return affiliate.RefuseJSON.Err()
}

// object reads an object and calls each for every member; each may be nil.
func (g *gate) object(each func(name, value []byte)) *affiliate.Error {
	if err := g.enter(); err != nil {
		return err
	}
	if g.space(); !g.take('}') {
		if err := g.members(each); err != nil {
			return err
		}
	}
	g.leave()
	return nil
}

// members reads an object from its first member to its end.
func (g *gate) members(each func(name, value []byte)) *affiliate.Error {
	var seen names
	defer seen.free(g)
	for {
		at := g.pos
		name, err := g.name()
		if err != nil {
			return err
		}
		if !seen.add(g, at, name) {
			return affiliate.RefuseDuplicateField.Of(g.dotted(name))
		}
		start := g.pos
		g.path[g.depth-1] = name
		if err := g.value(); err != nil {
			return err
		}
		if each != nil {
			each(name, g.text[start:g.pos])
		}
		if last, err := g.past('}'); last || err != nil {
			return err
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
		return nil, affiliate.RefuseJSON.Err()
	}
	g.space()
	return content(raw), nil
}

func (g *gate) array() *affiliate.Error {
	if err := g.enter(); err != nil {
		return err
	}
	g.path[g.depth-1] = nil
	if g.space(); !g.take(']') {
		for last := false; !last; {
			err := g.value()
			if err == nil {
				last, err = g.past(']')
			}
			if err != nil {
				return err
			}
		}
	}
	g.leave()
	return nil
}

// past steps over the comma after an element, or over the end after the last
// one. After a comma another element must follow.
func (g *gate) past(end byte) (last bool, err *affiliate.Error) {
	g.space()
	if g.take(',') {
		g.space()
		return false, nil
	}
	if g.take(end) {
		return true, nil
	}
	return false, affiliate.RefuseJSON.Err()
}

// enter steps over the bracket that opens an object or array.
func (g *gate) enter() *affiliate.Error {
	if g.depth++; g.depth > maxDepth {
		return affiliate.RefuseDepth.Err()
	}
	g.pos++
	return nil
}

func (g *gate) leave() { g.depth-- }

// str reads a string and returns it with its quotes.
func (g *gate) str() ([]byte, *affiliate.Error) {
	start := g.pos
	if !g.take('"') {
		return nil, affiliate.RefuseJSON.Err()
	}
	text, pos := g.text, g.pos
	for pos < len(text) {
		switch c := text[pos]; {
		case c == '"':
			g.pos = pos + 1
			return text[start:g.pos], nil
		case c == '\\':
			g.pos = pos
			if err := g.escape(); err != nil {
				return nil, err
			}
			pos = g.pos
		case c < ' ':
			return nil, affiliate.RefuseJSON.Err()
		default:
			pos++
		}
	}
	return nil, affiliate.RefuseJSON.Err()
}

// escape reads an escape sequence. A surrogate pair is read as one.
func (g *gate) escape() *affiliate.Error {
	g.pos++
	if g.pos == len(g.text) {
		return affiliate.RefuseJSON.Err()
	}
	c := g.text[g.pos]
	if c != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), c) < 0 {
			return affiliate.RefuseJSON.Err()
		}
		g.pos++
		return nil
	}
	unit, ok := g.unit()
	if !ok {
		return affiliate.RefuseJSON.Err()
	}
	if unit < 0xD800 || unit > 0xDFFF {
		return nil
	}
	if unit > 0xDBFF || !bytes.HasPrefix(g.text[g.pos:], []byte(`\u`)) {
		return affiliate.RefuseUTF8.Err()
	}
	g.pos++
	low, ok := g.unit()
	if !ok {
		return affiliate.RefuseJSON.Err()
	}
	if low < 0xDC00 || low > 0xDFFF {
		return affiliate.RefuseUTF8.Err()
	}
	return nil
}

// unit reads the letter u and four hexadecimal digits.
func (g *gate) unit() (unit rune, ok bool) {
	if len(g.text)-g.pos < 5 {
		return 0, false
	}
	if unit = hex4(g.text[g.pos+1 : g.pos+5]); unit < 0 {
		return 0, false
	}
	g.pos += 5
	return unit, true
}

func (g *gate) number() *affiliate.Error {
	g.take('-')
	whole := g.digits()
	if whole == 0 || whole > 1 && g.text[g.pos-whole] == '0' {
		return affiliate.RefuseJSON.Err()
	}
	if g.take('.') && g.digits() == 0 {
		return affiliate.RefuseJSON.Err()
	}
	if g.at('e') || g.at('E') {
		g.pos++
		if !g.take('+') {
			g.take('-')
		}
		if g.digits() == 0 {
			return affiliate.RefuseJSON.Err()
		}
	}
	return nil
}

// digits steps over digits and counts them.
func (g *gate) digits() int {
	text, pos := g.text, g.pos
	for pos < len(text) && isDigit(text[pos]) {
		pos++
	}
	n := pos - g.pos
	g.pos = pos
	return n
}

func (g *gate) space() {
	text, pos := g.text, g.pos
	for pos < len(text) && (text[pos] == ' ' || text[pos] == '\n' || text[pos] == '\t' || text[pos] == '\r') {
		pos++
	}
	g.pos = pos
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
