package importer

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A stream reads the objects of a vendor's list API: an array, an object with the
// array "data" or "items", one object a line, or several of these one after
// another or in one array, as saved page by page. It holds one object at a time.
type stream struct {
	*text
	list   []string // the members that lead to the array of an object; nil: data, or items
	inside []byte   // the closing brackets that are open around the objects: ']' of a list, '}' of its object
	more   bool     // the last page says that another one follows
}

// follows is what a page says beside its list when it is not the last one.
var follows = regexp.MustCompile(`"has_more"\s*:\s*true|"next_page"\s*:\s*["1-9]|"next"\s*:\s*"`)

var errPages = errors.New("its last page says that more follow: save every page, one after another, or the rest is lost")

// object reads the next object; bad says why it cannot be used. The error is
// io.EOF at the end.
func (s *stream) object() (raw []byte, line int, bad *affiliate.Error, err error) {
	for {
		c, err := s.skip()
		if err != nil {
			switch {
			case err == io.EOF && len(s.inside) > 0:
				err = io.ErrUnexpectedEOF
			case err == io.EOF && s.more:
				err = errPages
			}
			return nil, s.line, nil, err
		}
		line = s.line
		switch {
		case len(s.inside) > 0 && c == s.inside[len(s.inside)-1]:
			s.inside = s.inside[:len(s.inside)-1]
			for len(s.inside) > 0 && s.inside[len(s.inside)-1] == '}' {
				if err := s.closeObject(); err != nil {
					return nil, line, nil, err
				}
			}
		case c == '[' && len(s.inside) < 2:
			s.inside = append(s.inside, ']')
		case c == '{':
			raw, listed, bad, err := s.scanObject(0)
			if err != nil || !listed {
				return raw, line, bad, err
			}
		case c == '}' || c == ']':
			return nil, line, refusal.RefuseJSON.Err(), s.skipRest()
		default:
			s.back(c)
			_, err := s.value(nil)
			return nil, line, refusal.FieldNotAnObject.Of("row"), err
		}
	}
}

// skip returns the next byte that is no white space and no comma.
func (s *stream) skip() (byte, error) {
	for {
		c, err := s.next()
		if err != nil || !strings.ContainsRune(" \t\r\n,", rune(c)) {
			return c, err
		}
	}
}

// skipRest gives up on a file that is not JSON.
func (s *stream) skipRest() error {
	s.inside = nil
	_, err := io.Copy(io.Discard, s.Reader)
	return err
}

// scanObject reads an object whose brace was read, at a level of those that lead to the
// list. listed reports that it contains the list; then it was read up to the list's bracket.
func (s *stream) scanObject(level int) (raw []byte, listed bool, bad *affiliate.Error, err error) {
	raw = append(raw, '{')
	for {
		c, err := s.skip()
		if err != nil {
			return nil, false, nil, cut(err)
		}
		if c == '}' {
			return finished(keep(raw, '}'))
		}
		if len(raw) > 1 {
			raw = keep(raw, ',')
		}
		s.back(c)
		key := len(raw)
		if raw, err = s.value(raw); err != nil {
			return nil, false, nil, cut(err)
		}
		name := string(raw[key:])
		if c, err = s.colon(); err != nil {
			return nil, false, nil, cut(err)
		}
		raw = keep(raw, ':')
		switch leads, last := s.leads(name, level); {
		case leads && last && c == '[':
			s.inside = append(s.inside, '}', ']')
			s.more = follows.Match(raw)
			return nil, true, nil, nil
		case leads && !last && c == '{':
			s.inside = append(s.inside, '}')
			before := follows.Match(raw)
			raw, listed, bad, err = s.scanObject(level + 1)
			s.more = s.more || before && listed
			return raw, listed, bad, err
		}
		s.back(c)
		if raw, err = s.value(raw); err != nil {
			return nil, false, nil, cut(err)
		}
	}
}

// leads reports whether a member of an object at a level leads to the list, and is the last
// to do so.
func (s *stream) leads(name string, level int) (leads, last bool) {
	depth := len(s.inside)
	if s.list != nil && depth > 0 && s.inside[0] == ']' {
		depth-- // pages in one array
	}
	switch {
	case depth > level:
		return false, false // a row, or in one
	case s.list == nil:
		return name == `"data"` || name == `"items"`, true
	}
	return level < len(s.list) && name == strconv.Quote(s.list[level]), level+1 == len(s.list)
}

// finished returns an object that was read to its end.
func finished(raw []byte) ([]byte, bool, *affiliate.Error, error) {
	switch {
	case len(raw) > maxRow:
		return nil, false, refusal.FieldTooLong.Of("row"), nil
	case !json.Valid(raw):
		return nil, false, refusal.RefuseJSON.Err(), nil
	case !utf8.Valid(raw):
		return nil, false, refusal.FieldBadCharacters.Of("row"), nil
	}
	return raw, false, nil, nil
}

// colon skips a colon and returns the first byte of the value after it.
func (s *stream) colon() (byte, error) {
	c, err := s.skip()
	if err == nil && c == ':' {
		c, err = s.skip()
	}
	return c, err
}

// closeObject skips what follows a list up to the end of its object.
func (s *stream) closeObject() error {
	s.inside = s.inside[:len(s.inside)-1]
	var after []byte
	for {
		c, err := s.skip()
		if err != nil || c == '}' {
			s.more = s.more || follows.Match(after)
			return cut(err)
		}
		if c == ':' {
			after = keep(after, c)
			continue
		}
		s.back(c)
		if after, err = s.value(after); err != nil {
			return cut(err)
		}
	}
}

// cut returns the end of a file inside of something.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// value reads one value to its end, by its brackets and strings, and appends it to
// raw as far as the bound allows. It always takes a byte.
func (s *stream) value(raw []byte) ([]byte, error) {
	depth, quoted, escaped := 0, false, false
	for first := true; ; first = false {
		c, err := s.next()
		if err != nil {
			if err == io.EOF && !first && depth == 0 && !quoted {
				return raw, nil
			}
			return raw, err
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
			if !quoted && depth == 0 {
				return keep(raw, c), nil
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 && !first {
				s.back(c)
				return raw, nil
			}
			if depth--; depth <= 0 {
				return keep(raw, c), nil
			}
		case depth == 0 && !first && strings.ContainsRune(" \t\r\n,:", rune(c)):
			s.back(c)
			return raw, nil
		}
		raw = keep(raw, c)
	}
}

// keep appends a byte, and one byte more than the bound at the most.
func keep(raw []byte, c byte) []byte {
	if len(raw) > maxRow {
		return raw
	}
	return append(raw, c)
}
