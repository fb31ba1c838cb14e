package page

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A Mount is where pages are: what the paths of their requests begin with when
// they arrive. Every URL in a page is relative, so the pages need not know what
// has been cut off before.
type Mount struct{ prefix string }

// NewMount returns the Mount of a prefix; "" or "/": something has stripped it.
//
// Errors: the prefix does not begin and end with a slash, or is not clean.
func NewMount(prefix string) (Mount, error) {
	if prefix == "" || prefix == "/" {
		return Mount{"/"}, nil
	}
	if !strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/") || prefix == "//" || !clean(prefix[1:len(prefix)-1]) {
		return Mount{}, fmt.Errorf("the prefix %q does not begin and end with a slash, or is not clean", prefix)
	}
	return Mount{prefix}, nil
}

// ErrNoPage is that a path has no page.
var ErrNoPage = errors.New("page: no such page")

// A Place is where a request goes: its path below the prefix, without a slash
// before it, and the way from there to the prefix, such as "./../".
type Place struct{ Path, Root string }

// Locate finds the place of a request. It reports false when it has answered:
// the prefix without its slash leads to the one with it. The error is
// [ErrNoPage]; also then Root is right.
func (m Mount) Locate(w http.ResponseWriter, r *http.Request) (at Place, ok bool, err error) {
	path := r.URL.Path
	at.Root = "./"
	sent, _, _ := strings.Cut(r.RequestURI, "?")
	if path != "" && path+"/" == m.prefix || path == "" && !strings.HasSuffix(sent, "/") {
		addSlash(w, r, sent)
		return at, false, nil
	}
	rest, below := strings.CutPrefix(path, m.prefix)
	if !below && m.prefix == "/" { // StripPrefix("/console/") leaves no slash
		rest, below = path, true
	}
	if !below {
		return at, true, ErrNoPage
	}
	hidden := strings.Count(strings.ToLower(r.URL.EscapedPath()), "%2f") // slashes that browsers do not count
	at.Root = "./" + strings.Repeat("../", max(0, strings.Count(rest, "/")-hidden))
	if hidden > 0 || !clean(rest) {
		return at, true, ErrNoPage
	}
	at.Path = rest
	return at, true, nil
}

// addSlash sends the browser from the prefix without a slash to the one with it.
func addSlash(w http.ResponseWriter, r *http.Request, sent string) {
	to := "./" + sent[strings.LastIndexByte(sent, '/')+1:] + "/"
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusPermanentRedirect)
}

// clean reports whether a path has no empty segments and no dots.
func clean(path string) bool {
	return path == "" || !slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." || s == ".." })
}

// Fits reports whether a path has the form of a pattern, in which {} stands for
// one segment, and returns what stands there.
func Fits(pattern, path string) (args []string, fits bool) {
	want, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(segments) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w == "{}":
			args = append(args, segments[i])
		case w != segments[i]:
			return nil, false
		}
	}
	return args, true
}

// OneLine returns a text as it is logged: no line breaks, nothing that cannot be seen or
// changes the direction of writing, 128 characters.
func OneLine(text string) string {
	line := strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(line); len(runes) > 128 {
		return string(runes[:128])
	}
	return line
}
