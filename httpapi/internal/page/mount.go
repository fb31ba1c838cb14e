package page

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A Mount is the prefix that the paths of requests to the pages have when they arrive.
// Every URL in a page is relative, so the pages need not know what was stripped before.
type Mount struct{ prefix string }

// NewMount returns the Mount of a prefix; "" or "/": a handler before it has stripped
// the prefix.
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

// Register puts pages on a mux, a pattern for each method that they answer, so that they do not
// conflict with a pattern of the host such as GET /.
func (m Mount) Register(mux *http.ServeMux, pages http.Handler) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		mux.Handle(method+" "+m.prefix, pages)
	}
}

// ErrNoPage means that a path has no page.
var ErrNoPage = errors.New("page: no such page")

// A Place is the target of a request: its path below the prefix, without a leading
// slash, and the relative path from there to the prefix, such as "./../".
type Place struct{ Path, Root string }

// Locate finds the place of a request. ok is false when it has answered with a redirect,
// from the prefix without its slash to the one with it. The error is [ErrNoPage]; Root
// is right then too.
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
	if hidden > 0 || !clean(strings.TrimSuffix(rest, "/")) {
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

// Fits reports whether a path matches a pattern, in which {} stands for one segment that is not empty, and
// returns these segments.
func Fits(pattern, path string) (args []string, fits bool) {
	want, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(segments) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w == "{}" && segments[i] != "":
			args = append(args, segments[i])
		case w != segments[i]:
			return nil, false
		}
	}
	return args, true
}

// OneLine returns a text in the form of logs: no line breaks, no invisible characters,
// none that change the direction of writing, at most 128 characters.
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
